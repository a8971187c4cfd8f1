// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/detail/spin_lock.hpp>

#include <gtest/gtest.h>

#include <mutex>
#include <thread>
#include <vector>

using namespace arenite;

namespace {

constinit detail::spin_lock before_main; // usable at once

TEST(spin_lock, is_free_at_first_and_after_each_use) {
    EXPECT_TRUE(before_main.try_lock());
    EXPECT_FALSE(before_main.try_lock());
    before_main.unlock();
    {
        const std::lock_guard lock{before_main};
        EXPECT_FALSE(before_main.try_lock());
    }
    EXPECT_TRUE(before_main.try_lock());
    before_main.unlock();
}

TEST(spin_lock_threads, one_is_in_at_a_time) {
    constexpr int threads = 4;
    constexpr int rounds = 5000;
    detail::spin_lock lock;
    int counter = 0;
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t)
        all.emplace_back([&] {
            for (int i = 0; i < rounds; ++i) {
                const std::lock_guard in{lock};
                ++counter;
            }
        });
    for (std::thread& t : all)
        t.join();
    EXPECT_EQ(counter, threads * rounds);
}

} // namespace
