// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/affinity.hpp>
#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/create.hpp>
#include <arenite/linear/linear_resource.hpp>
#include <arenite/object/unique_ptr.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <support/counting_resource.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace arenite;
using support::counting_resource;

namespace {

struct mesh {
    static inline int alive = 0;
    explicit mesh(std::string n = "bunny") : name{std::move(n)} { ++alive; }
    mesh(const mesh&) = delete;
    mesh& operator=(const mesh&) = delete;
    ~mesh() { --alive; }
    std::string name;
};

// ---- owning ---------------------------------------------------------------------------------

TEST(unique_ptr, makes_owns_and_ends_an_object) {
    counting_resource memory;
    {
        auto m = make_unique<mesh>(memory, "dragon");
        static_assert(sizeof(m) == 2 * sizeof(void*));
        EXPECT_EQ(m->name, "dragon");
        EXPECT_EQ((*m).name, "dragon");
        EXPECT_EQ(m.resource(), &memory);
        EXPECT_EQ(memory.live_bytes(), sizeof(mesh));
        auto other = std::move(m);
        EXPECT_EQ(m, nullptr);
        ASSERT_TRUE(other);
        other = make_unique<mesh>(memory);
        EXPECT_EQ(mesh::alive, 1);
        other = nullptr;
        EXPECT_EQ(mesh::alive, 0);
        EXPECT_EQ(memory.live(), 0u);
        other = make_unique<mesh>(memory);
        mesh* const by_hand = other.release();
        EXPECT_EQ(mesh::alive, 1);
        destroy(memory, by_hand);
        unique_ptr<mesh, counting_resource> adopted{create<mesh>(memory), memory};
        swap(other, adopted);
        EXPECT_TRUE(other && !adopted);
        EXPECT_TRUE((other <=> adopted) != 0);
        EXPECT_EQ(std::hash<decltype(other)>{}(other), std::hash<mesh*>{}(other.get()));
        auto& itself = other;
        other = std::move(itself);
        EXPECT_TRUE(other);
    }
    EXPECT_EQ(mesh::alive, 0);
    EXPECT_EQ(memory.live(), 0u);
}

TEST(unique_ptr, an_assignment_may_end_its_own_holder) {
    struct node {
        unique_ptr<node, counting_resource> next;
    };
    counting_resource memory;
    auto head = make_unique<node>(memory);
    head->next = make_unique<node>(memory);
    head = std::move(head->next);
    EXPECT_EQ(memory.live(), 1u);
}

TEST(unique_ptr, honours_alignment_and_size) {
    struct alignas(256) wide {
        std::array<char, 300> bytes;
    };
    counting_resource memory;
    auto w = make_unique<wide>(memory);
    EXPECT_TRUE(is_aligned(w.get(), 256));
    EXPECT_EQ(memory.live_bytes(), 512u);
}

struct on_level {
    static counting_resource& resource() noexcept {
        static counting_resource memory;
        return memory;
    }
};

TEST(unique_ptr, is_one_word_where_the_type_tells_the_resource) {
    auto m = make_unique<mesh>(on_level{}, "a");
    static_assert(sizeof(m) == sizeof(void*));
    EXPECT_EQ(on_level::resource().live(), 1u);
    m.reset();
    EXPECT_EQ(on_level::resource().live(), 0u);

    const std::size_t before = affinity_heap::of<affinities::objects>().usage().bytes_in_use;
    auto n = make_unique<mesh>(affinities::objects{}, "b");
    static_assert(sizeof(n) == sizeof(void*));
    EXPECT_TRUE(affinity_heap::of<affinities::objects>().owns(n.get()));
    n.reset();
    EXPECT_EQ(affinity_heap::of<affinities::objects>().usage().bytes_in_use, before);
    EXPECT_EQ(mesh::alive, 0);
}

TEST(unique_ptr, forgets_the_resources_type_but_not_the_resource) {
    counting_resource memory;
    unique_ptr<mesh> any = make_unique<mesh>(memory, "c");
    EXPECT_EQ(any.resource(), &memory);
    unique_ptr<const mesh> constant = std::move(any);
    EXPECT_EQ(constant->name, "c");
    constant.reset();
    EXPECT_EQ(memory.live(), 0u);
    resource& r = memory;
    EXPECT_EQ(make_unique<int>(r, 3).resource(), &memory);
}

// ---- bases ----------------------------------------------------------------------------------

struct shape {
    virtual ~shape() = default;
    virtual std::size_t corners() const { return 0; }
};
struct polygon : shape {
    std::array<double, 30> points{};
    std::size_t corners() const override { return 15; }
};
struct labelled {
    virtual ~labelled() = default;
    std::array<char, 40> label{};
};
struct labelled_polygon : labelled, polygon {};

TEST(unique_ptr, becomes_one_to_a_base_and_gives_the_true_size_back) {
    affinity_heap& heap = affinity_heap::of<affinities::nodes>();
    const std::size_t before = heap.usage().bytes_in_use;
    unique_ptr<shape, affinities::nodes> s = make_unique<polygon>(affinities::nodes{});
    EXPECT_EQ(s->corners(), 15u);
    EXPECT_GE(heap.usage().bytes_in_use, before + sizeof(polygon));
    s = make_unique<shape>(affinities::nodes{});
    EXPECT_EQ(s->corners(), 0u);
    s.reset();
    EXPECT_EQ(heap.usage().bytes_in_use, before);
    unique_ptr<shape, affinity_heap> of_the_heap = make_unique<polygon>(heap);
    of_the_heap.reset();
    EXPECT_EQ(heap.usage().bytes_in_use, before);
}

#if defined(__cpp_rtti)
TEST(unique_ptr, becomes_one_to_a_base_that_is_not_the_first) {
    affinity_heap& heap = affinity_heap::of<affinities::nodes>();
    const std::size_t before = heap.usage().bytes_in_use;
    unique_ptr<polygon, affinities::nodes> p = make_unique<labelled_polygon>(affinities::nodes{});
    unique_ptr<shape, affinities::nodes> s = std::move(p);
    s.reset();
    EXPECT_EQ(heap.usage().bytes_in_use, before);
}
#else
TEST(unique_ptr_death, a_base_that_is_not_the_first_is_refused_without_type_information) {
    EXPECT_DEATH((unique_ptr<polygon, affinities::nodes>{
                     make_unique<labelled_polygon>(affinities::nodes{})}),
                 "only where the base is the first of its class");
}
#endif

// ---- failing --------------------------------------------------------------------------------

#if ARENITE_EXCEPTIONS
TEST(unique_ptr, nothing_is_lost_where_making_throws) {
    struct moody {
        explicit moody(bool fails) {
            if (fails)
                throw std::runtime_error{"now"};
        }
    };
    counting_resource memory;
    EXPECT_THROW(static_cast<void>(make_unique<moody>(memory, true)), std::runtime_error);
    EXPECT_THROW(static_cast<void>(make_unique<moody>(on_level{}, true)), std::runtime_error);
    EXPECT_EQ(memory.live(), 0u);
    EXPECT_EQ(on_level::resource().live(), 0u);
    memory.fail_after(0);
    EXPECT_THROW(static_cast<void>(make_unique<moody>(memory, false)), out_of_memory);
}
#endif

TEST(unique_ptr_death, following_nothing_is_found_in_checked_builds) {
    if constexpr (!checks_enabled)
        GTEST_SKIP() << "only checked builds look";
    unique_ptr<mesh, ordered_heap> none;
    EXPECT_DEATH(none->name.clear(), "a unique_ptr that owns nothing is followed");
}

// ---- ends of any depth ----------------------------------------------------------------------

template <class R>
struct tree {
    static inline unsigned depth, deepest;
    static inline int alive;
    static void reset() { depth = deepest = 0, alive = 0; }
    tree() { ++alive; }
    tree(const tree&) = delete;
    tree& operator=(const tree&) = delete;
    ~tree() {
        deepest = std::max(deepest, ++depth);
        children.clear();
        --depth;
        --alive;
    }
    std::vector<unique_ptr<tree, R>> children;
};

// An object that ends at the bound ends others from its queue, one below it.
constexpr unsigned bound = destruction_queue::max_depth + 1;

template <class Tree, class Make>
void end_a_chain(Make make, int length) {
    Tree::reset();
    auto head = make();
    for (int i = 1; i < length; ++i) {
        auto next = make();
        next->children.push_back(std::move(head));
        head = std::move(next);
    }
    EXPECT_EQ(Tree::alive, length);
    head.reset();
    EXPECT_EQ(Tree::alive, 0);
    EXPECT_EQ(Tree::deepest, bound);
}

TEST(unique_ptr, a_chain_of_a_million_ends_without_recursion) {
    ordered_heap heap;
    end_a_chain<tree<ordered_heap>>([&] { return make_unique<tree<ordered_heap>>(heap); },
                                    1'000'000);
    using tagged = tree<affinities::nodes>;
    end_a_chain<tagged>([] { return make_unique<tagged>(affinities::nodes{}); }, 100'000);
}

TEST(unique_ptr, a_shallow_tree_ends_as_any_does) {
    using node = tree<ordered_heap>;
    ordered_heap heap;
    node::reset();
    auto root = make_unique<node>(heap);
    for (int i = 0; i < 5; ++i)
        root->children.push_back(make_unique<node>(heap));
    root.reset();
    EXPECT_EQ(node::deepest, 2u);
}

TEST(unique_ptr, random_trees_end_without_recursion) {
    using node = tree<ordered_heap>;
    ordered_heap heap;
    for (unsigned seed = 0; seed < 10; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937 random{seed};
        node::reset();
        auto root = make_unique<node>(heap);
        std::vector<node*> all{root.get()};
        const std::size_t back = 1 + random() % 50; // small: deep, large: bushy
        for (std::size_t i = 1; i < 20'000; ++i) {
            node* const parent = all[i - 1 - random() % std::min(i, back)];
            parent->children.push_back(make_unique<node>(heap));
            all.push_back(parent->children.back().get());
        }
        root.reset();
        EXPECT_EQ(node::alive, 0);
        EXPECT_LE(node::deepest, bound);
    }
}

} // namespace
