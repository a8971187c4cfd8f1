// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Where allocations lie: the address order that ordered_heap is named after, of each size
// by itself.
#include "ordered/heap_test.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

using namespace ordered_test;

namespace {

class ordered_heap_order : public heap_test, public testing::WithParamInterface<sizes> {
protected:
    counting_pages pages;
    ordered_heap heap{ordered_options{.sizes = GetParam()}, &pages};

    static std::uintptr_t block_of(const void* p) { return block_at(p, page_block); }

    /// How often an address lies below the one before it.
    static std::size_t descents(const std::vector<void*>& all) {
        std::size_t n = 0;
        for (std::size_t i = 1; i < all.size(); ++i)
            n += all[i] < all[i - 1] ? 1 : 0;
        return n;
    }

    /// How many objects lie below the one of their own size before them.
    static std::size_t
    descents_in_each_size(const std::vector<std::pair<void*, std::size_t>>& all) {
        std::map<std::size_t, std::vector<void*>> by_size;
        for (const auto& [p, bytes] : all)
            by_size[bytes].push_back(p);
        std::size_t n = 0;
        for (const auto& [bytes, same] : by_size)
            n += descents(same);
        return n;
    }

    /// Takes a random half out of `all` and gives it back, in an order of its own.
    std::set<void*> give_random_half(std::vector<void*>& all, std::size_t bytes) {
        std::shuffle(all.begin(), all.end(), std::mt19937{42});
        const auto half = static_cast<std::ptrdiff_t>(all.size() / 2);
        std::set<void*> freed{all.begin() + half, all.end()};
        for (auto p = all.begin() + half; p != all.end(); ++p)
            heap.deallocate(*p, bytes, 8);
        all.erase(all.begin() + half, all.end());
        return freed;
    }
};

INSTANTIATE_TEST_SUITE_P(heaps, ordered_heap_order, testing::Values(sizes::given, sizes::kept),
                         [](const auto& which) {
                             return which.param == sizes::given ? "known" : "kept";
                         });

// ---- fresh memory -------------------------------------------------------------------------------

TEST_P(ordered_heap_order, fresh_objects_ascend_side_by_side) {
    const auto all = take(heap, 300'000, 24);
    std::set<std::uintptr_t> blocks{block_of(all.front())};
    std::size_t gaps = 0;
    for (std::size_t i = 1; i < all.size(); ++i) {
        ASSERT_GT(all[i], all[i - 1]) << "object " << i;
        blocks.insert(block_of(all[i]));
        // The rest of a slab is less than an object; in a checked build its notes lie there.
        const std::size_t most = 2 * 24 + 64_KiB / 24 * detail::slab::note_bytes;
        gaps += address_of(all[i]) - address_of(all[i - 1]) > most ? 1 : 0;
    }
    EXPECT_LE(gaps, (page_block / 64_KiB + 1) * blocks.size()) << "at the begin of a page";
}

TEST_P(ordered_heap_order, a_block_is_filled_to_its_end) {
    const auto all = take(heap, 300'000, 24);
    std::map<std::uintptr_t, std::size_t> objects;
    for (void* p : all)
        ++objects[block_of(p)];
    // Slabs in the middle have the full length.
    ASSERT_GE(objects.size(), 10u);
    for (auto b = std::next(objects.begin(), 3); b != std::prev(objects.end()); ++b)
        // Less its head, 5 units of bookkeeping, up to 3 units beside it, and the ends of slabs.
        EXPECT_GE(b->second * (24 + detail::slab::note_bytes),
                  page_block - 10 * detail::unit_bytes);
}

TEST_P(ordered_heap_order, fresh_objects_of_mixed_sizes_ascend_in_each_size) {
    std::mt19937 random{1};
    std::vector<std::pair<void*, std::size_t>> all;
    std::size_t sum = 0;
    for (int i = 0; i < 100'000; ++i) {
        const std::size_t bytes = 16 + 8 * (random() % 20);
        all.emplace_back(heap.allocate(bytes, 8), rounded(bytes, 8));
        sum += all.back().second + detail::slab::note_bytes;
    }
    // The rest that a slab leaves of a block goes to another size, which then goes back to it.
    EXPECT_LE(descents_in_each_size(all), 20u);
    // The last slab of a size is half empty, the last span to seven eighths.
    EXPECT_LE(heap.usage().bytes_reserved, sum + sum / 32 + 20 * 64_KiB + 2_MiB);
}

TEST_P(ordered_heap_order, a_program_in_phases_finds_its_sizes_near_each_other) {
    // A loader: gathered in scratch memory, then stored.
    std::mt19937 random{2};
    std::vector<std::pair<void*, std::size_t>> stored;
    std::size_t sum = 0;
    const auto store = [&](std::size_t bytes) {
        stored.emplace_back(heap.allocate(bytes, 8), bytes);
        sum += rounded(bytes, 8) + detail::slab::note_bytes;
    };
    for (int i = 0; i < 100'000; ++i) {
        const std::size_t bytes = 64 + 16 * (random() % 29);
        void* const scratch = heap.allocate(bytes, 8);
        store(24);
        store(bytes);
        heap.deallocate(scratch, bytes, 8);
    }
    EXPECT_LE(heap.usage().bytes_reserved, sum + sum / 16 + 2_MiB) << "no hole stays behind";
    // A scratch object leaves a slot that the second next of its size takes.
    EXPECT_LE(descents_in_each_size(stored), stored.size() / 4);
    for (const auto& [p, bytes] : stored)
        heap.deallocate(p, bytes, 8);
    EXPECT_EQ(heap.usage().bytes_in_use, 0u);
}

// ---- after frees --------------------------------------------------------------------------------

TEST_P(ordered_heap_order, what_was_freed_at_random_is_filled_in_address_order) {
    auto all = take(heap, 200'000, 48);
    // The rest of the open block is used first: let there be little.
    const std::size_t reserved = heap.usage().bytes_reserved;
    const auto freed = give_random_half(all, 48);
    const auto again = take(heap, freed.size(), 48);
    // First the slot that was next before. Up to the end of the open block, and then from the
    // lowest hole of the heap to the highest.
    EXPECT_LE(descents(again), 2u);
    EXPECT_EQ(heap.usage().bytes_reserved, reserved) << "it did not grow";
    const auto reused =
        std::count_if(again.begin(), again.end(), [&](void* p) { return freed.contains(p); });
    EXPECT_GE(static_cast<std::size_t>(reused) + page_block / 48, again.size());
}

TEST_P(ordered_heap_order, refilling_again_and_again_keeps_the_order) {
    auto all = take(heap, 100'000, 48);
    for (int round = 0; round < 5; ++round) {
        const auto freed = give_random_half(all, 48);
        const auto again = take(heap, freed.size(), 48);
        // A block that gets back less than an eighth is left out, so the end may come twice.
        EXPECT_LE(descents(again), 3u) << "round " << round;
        all.insert(all.end(), again.begin(), again.end());
    }
}

TEST_P(ordered_heap_order, each_size_is_filled_in_address_order) {
    std::mt19937 random{8};
    const auto some_bytes = [&] { return 24 + 8 * (random() % 8); };
    std::vector<piece> live;
    for (int i = 0; i < 200'000; ++i) {
        const std::size_t bytes = some_bytes();
        live.push_back({heap.allocate(bytes, 8), bytes});
    }
    std::shuffle(live.begin(), live.end(), random);
    for (; live.size() > 100'000; live.pop_back())
        heap.deallocate(live.back().p, live.back().bytes, 8);
    const std::size_t reserved = heap.usage().bytes_reserved;
    std::vector<std::pair<void*, std::size_t>> again;
    for (int i = 0; i < 80'000; ++i) {
        const std::size_t bytes = some_bytes();
        again.emplace_back(heap.allocate(bytes, 8), bytes);
    }
    // From the slot that was next before, and the slab that each allocates from, to the lowest one,
    // and then upward.
    EXPECT_LE(descents_in_each_size(again), 16u);
    EXPECT_EQ(heap.usage().bytes_reserved, reserved) << "it did not grow";
}

TEST_P(ordered_heap_order, what_is_free_further_down_is_next_whenever_it_was_freed) {
    const auto all = take(heap, 100'000, 64);
    std::vector<void*> freed;
    for (const std::size_t first : {60'000u, 20'000u, 80'000u, 40'000u}) // 4 ranges, in half
        for (std::size_t i = first; i < first + 5'000; i += 2)
            freed.push_back(all[i]);
    give(heap, freed, 64);
    std::sort(freed.begin(), freed.end());
    std::vector<void*> again; // but for the rest of the slab that was allocated from
    while (again.size() < freed.size() / 2) {
        void* const p = heap.allocate(64, 8);
        if (p < all.back())
            again.push_back(p);
    }
    // The first and the last slab of a range may have too little.
    EXPECT_TRUE(std::is_sorted(again.begin(), again.end()));
    EXPECT_LE(again.front(), freed[128]);
    EXPECT_LE(again.back(), freed[freed.size() / 2 + 4 * 128]);
    EXPECT_TRUE(std::includes(freed.begin(), freed.end(), again.begin(), again.end()));
}

// ---- what was just freed ------------------------------------------------------------------------

TEST_P(ordered_heap_order, an_object_that_comes_and_goes_has_two_places) {
    for (const std::size_t bytes : {1_B, 8_B, 24_B, 48_B, 200_B, 1000_B, 8000_B, 20'000_B}) {
        static_cast<void>(heap.allocate(bytes, 8));
        std::set<void*> places;
        for (int i = 0; i < 1000; ++i) {
            void* const p = heap.allocate(bytes, 8);
            places.insert(p);
            heap.deallocate(p, bytes, 8);
        }
        EXPECT_LE(places.size(), 2u) << bytes;
    }
    EXPECT_EQ(pages.calls(), 2u) << "not one for what comes and goes";
}

TEST_P(ordered_heap_order, a_temporary_beside_live_objects_costs_no_memory) {
    std::vector<void*> live;
    for (int i = 0; i < 50'000; ++i) {
        live.push_back(heap.allocate(32, 8));
        void* temporary = heap.allocate(200, 8);
        heap.deallocate(temporary, 200, 8);
    }
    // A span of 256 KiB is begun.
    const std::size_t in_use = live.size() * (32 + detail::slab::note_bytes);
    EXPECT_LE(heap.usage().bytes_reserved, in_use + in_use / 32 + page_block);
}

TEST_P(ordered_heap_order, temporaries_in_any_order_use_no_more_than_at_first) {
    std::vector<void*> some;
    std::mt19937 random{3};
    std::size_t after_a_while = 0;
    for (int i = 0; i < 300'000; ++i) {
        if (some.size() < 100) {
            some.push_back(heap.allocate(40, 8));
        } else {
            std::swap(some[random() % some.size()], some.back());
            heap.deallocate(some.back(), 40, 8);
            some.pop_back();
        }
        if (i == 30'000)
            after_a_while = heap.usage().bytes_reserved;
    }
    EXPECT_EQ(heap.usage().bytes_reserved, after_a_while);
    EXPECT_LE(after_a_while, 2 * page_block);
}

} // namespace
