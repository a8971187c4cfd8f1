// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/detail/passthrough_chain.hpp>
#include <arenite/check/detail/poison.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/literals.hpp>

#include <gtest/gtest.h>

#include "support/addresses.hpp"
#include "support/pattern.hpp"
#include "support/region_list.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <type_traits>
#include <vector>

using namespace arenite;
using support::pattern;

namespace {

static_assert(!std::is_copy_constructible_v<detail::passthrough_chain>);
static_assert(!std::is_copy_assignable_v<detail::passthrough_chain>);

TEST(passthrough_chain, an_empty_one_has_nothing) {
    detail::passthrough_chain chain;
    int here = 0;
    EXPECT_EQ(chain.bytes(), 0u);
    EXPECT_EQ(chain.count(), 0u);
    EXPECT_EQ(chain.latest(), 0u);
    EXPECT_FALSE(chain.owns(&here));
    EXPECT_FALSE(chain.owns(nullptr));
    chain.rewind(0);
}

TEST(passthrough_chain, lists_what_is_alive_each_by_itself) {
    detail::passthrough_chain chain;
    EXPECT_TRUE(support::region_list{chain}.all().empty());
    void* const a = chain.try_allocate(10, 8);
    void* const b = chain.try_allocate(20, 8);
    void* const c = chain.try_allocate(30, 8);
    chain.deallocate(b);
    const support::region_list l{chain};
    ASSERT_EQ(l.all().size(), 2u);
    EXPECT_EQ(l.all()[0].address, c);
    EXPECT_EQ(l.all()[1].address, a);
    EXPECT_EQ(l.bytes(region_state::used), 40u);
    EXPECT_TRUE(l.all()[0].one_object);
    chain.rewind(0);
}

TEST(passthrough_chain, every_alignment_is_honoured_and_every_size_kept) {
    detail::passthrough_chain chain;
    std::size_t sum = 0;
    std::size_t count = 0;
    for (std::size_t alignment = 1; alignment <= 1_MiB; alignment *= 2) {
        for (const std::size_t bytes : {1_B, 7_B, 24_B, 100_B, 5000_B}) {
            void* p = chain.try_allocate(bytes, alignment);
            ASSERT_NE(p, nullptr);
            EXPECT_TRUE(is_aligned(p, alignment)) << alignment;
            EXPECT_EQ(chain.size_of(p), bytes);
            EXPECT_TRUE(chain.owns(p));
            EXPECT_TRUE(chain.owns(static_cast<std::byte*>(p) + bytes - 1));
            EXPECT_FALSE(chain.owns(static_cast<std::byte*>(p) - 1)) << "its prefix is nobody's";
            pattern{bytes}.write(p, bytes);
            EXPECT_TRUE((pattern{bytes}.holds(p, bytes)));
            sum += bytes;
            ++count;
            EXPECT_EQ(chain.bytes(), sum);
            EXPECT_EQ(chain.count(), count);
            EXPECT_EQ(chain.latest(), count);
        }
    }
}

TEST(passthrough_chain, what_does_not_fit_a_size_is_refused_and_changes_nothing) {
    constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
    detail::passthrough_chain chain;
    void* p = chain.try_allocate(10, 8);
    for (const std::size_t bytes : {all, all - 8, all - 56, all - 64, all / 2 + 1})
        for (const std::size_t alignment : {1_B, 16_B, 4_KiB, 1_GiB})
            EXPECT_EQ(chain.try_allocate(bytes, alignment), nullptr);
    EXPECT_EQ(chain.try_allocate(1, support::largest_power), nullptr);
    EXPECT_EQ(chain.bytes(), 10u);
    EXPECT_EQ(chain.count(), 1u);
    chain.deallocate(p);
}

TEST(passthrough_chain, any_order_of_frees_leaves_the_others) {
    detail::passthrough_chain chain;
    std::mt19937 random{3};
    std::map<void*, std::size_t> live;
    std::size_t sum = 0;
    for (int i = 0; i < 3000; ++i) {
        if (live.size() < 50 && random() % 5 < 3) {
            const std::size_t bytes = 1 + random() % 200;
            void* p = chain.try_allocate(bytes, std::size_t{1} << random() % 8);
            pattern{bytes}.write(p, bytes);
            live.emplace(p, bytes);
            sum += bytes;
        } else if (!live.empty()) {
            const auto x =
                std::next(live.begin(), static_cast<std::ptrdiff_t>(random() % live.size()));
            ASSERT_TRUE((pattern{x->second}.holds(x->first, x->second)));
            ASSERT_EQ(chain.size_of(x->first), x->second);
            chain.deallocate(x->first);
            ASSERT_FALSE(chain.owns(x->first));
            sum -= x->second;
            live.erase(x);
        }
        ASSERT_EQ(chain.bytes(), sum);
        ASSERT_EQ(chain.count(), live.size());
    }
    for (const auto& [p, bytes] : live)
        ASSERT_TRUE(chain.owns(p));
}

TEST(passthrough_chain, a_rewind_gives_back_what_is_younger) {
    detail::passthrough_chain chain;
    void* a = chain.try_allocate(10, 8);
    void* b = chain.try_allocate(20, 8);
    const std::size_t then = chain.latest();
    void* c = chain.try_allocate(30, 8);
    void* d = chain.try_allocate(40, 8);
    chain.deallocate(c);
    EXPECT_TRUE(chain.owns(d));
    chain.rewind(then);
    EXPECT_TRUE(chain.owns(a));
    EXPECT_TRUE(chain.owns(b));
    EXPECT_FALSE(chain.owns(d));
    EXPECT_EQ(chain.bytes(), 30u);
    chain.deallocate(b); // what is marked may go before the rewind
    void* e = chain.try_allocate(50, 8);
    chain.rewind(then - 1);
    EXPECT_FALSE(chain.owns(e));
    EXPECT_EQ(chain.bytes(), 10u);
    chain.rewind(0);
    EXPECT_EQ(chain.count(), 0u);
    EXPECT_EQ(chain.latest(), 0u);
}

TEST(passthrough_chain, can_be_walked_from_new_to_old) {
    detail::passthrough_chain chain;
    EXPECT_EQ(chain.newest(), nullptr);
    void* a = chain.try_allocate(10, 8);
    void* b = chain.try_allocate(20, 8);
    void* c = chain.try_allocate(30, 8);
    EXPECT_EQ(chain.newest(), c);
    EXPECT_EQ(detail::passthrough_chain::older_than(c), b);
    chain.deallocate(b);
    EXPECT_EQ(detail::passthrough_chain::older_than(c), a);
    EXPECT_EQ(detail::passthrough_chain::older_than(a), nullptr);
}

TEST(passthrough_chain, its_end_gives_back_what_is_alive) {
    // A leak checker would tell if it did not.
    detail::passthrough_chain chain;
    for (std::size_t i = 1; i < 100; ++i)
        static_cast<void>(chain.try_allocate(i, 1));
}

TEST(passthrough_chain, its_prefix_is_out_of_reach) {
    detail::passthrough_chain chain;
    void* p = chain.try_allocate(24, 8);
    if (detail::poison::reports_access()) {
        EXPECT_FALSE(detail::poison::accessible(static_cast<std::byte*>(p) - 1, 1));
    }
    EXPECT_TRUE(detail::poison::accessible(p, 24));
    chain.deallocate(p);
}

TEST(passthrough_chain_death, what_is_not_alive_is_refused_and_named) {
    detail::passthrough_chain chain, other;
    auto* const a = static_cast<std::byte*>(chain.try_allocate(100, 8));
    auto* const b = static_cast<std::byte*>(chain.try_allocate(1_MiB, 8));
    void* const foreign = other.try_allocate(8, 8);
    int on_the_stack = 0;
    chain.deallocate(b); // malloc gives its pages back
    EXPECT_DEATH(chain.deallocate(b), "freed already, or was never allocated here");
    EXPECT_DEATH(static_cast<void>(chain.size_of(b)), "size_of.*freed already");
    EXPECT_DEATH(chain.deallocate(foreign), "never allocated here");
    EXPECT_DEATH(chain.deallocate(&on_the_stack), "never allocated here");
    EXPECT_DEATH(chain.deallocate(nullptr), "never allocated here");
    for (std::uintptr_t small = 32; small <= 64; small += 8) { // its prefix would begin at null
        EXPECT_DEATH(chain.deallocate(reinterpret_cast<void*>(small)), "never allocated here");
    }
    EXPECT_DEATH(chain.deallocate(a + 1), "points 1 bytes into the allocation of 100 bytes at 0x");
    EXPECT_EQ(chain.size_of(a), 100u);
    chain.deallocate(a);
    EXPECT_DEATH(chain.deallocate(a), "freed already");
}

// Enough to make its table grow, in no order.
TEST(passthrough_chain, knows_what_is_alive_of_many) {
    detail::passthrough_chain chain;
    std::mt19937 random{5};
    std::vector<void*> alive;
    for (std::size_t i = 1; i < 20'000; ++i) {
        if (alive.empty() || random() % 3 != 0) {
            alive.push_back(chain.try_allocate(1 + random() % 40, 8));
        } else {
            std::swap(alive[random() % alive.size()], alive.back());
            chain.deallocate(alive.back());
            alive.pop_back();
        }
    }
    for (void* p : alive)
        ASSERT_GE(chain.size_of(p), 1u);
    ASSERT_EQ(chain.count(), alive.size());
    std::shuffle(alive.begin(), alive.end(), random);
    for (void* p : alive)
        chain.deallocate(p);
    EXPECT_EQ(chain.count(), 0u);
}

} // namespace
