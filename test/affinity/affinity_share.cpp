// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/affinity_share.hpp>

#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/check/passthrough.hpp>

#include <gtest/gtest.h>

#include <thread>

using namespace arenite;
using detail::affinity_share;
using detail::share_kind;

namespace {

struct shares {
    static constexpr std::string_view name = "shares";
};

TEST(affinity_share, is_found_by_its_memory_and_by_nothing_else) {
    if (passthrough())
        GTEST_SKIP() << "all goes to malloc";
    affinity_heap& h = affinity_heap::of<shares>();
    void* const p = h.allocate(40, 8);
    affinity_share* const s = affinity_share::around(p);
    ASSERT_NE(s, nullptr);
    EXPECT_EQ(s->kind(), share_kind::ordered);
    EXPECT_STREQ(s->name(), "shares");
    EXPECT_EQ(&affinity_share::of(s->heap()), s);
    EXPECT_EQ(s->is_locked(), detail::slow_only);
    EXPECT_EQ(affinity_share::around(static_cast<std::byte*>(p) + 39), s);
    EXPECT_EQ(affinity_share::around(nullptr), nullptr);
    EXPECT_EQ(affinity_share::around(&h), nullptr);
    h.deallocate(p, 40, 8);
}

TEST(affinity_share_threads, belongs_to_one_or_to_nobody) {
    if (passthrough())
        GTEST_SKIP() << "all goes to malloc";
    affinity_heap& h = affinity_heap::of<shares>();
    void* p = nullptr;
    int other = 0;
    std::thread{[&] {
        p = h.allocate(40, 8);
        affinity_share* const s = affinity_share::around(p);
        EXPECT_FALSE(s->is_abandoned());
        EXPECT_FALSE(s->adopt(&other));
    }}.join();
    affinity_share* const s = affinity_share::around(p);
    EXPECT_TRUE(s->is_abandoned());
    EXPECT_TRUE(s->adopt(&other));
    EXPECT_TRUE(s->is_mine(&other));
    EXPECT_FALSE(s->adopt(&h));
    s->abandon();
    h.deallocate(p, 40, 8);
}

} // namespace
