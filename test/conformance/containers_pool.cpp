// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/stl/container_pool.hpp>
#include <arenite/stl/pool_allocator.hpp>

#include "support/container_suite.hpp"

#include <cstddef>

namespace container_suite {

/// A pool for each container.
struct pooled {
    static constexpr const char* name = "pooled";
    template <class T>
    using allocator = arenite::pool_allocator<T>;
    template <class T>
    allocator<T> make() {
        return {};
    }
    support::counting_resource* upstream() { return nullptr; }
};

/// A pool that all containers share, on an upstream that can fail.
struct sharing_a_container_pool {
    static constexpr const char* name = "sharing_a_container_pool";
    template <class T>
    using allocator = arenite::pool_allocator<T>;
    template <class T>
    allocator<T> make() {
        return pool;
    }
    support::counting_resource* upstream() { return &up; }

    support::counting_resource up;
    arenite::container_pool pool{&up};
};

using pool_families = testing::Types<pooled, sharing_a_container_pool>;
INSTANTIATE_TYPED_TEST_SUITE_P(pool_allocator, containers, pool_families, family_names);

} // namespace container_suite
