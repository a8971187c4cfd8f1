// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A random program on containers with pools beside the same with std::allocator. The first byte
// chooses which of them have a pool for themselves and which share one.

#include <arenite/stl/container_pool.hpp>
#include <arenite/stl/pool_allocator.hpp>

#include "support/container_operations.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

template <class T>
using pooled = arenite::pool_allocator<T>;

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    support::byte_source source{data, size};
    const unsigned shared = source.byte();
    arenite::container_pool pool;
    const auto make = [&pool, shared]<class T>(std::size_t i) {
        return (shared >> i & 1) != 0 ? arenite::pool_allocator<T>{pool}
                                      : arenite::pool_allocator<T>{};
    };
    const std::string error = support::run_containers<pooled>(make, source);
    if (!error.empty() || pool.usage().live_allocations != 0) {
        std::fprintf(stderr, "pool_allocator: %s\n", error.c_str());
        std::abort();
    }
    return 0;
}
