// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/block/detail/address_table.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/literals.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

using namespace arenite;

namespace {

constexpr std::size_t unit = detail::address_table::unit_bytes;

constinit detail::address_table::leaves leaves, other_leaves;
constinit detail::address_table table{leaves};

/// The table never touches what an address points to, so any number will do. Far above what the
/// process maps, each test in a terabyte of its own.
std::byte* address(std::uintptr_t number) { return reinterpret_cast<std::byte*>(number); }
std::byte* terabyte(std::uintptr_t number) { return address(0x8000'0000'0000 + number * 1_TiB); }

TEST(address_table, knows_no_owner_where_none_was_entered) {
    int here = 0;
    EXPECT_EQ(table.find(&here), 0u);
    EXPECT_EQ(table.find(nullptr), 0u);
    EXPECT_EQ(table.find(terabyte(0)), 0u);
}

TEST(address_table, leads_every_address_of_a_range_to_its_owner) {
    std::byte* p = terabyte(1);
    ASSERT_TRUE(table.set(p, 3 * unit, 0x1234));
    for (std::size_t i : {std::size_t{0}, std::size_t{1}, unit - 1, unit, 3 * unit - 1})
        EXPECT_EQ(table.find(p + i), 0x1234u) << i;
    EXPECT_EQ(table.find(p - 1), 0u);
    EXPECT_EQ(table.find(p + 3 * unit), 0u);
    table.clear(p, 3 * unit);
    for (std::size_t i : {std::size_t{0}, unit, 3 * unit - 1})
        EXPECT_EQ(table.find(p + i), 0u) << i;
}

TEST(address_table, enters_only_whole_units) {
    std::byte* p = terabyte(2);
    ASSERT_TRUE(table.set(p + 1, 3 * unit, 7)); // from within one unit to within another
    EXPECT_EQ(table.find(p + 1), 0u);
    EXPECT_EQ(table.find(p + unit), 7u);
    EXPECT_EQ(table.find(p + 3 * unit - 1), 7u);
    EXPECT_EQ(table.find(p + 3 * unit), 0u);
    table.clear(p + unit + 1, 2 * unit - 1); // clears the second of the two
    EXPECT_EQ(table.find(p + unit), 7u);
    EXPECT_EQ(table.find(p + 2 * unit), 0u);
    table.clear(p, 4 * unit);
}

TEST(address_table, enters_nothing_for_less_than_a_unit) {
    std::byte* p = terabyte(3);
    EXPECT_TRUE(table.set(p, 0, 7));
    EXPECT_TRUE(table.set(p, unit - 1, 7));
    EXPECT_TRUE(table.set(p + 1, 2 * unit - 2, 7));
    EXPECT_TRUE(table.set(p + 5, 10, 7));
    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_EQ(table.find(p + i * unit), 0u);
}

TEST(address_table, a_range_may_reach_over_many_leaves) {
    std::byte* p = terabyte(4) + 4_GiB - 5 * unit; // a leaf is 4 GiB
    constexpr std::size_t bytes = 8_GiB + 10 * unit;
    ASSERT_TRUE(table.set(p, bytes, 9));
    for (std::size_t i : {std::size_t{0}, 5 * unit - 1, 5 * unit, 4_GiB, 8_GiB, bytes - 1})
        EXPECT_EQ(table.find(p + i), 9u) << i;
    EXPECT_EQ(table.find(p - 1), 0u);
    EXPECT_EQ(table.find(p + bytes), 0u);
    table.clear(p, bytes);
    for (std::size_t i : {std::size_t{0}, 5 * unit - 1, 5 * unit, 4_GiB, 8_GiB, bytes - 1})
        EXPECT_EQ(table.find(p + i), 0u) << i;
}

TEST(address_table, clearing_what_was_never_entered_is_quick_and_harmless) {
    table.clear(terabyte(5), 100_GiB);
    EXPECT_EQ(table.find(terabyte(5)), 0u);
    table.clear(nullptr, ~std::size_t{0});
    table.clear(address(~std::uintptr_t{0}), ~std::size_t{0});
}

TEST(address_table, an_owner_may_be_replaced) {
    std::byte* p = terabyte(6);
    ASSERT_TRUE(table.set(p, 2 * unit, 1));
    ASSERT_TRUE(table.set(p + unit, 2 * unit, ~std::uintptr_t{0}));
    EXPECT_EQ(table.find(p), 1u);
    EXPECT_EQ(table.find(p + unit), ~std::uintptr_t{0});
    EXPECT_EQ(table.find(p + 2 * unit), ~std::uintptr_t{0});
    table.clear(p, 3 * unit);
}

TEST(address_table, refuses_addresses_beyond_48_bits_and_changes_nothing) {
    constexpr std::uintptr_t end = std::uintptr_t{1} << 48;
    EXPECT_FALSE(table.set(address(end), unit, 3));
    EXPECT_FALSE(table.set(address(end - unit), 2 * unit, 3));
    EXPECT_FALSE(table.set(address(~std::uintptr_t{0} - 10 * unit), 5 * unit, 3));
    EXPECT_EQ(table.find(address(end - unit)), 0u);
    EXPECT_EQ(table.find(address(end)), 0u);
    EXPECT_EQ(table.find(address(~std::uintptr_t{0})), 0u);
    // The last unit itself is within.
    ASSERT_TRUE(table.set(address(end - unit), unit, 3));
    EXPECT_EQ(table.find(address(end - 1)), 3u);
    table.clear(address(end - unit), 100 * unit);
    EXPECT_EQ(table.find(address(end - 1)), 0u);
}

TEST(address_table, refuses_a_length_that_wraps_around) {
    EXPECT_FALSE(table.set(terabyte(7), ~std::size_t{0}, 3));
    EXPECT_EQ(table.find(terabyte(7)), 0u);
}

TEST(address_table, behaves_as_a_map_from_units) {
    const std::uint64_t seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random{seed};
    std::byte* const base = terabyte(8) + 4_GiB - 500 * unit; // over the seam of two leaves
    std::map<std::size_t, std::uintptr_t> model;              // unit -> owner
    for (int step = 0; step < 5000; ++step) {
        const std::size_t first = random() % (1000 * unit);
        const std::size_t bytes = random() % (40 * unit);
        const std::size_t begin = (first + unit - 1) / unit;
        const std::size_t end = (first + bytes) / unit;
        const std::uintptr_t owner = random() % 3 == 0 ? 0 : 1 + random() % 1000;
        if (owner == 0)
            table.clear(base + first, bytes);
        else
            ASSERT_TRUE(table.set(base + first, bytes, owner));
        for (std::size_t u = begin; u < end; ++u)
            model[u] = owner;
        const std::size_t asked = random() % (1041 * unit);
        const auto found = model.find(asked / unit);
        ASSERT_EQ(table.find(base + asked), found == model.end() ? 0 : found->second);
    }
    table.clear(base, 1041 * unit);
}

TEST(address_table_death, no_owner_is_found_in_checked_builds) {
    if constexpr (checks_enabled) {
        EXPECT_DEATH(static_cast<void>(table.set(terabyte(9), unit, 0)), "no owner");
    }
}

TEST(address_table_threads, find_their_own_owners_while_others_enter_theirs) {
    // All in one range of fresh leaves, so that leaves are made by several threads at once.
    constexpr std::uintptr_t threads = 4;
    constexpr std::size_t slots = 200;
    std::byte* const base = terabyte(10);
    std::atomic<int> broken{0};
    std::atomic<unsigned> ready{0};
    std::vector<std::thread> all;
    for (std::uintptr_t t = 1; t <= threads; ++t) {
        all.emplace_back([&, t] {
            ++ready;
            while (ready.load() != threads)
                std::this_thread::yield();
            for (std::size_t i = 0; i < slots; ++i) {
                // Interleaved, every slot in a leaf of its own 4 GiB for the first ten.
                std::byte* p =
                    base + (i < 10 ? i * 4_GiB : i * threads * unit) + 10 * unit + (t - 1) * unit;
                if (!table.set(p, unit, t))
                    ++broken;
                if (table.find(p + 100) != t)
                    ++broken;
                // Changes by others are seen whole or not at all.
                const std::uintptr_t other = table.find(base + i * threads * unit);
                if (other > threads)
                    ++broken;
                if (i % 3 == 0) {
                    table.clear(p, unit);
                    if (table.find(p) != 0)
                        ++broken;
                }
            }
        });
    }
    for (std::thread& t : all)
        t.join();
    EXPECT_EQ(broken.load(), 0);
    table.clear(base, 50_GiB);
}

TEST(address_table_threads, hand_pointers_over_with_their_owners) {
    // One thread enters and publishes, another looks up: what it was given, it finds.
    std::atomic<std::byte*> handed{nullptr};
    std::atomic<int> broken{0};
    std::thread taker{[&] {
        for (int i = 0; i < 2000; ++i) {
            std::byte* p = nullptr;
            while ((p = handed.exchange(nullptr, std::memory_order_acq_rel)) == nullptr)
                std::this_thread::yield();
            if (table.find(p) != address_of(p))
                ++broken;
            table.clear(p, unit);
        }
    }};
    for (std::size_t i = 0; i < 2000; ++i) {
        std::byte* p = terabyte(12) + i * 7 * unit;
        ASSERT_TRUE(table.set(p, unit, address_of(p)));
        while (handed.load(std::memory_order_relaxed) != nullptr)
            std::this_thread::yield();
        handed.store(p, std::memory_order_release);
    }
    taker.join();
    EXPECT_EQ(broken.load(), 0);
}

TEST(address_table, a_range_may_begin_where_nothing_was_ever_entered) {
    std::byte* const second = terabyte(40) + 4_GiB; // the leaf before has no entry
    ASSERT_TRUE(table.set(second, 2 * unit, 7));
    std::byte* const from = second - 100 * unit;
    table.clear(from, 101 * unit);
    EXPECT_EQ(table.find(second), 0u);
    EXPECT_EQ(table.find(second + unit), 7u);
    table.clear(second, 2 * unit);
}

// The leaf that is made first is looked up another way.
constinit detail::address_table with_near_leaf{other_leaves};

TEST(address_table, the_leaf_that_was_made_first_and_the_others_lead_to_their_owners) {
    detail::address_table& t = with_near_leaf;
    std::byte* const garbage =
        address(~(~std::uintptr_t{0} >> 16)); // beyond all that a table holds
    EXPECT_EQ(t.find(garbage + 5 * unit), 0u);
    std::byte* const border = terabyte(50) + 4_GiB;
    ASSERT_TRUE(t.set(border - 2 * unit, unit, 1)); // makes the leaf below the border
    EXPECT_EQ(t.find(border - unit), 0u);
    EXPECT_EQ(t.find(border), 0u);
    ASSERT_TRUE(t.set(border - unit, 2 * unit, 2)); // and the one above
    EXPECT_EQ(t.find(border - 2 * unit), 1u);
    EXPECT_EQ(t.find(border - 1), 2u);
    EXPECT_EQ(t.find(border), 2u);
    EXPECT_EQ(t.find(border + unit), 0u);
    EXPECT_EQ(t.find(border - 4_GiB), 0u);
    EXPECT_EQ(t.find(border - 4_GiB - 1), 0u);
    for (std::byte* const p :
         {garbage, address(std::uintptr_t{0} - unit), address(0), address(5 * unit)})
        EXPECT_EQ(t.find(p), 0u);
    t.clear(border - unit, 2 * unit);
    EXPECT_EQ(t.find(border - unit), 0u);
    EXPECT_EQ(t.find(border), 0u);
    t.end();
    EXPECT_EQ(t.find(border - 2 * unit), 0u);
    ASSERT_TRUE(t.set(border + unit, unit, 3)); // another leaf is the first now
    EXPECT_EQ(t.find(border + unit), 3u);
    EXPECT_EQ(t.find(border - 2 * unit), 0u);
    t.end();
}

TEST(address_table_threads, one_of_several_makes_the_first_leaf) {
    for (int round = 0; round < 50; ++round) {
        std::atomic<int> broken{0};
        std::vector<std::thread> threads;
        for (std::uintptr_t n = 0; n < 3; ++n)
            threads.emplace_back([&, n] {
                std::byte* const p = terabyte(60 + n);
                for (std::size_t i = 0; i < 20; ++i)
                    broken += with_near_leaf.find(address(i * unit)) != 0 ? 1 : 0;
                if (!with_near_leaf.set(p, 2 * unit, n + 1))
                    ++broken;
                for (std::size_t i = 0; i < 20; ++i)
                    broken += with_near_leaf.find(address(i * unit)) != 0 ? 1 : 0;
                if (with_near_leaf.find(p + unit) != n + 1)
                    ++broken;
            });
        for (std::thread& t : threads)
            t.join();
        EXPECT_EQ(broken.load(), 0);
        for (std::uintptr_t n = 0; n < 3; ++n)
            EXPECT_EQ(with_near_leaf.find(terabyte(60 + n)), n + 1);
        with_near_leaf.end();
    }
}

} // namespace
