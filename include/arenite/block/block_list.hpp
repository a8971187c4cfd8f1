// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/block/block.hpp>
#include <arenite/core/config.hpp>

#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {

/// An owner's blocks in address order, linked through their heads: it allocates nothing.
///
/// Use when:  the lowest block in some state is wanted, or the block that a pointer may lie in.
/// Cost:      O(log n) expected; take_all is O(n), has and size O(1).
/// Threads:   one at a time.
///
/// A treap: a search tree by address that is also a heap by a number hashed from the address, and
/// in which every node knows the union of the states below it.
class block_list {
public:
    [[nodiscard]] bool empty() const noexcept { return root_ == nullptr; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

    /// Enters a block whose `state` is set.
    void insert(block& entry) noexcept;

    /// Takes a block out; it must be in the list.
    void erase(block& entry) noexcept;

    /// Changes the state of a block in the list.
    void set_state(block& entry, std::uint16_t state) noexcept;

    /// The block of lowest address that has one of the states in `any` (a set), or nullptr.
    [[nodiscard]] block* lowest(std::uint16_t any) const noexcept;

    /// The same at or above the address `from`.
    [[nodiscard]] block* lowest(std::uint16_t any, const void* from) const noexcept;

    /// The block of highest address that has one of the states in `any`, or nullptr.
    [[nodiscard]] block* highest(std::uint16_t any) const noexcept;

    /// True if some block has one of the states in `any`.
    [[nodiscard]] bool has(std::uint16_t any) const noexcept {
        return root_ != nullptr && (root_->below & any) != 0;
    }

    /// The block of highest address at or below p, or nullptr: the only one that p can lie in.
    [[nodiscard]] block* at_or_below(const void* p) const noexcept;

    /// The next block up in address order, or nullptr.
    [[nodiscard]] block* above(const block& entry) const noexcept;

    /// The block of lowest address, or nullptr.
    [[nodiscard]] block* first() const noexcept;

    /// Empties the list and returns its blocks as a chain in address order, linked by `right`.
    [[nodiscard]] block* take_all() noexcept;

private:
    block* root_ = nullptr;
    std::size_t size_ = 0;
};

} // namespace ARENITE_ABI
} // namespace arenite
