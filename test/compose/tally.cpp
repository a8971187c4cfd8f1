// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/compose/detail/tally.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <thread>
#include <vector>

using arenite::detail::tally;

namespace {

template <class Tally>
class tallies : public testing::Test {
protected:
    /// The way of the callers; a careful one counts twice what was asked for.
    static void allocate(Tally& t, std::size_t bytes) {
        if (t.allocated_quickly(bytes))
            return;
        t.undo_allocation(bytes);
        t.allocated(t.is_careful() ? 2 * bytes : bytes);
    }
    static void free(Tally& t, std::size_t bytes) {
        if (t.freed_quickly(bytes))
            return;
        t.undo_free(bytes);
        t.freed(t.is_careful() ? 2 * bytes : bytes);
    }
};

using both = testing::Types<tally<false>, tally<true>>;
TYPED_TEST_SUITE(tallies, both);

TYPED_TEST(tallies, count_and_know_the_most_there_was) {
    for (const bool careful : {false, true}) {
        const std::size_t k = careful ? 2 : 1;
        TypeParam t{careful};
        this->allocate(t, 100);
        this->allocate(t, 50);
        this->free(t, 100);
        EXPECT_EQ(t.in_use(), k * 50);
        EXPECT_EQ(t.most(), k * 150);
        this->allocate(t, 99);
        EXPECT_EQ(t.most(), k * 150);
        this->allocate(t, 2);
        EXPECT_EQ(t.most(), k * 151);
        EXPECT_EQ(t.in_use(), k * 151);
        EXPECT_EQ(t.allocations(), 4u);
        EXPECT_EQ(t.frees(), 1u);
    }
}

TYPED_TEST(tallies, take_some_bytes_for_others) {
    TypeParam t{false};
    this->allocate(t, 100);
    t.settle(100, 300);
    EXPECT_EQ(t.in_use(), 300u);
    EXPECT_EQ(t.most(), 300u);
    t.settle(300, 10);
    EXPECT_EQ(t.in_use(), 10u);
    EXPECT_EQ(t.most(), 300u);
    EXPECT_EQ(t.allocations(), 1u);
}

TYPED_TEST(tallies, are_cleared_but_for_the_most) {
    for (const bool careful : {false, true}) {
        TypeParam t{careful};
        this->allocate(t, 100);
        this->allocate(t, 0);
        const std::size_t most = t.most();
        t.clear();
        EXPECT_EQ(t.in_use(), 0u);
        EXPECT_EQ(t.most(), most);
        EXPECT_EQ(t.allocations(), t.frees());
        this->allocate(t, 1);
        EXPECT_EQ(t.most(), most);
    }
}

TEST(tally_threads, lose_no_count) {
    tally<true> t{false};
    std::vector<std::thread> threads;
    for (int k = 0; k < 4; ++k)
        threads.emplace_back([&] {
            for (int i = 0; i < 10'000; ++i) {
                t.allocated(10);
                if (i % 10 != 0)
                    t.freed(10);
            }
        });
    for (std::thread& each : threads)
        each.join();
    EXPECT_EQ(t.allocations(), 40'000u);
    EXPECT_EQ(t.frees(), 36'000u);
    EXPECT_EQ(t.in_use(), 40'000u);
    EXPECT_GE(t.most(), 40'000u);
    EXPECT_LE(t.most(), 40'030u);
}

} // namespace
