// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/detail/poison.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/pool/pool_resource.hpp>

#include <gtest/gtest.h>

#include "support/counting_pages.hpp"
#include "support/counting_resource.hpp"
#include "support/operations.hpp"
#include "support/pool_operations.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

using namespace arenite;
using support::pool_operations;

namespace {

constexpr slot shapes[] = {{48, 16}, {1, 1},    {8, 8},     {20, 4},
                           {64, 64}, {256, 16}, {3000, 64}, {4096, 4096}};

// Fewer under a sanitizer, which takes ten times as long.
constexpr int programs = detail::poison::active ? 1 : 2;

/// Each program on a pool of its own; what differs is where its memory comes from.
template <class Run>
void run_programs(const char* test, Run run) {
    std::uint64_t seed = support::test_seed(test);
    for (int program = 0; program < programs; ++program, ++seed) {
        for (const slot s : shapes) {
            SCOPED_TRACE(testing::Message() << "ARENITE_TEST_SEED=" << seed << ", slots of "
                                            << s.bytes << ", alignment " << s.alignment);
            support::random_source source{seed, 3000};
            run(s, source);
            if (testing::Test::HasFailure())
                return;
        }
    }
}

TEST(model, pool_resource_on_pages) {
    run_programs("model.pool_resource_on_pages", [](slot s, auto& source) {
        pool_resource pool{s};
        ASSERT_EQ(pool_operations(pool).run(source), "");
    });
}

TEST(model, pool_resource_that_returns_all) {
    run_programs("model.pool_resource_that_returns_all", [](slot s, auto& source) {
        support::counting_pages pages;
        pool_resource pool{s, pool_options{.policy = return_policy::return_all}, &pages};
        ASSERT_EQ(pool_operations(pool).run(source), "");
    });
}

TEST(model, pool_resource_of_small_blocks_on_malloc) {
    run_programs("model.pool_resource_of_small_blocks_on_malloc", [](slot s, auto& source) {
        support::counting_resource up;
        pool_resource pool{s, pool_options{.block_bytes = 4_KiB}, &up};
        ASSERT_EQ(pool_operations(pool).run(source), "");
        pool.trim();
        EXPECT_EQ(up.live(), 0u);
    });
}

TEST(model, pool_resource_of_a_fixed_capacity) {
    run_programs("model.pool_resource_of_a_fixed_capacity", [](slot s, auto& source) {
        for (const std::size_t n : {1u, 60u, 700u}) {
            pool_resource pool{s, n};
            ASSERT_EQ(pool_operations(pool).run(source), "");
        }
    });
}

TEST(model, pool_resource_in_a_buffer) {
    run_programs("model.pool_resource_in_a_buffer", [](slot s, auto& source) {
        std::vector<std::byte> buffer(50'001);
        pool_resource pool{s, std::span{buffer}.subspan(1)};
        ASSERT_EQ(pool_operations(pool).run(source), "");
    });
}

TEST(model, pool_resource_used_for_any_size) {
    run_programs("model.pool_resource_used_for_any_size", [](slot s, auto& source) {
        pool_resource pool{s};
        ASSERT_EQ(support::heap_operations(pool, {}).run(source), "");
    });
}

} // namespace
