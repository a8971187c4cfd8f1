// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/glance.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <thread>

using namespace arenite;

namespace {

TEST(glance, gives_the_value) {
    const std::size_t seven = 7;
    EXPECT_EQ(glance(seven), 7u);
    int x = 0;
    int* p = &x;
    EXPECT_EQ(glance(p), &x);
}

TEST(glance_threads, sees_one_of_the_values_that_were_written) {
    std::size_t counter = 0;
    std::atomic<bool> begun{false};
    std::thread writer{[&] {
        begun.store(true);
        for (std::size_t i = 0; i < 100'000; ++i)
            *static_cast<volatile std::size_t*>(&counter) = i * 0x100000001;
    }};
    while (!begun.load())
        std::this_thread::yield();
    for (int i = 0; i < 1000; ++i) {
        const std::size_t seen = glance(counter);
        EXPECT_EQ(seen >> 32, seen & 0xffffffff);
    }
    writer.join();
    EXPECT_EQ(counter, std::size_t{99'999} * 0x100000001);
}

} // namespace
