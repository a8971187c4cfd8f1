// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../workload.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

// scene/quadtree: a complete quad tree built as a scene graph is: each node, then its children,
// depth first; visited once; taken down from the leaves. Node sizes are those of a lean scene
// graph: leaf 24 bytes; inner node 48 and a child array of 32 beside it (form=group), or 56 with
// its four children inside (form=quad).

namespace arenite::lab {
namespace {

enum class type : std::uint64_t { leaf = 1, inner };

/// What every node begins with: a tag where a virtual table's pointer would be, a value, a word of
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

constexpr std::size_t child_array_bytes = 4 * sizeof(node*);

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

std::uint64_t visit_group(const node* n) {
    if (n->tag == type::leaf)
        return n->value;
    const group* g = static_cast<const group*>(n);
    std::uint64_t sum = g->value;
    for (node* const* child = g->first; child != g->last; ++child)
        sum += visit_group(*child);
    return sum;
}

std::uint64_t visit_quad(const node* n) {
    if (n->tag == type::leaf)
        return n->value;
    const quad* q = static_cast<const quad*>(n);
    std::uint64_t sum = q->value;
    for (const node* child : q->children)
        sum += visit_quad(child);
    return sum;
}

struct quadtree {
    static workload_info info() {
        return {.name = "scene/quadtree",
                .summary = "a scene tree, built node by node, visited, taken down",
                .parameters = {{.name = "form",
                                .type = parameter::kind::choice,
                                .defaults = {"group", "quad"},
                                .summary = "group: a child array beside each inner node; quad: "
                                           "four children inside it",
                                .choices = {"group", "quad"}},
                               {.name = "levels",
                                .defaults = {"10"},
                                .summary = "of inner nodes; (4^(levels+1)-1)/3 nodes in all",
                                .least = 0,
                                .most = 13}},
                .touches = [](const parameter_values& values) {
                    return (std::size_t{64} << (2 * std::stoi(values.at("levels")))) * 4 / 3 +
                           (std::size_t{64} << 20);
                }};
    }

    template <class S>
    class on {
    public:
        explicit on(turn& t)
            : levels_{static_cast<int>(t.integer("levels"))}, group_{t.text("form") == "group"} {
            for (int level = 0; level <= levels_; ++level)
                nodes_ += std::size_t{1} << (2 * level);
            resident_at_start_ = resident();
        }

        void pass(turn& t) {
            if (group_)
                pass_of(t, group_form<S>{heap_}, visit_group);
            else
                pass_of(t, quad_form<S>{heap_}, visit_quad);
        }

    private:
        template <class Form>
        void pass_of(turn& t, Form form, std::uint64_t (*visit)(const node*)) {
            const stopwatch creating;
            node* root = form.create(levels_);
            opaque(root);
            t.record("create", "ns/node", creating.per(nodes_));
            if (t.cold()) {
                t.record_memory("resident", "bytes/node", resident_at_start_, nodes_);
                t.note_huge_pages("in_huge_pages", resident_at_start_);
            }

            const stopwatch visiting;
            const std::uint64_t sum = visit(root);
            opaque(&sum);
            t.record("traverse", "ns/node", visiting.per(nodes_));

            const stopwatch destroying;
            form.destroy(root);
            t.record("destroy", "ns/node", destroying.per(nodes_));
            if (t.cold())
                t.record_memory("resident_after", "bytes/node", resident_at_start_, nodes_);
            t.checksum(sum);
        }

        S heap_;
        int levels_;
        bool group_;
        std::size_t nodes_ = 0;
        std::optional<resident_memory> resident_at_start_;
    };
};

ARENITE_LAB_WORKLOAD(quadtree);

} // namespace
} // namespace arenite::lab
