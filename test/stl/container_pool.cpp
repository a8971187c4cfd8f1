// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/passthrough.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/stl/container_pool.hpp>
#include <arenite/stl/pool_allocator.hpp>

#include <gtest/gtest.h>

#include "support/counting_pages.hpp"
#include "support/counting_resource.hpp"
#include "support/region_list.hpp"
#include "support/shared_lines.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

using namespace arenite;
using support::counting_pages;
using support::counting_resource;

namespace {

using list = std::list<int, pool_allocator<int>>;
using set = std::set<int, std::less<>, pool_allocator<int>>;

static_assert(!std::is_copy_constructible_v<container_pool>);
static_assert(!std::is_constructible_v<pool_allocator<int>, container_pool>,
              "a temporary pool would be gone before the container");

TEST(container_pool, asks_for_nothing_before_it_is_used) {
    counting_resource up;
    container_pool cp{&up};
    list l{cp};
    const set s{cp};
    EXPECT_EQ(up.calls(), 0u);
    EXPECT_EQ(cp.usage(), usage{});
}

TEST(container_pool, tells_what_its_containers_hold) {
    counting_resource up;
    container_pool cp{&up};
    list a{{1, 2, 3}, cp}, b{{4, 5}, cp};
    EXPECT_EQ(cp.usage().live_allocations, 5u);
    EXPECT_EQ(cp.usage().bytes_in_use, 5u * 24);
    EXPECT_EQ(cp.usage().bytes_reserved, up.live_bytes());
    std::vector<int, pool_allocator<int>> v(10000, 1, cp);
    EXPECT_EQ(cp.usage().live_allocations, 6u);
    EXPECT_GE(cp.usage().bytes_in_use, 40000u + 5 * 24);
    a.splice(a.end(), b);
    b.clear();
    EXPECT_EQ(cp.usage().live_allocations, 6u);
    a.clear();
    v = std::vector<int, pool_allocator<int>>(cp); // shrink_to_fit is nothing without exceptions
    EXPECT_EQ(cp.usage().live_allocations, 0u);
    EXPECT_EQ(cp.usage().bytes_in_use, 0u);
    EXPECT_GE(cp.usage().high_water_bytes, 40000u);
}

TEST(container_pool, knows_its_nodes_and_arrays_from_others) {
    container_pool cp, other;
    const set nodes{{1}, std::less<>{}, cp};
    const std::vector<int, pool_allocator<int>> array(10'000, 1, cp);
    EXPECT_TRUE(cp.owns(&*nodes.begin()));
    EXPECT_TRUE(cp.owns(array.data()));
    EXPECT_FALSE(other.owns(&*nodes.begin()));
    EXPECT_FALSE(other.owns(array.data()));
    EXPECT_FALSE(cp.owns(&cp));
    EXPECT_FALSE(cp.owns(nullptr));
    static_assert(Owning<container_pool>);
}

TEST(container_pool, trim_gives_back_what_holds_nothing) {
    counting_pages up;
    container_pool cp{&up};
    list l{cp};
    for (int i = 0; i < 300'000; ++i)
        l.push_back(i);
    EXPECT_GE(cp.usage().bytes_reserved, 300'000u * 24);
    l.clear();
    cp.trim();
    EXPECT_EQ(cp.usage().bytes_reserved, 0u);
    l.push_back(1);
    EXPECT_EQ(l.front(), 1);
}

TEST(container_pool, returns_at_once_where_the_policy_says_so) {
    counting_pages up;
    container_pool cp{return_policy::return_all, &up};
    {
        std::deque<int, pool_allocator<int>> d(cp);
        d.resize(8'000'000);
        d.clear();
        d.shrink_to_fit();
    }
    EXPECT_LE(cp.usage().bytes_reserved, 4_MiB); // of 32
}

TEST(container_pool, gets_memory_for_the_elements_expected_by_one_request) {
    const auto requests_of = []<class Container>(std::type_identity<Container>, int n) {
        counting_resource up;
        container_pool cp{&up};
        Container c{cp};
        for (int i = 0; i < n; ++i)
            c.insert(c.end(), i);
        EXPECT_EQ(cp.usage().bytes_reserved, up.live_bytes());
        return up.calls();
    };
    using list_of_16k = std::list<int, pool_allocator<int, 16 * 1024>>;
    using set_of_16k = std::set<int, std::less<>, pool_allocator<int, 16 * 1024>>;
    using list_of_100 = std::list<int, pool_allocator<int, 100>>;
    using list_of_a_million = std::list<int, pool_allocator<int, 1'000'000>>;
    EXPECT_EQ(requests_of(std::type_identity<list_of_16k>{}, 16 * 1024), 1u);
    EXPECT_EQ(requests_of(std::type_identity<set_of_16k>{}, 16 * 1024), 1u);
    EXPECT_EQ(requests_of(std::type_identity<list_of_100>{}, 100), 1u);
    EXPECT_EQ(requests_of(std::type_identity<list_of_a_million>{}, 1'000'000), 1u);
    EXPECT_EQ(requests_of(std::type_identity<list>{}, 16 * 1024), 3u) << "what it saves";
    EXPECT_GE(requests_of(std::type_identity<list_of_100>{}, 10'000), 2u) << "and then it grows";
}

TEST(container_pool, gets_little_more_than_the_elements_expected_need) {
    counting_resource up;
    container_pool cp{&up};
    std::set<int, std::less<>, pool_allocator<int, 16 * 1024>> s{cp};
    s.insert(1);
    EXPECT_LE(up.live_bytes(), 16 * 1024 * 40 * 103 / 100 + 4096);
}

#if ARENITE_EXCEPTIONS
TEST(container_pool, an_upstream_without_memory_is_bad_alloc_and_changes_nothing) {
    counting_resource up;
    container_pool cp{&up};
    list l{cp};
    up.fail_after(0);
    EXPECT_THROW(l.push_back(1), std::bad_alloc);
    EXPECT_TRUE(l.empty());
    up.fail_after(1);
    int n = 0;
    try {
        for (; n < 1'000'000; ++n)
            l.push_back(n);
    } catch (const out_of_memory& e) {
        EXPECT_EQ(e.bytes(), 24u);
    }
    EXPECT_EQ(l.size(), static_cast<std::size_t>(n));
    EXPECT_EQ(cp.usage().live_allocations, l.size());
    up.never_fail();
    l.push_back(n);
    EXPECT_EQ(l.back(), n);
}
#endif

TEST(container_pool, goes_along_with_copied_allocators_but_not_with_copied_containers) {
    container_pool cp;
    const pool_allocator<int> a{cp};
    EXPECT_EQ(a.pool(), &cp);
    EXPECT_EQ(pool_allocator<double>{a}.pool(), &cp);
    list l{{1, 2}, a};
    const list copy = l;
    EXPECT_EQ(copy.get_allocator().pool(), nullptr) << "which may outlive it";
    const list moved = std::move(l);
    EXPECT_EQ(moved.get_allocator().pool(), &cp);
    EXPECT_EQ(cp.usage().live_allocations, 2u);
    list other;
    other = moved;
    EXPECT_EQ(other.get_allocator().pool(), nullptr);
}

TEST(container_pool, nodes_come_back_to_it_from_any_container) {
    counting_resource up;
    container_pool cp{&up};
    {
        list elsewhere;
        {
            list l{{1, 2, 3}, cp};
            elsewhere.splice(elsewhere.end(), l);
        }
        EXPECT_EQ(cp.usage().live_allocations, 3u);
    }
    EXPECT_EQ(cp.usage().live_allocations, 0u);
}

TEST(container_pool, lists_what_its_memory_holds) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    container_pool cp;
    list l{{1, 2, 3}, cp};
    const std::vector<int, pool_allocator<int>> v(1000, 1, cp);
    support::region_list regions;
    cp.list_regions(regions);
    EXPECT_EQ(regions.bytes(region_state::used), cp.usage().bytes_in_use);
}

TEST(container_pool_threads, serves_containers_of_many_threads_at_once) {
    container_pool cp;
    {
        std::vector<list> lists;
        for (int i = 0; i < 4; ++i)
            lists.emplace_back(cp);
        std::vector<std::thread> threads;
        for (list& l : lists) {
            threads.emplace_back([&cp, &l] {
                std::map<int, int, std::less<>, pool_allocator<std::pair<const int, int>>> m{cp};
                for (int i = 0; i < 5000; ++i) {
                    l.push_back(i);
                    m.emplace(i, i);
                    if (i % 3 == 0)
                        l.pop_front();
                    if (i % 1000 == 0)
                        static_cast<void>(cp.usage());
                }
                cp.trim();
            });
        }
        for (std::thread& t : threads)
            t.join();
        list all{cp};
        for (list& l : lists)
            all.splice(all.end(), l);
        EXPECT_EQ(all.size(), 4u * (5000 - 1667));
        EXPECT_EQ(cp.usage().live_allocations, all.size());
    }
    EXPECT_EQ(cp.usage().live_allocations, 0u);
}

TEST(container_pool_threads, no_line_holds_nodes_of_two_threads) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    struct node {
        std::byte bytes[24];
    };
    container_pool cp;
    const support::shared_lines found =
        support::lines_of_threads(4, [&] { return pool_allocator<node>{cp}; });
    EXPECT_GT(found.lines, 500u);
    EXPECT_EQ(found.of_two, 0u);
    EXPECT_EQ(cp.usage().live_allocations, 0u);
}

TEST(container_pool_threads, where_memory_ends_a_thread_takes_from_the_others) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    counting_resource up;
    container_pool cp{&up};
    pool_allocator<double> of_first{cp};
    std::vector<double*> made;
    for (int i = 0; i < 1000; ++i)
        made.push_back(of_first.allocate(1));
    up.fail_after(0);
    for (std::size_t i = 1; i < made.size(); ++i)
        of_first.deallocate(made[i], 1);
    std::thread{[&] {
        pool_allocator<double> of_second{cp};
        double* const p = of_second.allocate(1);
        of_second.deallocate(p, 1);
    }}.join();
    EXPECT_GT(up.failures(), 0u);
    of_first.deallocate(made[0], 1);
}

TEST(container_pool_threads, many_threads_share_what_a_few_have) {
    container_pool cp;
    std::atomic<int> ready{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 24; ++t) {
        threads.emplace_back([&] {
            list l{cp};
            for (int i = 0; i < 100; ++i)
                l.push_back(i);
            ready.fetch_add(1);
            while (ready.load() != 24)
                std::this_thread::yield();
        });
        while (ready.load() != t + 1) // those that come at once may each get a pool
            std::this_thread::yield();
    }
    for (std::thread& t : threads)
        t.join();
    EXPECT_EQ(cp.usage().live_allocations, 0u);
    EXPECT_LE(cp.usage().bytes_reserved, std::size_t{18} * 256 * 1024);
}

using map = std::map<int, int, std::less<>, pool_allocator<std::pair<const int, int>>>;

TEST(container_pool, a_map_lives_in_8_kib) {
    if (passthrough())
        GTEST_SKIP() << "memory is malloc's";
    std::vector<std::byte> buffer(8_KiB);
    container_pool cp{buffer};
    for (int round = 0; round < 3; ++round) {
        map m{cp};
        for (int i = 0; i < 100; ++i)
            m[i * 37 % 100] = i;
        for (const auto& element : m) {
            const auto* const p = reinterpret_cast<const std::byte*>(&element);
            EXPECT_TRUE(p >= buffer.data() && p < buffer.data() + buffer.size());
            EXPECT_EQ(element.first, element.second * 37 % 100);
            EXPECT_TRUE(cp.owns(p));
        }
        m.clear();
        list l(100, 7, cp); // of other nodes: what was emptied serves them
        EXPECT_EQ(cp.usage().live_allocations, 100u);
    }
    cp.trim();
    EXPECT_EQ(cp.usage().bytes_reserved, 0u);
}

#if ARENITE_EXCEPTIONS
/// Elements that fit; each of them is there, and can be taken out again.
template <class Container>
std::size_t fill(Container& c) {
    int n = 0;
    try {
        for (;; ++n)
            c.insert(c.end(), typename Container::value_type{n});
    } catch (const out_of_memory&) {
    }
    EXPECT_EQ(c.size(), static_cast<std::size_t>(n));
    return c.size();
}

/// So much of a buffer is nodes of so many bytes.
template <std::size_t NodeBytes>
double share_of_nodes(std::size_t buffer_bytes) {
    std::vector<std::byte> memory(buffer_bytes);
    container_pool cp{std::span{memory}};
    using element = std::array<char, NodeBytes - 2 * sizeof(void*)>;
    std::list<element, pool_allocator<element>> l{cp};
    std::size_t n = 0;
    try {
        for (;; ++n)
            l.emplace_back();
    } catch (const out_of_memory&) {
    }
    return static_cast<double>(n * NodeBytes) / static_cast<double>(buffer_bytes);
}

TEST(container_pool, of_a_small_buffer_fewer_are_large_nodes) {
    if (passthrough())
        GTEST_SKIP() << "memory is malloc's";
    for (const std::size_t bytes : {65'536, 68'000, 131'072, 180'000}) {
        EXPECT_GE(share_of_nodes<240>(bytes), 0.85) << bytes;
        EXPECT_GE(share_of_nodes<1024>(bytes), 0.40) << bytes;
    }
    EXPECT_GE(share_of_nodes<1024>(1_MiB), 0.85);
}

TEST(container_pool, at_least_85_percent_of_64_kib_are_nodes) {
    if (passthrough())
        GTEST_SKIP() << "memory is malloc's";
    for (const std::size_t bytes : {64_KiB, 100_KiB, 256_KiB, 1_MiB, 16_MiB}) {
        std::vector<std::byte> memory(bytes + 4096);
        for (const std::size_t offset : {0u, 8u, 1000u, 2040u, 4000u}) {
            if (bytes > 1_MiB && offset != 8)
                continue;
            const std::span<std::byte> buffer{memory.data() + offset, bytes};
            container_pool cp{buffer};
            list l{cp};
            EXPECT_GE(static_cast<double>(24 * fill(l)), 0.85 * static_cast<double>(bytes));
            l.clear();
            std::list<std::array<int, 20>, pool_allocator<std::array<int, 20>>> larger{cp};
            EXPECT_GE(static_cast<double>(96 * fill(larger)), 0.85 * static_cast<double>(bytes))
                << bytes << " at " << offset;
        }
    }
}

TEST(container_pool, a_buffer_that_is_too_small_serves_nothing) {
    if (passthrough())
        GTEST_SKIP() << "memory is malloc's";
    std::byte some[100];
    container_pool none{std::span<std::byte>{}}, few{some};
    list a{none}, b{few};
    EXPECT_THROW(a.push_back(1), out_of_memory);
    EXPECT_THROW(b.push_back(1), out_of_memory);
    EXPECT_EQ(few.usage().live_allocations, 0u);
}
#endif

TEST(container_pool, nodes_go_from_a_buffer_to_other_pools_and_back) {
    std::vector<std::byte> buffer(64_KiB), other_buffer(16_KiB);
    container_pool cp{buffer}, other{other_buffer}, usual;
    {
        list a(300, 1, cp), b(300, 2, other), c(300, 3, usual), d(100, 4), e(20, 5);
        a.splice(a.begin(), d); // each list gets what it can free by the address alone
        d.splice(d.end(), b);
        b.splice(b.end(), e);
        e.splice(e.end(), c);
        c.splice(c.end(), a);
        EXPECT_EQ(c.size(), 400u);
        c.remove(1);
        EXPECT_EQ(c.size(), 100u);
        d.push_back(6);
        e.clear();
    }
    EXPECT_EQ(cp.usage().live_allocations, 0u);
    EXPECT_EQ(other.usage().live_allocations, 0u);
    EXPECT_EQ(usual.usage().live_allocations, 0u);
}

TEST(container_pool, arrays_of_a_buffer_lie_in_it_too) {
    if (passthrough())
        GTEST_SKIP() << "memory is malloc's";
    std::vector<std::byte> buffer(256_KiB);
    container_pool cp{buffer};
    const std::vector<int, pool_allocator<int>> v(5000, 1, cp);
    EXPECT_GE(reinterpret_cast<const std::byte*>(v.data()), buffer.data());
    EXPECT_LT(reinterpret_cast<const std::byte*>(v.data()), buffer.data() + buffer.size());
}

TEST(container_pool_threads, threads_share_a_buffer_and_no_line_of_it) {
    if (passthrough())
        GTEST_SKIP() << "memory is malloc's";
    std::vector<std::byte> buffer(256_KiB);
    container_pool cp{buffer};
    std::vector<list> lists;
    for (int t = 0; t < 3; ++t)
        lists.emplace_back(cp);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 3; ++t)
        threads.emplace_back([&, t] {
            for (int round = 0; round < 50; ++round) {
                lists[t].resize(500, static_cast<int>(t));
                lists[t].resize(100);
                std::vector<std::byte> own(8_KiB);
                container_pool mine{own};
                const list few(20, 1, mine);
            }
        });
    for (std::thread& t : threads)
        t.join();
    std::set<std::pair<std::uintptr_t, int>> lines;
    for (const list& l : lists)
        for (const int& i : l)
            lines.emplace(reinterpret_cast<std::uintptr_t>(&i) / 64, i);
    std::set<std::uintptr_t> different;
    for (const auto& [line, thread] : lines)
        different.insert(line);
    EXPECT_EQ(different.size(), lines.size()) << "a line holds nodes of two threads";
    // Freed by another thread than the one that made them, in turns.
    std::thread{[&] { lists[0].clear(); }}.join();
    lists[1].splice(lists[1].end(), lists[2]);
    lists.clear();
    EXPECT_EQ(cp.usage().live_allocations, 0u);
}

} // namespace
