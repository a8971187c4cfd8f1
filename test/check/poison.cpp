// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/detail/poison.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdio>
#include <memory>

using namespace arenite;

namespace {

struct poison_api : testing::Test {
    // On the heap, and whole again at the end: the tools watch their own malloc as well.
    std::unique_ptr<std::byte[]> memory{new std::byte[64]{}};
    void TearDown() override { detail::poison::defined(memory.get(), 64); }
};

TEST(slow_only, every_call_is_slow_where_something_looks_at_each) {
    static_assert(!checks_enabled || detail::slow_only);
    static_assert(!detail::poison::active || detail::slow_only);
    static_assert(checks_enabled || detail::poison::active || !detail::slow_only);
}

TEST_F(poison_api, active_tells_whether_a_tool_is_compiled_in) {
    static_assert(detail::poison::active ==
                  (ARENITE_HAS_ASAN != 0 || ARENITE_HAS_MSAN != 0 || ARENITE_HAS_VALGRIND != 0));
    if constexpr (!detail::poison::active) {
        EXPECT_FALSE(detail::poison::reports_access());
    }
}

TEST_F(poison_api, memory_is_accessible_where_nobody_said_otherwise) {
    EXPECT_TRUE(detail::poison::accessible(memory.get(), 64));
}

TEST_F(poison_api, no_access_closes_exactly_what_it_is_told) {
    detail::poison::no_access(memory.get() + 16, 32);
    EXPECT_TRUE(detail::poison::accessible(memory.get(), 16));
    EXPECT_TRUE(detail::poison::accessible(memory.get() + 48, 16));
    EXPECT_EQ(detail::poison::accessible(memory.get() + 16, 32), !detail::poison::reports_access());
    EXPECT_EQ(detail::poison::accessible(memory.get() + 16, 1), !detail::poison::reports_access());
    EXPECT_EQ(detail::poison::accessible(memory.get() + 47, 1), !detail::poison::reports_access());
}

TEST_F(poison_api, undefined_and_defined_open_it_again) {
    detail::poison::no_access(memory.get(), 64);
    detail::poison::undefined(memory.get(), 24);
    detail::poison::defined(memory.get() + 24, 8);
    EXPECT_TRUE(detail::poison::accessible(memory.get(), 32));
    EXPECT_EQ(detail::poison::accessible(memory.get() + 32, 32), !detail::poison::reports_access());
}

TEST_F(poison_api, contents_survive) {
    memory[5] = std::byte{42};
    detail::poison::no_access(memory.get(), 64);
    detail::poison::defined(memory.get(), 64);
    EXPECT_EQ(memory[5], std::byte{42});
}

TEST_F(poison_api, an_empty_piece_changes_nothing) {
    detail::poison::no_access(memory.get() + 8, 0);
    detail::poison::undefined(memory.get() + 8, 0);
    detail::poison::defined(nullptr, 0);
    EXPECT_TRUE(detail::poison::accessible(memory.get(), 64));
    EXPECT_TRUE(detail::poison::accessible(memory.get(), 0));
}

#if ARENITE_HAS_ASAN
struct poison_api_death : poison_api {};

TEST_F(poison_api_death, a_read_of_free_memory_is_reported) {
    detail::poison::no_access(memory.get() + 8, 8);
    volatile std::byte* p = memory.get();
    EXPECT_DEATH(static_cast<void>(p[9]), "use-after-poison");
    EXPECT_TRUE(p[7] == std::byte{0}) << "the neighbour below may be read";
}
#endif

#if ARENITE_HAS_MSAN
struct poison_api_death : poison_api {};

TEST_F(poison_api_death, a_branch_on_memory_just_handed_out_is_reported) {
    detail::poison::undefined(memory.get(), 8);
    volatile std::byte* p = memory.get();
    EXPECT_DEATH(
        {
            if (p[3] == std::byte{7})
                std::puts("seven");
        },
        "use-of-uninitialized-value");
}
#endif

} // namespace
