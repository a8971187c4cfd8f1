// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace arenite::lab::lean {

// A complete quad tree with the node sizes of a lean scene graph: each node, then its children,
// depth first. Leaf 24 bytes; inner node 48 and a child array of 32 beside it (group_form), or 56
// with its four children inside (quad_form).

enum class type : std::uint64_t { leaf = 1, inner };

/// Each node begins with this: a tag where a virtual table's pointer would be, a value, a word of
/// data.
struct node {
    type tag;
    std::uint64_t value;
    void* data;
};
static_assert(sizeof(node) == 24);

struct group : node {
    node** first;
    node** last;
    node** capacity;
};
static_assert(sizeof(group) == 48);

struct quad : node {
    node* children[4];
};
static_assert(sizeof(quad) == 56);

inline constexpr std::size_t child_array_bytes = 4 * sizeof(node*);

/// Nodes of a tree with so many levels of inner nodes.
[[nodiscard]] constexpr std::size_t nodes_of(int levels) {
    std::size_t nodes = 0;
    for (int level = 0; level <= levels; ++level)
        nodes += std::size_t{1} << (2 * level);
    return nodes;
}

/// Bytes of all nodes and child arrays of the group form.
[[nodiscard]] constexpr std::size_t group_bytes_of(int levels) {
    const std::size_t leaves = std::size_t{1} << (2 * levels);
    return leaves * sizeof(node) +
           (nodes_of(levels) - leaves) * (sizeof(group) + child_array_bytes);
}

template <class S>
struct group_form {
    S& heap;
    std::uint64_t next_value = 0;

    node* create(int levels) {
        if (levels == 0) {
            node* n = static_cast<node*>(heap.allocate(sizeof(node), alignof(node)));
            *n = {type::leaf, next_value++, nullptr};
            return n;
        }
        group* g = static_cast<group*>(heap.allocate(sizeof(group), alignof(group)));
        *g = {{type::inner, next_value++, nullptr}, nullptr, nullptr, nullptr};
        node** children = static_cast<node**>(heap.allocate(child_array_bytes, alignof(node*)));
        g->first = children;
        g->last = g->capacity = children + 4;
        for (int i = 0; i < 4; ++i)
            children[i] = create(levels - 1);
        return g;
    }

    void destroy(node* n) {
        if (n->tag == type::leaf) {
            heap.deallocate(n, sizeof(node), alignof(node));
            return;
        }
        group* g = static_cast<group*>(n);
        for (node** child = g->first; child != g->last; ++child)
            destroy(*child);
        heap.deallocate(g->first, child_array_bytes, alignof(node*));
        heap.deallocate(g, sizeof(group), alignof(group));
    }
};

template <class S>
struct quad_form {
    S& heap;
    std::uint64_t next_value = 0;

    node* create(int levels) {
        if (levels == 0) {
            node* n = static_cast<node*>(heap.allocate(sizeof(node), alignof(node)));
            *n = {type::leaf, next_value++, nullptr};
            return n;
        }
        quad* q = static_cast<quad*>(heap.allocate(sizeof(quad), alignof(quad)));
        *q = {{type::inner, next_value++, nullptr}, {}};
        for (node*& child : q->children)
            child = create(levels - 1);
        return q;
    }

    void destroy(node* n) {
        if (n->tag == type::leaf) {
            heap.deallocate(n, sizeof(node), alignof(node));
            return;
        }
        quad* q = static_cast<quad*>(n);
        for (node* child : q->children)
            destroy(child);
        heap.deallocate(q, sizeof(quad), alignof(quad));
    }
};

// The visitors know no subject: every one is visited by the same instructions.

[[nodiscard]] std::uint64_t visit_group(const node* n);
[[nodiscard]] std::uint64_t visit_quad(const node* n);

} // namespace arenite::lab::lean
