// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/detail/atomic_access.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <thread>

using namespace arenite;

namespace {

TEST(atomic_access_threads, who_sees_what_was_released_sees_what_was_written_before) {
    int written = 0;
    int* published = nullptr;
    std::thread other{[&] {
        const int* seen = nullptr;
        while ((seen = detail::atomic_load(published, std::memory_order_acquire)) == nullptr)
            std::this_thread::yield();
        EXPECT_EQ(*seen, 42);
    }};
    written = 42;
    detail::atomic_store(published, &written, std::memory_order_release);
    other.join();
}

TEST(glance, gives_the_value) {
    const std::size_t seven = 7;
    EXPECT_EQ(detail::glance(seven), 7u);
    int x = 0;
    int* p = &x;
    EXPECT_EQ(detail::glance(p), &x);
}

TEST(glance_threads, sees_one_of_the_values_that_were_written) {
    constexpr unsigned half = sizeof(std::size_t) * 4; // both halves are alike
    constexpr std::size_t rounds = 50'000;
    std::size_t counter = 0;
    std::atomic<bool> begun{false};
    std::thread writer{[&] {
        begun.store(true);
        for (std::size_t i = 0; i < rounds; ++i)
            *static_cast<volatile std::size_t*>(&counter) = i * (1 + (std::size_t{1} << half));
    }};
    while (!begun.load())
        std::this_thread::yield();
    for (int i = 0; i < 1000; ++i) {
        const std::size_t seen = detail::glance(counter);
        EXPECT_EQ(seen >> half, seen % (std::size_t{1} << half));
    }
    writer.join();
    EXPECT_EQ(counter, std::size_t{rounds - 1} * (1 + (std::size_t{1} << half)));
}

} // namespace
