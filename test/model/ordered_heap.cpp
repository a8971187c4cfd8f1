// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/detail/poison.hpp>
#include <arenite/compose/synchronized_resource.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/core/system_resource.hpp>
#include <arenite/linear/linear_resource.hpp>
#include <arenite/ordered/ordered_heap.hpp>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"
#include "support/operations.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

using namespace arenite;
using support::heap_operations;
using support::heap_rules;

namespace {

// Fewer under a sanitizer, which takes ten times as long.
constexpr int programs = detail::poison::active ? 3 : 15;

// Each program on a heap of its own; what differs is where its memory comes from.
template <class Run>
void run_programs(const char* test, Run run) {
    std::uint64_t seed = support::test_seed(test);
    for (int program = 0; program < programs; ++program, ++seed) {
        for (const sizes kind : {sizes::given, sizes::kept}) {
            SCOPED_TRACE(testing::Message()
                         << "ARENITE_TEST_SEED=" << seed
                         << (kind == sizes::kept ? ", sizes kept" : ", sizes known"));
            support::random_source source{seed, 2000};
            run(kind, heap_rules{.keeps_sizes = kind == sizes::kept}, source);
            if (testing::Test::HasFatalFailure())
                return;
        }
    }
}

TEST(model, ordered_heap_on_pages) {
    run_programs("model.ordered_heap_on_pages", [](sizes kind, heap_rules rules, auto& source) {
        ordered_heap heap{ordered_options{.sizes = kind}};
        ASSERT_EQ(heap_operations(heap, rules).run(source), "");
    });
}

TEST(model, ordered_heap_of_objects_of_kilobytes) {
    run_programs("model.ordered_heap_of_objects_of_kilobytes",
                 [](sizes kind, heap_rules rules, auto& source) {
                     rules.medium = true;
                     ordered_heap heap{ordered_options{.sizes = kind}};
                     ASSERT_EQ(heap_operations(heap, rules).run(source), "");
                 });
}

TEST(model, ordered_heap_of_objects_of_kilobytes_that_keeps_nothing) {
    run_programs("model.ordered_heap_of_objects_of_kilobytes_that_keeps_nothing", [](sizes kind,
                                                                                     heap_rules
                                                                                         rules,
                                                                                     auto& source) {
        rules.medium = true;
        support::counting_resource up;
        ordered_heap heap{ordered_options{.sizes = kind, .policy = return_policy::return_all}, &up};
        ASSERT_EQ(heap_operations(heap, rules).run(source), "");
    });
}

TEST(model, ordered_heap_that_keeps_all_memory) {
    run_programs(
        "model.ordered_heap_that_keeps_all_memory", [](sizes kind, heap_rules rules, auto& source) {
            ordered_heap heap{ordered_options{.sizes = kind, .policy = return_policy::retain_all}};
            ASSERT_EQ(heap_operations(heap, rules).run(source), "");
        });
}

TEST(model, ordered_heap_on_malloc) {
    run_programs("model.ordered_heap_on_malloc", [](sizes kind, heap_rules rules, auto& source) {
        support::counting_resource up;
        {
            ordered_heap heap{ordered_options{.sizes = kind}, &up};
            ASSERT_EQ(heap_operations(heap, rules).run(source), "");
            heap.trim();
            EXPECT_EQ(up.live(), 0u);
        }
    });
}

TEST(model, ordered_heap_of_small_blocks) {
    run_programs("model.ordered_heap_of_small_blocks",
                 [](sizes kind, heap_rules rules, auto& source) {
                     support::counting_resource up;
                     ordered_heap heap{ordered_options{.sizes = kind, .block_bytes = 4_KiB}, &up};
                     ASSERT_EQ(heap_operations(heap, rules).run(source), "");
                 });
}

TEST(model, ordered_heap_in_a_buffer_that_is_too_small) {
    std::vector<std::byte> buffer(2_MiB);
    run_programs("model.ordered_heap_in_a_buffer_that_is_too_small",
                 [&](sizes kind, heap_rules rules, auto& source) {
                     linear_resource memory{std::span<std::byte>{buffer}};
                     ordered_heap heap{ordered_options{.sizes = kind}, &memory};
                     rules.may_fail = true;
                     ASSERT_EQ(heap_operations(heap, rules).run(source), "");
                 });
}

TEST(model, synchronized_malloc) {
    std::uint64_t seed = support::test_seed("model.synchronized_malloc");
    synchronized_resource<malloc_resource> r{};
    support::random_source source{seed, 3000};
    EXPECT_EQ(heap_operations(r, heap_rules{}).run(source), "");
}

} // namespace
