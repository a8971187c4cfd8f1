// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The books of slab_heap, slab by slab, and what ordered_heap does not show of it.
#include <arenite/ordered/slab_heap.hpp>

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

using namespace ordered_test;
using arenite::detail::heap_owner;
using arenite::detail::slab_heap;

namespace {

/// What was allocated with which size and alignment.
struct piece {
    std::size_t bytes;
    std::size_t alignment;
};
using model = std::map<void*, piece>;

/// The class comment's invariants, by what can be seen from outside.
void expect_books(slab_heap& heap, const model& live) {
    std::map<unsigned, std::size_t> in_use_of_class;
    std::size_t bytes = 0;
    std::size_t large = 0;
    slab_source& slabs = heap.slabs();
    block_list& all = slabs.blocks().blocks();
    std::size_t open = 0;
    for (block* b = all.first(); b != nullptr; b = all.above(*b)) {
        if ((b->state & block_state::large) != 0) {
            ++large;
            bytes += block_source::large_bytes(*b);
            continue;
        }
        if ((b->state & block_state::open) == 0)
            continue;
        ++open;
        std::size_t slabs_here = 0;
        slabs.for_each_slab(*b, [&](slab& s) {
            ++slabs_here;
            ASSERT_EQ(s.owner, &heap);
            const bits::word* const words = slabs.words_of(s);
            const std::size_t free = bits::count_set(words, 0, s.slots);
            const std::size_t end = s.words() * bits::word_bits;
            ASSERT_TRUE(s.slots == end || bits::none_set(words, s.slots, end - s.slots));
            const std::size_t in_use = s.slots - free;
            if (s.alarm == slab::silent) { // allocated from: what is handed out is not counted
                ASSERT_LE(s.used, static_cast<std::int32_t>(in_use));
            } else {
                ASSERT_EQ(s.used, static_cast<std::int32_t>(in_use));
                ASSERT_GT(s.used, s.alarm) << "it was not told of a free";
                ASSERT_GT(in_use, 0u) << "it holds nothing";
                if (s.slot_class != size_class::single) {
                    ASSERT_EQ(s.state == slab_state::refillable, s.used <= s.refill_alarm());
                }
            }
            in_use_of_class[s.slot_class] += in_use;
            bytes += in_use * s.slot_bytes;
        });
        ASSERT_NE(slabs_here, 0u) << "a block without slabs is open";
    }
    ASSERT_EQ(open, slabs.open_blocks());
    std::map<unsigned, std::size_t> expected;
    std::size_t expected_bytes = 0;
    const std::size_t mask = slabs.geometry().mask_bytes();
    for (const auto& [p, x] : live) {
        const block* const b = slabs.blocks().find(p);
        ASSERT_NE(b, nullptr);
        expected_bytes += rounded(x.bytes, x.alignment, mask);
        if ((b->state & block_state::large) != 0)
            continue;
        const slab& s = slabs.slab_of(p);
        const std::size_t index = slabs.index_of(s, p);
        ASSERT_EQ(p, slabs.begin_of(s) + index * s.slot_bytes);
        ASSERT_TRUE(bits::none_set(slabs.words_of(s), index, 1));
        ASSERT_GE(s.slot_bytes, x.bytes);
        ++expected[s.slot_class];
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
    heap.for_each_object([&](const void* p, std::size_t n) { listed.insert({p, n != 0}); });
    ASSERT_EQ(listed.size(), live.size());
    for (const auto& [p, x] : live)
        ASSERT_TRUE(listed.contains({p, true}));
    ASSERT_FALSE(heap.in_slow_call());
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
                const piece x{random() % 40 == 0 ? random() % 70'000 : random() % 300,
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
                const piece x{random() % 300, 8};
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
                const piece x{random() % 5'000, 8};
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
    for (void* p : take_all(heap, 300, 48))
        live[p] = {48, 8};
    void* const p = live.rbegin()->first;
    slab& s = heap.slabs().slab_of(p);
    ASSERT_EQ(s.alarm, slab::silent) << "the one that it allocates from";
    for (int i = 0; i < 100'000; ++i) {
        heap.deallocate(p, 48, 8);
        ASSERT_EQ(heap.try_allocate(48, 8), p);
    }
    EXPECT_LT(s.used, -90'000) << "counted when it is left";
    expect_books(heap, live);
    // That is how it is after 2^31 pairs.
    s.used = slab::silent + 10;
    for (int i = 0; i < 100; ++i) {
        heap.deallocate(p, 48, 8);
        ASSERT_EQ(heap.try_allocate(48, 8), p);
    }
    EXPECT_GT(s.used, -1000);
    EXPECT_EQ(s.alarm, slab::silent);
    expect_books(heap, live);
    for (void* q : take_all(heap, 3000, 48)) // it is left, and its books are exact
        live[q] = {48, 8};
    EXPECT_NE(s.alarm, slab::silent);
    EXPECT_EQ(s.used, s.slots);
    expect_books(heap, live);
}

TEST_F(slab_heap_of, words_of_frees_do_not_wear_them_out_either) {
    slab_heap heap{{}, &pages, owner()};
    model live;
    for (void* p : take_all(heap, 1000, 16))
        live[p] = {16, 8};
    slab& s = heap.slabs().slab_of(live.rbegin()->first);
    ASSERT_EQ(s.alarm, slab::silent);
    void* const begin = heap.slabs().begin_of(s);
    const auto first = live.lower_bound(begin);
    ASSERT_EQ(*heap.slabs().words_of(s), 0u) << "64 are in use";
    live.erase(first, std::next(first, 64));
    for (int i = 0; i < 64; ++i)
        heap.count_foreign_free(s);
    s.used = slab::silent + 1;
    heap.release_word(*heap.slabs().geometry().block_of(begin), s.first_word(), ~bits::word{0});
    EXPECT_GE(s.used, 0);
    EXPECT_LE(s.used, s.slots - 64);
    expect_books(heap, live);
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
    std::map<slab*, std::vector<void*>> full;

    slab_heap_refill() {
        for (void* p : take_all(heap, 8000, 48))
            full[&heap.slabs().slab_of(p)].push_back(p);
        std::erase_if(full, [](const auto& x) {
            return x.first->alarm == slab::silent || x.second.size() < 500;
        });
        EXPECT_GE(full.size(), 3u);
    }

    /// What is allocated in a slab until another one is new.
    std::vector<void*> found_in(const slab& s) {
        std::vector<void*> found;
        for (std::size_t i = 0; i < 3000; ++i) {
            void* const p = take_one(heap, 48);
            if (&heap.slabs().slab_of(p) == &s)
                found.push_back(p);
        }
        return found;
    }
};

TEST_F(slab_heap_refill, less_than_an_eighth_free_is_left_alone) {
    auto& [s, all] = *full.begin();
    for (std::size_t i = 0; i < s->slots / 8u - 1; ++i)
        heap.deallocate(all[3 * i], 48, 8);
    EXPECT_EQ(s->state, slab_state::full);
    EXPECT_TRUE(found_in(*s).empty());
}

TEST_F(slab_heap_refill, an_eighth_is_filled_whole_and_in_order_again_and_again) {
    auto& [s, all] = *full.begin();
    for (std::size_t round = 0; round < 3; ++round) {
        std::vector<void*> freed;
        for (std::size_t i = 0; i < s->slots / 8u; ++i)
            freed.push_back(all[3 * i + round]);
        std::shuffle(freed.begin(), freed.end(), std::mt19937{1});
        for (void* p : freed)
            heap.deallocate(p, 48, 8);
        EXPECT_EQ(s->state, slab_state::refillable);
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
        EXPECT_EQ(heap.slabs().slab_of(begin).owner, &heap) << i;
        heap.deallocate(all[i], 48, 8);
    }
    EXPECT_EQ(heap.slabs().slab_of(begin).owner, nullptr);
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
        slab_source& slabs = heap.slabs();
        slabs.for_each_slab(*slabs.blocks().find(neighbour), [&](slab& s) {
            for (std::size_t k = 0; s.slot_bytes == 48 && k < s.slots; ++k)
                if (bits::all_set(slabs.words_of(s), k, 1))
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
        ASSERT_TRUE(live.emplace(p, piece{41, 8}).second);
    }
    expect_books(heap, live);
}

TEST_F(slab_heap_of, near_tells_the_books_of_the_slab_that_it_takes_from) {
    slab_heap heap{{}, &pages, owner()};
    model live;
    std::map<slab*, std::vector<void*>> by_slab;
    for (void* p : take_all(heap, 8000, 48)) {
        live[p] = {48, 8};
        by_slab[&heap.slabs().slab_of(p)].push_back(p);
    }
    auto& [s, objects] = *by_slab.begin();
    ASSERT_NE(s->alarm, slab::silent);
    const std::size_t eighth = static_cast<std::size_t>(s->slots - s->refill_alarm());
    for (std::size_t i = 0; i < eighth; ++i) {
        heap.deallocate(objects[i], 48, 8);
        live.erase(objects[i]);
    }
    EXPECT_EQ(s->state, slab_state::refillable);
    void* const p = heap.try_allocate_near(objects.back(), 48, 8);
    ASSERT_EQ(&heap.slabs().slab_of(p), s);
    live[p] = {48, 8};
    EXPECT_EQ(s->state, slab_state::full) << "less than an eighth is free again";
    expect_books(heap, live);
    heap.deallocate(p, 48, 8);
    live.erase(p);
    EXPECT_EQ(s->state, slab_state::refillable) << "and is told of the next";
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

// ---- frees of many at once ----------------------------------------------------------------------

TEST_F(slab_heap_of, a_word_of_slots_comes_back_at_once) {
    slab_heap heap{{}, &pages, owner()};
    auto all = take_all(heap, 8000, 48);
    std::map<std::pair<slab*, std::size_t>, bits::word> words;
    slab_source& slabs = heap.slabs();
    std::mt19937 random{3};
    std::shuffle(all.begin(), all.end(), random);
    model live;
    for (void* p : all)
        live[p] = {48, 8};
    std::size_t released = 0;
    const auto release_all = [&] {
        for (const auto& [at, freed] : words) {
            const auto& [s, word] = at;
            released += bits::count_ones(freed);
            for (std::size_t i = 0; i < bits::count_ones(freed); ++i)
                heap.count_foreign_free(*s); // as who freed them does
            heap.release_word(*slabs.geometry().block_of(s), word, freed);
        }
        words.clear();
    };
    while (!all.empty()) {
        void* const p = all.back();
        all.pop_back();
        live.erase(p);
        slab& s = slabs.slab_of(p);
        const std::size_t index = slabs.index_of(s, p);
        words[{&s, s.first_word() + index / 64}] |= bits::word{1} << index % 64;
        if (all.size() % 500 == 0) {
            release_all();
            expect_books(heap, live);
            if (HasFatalFailure())
                FAIL() << all.size() << " are left";
        }
    }
    EXPECT_EQ(released, 8000u);
    heap.trim();
    EXPECT_EQ(pages.live(), 0u);
}

TEST_F(slab_heap_of, a_slot_of_its_own_comes_back_as_a_word) {
    slab_heap heap{{}, &pages, owner()};
    void* const p = take_one(heap, 10'000);
    slab& s = heap.slabs().slab_of(p);
    heap.count_foreign_free(s);
    heap.release_word(*heap.slabs().geometry().block_of(p), s.first_word(), 1);
    expect_books(heap, {});
    heap.trim();
    EXPECT_EQ(pages.live(), 0u);
}

TEST_F(slab_heap_of, objects_that_others_free_count_below_nothing) {
    slab_heap here{{}, &pages, owner()};
    slab_heap there{{}, &pages, owner()};
    const auto all = take_all(there, 100, 48);
    for (int i = 0; i < 60; ++i) // freed here, allocated there
        here.count_foreign_free(there.slabs().slab_of(all[0]));
    const usage a = here.usage_approximate();
    const usage b = there.usage_approximate();
    EXPECT_EQ(a.live_allocations + b.live_allocations, 40u) << "the sum is right";
    EXPECT_EQ(a.bytes_in_use + b.bytes_in_use, 40u * 48);
}

using slab_heap_death = slab_heap_of;

TEST_F(slab_heap_death, a_slot_that_two_free_is_found) {
    slab_heap heap{{}, &pages, owner()};
    const auto all = take_all(heap, 1000, 48);
    slab& s = heap.slabs().slab_of(all[500]);
    const std::size_t index = heap.slabs().index_of(s, all[500]);
    const std::size_t word = s.first_word() + index / 64;
    const bits::word bit = bits::word{1} << index % 64;
    slab_block& b = *heap.slabs().geometry().block_of(all[500]);
    EXPECT_DEATH(
        {
            heap.deallocate(all[500], 48, 8);
            heap.release_word(b, word, bit);
        },
        "it is free already");
    EXPECT_DEATH(
        {
            heap.release_word(b, word, bit | bit << 1);
            heap.release_word(b, word, bit | bit << 2);
        },
        "it is free already");
    EXPECT_DEATH(
        {
            heap.release_word(b, word, bit);
            heap.deallocate(all[500], 48, 8);
        },
        "it is free already");
}

TEST_F(slab_heap_death, an_affinity_is_named) {
    int heap_object = 0;
    slab_heap heap{{}, &pages, {.heap = &heap_object, .affinity = "meshes"}};
    void* const p = take_one(heap, 48);
    take_one(heap, 48);
    EXPECT_DEATH(
        {
            heap.deallocate(p, 48, 8);
            heap.deallocate(p, 48, 8);
        },
        "into affinity meshes: freed twice");
}

TEST_F(slab_heap_of, what_is_not_its_own_is_handed_on) {
    static void* seen = nullptr;
    static std::size_t seen_bytes = 0;
    seen = nullptr;
    slab_heap heap{
        {},
        &pages,
        {.heap = nullptr,
         .on_foreign_free = [](slab_heap&, void* p, std::size_t bytes, std::size_t) noexcept {
             seen_bytes = bytes;
             return (seen = p) != nullptr;
         }}};
    slab_heap other{{}, &pages, owner()};
    void* const foreign = take_one(other, 48);
    heap.deallocate(foreign, 48, 8);
    EXPECT_EQ(seen, foreign);
    EXPECT_EQ(seen_bytes, 48u);
    take_one(heap, 48);
    void* const large = take_one(other, 1_MiB);
    heap.deallocate(large, 1_MiB, 8);
    EXPECT_EQ(seen, large);
    heap.deallocate(foreign);
    EXPECT_EQ(seen, foreign);
}

TEST_F(slab_heap_of, a_first_slab_is_memory_and_nothing_in_use) {
    slab_heap heap{{}, &pages, owner()};
    heap.make_first_slab();
    EXPECT_EQ(pages.live_bytes(), 64_KiB);
    expect_books(heap, {});
    take_one(heap, 48);
    EXPECT_EQ(pages.calls(), 1u);
}

} // namespace
