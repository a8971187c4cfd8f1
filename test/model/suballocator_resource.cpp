// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/detail/poison.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/pool/suballocator_resource.hpp>

#include <gtest/gtest.h>

#include "support/counting_pages.hpp"
#include "support/counting_resource.hpp"
#include "support/operations.hpp"
#include "support/pool_operations.hpp"

#include <cstddef>
#include <cstdint>

using namespace arenite;
using support::pool_operations;

namespace {

constexpr slot shapes[] = {{48, 16}, {1, 1},    {8, 8},     {20, 4},
                           {64, 64}, {256, 16}, {3000, 64}, {4096, 4096}};

// Fewer under a sanitizer, which takes ten times as long.
constexpr int programs = detail::poison::active ? 1 : 2;

/// Each program on a resource of its own; what differs is where its memory comes from and what it
/// does with it.
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

TEST(model, suballocator_resource_on_pages) {
    run_programs("model.suballocator_resource_on_pages", [](slot s, auto& source) {
        support::counting_pages pages;
        suballocator_resource r{s, &pages};
        ASSERT_EQ(pool_operations(r).run(source), "");
        r.trim();
        EXPECT_EQ(pages.live(), 0u);
    });
}

TEST(model, suballocator_resource_of_small_rows_that_all_go_back) {
    run_programs("model.suballocator_resource_of_small_rows_that_all_go_back",
                 [](slot s, auto& source) {
                     support::counting_resource up;
                     const suballocator_options options{.row_bytes = 16_KiB,
                                                        .policy = return_policy::return_all};
                     suballocator_resource r{s, options, &up};
                     ASSERT_EQ(pool_operations(r).run(source), "");
                     r.trim();
                     EXPECT_EQ(up.live(), 0u);
                 });
}

TEST(model, suballocator_resource_by_the_seeds_rules) {
    run_programs("model.suballocator_resource_by_the_seeds_rules", [](slot s, auto& source) {
        support::counting_resource up;
        const suballocator_options options{
            .row_bytes = 64_KiB, .order = slot_order::lowest, .rule = row_return::last_row};
        suballocator_resource r{s, options, &up};
        ASSERT_EQ(pool_operations(r).run(source), "");
    });
}

TEST(model, suballocator_resource_used_for_any_size) {
    run_programs("model.suballocator_resource_used_for_any_size", [](slot s, auto& source) {
        suballocator_resource r{s};
        ASSERT_EQ(support::heap_operations(r, {}).run(source), "");
    });
}

} // namespace
