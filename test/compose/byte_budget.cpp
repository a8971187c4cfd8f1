// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/compose/detail/byte_budget.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <limits>
#include <thread>
#include <vector>

using arenite::detail::byte_budget;

namespace {

template <class Budget>
class byte_budgets : public testing::Test {
protected:
    /// The way of the callers: quickly, and otherwise with a look.
    static bool take(Budget& b, std::size_t bytes) {
        if (b.take_quickly(bytes))
            return true;
        b.undo_take(bytes);
        return b.take(bytes).has_value();
    }
    static void give(Budget& b, std::size_t bytes) {
        if (b.give_quickly(bytes))
            return;
        b.undo_give(bytes);
        b.give(bytes);
    }
};

using both = testing::Types<byte_budget<false>, byte_budget<true>>;
TYPED_TEST_SUITE(byte_budgets, both);

TYPED_TEST(byte_budgets, are_taken_to_the_last_byte) {
    for (const bool careful : {false, true}) {
        TypeParam b{90, 100, careful};
        EXPECT_EQ(b.is_careful(), careful);
        EXPECT_TRUE(this->take(b, 60));
        EXPECT_FALSE(this->take(b, 41));
        EXPECT_EQ(b.in_use(), 60u);
        EXPECT_TRUE(this->take(b, 40));
        EXPECT_EQ(b.in_use(), 100u);
        EXPECT_FALSE(this->take(b, 1));
        this->give(b, 1);
        EXPECT_TRUE(this->take(b, 1));
        this->give(b, 60);
        this->give(b, 40);
        EXPECT_EQ(b.in_use(), 0u);
    }
}

TYPED_TEST(byte_budgets, are_quick_up_to_the_mark_alone) {
    TypeParam b{90, 100, false};
    EXPECT_TRUE(b.take_quickly(90));
    EXPECT_FALSE(b.take_quickly(1));
    b.undo_take(1);
    EXPECT_EQ(b.take(1), 90u) << "it tells what was in use";
    EXPECT_EQ(b.in_use(), 91u);
    TypeParam careful{90, 100, true};
    EXPECT_FALSE(careful.take_quickly(1));
    careful.undo_take(1);
    EXPECT_EQ(careful.take(1), 0u);
    EXPECT_FALSE(careful.give_quickly(1));
    careful.undo_give(1);
    EXPECT_EQ(careful.in_use(), 1u);
}

TYPED_TEST(byte_budgets, are_not_set_below_what_is_in_use) {
    for (const bool careful : {false, true}) {
        TypeParam b{100, 100, careful};
        ASSERT_TRUE(this->take(b, 50));
        EXPECT_FALSE(b.set(10, 49));
        EXPECT_EQ(b.limit(), 100u);
        EXPECT_EQ(b.mark(), 100u);
        EXPECT_TRUE(b.set(10, 50));
        EXPECT_EQ(b.limit(), 50u);
        EXPECT_EQ(b.mark(), 10u);
        EXPECT_EQ(b.in_use(), 50u);
        EXPECT_FALSE(this->take(b, 1));
        EXPECT_TRUE(b.set(60, 60));
        EXPECT_TRUE(this->take(b, 10));
        b.clear();
        EXPECT_EQ(b.in_use(), 0u);
        EXPECT_TRUE(this->take(b, 60));
    }
}

TYPED_TEST(byte_budgets, outlive_sizes_that_no_object_has) {
    constexpr std::size_t largest = std::numeric_limits<std::size_t>::max();
    for (const bool careful : {false, true}) {
        TypeParam b{90, 100, careful};
        ASSERT_TRUE(this->take(b, 95));
        for (const std::size_t bytes : {largest, largest / 2, largest / 2 + 1, largest - 50}) {
            if (b.take_quickly(bytes)) // whoever is asked for it refuses
                b.give(bytes);
            else
                b.undo_take(bytes);
            EXPECT_EQ(b.take(bytes), std::nullopt);
            EXPECT_EQ(b.in_use(), 95u);
        }
        EXPECT_TRUE(b.set(TypeParam::most, TypeParam::most));
        EXPECT_TRUE(this->take(b, TypeParam::most - 95));
        EXPECT_FALSE(this->take(b, 1));
    }
}

TEST(byte_budget_threads, never_pass_the_limit) {
    byte_budget<true> b{500, 1000, false};
    std::atomic<int> taken{0};
    std::atomic<bool> wrong{false};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 20'000; ++i) {
                if (!b.take_quickly(7) && !b.take(7))
                    continue;
                ++taken;
                if (b.in_use() > 1000)
                    wrong = true;
                if (i % 4 != 0) {
                    --taken;
                    b.give(7);
                }
            }
        });
    for (std::thread& t : threads)
        t.join();
    EXPECT_FALSE(wrong.load());
    EXPECT_EQ(b.in_use(), static_cast<std::size_t>(taken) * 7);
    EXPECT_EQ(taken.load(), 1000 / 7);
}

TEST(byte_budget_threads, a_limit_that_is_refused_is_never_felt) {
    byte_budget<true> b{1000, 1000, false};
    ASSERT_TRUE(b.take(500));
    std::atomic<bool> done{false};
    std::thread taker{[&] {
        for (int i = 0; i < 200'000; ++i)
            if (b.take(500))
                b.give(500);
            else
                done = true;
        EXPECT_FALSE(done.load()) << "it was held to a limit that never was";
        done = true;
    }};
    while (!done)
        EXPECT_FALSE(b.set(400, 400));
    taker.join();
    EXPECT_EQ(b.limit(), 1000u);
}

} // namespace
