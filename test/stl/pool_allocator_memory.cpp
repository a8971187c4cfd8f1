// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Containers with a pool_allocator: the memory that they take from the page source, and give back.
#include <arenite/check/detail/poison.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/os/page_resource.hpp>
#include <arenite/stl/pool_allocator.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <type_traits>
#include <vector>

using namespace arenite;

namespace {

using list = std::list<int, pool_allocator<int>>;
using set = std::set<int, std::less<>, pool_allocator<int>>;

/// Bytes that the process has from the page source, without its bookkeeping.
std::size_t page_bytes() { return page_source().usage().bytes_in_use; }
std::size_t page_requests() { return page_source().usage().live_allocations; }

template <class Container>
void fill(Container& c, int count) {
    for (int i = 0; i < count; ++i)
        c.insert(c.end(), i);
}

int allocators_copied = 0;

template <class T>
struct copy_counted {
    using value_type = T;
    copy_counted() = default;
    copy_counted(const copy_counted&) noexcept { ++allocators_copied; }
    template <class U>
    // NOLINTNEXTLINE(google-explicit-constructor)
    copy_counted(const copy_counted<U>&) noexcept {}
    copy_counted& operator=(const copy_counted&) = default;
    T* allocate(std::size_t n) { return std::allocator<T>{}.allocate(n); }
    void deallocate(T* p, std::size_t n) { std::allocator<T>{}.deallocate(p, n); }
    friend bool operator==(const copy_counted&, const copy_counted&) { return true; }
};

/// libc++ 22 makes each node of a list by a copy of its allocator: the list never gets a pool.
bool lists_copy_their_allocators() {
    std::list<int, copy_counted<int>> l;
    allocators_copied = 0;
    l.push_back(1);
    return allocators_copied != 0;
}
constexpr const char* why_no_list =
    "each node of a list is made by a copy of its allocator here, which has no pool";

TEST(pool_allocator, a_large_container_releases_all_with_itself) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    list{1, 2, 3}.push_back(4); // what the thread keeps is there now
    const bool without_lists = lists_copy_their_allocators();
    const auto run = [&] {
        list l;
        fill(l, without_lists ? 0 : 200'000);
        set s;
        fill(s, 100'000);
        l.clear();
    };
    for (int i = 0; i < 4; ++i)
        run(); // the first ones fill what other containers, also of ended threads, left
    const std::size_t before = page_bytes();
    run();
    EXPECT_EQ(page_bytes(), before);
    if (without_lists)
        GTEST_SKIP() << "of lists, but not of sets: " << why_no_list;
}

/// Each number once, in no order.
std::vector<int> shuffled(int count) {
    std::vector<int> all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), 0);
    std::shuffle(all.begin(), all.end(), std::mt19937{1});
    return all;
}

TEST(pool_allocator, containers_that_were_emptied_hold_nothing_however_many) {
    if (passthrough())
        GTEST_SKIP() << "malloc keeps what it likes";
    const std::size_t before = page_bytes();
    constexpr std::size_t count = detail::poison::active ? 8 : 30, each = 512_KiB;
    std::vector<list> cleared(count), popped(count);
    std::vector<set> erased(count);
    const std::vector<int> order = shuffled(100'000);
    for (std::size_t i = 0; i < count; ++i) {
        fill(cleared[i], 100'000); // 2.4 MB
        cleared[i].clear();
        fill(popped[i], 100'000);
        while (!popped[i].empty())
            popped[i].pop_back();
        fill(erased[i], 100'000); // 4 MB
        for (const int value : order)
            erased[i].erase(value);
        EXPECT_LE(page_bytes(), before + (i + 1) * 3 * each) << i;
    }
    fill(cleared[0], 100'000);
    EXPECT_EQ(std::adjacent_find(cleared[0].begin(), cleared[0].end(), std::greater_equal<>{}),
              cleared[0].end());
}

TEST(pool_allocator, a_container_that_shrinks_keeps_a_quarter_of_what_it_uses) {
    if (passthrough())
        GTEST_SKIP() << "malloc keeps what it likes";
    const std::size_t before = page_bytes();
    list l;
    fill(l, 4'000'000); // 96 MB
    while (l.size() > 1'000'000)
        l.pop_front();
    EXPECT_LE(page_bytes(), before + 24'000'000u * 5 / 4 + 5_MiB);
}

TEST(pool_allocator, elements_known_ahead_are_one_request) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    const auto requests = []<class Container>(std::type_identity<Container>, int n) {
        Container warm;
        fill(warm, 1);
        const std::size_t before = page_requests();
        Container c;
        fill(c, n);
        return page_requests() - before;
    };
    using list_of_16k = std::list<int, pool_allocator<int, 16 * 1024>>;
    using set_of_16k = std::set<int, std::less<>, pool_allocator<int, 16 * 1024>>;
    EXPECT_EQ(requests(std::type_identity<set_of_16k>{}, 16 * 1024), 1u);
    EXPECT_GT(requests(std::type_identity<set_of_16k>{}, 64 * 1024), 1u) << "and then it grows";
    if (lists_copy_their_allocators())
        GTEST_SKIP() << "of lists, but not of sets: " << why_no_list;
    EXPECT_EQ(requests(std::type_identity<list_of_16k>{}, 16 * 1024), 1u);
    EXPECT_GT(requests(std::type_identity<list_of_16k>{}, 64 * 1024), 1u);
}

} // namespace
