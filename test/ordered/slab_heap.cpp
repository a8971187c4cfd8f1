// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The books of slab_heap, slab by slab, and what ordered_heap does not show of it.
#include "ordered/slab_heap_test.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

using namespace ordered_test;

namespace {

// ---- books --------------------------------------------------------------------------------------

TEST_F(slab_heap_of, its_books_are_right_after_any_work) {
    for (const std::size_t block_bytes : {0_B, 4_KiB, 16_KiB, 64_KiB}) {
        slab_heap heap{{.block_bytes = block_bytes}, &pages, owner()};
        std::mt19937 random{21};
        model live;
        expect_books(heap, live);
        const auto some = [&] {
            return std::next(live.begin(), static_cast<std::ptrdiff_t>(random() % live.size()));
        };
        for (int i = 0; i < 12'000; ++i) {
            const auto what = static_cast<unsigned>(random() % 100);
            const bool grows = i / 2000 % 2 == 0;
            if (what < (grows ? 55u : 35u) || live.empty()) {
                const request x{random() % 40 == 0 ? random() % 70'000 : random() % 300,
                                random() % 6 == 0 ? std::size_t{1} << random() % 12 : 8};
                void* const p = take_one(heap, x.bytes, x.alignment);
                ASSERT_TRUE(is_aligned(p, x.alignment));
                ASSERT_TRUE(live.emplace(p, x).second);
            } else if (what < 92) {
                const auto at = some();
                if (what % 2 == 0)
                    heap.deallocate(at->first);
                else
                    heap.deallocate(at->first, at->second.bytes, at->second.alignment);
                live.erase(at);
            } else if (what < 95) {
                const request x{random() % 300, 8};
                if (void* const p = heap.try_allocate_near(some()->first, x.bytes, 8)) {
                    ASSERT_TRUE(live.emplace(p, x).second);
                }
            } else if (what < 98) {
                const auto at = some();
                const std::size_t bytes = at->second.bytes + random() % 16;
                if (heap.try_resize(at->first, at->second.bytes, bytes, at->second.alignment))
                    at->second.bytes = bytes;
            } else if (what == 98) {
                const std::size_t calls = pages.calls();
                const request x{random() % 5'000, 8};
                if (void* const p = heap.try_allocate_within(x.bytes, 8)) {
                    ASSERT_TRUE(live.emplace(p, x).second);
                }
                ASSERT_EQ(pages.calls(), calls);
            } else {
                heap.trim();
            }
            if (i % 64 == 0)
                expect_books(heap, live);
            if (HasFatalFailure())
                FAIL() << "step " << i << ", blocks of " << block_bytes;
        }
        expect_books(heap, live);
        for (const auto& [p, x] : live)
            heap.deallocate(p, x.bytes, x.alignment);
        live.clear();
        expect_books(heap, live);
        heap.trim();
        EXPECT_EQ(pages.live(), 0u);
    }
}

TEST_F(slab_heap_of, pairs_without_end_do_not_wear_the_books_out) {
    slab_heap heap{{}, &pages, owner()};
    model live;
    for (void* p : take_all(heap, 5000, 48))
        live[p] = {48, 8};
    void* p = live.rbegin()->first;
    detail::slab& s = heap.slabs().slab_of(p);
    ASSERT_TRUE(s.is_page());
    ASSERT_LT(s.alarm, 0) << "the one that it allocates from";
    const std::int32_t used = s.used();
    const auto pairs = [&](int n) {
        live.erase(p);
        for (int i = 0; i < n; ++i) {
            heap.deallocate(p, 48, 8);
            p = heap.try_allocate(48, 8);
            ASSERT_EQ(&heap.slabs().slab_of(p), &s);
        }
        live[p] = {48, 8};
    };
    pairs(1000);
    EXPECT_EQ(s.used(), used - 1000) << "counted when it is left";
    pairs(3096); // and after so many frees
    EXPECT_GT(s.used(), 0);
    EXPECT_LT(s.alarm, 0);
    expect_books(heap, live);
    pairs(100'000);
    EXPECT_GT(s.used(), -4096);
    EXPECT_LT(s.alarm, 0);
    expect_books(heap, live);
    for (void* q : take_all(heap, 3000, 48)) // it is left, and its books are exact
        live[q] = {48, 8};
    EXPECT_GE(s.alarm, 0);
    EXPECT_EQ(s.used(), s.slots);
    expect_books(heap, live);
}

TEST_F(slab_heap_of, words_of_frees_do_not_wear_them_out_either) {
    slab_heap heap{{}, &pages, owner()};
    model live;
    for (void* p : take_all(heap, 10'000, 16))
        live[p] = {16, 8};
    detail::slab& s = heap.slabs().slab_of(live.rbegin()->first);
    ASSERT_TRUE(s.is_page());
    ASSERT_LT(s.alarm, 0);
    void* const begin = heap.slabs().begin_of(s);
    const auto first = live.lower_bound(begin);
    ASSERT_EQ(*heap.slabs().words_of(s), 0u) << "64 are in use";
    live.erase(first, std::next(first, 64));
    for (int i = 0; i < 64; ++i)
        heap.classes().count_foreign_free(s.slot_bytes);
    s.frees_left = 1;
    heap.release_word(heap.slabs().block_of(begin), s.first_word(), ~detail::bits::word{0});
    EXPECT_GE(s.used(), 0);
    EXPECT_LE(s.used(), s.slots - 64);
    expect_books(heap, live);
}

/// The thread may fall idle: after few more calls it is looked whether memory can go back.
TEST_F(slab_heap_of, a_slab_is_looked_at_sooner_where_half_of_the_heap_is_free) {
    slab_heap heap{{}, &pages, owner()};
    auto all = take_all(heap, 20'000, 208);
    detail::slab_class& its = heap.classes().of(heap.slabs().slab_of(all.back()));
    const auto pairs = [&](int n) {
        for (int i = 0; i < n; ++i)
            heap.deallocate(heap.try_allocate(208, 8), 208, 8);
    };
    pairs(100);
    EXPECT_GT(its.current()->frees_left, 1000);
    for (std::size_t i = 0; i < 12'000; ++i)
        heap.deallocate(all[i], 208, 8);
    EXPECT_LE(its.current()->frees_left, 64);
    pairs(100);
    EXPECT_LE(its.current()->frees_left, 64);
    for (std::size_t i = 0; i < 12'000; ++i)
        all[i] = heap.try_allocate(208, 8);
    pairs(64 * 16);
    EXPECT_GT(its.current()->frees_left, 1000);
    for (void* p : all)
        heap.deallocate(p, 208, 8);
}

TEST_F(slab_heap_of, a_slab_is_looked_at_sooner_after_frees_of_objects_in_units_of_their_own) {
    slab_heap heap{{}, &pages, owner()};
    void* const small = take_one(heap, 208);
    const detail::slab& current = heap.slabs().slab_of(small);
    auto all = take_all(heap, 200, 20'000);
    for (std::size_t i = 0; i < 190; ++i)
        heap.deallocate(all[i], 20'000, 8);
    EXPECT_LE(current.frees_left, 64);
    for (std::size_t i = 190; i < 200; ++i)
        heap.deallocate(all[i], 20'000, 8);
    heap.deallocate(small, 208, 8);
}

TEST_F(slab_heap_of, a_slab_of_a_small_heap_is_not_looked_at_sooner) {
    slab_heap heap{{}, &pages, owner()};
    auto all = take_all(heap, 3'000, 208);
    detail::slab_class& its = heap.classes().of(heap.slabs().slab_of(all.back()));
    ASSERT_LT(heap.usage().bytes_reserved, 1_MiB);
    for (std::size_t i = 0; i < 2'000; ++i)
        heap.deallocate(all[i], 208, 8);
    EXPECT_GT(its.current()->frees_left, 1000);
    for (std::size_t i = 2'000; i < 3'000; ++i)
        heap.deallocate(all[i], 208, 8);
}

TEST_F(slab_heap_of, the_high_water_is_seen_at_slow_calls) {
    slab_heap heap{{}, &pages, owner()};
    auto all = take_all(heap, 10'000, 48);
    for (void* p : all)
        heap.deallocate(p, 48, 8);
    EXPECT_GE(heap.usage_approximate().high_water_bytes, std::size_t{10'000 * 48} - 64_KiB);
    EXPECT_LE(heap.usage_approximate().high_water_bytes, std::size_t{10'000 * 48});
}

// ---- which slab ---------------------------------------------------------------------------------

/// A heap with slabs full of 48 bytes, and one that is allocated from.
class slab_heap_refill : public slab_heap_of {
protected:
    slab_heap heap{{}, &pages, owner()};
    std::map<detail::slab*, std::vector<void*>> full;

    slab_heap_refill() {
        for (void* p : take_all(heap, 8000, 48))
            full[&heap.slabs().slab_of(p)].push_back(p);
        std::erase_if(full,
                      [](const auto& x) { return x.first->alarm < 0 || !x.first->is_page(); });
        EXPECT_GE(full.size(), 3u);
    }

    /// Objects that are allocated in a slab until another one is new.
    std::vector<void*> found_in(const detail::slab& s) {
        std::vector<void*> found;
        for (std::size_t i = 0; i < 3000; ++i) {
            void* const p = take_one(heap, 48);
            if (&heap.slabs().slab_of(p) == &s)
                found.push_back(p);
        }
        return found;
    }
};

/// Free slots that a slab waits for.
std::size_t enough_of(const detail::slab& s) {
    return static_cast<std::size_t>(s.slots - s.refill_alarm());
}

TEST_F(slab_heap_refill, less_than_enough_free_is_left_alone) {
    auto& [s, all] = *full.begin();
    for (std::size_t i = 0; i < enough_of(*s) - 1; ++i)
        heap.deallocate(all[3 * i], 48, 8);
    EXPECT_EQ(s->state, detail::slab_state::full);
    EXPECT_TRUE(found_in(*s).empty());
}

TEST_F(slab_heap_refill, enough_is_filled_whole_and_in_order_again_and_again) {
    auto& [s, all] = *full.begin();
    for (std::size_t round = 0; round < 3; ++round) {
        std::vector<void*> freed;
        for (std::size_t i = 0; i < enough_of(*s); ++i)
            freed.push_back(all[2 * i + round % 2]);
        std::shuffle(freed.begin(), freed.end(), std::mt19937{1});
        for (void* p : freed)
            heap.deallocate(p, 48, 8);
        EXPECT_EQ(s->state, detail::slab_state::refillable);
        std::sort(freed.begin(), freed.end());
        EXPECT_EQ(found_in(*s), freed) << "round " << round;
    }
}

TEST_F(slab_heap_refill, the_lowest_comes_first) {
    std::vector<void*> freed;
    for (auto at = full.rbegin(); at != full.rend(); ++at)
        for (std::size_t i = 0; i < at->first->slots / 4u; ++i)
            freed.push_back(at->second[i]);
    for (void* p : freed)
        heap.deallocate(p, 48, 8);
    std::set<void*> all_freed{freed.begin(), freed.end()};
    std::vector<void*> again;
    while (again.size() < freed.size()) {
        void* const p = take_one(heap, 48);
        if (all_freed.contains(p))
            again.push_back(p);
    }
    std::vector<const void*> slabs_in_turn;
    for (void* p : again) {
        const void* const s = &heap.slabs().slab_of(p);
        if (slabs_in_turn.empty() || slabs_in_turn.back() != s)
            slabs_in_turn.push_back(s);
    }
    EXPECT_EQ(slabs_in_turn.size(), full.size()) << "each once";
    EXPECT_TRUE(std::is_sorted(slabs_in_turn.begin(), slabs_in_turn.end()));
}

TEST_F(slab_heap_refill, an_empty_one_goes_at_the_last_free) {
    auto& [s, all] = *full.begin();
    const std::byte* const begin = heap.slabs().begin_of(*s);
    for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_TRUE(heap.slabs().slab_of(begin).is_of(&heap)) << i;
        heap.deallocate(all[i], 48, 8);
    }
    EXPECT_TRUE(heap.slabs().slab_of(begin).is_none());
}

TEST_F(slab_heap_refill, where_the_upstream_refuses_single_slots_are_found) {
    auto& [s, all] = *full.begin();
    heap.deallocate(all[17], 48, 8);
    heap.deallocate(all[300], 48, 8);
    while (heap.try_allocate_within(48, 8) != nullptr) {
    }
    EXPECT_TRUE(heap.slabs().blocks().may_grow());
    pages.lend_at_most(pages.live_bytes());
    std::set<void*> seen;
    while (void* const p = heap.try_allocate(48, 8))
        seen.insert(p);
    EXPECT_TRUE(seen.contains(all[17]));
    EXPECT_TRUE(seen.contains(all[300]));
}

TEST_F(slab_heap_of, a_class_that_was_emptied_begins_small_again) {
    slab_heap heap{{}, &pages, owner()};
    const auto units_of = [&](void* p) { return heap.slabs().slab_of(p).units; };
    void* const first = take_one(heap, 48);
    const auto small = units_of(first);
    const auto all = take_all(heap, 20'000, 48);
    EXPECT_GT(units_of(all.back()), 8 * small) << "they grow with use";
    for (void* p : all)
        heap.deallocate(p, 48, 8);
    heap.deallocate(first, 48, 8);
    heap.trim();
    void* const again = take_one(heap, 48);
    EXPECT_EQ(units_of(again), small);
    heap.deallocate(again, 48, 8);
}

TEST_F(slab_heap_of, slabs_of_slots_too_large_for_a_page_grow_with_the_class) {
    slab_heap heap{{}, &pages, owner()};
    for (const std::size_t bytes : {2_KiB, 4_KiB, 7_KiB}) {
        const auto units_of = [&](const void* p) {
            return std::size_t{heap.slabs().slab_of(p).units};
        };
        const auto all = take_all(heap, 2000, bytes);
        EXPECT_LE(units_of(all.front()), 4 * bytes / detail::unit_bytes + 1)
            << "four slots at first";
        std::size_t most = 0;
        for (const void* p : all)
            most = std::max(most, units_of(p));
        EXPECT_GT(most, 128u);
        EXPECT_LE(most, 192u);
        for (void* p : all)
            heap.deallocate(p, bytes, 8);
    }
}

TEST_F(slab_heap_of, what_a_class_would_go_on_with_goes_when_most_is_free_and_others_live) {
    slab_heap heap{{.policy = return_policy::retain_all}, &pages, owner()};
    void* const lives = take_one(heap, 100);
    const auto most = take_all(heap, 200'000, 48);
    const auto of_another_class = take_all(heap, 20'000, 64);
    for (void* p : of_another_class)
        heap.deallocate(p, 64, 8);
    EXPECT_GT(heap.slabs().open_blocks(), 30u);
    for (void* p : most)
        heap.deallocate(p, 48, 8);
    EXPECT_EQ(heap.slabs().open_blocks(), 1u);
    heap.deallocate(lives, 100, 8);
}

TEST_F(slab_heap_of, what_classes_would_go_on_with_goes_with_the_last_large_object) {
    slab_heap heap{{.policy = return_policy::return_all}, &pages, owner()};
    void* const large = take_one(heap, 64_MiB);
    std::vector<std::pair<void*, std::size_t>> all;
    for (std::size_t bytes = 48; bytes <= 104; bytes += 8)
        for (void* p : take_all(heap, 2_MiB / bytes, bytes))
            all.emplace_back(p, bytes);
    for (const auto& [p, bytes] : all)
        heap.deallocate(p, bytes, 8);
    EXPECT_GT(heap.slabs().open_blocks(), 4u) << "of each class the slab that it goes on with";
    heap.deallocate(large, 64_MiB, 8);
    EXPECT_EQ(heap.slabs().open_blocks(), 0u);
}

TEST_F(slab_heap_of, slots_of_whole_pages_lie_at_such) {
    if (every_call_is_careful)
        GTEST_SKIP() << "slots have notes behind them";
    slab_heap heap{{}, &pages, owner()};
    for (const std::size_t bytes : {4_KiB, 8_KiB}) {
        take_one(heap, 1000); // what is free then begins anywhere
        for (void* const p : take_all(heap, 100, bytes))
            EXPECT_TRUE(is_aligned(p, 4_KiB)) << p;
    }
}

TEST_F(slab_heap_of, slabs_without_objects_make_room_for_what_has_units_of_its_own) {
    pages.lend_at_most(64_KiB);
    slab_heap heap{{.block_bytes = 64_KiB}, &pages, owner()};
    constexpr std::size_t bytes = 15'000; // four take all but a unit
    std::vector<void*> singles;
    for (std::size_t most = 0; const bool refilled : {false, true}) {
        while (void* const p = heap.try_allocate(bytes, 8))
            singles.push_back(p);
        if (!refilled)
            most = singles.size();
        EXPECT_EQ(singles.size(), most);
        for (void* p : singles)
            heap.deallocate(p, bytes, 8);
        singles.clear();
        std::vector<void*> small;
        while (void* const p = heap.try_allocate(48, 8))
            small.push_back(p);
        for (void* p : small)
            heap.deallocate(p, 48, 8);
        heap.deallocate(take_one(heap, 3800), 3800, 8); // in a slab that the class goes on with
    }
}

// ---- near ---------------------------------------------------------------------------------------

TEST_F(slab_heap_of, near_is_the_free_slot_of_least_distance) {
    slab_heap heap{{}, &pages, owner()};
    model live;
    auto all = take_all(heap, 5000, 48);
    for (void* p : all)
        live[p] = {48, 8};
    std::mt19937 random{6};
    for (int i = 0; i < 400; ++i) {
        const auto at =
            std::next(live.begin(), static_cast<std::ptrdiff_t>(random() % live.size()));
        heap.deallocate(at->first, 48, 8);
        live.erase(at);
    }
    for (int i = 0; i < 300; ++i) {
        auto* const neighbour = static_cast<std::byte*>(
            std::next(live.begin(), static_cast<std::ptrdiff_t>(random() % live.size()))->first);
        // Every free slot of 48 bytes in its block, by looking at each.
        std::ptrdiff_t least = std::numeric_limits<std::ptrdiff_t>::max();
        detail::slab_source& slabs = heap.slabs();
        slabs.for_each_slab(*slabs.blocks().find(neighbour), [&](detail::slab& s) {
            for (std::size_t k = 0; s.slot_bytes == 48 && k < s.slots; ++k)
                if (detail::bits::all_set(slabs.words_of(s), k, 1))
                    least =
                        std::min(least, std::abs(slabs.begin_of(s) + k * s.slot_bytes - neighbour));
        });
        void* const p = heap.try_allocate_near(neighbour, 41, 8);
        if (least == std::numeric_limits<std::ptrdiff_t>::max()) {
            ASSERT_EQ(p, nullptr);
            continue;
        }
        ASSERT_NE(p, nullptr);
        ASSERT_EQ(std::abs(static_cast<std::byte*>(p) - neighbour), least);
        ASSERT_TRUE(live.emplace(p, request{41, 8}).second);
    }
    expect_books(heap, live);
}

TEST_F(slab_heap_of, near_tells_the_books_of_the_slab_that_it_takes_from) {
    slab_heap heap{{}, &pages, owner()};
    model live;
    std::map<detail::slab*, std::vector<void*>> by_slab;
    for (void* p : take_all(heap, 8000, 48)) {
        live[p] = {48, 8};
        by_slab[&heap.slabs().slab_of(p)].push_back(p);
    }
    auto& [s, objects] = *std::find_if(by_slab.begin(), by_slab.end(), [](const auto& x) {
        return x.first->is_page() && x.first->alarm >= 0;
    });
    for (std::size_t i = 0; i < enough_of(*s); ++i) {
        heap.deallocate(objects[i], 48, 8);
        live.erase(objects[i]);
    }
    EXPECT_EQ(s->state, detail::slab_state::refillable);
    void* const p = heap.try_allocate_near(objects.back(), 48, 8);
    ASSERT_EQ(&heap.slabs().slab_of(p), s);
    live[p] = {48, 8};
    EXPECT_EQ(s->state, detail::slab_state::full) << "less than enough is free again";
    expect_books(heap, live);
    heap.deallocate(p, 48, 8);
    live.erase(p);
    EXPECT_EQ(s->state, detail::slab_state::refillable) << "and is told of the next";
    expect_books(heap, live);
}

TEST_F(slab_heap_of, near_has_nothing_for_what_has_no_slots_or_is_foreign) {
    slab_heap heap{{}, &pages, owner()};
    slab_heap other{{}, &pages, owner()};
    int on_the_stack = 0;
    EXPECT_EQ(heap.try_allocate_near(&on_the_stack, 8, 8), nullptr);
    void* const p = take_one(heap, 48);
    void* const large = take_one(heap, 1_MiB);
    EXPECT_EQ(heap.try_allocate_near(&on_the_stack, 48, 8), nullptr);
    EXPECT_EQ(heap.try_allocate_near(nullptr, 48, 8), nullptr);
    EXPECT_EQ(heap.try_allocate_near(take_one(other, 48), 48, 8), nullptr);
    EXPECT_EQ(heap.try_allocate_near(large, 48, 8), nullptr);
    EXPECT_EQ(heap.try_allocate_near(p, 56, 8), nullptr) << "no slab of this size is there";
    for (const std::size_t bytes : {10'000_B, 1_MiB, size_max})
        EXPECT_EQ(heap.try_allocate_near(p, bytes, 8), nullptr);
    for (const std::size_t alignment : {0_B, 3_B, 2_KiB, size_max})
        EXPECT_EQ(heap.try_allocate_near(p, 48, alignment), nullptr);
    EXPECT_NE(heap.try_allocate_near(p, 48, 8), nullptr);
}

} // namespace
