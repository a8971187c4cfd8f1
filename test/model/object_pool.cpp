// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/object/object_pool.hpp>
#include <arenite/object/object_rules.hpp>

#include <gtest/gtest.h>

#include "support/counting_pages.hpp"
#include "support/counting_resource.hpp"
#include "support/object_pool_operations.hpp"
#include "support/operations.hpp"

#include <cstddef>
#include <cstdint>

using namespace arenite;

namespace {

using particle = support::followed<48, 8>;
using page_of = support::followed<4096, 256>;

struct small_blocks : object_rules {
    static constexpr std::size_t block_bytes = 4096;
};
struct small_and_each_time : small_blocks {
    static constexpr bool construct_each_time = true;
};

template <class Object, class Rules, class... Args>
void run_programs(const char* test, bool may_fail, Args... args) {
    std::uint64_t seed = support::test_seed(test);
    for (int program = 0; program < 4; ++program, ++seed) {
        SCOPED_TRACE(testing::Message() << "ARENITE_TEST_SEED=" << seed);
        support::random_source source{seed, 3000};
        object_pool<Object, Rules> pool{args...};
        ASSERT_EQ(support::object_pool_operations(pool, may_fail).run(source), "");
    }
}

TEST(model, object_pool_on_pages) {
    run_programs<particle, object_rules>("model.object_pool_on_pages", false);
}

TEST(model, object_pool_of_small_blocks) {
    support::counting_resource up;
    run_programs<particle, small_blocks>("model.object_pool_of_small_blocks", false, &up);
    EXPECT_EQ(up.live(), 0u);
}

TEST(model, object_pool_of_small_blocks_on_pages) {
    support::counting_pages pages;
    run_programs<particle, small_blocks>("model.object_pool_of_small_blocks_on_pages", false,
                                         &pages);
}

TEST(model, object_pool_that_constructs_each_time) {
    support::counting_resource up;
    run_programs<particle, small_and_each_time>("model.object_pool_that_constructs_each_time",
                                                false, &up);
}

TEST(model, object_pool_of_a_fixed_capacity) {
    for (const std::size_t n : {1u, 60u, 700u})
        run_programs<particle, small_blocks>("model.object_pool_of_a_fixed_capacity", false, n);
}

TEST(model, object_pool_of_large_objects) {
    run_programs<page_of, small_blocks>("model.object_pool_of_large_objects", false);
}

// Every request but one succeeds: each program loses another one.
TEST(model, object_pool_over_an_upstream_that_refuses) {
    for (std::size_t n = 0; n < 8; ++n) {
        support::counting_resource up;
        up.fail_once_after(n);
        run_programs<particle, small_blocks>("model.object_pool_over_an_upstream_that_refuses",
                                             true, &up);
    }
}

} // namespace
