// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/object/detail/object_range.hpp>
#include <arenite/object/object_pool.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <iterator>
#include <ranges>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

using namespace arenite;

namespace {

struct body {
    int mass = 1;
    int visits = 0;
};
using pool = object_pool<body>;

static_assert(std::forward_iterator<pool::iterator>);
static_assert(std::ranges::forward_range<pool>);
static_assert(std::is_same_v<std::ranges::range_reference_t<const pool>, const body&>);

TEST(object_range, works_with_algorithms_and_views) {
    pool bodies;
    std::vector<pool::pointer> all;
    for (int i = 0; i < 1000; ++i) {
        all.push_back(bodies.acquire());
        all.back()->mass = i;
    }
    EXPECT_EQ(std::ranges::count_if(bodies, [](const body& b) { return b.mass % 2 == 0; }), 500);
    EXPECT_EQ(std::ranges::find(bodies, 77, &body::mass)->mass, 77);
    auto first = bodies.begin();
    const auto before = first++;
    EXPECT_EQ(std::ranges::next(before), first);
    EXPECT_EQ(before->mass, 0);
}

TEST(object_range, of_an_empty_pool_is_empty) {
    pool bodies;
    EXPECT_EQ(std::ranges::distance(bodies), 0);
    bodies.acquire().reset();
    EXPECT_EQ(std::ranges::distance(bodies), 0);
    for (std::size_t i = 0; i < 5; ++i)
        EXPECT_EQ(std::ranges::distance(bodies.part(i, 5)), 0);
}

TEST(object_range_threads, each_job_has_a_part) {
    pool bodies;
    std::vector<pool::pointer> all;
    for (int i = 0; i < 100'000; ++i)
        all.push_back(bodies.acquire());
    for (std::size_t i = 0; i < all.size(); i += 3)
        all[i].reset();
    constexpr std::size_t jobs = 4;
    std::atomic<std::size_t> met{0};
    std::vector<std::thread> threads;
    for (std::size_t job = 0; job < jobs; ++job) {
        threads.emplace_back([&, job] {
            std::size_t n = 0;
            bodies.part(job, jobs).for_each([&](body& b) {
                ++b.visits;
                ++n;
            });
            EXPECT_GT(n, all.size() / 10) << "the parts are about as long as each other";
            met += n;
        });
    }
    for (std::thread& t : threads)
        t.join();
    EXPECT_EQ(met, bodies.size());
    EXPECT_TRUE(std::ranges::all_of(bodies, [](const body& b) { return b.visits == 1; }));
}

} // namespace
