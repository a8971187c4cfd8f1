// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/freelist/detail/handover_queue.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

using namespace arenite;
using detail::handover_queue;
using entry = handover_queue::entry;

namespace {

TEST(handover_queue, takes_in_the_order_in_which_was_put) {
    handover_queue queue;
    EXPECT_FALSE(queue.may_have());
    EXPECT_EQ(queue.take(), nullptr);
    const auto entries = std::make_unique<entry[]>(5);
    for (int round = 0; round < 3; ++round) {
        for (std::size_t i = 0; i < 3; ++i)
            queue.put(entries[i]);
        EXPECT_TRUE(queue.may_have());
        EXPECT_EQ(queue.take(), &entries[0]);
        queue.put(entries[3]);
        EXPECT_EQ(queue.take(), &entries[1]);
        EXPECT_EQ(queue.take(), &entries[2]);
        EXPECT_EQ(queue.take(), &entries[3]);
        EXPECT_EQ(queue.take(), nullptr);
        queue.put(entries[4]);
        EXPECT_EQ(queue.take(), &entries[4]);
        EXPECT_EQ(queue.take(), nullptr);
        EXPECT_FALSE(queue.may_have());
    }
}

TEST(handover_queue_threads, nothing_is_lost_and_each_thread_is_served_in_order) {
    constexpr std::size_t threads = 3, each = 20'000;
    handover_queue queue;
    const auto entries = std::make_unique<entry[]>(threads * each);
    std::vector<std::thread> running;
    for (std::size_t t = 0; t < threads; ++t) {
        running.emplace_back([&, t] {
            for (std::size_t i = 0; i < each; ++i) {
                entries[t * each + i].mark = i;
                queue.put(entries[t * each + i]);
            }
        });
    }
    std::vector<std::size_t> next(threads);
    for (std::size_t taken = 0; taken < threads * each;) {
        entry* const e = queue.take();
        if (e == nullptr) {
            std::this_thread::yield();
            continue;
        }
        const std::size_t t = static_cast<std::size_t>(e - entries.get()) / each;
        ASSERT_EQ(e->mark, next[t]++);
        ++taken;
    }
    for (std::thread& t : running)
        t.join();
    EXPECT_EQ(queue.take(), nullptr);
    EXPECT_FALSE(queue.may_have());
}

} // namespace
