// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/stl/suballocator.hpp>

#include <arenite/check/detail/poison.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/stl/resource_allocator.hpp>

#include <gtest/gtest.h>

#include "support/build_mode.hpp"
#include "support/counting_resource.hpp"
#include "support/shared_lines.hpp"

#include <array>
#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <type_traits>
#include <vector>

using namespace arenite;

// All members compile, whether a program names them or not.
template class arenite::suballocator<int>;

namespace {

// A size of its own, so that no other test shares its pool.
struct payload {
    std::array<std::size_t, 31> rest;
};
struct key {
    int value;
    std::array<std::size_t, 27> rest;
    friend bool operator<(const key& a, const key& b) { return a.value < b.value; }
};

template <class T>
using lowest = suballocator<T, page_allocator<T>, sharing::process,
                            suballocator_options{.order = slot_order::lowest}>;
template <class T>
using own_lowest =
    suballocator<T, page_allocator<T>, sharing::container,
                 suballocator_options{.row_bytes = 64_KiB, .order = slot_order::lowest}>;

TEST(suballocator_pools, options_are_part_of_the_type_and_stay_when_it_is_rebound) {
    static_assert(!std::is_same_v<lowest<int>, suballocator<int>>);
    static_assert(std::is_same_v<std::allocator_traits<lowest<int>>::rebind_alloc<long>,
                                 suballocator<long, page_allocator<int>, sharing::process,
                                              suballocator_options{.order = slot_order::lowest}>>);
    EXPECT_TRUE(lowest<int>{} == lowest<int>{});
    lowest<long> converted{lowest<int>{}};
    long* const p = converted.allocate(1);
    converted.deallocate(p, 1);
}

TEST(suballocator_pools, strictly_the_lowest_slot_where_the_options_say_so) {
    if (passthrough() || support::every_call_is_careful)
        GTEST_SKIP() << "slots are malloc's, or checked one by one";
    own_lowest<payload> a;
    std::vector<payload*> all;
    for (int i = 0; i < 100; ++i)
        all.push_back(a.allocate(1));
    a.deallocate(all[20], 1);
    a.deallocate(all[10], 1);
    a.deallocate(all[30], 1);
    EXPECT_EQ(a.allocate(1), all[10]);
    EXPECT_EQ(a.allocate(1), all[20]);
    EXPECT_EQ(a.allocate(1), all[30]);
    for (payload* p : all)
        a.deallocate(p, 1);
}

TEST(suballocator_pools, the_memory_of_a_container_goes_back_when_it_ends) {
    if (passthrough())
        GTEST_SKIP() << "memory is malloc's";
    using list = std::list<payload, suballocator<payload>>;
    const std::size_t before = list::allocator_type::usage_all().bytes_reserved;
    for (const bool backwards : {false, true}) {
        list elements;
        for (int i = 0; i < 20'000; ++i)
            elements.emplace_back();
        EXPECT_GE(list::allocator_type::usage_all().bytes_in_use, 20'000 * sizeof(payload));
        while (backwards && !elements.empty())
            elements.pop_back();
        elements.clear();
        EXPECT_LE(list::allocator_type::usage_all().bytes_reserved, before + 64_KiB);
    }
    std::set<key, std::less<>, suballocator<key>> keys;
    for (int i = 0; i < 10'000; ++i)
        keys.insert({i, {}});
    keys.clear();
    EXPECT_LE(list::allocator_type::usage_all().bytes_reserved, before + 128_KiB);
}

TEST(suballocator_pools, all_of_the_process_are_summed_and_trimmed) {
    const usage before = suballocator<int>::usage_all();
    {
        std::map<int, payload, std::less<>, suballocator<std::pair<const int, payload>>> m;
        std::list<payload, lowest<payload>> l(1000);
        for (int i = 0; i < 1000; ++i)
            m[i] = {};
        if (!passthrough()) {
            EXPECT_GE(suballocator<int>::usage_all().bytes_in_use - before.bytes_in_use,
                      2 * 1000 * sizeof(payload));
            EXPECT_EQ(suballocator<int>::usage_all().live_allocations - before.live_allocations,
                      2000u);
        }
    }
    suballocator<int>::trim_all();
    const usage after = suballocator<int>::usage_all();
    EXPECT_EQ(after.bytes_in_use, before.bytes_in_use);
    EXPECT_LE(after.bytes_reserved, before.bytes_reserved);
}

TEST(suballocator_pools, the_seeds_rule_returns_the_last_row_alone) {
    if (passthrough())
        GTEST_SKIP() << "memory is malloc's";
    support::counting_resource up;
    {
        constexpr suballocator_options rule{.order = slot_order::lowest,
                                            .rule = row_return::last_row};
        using base = resource_allocator<payload, support::counting_resource>;
        std::list<payload, suballocator<payload, base, sharing::container, rule>> l{base{up}};
        l.resize(10'000);
        l.clear(); // from the first row to the last
        EXPECT_LE(l.get_allocator().usage().bytes_reserved, 64_KiB);
    }
}

TEST(suballocator_pools_threads, trim_all_while_others_allocate) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t)
        threads.emplace_back([] {
            for (int round = 0; round < 20; ++round) {
                std::list<payload, suballocator<payload>> l(200);
                l.resize(20);
            }
        });
    for (int i = 0; i < 50; ++i) {
        suballocator<int>::trim_all();
        static_cast<void>(suballocator<int>::usage_all());
    }
    for (std::thread& t : threads)
        t.join();
    SUCCEED();
}

struct element_of_threads {
    std::byte bytes[24];
};

TEST(suballocator_pools_threads, hardly_a_line_holds_elements_of_two_threads) {
    if (passthrough() || checks_enabled || detail::poison::active)
        GTEST_SKIP() << "all threads take from one pool";
    const support::shared_lines found =
        support::lines_of_threads(4, [] { return suballocator<element_of_threads>{}; });
    EXPECT_GT(found.lines, 500u);
    EXPECT_LE(found.of_two * 100, found.lines) << "of " << found.lines;
    const support::shared_lines over_malloc = support::lines_of_threads(
        4, [] { return suballocator<element_of_threads, std::allocator<element_of_threads>>{}; });
    EXPECT_LE(over_malloc.of_two * 100, over_malloc.lines) << "of " << over_malloc.lines;
}

TEST(suballocator_pools_threads, rows_of_an_ended_thread_serve_the_next) {
    if (passthrough() || checks_enabled || detail::poison::active)
        GTEST_SKIP() << "all threads take from one pool";
    struct node {
        std::byte bytes[72];
    };
    using allocator = suballocator<node>;
    std::vector<node*> made;
    allocator mine;
    mine.deallocate(mine.allocate(1), 1); // this thread has rows
    std::thread{[&] {
        allocator from;
        for (int i = 0; i < 100'000; ++i)
            made.push_back(from.allocate(1));
    }}.join();
    const std::size_t reserved = mine.usage().bytes_reserved;
    for (std::size_t i = 0; i < made.size(); i += 2)
        mine.deallocate(made[i], 1);
    for (std::size_t i = 0; i < made.size(); i += 2)
        made[i] = mine.allocate(1);
    EXPECT_LE(mine.usage().bytes_reserved, reserved + (std::size_t{128} << 10));
    for (node* const n : made)
        mine.deallocate(n, 1);
    EXPECT_EQ(mine.usage().live_allocations, 0u);
    mine.trim();
    EXPECT_LE(mine.usage().bytes_reserved, std::size_t{4} << 10);
}

} // namespace
