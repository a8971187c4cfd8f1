// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Nodes in address order, linked through themselves: it allocates nothing.
///
///     struct Node { Node *left, *right; std::uint16_t state, below; ... };
///
/// Use when:  the lowest node in some state is wanted, or the one that a pointer may lie in.
/// Cost:      O(log n) expected; take_all is O(n), has and size O(1).
/// Threads:   one at a time.
///
/// A treap: a search tree by address that is also a heap by a number hashed from the address, and
/// in which every node knows the union of the states in its subtree.
template <class Node>
class address_list {
public:
    [[nodiscard]] bool empty() const noexcept { return root_ == nullptr; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

    /// Enters a node whose `state` is set.
    void insert(Node& entry) noexcept;

    /// Takes a node out; it must be in the list.
    void erase(Node& entry) noexcept;

    /// Changes the state of a node in the list.
    void set_state(Node& entry, std::uint16_t state) noexcept;

    /// The node of lowest address that has one of the states in `any` (a set), or nullptr.
    [[nodiscard]] Node* lowest(std::uint16_t any) const noexcept;

    /// The lowest such node at or above the address `from`.
    [[nodiscard]] Node* lowest(std::uint16_t any, const void* from) const noexcept;

    /// The node of highest address that has one of the states in `any`, or nullptr.
    [[nodiscard]] Node* highest(std::uint16_t any) const noexcept;

    /// True if some node has one of the states in `any`.
    [[nodiscard]] bool has(std::uint16_t any) const noexcept {
        return root_ != nullptr && (root_->below & any) != 0;
    }

    /// The node of highest address at or below p, or nullptr: the only one that p can lie in.
    [[nodiscard]] Node* at_or_below(const void* p) const noexcept;

    /// The next node up in address order, or nullptr.
    [[nodiscard]] Node* above(const Node& entry) const noexcept;

    /// The node of lowest address, or nullptr.
    [[nodiscard]] Node* first() const noexcept;

    /// Empties the list and returns its nodes as a chain in address order, linked by `right`.
    [[nodiscard]] Node* take_all() noexcept;

private:
    static std::uintptr_t key(const Node* b) noexcept {
        return reinterpret_cast<std::uintptr_t>(b);
    }

    /// The treap's second order: any good mixing of the address serves.
    static std::uint64_t rank(const Node* b) noexcept {
        const std::uint64_t x = key(b) * 0x9e3779b97f4a7c15u;
        return (x ^ (x >> 32)) * 0xd1342543de82ef95u;
    }

    static std::uint16_t below(const Node* b) noexcept {
        return b == nullptr ? std::uint16_t{0} : b->below;
    }

    static void update(Node* b) noexcept {
        b->below = static_cast<std::uint16_t>(b->state | below(b->left) | below(b->right));
    }

    /// Cuts a tree into what lies below `at` and what lies at or above it.
    static void split(Node* tree, std::uintptr_t at, Node*& low, Node*& high) noexcept {
        if (tree == nullptr) {
            low = high = nullptr;
        } else if (key(tree) < at) {
            split(tree->right, at, tree->right, high);
            low = tree;
            update(tree);
        } else {
            split(tree->left, at, low, tree->left);
            high = tree;
            update(tree);
        }
    }

    /// Joins two trees, all of low below all of high.
    static Node* join(Node* low, Node* high) noexcept {
        if (low == nullptr)
            return high;
        if (high == nullptr)
            return low;
        if (rank(low) > rank(high)) {
            low->right = join(low->right, high);
            update(low);
            return low;
        }
        high->left = join(low, high->left);
        update(high);
        return high;
    }

    /// Where a node hangs, and the highest link from which on a change there can be seen.
    struct place {
        Node** link;
        Node** seen;
    };

    /// The place of a node of the list that some of `states` come and go with: a node above it that
    /// has them without it stays as it is, and so do all above that one.
    [[nodiscard]] place place_of(const Node& entry, std::uint16_t states) noexcept {
        place at{&root_, &root_};
        while (*at.link != &entry) {
            Node* const tree = *at.link;
            const bool is_left = key(&entry) < key(tree);
            at.link = is_left ? &tree->left : &tree->right;
            if (const int rest = states & ~tree->state;
                rest == 0 || (rest & ~below(is_left ? tree->right : tree->left)) == 0)
                at.seen = at.link;
        }
        return at;
    }

    static Node* lowest_from(Node* tree, std::uint16_t any, std::uintptr_t from) noexcept {
        while ((below(tree) & any) != 0) {
            if (key(tree) >= from) {
                if (Node* const found = lowest_from(tree->left, any, from))
                    return found;
                if ((tree->state & any) != 0)
                    return tree;
            }
            tree = tree->right;
        }
        return nullptr;
    }

    /// Updates the nodes above `end`, a node where `at` leads, or nullptr.
    static void refresh_path(Node* tree, std::uintptr_t at, const Node* end) noexcept {
        if (tree == end)
            return;
        refresh_path(at < key(tree) ? tree->left : tree->right, at, end);
        update(tree);
    }

    Node* root_ = nullptr;
    std::size_t size_ = 0;
};

template <class Node>
void address_list<Node>::insert(Node& entry) noexcept {
    const std::uint64_t its = rank(&entry);
    Node** link = &root_;
    while (*link != nullptr && rank(*link) >= its) {
        Node& tree = **link;
        tree.below = static_cast<std::uint16_t>(tree.below | entry.state);
        link = key(&entry) < key(&tree) ? &tree.left : &tree.right;
    }
    split(*link, key(&entry), entry.left, entry.right);
    update(&entry);
    *link = &entry;
    ++size_;
}

template <class Node>
void address_list<Node>::erase(Node& entry) noexcept {
    const place at = place_of(entry, entry.state);
    Node* const rest = join(entry.left, entry.right);
    *at.link = rest;
    refresh_path(*at.seen, key(&entry), rest);
    --size_;
}

template <class Node>
void address_list<Node>::set_state(Node& entry, std::uint16_t state) noexcept {
    if (entry.state == state)
        return;
    const std::uint16_t before = entry.below;
    entry.state = state;
    update(&entry);
    const auto changed = static_cast<std::uint16_t>(before ^ entry.below);
    if (changed == 0)
        return;
    if ((changed & before) != 0) // some are gone
        return refresh_path(*place_of(entry, changed).seen, key(&entry), &entry);
    for (Node* tree = root_; tree != &entry;) {
        tree->below = static_cast<std::uint16_t>(tree->below | changed);
        tree = key(&entry) < key(tree) ? tree->left : tree->right;
    }
}

template <class Node>
Node* address_list<Node>::lowest(std::uint16_t any) const noexcept {
    Node* b = root_;
    if ((below(b) & any) == 0)
        return nullptr;
    for (;;) {
        if ((below(b->left) & any) != 0)
            b = b->left;
        else if ((b->state & any) != 0)
            return b;
        else
            b = b->right;
    }
}

template <class Node>
Node* address_list<Node>::lowest(std::uint16_t any, const void* from) const noexcept {
    return lowest_from(root_, any, reinterpret_cast<std::uintptr_t>(from));
}

template <class Node>
Node* address_list<Node>::highest(std::uint16_t any) const noexcept {
    Node* b = root_;
    if ((below(b) & any) == 0)
        return nullptr;
    for (;;) {
        if ((below(b->right) & any) != 0)
            b = b->right;
        else if ((b->state & any) != 0)
            return b;
        else
            b = b->left;
    }
}

template <class Node>
Node* address_list<Node>::at_or_below(const void* p) const noexcept {
    const auto at = reinterpret_cast<std::uintptr_t>(p);
    Node* found = nullptr;
    for (Node* b = root_; b != nullptr;) {
        if (key(b) <= at) {
            found = b;
            b = b->right;
        } else {
            b = b->left;
        }
    }
    return found;
}

template <class Node>
Node* address_list<Node>::above(const Node& entry) const noexcept {
    Node* found = nullptr;
    for (Node* b = root_; b != nullptr;) {
        if (key(b) > key(&entry)) {
            found = b;
            b = b->left;
        } else {
            b = b->right;
        }
    }
    return found;
}

template <class Node>
Node* address_list<Node>::first() const noexcept {
    Node* b = root_;
    while (b != nullptr && b->left != nullptr)
        b = b->left;
    return b;
}

template <class Node>
Node* address_list<Node>::take_all() noexcept {
    // Rotate right until no left child is left anywhere: O(n), no stack.
    Node* chain = nullptr;
    Node** tail = &chain;
    Node* b = root_;
    while (b != nullptr) {
        if (Node* l = b->left; l != nullptr) {
            b->left = l->right;
            l->right = b;
            b = l;
        } else {
            *tail = b;
            tail = &b->right;
            b = b->right;
        }
    }
    root_ = nullptr;
    size_ = 0;
    return chain;
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
