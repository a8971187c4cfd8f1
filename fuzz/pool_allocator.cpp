// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A random program on containers with pools beside the same with std::allocator. The first byte
// chooses which of them have a pool for themselves and which share one.

#include <arenite/stl/container_pool.hpp>
#include <arenite/stl/pool_allocator.hpp>

#include "support/container_operations.hpp"
#include "target.hpp"

#include <cstddef>
#include <string>

namespace {

template <class T>
using pooled = arenite::pool_allocator<T>;

} // namespace

std::string run(support::byte_source& source) {
    const unsigned shared = source.byte();
    arenite::container_pool pool;
    const auto make = [&pool, shared]<class T>(std::size_t i) {
        return (shared >> i & 1) != 0 ? arenite::pool_allocator<T>{pool}
                                      : arenite::pool_allocator<T>{};
    };
    const std::string error = support::run_containers<pooled>(make, source);
    return error.empty() && pool.usage().live_allocations != 0 ? "something lives" : error;
}
