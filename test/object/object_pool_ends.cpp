// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/object/object_pool.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <vector>

using namespace arenite;

// What the ends of objects that wait may do to their pool.

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
            EXPECT_EQ(pool->waiting() + pool->size(), alive.size());
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
        EXPECT_EQ(pool.waiting(), 0u);
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

} // namespace
