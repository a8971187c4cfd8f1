// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/system_resource.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <thread>

#include "support/addresses.hpp"

using namespace arenite;

namespace {

TEST(system_resource, is_one_and_the_same) { EXPECT_EQ(&system_resource(), &system_resource()); }

TEST(system_resource, zero_bytes_are_distinct_and_can_be_freed) {
    void* a = system_resource().allocate(0);
    void* b = system_resource().allocate(0);
    EXPECT_NE(a, nullptr);
    EXPECT_NE(a, b);
    system_resource().deallocate(a, 0);
    system_resource().deallocate(b, 0);
}

TEST(system_resource, every_alignment_to_64_kib_is_honoured) {
    for (std::size_t alignment = 1; alignment <= 64 * 1024; alignment *= 2) {
        for (const std::size_t bytes :
             {std::size_t{0}, std::size_t{1}, std::size_t{40}, alignment, alignment + 1}) {
            void* p = system_resource().allocate(bytes, alignment);
            EXPECT_TRUE(is_aligned(p, alignment)) << bytes << " at " << alignment;
            std::memset(p, 0xab, bytes);
            system_resource().deallocate(p, bytes, alignment);
        }
    }
}

TEST(system_resource, sizes_near_the_largest_fail_cleanly) {
    constexpr std::size_t largest = std::numeric_limits<std::size_t>::max();
    for (std::size_t alignment = 1; alignment != 0; alignment *= 2) {
        for (const std::size_t bytes : {largest, largest - 1, largest - alignment, largest / 2,
                                        largest / 2 + 1, largest / 2 - alignment})
            EXPECT_EQ(system_resource().try_allocate(bytes, alignment), nullptr)
                << bytes << " at " << alignment;
    }
}

TEST(system_resource, an_alignment_that_no_system_has_fails_cleanly) {
    EXPECT_EQ(system_resource().try_allocate(8, support::largest_power), nullptr);
    EXPECT_EQ(system_resource().try_allocate(8, support::largest_power / 2), nullptr);
}

TEST(system_resource, an_alignment_that_is_no_power_of_two_is_refused) {
    if constexpr (!checks_enabled) {
        EXPECT_EQ(system_resource().try_allocate(8, 0), nullptr);
        EXPECT_EQ(system_resource().try_allocate(8, 24), nullptr);
    }
}

TEST(system_resource_death, an_alignment_that_is_no_power_of_two_is_a_violation_where_checked) {
    if constexpr (checks_enabled) {
        EXPECT_DEATH(static_cast<void>(system_resource().try_allocate(8, 24)), "power of two");
    }
}

// Constructed before main and destroyed after it.
struct early_and_late {
    void* p = system_resource().allocate(16);
    ~early_and_late() { system_resource().deallocate(p, 16); }
} before_main_and_after;

TEST(system_resource, serves_before_main_and_after_it) {
    EXPECT_NE(before_main_and_after.p, nullptr);
}

TEST(system_resource_threads, serves_any_thread) {
    const auto work = [] {
        for (int i = 0; i < 1000; ++i)
            system_resource().deallocate(system_resource().allocate(32), 32);
    };
    std::thread other{work};
    work();
    other.join();
}

} // namespace
