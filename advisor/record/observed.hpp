// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../trace/observation.hpp"
#include "area.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <unordered_set>

namespace arenite::advisor {

/// The regions of 1 MiB in which objects of a process lay. What else its registers hold is its own:
/// it is not written.
class object_regions {
public:
    void note(std::uint64_t address, std::uint64_t bytes) {
        const std::uint64_t last = (address + (bytes != 0 ? bytes - 1 : 0)) >> shift;
        for (std::uint64_t r = address >> shift, n = 0; r <= last && n < most; ++r, ++n) {
            std::uint64_t& recent = recent_[r % recent_.size()];
            if (recent == r + 1)
                continue;
            recent = r + 1;
            known_.insert(r);
        }
    }
    [[nodiscard]] bool has(std::uint64_t address) const {
        return known_.contains(address >> shift);
    }

private:
    static constexpr unsigned shift = 20;
    static constexpr std::uint64_t most = 4096; ///< of one object

    std::array<std::uint64_t, 64> recent_{}; ///< region + 1
    std::unordered_set<std::uint64_t> known_;
};

/// The objects that the registers pointed to.
[[nodiscard]] trace::observation observed(const record::sample& s, const object_regions& objects);

/// All accesses of a burst.
[[nodiscard]] trace::observation observed(const record::burst& b, const object_regions& objects);

/// Why nothing is observed, as words of the trace; empty: it is.
[[nodiscard]] std::string why_unobserved_text(record::unobserved why);

} // namespace arenite::advisor
