// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/block/detail/block_list.hpp>
#include <arenite/core/literals.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <numeric>
#include <random>
#include <set>
#include <vector>

using namespace arenite;

namespace {

constexpr std::uint16_t sweepable = detail::block_state::sweepable;
constexpr std::uint16_t empty = detail::block_state::empty;
constexpr std::uint16_t open = detail::block_state::open;

/// Heads at even distances, as those of a heap are; a list knows nothing else of its blocks.
class block_list_of : public testing::Test {
protected:
    static constexpr std::size_t spacing = 4_KiB;

    detail::block& at(std::size_t i) { return *blocks_[i]; }

    void make(std::size_t count) {
        memory_.resize(count * spacing + alignof(detail::block));
        auto* begin = memory_.data();
        begin += (0 - reinterpret_cast<std::uintptr_t>(begin)) % alignof(detail::block);
        for (std::size_t i = 0; i < count; ++i)
            blocks_.push_back(::new (static_cast<void*>(begin + i * spacing)) detail::block{});
    }

    void insert_all(detail::block_list& list, std::uint32_t seed = 1) {
        std::vector<detail::block*> shuffled = blocks_;
        std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937{seed});
        for (detail::block* b : shuffled)
            list.insert(*b);
    }

    std::vector<std::byte> memory_;
    std::vector<detail::block*> blocks_;
};

TEST_F(block_list_of, nothing_holds_nothing) {
    detail::block_list list;
    int here = 0;
    EXPECT_TRUE(list.empty());
    EXPECT_EQ(list.size(), 0u);
    EXPECT_EQ(list.first(), nullptr);
    EXPECT_EQ(list.lowest(0xFFFF), nullptr);
    EXPECT_FALSE(list.has(0xFFFF));
    EXPECT_EQ(list.at_or_below(&here), nullptr);
    EXPECT_EQ(list.take_all(), nullptr);
}

TEST_F(block_list_of, blocks_stand_in_address_order_whatever_the_order_they_came_in) {
    make(200);
    for (std::uint32_t seed = 0; seed < 5; ++seed) {
        detail::block_list list;
        insert_all(list, seed);
        ASSERT_EQ(list.size(), 200u);
        detail::block* b = list.first();
        for (std::size_t i = 0; i < 200; ++i, b = list.above(*b))
            ASSERT_EQ(b, &at(i));
        EXPECT_EQ(b, nullptr);
    }
}

TEST_F(block_list_of, the_lowest_in_any_of_the_states_is_found) {
    make(50);
    detail::block_list list;
    insert_all(list);
    EXPECT_EQ(list.lowest(sweepable | empty | open), nullptr);
    list.set_state(at(30), sweepable);
    list.set_state(at(40), empty);
    EXPECT_EQ(list.lowest(sweepable), &at(30));
    EXPECT_EQ(list.lowest(empty), &at(40));
    EXPECT_EQ(list.lowest(sweepable | empty), &at(30));
    EXPECT_EQ(list.lowest(open), nullptr);
    EXPECT_TRUE(list.has(sweepable));
    EXPECT_FALSE(list.has(open));
    list.set_state(at(7), empty | open);
    EXPECT_EQ(list.lowest(empty), &at(7));
    list.set_state(at(7), 0);
    EXPECT_EQ(list.lowest(empty), &at(40));
    list.erase(at(40));
    EXPECT_EQ(list.lowest(empty), nullptr);
    EXPECT_FALSE(list.has(empty));
    EXPECT_EQ(list.lowest(empty | sweepable), &at(30));
}

TEST_F(block_list_of, the_highest_in_any_of_the_states_is_found) {
    make(50);
    detail::block_list list;
    insert_all(list);
    EXPECT_EQ(list.highest(sweepable | empty), nullptr);
    list.set_state(at(30), sweepable);
    list.set_state(at(20), sweepable);
    list.set_state(at(40), empty);
    EXPECT_EQ(list.highest(sweepable), &at(30));
    EXPECT_EQ(list.highest(sweepable | empty), &at(40));
    list.erase(at(40));
    EXPECT_EQ(list.highest(sweepable | empty), &at(30));
    list.set_state(at(30), 0);
    EXPECT_EQ(list.highest(sweepable), &at(20));
    EXPECT_EQ(detail::block_list{}.highest(0xFFFF), nullptr);
}

TEST_F(block_list_of, a_pointer_is_led_to_the_block_at_or_below_it) {
    make(20);
    detail::block_list list;
    for (std::size_t i = 1; i < 20; i += 2)
        list.insert(at(i));
    EXPECT_EQ(list.at_or_below(&at(0)), nullptr);
    EXPECT_EQ(list.at_or_below(reinterpret_cast<std::byte*>(&at(1)) - 1), nullptr);
    for (std::size_t i = 1; i < 20; i += 2) {
        EXPECT_EQ(list.at_or_below(&at(i)), &at(i));
        EXPECT_EQ(list.at_or_below(reinterpret_cast<std::byte*>(&at(i)) + spacing), &at(i));
    }
    EXPECT_EQ(list.at_or_below(reinterpret_cast<std::byte*>(~std::uintptr_t{0})), &at(19));
    EXPECT_EQ(list.at_or_below(nullptr), nullptr);
}

TEST_F(block_list_of, above_needs_no_block_that_is_in_the_list) {
    make(10);
    detail::block_list list;
    list.insert(at(2));
    list.insert(at(8));
    EXPECT_EQ(list.above(at(0)), &at(2));
    EXPECT_EQ(list.above(at(2)), &at(8));
    EXPECT_EQ(list.above(at(5)), &at(8));
    EXPECT_EQ(list.above(at(8)), nullptr);
}

TEST_F(block_list_of, take_all_gives_a_chain_in_address_order_and_leaves_nothing) {
    for (const std::size_t count : {1u, 2u, 3u, 500u}) {
        blocks_.clear();
        make(count);
        detail::block_list list;
        insert_all(list);
        detail::block* b = list.take_all();
        for (std::size_t i = 0; i < count; ++i, b = b->right) {
            ASSERT_EQ(b, &at(i));
            ASSERT_EQ(b->left, nullptr);
        }
        EXPECT_EQ(b, nullptr);
        EXPECT_TRUE(list.empty());
        EXPECT_EQ(list.size(), 0u);
    }
}

TEST_F(block_list_of, a_random_list_is_that_of_a_plain_set) {
    make(300);
    std::mt19937 random{11};
    detail::block_list list;
    std::set<detail::block*> model;
    const auto highest = [&](unsigned any) -> detail::block* {
        for (auto b = model.rbegin(); b != model.rend(); ++b)
            if (((*b)->state & any) != 0)
                return *b;
        return nullptr;
    };
    const auto lowest = [&](unsigned any) -> detail::block* {
        for (detail::block* b : model)
            if ((b->state & any) != 0)
                return b;
        return nullptr;
    };
    for (int i = 0; i < 20'000; ++i) {
        detail::block& b = at(random() % 300);
        switch (random() % 4) {
        case 0:
            if (model.insert(&b).second) {
                b.state = static_cast<std::uint16_t>(random() % 16);
                list.insert(b);
            }
            break;
        case 1:
            if (model.erase(&b) != 0)
                list.erase(b);
            break;
        case 2:
            if (model.contains(&b))
                list.set_state(b,
                               static_cast<std::uint16_t>(random() % 3 == 0 ? random() % 16 : 0));
            break;
        case 3: {
            const auto any = static_cast<std::uint16_t>(1 + random() % 15);
            ASSERT_EQ(list.lowest(any), lowest(any));
            ASSERT_EQ(list.highest(any), highest(any));
            ASSERT_EQ(list.has(any), lowest(any) != nullptr);
            const auto up = model.upper_bound(&b);
            ASSERT_EQ(list.above(b), up == model.end() ? nullptr : *up);
            ASSERT_EQ(list.at_or_below(&b), up == model.begin() ? nullptr : *std::prev(up));
            ASSERT_EQ(list.first(), model.empty() ? nullptr : *model.begin());
            break;
        }
        }
        ASSERT_EQ(list.size(), model.size());
        ASSERT_EQ(list.empty(), model.empty());
    }
}

TEST_F(block_list_of, its_depth_stays_logarithmic) {
    constexpr std::size_t count = 20'000;
    make(count);
    const auto depth = [](const auto& self, const detail::block* b) -> std::size_t {
        return b == nullptr ? 0 : 1 + std::max(self(self, b->left), self(self, b->right));
    };
    const auto highest = [&] {
        // The root is the block that no other one names.
        std::set<const detail::block*> named;
        for (const detail::block* b : blocks_) {
            named.insert(b->left);
            named.insert(b->right);
        }
        for (const detail::block* b : blocks_)
            if (!named.contains(b))
                return depth(depth, b);
        return count;
    };
    // Neither ascending nor descending nor shuffled entries make a list of the tree: log2 n
    // is 14.3.
    detail::block_list ascending;
    for (std::size_t i = 0; i < count; ++i)
        ascending.insert(at(i));
    EXPECT_LE(highest(), 60u);
    static_cast<void>(ascending.take_all());
    detail::block_list descending;
    for (std::size_t i = count; i-- > 0;)
        descending.insert(at(i));
    EXPECT_LE(highest(), 60u);
    for (std::size_t i = 0; i < count; ++i)
        if (i % 50 != 0)
            descending.erase(at(i));
    std::erase_if(blocks_, [&](const detail::block* b) {
        return static_cast<std::size_t>(b - blocks_.front()) * sizeof(detail::block) / spacing %
                   50 !=
               0;
    });
    EXPECT_EQ(blocks_.size(), descending.size());
    EXPECT_LE(highest(), 40u);
    static_cast<void>(descending.take_all());
}

} // namespace
