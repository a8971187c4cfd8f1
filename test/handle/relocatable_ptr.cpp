// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/handle/relocatable_ptr.hpp>

#include <arenite/handle/compacting_heap.hpp>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"

#include <algorithm>
#include <cstddef>
#include <random>
#include <type_traits>
#include <unordered_set>
#include <vector>

namespace {

using namespace arenite;

struct node {
    relocatable_ptr<node> left, right;
    int value = 1;
};

static_assert(sizeof(relocatable_ptr<int>) == (checks_enabled ? 12 : 8));
static_assert(std::is_trivially_copyable_v<relocatable_ptr<int>>);

handle<node> make_tree(compacting_heap& heap, int depth) {
    const handle<node> made = heap.make<node>();
    if (depth != 0) {
        const relocatable_ptr<node> right = make_tree(heap, depth - 1);
        const relocatable_ptr<node> left = make_tree(heap, depth - 1);
        made->left = left;
        made->right = right;
    }
    return made;
}

int sum(const relocatable_ptr<node>& n) { return n ? n->value + sum(n->left) + sum(n->right) : 0; }

/// Parents before their children, the left subtree before the right one.
struct tree_visit {
    std::vector<handle<node>> open;
    relocatable_ptr<node>* next;

    relocatable_ptr<node>* operator()() {
        relocatable_ptr<node>* found = std::exchange(next, nullptr);
        while (found == nullptr && !open.empty()) {
            node& parent = *open.back();
            if (parent.value++ == 1)
                found = parent.left ? &parent.left : nullptr;
            else
                found = (open.pop_back(), parent.right ? &parent.right : nullptr);
        }
        if (found != nullptr)
            open.push_back(found->handle());
        return found;
    }
};

TEST(relocatable_ptr, null_is_null) {
    constinit static relocatable_ptr<node> none;
    EXPECT_FALSE(none);
    EXPECT_TRUE(none.is_null());
    EXPECT_EQ(none.get(), nullptr);
    EXPECT_EQ(none, relocatable_ptr<node>{nullptr});
    EXPECT_FALSE(relocatable_ptr<node>{handle<node>{}});
    EXPECT_FALSE(none.handle());
}

TEST(relocatable_ptr, it_follows_its_object) {
    compacting_heap heap;
    std::vector<handle<node>> all;
    std::vector<relocatable_ptr<node>> pointers;
    for (int i = 0; i < 5000; ++i) {
        all.push_back(heap.make<node>());
        all.back()->value = i;
        pointers.push_back(all.back());
    }
    std::vector<handle<node>> order = all;
    std::shuffle(order.begin(), order.end(), std::mt19937{1});
    EXPECT_EQ(heap.step(order).moves, all.size());
    for (int i = 0; i < 5000; ++i) {
        const auto at = static_cast<std::size_t>(i);
        EXPECT_EQ(pointers[at]->value, i);
        EXPECT_EQ(pointers[at].get(), all[at].get());
        EXPECT_EQ(pointers[at].handle(), all[at]);
        EXPECT_EQ(pointers[at], relocatable_ptr<node>{all[at]});
    }
}

TEST(relocatable_ptr, it_can_be_hashed) {
    compacting_heap heap;
    const handle<node> a = heap.make<node>();
    const std::unordered_set<relocatable_ptr<node>> all{a, a, heap.make<node>(), nullptr};
    EXPECT_EQ(all.size(), 3u);
    EXPECT_TRUE(all.contains(a));
}

TEST(relocatable_ptr, an_order_may_consist_of_them) {
    compacting_heap heap;
    relocatable_ptr<node> root = make_tree(heap, 12);
    const int nodes = sum(root);
    EXPECT_EQ(nodes, (1 << 13) - 1);
    tree_visit visit{{}, &root};
    while (!heap.step(visit, budget{.moves = 100}).finished()) {
    }
    EXPECT_EQ(root->left.get(), reinterpret_cast<node*>(reinterpret_cast<std::byte*>(root.get()) +
                                                        (sizeof(node) + 15) / 8 * 8));
    EXPECT_EQ(sum(root), 3 * nodes); // each was passed twice
}

TEST(relocatable_ptr, large_objects_and_distant_blocks_are_found_by_the_table) {
    struct image {
        int first = 3;
        std::byte pixels[300'000];
    };
    support::counting_resource up; // whose blocks may lie anywhere
    compacting_heap heap{{}, &up};
    const relocatable_ptr<image> a = heap.make<image>();
    const relocatable_ptr<node> b = heap.make<node>();
    EXPECT_EQ(a->first, 3);
    EXPECT_EQ(b->value, 1);
}

TEST(relocatable_ptr, after_the_end_of_its_object_it_is_false) {
    if constexpr (checks_enabled)
        GTEST_SKIP() << "checked builds report the use";
    compacting_heap heap;
    const handle<node> a = heap.make<node>();
    const relocatable_ptr<node> b = a;
    EXPECT_TRUE(b);
    heap.destroy(a);
    EXPECT_FALSE(b);
    EXPECT_EQ(b.get(), nullptr);
    EXPECT_FALSE(b.is_null());
}

TEST(relocatable_ptr_death, a_dead_object_is_noticed) {
    if constexpr (!checks_enabled)
        GTEST_SKIP() << "only checked builds look";
    compacting_heap heap;
    const handle<node> a = heap.make<node>();
    const relocatable_ptr<node> b = a;
    heap.destroy(a);
    static_cast<void>(heap.make<node>()); // has its slot
    EXPECT_DEATH(static_cast<void>(b.get()), "the object of this relocatable_ptr is dead");
    EXPECT_DEATH(static_cast<void>(static_cast<bool>(b)),
                 "the object of this relocatable_ptr is d");
}

} // namespace
