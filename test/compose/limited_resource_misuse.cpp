// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A limited_resource under misuse, and with several threads.
#include <arenite/compose/limited_resource.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/system_resource.hpp>
#include <arenite/ordered/ordered_heap.hpp>

#include <gtest/gtest.h>

#include "support/piece.hpp"

#include <atomic>
#include <cmath>
#include <cstddef>
#include <thread>
#include <vector>

using namespace arenite;
using support::give;
using support::piece;
using support::take;

namespace {

using limited_heap = limited_resource<ordered_heap>;

// ---- misuse -------------------------------------------------------------------------------------

TEST(limited_resource_death, a_reserve_above_the_budget_or_a_share_that_is_none_is_reported) {
    EXPECT_DEATH((limited_heap{limited_options{.budget_bytes = 10, .reserve_bytes = 11}}),
                 "reserve of a limited_resource, 11 bytes, is larger than its budget, 10 bytes");
    for (const double share : {-0.1, 1.1, std::nan("")})
        EXPECT_DEATH((limited_heap{limited_options{.budget_bytes = 10, .warn_at = share}}),
                     "it is a share, from 0 to 1");
}

TEST(limited_resource_death, freeing_without_a_size_needs_a_heap_that_keeps_sizes) {
    limited_heap lr{1000};
    void* const p = lr.allocate(10);
    EXPECT_DEATH(lr.deallocate(p), "needs a heap of sizes::kept");
    lr.deallocate(p, 10);
}

TEST(limited_resource_death, freeing_what_another_one_gave_is_reported) {
    if (!checks_enabled)
        GTEST_SKIP() << "checked builds only";
    ordered_heap heap;
    limited_resource one{1000, heap}, other{1000, heap};
    const piece a = take(one, 100);
    EXPECT_DEATH(other.deallocate(a.p, 100),
                 "more was freed through a limited_resource than it gave");
    give(one, a);
}

// ---- threads ------------------------------------------------------------------------------------

TEST(limited_resource_threads, share_a_budget_to_the_last_byte) {
    static std::atomic<int> warned;
    warned = 0;
    limited_resource<malloc_resource> lr{
        limited_options{.budget_bytes = 50'000,
                        .on_warning = [](std::size_t, std::size_t, void*) { ++warned; },
                        .reserve_bytes = 10'000}};
    std::atomic<int> got{0};
    std::vector<std::vector<void*>> all(4);
    std::vector<std::thread> threads;
    for (auto& mine : all)
        threads.emplace_back([&lr, &got, &mine] {
            for (void* p = nullptr; (p = lr.try_allocate(10)) != nullptr;) {
                mine.push_back(p);
                ++got;
            }
        });
    for (std::thread& t : threads)
        t.join();
    EXPECT_EQ(warned.load(), 1);
    EXPECT_TRUE(lr.reserve_is_open());
    EXPECT_GE(got.load(), 4000);
    while (void* p = lr.try_allocate(10)) { // where all were refused before one had opened it
        all[0].push_back(p);
        ++got;
    }
    EXPECT_EQ(got.load(), 5000);
    EXPECT_EQ(lr.in_use(), 50'000u);
    for (const auto& mine : all)
        for (void* p : mine)
            lr.deallocate(p, 10);
    EXPECT_EQ(lr.in_use(), 0u);
    EXPECT_TRUE(lr.restore_reserve());
}

} // namespace
