// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "interruptions.hpp"
#include "reserved.hpp"
#include "ticks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace arenite::lab {

/// The time of each single operation. What taking the time costs (some 20 ns, in steps of about 10)
/// is in it: good for the tail, not for the mean. A long one during which, or a few operations
/// before which, the system gave the processor to others counts as none: on a machine that others
/// use, every worst case would be theirs. What the system does without telling stays in it.
class latencies {
public:
    explicit latencies(std::size_t count) : ticks_{count} {}

    template <class Operation>
    void time(std::size_t i, Operation operation) {
        const std::uint64_t start = ticks();
        operation();
        ticks_[i] = ticks() - start;
        if (ticks_[i] > long_ticks && interruptions() != interruptions_) [[unlikely]]
            ticks_[i] = 0;
        if (i % operations_a_look == 0)
            interruptions_ = interruptions();
    }

    /// In nanoseconds, the value that a share (0.999) of the operations does not exceed; changes
    /// the order of what was measured.
    [[nodiscard]] double percentile(double share) { return percentile(share, ticks_.size()); }

    /// That percentile of the first `count` operations alone, at least one.
    [[nodiscard]] double percentile(double share, std::size_t count) {
        static const double ticks_per_ns = measure_ticks_per_ns();
        const auto nth = static_cast<std::size_t>(share * static_cast<double>(count - 1));
        std::nth_element(ticks_.begin(), ticks_.begin() + nth, ticks_.begin() + count);
        return static_cast<double>(ticks_[nth]) / ticks_per_ns;
    }

private:
    static constexpr std::uint64_t long_ticks = 10'000; ///< as short as no interruption is
    static constexpr std::size_t operations_a_look = 64;

    reserved<std::uint64_t> ticks_;
    std::size_t interruptions_ = interruptions();
};

} // namespace arenite::lab
