// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/config.hpp>
#include <arenite/object/object_pool.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <stdexcept>

using namespace arenite;

namespace {

#if ARENITE_EXCEPTIONS
struct each_time : object_rules {
    static constexpr bool construct_each_time = true;
};

struct moody {
    static inline int fail_in = -1, alive = 0;
    static void maybe() {
        if (fail_in >= 0 && fail_in-- == 0)
            throw std::runtime_error{"now"};
    }
    moody() {
        maybe();
        ++alive;
    }
    ~moody() { --alive; }
    void on_acquire() { maybe(); }
    void on_release() { maybe(); }
};

TEST(object_pool_throwing, whatever_throws_leaves_it_as_it_was) {
    for (const bool reused : {false, true}) {
        object_pool<moody> pool;
        pool.on_acquire([](moody&) { moody::maybe(); });
        if (reused)
            pool.acquire().reset();
        const std::size_t idle = pool.idle();
        int failures = 0;
        for (moody::fail_in = 0;; moody::fail_in = ++failures) {
            try {
                auto x = pool.acquire();
                moody::fail_in = -1;
                break;
            } catch (const std::runtime_error&) {
                EXPECT_EQ(pool.size(), 0u);
                EXPECT_EQ(pool.idle(), idle);
                EXPECT_EQ(moody::alive, reused ? 1 : 0);
                EXPECT_EQ(pool.begin(), pool.end());
            }
        }
        EXPECT_EQ(failures, reused ? 2 : 3);
        moody::fail_in = -1;

        auto x = pool.acquire();
        auto w = pool.weak(x);
        moody::fail_in = 0;
        EXPECT_THROW(pool.release(x), std::runtime_error);
        EXPECT_EQ(w.get(), x.get()) << "it is still in use, and owned";
        pool.release(x);
        EXPECT_EQ(x, nullptr);
        EXPECT_TRUE(w.expired());
    }
    EXPECT_EQ(moody::alive, 0);
}

TEST(object_pool_throwing, a_weak_reference_to_what_was_not_acquired_after_all_finds_nothing) {
    object_pool<moody> pool;
    object_pool<moody>::weak_ptr w;
    bool fails = true;
    pool.on_acquire([&](moody& x) {
        if (!fails)
            return;
        w = pool.weak(x);
        throw std::runtime_error{"now"};
    });
    for (const bool reused : {false, true}) {
        fails = true;
        EXPECT_THROW(static_cast<void>(pool.acquire()), std::runtime_error);
        EXPECT_TRUE(w.expired());
        EXPECT_EQ(pool.idle(), reused ? 1u : 0u);
        fails = false;
        auto x = pool.acquire();
        EXPECT_TRUE(w.expired());
    }
}

TEST(object_pool_throwing, a_constructor_that_throws_in_place_loses_only_what_was_idle) {
    struct strict {
        explicit strict(int v) : value{v} {
            if (v < 0)
                throw std::runtime_error{"negative"};
        }
        int value;
    };
    object_pool<strict> pool;
    auto w = pool.weak(pool.acquire(1));
    EXPECT_THROW(static_cast<void>(pool.acquire(-1)), std::runtime_error);
    EXPECT_EQ(pool.size() + pool.idle(), 0u);
    auto x = pool.acquire(2);
    EXPECT_TRUE(w.expired());
    x.reset();
    object_pool<strict, each_time> other;
    EXPECT_THROW(static_cast<void>(other.acquire(-1)), std::runtime_error);
    EXPECT_EQ(other.acquire(3)->value, 3);
}
#else
TEST(object_pool_throwing, needs_exceptions) { GTEST_SKIP() << "nothing throws in this build"; }
#endif

} // namespace
