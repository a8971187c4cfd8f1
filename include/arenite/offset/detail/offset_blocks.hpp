// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/offset/detail/offset_nodes.hpp>

#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// A block of an offset_space: positions [base, base + granules).
struct offset_block {
    using index = std::uint32_t;
    static constexpr index none = 0xFFFF'FFFF;
    static constexpr std::uint32_t no_list = none;

    std::uint64_t base = 0;
    std::uint64_t granules = 0; ///< 0: there is no such block
    std::uint64_t used = 0;
    offset_node::index first = offset_node::none;
    offset_node::index last = offset_node::none;
    index previous = none; ///< in its list
    index next = none;
    std::uint32_t list = no_list;
    bool tried = false;     ///< by the round of moves that is under way
    bool single = false;    ///< made for one large request
    void* memory = nullptr; ///< the source's name of it
};

/// The blocks of an offset_space: where each lies among its positions, and lists of them by fill.
///
///     positions  | unit 0 | unit 1 | unit 2 | unit 3 | ...       a unit: a power of two
///     blocks     | block 0|        | block 1 ........|           none is shared
///     lists      64 of blocks to be emptied, by the 64th that is in use, 64 of those that were
///                tried; one of the empty ones. A word of bits says which hold something.
///
/// An offset_allocator has one block and one unit, and no lists.
///
/// Cost:      from a position to its block a shift and a load; a change of fill O(1). Adding a
///            block O(units) if it is larger than a unit; otherwise mostly O(1).
class offset_blocks {
public:
    using index = offset_block::index;
    static constexpr index none = offset_block::none;
    static constexpr std::uint32_t fill_lists = 64;
    static constexpr std::uint32_t empty_list = 2 * fill_lists;

    /// One block at position 0, the only one there will be.
    offset_blocks() noexcept : shift_{63}, blocks_{&only_}, units_{&only_unit_}, made_{1} {}

    /// None at first; a unit has 2^shift granules.
    offset_blocks(upstream memory, unsigned shift) noexcept;

    offset_blocks(const offset_blocks&) = delete;
    offset_blocks& operator=(const offset_blocks&) = delete;
    ~offset_blocks();

    [[nodiscard]] offset_block& operator[](index i) noexcept { return blocks_[i]; }
    [[nodiscard]] const offset_block& operator[](index i) const noexcept { return blocks_[i]; }
    [[nodiscard]] index at(std::uint64_t position) const noexcept {
        return units_[position >> shift_];
    }
    [[nodiscard]] std::uint64_t unit_granules() const noexcept {
        return std::uint64_t{1} << shift_;
    }
    [[nodiscard]] bool has_lists() const noexcept { return blocks_ != &only_; }
    [[nodiscard]] std::uint32_t made() const noexcept { return made_; }
    [[nodiscard]] std::size_t bytes() const noexcept;

    /// A new block of so many granules, or none. In no list yet.
    [[nodiscard]] index add(std::uint64_t granules, void* memory) noexcept;
    void remove(index i) noexcept;

    /// Moves it to the list of its fill, if it is not there.
    void sort(index i) noexcept {
        if (const std::uint32_t list = list_for(blocks_[i]); list != blocks_[i].list)
            move(i, list);
    }

    /// The emptiest one in use that was not tried, or none.
    [[nodiscard]] index emptiest() const noexcept { return emptiest_of(0); }
    /// The emptiest of those that were tried.
    [[nodiscard]] index emptiest_tried() const noexcept { return emptiest_of(1); }
    [[nodiscard]] index first_empty() const noexcept { return heads_[empty_list]; }
    [[nodiscard]] std::uint64_t empty_granules() const noexcept { return empty_granules_; }
    [[nodiscard]] std::uint32_t empty_count() const noexcept { return empty_count_; }
    void set_tried(index i) noexcept {
        blocks_[i].tried = true;
        sort(i);
    }
    /// Marks all as not tried. O(tried blocks).
    void forget_tries() noexcept;

private:
    [[nodiscard]] static std::uint32_t list_for(const offset_block& b) noexcept {
        if (b.used == 0)
            return empty_list;
        // Sizes are below 2^48.
        const auto fill = static_cast<std::uint32_t>((b.used * fill_lists - 1) / b.granules);
        return fill + (b.tried ? fill_lists : 0);
    }
    [[nodiscard]] index emptiest_of(std::uint32_t tried) const noexcept;
    void move(index i, std::uint32_t list) noexcept;
    void unlink(index i) noexcept;
    [[nodiscard]] bool grow_blocks() noexcept;
    [[nodiscard]] bool grow_units(std::uint64_t count) noexcept;
    [[nodiscard]] std::size_t free_units(std::uint64_t count) noexcept;

    unsigned shift_;
    offset_block* blocks_ = nullptr;
    index* units_ = nullptr;
    std::uint32_t made_ = 0;
    std::uint32_t room_ = 0;
    std::size_t unit_room_ = 0;
    std::size_t first_free_unit_ = 0; ///< below it none is free
    index unused_ = none;             ///< removed blocks, linked by `next`
    std::uint64_t empty_granules_ = 0;
    std::uint32_t empty_count_ = 0;
    std::uint64_t filled_[2] = {}; ///< which lists are not empty
    index heads_[2 * fill_lists + 1];
    upstream memory_{static_cast<resource*>(nullptr)};
    offset_block only_;
    index only_unit_ = 0;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
