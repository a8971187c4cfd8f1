// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/strategy.hpp>
#include <arenite/core/system_resource.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/linear/linear_part.hpp>
#include <arenite/linear/linear_resource.hpp>

#include <array>
#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {

/// Two linear resources in turn: one is filled while what is in the other can still be read.
///
///     active()      | a | b | c |........ free ........|     allocations come from here
///     inactive()    | x | y | z |......................|     of before the swap; readable
///
///     swap()        the two change places; the one that is active now is empty
///
/// Use when:  what one frame makes is read during the next: commands for a renderer, events, the
///            state before. More than two at once: frame_resource.
/// Cost:      as linear_resource, and the load of one pointer; swap O(1).
/// Overhead:  0 bytes an allocation; padding < alignment; the memory of both sides.
/// Limits:    `capacity` bytes a side; a request that does not fit in the active one fails.
/// Threads:   one thread may use the active side while others read what is in the inactive one.
///            The thread that swaps ensures that neither happens meanwhile.
/// Failure:   out_of_memory / nullptr; nothing changes.
/// Source:    Kaltenbrunn, Modern Memory Management (2018), 6.1.3.
///
/// Each side asks upstream for its region at its first request. A swap ends all scopes: checked
/// builds report one that is still open on either side. A side that a swap has reset refuses the
/// markers from before, also those of its empty state.
class double_buffered_resource final : public strategy<double_buffered_resource> {
public:
    /// `capacity` bytes of upstream for each side, asked for at its first request.
    explicit double_buffered_resource(std::size_t capacity, upstream source = &system_resource())
        : sides_{linear_resource{capacity, source}, linear_resource{capacity, source}} {}

    /// With options; an eager one asks at once and throws out_of_memory where upstream has none.
    double_buffered_resource(std::size_t capacity, linear_options options,
                             upstream source = &system_resource())
        : sides_{linear_resource{capacity, options, source},
                 linear_resource{capacity, options, source}} {}

    /// The side that allocations come from, and the other one.
    [[nodiscard]] linear_resource& active() noexcept { return *active_; }
    [[nodiscard]] const linear_resource& active() const noexcept { return *active_; }
    [[nodiscard]] linear_resource& inactive() noexcept { return sides_[1 - active_index()]; }
    [[nodiscard]] const linear_resource& inactive() const noexcept {
        return sides_[1 - active_index()];
    }

    /// The active side; after a swap it is another one.
    // NOLINTNEXTLINE(google-explicit-constructor): it is meant to be passed as one
    operator linear_resource&() noexcept { return *active_; }

    /// The sides change places. With `reset` all that was in the one that is active now is freed;
    /// without, it is as it was left and grows on. The inactive one stays as it is in any case.
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

    /// Gives back to the side that p lies in, as linear_resource::deallocate does.
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

    /// Frees all that is in both sides; their regions stay.
    void reset() noexcept {
        sides_[0].reset();
        sides_[1].reset();
    }

    /// Gives the region of each side that is empty back to upstream.
    void trim() noexcept {
        sides_[0].trim();
        sides_[1].trim();
    }

    /// True if p lies in what is allocated of either side.
    [[nodiscard]] bool owns(const void* p) const noexcept {
        return sides_[0].owns(p) || sides_[1].owns(p);
    }

    /// Bytes in use and the high water of all sides, as usage() adds them.
    [[nodiscard]] std::size_t in_use() const noexcept { return usage().bytes_in_use; }
    [[nodiscard]] std::size_t high_water() const noexcept { return usage().high_water_bytes; }

    /// Bytes of one side.
    [[nodiscard]] std::size_t capacity() const noexcept { return sides_[0].capacity(); }

    /// Adds both sides; the high water is that of each side added, the hole the active one's.
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
