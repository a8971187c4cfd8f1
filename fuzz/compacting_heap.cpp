// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A random program on a compacting_heap beside a list of what is alive: objects of seven kinds,
// pins, steps of both kinds with every budget. The first byte chooses room and return policy.

#include <arenite/handle/compacting_heap.hpp>

#include "support/compacting_operations.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    support::byte_source source{data, size};
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
    if (!error.empty()) {
        std::fprintf(stderr, "compacting_heap: %s\n", error.c_str());
        std::abort();
    }
    return 0;
}
