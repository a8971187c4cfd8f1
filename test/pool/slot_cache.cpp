// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/pool/detail/slot_cache.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <utility>
#include <vector>

using namespace arenite;
using detail::slot_cache;

namespace {

constexpr std::size_t bytes = 24;

class slot_cache_of_24 : public ::testing::Test {
protected:
    slot_cache_of_24() { cache.set_room(true); }

    std::byte* at(std::size_t i) { return memory + i * bytes; }

    std::vector<std::byte*> take_all() {
        std::vector<std::byte*> all;
        while (void* const p = cache.take(bytes))
            all.push_back(static_cast<std::byte*>(p));
        return all;
    }

    using slots = std::vector<std::byte*>;
    using runs = std::vector<std::pair<std::byte*, std::size_t>>;
    auto into(slots& all) {
        return [&all](auto some) { all.insert(all.end(), some.begin(), some.end()); };
    }
    auto into(runs& all) {
        return [&all](std::byte* p, std::size_t n) { all.emplace_back(p, n); };
    }

    std::byte memory[1000 * bytes];
    slot_cache cache{bytes};
};

TEST_F(slot_cache_of_24, hands_out_hot_slots_before_the_window_and_the_window_upward) {
    cache.open_window(at(5), 3);
    EXPECT_TRUE(cache.push(at(100)));
    EXPECT_TRUE(cache.push(at(50)));
    EXPECT_EQ(cache.count(), 5u);
    EXPECT_EQ(take_all(), (slots{at(50), at(100), at(5), at(6), at(7)}));
    EXPECT_EQ(cache.count(), 0u);
}

TEST_F(slot_cache_of_24, the_slots_of_a_word_come_out_upward) {
    cache.push_word(at(64), 0b1011);
    cache.push_word(at(0), 0b100001);
    EXPECT_EQ(take_all(), (slots{at(0), at(5), at(64), at(65), at(67)}));
}

TEST_F(slot_cache_of_24, a_run_grows_at_both_ends_and_nowhere_else) {
    EXPECT_FALSE(cache.extend_run(at(10), bytes)) << "there is none";
    cache.begin_run(at(10));
    EXPECT_TRUE(cache.extend_run(at(11), bytes));
    EXPECT_TRUE(cache.extend_run(at(9), bytes));
    EXPECT_FALSE(cache.extend_run(at(13), bytes));
    EXPECT_FALSE(cache.extend_run(at(10), bytes)) << "a slot of the run itself, freed twice";
    EXPECT_EQ(cache.run_count(), 3u);
    EXPECT_TRUE(cache.reuse_run());
    EXPECT_FALSE(cache.reuse_run());
    EXPECT_EQ(take_all(), (slots{at(9), at(10), at(11)}));
}

TEST_F(slot_cache_of_24, has_room_for_so_many_hot_slots_or_for_none) {
    for (std::size_t i = 0; i < slot_cache::depth; ++i)
        EXPECT_TRUE(cache.push(at(i)));
    EXPECT_FALSE(cache.push(at(500)));
    EXPECT_TRUE(cache.is_beside_latest(at(slot_cache::depth)));
    EXPECT_FALSE(cache.is_beside_latest(at(0)));
    EXPECT_EQ(take_all().size(), slot_cache::depth);
    cache.set_room(false);
    EXPECT_FALSE(cache.has_room());
    EXPECT_FALSE(cache.push(at(0)));
}

TEST_F(slot_cache_of_24, drains_the_oldest_and_keeps_the_order_of_the_rest) {
    for (std::size_t i = 0; i < 5; ++i)
        static_cast<void>(cache.push(at(i * 2)));
    slots gone;
    cache.drain_oldest(2, [&](auto some) {
        EXPECT_EQ(cache.count(), 3u) << "they are not counted any more";
        into(gone)(some);
    });
    EXPECT_EQ(gone, (slots{at(0), at(2)}));
    EXPECT_EQ(take_all(), (slots{at(8), at(6), at(4)}));
}

TEST_F(slot_cache_of_24, drains_each_slot_once) {
    cache.open_window(at(0), 2);
    cache.begin_run(at(20));
    static_cast<void>(cache.extend_run(at(21), bytes));
    static_cast<void>(cache.push(at(40)));
    slots single;
    runs neighbours;
    cache.drain(into(neighbours), into(single));
    EXPECT_EQ(single, slots{at(40)});
    EXPECT_EQ(neighbours, (runs{{at(20), 2}, {at(0), 2}}));
    EXPECT_EQ(cache.count(), 0u);
    cache.drain(into(neighbours), into(single));
    EXPECT_EQ(single.size() + neighbours.size(), 3u) << "nothing was left";
}

TEST_F(slot_cache_of_24, what_is_held_back_is_not_handed_out) {
    cache.set_room(false);
    EXPECT_TRUE(cache.hold_back(at(3)));
    EXPECT_EQ(cache.take(bytes), nullptr);
    EXPECT_EQ(cache.count(), 1u);
    for (std::size_t i = 1; i + 1 < slot_cache::depth; ++i)
        EXPECT_TRUE(cache.hold_back(at(i + 10)));
    EXPECT_FALSE(cache.hold_back(at(0))) << "now they are to be drained";
    slots all;
    cache.drain_held_back(into(all));
    EXPECT_EQ(all.size(), slot_cache::depth);
    EXPECT_EQ(cache.held_back(), 0u);
}

TEST_F(slot_cache_of_24, a_snapshot_knows_what_is_in_it) {
    cache.open_window(at(0), 2);
    cache.begin_run(at(20));
    static_cast<void>(cache.push(at(45)));
    static_cast<void>(cache.push(at(40)));
    const slot_cache::snapshot seen{cache};
    for (const std::size_t i : {0, 1, 20, 40, 45})
        EXPECT_TRUE(seen.contains(at(i))) << i;
    for (const std::size_t i : {2, 19, 21, 41})
        EXPECT_FALSE(seen.contains(at(i))) << i;
}

} // namespace
