// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/object/object_pool.hpp>
#include <support/counting_resource.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <vector>

using namespace arenite;

namespace {

struct counted {
    static inline int constructed, destroyed, released;
    counted() { ++constructed; }
    counted(const counted&) = delete;
    counted& operator=(const counted&) = delete;
    ~counted() { ++destroyed; }
    void on_release() { ++released; }
    int value = 0;
};

struct each_time : object_rules {
    static constexpr bool construct_each_time = true;
};

struct pool_weak_ptr : testing::Test {
    void SetUp() override { counted::constructed = counted::destroyed = counted::released = 0; }
};

/// The mark of an object of a pool.
template <class Pool>
std::uint32_t& mark_of(const typename Pool::value_type& object) {
    using value = typename Pool::value_type;
    return detail::object_slots::geometry::of(slot::of<value>(), Pool::rules::block_bytes)
        .mark_of(&object);
}

TEST_F(pool_weak_ptr, a_weak_reference_can_be_taken_while_its_object_is_acquired) {
    object_pool<counted> pool;
    std::vector<object_pool<counted>::weak_ptr> seen;
    pool.on_acquire([&](counted& x) {
        seen.push_back(pool.weak(x));
        EXPECT_EQ(std::distance(&x, &*pool.begin()), 0) << "it is met as well";
        EXPECT_EQ(pool.idle(), 0u);
    });
    auto x = pool.acquire();
    EXPECT_EQ(seen.back().get(), x.get());
    x.reset();
    EXPECT_TRUE(seen.back().expired());
    x = pool.acquire();
    EXPECT_EQ(seen.back().get(), x.get());
    EXPECT_TRUE(seen.front().expired());
}

TEST_F(pool_weak_ptr, references_that_find_the_same_are_equal) {
    object_pool<counted> pool;
    auto x = pool.acquire(), y = pool.acquire();
    const auto a = pool.weak(x), b = pool.weak(x), c = pool.weak(y);
    EXPECT_EQ(a, b);
    EXPECT_NE(a, c);
    x.reset();
    EXPECT_EQ(a, object_pool<counted>::weak_ptr{});
}

TEST_F(pool_weak_ptr, on_acquire_may_take_a_weak_reference_to_its_object) {
    struct watched {
        object_pool<watched>::weak_ptr self;
        void on_acquire() noexcept { self = object_pool<watched>::pool_of(*this).weak(*this); }
    };
    object_pool<watched> pool;
    for (int i = 0; i < 3; ++i) {
        const auto x = pool.acquire();
        EXPECT_EQ(x->self.get(), x.get());
    }
}

TEST_F(pool_weak_ptr, a_slot_that_was_used_as_often_as_can_be_counted_is_retired) {
    using pool_of_counted = object_pool<counted>;
    support::counting_resource up;
    {
        pool_of_counted pool{3, &up};
        auto x = pool.acquire();
        counted* const place = x.get();
        const auto weak = pool.weak(x);
        auto other = pool.acquire();
        mark_of<pool_of_counted>(*x) = UINT32_MAX - 2; // as if it had been acquired 2^30 times
        const auto last = pool.weak(x);
        EXPECT_EQ(last.get(), place);
        x.reset();
        EXPECT_EQ(counted::destroyed, 1);
        EXPECT_EQ(counted::released, 1);
        EXPECT_EQ(pool.size(), 1u);
        EXPECT_EQ(pool.idle(), 0u);
        auto next = pool.acquire();
        EXPECT_NE(next.get(), place);
        EXPECT_EQ(pool.try_acquire(), nullptr) << "the capacity has one less";
        EXPECT_TRUE(weak.expired());
        EXPECT_TRUE(last.expired());
        std::size_t met = 0;
        for ([[maybe_unused]] counted& c : pool)
            ++met;
        EXPECT_EQ(met, 2u);

        pool.trim();
        EXPECT_EQ(pool.try_acquire(), nullptr) << "others are in use in its block";
        next.reset();
        other.reset();
        pool.trim();
        EXPECT_EQ(up.live(), 0u) << "nothing was in use in its block";
        std::vector<pool_of_counted::pointer> all;
        for (int i = 0; i < 3; ++i)
            all.push_back(pool.acquire());
        EXPECT_TRUE(weak.expired());
        EXPECT_TRUE(last.expired());
        mark_of<pool_of_counted>(*all[1]) = UINT32_MAX - 2;
    }
    EXPECT_EQ(counted::constructed, counted::destroyed);
    EXPECT_EQ(up.live(), 0u);
}

TEST_F(pool_weak_ptr, that_constructs_each_time_retires_slots_as_well) {
    using pool_each_time = object_pool<counted, each_time>;
    pool_each_time pool;
    auto x = pool.acquire();
    counted* const place = x.get();
    mark_of<pool_each_time>(*x) = UINT32_MAX - 2;
    const auto weak = pool.weak(x);
    x.reset();
    EXPECT_EQ(counted::destroyed, 1);
    EXPECT_TRUE(weak.expired());
    EXPECT_EQ(pool.size(), 0u);
    EXPECT_NE(pool.acquire().get(), place);
    pool.trim();
    x = pool.acquire();
    EXPECT_TRUE(weak.expired());
}

} // namespace
