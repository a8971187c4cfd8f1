// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/affine.hpp>

#include <arenite/affinity/affinity_strategy.hpp>
#include <arenite/object/intrusive_ptr.hpp>
#include <arenite/object/ref_counted.hpp>
#include <arenite/object/try_create.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <iterator>
#include <memory>
#include <new>
#include <type_traits>

using namespace arenite;

namespace {

struct test_nodes {
    static constexpr std::string_view name = "affine nodes";
};
struct test_bodies {
    static constexpr std::string_view name = "affine bodies";
    static constexpr std::size_t alignment = 16;
};

class node : public affine<test_nodes> {
public:
    virtual ~node() = default;
    int value = 1;
};
class group : public node {
public:
    ~group() override { value = 0; }
    std::array<node*, 9> children{};
};
class body : public node, public affine<test_bodies> {
public:
    ARENITE_AFFINE(test_bodies);
    double mass = 1;
};

struct alignas(64) wide : affine<test_nodes> {
    char bytes[64];
};
struct alignas(16) pair_of_words : affine<test_nodes> {
    char bytes[48];
};
struct small : affine<test_nodes> {
    char bytes[3];
};
struct throws_at_birth : affine<test_nodes> {
    throws_at_birth() {
#if ARENITE_EXCEPTIONS
        throw 7;
#endif
    }
    long long bytes[5];
};

std::size_t nodes_in_use() { return affinity_heap::of<test_nodes>().usage().bytes_in_use; }
std::size_t bodies_in_use() { return affinity_heap::of<test_bodies>().usage().bytes_in_use; }

struct without_base {
    virtual ~without_base() = default;
    int value;
};
static_assert(sizeof(node) == sizeof(without_base), "the base adds nothing");

TEST(affine, new_and_delete_go_to_the_heap_of_the_affinity) {
    const std::size_t before = nodes_in_use();
    node* const n = new node;
    EXPECT_TRUE(affinity_heap::of<test_nodes>().owns(n));
    EXPECT_GE(nodes_in_use(), before + sizeof(node));
    delete n;
    EXPECT_EQ(nodes_in_use(), before);
    EXPECT_EQ(&node::heap(), &affinity_heap::of<test_nodes>());
}

TEST(affine, an_object_deleted_through_its_base_is_freed_as_what_it_is) {
    const std::size_t before = nodes_in_use();
    node* const g = new group;
    EXPECT_GE(nodes_in_use(), before + sizeof(group));
    delete g;
    EXPECT_EQ(nodes_in_use(), before);
}

struct counted_bytes : affine<test_nodes> {
    ~counted_bytes() { bytes[0] = 0; }
    char bytes[3];
};

TEST(affine, an_array_has_its_number_at_a_place_for_one) {
    const std::size_t before = nodes_in_use();
    use_affinity_strategy(affinity_strategy::intrusive);
    counted_bytes* arrays[20];
    for (std::size_t i = 0; i < std::size(arrays); ++i) {
        arrays[i] = new counted_bytes[i + 1];
        EXPECT_TRUE(is_aligned(arrays[i], alignof(std::size_t))) << i;
    }
    for (counted_bytes* const p : arrays)
        delete[] p;
    use_affinity_strategy(affinity_strategy::ordered);
    EXPECT_EQ(nodes_in_use(), before);
}

TEST(affine, arrays_come_and_go) {
    const std::size_t before = nodes_in_use();
    node* const many = new node[10];
    small* const plain = new small[10];
    wide* const widest = new wide[3];
    EXPECT_TRUE(is_aligned(widest, 64));
    delete[] many;
    delete[] plain;
    delete[] widest;
    EXPECT_EQ(nodes_in_use(), before);
}

TEST(affine, an_object_is_aligned_as_its_class_asks) {
    for (int i = 0; i < 20; ++i) {
        const auto odd = std::make_unique<small>();
        const auto sixteen = std::make_unique<pair_of_words>(); // by the form without an alignment
        const auto sixtyfour = std::make_unique<wide>();
        EXPECT_TRUE(is_aligned(sixteen.get(), 16));
        EXPECT_TRUE(is_aligned(sixtyfour.get(), 64));
    }
}

TEST(affine, placement_new_is_the_languages_own) {
    alignas(group) std::byte place[sizeof(group)];
    const std::size_t before = nodes_in_use();
    group* const g = new (place) group;
    EXPECT_EQ(static_cast<void*>(g), place);
    g->~group();
    EXPECT_EQ(nodes_in_use(), before);
}

TEST(affine, a_class_of_two_affinities_says_which_one_it_means) {
    const std::size_t nodes = nodes_in_use();
    const std::size_t bodies = bodies_in_use();
    body* const b = new body;
    EXPECT_EQ(nodes_in_use(), nodes);
    EXPECT_GE(bodies_in_use(), bodies + sizeof(body));
    node* const as_node = b;
    delete as_node;
    EXPECT_EQ(bodies_in_use(), bodies);
}

TEST(affine, a_pointer_that_counts_works_with_it) {
    struct counted : affine<test_nodes>, ref_counted<> {
        long long words[3];
    };
    const std::size_t before = nodes_in_use();
    {
        const auto p = make_intrusive<counted>();
        EXPECT_GT(nodes_in_use(), before);
    }
    EXPECT_EQ(nodes_in_use(), before);
    group* const g = try_create<group>();
    ASSERT_NE(g, nullptr);
    delete g;
    wide* const w = try_create<wide>();
    EXPECT_TRUE(is_aligned(w, 64));
    delete w;
    EXPECT_EQ(nodes_in_use(), before);
}

#if ARENITE_EXCEPTIONS
TEST(affine, a_constructor_that_throws_leaves_nothing) {
    const std::size_t before = nodes_in_use();
    EXPECT_THROW(static_cast<void>(new throws_at_birth), int);
    EXPECT_EQ(nodes_in_use(), before);
}
#endif

// An unsized delete must not be there: with it the language would call that one, and a nothrow
// new would leave its memory behind.
template <class T>
concept has_unsized_delete = requires(void* p) { T::operator delete(p); };
template <class T>
concept has_nothrow_new = requires { T::operator new(sizeof(T), std::nothrow); };
static_assert(!has_unsized_delete<node> && !has_nothrow_new<node>);

// A node made before main and ended after it, by the last of the static objects.
struct global {
    node* before_main = new node;
    node* on_the_way = nullptr;
    ~global() {
        delete before_main;
        delete on_the_way;
        delete new group;
    }
} a_global;

TEST(affine, objects_live_before_main_and_after_it) {
    EXPECT_EQ(a_global.before_main->value, 1);
    a_global.on_the_way = new node;
}

} // namespace
