// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/detail/share_front.hpp>

#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/affinity/detail/affinity_share.hpp>
#include <arenite/check/passthrough.hpp>

#include <gtest/gtest.h>

using namespace arenite;

namespace {

struct nodes_of_share_front {
    static constexpr std::string_view name = "share front";
};

TEST(share_front, an_address_leads_to_the_share_and_its_heap) {
    if (passthrough())
        GTEST_SKIP() << "there are no shares with ARENITE_PASSTHROUGH=1";
    affinity_heap& heap = affinity_heap::of<nodes_of_share_front>();
    void* const p = heap.allocate(48, 8);
    detail::share_front* const front = detail::share_front::around(p);
    ASSERT_NE(front, nullptr);
    detail::affinity_share& share = *detail::affinity_share::around(p);
    EXPECT_EQ(front, &share);
    EXPECT_EQ(static_cast<const void*>(front), static_cast<const void*>(&share))
        << "the table has the share's address";
    EXPECT_EQ(&front->heap(), &share.heap());
    EXPECT_EQ(front->user(), &heap);
    EXPECT_EQ(front->affinity(), share.affinity());
    EXPECT_LT(front->affinity(), detail::most_affinities);
    EXPECT_EQ(front->is_mine_and_an_affinitys(detail::thread_heaps::thread()),
              share.is_mine(detail::thread_heaps::thread()));
    EXPECT_FALSE(front->is_mine_and_an_affinitys(&heap));
    EXPECT_EQ(detail::share_front::around(&heap), nullptr) << "a static object";
    heap.deallocate(p, 48, 8);
}

} // namespace
