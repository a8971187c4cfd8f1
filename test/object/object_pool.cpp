// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/linear/linear_resource.hpp>
#include <arenite/object/object_pool.hpp>
#include <support/counting_resource.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

using namespace arenite;

namespace {

struct particle {
    float x = 0, y = 0;
    std::uint32_t age = 7;
};

/// Counts what happens to its objects.
struct counted {
    static inline int constructed, destroyed, acquired, released;
    static void reset() { constructed = destroyed = acquired = released = 0; }
    counted() { ++constructed; }
    counted(const counted&) = delete;
    counted& operator=(const counted&) = delete;
    ~counted() { ++destroyed; }
    void on_acquire() { ++acquired; }
    void on_acquire(int v, std::unique_ptr<int> owned = nullptr) {
        ++acquired;
        value = v + (owned ? *owned : 0);
    }
    void on_release() { ++released; }
    int value = 0;
};

struct each_time : object_rules {
    static constexpr bool construct_each_time = true;
};
struct without_members : object_rules {
    static constexpr bool notify_members = false;
};
struct without_functions : object_rules {
    static constexpr bool notify_functions = false;
};
struct without_both : object_rules {
    static constexpr bool notify_functions = false, notify_members = false;
};

struct small_blocks : object_rules {
    static constexpr std::size_t block_bytes = 4096;
};
template <class Pool>
concept takes_functions = requires(Pool& pool) { pool.on_acquire(nullptr); };

class object_pool_test : public testing::Test {
protected:
    object_pool_test() { counted::reset(); }
};

template <class Pool>
std::vector<typename Pool::pointer> acquire_many(Pool& pool, std::size_t n) {
    std::vector<typename Pool::pointer> all;
    for (std::size_t i = 0; i < n; ++i)
        all.push_back(pool.acquire());
    return all;
}

// ---- using objects again --------------------------------------------------------------------

TEST_F(object_pool_test, an_owner_is_one_word_and_gives_back_by_itself) {
    object_pool<counted> pool;
    static_assert(sizeof(pool.acquire()) == sizeof(void*));
    {
        auto x = pool.acquire();
        EXPECT_EQ(pool.size(), 1u);
        EXPECT_EQ(&object_pool<counted>::pool_of(*x), &pool);
    }
    EXPECT_TRUE(pool.empty());
    EXPECT_EQ(pool.idle(), 1u);
}

TEST_F(object_pool_test, objects_are_constructed_once_and_end_with_the_pool) {
    {
        object_pool<counted> pool;
        for (int round = 0; round < 5; ++round)
            acquire_many(pool, 1000).clear();
        EXPECT_EQ(counted::constructed, 1000);
        EXPECT_EQ(counted::destroyed, 0);
        EXPECT_EQ(pool.idle(), 1000u);
    }
    EXPECT_EQ(counted::destroyed, 1000);
    EXPECT_EQ(counted::acquired, 5000);
    EXPECT_EQ(counted::released, 5000);
}

TEST_F(object_pool_test, arguments_go_to_on_acquire_and_may_be_moved) {
    object_pool<counted> pool;
    auto x = pool.acquire(3, std::make_unique<int>(40));
    EXPECT_EQ(x->value, 43);
    x.reset();
    EXPECT_EQ(pool.acquire(5)->value, 5);
    EXPECT_EQ(counted::constructed, 1);
}

TEST_F(object_pool_test, without_arguments_and_members_an_object_is_as_it_was_left) {
    object_pool<particle> pool;
    auto x = pool.acquire();
    EXPECT_EQ(x->age, 7u);
    x->age = 99;
    const particle* const place = x.get();
    x.reset();
    auto y = pool.acquire();
    EXPECT_EQ(y.get(), place);
    EXPECT_EQ(y->age, 99u);
}

TEST_F(object_pool_test, what_needs_no_destructor_is_constructed_in_place_from_arguments) {
    object_pool<particle> pool;
    pool.acquire(1.0F, 2.0F, 3U).reset();
    auto x = pool.acquire(4.0F, 5.0F);
    EXPECT_EQ(x->y, 5.0F);
    EXPECT_EQ(x->age, 7u);
    EXPECT_EQ(pool.idle(), 0u);
}

TEST_F(object_pool_test, that_constructs_each_time_keeps_nothing_idle) {
    struct named {
        explicit named(std::string n) : name{std::move(n)} {}
        std::string name;
        counted count;
        void on_release() { FAIL() << "constructor and destructor tell"; }
    };
    object_pool<named, each_time> pool;
    for (int i = 0; i < 3; ++i) {
        auto x = pool.acquire(std::string(100, 'x'));
        EXPECT_EQ(x->name.size(), 100u);
        EXPECT_EQ(counted::constructed - counted::destroyed, 1);
    }
    EXPECT_EQ(counted::destroyed, 3);
    EXPECT_EQ(pool.idle(), 0u);
    auto x = pool.acquire("a");
    auto w = pool.weak(x);
    x = pool.acquire("b");
    EXPECT_TRUE(w.expired());
}

// ---- being told -----------------------------------------------------------------------------

TEST_F(object_pool_test, functions_are_called_inside_of_members_and_can_be_replaced) {
    struct told {
        std::string story;
        void on_acquire() { story += "m"; }
        void on_release() { story += "M"; }
    };
    object_pool<told> pool;
    told* object = nullptr;
    pool.on_acquire([&](told& t) {
        object = &t;
        t.story += "f";
    });
    pool.on_release([](told& t) { t.story += "F"; });
    pool.acquire().reset();
    EXPECT_EQ(object->story, "mfFM");
    pool.on_acquire(nullptr);
    pool.on_release([](told& t) { t.story += "G"; });
    pool.acquire().reset();
    EXPECT_EQ(object->story, "mfFMmGM");
}

TEST_F(object_pool_test, rules_switch_each_way_off) {
    {
        object_pool<counted, without_members> pool;
        int calls = 0;
        pool.on_release([&](counted&) { ++calls; });
        pool.acquire().reset();
        EXPECT_EQ(calls, 1);
        EXPECT_EQ(counted::acquired + counted::released, 0);
    }
    {
        object_pool<counted, without_functions> pool;
        pool.acquire().reset();
        EXPECT_EQ(counted::acquired, 1);
    }
    {
        object_pool<counted, without_both> pool;
        counted::reset();
        pool.acquire().reset();
        EXPECT_EQ(counted::constructed, 1);
        EXPECT_EQ(counted::acquired + counted::released, 0);
    }
    static_assert(!takes_functions<object_pool<counted, without_functions>>);
    static_assert(sizeof(object_pool<counted, without_both>) < sizeof(object_pool<counted>));
}

TEST_F(object_pool_test, notifications_may_use_the_pool) {
    struct cell {
        object_pool<cell>* pool = nullptr;
        object_pool<cell>::pointer part;
        void on_acquire(object_pool<cell>& from, int parts) {
            pool = &from;
            if (parts != 0)
                part = from.acquire(from, parts - 1);
        }
        void on_release() { part.reset(); }
    };
    object_pool<cell> pool;
    auto x = pool.acquire(pool, 10);
    EXPECT_EQ(pool.size(), 11u);
    x.reset();
    EXPECT_EQ(pool.size(), 0u);
    EXPECT_EQ(pool.idle(), 11u);
}

struct link {
    object_pool<link>::pointer next;
    static inline int depth, deepest;
    void on_release() {
        deepest = std::max(deepest, ++depth);
        next.reset();
        --depth;
    }
};

TEST_F(object_pool_test, a_chain_of_a_million_goes_back_without_recursion) {
    object_pool<link> pool;
    object_pool<link>::pointer head;
    for (int i = 0; i < 1'000'000; ++i) {
        auto x = pool.acquire();
        x->next = std::move(head);
        head = std::move(x);
    }
    link::deepest = 0;
    head.reset();
    EXPECT_TRUE(pool.empty());
    EXPECT_LE(link::deepest, static_cast<int>(destruction_queue::max_depth) + 1);
}

// An idle object owns one in use: nothing tells it to let go.
TEST_F(object_pool_test, what_is_idle_may_own_objects_until_it_ends) {
    struct hoarder {
        object_pool<hoarder>::pointer owned;
    };
    object_pool<hoarder> pool;
    for (int i = 0; i < 100; ++i) {
        auto x = pool.acquire();
        x->owned = pool.acquire();
    }
    EXPECT_NE(pool.size(), 0u);
    pool.trim();
    EXPECT_EQ(pool.size(), 0u);
    EXPECT_EQ(pool.idle(), 0u);
    EXPECT_EQ(pool.usage().bytes_reserved, 0u);
}

// ---- weak references ------------------------------------------------------------------------

TEST_F(object_pool_test, a_weak_reference_notices_that_the_object_came_back_and_left_again) {
    object_pool<particle> pool;
    EXPECT_TRUE(object_pool<particle>::weak_ptr{}.expired());
    EXPECT_TRUE(pool.weak(object_pool<particle>::pointer{}).expired());
    auto x = pool.acquire();
    particle* const place = x.get();
    const auto w = pool.weak(x);
    EXPECT_EQ(w.get(), place);
    x.reset();
    EXPECT_EQ(w.get(), nullptr);
    EXPECT_TRUE(pool.weak(*place).expired()) << "it is idle";
    x = pool.acquire();
    ASSERT_EQ(x.get(), place);
    EXPECT_EQ(w.get(), nullptr);
    EXPECT_EQ(pool.weak(x).get(), place);
}

TEST_F(object_pool_test, a_weak_reference_outlives_the_memory_of_its_object) {
    support::counting_resource up;
    object_pool<counted> pool{&up};
    for (int round = 0; round < 4; ++round) {
        auto many = acquire_many(pool, 20'000);
        std::vector<object_pool<counted>::weak_ptr> weak;
        for (const auto& x : many)
            weak.push_back(pool.weak(x));
        auto kept = std::move(many[10'000]);
        many.clear();
        pool.trim();
        EXPECT_EQ(weak[10'000].get(), kept.get()) << "it is still in use";
        EXPECT_EQ(weak[0].get(), nullptr);
        many = acquire_many(pool, 20'000); // in the same places, or where others were
        std::size_t left = 0;
        for (const auto& w : weak)
            left += w.get() != nullptr ? 1 : 0;
        EXPECT_EQ(left, 1u);
        many.clear();
        kept.reset();
        pool.trim();
        EXPECT_EQ(up.live(), 0u);
        EXPECT_EQ(weak[10'000].get(), nullptr);
    }
    EXPECT_EQ(counted::constructed, counted::destroyed);
}

// ---- going through them ---------------------------------------------------------------------

TEST_F(object_pool_test, those_in_use_are_met_in_address_order_in_any_way) {
    object_pool<particle> pool;
    EXPECT_EQ(pool.begin(), pool.end());
    auto many = acquire_many(pool, 50'000);
    for (std::size_t i = 0; i < many.size(); ++i)
        if (i % 3 != 0 || (i > 10'000 && i < 30'000))
            many[i].reset();
    std::set<const particle*> expected;
    for (const auto& x : many)
        if (x != nullptr)
            expected.insert(x.get());

    std::vector<const particle*> met;
    for (particle& p : pool)
        met.push_back(&p);
    EXPECT_TRUE(std::equal(met.begin(), met.end(), expected.begin(), expected.end()));
    met.clear();
    std::as_const(pool).for_each([&](const particle& p) { met.push_back(&p); });
    EXPECT_TRUE(std::equal(met.begin(), met.end(), expected.begin(), expected.end()));
    for (const std::size_t parts : {1u, 2u, 3u, 7u, 1000u, 100'000u}) {
        met.clear();
        for (std::size_t i = 0; i < parts; ++i)
            pool.part(i, parts).for_each([&](particle& p) { met.push_back(&p); });
        EXPECT_TRUE(std::equal(met.begin(), met.end(), expected.begin(), expected.end())) << parts;
        std::size_t n = 0;
        for (std::size_t i = 0; i < parts; ++i)
            for (const particle& p : std::as_const(pool).part(i, parts))
                n += expected.count(&p);
        EXPECT_EQ(n, expected.size());
    }
}

TEST_F(object_pool_test, any_may_be_released_and_acquired_on_the_way) {
    object_pool<particle> pool;
    auto many = acquire_many(pool, 10'000);
    std::vector<object_pool<particle>::pointer> born;
    std::size_t met = 0;
    for (particle& p : pool) {
        ASSERT_NE(p.age, 0u) << "one was met that is not in use";
        p.age = 1;
        const std::size_t next = met + 5;
        if (next < many.size() && many[next] != nullptr) {
            many[next]->age = 0;
            many[next].reset();
        }
        if (met++ % 2 == 0) {
            born.push_back(pool.acquire());
            born.back()->age = 1;
        }
    }
    EXPECT_EQ(pool.size(),
              born.size() + static_cast<std::size_t>(std::count_if(
                                many.begin(), many.end(), [](auto& x) { return x != nullptr; })));
}

// ---- memory ---------------------------------------------------------------------------------

TEST_F(object_pool_test, a_capacity_is_a_limit_however_far) {
    for (const int bits : {22, 30, 40, 58, 62}) {
        SCOPED_TRACE(bits);
        support::counting_resource up;
        object_pool<particle> pool{std::size_t{1} << bits, &up};
        EXPECT_EQ(pool.capacity(), std::size_t{1} << bits);
        auto x = pool.try_acquire();
        EXPECT_NE(x, nullptr);
        EXPECT_LE(pool.usage().bytes_reserved, std::size_t{3} << 20);
    }
    object_pool<particle> pool{200'000}; // more than it asks for at first
    auto all = acquire_many(pool, 200'000);
    EXPECT_EQ(pool.try_acquire(), nullptr);
    all.pop_back();
    EXPECT_NE(pool.try_acquire(), nullptr);
}

TEST_F(object_pool_test, of_a_capacity_that_is_small_asks_once) {
    support::counting_resource up;
    object_pool<particle> pool{50'000, &up};
    auto all = acquire_many(pool, 50'000);
    EXPECT_EQ(up.live(), 1u);
}

TEST_F(object_pool_test, of_a_fixed_capacity_says_no_and_goes_on) {
    for (const std::size_t capacity : {0u, 1u, 63u, 1000u}) {
        object_pool<counted> pool{capacity};
        EXPECT_EQ(pool.capacity(), capacity);
        auto all = acquire_many(pool, capacity);
        EXPECT_EQ(pool.try_acquire(), nullptr);
#if ARENITE_EXCEPTIONS
        EXPECT_THROW(static_cast<void>(pool.acquire()), out_of_memory);
#endif
        if (capacity != 0) {
            all.pop_back();
            EXPECT_NE(pool.try_acquire(), nullptr);
        }
        EXPECT_EQ(pool.size() + pool.idle(), capacity);
    }
}

TEST_F(object_pool_test, takes_what_a_region_of_the_users_gives) {
    alignas(4096) static std::array<std::byte, 16384> buffer;
    linear_resource region{std::span<std::byte>{buffer}};
    object_pool<particle, small_blocks> pool{&region};
    std::vector<object_pool<particle, small_blocks>::pointer> all;
    for (auto x = pool.try_acquire(); x != nullptr; x = pool.try_acquire())
        all.push_back(std::move(x));
    EXPECT_GT(all.size(), 900u);
    for (const auto& x : all)
        EXPECT_TRUE(region.owns(x.get()) && pool.owns(x.get()));
}

template <std::size_t Bytes, std::size_t Alignment>
void use_objects_of() {
    struct alignas(Alignment) object {
        std::array<unsigned char, Bytes> bytes;
    };
    object_pool<object> pool;
    auto many = acquire_many(pool, 3 * (1 + 100'000 / Bytes));
    for (std::size_t i = 0; i < many.size(); ++i) {
        ASSERT_TRUE(is_aligned(many[i].get(), Alignment));
        many[i]->bytes.fill(static_cast<unsigned char>(i));
    }
    for (std::size_t i = 0; i < many.size(); ++i) {
        ASSERT_EQ(many[i]->bytes.front(), static_cast<unsigned char>(i));
        ASSERT_EQ(many[i]->bytes.back(), static_cast<unsigned char>(i));
    }
    std::size_t met = 0;
    pool.for_each([&](object&) { ++met; });
    EXPECT_EQ(met, many.size());
}

TEST_F(object_pool_test, holds_objects_of_any_size_and_alignment) {
    use_objects_of<1, 1>();
    use_objects_of<3, 1>();
    use_objects_of<40, 8>();
    use_objects_of<100, 4>();
    use_objects_of<64, 256>();
    use_objects_of<5000, 64>();
    use_objects_of<1 << 20, 16>();
}

TEST_F(object_pool_test, an_upstream_that_refuses_at_the_nth_call_changes_nothing) {
    for (std::size_t n = 0; n < 4; ++n) {
        support::counting_resource up;
        object_pool<counted> pool{&up};
        up.fail_after(n);
        std::vector<object_pool<counted>::pointer> all;
        while (all.size() < 200'000) {
            auto x = pool.try_acquire();
            if (x == nullptr)
                break;
            all.push_back(std::move(x));
        }
        ASSERT_LT(all.size(), 200'000u);
        EXPECT_EQ(pool.size(), all.size());
        up.never_fail();
        EXPECT_NE(pool.try_acquire(), nullptr);
    }
    EXPECT_EQ(counted::constructed, counted::destroyed);
}

TEST_F(object_pool_test, usage_counts_objects_in_use) {
    object_pool<counted> pool;
    auto many = acquire_many(pool, 100);
    many.resize(10);
    EXPECT_EQ(pool.usage().live_allocations, 10u);
    EXPECT_EQ(pool.usage().bytes_in_use, 10 * sizeof(counted));
    EXPECT_GE(pool.usage().high_water_bytes, 10 * sizeof(counted));
}

} // namespace
