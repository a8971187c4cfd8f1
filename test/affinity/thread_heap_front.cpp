// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/detail/thread_heap_front.hpp>

#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/affinity/detail/thread_heap.hpp>
#include <arenite/check/passthrough.hpp>

#include <gtest/gtest.h>

using namespace arenite;

namespace {

struct nodes_of_front {
    static constexpr std::string_view name = "thread heap front";
};

TEST(thread_heap_front, an_address_leads_to_the_thread_heap_and_its_slabs) {
    if (passthrough())
        GTEST_SKIP() << "there are no thread heaps with ARENITE_PASSTHROUGH=1";
    affinity_heap& heap = affinity_heap::of<nodes_of_front>();
    void* const p = heap.allocate(48, 8);
    detail::thread_heap_front* const front = detail::thread_heap_front::around(p);
    ASSERT_NE(front, nullptr);
    detail::thread_heap& whole = *detail::thread_heap::around(p);
    EXPECT_EQ(front, &whole);
    EXPECT_EQ(static_cast<const void*>(front), static_cast<const void*>(&whole))
        << "the table has the address of the whole";
    EXPECT_EQ(&front->heap(), &whole.heap());
    EXPECT_EQ(front->user(), &heap);
    EXPECT_EQ(front->affinity(), whole.affinity());
    EXPECT_LT(front->affinity(), detail::most_affinities);
    EXPECT_EQ(front->is_mine_and_an_affinitys(), whole.is_mine(detail::thread_table::thread()));
    EXPECT_TRUE(detail::thread_table::is_thread(detail::thread_table::thread()));
    EXPECT_FALSE(detail::thread_table::is_thread(&heap));
    EXPECT_EQ(detail::thread_heap_front::around(&heap), nullptr) << "a static object";
    heap.deallocate(p, 48, 8);
}

} // namespace
