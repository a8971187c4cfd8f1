// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/stl/affinity_allocator.hpp>

#include <arenite/affinity/affine.hpp>

#include <gtest/gtest.h>

#include <list>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

using namespace arenite;

namespace {

struct kids {
    static constexpr std::string_view name = "children";
};
template <class T>
using allocator = affinity_allocator<T, kids>;

std::size_t in_use() { return affinity_heap::of<kids>().usage().bytes_in_use; }

// A node holds its like before it is complete.
struct node : affine<kids> {
    std::vector<node*, allocator<node*>> children;
    std::list<node, allocator<node>> parts;
    std::map<int, node, std::less<>, allocator<std::pair<const int, node>>> named;
};

TEST(affinity_allocator, serves_containers_inside_a_node) {
    const std::size_t before = in_use();
    {
        node root;
        for (int i = 0; i < 100; ++i) {
            root.children.push_back(&root);
            root.parts.emplace_back();
            root.named[i].children.push_back(&root);
        }
        EXPECT_GT(in_use(), before + 100 * sizeof(node));
        node other;
        other.parts.splice(other.parts.begin(), root.parts);
        other.named.merge(root.named);
        std::swap(other.children, root.children);
        other.children = root.children;
        root = std::move(other);
        EXPECT_EQ(root.parts.size(), 100u);
    }
    EXPECT_EQ(in_use(), before);
}

TEST(affinity_allocator, all_of_them_are_equal) {
    const allocator<int> a;
    const allocator<std::string> b{a};
    EXPECT_TRUE(a == b);
    static_assert(std::allocator_traits<allocator<int>>::is_always_equal::value);
    static_assert(sizeof(std::vector<int, allocator<int>>) == sizeof(std::vector<int>));
}

TEST(affinity_allocator, serves_hash_tables_and_shared_pointers) {
    const std::size_t before = in_use();
    {
        std::unordered_map<int, int, std::hash<int>, std::equal_to<>,
                           allocator<std::pair<const int, int>>>
            table;
        for (int i = 0; i < 1000; ++i)
            table[i] = i;
        const auto shared = std::allocate_shared<std::string>(allocator<std::string>{}, 100, 'x');
        EXPECT_EQ(shared->size(), 100u);
    }
    EXPECT_EQ(in_use(), before);
}

#if ARENITE_EXCEPTIONS
TEST(affinity_allocator, too_many_are_refused) {
    allocator<long> a;
    EXPECT_THROW(static_cast<void>(a.allocate(static_cast<std::size_t>(-1) / 4)),
                 std::bad_array_new_length);
    EXPECT_THROW(static_cast<void>(a.allocate(static_cast<std::size_t>(-1) / 64)), std::bad_alloc);
}
#endif

TEST(affinity_allocator_threads, a_container_goes_from_thread_to_thread) {
    const std::size_t before = in_use();
    std::list<int, allocator<int>> list;
    for (int round = 0; round < 4; ++round)
        std::thread{[&] {
            for (int i = 0; i < 500; ++i)
                list.push_back(i);
            for (int i = 0; i < 250; ++i)
                list.pop_front();
        }}.join();
    list.clear();
    EXPECT_EQ(in_use(), before);
}

} // namespace
