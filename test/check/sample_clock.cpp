// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/detail/sample_clock.hpp>

#include <arenite/check/no_allocation_scope.hpp>
#include <arenite/compose/sampled_resource.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>

using namespace arenite;

namespace {

TEST(sample_clock, counts_the_bytes_of_its_thread_down) {
    site_sampler sampler{"clock"};
    int object = 0;
    detail::sample_clock = 1000;
    sampler.on_allocate(&object, 300);
    EXPECT_EQ(detail::sample_clock, 700);
    sampler.on_allocate(&object, 700);
    EXPECT_EQ(detail::sample_clock, 0);
    sampler.on_allocate(&object, 1); // sampling is off: looked at again later
    EXPECT_GT(detail::sample_clock, 1000);
}

TEST(sample_clock, is_due_within_a_scope_and_goes_on_after_it) {
    detail::sample_clock = 1000;
    {
        no_allocation_scope promise;
        EXPECT_EQ(detail::sample_clock, detail::sample_clock_due);
    }
    EXPECT_EQ(detail::sample_clock, 1000);
}

TEST(sample_clock_threads, is_of_each_thread_its_own) {
    detail::sample_clock = 1000;
    std::int64_t other = -1;
    std::thread{[&] { other = detail::sample_clock; }}.join();
    EXPECT_EQ(other, 0);
    EXPECT_EQ(detail::sample_clock, 1000);
}

} // namespace
