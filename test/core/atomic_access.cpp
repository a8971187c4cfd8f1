// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/detail/atomic_access.hpp>

#include <gtest/gtest.h>

#include <atomic>
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

} // namespace
