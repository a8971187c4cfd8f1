// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/detail/glance.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <thread>

using namespace arenite;

namespace {

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
