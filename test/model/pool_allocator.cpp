// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/detail/poison.hpp>
#include <arenite/stl/container_pool.hpp>
#include <arenite/stl/pool_allocator.hpp>

#include <gtest/gtest.h>

#include "support/container_operations.hpp"
#include "support/counting_resource.hpp"
#include "support/operations.hpp"

#include <cstddef>
#include <cstdint>

using namespace arenite;

namespace {

template <class T>
using pooled = pool_allocator<T>;

constexpr std::size_t steps = detail::poison::active ? 200 : 1000;

TEST(model, pool_allocator_for_each_container) {
    const std::uint64_t seed = support::test_seed("model.pool_allocator_for_each_container");
    support::random_source source{seed, steps};
    const auto own = []<class T>(std::size_t) { return pool_allocator<T>{}; };
    EXPECT_EQ(support::run_containers<pooled>(own, source), "") << "ARENITE_TEST_SEED=" << seed;
}

TEST(model, pool_allocator_of_two_container_pools_and_none) {
    const std::uint64_t seed = support::test_seed("model.pool_allocator_of_two_container_pools");
    support::random_source source{seed, steps};
    support::counting_resource up;
    container_pool pools[2] = {container_pool{return_policy::return_all, &up}, container_pool{&up}};
    const auto some = [&pools]<class T>(std::size_t i) {
        return i < 2 ? pool_allocator<T>{pools[i]} : pool_allocator<T>{};
    };
    EXPECT_EQ(support::run_containers<pooled>(some, source), "") << "ARENITE_TEST_SEED=" << seed;
    for (container_pool& pool : pools)
        EXPECT_EQ(pool.usage().live_allocations, 0u);
}

} // namespace
