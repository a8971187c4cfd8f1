// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/config.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/object/object_pool.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdio>
#include <stdexcept>

using namespace arenite;

namespace {

struct particle {
    float x = 0, y = 0;
    int age = 0;
};

TEST(object_pool_death, giving_back_twice_names_the_pool_and_the_slot) {
    object_pool<particle> pool;
    auto first = pool.acquire();
    auto x = pool.acquire();
    particle* const p = x.get();
    x.reset();
    EXPECT_DEATH((object_pool<particle>::pointer{p}.reset()),
                 "slot 1, was given back to object_pool 0x[0-9a-f]+: it is not in use");
}

struct each_time : object_rules {
    static constexpr bool construct_each_time = true;
};
struct told {
    ~told() { std::fputs("destroyed ", stderr); }
    void on_release() { std::fputs("released ", stderr); }
};

template <class Rules>
void give_back_twice() {
    object_pool<told, Rules> pool;
    auto x = pool.acquire();
    told* const p = x.get();
    x.reset();
    pool.on_release([](told&) { std::fputs("called ", stderr); });
    std::fputs("twice: ", stderr);
    typename object_pool<told, Rules>::pointer{p}.reset();
}

// Neither the functions nor the destructor see what is no object in use.
TEST(object_pool_death, giving_back_twice_is_found_before_anything_is_called) {
    constexpr const char* at_once =
        "twice: arenite: contract violated: .*slot 0, was given back .*: it is not in use";
    EXPECT_DEATH(give_back_twice<object_rules>(), at_once);
    EXPECT_DEATH(give_back_twice<each_time>(), at_once);
}

TEST(object_pool_death, releasing_to_another_pool_is_found) {
    object_pool<particle> pool;
    object_pool<particle> other;
    auto x = pool.acquire();
    EXPECT_DEATH(other.release(x), "was given back to object_pool 0x[0-9a-f]+: it is of another");
}

#if ARENITE_EXCEPTIONS
TEST(object_pool_misuse, a_handler_that_throws_comes_out_of_release_and_nothing_changes) {
    object_pool<particle> pool;
    object_pool<particle> other;
    auto x = pool.acquire();
    const auto before = set_contract_handler(
        [](const contract_violation_info&) { throw std::logic_error{"misuse"}; });
    EXPECT_THROW(other.release(x), std::logic_error);
    EXPECT_EQ(pool.size(), 1U);
    object_pool<particle>::pointer same{x.get()};
    pool.release(x);
    EXPECT_THROW(pool.release(same), std::logic_error);
    static_cast<void>(same.release());
    set_contract_handler(before);
    EXPECT_TRUE(pool.empty());
    EXPECT_EQ(pool.idle(), 1U);
}
#endif

TEST(object_pool_death, a_pool_that_ends_before_its_objects_is_found) {
    object_pool<particle>::pointer kept;
    EXPECT_DEATH(
        {
            object_pool<particle> pool;
            auto first = pool.acquire();
            kept = pool.acquire();
        },
        "ends while objects of it are in use: 1, the first of them 0x[0-9a-f]+ in slot 1");
}

TEST(object_pool_death, following_an_empty_owner_is_found_in_checked_builds) {
    if constexpr (!checks_enabled)
        GTEST_SKIP() << "only checked builds look";
    object_pool<particle>::pointer none;
    EXPECT_DEATH(none->age = 1, "a unique_ptr that owns nothing is followed");
}

} // namespace
