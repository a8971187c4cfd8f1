// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/stl/suballocator.hpp>

#include <arenite/check/passthrough.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/core/system_resource.hpp>
#include <arenite/os/page_resource.hpp>
#include <arenite/stl/resource_allocator.hpp>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"

#include <algorithm>
#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(__linux__)
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace arenite;
using support::counting_resource;

namespace {

template <class T>
using counted = resource_allocator<T, counting_resource>;

// A size for each test, so that none sees what another left in a pool of the process.
template <std::size_t Bytes>
struct sized {
    sized(int n = 0) : value{n} {}
    int value;
    std::byte rest[Bytes - sizeof(int)];
    friend bool operator<(const sized& a, const sized& b) { return a.value < b.value; }
};

// ---- what the types promise ---------------------------------------------------------------------

using shared_int = suballocator<int>;
using own_int = suballocator<int, std::allocator<int>, sharing::container>;
using stateful_int = suballocator<int, counted<int>>;

static_assert(std::is_empty_v<shared_int>);
static_assert(std::is_empty_v<suballocator<int, std::allocator<int>>>);
static_assert(sizeof(own_int) == sizeof(void*));
static_assert(std::allocator_traits<shared_int>::is_always_equal::value);
static_assert(!std::allocator_traits<own_int>::is_always_equal::value);
static_assert(!std::allocator_traits<stateful_int>::is_always_equal::value); // it implies its own
static_assert(std::is_nothrow_default_constructible_v<shared_int>);
static_assert(std::is_nothrow_copy_constructible_v<own_int>);
static_assert(!std::is_default_constructible_v<stateful_int>);
static_assert(std::allocator_traits<own_int>::propagate_on_container_swap::value);
static_assert(std::allocator_traits<own_int>::propagate_on_container_move_assignment::value);
static_assert(!std::allocator_traits<stateful_int>::propagate_on_container_move_assignment::value);
static_assert(std::is_convertible_v<shared_int, suballocator<double>>);
static_assert(!std::is_constructible_v<own_int, shared_int>);

// Rebound there and back it is the same, also where the base was named for other elements.
template <class A, class U>
using rebound = typename std::allocator_traits<A>::template rebind_alloc<U>;
static_assert(std::is_same_v<rebound<rebound<shared_int, double>, int>, shared_int>);
static_assert(std::is_same_v<rebound<suballocator<int, std::allocator<char>>, int>,
                             suballocator<int, std::allocator<char>>>);

struct incomplete;
struct holder {
    std::list<incomplete, suballocator<incomplete>>* nodes = nullptr;
    suballocator<incomplete, std::allocator<incomplete>, sharing::container>* own = nullptr;
};

/// A base whose pointers are a class, as of memory that several processes see.
template <class T>
class fancy_pointer {
public:
    using element_type = T;
    using difference_type = std::ptrdiff_t;

    fancy_pointer() = default;
    fancy_pointer(std::nullptr_t) {}
    explicit fancy_pointer(T* p) : p_{p} {}
    static fancy_pointer pointer_to(T& t) { return fancy_pointer{std::addressof(t)}; }
    T* operator->() const { return p_; }
    T& operator*() const { return *p_; }
    explicit operator bool() const { return p_ != nullptr; }
    friend bool operator==(fancy_pointer, fancy_pointer) = default;

private:
    T* p_ = nullptr;
};

template <class T>
struct fancy_base {
    using value_type = T;
    using pointer = fancy_pointer<T>;

    fancy_base() = default;
    template <class U>
    fancy_base(const fancy_base<U>&) {}
    pointer allocate(std::size_t n) { return pointer{std::allocator<T>{}.allocate(n)}; }
    void deallocate(pointer p, std::size_t n) { std::allocator<T>{}.deallocate(p.operator->(), n); }
    friend bool operator==(const fancy_base&, const fancy_base&) { return true; }
};

// ---- containers ---------------------------------------------------------------------------------

TEST(suballocator, serves_a_map_by_its_name_alone) {
    std::map<int, int, std::less<>, suballocator<std::pair<const int, int>>> m;
    for (int i = 0; i < 1000; ++i)
        m[i] = i;
    for (int i = 0; i < 1000; i += 2)
        m.erase(i);
    const auto copy = m;
    EXPECT_EQ(copy.at(7), 7);
    EXPECT_EQ(copy.size(), 500u);
    EXPECT_TRUE(copy.get_allocator() == m.get_allocator());
}

TEST(suballocator, containers_of_one_size_share_a_pool_and_exchange_nodes) {
    using element = sized<100>;
    std::list<element, suballocator<element>> a{1, 2, 3}, b{4};
    const element* const third = &a.back();
    b.splice(b.begin(), a, std::prev(a.end()));
    EXPECT_EQ(&b.front(), third);
    a.swap(b);
    b = std::move(a);
    EXPECT_EQ(&b.front(), third);
    using tree = std::set<element, std::less<>, suballocator<element>>;
    tree x{1, 2}, y{2, 3};
    x.merge(y);
    y.insert(x.extract(x.begin()));
    EXPECT_EQ(x.size() + y.size(), 4u);
}

TEST(suballocator, serves_a_base_whose_pointers_are_a_class) {
    std::map<int, int, std::less<>,
             suballocator<std::pair<const int, int>, fancy_base<int>, sharing::container>>
        own;
    std::vector<int, suballocator<int, fancy_base<int>>> v;
    std::list<int, suballocator<int, fancy_base<int>>> l;
    for (int i = 0; i < 1000; ++i) {
        own[i] = i;
        v.push_back(i);
        l.push_back(i);
    }
    EXPECT_EQ(own.at(999) + v.back() + l.back(), 3 * 999);
}

TEST(suballocator, arrays_are_the_bases) {
    counting_resource up;
    suballocator<double, counted<double>> a{counted<double>{up}};
    const std::size_t before = up.live();
    double* const p = a.allocate(100);
    EXPECT_EQ(up.live(), before + 1);
    a.deallocate(p, 100);
    EXPECT_EQ(up.live(), before);
}

TEST(suballocator, serves_elements_of_several_sizes_from_one_own_allocator) {
    counting_resource up;
    {
        suballocator<int, counted<int>> a{counted<int>{up}};
        suballocator<sized<200>, counted<int>> b{a};
        suballocator<sized<72>, counted<int>> c{b};
        std::vector<int*> ints;
        std::vector<sized<200>*> large;
        std::vector<sized<72>*> middle;
        for (int i = 0; i < 500; ++i) {
            ints.push_back(a.allocate(1));
            large.push_back(b.allocate(1));
            middle.push_back(c.allocate(1));
        }
        EXPECT_EQ(a.usage().live_allocations, 1500u);
        EXPECT_TRUE(b.owns(ints[7]));
        for (int i = 0; i < 500; ++i) {
            const auto k = static_cast<std::size_t>(i);
            b.deallocate(large[k], 1);
            a.deallocate(ints[k], 1);
            c.deallocate(middle[k], 1);
        }
        a.trim();
        EXPECT_EQ(a.usage().bytes_reserved, 0u);
    }
    EXPECT_EQ(up.live(), 0u);
}

TEST(suballocator, a_pool_ends_with_its_last_user) {
    counting_resource up;
    {
        std::optional<suballocator<int, counted<int>>> a{counted<int>{up}};
        std::shared_ptr<int> outlives = std::allocate_shared<int>(*a, 5);
        a.reset();
        EXPECT_GT(up.live(), 0u);
        EXPECT_EQ(*outlives, 5);
    }
    EXPECT_EQ(up.live(), 0u);
}

/// libstdc++ forgets the allocator of a node handle whose node is inserted.
TEST(suballocator, nodes_that_move_leave_no_holder_behind) {
    counting_resource up;
    {
        using set = std::set<int, std::less<>, suballocator<int, counted<int>>>;
        set a{counted<int>{up}};
        set::node_type kept;
        {
            a.insert({1, 2, 3, 4});
            set b{a.get_allocator()};
            b.insert(a.extract(1));
            auto node = b.extract(1);
            node = a.extract(2);
            auto moved = std::move(node);
            a.insert(std::move(moved));
            kept = a.extract(3);
        }
        a = set{counted<int>{up}}; // the containers of the node's pool are gone
        EXPECT_EQ(kept.value(), 3);
    }
    EXPECT_EQ(up.live(), 0u);
}

TEST(suballocator, a_copy_of_a_container_has_a_pool_of_its_own) {
    std::list<int, own_int> a{1, 2, 3};
    std::list<int, own_int> b = a;
    EXPECT_FALSE(a.get_allocator() == b.get_allocator());
    b = a;
    EXPECT_FALSE(a.get_allocator() == b.get_allocator());
    const auto of_a = a.get_allocator();
    b = std::move(a);
    EXPECT_TRUE(b.get_allocator() == of_a);
    std::list<int, own_int> c{7};
    swap(b, c);
    EXPECT_TRUE(c.get_allocator() == of_a);
    EXPECT_EQ(c.size(), 3u);
}

TEST(suballocator, a_base_that_stays_makes_move_assignment_element_by_element) {
    counting_resource long_lived;
    std::list<int, stateful_int> a{counted<int>{long_lived}};
    {
        counting_resource temporary;
        std::list<int, stateful_int> b{counted<int>{temporary}};
        b.assign({1, 2, 3});
        a = std::move(b);
    }
    EXPECT_EQ(a, (std::list<int, stateful_int>({1, 2, 3}, counted<int>{long_lived})));
}

// ---- memory -------------------------------------------------------------------------------------

TEST(suballocator, memory_goes_back_with_the_last_element_whatever_the_order) {
    if (passthrough())
        GTEST_SKIP() << "malloc keeps what it likes";
    struct of_this_test { // so that no other test uses its pool
        int value;
        char rest[96];
        auto operator<=>(const of_this_test& other) const { return value <=> other.value; }
        bool operator==(const of_this_test& other) const { return value == other.value; }
    };
    constexpr int count = 200'000;
    std::vector<int> order(count);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937{1});
    const std::size_t before = page_source().usage().bytes_in_use;
    {
        std::set<of_this_test, std::less<>, suballocator<of_this_test>> s;
        for (const int i : order)
            s.insert({i, {}});
        EXPECT_GE(page_source().usage().bytes_in_use - before, count * 128u);
        std::shuffle(order.begin(), order.end(), std::mt19937{2});
        for (const int i : order)
            s.erase({i, {}});
    }
    // One empty row stays for the next, as the policy says.
    EXPECT_LE(page_source().usage().bytes_in_use - before, 2_MiB + 256_KiB);
    std::set<of_this_test, std::less<>, suballocator<of_this_test>> again;
    for (int i = 0; i < 1000; ++i)
        again.insert({i, {}});
    EXPECT_EQ(again.size(), 1000u);
}

TEST(suballocator, memory_goes_back_to_the_base) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    counting_resource up;
    std::set<int, std::less<>, stateful_int> s{counted<int>{up}};
    for (int i = 0; i < 300'000; ++i)
        s.insert(s.end(), i);
    const std::size_t full = up.live_bytes();
    EXPECT_GE(full, 300'000u * 32); // or 40, as the library packs its nodes
    EXPECT_LE(full, 300'000u * 41 + 3_MiB);
    s.erase(s.begin(), std::next(s.begin(), 299'000));
    EXPECT_LT(up.live_bytes(), full / 2);
    s.clear();
    EXPECT_LE(up.live_bytes(), 4_MiB + 16_KiB); // one empty row, and that of what is hot
    s.get_allocator().trim();
    EXPECT_LE(up.live_bytes(), 8_KiB);
}

TEST(suballocator, the_shared_pool_tells_what_it_holds_and_trims) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    using element = sized<136>;
    suballocator<element> a;
    std::vector<element*> all;
    for (int i = 0; i < 100'000; ++i)
        all.push_back(a.allocate(1));
    EXPECT_EQ(a.usage().live_allocations, 100'000u);
    EXPECT_EQ(a.usage().bytes_in_use, 136u * 100'000);
    EXPECT_TRUE(suballocator<element>{}.owns(all.back()));
    for (element* p : all)
        a.deallocate(p, 1);
    EXPECT_EQ(a.usage().live_allocations, 0u);
    a.trim();
    EXPECT_EQ(a.usage().bytes_reserved, 0u);
}

TEST(suballocator, its_rows_are_pages_and_it_gives_single_ones_back) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    using element = sized<144>;
    suballocator<element> a;
    element* const first = a.allocate(1);
    EXPECT_FALSE(page_source().owns(first)); // small ones are malloc's
    std::vector<element*> all;
    for (int i = 0; i < 30'000; ++i)
        all.push_back(a.allocate(1));
    EXPECT_TRUE(page_source().owns(all.back()));
    for (element* p : all)
        a.deallocate(p, 1);
    a.deallocate(first, 1);
    a.trim();
}

// ---- failure ------------------------------------------------------------------------------------

#if ARENITE_EXCEPTIONS
TEST(suballocator, a_failed_request_of_the_base_changes_nothing) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    counting_resource up;
    {
        suballocator<sized<40>, counted<int>> a{counted<int>{up}};
        std::vector<sized<40>*> all;
        for (int round = 0; round < 3000; ++round) {
            if (a.usage().largest_hole_bytes == 0) {
                const arenite::usage before = a.usage();
                const std::size_t live = up.live();
                up.fail_after(0);
                for (int k = 0; k < 3; ++k)
                    EXPECT_THROW(static_cast<void>(a.allocate(1)), std::bad_alloc);
                up.never_fail();
                EXPECT_EQ(a.usage(), before);
                EXPECT_EQ(up.live(), live);
            }
            all.push_back(a.allocate(1));
            EXPECT_TRUE(a.owns(all.back()));
            all.back()->value = round;
        }
        for (int round = 0; round < 3000; ++round) {
            EXPECT_EQ(all[static_cast<std::size_t>(round)]->value, round);
            a.deallocate(all[static_cast<std::size_t>(round)], 1);
        }
    }
    EXPECT_EQ(up.live(), 0u);
}

TEST(suballocator, making_an_own_pool_may_fail_and_leaves_nothing) {
    counting_resource up;
    up.fail_after(0);
    EXPECT_THROW((suballocator<int, counted<int>>{counted<int>{up}}), std::bad_alloc);
    EXPECT_EQ(up.live(), 0u);
}
#endif

#if GTEST_HAS_DEATH_TEST
TEST(suballocator_death, freeing_through_an_unequal_allocator_is_found) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    own_int a, b;
    int* const p = a.allocate(1);
    EXPECT_DEATH(b.deallocate(p, 1), "not equal");
    int* const q = b.allocate(1);
    if (checks_enabled) {
        EXPECT_DEATH(b.deallocate(p, 1), "not of this pool");
    }
    a.deallocate(p, 1);
    b.deallocate(q, 1);
}
#endif

// ---- threads ------------------------------------------------------------------------------------

/// Seed 4 crashed where an element was freed on another thread.
TEST(suballocator_threads, elements_of_the_shared_pool_may_be_freed_on_any_thread) {
    using element = sized<88>;
    using list = std::list<element, suballocator<element>>;
    constexpr int threads = 4, rounds = 40, elements = 500;
    std::atomic<list*> waiting[threads] = {};
    const auto work = [&](int self) {
        list mine;
        for (int round = 0; round < rounds; ++round) {
            auto made = std::make_unique<list>();
            for (int i = 0; i < elements; ++i)
                made->emplace_back(self * 1000 + i % 1000);
            mine.splice(mine.end(), *made, made->begin());
            const int other = (self + round) % threads;
            const std::unique_ptr<list> old{waiting[other].exchange(made.release())};
            if (old == nullptr)
                continue;
            int expected = -1;
            for (const element& e : *old) {
                EXPECT_GT(e.value, expected);
                expected = e.value;
            }
        }
    };
    std::vector<std::thread> running;
    for (int t = 0; t < threads; ++t)
        running.emplace_back(work, t);
    for (std::thread& t : running)
        t.join();
    for (std::atomic<list*>& w : waiting)
        delete w.load();
    // Slots that threads held back came home when they ended.
    const std::list<element, suballocator<element>> none;
    suballocator<element> a;
    element* const p = a.allocate(1);
    EXPECT_EQ(a.usage().live_allocations, 1u);
    a.deallocate(p, 1);
}

TEST(suballocator_threads, the_shared_pool_is_trimmed_and_measured_while_others_use_it) {
    using element = sized<104>;
    std::atomic<bool> stop{false};
    std::vector<std::thread> running;
    for (int t = 0; t < 2; ++t)
        running.emplace_back([&] {
            while (!stop) {
                std::set<element, std::less<>, suballocator<element>> s;
                for (int i = 0; i < 300; ++i)
                    s.emplace(i * 7 % 300);
            }
        });
    const suballocator<element> a;
    for (int i = 0; i < 200; ++i) {
        a.trim();
        const arenite::usage u = a.usage();
        EXPECT_LE(u.bytes_in_use, u.bytes_reserved);
    }
    stop = true;
    for (std::thread& t : running)
        t.join();
}

TEST(suballocator_threads, a_container_with_its_own_pool_is_handed_over) {
    using map =
        std::map<int, int, std::less<>,
                 suballocator<std::pair<const int, int>, std::allocator<int>, sharing::container>>;
    map m;
    for (int i = 0; i < 1000; ++i)
        m[i] = i;
    std::thread{[mine = std::move(m)]() mutable {
        mine.erase(mine.begin(), mine.find(500));
        for (int i = 0; i < 100; ++i)
            mine[i] = i;
        EXPECT_EQ(mine.size(), 600u);
    }}.join();
}

#if defined(__linux__)

TEST(suballocator_threads, a_child_of_a_process_with_threads_works_on) {
    using element = sized<136>;
    using list = std::list<element, suballocator<element>>;
    using small = std::list<int, suballocator<int>>;
    std::atomic<bool> stop{false};
    std::atomic<int> waiting{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 2; ++t) {
        threads.emplace_back([&] { // during something
            while (!stop) {
                list l(200);
                small s(200);
                while (!l.empty())
                    l.pop_back();
            }
        });
        threads.emplace_back([&] { // holds slots back, and waits
            small{1, 2, 3};
            ++waiting;
            while (!stop)
                std::this_thread::yield();
        });
    }
    while (waiting != 2)
        std::this_thread::yield();
    for (int i = 0; i < 30; ++i) {
        small mine(100);
        const pid_t child = ::fork();
        if (child == 0) {
            ::alarm(30);
            mine.clear();
            list l(1000);
            l.clear();
            // All that is free may be had, and nothing twice.
            small s;
            for (int n = 0; n < 10'000; ++n)
                s.push_back(n);
            const bool right = std::accumulate(s.begin(), s.end(), 0) == 10'000 * 9'999 / 2;
            s.clear();
            suballocator<element>{}.trim();
            ::_exit(right ? 0 : 1);
        }
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    }
    stop = true;
    for (std::thread& t : threads)
        t.join();
}

TEST(suballocator_threads, a_child_has_what_other_threads_held_back) {
    struct alignas(8) element {
        std::byte bytes[152];
    };
    const suballocator<element> a;
    element* const p = suballocator<element>{}.allocate(1);
    std::atomic<int> state{0};
    std::thread other{[&] {
        suballocator<element> mine;
        mine.deallocate(mine.allocate(1), 1);
        state = 1;
        while (state != 2)
            std::this_thread::yield();
    }};
    while (state != 1)
        std::this_thread::yield();
    const pid_t child = ::fork();
    if (child == 0) {
        suballocator<element>{}.deallocate(p, 1);
        a.trim(); // nothing is held back any more
        ::_exit(a.usage().bytes_reserved == 0 ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    state = 2;
    other.join();
    suballocator<element>{}.deallocate(p, 1);
}

#endif

/// Ends after main, and after the thread-local memory of the main thread.
std::set<int, std::less<>, suballocator<int>> ends_last;
thread_local std::set<int, std::less<>, suballocator<int>> ends_with_its_thread;

TEST(suballocator_threads, containers_may_end_as_late_as_they_like) {
    for (int i = 0; i < 500; ++i)
        ends_last.insert(i);
    std::thread{[] {
        for (int i = 0; i < 500; ++i)
            ends_with_its_thread.insert(i);
    }}.join();
    ends_with_its_thread.insert(1);
}

} // namespace
