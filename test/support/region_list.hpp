// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/concepts.hpp>
#include <arenite/core/region.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace support {

using arenite::region;
using arenite::region_state;

/// All that a resource lists, in its order.
class region_list final : public arenite::region_sink {
public:
    region_list() = default;

    template <arenite::Mappable R>
    explicit region_list(const R& r) {
        r.list_regions(*this);
    }

    void add(const region& r) override { all_.push_back(r); }

    [[nodiscard]] const std::vector<region>& all() const noexcept { return all_; }

    [[nodiscard]] std::size_t bytes(region_state s) const noexcept {
        std::size_t sum = 0;
        for (const region& r : all_)
            sum += r.state == s ? r.bytes : 0;
        return sum;
    }
    [[nodiscard]] std::size_t count(region_state s) const noexcept {
        std::size_t n = 0;
        for (const region& r : all_)
            n += r.state == s ? 1u : 0u;
        return n;
    }
    [[nodiscard]] std::size_t bytes() const noexcept {
        std::size_t sum = 0;
        for (const region& r : all_)
            sum += r.bytes;
        return sum;
    }

    /// The region that p lies in, or nullptr.
    [[nodiscard]] const region* at(const void* p) const noexcept {
        const auto* const byte = static_cast<const std::byte*>(p);
        for (const region& r : all_) {
            const auto* const begin = static_cast<const std::byte*>(r.address);
            if (byte >= begin && byte < begin + r.bytes)
                return &r;
        }
        return nullptr;
    }

private:
    std::vector<region> all_;
};

/// Each begins where the one before it ends, or above.
[[nodiscard]] inline bool are_in_order(std::span<const region> all) {
    return std::adjacent_find(all.begin(), all.end(), [](const region& a, const region& b) {
               return static_cast<const std::byte*>(b.address) <
                      static_cast<const std::byte*>(a.address) + a.bytes;
           }) == all.end();
}

} // namespace support
