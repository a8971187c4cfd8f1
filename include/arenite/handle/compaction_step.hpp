// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {

/// The result of a step of a compacting_heap: the work done, and why it ended.
struct compaction_step {
    enum class end : unsigned char {
        finished,     ///< nothing is left to do
        budget_spent, ///< there is more to do
        no_memory     ///< the upstream refused a block; all objects are where handles find them
    };

    std::size_t moves = 0;
    std::size_t bytes = 0; ///< of objects that were moved
    end why = end::finished;

    [[nodiscard]] bool finished() const noexcept { return why == end::finished; }
};

} // namespace ARENITE_ABI
} // namespace arenite
