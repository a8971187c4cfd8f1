// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/ordered/detail/joined_slots.hpp>
#include <arenite/ordered/detail/slab_heap.hpp>
#include <arenite/ordered/detail/slab_survey.hpp>

#include "ordered/heap_test.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

// Shared by the tests of slab_heap.
namespace ordered_test {

using arenite::detail::heap_owner;
using arenite::detail::slab_heap;

/// The request of an object.
struct request {
    std::size_t bytes;
    std::size_t alignment;
};
using model = std::map<void*, request>;

/// The class comment's invariants, by what can be seen from outside.
inline void expect_books(slab_heap& heap, const model& live) {
    std::map<unsigned, std::size_t> in_use_of_class;
    std::size_t bytes = 0;
    detail::slab_source& slabs = heap.slabs();
    detail::block_list& all = slabs.blocks().blocks();
    std::size_t open = 0;
    std::size_t kept_units = 0; // units
    std::set<unsigned> with_pages;
    for (detail::block* b = all.first(); b != nullptr; b = all.above(*b))
        if ((b->state & (detail::block_state::large | detail::block_state::open)) ==
            detail::block_state::open)
            slabs.for_each_slab(*b, [&](detail::slab& s) {
                if (s.is_page())
                    with_pages.insert(s.slot_class());
            });
    for (detail::block* b = all.first(); b != nullptr; b = all.above(*b)) {
        if ((b->state & detail::block_state::large) != 0) {
            bytes += detail::block_source::large_bytes(*b);
            continue;
        }
        if ((b->state & detail::block_state::open) == 0)
            continue;
        ++open;
        std::size_t slabs_here = 0;
        const std::size_t kept_below = kept_units;
        slabs.for_each_slab(*b, [&](detail::slab& s) {
            ASSERT_TRUE(slabs.holds(s));
            if (s.slot_class() == detail::size_class::single &&
                detail::bits::all_set(slabs.words_of(s), 0, s.slots)) {
                ASSERT_TRUE(s.is_of(&heap)) << "a free of it would go the way of rare ones";
                kept_units += s.units;
                return;
            }
            ++slabs_here;
            if (!s.is_of(&heap)) {
                ASSERT_FALSE((detail::joined_slots{s}.none()))
                    << "its frees are slow for no object's sake";
            }
            const detail::bits::word* const words = slabs.words_of(s);
            const std::size_t free = detail::bits::count_set(words, 0, s.slots);
            const std::size_t end = s.words() * detail::bits::word_bits;
            ASSERT_TRUE(s.slots == end || detail::bits::none_set(words, s.slots, end - s.slots));
            const std::size_t in_use = s.slots - free;
            const bool is_current = &s == heap.classes()[s.slot_class()].current();
            if (is_current) { // what is handed out is not counted
                ASSERT_LE(s.used(), static_cast<std::int32_t>(in_use));
            } else {
                ASSERT_EQ(s.used(), static_cast<std::int32_t>(in_use));
                ASSERT_GT(s.used(), s.alarm) << "it was not told of a free";
                ASSERT_GT(in_use, 0u) << "it holds nothing";
                if (s.slot_class() != detail::size_class::single) {
                    ASSERT_EQ((s.state & detail::slab_state::refillable) != 0,
                              s.used() <= s.refill_alarm() &&
                                  (s.is_page() || !with_pages.contains(s.slot_class())))
                        << "a class that has pages goes on in no units";
                }
            }
            in_use_of_class[s.slot_class()] += in_use;
            bytes += in_use * s.slot_bytes;
        });
        ASSERT_TRUE(slabs_here != 0 || kept_units != kept_below) << "a block without slabs is open";
    }
    ASSERT_EQ(kept_units, slabs.kept().units());
    ASSERT_EQ(open, slabs.open_blocks());
    std::map<unsigned, std::size_t> expected;
    std::size_t expected_bytes = 0;
    const std::size_t mask = slabs.geometry().mask_bytes();
    for (const auto& [p, x] : live) {
        const detail::block* const b = slabs.blocks().find(p);
        ASSERT_NE(b, nullptr);
        if ((b->state & detail::block_state::large) != 0) {
            expected_bytes += rounded(x.bytes, x.alignment, mask);
            continue;
        }
        const detail::slab& s = slabs.slab_of(p);
        const std::size_t index = slabs.index_of(s, p);
        ASSERT_EQ(p, slabs.begin_of(s) + index * s.slot_bytes);
        const std::size_t slots = detail::slab_survey::slots_at(slabs, s, index);
        ASSERT_TRUE(detail::bits::none_set(slabs.words_of(s), index, slots));
        ASSERT_GE(slots * s.slot_bytes, x.bytes);
        ASSERT_GE(heap.size_of(p), x.bytes);
        ASSERT_LT(heap.size_of(p), x.bytes + 16 + s.slot_bytes);
        expected[s.slot_class()] += slots;
        expected_bytes += slots == 1 ? rounded(x.bytes, x.alignment, mask) : slots * s.slot_bytes;
    }
    std::erase_if(in_use_of_class, [](const auto& x) { return x.second == 0; });
    ASSERT_EQ(in_use_of_class, expected);
    ASSERT_EQ(bytes, expected_bytes);
    const usage u = heap.usage();
    ASSERT_EQ(u.bytes_in_use, bytes);
    ASSERT_EQ(u.live_allocations, live.size());
    ASSERT_EQ(u.bytes_reserved, slabs.blocks().bytes_reserved());
    ASSERT_EQ(heap.usage_approximate(), u) << "nobody is at work";
    std::set<std::pair<const void*, bool>> listed;
    detail::slab_survey::for_each_object(slabs, [&](const void* p, std::size_t n) {
        listed.insert({p, n != 0});
    });
    ASSERT_EQ(listed.size(), live.size());
    for (const auto& [p, x] : live)
        ASSERT_TRUE(listed.contains({p, true}));
    ASSERT_FALSE(heap.gate().entered());
}

class slab_heap_of : public heap_test {
protected:
    counting_pages pages;

    static heap_owner owner() { return {.heap = nullptr}; }

    void* take_one(slab_heap& heap, std::size_t bytes, std::size_t alignment = 8) {
        void* const p = heap.try_allocate(bytes, alignment);
        EXPECT_NE(p, nullptr);
        return p;
    }
    std::vector<void*> take_all(slab_heap& heap, std::size_t count, std::size_t bytes) {
        std::vector<void*> all(count);
        for (void*& p : all)
            p = take_one(heap, bytes);
        return all;
    }
};

} // namespace ordered_test
