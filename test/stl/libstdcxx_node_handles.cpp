// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/stl/detail/libstdcxx_node_handles.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>

using namespace arenite;
using detail::is_libstdcxx_node;

namespace {

static_assert(!is_libstdcxx_node<int>());
static_assert(!is_libstdcxx_node<std::pair<const int, int>>());
#if defined(__GLIBCXX__)
static_assert(is_libstdcxx_node<std::_Rb_tree_node<int>>());
static_assert(is_libstdcxx_node<std::_Rb_tree_node<std::pair<const int, int>>>());
static_assert(is_libstdcxx_node<std::__detail::_Hash_node<int, false>>());
static_assert(!is_libstdcxx_node<std::_List_node<int>>()); // lists have no node handles
#endif

/// An allocator that counts how many of it there are.
template <class T>
struct counting {
    using value_type = T;
    static inline int alive = 0;

    counting() noexcept { ++counting<int>::alive; }
    counting(const counting&) noexcept { ++counting<int>::alive; }
    template <class U>
    counting(const counting<U>&) noexcept { // NOLINT(google-explicit-constructor)
        ++counting<int>::alive;
    }
    counting& operator=(const counting&) = default;
    ~counting() { --counting<int>::alive; }

    T* allocate(std::size_t n) { return std::allocator<T>{}.allocate(n); }
    void deallocate(T* p, std::size_t n) { std::allocator<T>{}.deallocate(p, n); }
    friend bool operator==(const counting&, const counting&) { return true; }
};

TEST(libstdcxx_node_handles, a_copy_of_the_allocator_is_lost_with_each_node_that_is_inserted) {
#if defined(__GLIBCXX__) && __GLIBCXX__ < 20240000
    const int before = counting<int>::alive;
    {
        std::set<int, std::less<>, counting<int>> a{1, 2}, b;
        b.insert(a.extract(1));
    }
    EXPECT_GT(counting<int>::alive, before) << "mended: then the workaround may go";
#else
    GTEST_SKIP() << "only libstdc++ 12 is known to do so";
#endif
}

} // namespace
