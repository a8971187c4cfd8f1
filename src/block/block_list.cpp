// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/block/block_list.hpp>

namespace arenite {
inline namespace ARENITE_ABI {

namespace {

std::uintptr_t key(const block* b) noexcept { return reinterpret_cast<std::uintptr_t>(b); }

/// The treap's second order: any good mixing of the address serves (a multiply and a shift, twice).
std::uint64_t rank(const block* b) noexcept {
    std::uint64_t x = key(b) >> 9;
    x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 29)) * 0xd1342543de82ef95u;
    return x ^ (x >> 32);
}

std::uint16_t below(const block* b) noexcept { return b == nullptr ? std::uint16_t{0} : b->below; }

void update(block* b) noexcept {
    b->below = static_cast<std::uint16_t>(b->state | below(b->left) | below(b->right));
}

/// Cuts a tree into what lies below `at` and what lies at or above it.
void split(block* tree, std::uintptr_t at, block*& low, block*& high) noexcept {
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
block* join(block* low, block* high) noexcept {
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

block* insert_into(block* tree, block* entry) noexcept {
    if (tree == nullptr || rank(entry) > rank(tree)) {
        split(tree, key(entry), entry->left, entry->right);
        update(entry);
        return entry;
    }
    block*& side = key(entry) < key(tree) ? tree->left : tree->right;
    side = insert_into(side, entry);
    update(tree);
    return tree;
}

block* erase_from(block* tree, const block* entry) noexcept {
    if (tree == entry)
        return join(tree->left, tree->right);
    block*& side = key(entry) < key(tree) ? tree->left : tree->right;
    side = erase_from(side, entry);
    update(tree);
    return tree;
}

block* lowest_from(block* tree, std::uint16_t any, std::uintptr_t from) noexcept {
    while ((below(tree) & any) != 0) {
        if (key(tree) >= from) {
            if (block* const found = lowest_from(tree->left, any, from))
                return found;
            if ((tree->state & any) != 0)
                return tree;
        }
        tree = tree->right;
    }
    return nullptr;
}

void refresh_path(block* tree, const block* entry) noexcept {
    if (tree != entry)
        refresh_path(key(entry) < key(tree) ? tree->left : tree->right, entry);
    update(tree);
}

} // namespace

void block_list::insert(block& entry) noexcept {
    entry.left = entry.right = nullptr;
    root_ = insert_into(root_, &entry);
    ++size_;
}

void block_list::erase(block& entry) noexcept {
    root_ = erase_from(root_, &entry);
    --size_;
}

void block_list::set_state(block& entry, std::uint16_t state) noexcept {
    if (entry.state == state)
        return;
    entry.state = state;
    refresh_path(root_, &entry);
}

block* block_list::lowest(std::uint16_t any) const noexcept {
    block* b = root_;
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

block* block_list::lowest(std::uint16_t any, const void* from) const noexcept {
    return lowest_from(root_, any, reinterpret_cast<std::uintptr_t>(from));
}

block* block_list::highest(std::uint16_t any) const noexcept {
    block* b = root_;
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

block* block_list::at_or_below(const void* p) const noexcept {
    const auto at = reinterpret_cast<std::uintptr_t>(p);
    block* found = nullptr;
    for (block* b = root_; b != nullptr;) {
        if (key(b) <= at) {
            found = b;
            b = b->right;
        } else {
            b = b->left;
        }
    }
    return found;
}

block* block_list::above(const block& entry) const noexcept {
    block* found = nullptr;
    for (block* b = root_; b != nullptr;) {
        if (key(b) > key(&entry)) {
            found = b;
            b = b->left;
        } else {
            b = b->right;
        }
    }
    return found;
}

block* block_list::first() const noexcept {
    block* b = root_;
    while (b != nullptr && b->left != nullptr)
        b = b->left;
    return b;
}

block* block_list::take_all() noexcept {
    // Rotate right until no left child is left anywhere: O(n), no stack.
    block* chain = nullptr;
    block** tail = &chain;
    block* b = root_;
    while (b != nullptr) {
        if (block* l = b->left; l != nullptr) {
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

} // namespace ARENITE_ABI
} // namespace arenite
