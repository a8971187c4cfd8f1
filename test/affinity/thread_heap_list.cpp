// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/detail/thread_heap_list.hpp>

#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/affinity/detail/locked_heap.hpp>
#include <arenite/affinity/detail/thread_heap.hpp>
#include <arenite/check/passthrough.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

using namespace arenite;
using detail::locked_heap;
using detail::thread_heap;
using detail::thread_heap_kind;
using detail::thread_heap_list;

namespace {

/// Stand for threads.
int one = 0;
int other = 0;

thread_heap& made(thread_heap_list& home, const void* thread,
                  thread_heap_kind kind = thread_heap_kind::ordered) {
    thread_heap* const s = thread_heap::make(home, {nullptr, "heaps apart"}, 63, {}, kind);
    EXPECT_TRUE(s->adopt(thread));
    home.add(*s);
    return *s;
}

void* take(thread_heap& s, std::size_t bytes) {
    return s.is_locked() ? locked_heap{s}.try_allocate(bytes, 8) : s.heap().try_allocate(bytes, 8);
}
void give(thread_heap& s, void* p, std::size_t bytes) {
    if (s.is_locked())
        locked_heap{s}.deallocate(p, bytes, 8);
    else
        s.deallocate(p, bytes, 8);
}

TEST(thread_heap_list, what_a_thread_left_the_next_one_of_its_kind_has) {
    thread_heap_list heaps;
    EXPECT_EQ(heaps.adopt(thread_heap_kind::ordered, &one), nullptr);
    thread_heap& s = made(heaps, &one);
    EXPECT_FALSE(heaps.has_orphans());
    EXPECT_EQ(heaps.adopt(thread_heap_kind::ordered, &other), nullptr);
    heaps.abandon(s);
    EXPECT_TRUE(heaps.has_orphans());
    EXPECT_EQ(heaps.adopt(thread_heap_kind::slots, &other), nullptr);
    EXPECT_EQ(heaps.adopt(thread_heap_kind::ordered, &other), &s);
    EXPECT_TRUE(s.is_mine(&other));
    EXPECT_FALSE(heaps.has_orphans());
    heaps.abandon(s);
}

TEST(thread_heap_list, two_empty_ones_wait_and_further_ones_serve_other_affinities_and_kinds) {
    thread_heap_list heaps;
    std::vector<thread_heap*> all;
    for (int i = 0; i < 5; ++i)
        all.push_back(&made(heaps, &one));
    for (thread_heap* s : all)
        heaps.abandon(*s);
    EXPECT_EQ(heaps.count(), 2u);
    thread_heap_list others;
    for (const thread_heap_kind kind :
         {thread_heap_kind::slots, thread_heap_kind::intrusive, thread_heap_kind::ordered}) {
        thread_heap& s = made(others, &other, kind);
        EXPECT_NE(std::find(all.begin(), all.end(), &s), all.end());
        EXPECT_EQ(s.kind(), kind);
        EXPECT_EQ(&s.home(), &others);
    }
}

TEST(thread_heap_list, one_that_holds_something_waits) {
    thread_heap_list heaps;
    std::vector<thread_heap*> all;
    std::vector<void*> objects;
    for (int i = 0; i < 5; ++i) {
        all.push_back(&made(heaps, &one));
        objects.push_back(take(*all.back(), 40));
    }
    for (thread_heap* s : all)
        heaps.abandon(*s);
    EXPECT_EQ(heaps.count(), 5u);
    for (std::size_t i = 0; i < 5; ++i) { // borrowed
        ASSERT_TRUE(all[i]->adopt(&other));
        give(*all[i], objects[i], 40);
        heaps.end_borrowing(*all[i], true);
    }
    EXPECT_EQ(heaps.count(), 2u);
    heaps.retire_empty();
    EXPECT_LE(heaps.count(), 2u);
}

TEST(thread_heap_list, the_high_water_of_those_retired_is_that_of_their_kind_of_heap) {
    for (const thread_heap_kind kind :
         {thread_heap_kind::slots, thread_heap_kind::intrusive, thread_heap_kind::ordered}) {
        thread_heap_list heaps;
        std::vector<thread_heap*> all;
        std::size_t most = 0;
        for (int i = 0; i < 5; ++i) {
            thread_heap& s = *all.emplace_back(&made(heaps, &one, kind));
            void* const p = take(s, 1000);
            most += s.is_locked() ? locked_heap{s}.usage().high_water_bytes
                                  : s.usage().high_water_bytes;
            give(s, p, 1000);
        }
        EXPECT_GE(most, 5000u);
        for (thread_heap* s : all)
            heaps.abandon(*s);
        EXPECT_EQ(heaps.count(), 2u);
        EXPECT_EQ(heaps.note_high_water(0), most) << "kind " << static_cast<int>(kind);
    }
}

TEST(thread_heap_list, a_walk_in_which_the_process_forked_does_not_count_in_the_child) {
    thread_heap_list heaps;
    std::vector<thread_heap*> all;
    for (int i = 0; i < 5; ++i)
        all.push_back(&made(heaps, &one));
    bool forked = false;
    heaps.for_each([&](thread_heap&) {
        if (!forked)
            heaps.after_fork_in_child(&one);
        forked = true;
    });
    heaps.for_each([&](thread_heap& s) {
        if (&s == all[0]) {
            heaps.abandon(*all[1]);
            heaps.abandon(*all[2]);
            heaps.abandon(*all[3]);
        }
    });
    EXPECT_EQ(heaps.count(), 5u) << "retired under a walk";
    heaps.abandon(*all[0]);
    heaps.abandon(*all[4]);
    EXPECT_EQ(heaps.count(), 3u) << "two and the first that waited";
}

TEST(thread_heap_list, none_is_retired_while_they_are_walked) {
    thread_heap_list heaps;
    std::vector<thread_heap*> all;
    for (int i = 0; i < 5; ++i)
        all.push_back(&made(heaps, &one));
    std::size_t seen = 0;
    heaps.for_each([&](thread_heap& s) {
        ++seen;
        heaps.abandon(s);
    });
    EXPECT_EQ(seen, 5u);
    EXPECT_EQ(heaps.count(), 5u);
    heaps.retire_empty();
    EXPECT_EQ(heaps.count(), 0u);
    EXPECT_FALSE(heaps.has_orphans());
}

} // namespace
