// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A random program on a compacting_heap beside a list of what is alive: objects of seven kinds,
// pins, steps of both kinds with every budget. The first byte chooses room and return policy.

#include <arenite/handle/compacting_heap.hpp>

#include "support/compacting_operations.hpp"
#include "target.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

std::string run(support::byte_source& source) {
    const std::uint8_t shape = source.byte();
    arenite::compaction_options options{.room = 1 + (shape / 2) / 64.0};
    if (shape % 2 != 0)
        options.policy = arenite::return_policy::return_all;
    std::string error;
    {
        arenite::compacting_heap heap{options};
        error = support::compacting_operations(heap, false).run(source);
    }
    if (error.empty() && support::owning_object::alive != 0)
        error = "an object was not ended, or twice";
    return error;
}
