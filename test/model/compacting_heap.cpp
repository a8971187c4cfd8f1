// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/handle/compacting_heap.hpp>

#include <gtest/gtest.h>

#include "support/build_mode.hpp"
#include "support/compacting_operations.hpp"
#include "support/counting_pages.hpp"
#include "support/counting_resource.hpp"

#include <cstddef>
#include <cstdint>

using namespace arenite;
using support::compacting_operations;

namespace {

constexpr int programs = support::every_call_is_careful ? 2 : 6;

template <class Run>
void run_programs(const char* test, Run run) {
    std::uint64_t seed = support::test_seed(test);
    for (int program = 0; program < programs; ++program, ++seed) {
        SCOPED_TRACE(testing::Message() << "ARENITE_TEST_SEED=" << seed);
        support::random_source source{seed, 300};
        run(source, program);
        EXPECT_EQ(support::owning_object::alive, 0);
        if (testing::Test::HasFailure())
            return;
    }
}

TEST(model, compacting_heap_on_pages) {
    run_programs("model.compacting_heap_on_pages", [](auto& source, int program) {
        support::counting_pages pages;
        compacting_heap heap{{.room = 1.25 + program * 0.25}, &pages};
        ASSERT_EQ(compacting_operations(heap, false).run(source), "");
    });
}

TEST(model, compacting_heap_that_returns_all) {
    run_programs("model.compacting_heap_that_returns_all", [](auto& source, int) {
        support::counting_pages pages;
        compacting_heap heap{{.policy = return_policy::return_all}, &pages};
        ASSERT_EQ(compacting_operations(heap, false).run(source), "");
    });
}

TEST(model, compacting_heap_on_malloc) {
    run_programs("model.compacting_heap_on_malloc", [](auto& source, int) {
        support::counting_resource up;
        compacting_heap heap{{}, &up};
        ASSERT_EQ(compacting_operations(heap, false).run(source), "");
    });
}

TEST(model, compacting_heap_whose_upstream_ends) {
    run_programs("model.compacting_heap_whose_upstream_ends", [](auto& source, int program) {
        support::counting_resource up;
        up.fail_after(static_cast<std::size_t>(program) * 3);
        compacting_heap heap{{.room = 1.5}, &up};
        ASSERT_EQ(compacting_operations(heap, true).run(source), "");
    });
}

} // namespace
