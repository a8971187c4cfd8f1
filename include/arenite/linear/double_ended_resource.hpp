// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/extremes.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/resource_base.hpp>
#include <arenite/core/system_resource.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/linear/linear_resource.hpp>

#include <cstddef>
#include <span>
#include <string_view>

namespace arenite {
inline namespace ARENITE_ABI {

/// How long an allocation from a double_ended_resource lives, and so from which end it comes.
enum class lifetime : unsigned char {
    temporary, ///< the low end
    permanent, ///< the high end
};

/// Two linear resources that share one region, each growing towards the other.
///
///     begin                                                             end
///       | a | b | c |...................... free ................| B | A |
///         low() --> ^ top                                        ^ <-- high()
///       temporary                                                permanent
///
/// Use when:  long-lived data is built with the help of short-lived data (loading), and it is not
///            known how much of each: both ends share the free space. With one lifetime:
///            linear_resource.
/// Cost:      each end as linear_resource; at the high end 5 more instructions an allocation.
/// Overhead:  0 bytes an allocation; padding < alignment.
/// Limits:    one region of `capacity` bytes in total; a request that does not fit between the ends
///            fails. The high end has no try_resize: an allocation there could only grow downward.
/// Threads:   one at a time, for both ends together; wrap in synchronized_resource.
/// Failure:   out_of_memory / nullptr; nothing changes.
/// Source:    Kaltenbrunn, Modern Memory Management (2018), 6.1.2.
///
/// low() and high() are linear resources like any other: they can be passed on, have their own
/// markers and scopes, and never cross. The region comes from upstream at the first request of
/// either end and is returned at destruction, or by trim() while both are empty.
class double_ended_resource final : public resource_base<double_ended_resource> {
public:
    /// Both ends share `capacity` bytes of upstream, requested at the first allocation.
    explicit double_ended_resource(std::size_t capacity, upstream source = &system_resource())
        : low_{capacity, source} {}

    /// With options: `eager` and `prefault` request the region here; throws out_of_memory then.
    double_ended_resource(std::size_t capacity, linear_options options,
                          upstream source = &system_resource())
        : low_{capacity, options, source} {}

    /// On the user's buffer, of any size and alignment, which must outlive the resource.
    explicit double_ended_resource(std::span<std::byte> buffer) noexcept : low_{buffer} {}

    /// The two ends. Their memory and markers belong to this object.
    [[nodiscard]] linear_resource& low() noexcept { return low_; }
    [[nodiscard]] const linear_resource& low() const noexcept { return low_; }
    [[nodiscard]] linear_resource& high() noexcept { return high_; }
    [[nodiscard]] const linear_resource& high() const noexcept { return high_; }

    /// The name that was given in the options, or none.
    [[nodiscard]] std::string_view name() const noexcept { return low_.name(); }

    /// Allocates from the low end, or from the end that the lifetime names.
    [[nodiscard]] ARENITE_INLINE void*
    try_allocate(std::size_t bytes, std::size_t alignment = default_alignment) noexcept {
        return low_.try_allocate(bytes, alignment);
    }
    [[nodiscard]] ARENITE_INLINE void* try_allocate(std::size_t bytes, std::size_t alignment,
                                                    lifetime life) noexcept {
        return life == lifetime::permanent ? high_.try_allocate(bytes, alignment)
                                           : low_.try_allocate(bytes, alignment);
    }

    using resource_base<double_ended_resource>::allocate;
    [[nodiscard]] ARENITE_INLINE void* allocate(std::size_t bytes, std::size_t alignment,
                                                lifetime life) {
        void* const p = try_allocate(bytes, alignment, life);
        if (p == nullptr) [[unlikely]]
            detail::refuse(*this, bytes, alignment);
        return p;
    }

    /// Frees at the end that p lies in, as linear_resource::deallocate does.
    ARENITE_INLINE void deallocate(void* p, std::size_t bytes,
                                   std::size_t alignment = default_alignment) noexcept {
        if (high_.owns(p))
            high_.deallocate(p, bytes, alignment);
        else
            low_.deallocate(p, bytes, alignment);
    }

    /// Frees everything in both ends; the region stays.
    void reset() noexcept {
        low_.reset();
        high_.reset();
    }

    /// Returns the region to upstream if nothing is allocated; the next request gets a new one.
    void trim() noexcept { low_.trim(); }

    [[nodiscard]] bool owns(const void* p) const noexcept { return low_.owns(p) || high_.owns(p); }
    [[nodiscard]] std::size_t in_use() const noexcept { return low_.in_use() + high_.in_use(); }
    [[nodiscard]] std::size_t high_water() const noexcept { return usage().high_water_bytes; }
    [[nodiscard]] std::size_t capacity() const noexcept { return low_.capacity(); }

    /// Bytes left for requests of either end: those between the ends, or the whole capacity before
    /// there is a region. O(1).
    [[nodiscard]] std::size_t remaining() const noexcept { return low_.remaining(); }
    [[deprecated("it is called remaining() now")]] [[nodiscard]] std::size_t room() const noexcept {
        return low_.usage().largest_hole_bytes; // until 1.0; 0 before there is a region
    }

    /// The sum of both ends. high_water_bytes adds the marks of both ends, limited to the capacity:
    /// the two need not have been reached at the same time.
    [[nodiscard]] arenite::usage usage() const noexcept {
        const arenite::usage low = low_.usage();
        const arenite::usage high = high_.usage();
        return {.bytes_in_use = low.bytes_in_use + high.bytes_in_use,
                .bytes_reserved = low.bytes_reserved + high.bytes_reserved,
                .high_water_bytes =
                    detail::smaller(low.high_water_bytes + high.high_water_bytes, capacity()),
                .largest_hole_bytes = low.largest_hole_bytes};
    }

    /// Lists the low end and then the high one; see linear_resource.
    void list_regions(region_sink& sink) const {
        low_.list_regions(sink);
        high_.list_regions(sink);
    }

private:
    linear_resource low_;
    linear_resource high_{linear_resource::high_end_of{low_}};
};

} // namespace ARENITE_ABI
} // namespace arenite
