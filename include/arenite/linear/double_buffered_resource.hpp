// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/resource_base.hpp>
#include <arenite/core/system_resource.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/linear/detail/linear_part.hpp>
#include <arenite/linear/linear_resource.hpp>

#include <array>
#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {

/// Two linear resources in turn: one is filled while the contents of the other can still be read.
///
///     active()      | a | b | c |........ free ........|     allocations come from here
///     inactive()    | x | y | z |......................|     from before the swap; readable
///
///     swap()        the two change places; the one that becomes active is empty
///
/// Use when:  what one frame produces is read during the next: commands for a renderer, events, the
///            previous state. More than two at once: frame_resource.
/// Cost:      as linear_resource, plus the load of one pointer; swap O(1).
/// Overhead:  0 bytes an allocation; padding < alignment; the memory of both sides.
/// Limits:    `capacity` bytes a side; a request that does not fit in the active one fails.
/// Threads:   one thread may use the active side while others read from the inactive one. The
///            thread that swaps must ensure that neither happens at the same time.
/// Failure:   out_of_memory / nullptr; nothing changes.
/// Source:    Kaltenbrunn, Modern Memory Management (2018), 6.1.3.
///
/// Each side requests its region from upstream at its first allocation. A swap ends all scopes:
/// checked builds report one that is still open on either side. A side that a swap has reset
/// refuses markers from before, even those of its empty state.
class double_buffered_resource final : public resource_base<double_buffered_resource> {
public:
    /// Each side has `capacity` bytes of upstream, requested at its first allocation.
    explicit double_buffered_resource(std::size_t capacity, upstream source = &system_resource())
        : sides_{{linear_resource{capacity, source}, linear_resource{capacity, source}}} {}

    /// With options: `eager` and `prefault` request both regions here; throws out_of_memory then.
    double_buffered_resource(std::size_t capacity, linear_options options,
                             upstream source = &system_resource())
        : sides_{{linear_resource{capacity, options, source},
                  linear_resource{capacity, options, source}}} {}

    /// The side that allocations come from, and the other one.
    [[nodiscard]] linear_resource& active() noexcept { return *active_; }
    [[nodiscard]] const linear_resource& active() const noexcept { return *active_; }
    [[nodiscard]] linear_resource& inactive() noexcept { return sides_[1 - active_index()]; }
    [[nodiscard]] const linear_resource& inactive() const noexcept {
        return sides_[1 - active_index()];
    }

    /// The active side; after a swap it is the other one.
    // NOLINTNEXTLINE(google-explicit-constructor): it is meant to be passed as one
    operator linear_resource&() noexcept { return *active_; }

    /// The sides change places. With `reset` everything in the side that becomes active is freed;
    /// without it, that side is as it was left and continues from there. The side that becomes
    /// inactive is never changed.
    void swap(bool reset = true) noexcept {
        ARENITE_ASSERT(!detail::linear_part::has_open_scope(sides_[0]) &&
                           !detail::linear_part::has_open_scope(sides_[1]),
                       "the sides were swapped while a scope is open on one of them: its end would "
                       "free what belongs to a later frame");
        active_ = &inactive();
        if (reset)
            detail::linear_part::renew(*active_);
    }

    [[nodiscard]] ARENITE_INLINE void*
    try_allocate(std::size_t bytes, std::size_t alignment = default_alignment) noexcept {
        return active_->try_allocate(bytes, alignment);
    }

    /// Frees on the side that p lies in, as linear_resource::deallocate does.
    ARENITE_INLINE void deallocate(void* p, std::size_t bytes,
                                   std::size_t alignment = default_alignment) noexcept {
        linear_resource& side = active_->owns(p) ? *active_ : inactive();
        side.deallocate(p, bytes, alignment);
    }

    /// Resizes in place on the active side; see linear_resource::try_resize.
    [[nodiscard]] ARENITE_INLINE bool try_resize(void* p, std::size_t old_bytes,
                                                 std::size_t new_bytes,
                                                 std::size_t = default_alignment) noexcept {
        return active_->try_resize(p, old_bytes, new_bytes);
    }

    /// Frees everything on both sides; their regions stay.
    void reset() noexcept {
        sides_[0].reset();
        sides_[1].reset();
    }

    /// Returns the region of each empty side to upstream.
    void trim() noexcept {
        sides_[0].trim();
        sides_[1].trim();
    }

    /// True if p lies in what is allocated on either side.
    [[nodiscard]] bool owns(const void* p) const noexcept {
        return sides_[0].owns(p) || sides_[1].owns(p);
    }

    /// Bytes in use and high-water mark of both sides, as in usage().
    [[nodiscard]] std::size_t in_use() const noexcept { return usage().bytes_in_use; }
    [[nodiscard]] std::size_t high_water() const noexcept { return usage().high_water_bytes; }

    /// Bytes of one side.
    [[nodiscard]] std::size_t capacity() const noexcept { return sides_[0].capacity(); }

    /// Bytes left for requests in the active one. O(1).
    [[nodiscard]] std::size_t remaining() const noexcept { return active().remaining(); }

    /// The sum of both sides, including their high-water marks; the largest hole is the active
    /// side's.
    [[nodiscard]] arenite::usage usage() const noexcept {
        const arenite::usage a = active().usage();
        const arenite::usage b = inactive().usage();
        return {.bytes_in_use = a.bytes_in_use + b.bytes_in_use,
                .bytes_reserved = a.bytes_reserved + b.bytes_reserved,
                .high_water_bytes = a.high_water_bytes + b.high_water_bytes,
                .largest_hole_bytes = a.largest_hole_bytes};
    }

    /// Lists one side after the other; see linear_resource.
    void list_regions(region_sink& sink) const {
        sides_[0].list_regions(sink);
        sides_[1].list_regions(sink);
    }

private:
    [[nodiscard]] std::size_t active_index() const noexcept {
        return active_ == sides_.data() ? 0 : 1;
    }

    std::array<linear_resource, 2> sides_;
    linear_resource* active_ = sides_.data();
};

} // namespace ARENITE_ABI
} // namespace arenite
