// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/literals.hpp>
#include <arenite/core/system_resource.hpp>
#include <arenite/linear/inline_linear_resource.hpp>
#include <arenite/linear/linear_resource.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/stl/resource_allocator.hpp>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"

#include <array>
#include <cstddef>
#include <deque>
#include <forward_list>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <memory_resource>
#include <new>
#include <scoped_allocator>
#include <set>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

using namespace arenite;
using support::counting_resource;

namespace {

template <class T>
using counting_allocator = resource_allocator<T, counting_resource>;
template <class T>
using linear_allocator = resource_allocator<T, linear_resource>;
using counting_vector = std::vector<int, counting_allocator<int>>;
using counting_list = std::list<int, counting_allocator<int>>;

// ---- what compiles and what does not ------------------------------------------------------------

static_assert(std::is_constructible_v<linear_allocator<int>, linear_resource&>);
static_assert(!std::is_constructible_v<linear_allocator<int>, linear_resource>);
static_assert(!std::is_constructible_v<linear_allocator<int>, const linear_resource>);
static_assert(!std::is_constructible_v<linear_allocator<int>, const linear_resource&>);
static_assert(!std::is_constructible_v<resource_allocator<int>, linear_resource>);
static_assert(!std::is_constructible_v<linear_allocator<int>, inline_linear_resource<64>>);
static_assert(!std::is_constructible_v<linear_allocator<int>, malloc_resource&>);
static_assert(!std::is_default_constructible_v<linear_allocator<int>>);
static_assert(std::is_constructible_v<linear_allocator<int>, linear_resource*>);
static_assert(std::is_constructible_v<resource_allocator<int>, linear_resource*>);
static_assert(!std::is_constructible_v<linear_allocator<int>, const linear_resource*>);
static_assert(!std::is_constructible_v<linear_allocator<int>, malloc_resource*>);
static_assert(!std::is_constructible_v<linear_allocator<int>, std::nullptr_t>);

// Another type of objects, and from concrete to polymorphic; never back.
static_assert(std::is_convertible_v<linear_allocator<int>, linear_allocator<double>>);
static_assert(std::is_convertible_v<linear_allocator<int>, resource_allocator<double>>);
static_assert(!std::is_convertible_v<resource_allocator<int>, linear_allocator<int>>);

static_assert(std::is_nothrow_copy_constructible_v<linear_allocator<int>>);
static_assert(std::is_nothrow_move_constructible_v<linear_allocator<int>>);
static_assert(sizeof(linear_allocator<int>) == sizeof(void*));

static_assert(std::is_same_v<decltype(resource_allocator{std::declval<linear_resource&>()}),
                             linear_allocator<std::byte>>);
static_assert(std::is_same_v<decltype(resource_allocator{std::declval<resource&>()}),
                             resource_allocator<std::byte>>);
static_assert(std::is_same_v<std::allocator_traits<linear_allocator<int>>::rebind_alloc<char>,
                             linear_allocator<char>>);

struct incomplete;
struct holder {
    std::vector<incomplete, linear_allocator<incomplete>>* children = nullptr;
    linear_allocator<incomplete>* allocator = nullptr;
};
static_assert(sizeof(linear_allocator<incomplete>) == sizeof(void*));

// A node that holds a vector of its own type, incomplete while it is declared.
struct tree {
    explicit tree(linear_resource& memory) : children{memory} {}
    std::vector<tree, linear_allocator<tree>> children;
};

TEST(resource_allocator, serves_a_type_that_is_incomplete_where_it_is_named) {
    linear_resource memory{1_MiB};
    tree root{memory};
    root.children.emplace_back(memory);
    root.children.back().children.emplace_back(memory);
    EXPECT_TRUE(memory.owns(root.children.data()));
    EXPECT_TRUE(memory.owns(root.children[0].children.data()));
}

// ---- allocation ---------------------------------------------------------------------------------

TEST(resource_allocator, asks_for_the_size_and_alignment_of_its_objects) {
    struct alignas(256) wide {
        std::byte bytes[256];
    };
    linear_resource memory{64_KiB};
    std::vector<wide, linear_allocator<wide>> v{memory};
    for (int i = 0; i < 5; ++i) {
        v.emplace_back();
        EXPECT_TRUE(is_aligned(v.data(), 256));
    }
}

TEST(resource_allocator, gives_back_with_the_same_size_and_alignment) {
    counting_resource memory; // reports what does not match
    counting_allocator<double> a{memory};
    double* p = a.allocate(7);
    EXPECT_EQ(memory.live_bytes(), 7 * sizeof(double));
    a.deallocate(p, 7);
    EXPECT_EQ(memory.live(), 0u);
    double* nothing = a.allocate(0);
    a.deallocate(nothing, 0);
    EXPECT_EQ(memory.live(), 0u);
}

#if ARENITE_EXCEPTIONS
TEST(resource_allocator, a_count_whose_size_does_not_fit_is_bad_array_new_length) {
    counting_resource memory;
    counting_allocator<int> a{memory};
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    for (const std::size_t n :
         {most, most / sizeof(int), most / sizeof(int) + 1, most / 2, most / 2 / sizeof(int) + 1})
        EXPECT_THROW(static_cast<void>(a.allocate(n)), std::bad_array_new_length) << n;
    EXPECT_EQ(memory.calls(), 0u);
}

TEST(resource_allocator, a_failure_leaves_the_container_as_it_was) {
    linear_resource memory{100};
    std::vector<int, linear_allocator<int>> v{memory};
    v.assign({1, 2, 3});
    EXPECT_THROW(v.reserve(1000), out_of_memory);
    EXPECT_EQ(v.size(), 3u);
    EXPECT_EQ(v[2], 3);
}
#endif

TEST(resource_allocator, works_over_resources_that_are_not_ours) {
    std::pmr::monotonic_buffer_resource standard;
    std::vector<int, resource_allocator<int, std::pmr::monotonic_buffer_resource>> direct{standard};
    direct.assign({1, 2});
    std::vector<int, resource_allocator<int>> any{standard};
    any.assign({1, 2});
    EXPECT_EQ(direct[1], any[1]);
}

// ---- equality and conversion --------------------------------------------------------------------

TEST(resource_allocator, copies_rebinds_and_moved_from_allocators_are_equal) {
    counting_resource memory, other;
    counting_allocator<int> a{memory};
    counting_allocator<double> rebound{a};
    EXPECT_TRUE(a == rebound);
    EXPECT_TRUE((counting_allocator<int>{rebound} == a));
    counting_allocator<int> moved{std::move(a)};
    EXPECT_TRUE(a == moved); // NOLINT(bugprone-use-after-move): that is the promise
    EXPECT_TRUE((a != counting_allocator<int>{other}));
    // and each frees what the other allocated
    double* p = rebound.allocate(1);
    counting_allocator<double>{moved}.deallocate(p, 1);
}

TEST(resource_allocator, polymorphic_equality_asks_the_resource) {
    // Two objects, one memory.
    class alias final : public resource {
        void* do_allocate(std::size_t bytes, std::size_t alignment) override {
            return system_resource().allocate(bytes, alignment);
        }
        void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
            system_resource().deallocate(p, bytes, alignment);
        }
        bool do_is_equal(const resource&) const noexcept override { return true; }
    };
    alias a, b;
    counting_resource other;
    EXPECT_TRUE(resource_allocator<int>{a} == resource_allocator<char>{b});
    EXPECT_FALSE((resource_allocator<int, alias>{a} == resource_allocator<int, alias>{b}));
    EXPECT_FALSE((resource_allocator<int>{other} == resource_allocator<int>{a}));
}

TEST(resource_allocator, converts_from_concrete_to_polymorphic) {
    counting_resource memory;
    counting_allocator<int> concrete{memory};
    resource_allocator<double> any = concrete;
    EXPECT_EQ(any.resource(), &memory);
    double* p = any.allocate(3);
    EXPECT_EQ(memory.live(), 1u);
    any.deallocate(p, 3);
}

// ---- what happens when containers meet ----------------------------------------------------------

TEST(resource_allocator, a_copy_uses_the_same_resource) {
    counting_resource memory;
    const counting_vector v{{1, 2, 3}, memory};
    const counting_vector copy = v; // NOLINT(performance-unnecessary-copy-initialization)
    EXPECT_EQ(memory.live(), 2u);
    EXPECT_EQ(copy.get_allocator().resource(), &memory);
}

TEST(resource_allocator, a_move_takes_the_memory_along) {
    counting_resource memory;
    counting_vector v{{1, 2, 3}, memory};
    const int* data = v.data();
    const counting_vector moved = std::move(v);
    EXPECT_EQ(moved.data(), data);
    EXPECT_EQ(memory.live(), 1u);
}

TEST(resource_allocator, assignment_keeps_the_resource_of_the_target) {
    counting_resource here, there;
    counting_vector target{{9}, here};
    const counting_vector source{{1, 2, 3}, there};
    target = source;
    EXPECT_EQ(target, source);
    EXPECT_EQ(target.get_allocator().resource(), &here);
    EXPECT_EQ(there.live(), 1u);
}

TEST(resource_allocator, move_assignment_moves_the_elements_where_resources_differ) {
    counting_resource here, there;
    std::vector<std::unique_ptr<int>, counting_allocator<std::unique_ptr<int>>> target{here},
        source{there};
    source.push_back(std::make_unique<int>(7));
    target = std::move(source);
    ASSERT_EQ(target.size(), 1u);
    EXPECT_EQ(*target[0], 7);
    EXPECT_EQ(target.get_allocator().resource(), &here);
    EXPECT_EQ(here.live(), 1u);
}

TEST(resource_allocator, move_assignment_within_a_resource_moves_nothing) {
    counting_resource memory;
    counting_vector target{memory}, source{{1, 2, 3}, memory};
    const int* data = source.data();
    target = std::move(source);
    EXPECT_EQ(target.data(), data);
}

TEST(resource_allocator, a_long_lived_container_survives_the_arena_it_was_assigned_from) {
    counting_resource long_lived;
    std::list<int, resource_allocator<int>> any{long_lived};
    {
        linear_resource arena{64_KiB};
        std::list<int, resource_allocator<int>> temporary{{1, 2, 3}, arena};
        any = std::move(temporary);
    }
    EXPECT_EQ(any.back(), 3);
}

template <class Container>
void expect_swapped(Container a, Container b) {
    const Container a_before = a, b_before = b;
    auto* const here = a.get_allocator().resource();
    auto* const there = b.get_allocator().resource();
    const auto* const node = &*a.begin();
    using std::swap;
    swap(a, b);
    EXPECT_EQ(a, b_before);
    EXPECT_EQ(b, a_before);
    EXPECT_EQ(a.get_allocator().resource(), there);
    EXPECT_EQ(b.get_allocator().resource(), here);
    EXPECT_EQ(&*b.begin(), node) << "no element moves";
}

// Undefined with std::pmr, and silently freed to the wrong resource by many libraries.
TEST(resource_allocator, swap_exchanges_contents_and_resources) {
    counting_resource here, there;
    expect_swapped(counting_vector{{1, 2}, here}, counting_vector{{3}, there});
    expect_swapped(counting_list{{1, 2}, here}, counting_list{{3}, there});
    using deque = std::deque<int, counting_allocator<int>>;
    expect_swapped(deque{{1, 2}, here}, deque{{3}, there});
    using flist = std::forward_list<int, counting_allocator<int>>;
    expect_swapped(flist{{1, 2}, here}, flist{{3}, there});
    using set = std::set<int, std::less<>, counting_allocator<int>>;
    expect_swapped(set{{1, 2}, here}, set{{3}, there});
    using map = std::unordered_map<int, int, std::hash<int>, std::equal_to<>,
                                   counting_allocator<std::pair<const int, int>>>;
    map a{here}, b{there};
    a.emplace(1, 2);
    b.emplace(3, 4);
    expect_swapped(a, b);
}

TEST(resource_allocator, nodes_move_between_containers_of_one_resource) {
    counting_resource memory;
    counting_list a{{1, 2, 3}, memory}, b{{4, 5}, memory};
    a.splice(a.begin(), b);
    EXPECT_EQ(a.size(), 5u);
    using map = std::map<int, int, std::less<>, counting_allocator<std::pair<const int, int>>>;
    map m{memory}, n{memory};
    m.emplace(1, 2);
    n.insert(m.extract(1));
    EXPECT_EQ(n.at(1), 2);
    m.emplace(3, 4);
    n.merge(m);
    EXPECT_EQ(n.size(), 2u);
    auto node = n.extract(1); // a node handle outlives its container
    n = map{memory};
    EXPECT_EQ(node.mapped(), 2);
}

TEST(resource_allocator, allocate_shared_takes_one_block_and_gives_it_back) {
    counting_resource memory;
    std::weak_ptr<int> weak;
    {
        const auto shared = std::allocate_shared<int>(counting_allocator<int>{memory}, 5);
        weak = shared;
        EXPECT_EQ(*shared, 5);
        EXPECT_EQ(memory.live(), 1u);
    }
    EXPECT_EQ(memory.live(), 1u) << "the weak pointer holds the block";
    weak.reset();
    EXPECT_EQ(memory.live(), 0u);
}

TEST(resource_allocator, a_scoped_adaptor_hands_the_resource_to_inner_containers) {
    linear_resource memory{64_KiB};
    using text = std::basic_string<char, std::char_traits<char>, linear_allocator<char>>;
    std::vector<text, std::scoped_allocator_adaptor<linear_allocator<text>>> v{
        linear_allocator<text>{memory}};
    v.emplace_back("long enough that no small string optimisation holds it");
    EXPECT_TRUE(memory.owns(v[0].data()));
}

// ---- as much as there is anyway -----------------------------------------------------------------

TEST(resource_allocator, allocates_at_least_what_a_slot_holds) {
    ordered_heap heap;
    resource_allocator<std::array<char, 24>, ordered_heap> a{heap};
    for (std::size_t n = 0; n < 400; ++n) {
        const auto got = a.allocate_at_least(n);
        EXPECT_GE(got.count, n);
        const std::size_t bytes = heap.usage().bytes_in_use;
        EXPECT_LT(bytes - got.count * 24, n == 0 ? 25U : 24U); // no room for one more
        a.deallocate(got.ptr, got.count);
        const auto exact = a.allocate(n);
        EXPECT_EQ(heap.usage().bytes_in_use, bytes); // and no more memory than for n
        a.deallocate(exact, n);
    }
    const auto large = a.allocate_at_least(100'000);
    EXPECT_EQ(large.count, 100'000U);
    a.deallocate(large.ptr, large.count);
    linear_resource arena{1_MiB}; // tells nothing of that kind
    linear_allocator<int> b{arena};
    EXPECT_EQ(b.allocate_at_least(3).count, 3U);
#if ARENITE_EXCEPTIONS
    EXPECT_THROW(static_cast<void>(a.allocate_at_least(std::numeric_limits<std::size_t>::max())),
                 std::bad_array_new_length);
#endif
}

} // namespace
