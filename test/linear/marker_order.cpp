// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/linear/detail/marker_order.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

using arenite::detail::marker_order;

namespace {

TEST(marker_order, a_number_never_taken_is_not_good) {
    marker_order order;
    EXPECT_FALSE(order.is_good(1));
    EXPECT_EQ(order.take(), 1u);
    EXPECT_TRUE(order.is_good(1));
}

TEST(marker_order, a_rewind_ends_the_markers_taken_since) {
    marker_order order;
    for (int i = 0; i < 4; ++i)
        static_cast<void>(order.take());
    order.rewound_to(2);
    EXPECT_TRUE(order.is_good(1));
    EXPECT_TRUE(order.is_good(2));
    EXPECT_FALSE(order.is_good(3));
    EXPECT_FALSE(order.is_good(4));
    EXPECT_EQ(order.take(), 5u);
    EXPECT_TRUE(order.is_good(5));
    EXPECT_FALSE(order.is_good(4));
    order.rewound_to(0);
    EXPECT_FALSE(order.is_good(1));
    EXPECT_FALSE(order.is_good(5));
    EXPECT_TRUE(order.is_good(order.take()));
}

// Against the definition: the good ones are a stack.
TEST(marker_order, agrees_with_a_stack_of_markers) {
    const auto seed = std::random_device{}();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random{seed};
    marker_order order;
    std::vector<std::size_t> good;
    std::size_t taken = 0;
    for (int step = 0; step < 2000; ++step) {
        // At most eight on the stack, so that fewer ranges than are remembered arise.
        if (good.empty() || (good.size() < 8 && random() % 3 != 0)) {
            good.push_back(order.take());
            ++taken;
        } else {
            const std::size_t at = random() % good.size();
            order.rewound_to(good[at]);
            good.resize(at + 1);
            if (random() % 4 == 0) {
                order.rewound_to(0);
                good.clear();
            }
        }
        for (std::size_t number = 1; number <= taken; ++number)
            ASSERT_EQ(order.is_good(number), std::ranges::binary_search(good, number)) << number;
    }
}

TEST(marker_order, never_refuses_a_good_marker_when_it_forgets) {
    marker_order order;
    std::vector<std::size_t> good;
    for (int i = 0; i < 100; ++i) {
        good.push_back(order.take());
        static_cast<void>(order.take()); // dead after this
        order.rewound_to(good.back());
    }
    for (const std::size_t number : good)
        EXPECT_TRUE(order.is_good(number));
    EXPECT_FALSE(order.is_good(good.back() + 1));
}

TEST(marker_order, forgets_nothing_in_a_loop_of_rewinds_to_one_marker) {
    marker_order order;
    static_cast<void>(order.take());
    const std::size_t dead = order.take();
    order.rewound_to(1);
    const std::size_t outer = order.take();
    for (int i = 0; i < 100; ++i) {
        static_cast<void>(order.take());
        order.rewound_to(outer);
    }
    EXPECT_FALSE(order.is_good(dead));
    EXPECT_TRUE(order.is_good(outer));
}

} // namespace
