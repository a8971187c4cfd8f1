// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/object/object_pool.hpp>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"

#include <cstddef>
#include <limits>
#include <set>
#include <stdexcept>
#include <vector>

using namespace arenite;

// Ends of idle objects that use their pool; the release of all; memory ahead.

namespace {

/// Its end acquires another one.
struct phoenix {
    static inline object_pool<phoenix>* pool;
    static inline std::vector<object_pool<phoenix>::pointer> risen;
    static inline std::set<const phoenix*> alive;
    static inline std::size_t to_rise, trims;
    phoenix() { EXPECT_TRUE(alive.insert(this).second) << "there is one already"; }
    phoenix(const phoenix&) = delete;
    phoenix& operator=(const phoenix&) = delete;
    ~phoenix() {
        if (to_rise != 0) {
            --to_rise;
            const std::size_t used = pool->size();
            risen.push_back(pool->acquire());
            EXPECT_NE(risen.back().get(), this);
            EXPECT_EQ(pool->size(), used + 1);
            EXPECT_EQ(pool->idle() + pool->size(), alive.size());
            if (to_rise % 3 == 0)
                risen.back().reset();
            if (trims != 0 && to_rise % 5 == 0) {
                --trims;
                pool->trim();
            }
        }
        EXPECT_EQ(alive.erase(this), 1u);
    }
};

struct in_small_blocks : object_rules {
    static constexpr std::size_t block_bytes = 4096;
};

std::vector<object_pool<phoenix>::pointer> acquire_many(object_pool<phoenix>& pool, std::size_t n) {
    std::vector<object_pool<phoenix>::pointer> all;
    for (std::size_t i = 0; i < n; ++i)
        all.push_back(pool.acquire());
    return all;
}

TEST(object_pool_ends, an_object_s_end_may_acquire_another_in_another_place) {
    for (const std::size_t objects : {1u, 2u, 64u, 65u, 3'000u, 50'000u}) {
        SCOPED_TRACE(objects);
        object_pool<phoenix> pool;
        phoenix::pool = &pool;
        acquire_many(pool, objects).clear();
        auto kept = acquire_many(pool, objects / 3);
        phoenix::trims = 3;
        phoenix::to_rise = objects / 2 + 1;
        pool.trim();
        EXPECT_EQ(pool.idle(), 0u);
        EXPECT_EQ(pool.size(), phoenix::alive.size());
        std::size_t met = 0;
        pool.for_each([&](phoenix& p) { met += phoenix::alive.count(&p); });
        EXPECT_EQ(met, phoenix::alive.size());
        phoenix::to_rise = 0;
        phoenix::risen.clear();
        kept.clear();
        pool.trim();
        EXPECT_EQ(phoenix::alive.size(), 0u);
        EXPECT_EQ(pool.usage().bytes_reserved, 0u);
    }
}

struct each_time : object_rules {
    static constexpr bool construct_each_time = true;
};

struct spark {
    int heat = 1;
    int rest[5] = {};
    void on_release() { heat = 0; }
};

template <class Rules>
void released_together() {
    object_pool<spark, Rules> pool;
    std::vector<spark*> sparks;
    for (int i = 0; i < 1000; ++i)
        sparks.push_back(pool.acquire().release()); // its owner lets go
    auto seen = pool.weak(*sparks[500]);
    std::size_t told = 0;
    pool.on_release([&](spark&) { ++told; });
    pool.release_all();
    EXPECT_EQ(told, 1000u);
    EXPECT_TRUE(pool.empty());
    EXPECT_TRUE(seen.expired());
    EXPECT_FALSE(pool.contains(sparks[0]));
    EXPECT_EQ(pool.idle(), Rules::construct_each_time ? 0u : 1000u);
    pool.release_all();
    EXPECT_EQ(told, 1000u);
}

TEST(object_pool_ends, all_are_released_together) {
    released_together<object_rules>();
    released_together<each_time>();
}

TEST(object_pool_ends, a_release_of_all_goes_as_far_as_nothing_throws) {
#if ARENITE_EXCEPTIONS
    object_pool<spark> pool;
    for (int i = 0; i < 10; ++i)
        static_cast<void>(pool.acquire().release());
    std::size_t told = 0;
    pool.on_release([&](spark&) {
        if (told == 4)
            throw std::runtime_error("told to");
        ++told;
    });
    EXPECT_THROW(pool.release_all(), std::runtime_error);
    EXPECT_EQ(pool.size(), 6u);
    told = 5;
    pool.release_all();
    EXPECT_TRUE(pool.empty());
#else
    GTEST_SKIP() << "nothing throws in this build";
#endif
}

TEST(object_pool_ends_death, an_owner_whose_object_was_released_with_all_is_found) {
    EXPECT_DEATH(
        {
            object_pool<spark> pool;
            const auto kept = pool.acquire();
            pool.release_all();
        },
        "slot 0, was given back to object_pool .*: it is not in use");
}

TEST(object_pool_ends, contain_what_is_in_use_and_nothing_else) {
    object_pool<spark> pool;
    object_pool<spark> other;
    const auto x = pool.acquire();
    auto gone = pool.acquire();
    const spark* const was = gone.get();
    gone.reset();
    const auto foreign = other.acquire();
    const spark local;
    EXPECT_TRUE(pool.contains(x.get()));
    const spark* const within = reinterpret_cast<const spark*>(&x->rest[0]);
    const spark* const others[]{was, foreign.get(), &local, within, nullptr};
    for (const spark* const p : others)
        EXPECT_FALSE(pool.contains(p));
}

template <class Rules>
void asked_ahead() {
    support::counting_resource up;
    object_pool<spark, Rules> pool{&up};
    std::vector<typename object_pool<spark, Rules>::pointer> all;
    for (const std::size_t objects : {10u, 10u, 1'000u, 100'000u, 70'000u, 250'000u}) {
        SCOPED_TRACE(objects);
        const std::size_t calls = up.calls();
        pool.reserve(objects);
        EXPECT_LE(up.calls(), calls + 1) << "in one request";
        const std::size_t then = up.calls();
        while (all.size() < objects)
            all.push_back(pool.acquire());
        EXPECT_EQ(up.calls(), then);
        all.resize(all.size() / 2);
        for (std::size_t i = 0; objects == 1'000 && i < all.size(); i += 9)
            all[i].reset(); // holes, too few to be looked for
        std::erase(all, nullptr);
    }
    EXPECT_FALSE(pool.try_reserve(std::numeric_limits<std::size_t>::max()));
    EXPECT_FALSE(pool.try_reserve(std::numeric_limits<std::size_t>::max() / sizeof(spark)));
    all.clear();
    pool.reserve(400'000);
    pool.reserve(500'000);
    pool.trim(); // what was never used, too
    EXPECT_EQ(up.live(), 0u);
    pool.reserve(100);
    EXPECT_GT(pool.usage().bytes_reserved, 0u);
    all.push_back(pool.acquire());
}

TEST(object_pool_ends, memory_is_there_for_as_many_as_were_reserved) {
    asked_ahead<object_rules>();
    SCOPED_TRACE("constructed each time");
    asked_ahead<each_time>();
}

TEST(object_pool_ends, a_reserve_that_is_refused_or_beyond_the_capacity_changes_nothing) {
    support::counting_resource up;
    object_pool<spark> pool{10, &up};
    EXPECT_FALSE(pool.try_reserve(11));
    EXPECT_TRUE(pool.try_reserve(0));
    EXPECT_EQ(up.calls(), 0u);
    up.fail_after(0);
    EXPECT_FALSE(pool.try_reserve(10));
#if ARENITE_EXCEPTIONS
    EXPECT_THROW(pool.reserve(10), out_of_memory);
    EXPECT_THROW(pool.reserve(11), out_of_memory);
#endif
    up.never_fail();
    pool.reserve(10);
    up.fail_after(0);
    std::vector<object_pool<spark>::pointer> all;
    for (int i = 0; i < 10; ++i)
        all.push_back(pool.acquire());
    EXPECT_EQ(pool.try_acquire(), nullptr);
}

TEST(object_pool_ends, idle_objects_stay_where_a_reserve_is_refused) {
    support::counting_resource up;
    {
        object_pool<phoenix, in_small_blocks> pool{&up};
        {
            std::vector<object_pool<phoenix, in_small_blocks>::pointer> all;
            for (int n = 0; n < 5'000; ++n)
                all.push_back(pool.acquire());
        }
        EXPECT_EQ(pool.idle(), 5'000u);
        up.fail_after(0);
        EXPECT_FALSE(pool.try_reserve(100'000));
        EXPECT_EQ(pool.idle(), 5'000u);
        for (int n = 0; n < 5'000; ++n)
            EXPECT_NE(pool.try_acquire(), nullptr);
        EXPECT_EQ(phoenix::alive.size(), 5'000u);
    }
    EXPECT_TRUE(phoenix::alive.empty());
}

} // namespace
