// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/detail/poison.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/os/page_resource.hpp>
#include <arenite/stl/pool_allocator.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>
#include <forward_list>
#include <future>
#include <iterator>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#if defined(__linux__)
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace arenite;

namespace {

using list = std::list<int, pool_allocator<int>>;
using forward_list = std::forward_list<int, pool_allocator<int>>;
using set = std::set<int, std::less<>, pool_allocator<int>>;
using traits = std::allocator_traits<pool_allocator<int>>;

// ---- what a container sees of it ----------------------------------------------------------------

static_assert(traits::is_always_equal::value);
static_assert(traits::propagate_on_container_move_assignment::value);
static_assert(traits::propagate_on_container_swap::value);
static_assert(!traits::propagate_on_container_copy_assignment::value);
static_assert(std::is_nothrow_default_constructible_v<pool_allocator<int>>);
static_assert(std::is_nothrow_copy_constructible_v<pool_allocator<int>>);
static_assert(std::is_nothrow_move_constructible_v<pool_allocator<int>>);
static_assert(std::is_nothrow_move_assignable_v<pool_allocator<int>>);
static_assert(std::is_nothrow_constructible_v<pool_allocator<int>, const pool_allocator<char>&>);
static_assert(sizeof(pool_allocator<int>) == sizeof(void*));
static_assert(sizeof(list) == sizeof(std::list<int>) + sizeof(void*));
static_assert(std::is_same_v<std::allocator_traits<pool_allocator<int, 7>>::rebind_alloc<char>,
                             pool_allocator<char, 7>>);
static_assert(!std::is_constructible_v<pool_allocator<int>, container_pool>);
static_assert(std::is_nothrow_move_constructible_v<list> ==
              std::is_nothrow_move_constructible_v<std::list<int>>);
static_assert(std::is_nothrow_move_assignable_v<list>);
static_assert(std::is_nothrow_swappable_v<set>);

struct incomplete;
struct holder {
    std::vector<incomplete, pool_allocator<incomplete>>* children = nullptr;
    pool_allocator<incomplete, 100> allocator;
};
static_assert(sizeof(holder) == 2 * sizeof(void*));

constinit pool_allocator<int> made_before_any_code;

/// Bytes that the process has from the page source, without its bookkeeping.
std::size_t page_bytes() { return page_source().usage().bytes_in_use; }
std::size_t page_requests() { return page_source().usage().live_allocations; }

template <class Container>
void fill(Container& c, int count) {
    for (int i = 0; i < count; ++i) {
        if constexpr (requires { c.push_back(i); })
            c.push_back(i);
        else
            c.insert(c.end(), i);
    }
}

template <class T>
bool ascends(const std::list<T, pool_allocator<T>>& l) {
    return std::adjacent_find(l.begin(), l.end(), std::greater_equal<>{}) == l.end();
}

// ---- what goes wrong with the allocator of the seed ---------------------------------------------

TEST(pool_allocator, lists_are_copied_moved_and_compared) {
    list a{1, 2, 3};
    list b = a;
    EXPECT_TRUE(a == b);
    const list c = std::move(b);
    EXPECT_TRUE(a == c);
    EXPECT_TRUE(a.get_allocator() == c.get_allocator());
    EXPECT_TRUE((pool_allocator<int>{} == pool_allocator<char, 5>{}));
    a = c;
    a.push_back(4);
    EXPECT_FALSE(a == c);
}

TEST(pool_allocator, nodes_are_spliced_and_extracted) {
    list a{1, 2, 3}, b{4, 5};
    a.splice(a.end(), b);
    EXPECT_EQ(a, (list{1, 2, 3, 4, 5}));
    set s{1, 2, 3}, t;
    t.insert(s.extract(2));
    EXPECT_EQ(t, set{2});
}

TEST(pool_allocator, swapped_containers_keep_their_memory) {
    list a, c;
    fill(a, 3000);
    fill(c, 2);
    {
        list b;
        fill(b, 2000);
        std::swap(a, b);
        a.swap(c);
    }
    EXPECT_EQ(a, (list{0, 1}));
    EXPECT_EQ(c.size(), 2000u);
    EXPECT_TRUE(ascends(c));
}

TEST(pool_allocator, what_is_spliced_after_or_merged_outlives_its_first_container) {
    forward_list a;
    set s;
    {
        forward_list b;
        set t;
        for (int i = 5000; i > 0; --i)
            b.push_front(i);
        fill(t, 5000);
        a.splice_after(a.before_begin(), b);
        s.merge(t);
    }
    EXPECT_EQ(std::accumulate(a.begin(), a.end(), 0), 5000 * 5001 / 2);
    EXPECT_EQ(std::accumulate(s.begin(), s.end(), 0), 4999 * 5000 / 2);
}

TEST(pool_allocator, serves_arrays) {
    std::deque<int, pool_allocator<int>> d;
    std::unordered_map<int, int, std::hash<int>, std::equal_to<>,
                       pool_allocator<std::pair<const int, int>>>
        m;
    std::vector<int, pool_allocator<int>> v;
    for (int i = 0; i < 10'000; ++i) {
        d.push_back(i);
        d.push_front(i);
        m[i] = i;
        v.push_back(i);
    }
    EXPECT_EQ(d[5000] + m[77] + v[9999], 4999 + 77 + 9999);
}

TEST(pool_allocator, honours_every_alignment) {
    const auto run = []<std::size_t Alignment>() {
        struct alignas(Alignment) wide {
            int value;
        };
        pool_allocator<wide> a;
        std::vector<wide*> all;
        for (int i = 0; i < 3000; ++i) {
            all.push_back(a.allocate(1));
            ASSERT_TRUE(is_aligned(all.back(), Alignment));
        }
        for (wide* const p : all)
            a.deallocate(p, 1);
        std::list<wide, pool_allocator<wide>> l(100);
        for (const wide& w : l)
            ASSERT_TRUE(is_aligned(&w, Alignment));
    };
    run.operator()<16>();
    run.operator()<32>();
    run.operator()<64>();
    run.operator()<128>();
    run.operator()<4096>();
}

// ---- pools and who has one ----------------------------------------------------------------------

TEST(pool_allocator, constructing_copying_and_rebinding_allocate_nothing) {
    const std::size_t before = page_requests();
    const pool_allocator<int, 1'000'000> a;
    // NOLINTNEXTLINE(performance-unnecessary-copy-initialization)
    const pool_allocator<int, 1'000'000> copy = a;
    const pool_allocator<double, 1'000'000> rebound{copy};
    const list l;
    const list other = l; // NOLINT(performance-unnecessary-copy-initialization)
    EXPECT_EQ(page_requests(), before);
    EXPECT_EQ(rebound.pool(), nullptr);
    static_cast<void>(made_before_any_code);
}

TEST(pool_allocator, containers_of_as_many_as_expected_and_of_more_and_less_meet) {
    const auto run = []<class List>(std::type_identity<List>) {
        List a, b;
        for (const int n : {1, 500, 2000}) {
            fill(a, n);
            List c;
            fill(c, n);
            b.splice(b.end(), c);
            a.swap(b);
            c = std::move(b);
            b = a;
            a = List{};
            fill(c, 3);
        }
        return std::vector<int>(b.begin(), b.end());
    };
    EXPECT_EQ(run(std::type_identity<std::list<int, pool_allocator<int, 500>>>{}),
              run(std::type_identity<std::list<int>>{}));
}

TEST(pool_allocator, small_containers_share_what_the_thread_has) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    constexpr std::size_t count = detail::poison::active ? 10'000 : 100'000;
    const std::size_t before = page_bytes();
    std::vector<list> all(count);
    for (list& l : all)
        l.assign({1, 2, 3, 4, 5});
    const std::size_t bytes = page_bytes() - before;
    EXPECT_LE(bytes, count * 5 * 26 + 1_MiB) << "a list of five is less than one of std";
    for (int round = 0; round < 30; ++round) { // and stays so however long it lives
        for (std::size_t i = 0; i < count; i += 100) {
            for (int k = 0; k < 100; ++k) {
                all[i].pop_front();
                all[i].push_back(k);
            }
        }
    }
    EXPECT_LE(page_bytes() - before, bytes + 64_KiB);
}

TEST(pool_allocator, a_hundred_lists_of_a_thousand_ask_for_pages_together) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    const std::size_t before = page_requests();
    std::vector<list> all(100);
    for (list& l : all)
        fill(l, 1000);
    EXPECT_LE(page_requests() - before, 12u) << "2.4 MB, in spans that double";
}

TEST(pool_allocator, a_moved_from_container_begins_anew) {
    list a;
    fill(a, 5000);
    list b = std::move(a);
    fill(a, 5000); // NOLINT(bugprone-use-after-move): that is the promise
    b.clear();
    EXPECT_TRUE(ascends(a));
    EXPECT_EQ(a.size(), 5000u);
}

TEST(pool_allocator, a_container_of_many_elements_is_in_order) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    list l;
    fill(l, 50'000);
    std::size_t neighbours = 0;
    for (auto i = l.begin(); std::next(i) != l.end(); ++i)
        if (address_of(&*std::next(i)) - address_of(&*i) == 24)
            ++neighbours;
    EXPECT_GE(neighbours, 49'500u);
}

TEST(pool_allocator, temporaries_of_allocators_do_not_make_pools) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    using A = pool_allocator<int, 1'000'000>;
    static_cast<void>(std::allocate_shared<int>(A{}, 1));
    const std::size_t before = page_bytes();
    std::vector<std::shared_ptr<int>> all;
    for (int i = 0; i < 100; ++i)
        all.push_back(std::allocate_shared<int>(A{}, i));
    EXPECT_LE(page_bytes(), before + 64_KiB);
}

TEST(pool_allocator, nodes_that_went_elsewhere_keep_their_pool_and_no_more) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    list l;
    fill(l, 10);
    const std::size_t before = page_bytes();
    {
        list large;
        fill(large, 200'000);
        const auto first = std::next(large.begin(), 100'000);
        l.splice(l.end(), large, first, std::next(first, 3));
    }
    // The span of the three nodes, and a block that the pool keeps.
    EXPECT_LE(page_bytes(), before + 2_MiB + 256_KiB);
    EXPECT_EQ(l.back(), 100'002);
    l.clear();
    EXPECT_LE(page_bytes(), before + 256_KiB);
}

// ---- threads ------------------------------------------------------------------------------------

TEST(pool_allocator_threads, a_container_is_handed_over) {
    for (const int n : {5, 5000}) {
        list l;
        set s;
        fill(l, n);
        fill(s, n);
        std::thread{[n, l = std::move(l), s = std::move(s)]() mutable {
            EXPECT_TRUE(ascends(l));
            for (int i = 0; i < n; ++i) {
                l.push_back(i);
                l.pop_front();
                s.erase(i);
                s.insert(i + n);
            }
        }}.join();
        fill(l, n); // NOLINT(bugprone-use-after-move)
        fill(s, n); // NOLINT(bugprone-use-after-move)
        EXPECT_TRUE(ascends(l));
    }
}

TEST(pool_allocator_threads, parts_of_a_container_are_used_on_different_threads) {
    list a;
    fill(a, 20'000);
    list b;
    b.splice(b.end(), a, a.begin(), std::next(a.begin(), 10'000)); // nodes of the pool of a
    std::thread other([b = std::move(b)]() mutable {
        while (!b.empty())
            b.pop_front(); // frees into it
        fill(b, 3000);
    });
    for (int i = 0; i < 10'000; ++i) {
        a.push_back(i);
        a.pop_front();
    }
    other.join();
    EXPECT_EQ(a.size(), 10'000u);
}

TEST(pool_allocator_threads, small_containers_outlive_the_thread_that_made_them) {
    std::vector<list> kept;
    std::mutex mutex;
    for (int round = 0; round < 5; ++round) {
        std::vector<std::thread> threads;
        for (int t = 0; t < 3; ++t) {
            threads.emplace_back([&] {
                std::vector<list> mine(200);
                for (list& l : mine)
                    fill(l, 7);
                const std::lock_guard guard{mutex};
                std::move(mine.begin(), mine.end(), std::back_inserter(kept));
                if (kept.size() > 500) // others' nodes
                    kept.erase(kept.begin(), kept.begin() + 400);
            });
        }
        for (std::thread& t : threads)
            t.join();
        for (list& l : kept) {
            l.pop_back();
            l.push_back(6);
            EXPECT_TRUE(ascends(l));
        }
    }
}

TEST(pool_allocator_threads, a_thread_goes_on_with_what_an_ended_one_left) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    const auto work = [] {
        std::vector<list> lists(1000);
        for (list& l : lists)
            fill(l, 5);
    };
    std::thread{work}.join();
    const std::size_t before = page_bytes();
    for (int i = 0; i < 20; ++i)
        std::thread{work}.join();
    EXPECT_LE(page_bytes(), before + 256_KiB);
}

TEST(pool_allocator_threads, what_an_ended_thread_left_in_use_is_filled_up_by_the_next) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    std::vector<list> left(40);
    const auto make = [&left](std::size_t i) { std::thread{[&] { fill(left[i], 5); }}.join(); };
    make(0);
    const std::size_t before = page_bytes();
    for (std::size_t i = 1; i < left.size(); ++i)
        make(i);
    EXPECT_LE(page_bytes(), before + 256_KiB) << "a span of pages for each list of five?";
}

TEST(pool_allocator_threads, queues_between_threads) {
    std::mutex mutex;
    list queue;
    std::atomic<bool> done{false};
    std::thread consumer([&] {
        long long sum = 0;
        for (bool last = false; !last;) {
            last = done.load();
            list taken;
            {
                const std::lock_guard guard{mutex};
                taken.splice(taken.end(), queue);
            }
            for (const int i : taken)
                sum += i;
        }
        EXPECT_EQ(sum, 20'000LL * 19'999 / 2);
    });
    for (int i = 0; i < 20'000; ++i) {
        list one;
        one.push_back(i);
        const std::lock_guard guard{mutex};
        queue.splice(queue.end(), one);
    }
    done = true;
    consumer.join();
}

// ---- processes ----------------------------------------------------------------------------------

#if defined(__linux__)

TEST(pool_allocator_threads, a_child_of_a_process_with_threads_works_on) {
    container_pool cp;
    std::mutex mutex; // of what is handed over
    std::list<list> handed;
    list many;
    fill(many, 5000);
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    threads.emplace_back([&] { // nearly always in possession of a lock
        pool_allocator<int> node{cp};
        while (!stop.load())
            node.deallocate(node.allocate(1), 1);
    });
    threads.emplace_back([&] {
        pool_allocator<int> array;
        while (!stop.load())
            array.deallocate(array.allocate(1000), 1000);
    });
    for (int t = 0; t < 2; ++t) {
        threads.emplace_back([&] {
            while (!stop.load()) {
                list small; // in the thread's memory, and some of it in another thread's hands
                fill(small, 20);
                list large;
                fill(large, 1500);
                const std::lock_guard guard{mutex};
                handed.push_back(std::move(small));
                handed.push_back(std::move(large));
                if (handed.size() > 40)
                    handed.erase(handed.begin(), std::next(handed.begin(), 20));
            }
        });
    }
    for (int i = 0; i < 20; ++i) {
        mutex.lock(); // no other thread is inside these
        const pid_t child = ::fork();
        if (child == 0) {
            ::alarm(30);
            bool right = std::accumulate(many.begin(), many.end(), 0) == 5000 * 4999 / 2;
            for (list& l : handed) {
                const int n = static_cast<int>(l.size());
                right = right && std::accumulate(l.begin(), l.end(), 0) == n * (n - 1) / 2;
                l.pop_front();
                l.push_back(1);
                many.splice(many.end(), l);
            }
            handed.clear();
            many.clear();
            for (int round = 0; round < 3; ++round) {
                list l{cp};
                fill(l, 500);
                std::vector<int, pool_allocator<int>> array(1000, 1, cp);
                std::vector<list> lists(10);
                for (list& each : lists)
                    fill(each, round == 2 ? 2000 : 5);
                array.resize(100'000);
            }
            cp.trim();
            right = right && cp.usage().bytes_in_use <= cp.usage().bytes_reserved;
            ::_exit(right ? 0 : 1);
        }
        mutex.unlock();
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    }
    stop = true;
    for (std::thread& t : threads)
        t.join();
}

#endif

// ---- before main and after it -------------------------------------------------------------------

struct lives_through_all {
    std::map<int, int, std::less<>, pool_allocator<std::pair<const int, int>>> m;
    lives_through_all() {
        for (int i = 0; i < 2000; ++i)
            m.emplace(i, i);
    }
    ~lives_through_all() { // where the thread's own objects are gone
        list l;
        fill(l, 3000);
        m.erase(1);
        m.emplace(1, 1);
        if (m.size() != 2000)
            std::abort();
    }
} static_map;

TEST(pool_allocator, serves_static_containers) {
    EXPECT_EQ(static_map.m.size(), 2000u);
    EXPECT_EQ(static_map.m.at(1999), 1999);
}

} // namespace
