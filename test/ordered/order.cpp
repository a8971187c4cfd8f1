// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Where allocations lie: the address order that ordered_heap is named after.
#include "ordered/heap_test.hpp"

#include <arenite/block/colouring.hpp>

#include <array>
#include <iterator>
#include <numeric>
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

TEST_P(ordered_heap_order, temporaries_do_not_each_leave_a_hole_behind) {
    if (GetParam() == sizes::kept || every_call_is_careful)
        return; // there each call is a slow one, and sees to its own
    std::mt19937 random{2};
    const auto some_bytes = [&] { return 64 + 16 * (random() % 29); };
    struct piece {
        void* p;
        std::size_t bytes;
    };
    std::vector<piece> kept;
    std::size_t sum = 0;
    const auto keep = [&](std::size_t bytes) {
        kept.push_back({heap.allocate(bytes, 8), bytes});
        sum += bytes;
    };
    for (int i = 0; i < 100'000; ++i) { // as a loader: gathered in scratch memory, then stored
        const std::size_t bytes = some_bytes();
        void* const scratch = heap.allocate(bytes, 8);
        keep(24);
        keep(bytes);
        heap.deallocate(scratch, bytes, 8);
    }
    EXPECT_LE(heap.usage().bytes_reserved, sum + sum / 8);
    std::vector<void*> stored;
    for (std::size_t i = 1; i < kept.size(); i += 2)
        stored.push_back(kept[i].p);
    EXPECT_LE(descents(stored), stored.size() / 20);
    for (const piece& x : kept)
        heap.deallocate(x.p, x.bytes, 8);
    EXPECT_EQ(heap.usage().bytes_in_use, 0u);
}

INSTANTIATE_TEST_SUITE_P(heaps, ordered_heap_order, testing::Values(sizes::known, sizes::kept),
                         [](const auto& info) {
                             return info.param == sizes::known ? "known" : "kept";
                         });

// ---- fresh memory -------------------------------------------------------------------------------

TEST_P(ordered_heap_order, fresh_objects_ascend_without_a_gap_in_a_block) {
    const auto all = take(heap, 300'000, 24);
    for (std::size_t i = 1; i < all.size(); ++i) {
        if (block_of(all[i]) == block_of(all[i - 1])) {
            ASSERT_EQ(all[i], plus(all[i - 1], 24)) << "object " << i;
        } else {
            ASSERT_GT(all[i], all[i - 1]) << "object " << i;
        }
    }
}

TEST_P(ordered_heap_order, a_block_is_filled_to_its_end) {
    const auto all = take(heap, 300'000, 24);
    for (std::size_t i = 1; i < all.size(); ++i) {
        if (block_of(all[i]) == block_of(all[i - 1]))
            continue;
        // From the third block on they have the full length; those before are spans of 64 KiB and
        // up.
        if (block_of(all[i - 1]) != block_of(all.front())) {
            EXPECT_GT(plus(all[i - 1], 48),
                      reinterpret_cast<std::byte*>(block_of(all[i - 1]) + page_block));
        }
        // A head, bitmaps and the last colour stand before the first object.
        EXPECT_LE(address_of(all[i]) - block_of(all[i]),
                  block::head_bytes(page_block, GetParam() == sizes::kept || every_call_is_careful,
                                    (colour_count - 1) * colour_bytes));
    }
}

TEST_P(ordered_heap_order, fresh_objects_of_mixed_sizes_lie_side_by_side) {
    std::mt19937 random{1};
    void* before = nullptr;
    std::size_t size_before = 0;
    for (int i = 0; i < 100'000; ++i) {
        const std::size_t bytes = 8 * (1 + random() % 20);
        void* p = heap.allocate(bytes, 8);
        if (before != nullptr && block_of(p) == block_of(before)) {
            ASSERT_EQ(p, plus(before, size_before)) << "object " << i;
        }
        before = p;
        size_before = bytes;
    }
}

TEST_P(ordered_heap_order, neighbouring_blocks_begin_their_objects_at_other_offsets) {
    const auto all = take(heap, 100'000, 64);
    std::set<std::size_t> seen;
    const void* first = nullptr; // of the block before
    for (std::size_t i = 1; i < all.size(); ++i) {
        if (block_of(all[i]) == block_of(all[i - 1]))
            continue;
        const auto offset = [](const void* p) { return address_of(p) - block_of(p); };
        if (first != nullptr && block_of(all[i]) == block_of(first) + page_block) {
            EXPECT_NE(offset(all[i]), offset(first));
        }
        first = all[i];
        seen.insert(offset(all[i]));
    }
    EXPECT_EQ(seen.size(), colour_count);
}

// ---- after frees --------------------------------------------------------------------------------

TEST_P(ordered_heap_order, what_was_freed_at_random_is_filled_in_address_order) {
    auto all = take(heap, 200'000, 48);
    // The rest of the open block is used first: let there be little.
    const std::size_t reserved = heap.usage().bytes_reserved;
    const auto freed = give_random_half(all, 48);
    const auto again = take(heap, freed.size(), 48);
    // Up to the end of the open block, and then from the lowest hole of the heap to the highest.
    EXPECT_LE(descents(again), 1u);
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

TEST_P(ordered_heap_order, mixed_sizes_are_filled_in_nearly_address_order) {
    struct piece {
        void* p;
        std::size_t bytes;
    };
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
    std::vector<void*> again;
    for (int i = 0; i < 80'000; ++i)
        again.push_back(heap.allocate(some_bytes(), 8));
    // What does not fit the next hole leaves for a clean block; 1 of 20 at most comes and goes.
    EXPECT_LE(descents(again), again.size() / 20);
}

TEST_P(ordered_heap_order, the_lowest_block_is_swept_first) {
    const auto all = take(heap, 40'000, 64);
    std::vector<std::uintptr_t> blocks;
    for (void* p : all)
        if (blocks.empty() || blocks.back() != block_of(p))
            blocks.push_back(block_of(p));
    ASSERT_GE(blocks.size(), 9u);
    // Freed in another order: 5 whole, 7 in half, 2 in half, 4 whole.
    const auto give_of = [&](std::size_t number, std::size_t every) {
        std::size_t i = 0;
        for (void* p : all)
            if (block_of(p) == blocks[number] && i++ % every == 0)
                heap.deallocate(p, 64, 8);
    };
    give_of(5, 1);
    give_of(7, 2);
    give_of(2, 2);
    give_of(4, 1);
    std::vector<std::uintptr_t> seen;
    for (std::size_t i = 0; i < 20'000; ++i) {
        const std::uintptr_t b = block_of(heap.allocate(64, 8));
        if (seen.empty() || seen.back() != b)
            seen.push_back(b);
        if (b > blocks.back())
            break;
    }
    // First what the open block has left.
    ASSERT_GE(seen.size(), 5u);
    EXPECT_EQ(seen[0], blocks.back());
    EXPECT_EQ((std::vector<std::uintptr_t>{seen.begin() + 1, seen.begin() + 5}),
              (std::vector<std::uintptr_t>{blocks[2], blocks[4], blocks[5], blocks[7]}));
}

/// A block of 64 KiB that is full of objects of 8 bytes, and one after it that is open.
class ordered_heap_sweep : public heap_test {
protected:
    counting_pages pages;
    ordered_heap heap{ordered_options{.block_bytes = other_block}, &pages};
    std::vector<void*> cells; // of the first block

    ordered_heap_sweep() {
        for (;;) {
            void* p = heap.allocate(8, 8);
            if (!cells.empty() && block_at(p, other_block) != block_at(cells.front(), other_block))
                break;
            cells.push_back(p);
        }
    }

    bool is_cell(const void* p) const {
        return block_at(p, other_block) == block_at(cells.front(), other_block);
    }

    /// Of what is allocated until two more blocks are begun, that in the first block.
    std::vector<void*> found_in_the_first(std::size_t bytes) {
        std::vector<void*> found;
        const std::size_t calls = pages.calls();
        while (pages.calls() < calls + 2) {
            void* p = heap.allocate(bytes, 8);
            if (is_cell(p))
                found.push_back(p);
        }
        return found;
    }
};

TEST_F(ordered_heap_sweep, neighbours_that_were_freed_are_one_hole) {
    std::array<int, 3> order{0, 1, 2};
    std::size_t at = 1000;
    std::vector<void*> expected;
    do {
        for (const int i : order)
            heap.deallocate(cells[at + static_cast<std::size_t>(i)], 8, 8);
        expected.push_back(cells[at]);
        at += 10;
    } while (std::next_permutation(order.begin(), order.end()));
    // Single cells elsewhere, of no use to 24 bytes, so that an eighth is free.
    for (std::size_t i = 2000; i < 2000 + 2 * 1100; i += 2)
        heap.deallocate(cells[i], 8, 8);
    EXPECT_EQ(found_in_the_first(24), expected);
}

TEST_F(ordered_heap_sweep, neighbours_across_a_word_of_bits_are_one_hole) {
    // 64 cells stand in a word: whole words and their edges.
    const std::size_t at = 64 * 20 - address_of(cells.front()) % other_block / 8;
    for (std::size_t i = at - 5; i < at + 64 * 3 + 5; ++i)
        heap.deallocate(cells[i], 8, 8);
    for (std::size_t i = 3000; i < 3000 + 2 * 1100; i += 2)
        heap.deallocate(cells[i], 8, 8);
    const std::size_t bytes = (64 * 3 + 10) * 8;
    const auto found = found_in_the_first(bytes);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found.front(), cells[at - 5]);
}

TEST_F(ordered_heap_sweep, less_than_an_eighth_is_not_swept) {
    constexpr std::size_t eighth = other_block / 8 / 8;
    for (std::size_t i = 0; i < eighth - 10; ++i)
        heap.deallocate(cells[3 * i], 8, 8);
    EXPECT_EQ(found_in_the_first(8).size(), 0u);
}

TEST_F(ordered_heap_sweep, an_eighth_is_swept_whole_and_in_order) {
    constexpr std::size_t eighth = other_block / 8 / 8;
    std::vector<void*> freed;
    for (std::size_t i = 0; i < eighth; ++i)
        freed.push_back(cells[3 * i]);
    give(heap, freed, 8);
    EXPECT_EQ(found_in_the_first(8), freed);
}

TEST_F(ordered_heap_sweep, it_is_swept_again_each_time) {
    constexpr std::size_t eighth = other_block / 8 / 8;
    for (std::size_t round = 0; round < 5; ++round) {
        std::vector<void*> freed;
        for (std::size_t i = 0; i < eighth; ++i)
            freed.push_back(cells[5 * i + round]);
        give(heap, freed, 8);
        EXPECT_EQ(found_in_the_first(8), freed) << "round " << round;
    }
}

TEST_F(ordered_heap_sweep, the_tail_of_a_hole_is_not_lost) {
    constexpr std::size_t eighth = other_block / 8 / 8;
    // Holes of 5 cells: 24 bytes and 16 bytes fill each.
    std::vector<void*> starts;
    for (std::size_t i = 0; i < eighth / 5 + 1; ++i) {
        for (std::size_t k = 0; k < 5; ++k)
            heap.deallocate(cells[6 * i + k], 8, 8);
        starts.push_back(cells[6 * i]);
    }
    EXPECT_EQ(found_in_the_first(24), starts);
    heap.trim(); // closes what is open, and sweeps the block if an eighth is free
    for (std::size_t i = 0; i < eighth; ++i)
        heap.deallocate(cells[2000 + 2 * i], 8, 8);
    const auto tails = found_in_the_first(16);
    ASSERT_EQ(tails.size(), starts.size());
    for (std::size_t i = 0; i < tails.size(); ++i)
        EXPECT_EQ(tails[i], plus(starts[i], 24));
}

// ---- what was just freed ------------------------------------------------------------------------

TEST_F(heap_test, the_latest_allocation_is_given_straight_back) {
    if (every_call_is_careful)
        GTEST_SKIP() << "what was just freed is kept from use, so that its misuse is found";
    counting_pages pages;
    ordered_heap heap{known, &pages};
    for (const std::size_t bytes : {1_B, 8_B, 24_B, 48_B, 200_B, 1000_B, 8000_B}) {
        static_cast<void>(heap.allocate(8, 8));
        void* p = heap.allocate(bytes, 8);
        for (int i = 0; i < 1000; ++i) {
            heap.deallocate(p, bytes, 8);
            ASSERT_EQ(heap.allocate(bytes, 8), p) << bytes;
        }
        heap.deallocate(p, bytes, 8);
        EXPECT_EQ(heap.allocate(bytes / 2, 8), p) << "also to another size";
    }
    EXPECT_EQ(pages.calls(), 1u);
}

TEST_P(ordered_heap_order, a_temporary_beside_live_objects_costs_no_memory) {
    std::vector<void*> live;
    for (int i = 0; i < 50'000; ++i) {
        live.push_back(heap.allocate(32, 8));
        void* temporary = heap.allocate(200, 8);
        heap.deallocate(temporary, 200, 8);
    }
    // Careful heaps let freed memory rest until its block is swept, an eighth each time.
    const std::size_t in_use = live.size() * 32;
    EXPECT_LE(heap.usage().bytes_reserved,
              (every_call_is_careful || GetParam() == sizes::kept ? 9 : 2) * in_use);
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
