// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/os/detail/page_mutex.hpp>

#include <gtest/gtest.h>

#include <mutex>
#include <thread>
#include <vector>

using namespace arenite;

namespace {

constinit detail::os::page_mutex there_before_any_code; // compiles, or is none

TEST(page_mutex, is_held_by_one_at_a_time) {
    detail::os::page_mutex& mutex = there_before_any_code;
    mutex.lock();
    bool taken = true;
    std::thread{[&] { taken = mutex.try_lock(); }}.join();
    EXPECT_FALSE(taken);
    mutex.unlock();
    EXPECT_TRUE(mutex.try_lock());
    mutex.unlock();
}

#if !defined(_WIN32)
TEST(page_mutex_threads, who_holds_it_for_a_fork_goes_through) {
    detail::os::page_mutex mutex;
    mutex.lock_for_fork();
    mutex.lock(); // or it hangs
    EXPECT_TRUE(mutex.try_lock());
    mutex.unlock();
    bool taken = true;
    std::thread{[&] { taken = mutex.try_lock(); }}.join();
    EXPECT_FALSE(taken);
    mutex.unlock_after_fork();
    std::thread{[&] {
        taken = mutex.try_lock();
        mutex.unlock();
    }}.join();
    EXPECT_TRUE(taken);
}
#endif

TEST(page_mutex_threads, what_it_guards_is_changed_by_one_after_another) {
    detail::os::page_mutex mutex;
    int count = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 10'000; ++i) {
                const std::lock_guard lock{mutex};
                ++count;
            }
        });
    for (std::thread& t : threads)
        t.join();
    EXPECT_EQ(count, 40'000);
}

} // namespace
