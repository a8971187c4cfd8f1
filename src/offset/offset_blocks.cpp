// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Blocks of a range of offsets: a table of blocks, the units that each covers, and lists of blocks
// by how full they are, which lead the planner to the emptiest. A position leads to its block by a
// shift and a load, since each block begins at a unit of its own; free units are looked for only
// when a block is added. An offset_allocator has the single block that is part of the object, and
// none of the tables.
#include <arenite/offset/detail/offset_blocks.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <new>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

offset_blocks::offset_blocks(upstream memory, unsigned shift) noexcept
    : shift_{shift}, memory_{memory} {
    std::fill(std::begin(heads_), std::end(heads_), none);
}

offset_blocks::~offset_blocks() {
    // The one block of an offset_allocator was never allocated.
    if (!has_lists())
        return;
    if (blocks_ != nullptr)
        memory_.deallocate(blocks_, room_ * sizeof(offset_block), alignof(offset_block));
    if (units_ != nullptr)
        memory_.deallocate(units_, unit_room_ * sizeof(index), alignof(index));
}

std::size_t offset_blocks::bytes() const noexcept {
    return room_ * sizeof(offset_block) + unit_room_ * sizeof(index);
}

// ---- blocks and their units ---------------------------------------------------------------------

bool offset_blocks::grow_blocks() noexcept {
    if (room_ == none / 2)
        return false;
    // Indices stay valid when the table moves, references do not: callers take a block anew after
    // add().
    const std::uint32_t room = std::max(16u, std::min(room_ * 2, none / 2));
    void* const fresh = memory_.try_allocate(room * sizeof(offset_block), alignof(offset_block));
    if (fresh == nullptr)
        return false;
    auto* const blocks = static_cast<offset_block*>(fresh);
    if (blocks_ != nullptr) {
        std::memcpy(fresh, static_cast<const void*>(blocks_), made_ * sizeof(offset_block));
        memory_.deallocate(blocks_, room_ * sizeof(offset_block), alignof(offset_block));
    }
    blocks_ = blocks;
    room_ = room;
    return true;
}

bool offset_blocks::grow_units(std::uint64_t count) noexcept {
    const auto most = static_cast<std::size_t>(
        std::min<std::uint64_t>(std::uint64_t{1} << (offset_node::position_bits - shift_),
                                std::numeric_limits<std::size_t>::max() / sizeof(index)));
    if (count > most)
        return false;
    const std::size_t room = std::min(
        most, std::max({static_cast<std::size_t>(count), unit_room_ * 2, std::size_t{64}}));
    void* const fresh = memory_.try_allocate(room * sizeof(index), alignof(index));
    if (fresh == nullptr)
        return false;
    auto* const units = static_cast<index*>(fresh);
    if (units_ != nullptr) {
        std::copy(units_, units_ + unit_room_, units);
        memory_.deallocate(units_, unit_room_ * sizeof(index), alignof(index));
    }
    std::fill(units + unit_room_, units + room, none);
    units_ = units;
    unit_room_ = room;
    return true;
}

/// The first unit of a free run; unit_room_ where there is none and no memory for more.
std::size_t offset_blocks::free_units(std::uint64_t count) noexcept {
    std::size_t run = 0;
    // Below it all units are taken: first fit from there, so that the table of units stays short.
    std::size_t i = first_free_unit_;
    for (; i < unit_room_ && run < count; ++i)
        run = units_[i] == none ? run + 1 : 0;
    // A run that reaches the end of the table is made longer by growing it.
    if (run < count && !grow_units(i - run + count))
        return unit_room_;
    return i - run;
}

offset_blocks::index offset_blocks::add(std::uint64_t granules, void* memory) noexcept {
    if (unused_ == none && made_ == room_ && !grow_blocks())
        return none;
    const std::uint64_t units = ((granules - 1) >> shift_) + 1;
    const std::size_t unit = free_units(units);
    if (unit == unit_room_)
        return none;
    const auto count = static_cast<std::size_t>(units);
    index i = unused_;
    if (i != none)
        unused_ = blocks_[i].next;
    else
        i = made_++;
    std::fill(units_ + unit, units_ + unit + count, i);
    if (unit == first_free_unit_)
        first_free_unit_ = unit + count;
    ::new (static_cast<void*>(blocks_ + i)) offset_block;
    blocks_[i].base = std::uint64_t{unit} << shift_;
    blocks_[i].granules = granules;
    blocks_[i].memory = memory;
    return i;
}

void offset_blocks::remove(index i) noexcept {
    offset_block& b = blocks_[i];
    unlink(i);
    const auto unit = static_cast<std::size_t>(b.base >> shift_);
    const auto count = static_cast<std::size_t>((b.granules - 1) >> shift_) + 1;
    std::fill(units_ + unit, units_ + unit + count, none);
    first_free_unit_ = std::min(first_free_unit_, unit);
    // Granules of 0 mark a place in the table without a block.
    b = offset_block{};
    b.next = unused_;
    unused_ = i;
}

// ---- lists by fill ------------------------------------------------------------------------------

void offset_blocks::unlink(index i) noexcept {
    const offset_block& b = blocks_[i];
    if (b.list == offset_block::no_list)
        return;
    if (b.list == empty_list) {
        empty_granules_ -= b.granules;
        --empty_count_;
    }
    if (b.next != none)
        blocks_[b.next].previous = b.previous;
    if (b.previous != none) {
        blocks_[b.previous].next = b.next;
        return;
    }
    heads_[b.list] = b.next;
    // The list of empty blocks has no bit: it is asked for by name.
    if (b.next == none && b.list != empty_list)
        filled_[b.list / fill_lists] &= ~(std::uint64_t{1} << b.list % fill_lists);
}

void offset_blocks::move(index i, std::uint32_t list) noexcept {
    unlink(i);
    offset_block& b = blocks_[i];
    b.list = list;
    b.previous = none;
    b.next = heads_[list];
    if (b.next != none)
        blocks_[b.next].previous = i;
    heads_[list] = i;
    if (list == empty_list) {
        empty_granules_ += b.granules;
        ++empty_count_;
    } else {
        filled_[list / fill_lists] |= std::uint64_t{1} << list % fill_lists;
    }
}

offset_blocks::index offset_blocks::emptiest_of(std::uint32_t tried) const noexcept {
    if (filled_[tried] == 0)
        return none;
    return heads_[tried * fill_lists +
                  static_cast<std::uint32_t>(std::countr_zero(filled_[tried]))];
}

/// A new round may empty what an earlier one could not: others have gone meanwhile.
void offset_blocks::forget_tries() noexcept {
    for (index i = emptiest_tried(); i != none; i = emptiest_tried()) {
        blocks_[i].tried = false;
        sort(i);
    }
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
