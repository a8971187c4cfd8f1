// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

// The maps of a slots_resource: its slots by address, and the free ones by length.

#include <arenite/block/detail/block_source.hpp>
#include <arenite/block/detail/colouring.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/bits.hpp>
#include <arenite/pool/pool_resource.hpp>
#include <arenite/predecessor/slots_resource.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {

/// The block or large object that p, which may be any pointer, would be of: its owner says whether
/// it is. Below the begin of a block there may be no memory; only large objects begin there. Where
/// else p may lead is looked up in checked builds: 30 to 90 of some 400 instructions a pair.
[[nodiscard]] inline detail::block* head_of_any(const detail::block_source& source,
                                                const void* p) noexcept {
    return checks_enabled || address_of(p) % source.mask_bytes() == 0 ? source.find(p)
                                                                      : &source.head_of(p);
}

/// A slot, used or free. Slots tile their block.
struct slots_resource::node {
    node* left; ///< of a free one: in its tree, or the one before it in its list
    node* right;
    node* below; ///< neighbours in the block
    node* above;
    std::byte* begin;
    std::uint32_t bytes;
    bool used;

    [[nodiscard]] std::byte* end() const noexcept { return begin + bytes; }

    /// Balances the tree: as good as random, and needs no memory.
    [[nodiscard]] std::uint32_t rank() const noexcept {
        return static_cast<std::uint32_t>(address_of(this) * 0x9e37'79b9'7f4a'7c15u >> 32);
    }

    /// The order of free slots.
    [[nodiscard]] bool shorter_than(const node& other) const noexcept {
        return bytes != other.bytes ? bytes < other.bytes : begin < other.begin;
    }
};

/// The map of all free slots by length: a list for each short one, with a bit that says whether it
/// holds any, and a tree for longer ones. The tree is in the order of lengths and then addresses,
/// and also a heap by the nodes' ranks.
struct slots_resource::free_slots {
    static constexpr std::size_t unit = least_alignment;
    static constexpr std::size_t short_bytes = 1024;
    static constexpr std::size_t list_count = short_bytes / unit;

    detail::bits::word filled[list_count / detail::bits::word_bits] = {};
    node* lists[list_count] = {};
    node* root = nullptr;

    [[nodiscard]] static bool is_short(std::size_t bytes) noexcept { return bytes <= short_bytes; }
    [[nodiscard]] static std::size_t list_for(std::size_t bytes) noexcept {
        return (bytes - 1) / unit;
    }

    void insert(node& entry) noexcept {
        entry.used = false;
        if (!is_short(entry.bytes))
            return insert_long(entry);
        const std::size_t i = list_for(entry.bytes);
        entry.left = nullptr;
        entry.right = lists[i];
        if (lists[i] != nullptr)
            lists[i]->left = &entry;
        lists[i] = &entry;
        detail::bits::set_run(filled, i, 1);
    }

    void erase(node& entry) noexcept {
        if (!is_short(entry.bytes))
            return erase_long(entry);
        if (entry.right != nullptr)
            entry.right->left = entry.left;
        if (entry.left != nullptr) {
            entry.left->right = entry.right;
            return;
        }
        const std::size_t i = list_for(entry.bytes);
        lists[i] = entry.right;
        if (entry.right == nullptr)
            detail::bits::clear_run(filled, i, 1);
    }

    void insert_long(node& entry) noexcept {
        node** link = &root;
        for (const std::uint32_t rank = entry.rank(); *link != nullptr && (*link)->rank() >= rank;)
            link = entry.shorter_than(**link) ? &(*link)->left : &(*link)->right;
        node* rest = *link;
        *link = &entry;
        node** low = &entry.left;
        node** high = &entry.right;
        while (rest != nullptr) {
            if (rest->shorter_than(entry)) {
                *low = rest;
                low = &rest->right;
                rest = rest->right;
            } else {
                *high = rest;
                high = &rest->left;
                rest = rest->left;
            }
        }
        *low = *high = nullptr;
    }

    void erase_long(node& entry) noexcept {
        node** link = &root;
        while (*link != &entry)
            link = entry.shorter_than(**link) ? &(*link)->left : &(*link)->right;
        node* low = entry.left;
        node* high = entry.right;
        while (low != nullptr && high != nullptr) {
            if (low->rank() >= high->rank()) {
                *link = low;
                link = &low->right;
                low = low->right;
            } else {
                *link = high;
                link = &high->left;
                high = high->left;
            }
        }
        *link = low != nullptr ? low : high;
    }

    /// The first in the tree of which not_before(node) is true, or nullptr.
    template <class F>
    [[nodiscard]] node* first_long(F not_before) const noexcept {
        node* found = nullptr;
        for (node* n = root; n != nullptr;) {
            if (not_before(*n)) {
                found = n;
                n = n->left;
            } else {
                n = n->right;
            }
        }
        return found;
    }

    /// One of the shortest with at least so many bytes, or nullptr.
    [[nodiscard]] node* first(std::size_t bytes) const noexcept {
        if (is_short(bytes)) {
            const std::size_t i = detail::bits::next_set(filled, list_for(bytes), list_count);
            if (i != list_count)
                return lists[i];
        }
        return first_long([=](const node& n) { return n.bytes >= bytes; });
    }

    /// The one after it, or nullptr.
    [[nodiscard]] node* after(const node& n) const noexcept {
        if (!is_short(n.bytes))
            return first_long([&](const node& other) { return n.shorter_than(other); });
        return n.right != nullptr ? n.right : first(n.bytes + unit);
    }

    /// The longest there is.
    [[nodiscard]] std::size_t longest() const noexcept {
        std::size_t bytes = 0;
        for (const node* n = root; n != nullptr; n = n->right)
            bytes = n->bytes;
        for (std::size_t i = list_count; bytes == 0 && i-- != 0;)
            bytes = lists[i] != nullptr ? (i + 1) * unit : 0;
        return bytes;
    }
};

/// The maps, which are made with the first node, in memory of the upstream.
struct slots_resource::maps {
    pool_resource nodes;
    std::size_t node_count = 0;
    free_slots free;

    maps(return_policy policy, upstream up) noexcept
        : nodes{slot::of<node>(), pool_options{.policy = policy}, up} {}
};

/// Stands behind the head of a block: its slots in the order of addresses, linked to each other,
/// and for each stretch of some bytes the first that begins in it.
struct slots_resource::slots {
    static constexpr std::size_t stretch_bytes = 256;

    node* first; ///< the lowest slot

    static slots& of(detail::block& b) noexcept { return *reinterpret_cast<slots*>(&b + 1); }
    static const slots& of(const detail::block& b) noexcept {
        return *reinterpret_cast<const slots*>(&b + 1);
    }

    [[nodiscard]] static std::size_t stretches(const detail::block& b) noexcept {
        return b.bytes() / stretch_bytes;
    }
    [[nodiscard]] node*& entry(const detail::block& b, const void* p) noexcept {
        return reinterpret_cast<node**>(this + 1)[(address_of(p) - address_of(&b)) / stretch_bytes];
    }

    /// The used slot that begins at p, or nullptr.
    [[nodiscard]] static node* find(detail::block& b, const void* p) noexcept {
        node* n = of(b).entry(b, p);
        while (n != nullptr && n->begin < p)
            n = n->above;
        return n != nullptr && n->begin == p && n->used ? n : nullptr;
    }

    void enter(const detail::block& b, node& n) noexcept {
        node*& there = entry(b, n.begin);
        if (there == nullptr || there->begin > n.begin)
            there = &n;
    }

    /// Before its links are changed.
    void remove(const detail::block& b, node& n) noexcept {
        node*& there = entry(b, n.begin);
        if (there != &n)
            return;
        there = n.above != nullptr && &entry(b, n.above->begin) == &there ? n.above : nullptr;
    }
};

/// Bytes that an allocation takes. 0 for a size of 0 and for one that does not fit a size.
inline constexpr std::size_t slots_resource::rounded(std::size_t bytes,
                                                     std::size_t alignment) noexcept {
    return align_up(bytes + (bytes == 0), std::min<std::size_t>(alignment, 16));
}

/// The memory of a block.
inline std::byte* slots_resource::first_of(const detail::block& b) const noexcept {
    const std::size_t colour = detail::colour_offset(address_of(&b), source_.mask_bytes());
    const auto* const begin = reinterpret_cast<const std::byte*>(&b);
    const std::size_t head =
        sizeof(detail::block) + sizeof(slots) + slots::stretches(b) * sizeof(node*);
    return const_cast<std::byte*>(begin) + align_up(head, 64) + colour;
}

inline std::byte* slots_resource::end_of(const detail::block& b) noexcept {
    const auto* const begin = reinterpret_cast<const std::byte*>(&b);
    return const_cast<std::byte*>(begin) + b.bytes();
}

} // namespace ARENITE_ABI
} // namespace arenite
