// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../workload.hpp"
#include "handle/ordering.hpp"

#include <arenite/core/budget.hpp>
#include <arenite/handle/compacting_heap.hpp>
#include <arenite/handle/relocatable_ptr.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// handle/tree: a quad tree whose nodes lie anywhere, and what putting them in order is worth.
//
// A complete tree of `levels`, four children a node, is made in random order and walked depth first
// ("aged"). A heap that moves objects puts them in the order of that walk, in steps of 64 KiB
// ("order"), and the tree is walked again: "walk first", and "walk", the best of three. It has the
// tree by handles, and once more by relocatable_ptr. "array" is the walk over nodes of the same
// stride, with pointers, that lie in an array in that order. Heaps that move nothing have pointers.

namespace arenite::lab {
namespace {

constexpr std::size_t children = 4;

template <class Link>
struct tree_node {
    std::array<Link, children> child{};
    std::uint64_t value = 0;
};

struct still_node {
    std::array<still_node*, children> child{};
    std::uint64_t value = 0;
};
struct by_handle : tree_node<handle<by_handle>> {};
struct by_relocatable : tree_node<relocatable_ptr<by_relocatable>> {};

/// With pointers, as long as a node of the other kind.
template <std::size_t Bytes>
struct padded_node {
    std::array<padded_node*, children> child{};
    std::uint64_t value = 0;
    std::array<std::byte, Bytes - sizeof(still_node)> more{};
};
template <class T>
T* at(T* p) {
    return p;
}
template <class Link>
auto* at(const Link& l) {
    return l.get();
}

template <class Node>
std::uint64_t sum_of(const Node* n) {
    std::uint64_t sum = n->value;
    for (const auto& c : n->child) {
        if (const auto* const there = at(c))
            sum += sum_of(there);
    }
    return sum;
}

/// Called by step(order): it holds links from one visit to the next, and no pointers.
template <class Link>
class depth_first {
public:
    explicit depth_first(Link& root) : root_{&root} {}
    Link* operator()() {
        if (root_ != nullptr)
            return remember(std::exchange(root_, nullptr));
        while (!path_.empty()) {
            auto& [link, next] = path_.back();
            while (next != children) {
                Link& c = link->child[next++];
                if (c)
                    return remember(&c);
            }
            path_.pop_back();
        }
        return nullptr;
    }

private:
    Link* remember(Link* l) {
        path_.emplace_back(*l, 0);
        return l;
    }
    Link* root_;
    std::vector<std::pair<Link, std::size_t>> path_;
};

struct handle_tree {
    static workload_info info() {
        return {.name = "handle/tree",
                .summary = "a quad tree in random order is put in order by handles, and walked",
                .parameters = {{.name = "levels",
                                .defaults = {"10"},
                                .summary = "of the tree: 349,525 nodes",
                                .least = 2,
                                .most = 13}},
                .warm_passes = 1,
                .in_short = false,
                .ours = "arenite.compacting",
                .subjects = {"arenite.compacting", "arenite.ordered", "malloc", "mimalloc"},
                .touches = [](const parameter_values& values) {
                    return (std::size_t{256} << (2 * std::stoll(values.at("levels")))) +
                           (std::size_t{64} << 20);
                }};
    }

    template <class S>
    static constexpr bool accepts_also = moves_objects<S>;

    template <class S>
    class on {
    public:
        explicit on(turn& t)
            : count_{((std::size_t{1} << (2 * t.integer("levels"))) - 1) / (children - 1)},
              order_{count_} {}

        void pass(turn& t) {
            if constexpr (moves_objects<S>) {
                moving<by_handle, handle<by_handle>>(t, "");
                moving<by_relocatable, relocatable_ptr<by_relocatable>>(t, ", relocatable_ptr");
            } else {
                still_heap<S, still_node> heap;
                std::vector<still_node*> nodes(count_);
                for (const std::uint32_t i : order_)
                    nodes[i] = heap.make({.value = i});
                join(nodes);
                walk(t, "aged", nodes[0]);
                walk(t, "walk", nodes[0]);
                for (still_node* n : nodes)
                    heap.end(n);
            }
        }

    private:
        /// Nodes are numbered depth first: behind a node its first child's tree, and so on.
        template <class Link>
        void join(std::vector<Link>& nodes) {
            std::size_t next = 1;
            join_below(nodes, 0, count_, next);
        }
        template <class Link>
        void join_below(std::vector<Link>& nodes, std::size_t parent, std::size_t in_tree,
                        std::size_t& next) {
            if (in_tree == 1)
                return;
            for (std::size_t c = 0; c != children; ++c) {
                const std::size_t child = next++;
                at(nodes[parent])->child[c] = nodes[child];
                join_below(nodes, child, (in_tree - 1) / children, next);
            }
        }

        template <class Node>
        void walk(turn& t, const std::string& metric, const Node* root, int times = 1) {
            double best = 0;
            for (int i = 0; i != times; ++i) {
                const stopwatch walking;
                const std::uint64_t sum = sum_of(root);
                const double taken = walking.per(count_);
                best = i == 0 || taken < best ? taken : best;
                t.checksum(sum);
            }
            t.record(metric, "ns/node", best);
        }

        template <class Node, class Link>
        void moving(turn& t, const std::string& how)
            requires(moves_objects<S>)
        {
            typename S::moving_heap heap{S::options()};
            std::vector<handle<Node>> nodes(count_);
            for (const std::uint32_t i : order_) {
                nodes[i] = heap.template make<Node>();
                nodes[i]->value = i;
            }
            join(nodes);
            Link root{nodes[0]};
            walk(t, "aged" + how, root.get());
            depth_first<Link> visit{root};
            const ordering done = put_in_order(heap, visit, 65'536);
            t.record("order" + how, "ns/node", done.nanoseconds / static_cast<double>(count_));
            walk(t, "walk first" + how, root.get());
            walk(t, "walk" + how, root.get(), 3);
            for (const handle<Node>& n : nodes)
                heap.destroy(n);
            in_an_array<padded_node<sizeof(Node) + 8>>(t, "array" + how); // a word an object
        }

        template <class Node>
        void in_an_array(turn& t, const std::string& metric) {
            std::vector<Node> array(count_);
            std::vector<Node*> nodes(count_);
            for (std::size_t i = 0; i != count_; ++i) {
                array[i].value = i;
                nodes[i] = &array[i];
            }
            join(nodes);
            walk(t, metric, nodes[0], 3);
        }

        std::size_t count_;
        shuffled_numbers order_;
    };
};

ARENITE_LAB_WORKLOAD(handle_tree);

} // namespace
} // namespace arenite::lab
