// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/alignment.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/extremes.hpp>
#include <arenite/core/region.hpp>

#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {

/// Sums over the regions of a resource, and its largest hole; stores no regions.
///
///     region_totals t{heap};   t.bytes(region_state::used);   t.fragmentation();
///
/// Cost:      that of list_regions; O(1) a region, no memory.
/// Threads:   one at a time.
class region_totals final : public region_sink {
public:
    region_totals() = default;
    template <Mappable R>
    explicit region_totals(const R& r) {
        r.list_regions(*this);
    }

    void add(const region& r) override {
        bytes_[static_cast<std::size_t>(r.state)] += r.bytes;
        const bool hole = r.state == region_state::free || r.state == region_state::untouched;
        if (hole) {
            // Regions that touch make one hole, such as free memory below untouched memory.
            const std::uintptr_t begin = address_of(r.address); // perhaps of no memory at all
            hole_bytes_ = (begin == hole_end_ ? hole_bytes_ : 0) + r.bytes;
            hole_end_ = begin + r.bytes;
            largest_ = detail::larger(largest_, hole_bytes_);
        }
        objects_ += r.one_object ? 1u : 0u;
    }

    [[nodiscard]] std::size_t bytes(region_state s) const noexcept {
        return bytes_[static_cast<std::size_t>(s)];
    }

    /// Bytes that could be allocated: free and untouched.
    [[nodiscard]] std::size_t free_bytes() const noexcept {
        return bytes(region_state::free) + bytes(region_state::untouched);
    }

    /// Bytes in all states.
    [[nodiscard]] std::size_t bytes() const noexcept {
        return free_bytes() + bytes(region_state::used) + bytes(region_state::overhead);
    }

    /// The longest run of free and untouched memory.
    [[nodiscard]] std::size_t largest_hole_bytes() const noexcept { return largest_; }

    /// 1 - largest hole / all that is free; 0 where nothing is.
    [[nodiscard]] double fragmentation() const noexcept {
        return free_bytes() == 0
                   ? 0
                   : 1 - static_cast<double>(largest_) / static_cast<double>(free_bytes());
    }

    /// Allocations, as far as they are listed one by one.
    [[nodiscard]] std::size_t objects() const noexcept { return objects_; }

private:
    std::size_t bytes_[4] = {};
    std::size_t hole_bytes_ = 0; ///< of the hole that ends at hole_end_
    std::uintptr_t hole_end_ = 0;
    std::size_t largest_ = 0;
    std::size_t objects_ = 0;
};

} // namespace ARENITE_ABI
} // namespace arenite
