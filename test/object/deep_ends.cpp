// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/object/destruction_queue.hpp>
#include <arenite/object/intrusive_ptr.hpp>
#include <arenite/object/object_pool.hpp>
#include <arenite/object/unique_ptr.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <support/counting_resource.hpp>
#include <support/limits.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#if LIMITS_CAN_BE_TESTED && defined(__GLIBC__)
#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace arenite;
using support::counting_resource;

// Objects that end deep within other destructors, and the memory that they belong to.

namespace {

constexpr int length = 1000; // of chains, far deeper than destruction_queue::max_depth

template <class Node, class Make>
unique_ptr<Node, counting_resource> chain_of(int n, Make make) {
    unique_ptr<Node, counting_resource> head;
    for (int i = 0; i < n; ++i) {
        auto next = make();
        next->next = std::move(head);
        head = std::move(next);
    }
    return head;
}

// ---- memory that ends before the chain does ----------------------------------------------------

struct leaf {
    static inline int alive;
    leaf() { ++alive; }
    leaf(const leaf&) = delete;
    leaf& operator=(const leaf&) = delete;
    ~leaf() { --alive; }
};

/// Its destructor uses memory of its own.
struct with_scratch {
    unique_ptr<with_scratch, counting_resource> next;
    ~with_scratch() {
        counting_resource scratch;
        {
            auto one = make_unique<leaf>(scratch);
            auto many = make_unique<leaf[]>(scratch, 3);
            EXPECT_EQ(leaf::alive, 4);
        }
        EXPECT_EQ(leaf::alive, 0);
        EXPECT_EQ(scratch.live(), 0u);
    }
};

TEST(deep_ends, are_through_when_memory_of_a_destructor_s_own_ends) {
    leaf::alive = 0;
    counting_resource memory;
    auto head = chain_of<with_scratch>(length, [&] { return make_unique<with_scratch>(memory); });
    head.reset();
    EXPECT_EQ(memory.live(), 0u);
}

struct enemy {
    static inline int released;
    void on_release() { ++released; }
};
struct each_time : object_rules {
    static constexpr bool construct_each_time = true;
};

/// Owns pools, and objects of them.
struct level {
    object_pool<enemy> enemies;
    object_pool<leaf, each_time> leaves;
    object_pool<enemy>::pointer boss = enemies.acquire();
    object_pool<leaf, each_time>::pointer fallen = leaves.acquire();
    unique_ptr<level, counting_resource> next;
};

TEST(deep_ends, are_through_when_a_pool_beside_them_ends) {
    leaf::alive = enemy::released = 0;
    counting_resource memory;
    constexpr int levels = 100;
    chain_of<level>(levels, [&] { return make_unique<level>(memory); }).reset();
    EXPECT_EQ(enemy::released, levels);
    EXPECT_EQ(leaf::alive, 0);
    EXPECT_EQ(memory.live(), 0u);
}

/// A chain whose memory goes with it, link by link: it ends as deep as it is long.
struct nested {
    counting_resource memory;
    unique_ptr<nested, counting_resource> next;
};

TEST(deep_ends, of_memory_within_memory_are_in_order) {
    nested outermost;
    nested* at = &outermost;
    for (int i = 0; i < length; ++i) {
        at->next = make_unique<nested>(at->memory);
        at = at->next.get();
    }
    outermost.next.reset();
    EXPECT_EQ(outermost.memory.live(), 0u);
}

// ---- chains that mix ---------------------------------------------------------------------------

struct link {
    static inline int depth, deepest;
    unique_ptr<link, counting_resource> next;
    ~link() {
        deepest = std::max(deepest, ++depth);
        next.reset();
        --depth;
    }
};

TEST(deep_ends, of_a_chain_in_several_resources_go_one_deeper_for_each) {
    constexpr std::size_t resources = 5;
    std::array<counting_resource, resources> memory;
    link::depth = link::deepest = 0;
    std::size_t i = 0;
    chain_of<link>(1'000'000, [&] { return make_unique<link>(memory[i++ % resources]); }).reset();
    EXPECT_EQ(link::deepest, static_cast<int>(destruction_queue::max_depth + resources));
    for (const counting_resource& m : memory)
        EXPECT_EQ(m.live(), 0u);
}

/// Classes and ways of owning that take turns.
struct second;
struct third;
struct first {
    static inline int depth, deepest;
    unique_ptr<second, counting_resource> next;
    ~first() {
        deepest = std::max(deepest, ++depth);
        next.reset();
        --depth;
    }
};
struct second {
    object_pool<third>::pointer next;
};
struct third {
    unique_ptr<first, counting_resource> next;
    void on_release() { next.reset(); }
};

TEST(deep_ends, of_a_chain_of_several_classes_go_one_deeper_for_each) {
    counting_resource memory;
    object_pool<third> pool;
    first::depth = first::deepest = 0;
    unique_ptr<first, counting_resource> head;
    for (int i = 0; i < 300'000; ++i) {
        auto c = pool.acquire();
        c->next = std::move(head);
        auto b = make_unique<second>(memory);
        b->next = std::move(c);
        head = make_unique<first>(memory);
        head->next = std::move(b);
    }
    head.reset();
    EXPECT_LE(first::deepest, static_cast<int>(destruction_queue::max_depth));
    EXPECT_TRUE(pool.empty());
    EXPECT_EQ(memory.live(), 0u);
}

struct counted_link : ref_counted<> {
    struct owned {
        intrusive_ptr<counted_link> next;
    };
    static inline int depth, deepest;
    unique_ptr<owned, counting_resource> next;
    ~counted_link() {
        deepest = std::max(deepest, ++depth);
        next.reset();
        --depth;
    }
};

TEST(deep_ends, of_a_chain_of_objects_with_and_without_counts_are_bounded) {
    counting_resource memory;
    counted_link::depth = counted_link::deepest = 0;
    intrusive_ptr<counted_link> head;
    for (int i = 0; i < 300'000; ++i) {
        auto node = make_intrusive<counted_link>();
        node->next = make_unique<counted_link::owned>(memory);
        node->next->next = std::move(head);
        head = std::move(node);
    }
    head.reset();
    EXPECT_LE(counted_link::deepest, static_cast<int>(destruction_queue::max_depth));
    EXPECT_EQ(memory.live(), 0u);
}

// ---- without memory for those that wait --------------------------------------------------------

#if LIMITS_CAN_BE_TESTED && defined(__GLIBC__)

struct wide {
    static inline int alive = 0;
    std::vector<unique_ptr<wide, ordered_heap>> children;
    wide() { ++alive; }
    wide(const wide&) = delete;
    wide& operator=(const wide&) = delete;
    ~wide() { --alive; }
};

[[noreturn]] void end_without_memory() {
    ::mallopt(M_MMAP_THRESHOLD, 65'536); // so that no large piece comes from what is free
    ordered_heap memory;
    auto root = make_unique<wide>(memory);
    wide* at = root.get();
    for (int i = 0; i < length; ++i) {
        at->children.push_back(make_unique<wide>(memory));
        at = at->children.front().get();
    }
    for (int i = 0; i < 200'000; ++i)
        at->children.push_back(make_unique<wide>(memory));
    const rlimit none{1, 1}; // what there is stays
    if (::setrlimit(RLIMIT_AS, &none) != 0)
        ::_exit(0);
    root.reset();
    ::_exit(wide::alive == 0 ? 0 : 1);
}

TEST(deep_ends, of_more_objects_than_there_is_memory_to_note_end_all_the_same) {
    const pid_t child = ::fork();
    if (child == 0)
        end_without_memory();
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

#endif

} // namespace
