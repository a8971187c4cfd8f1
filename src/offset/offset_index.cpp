// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Open addressing with linear probing: add() and find() walk from an offset's home cell; remove()
// closes the gap by moving back what may lie nearer to its home; grow() doubles the cells. There
// are no tombstones, so a search never gets longer by what was removed. At most three quarters of
// the cells are taken: a walk always ends at an empty one.
#include <arenite/offset/detail/offset_index.hpp>

#include <limits>
#include <new>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

offset_index::~offset_index() {
    if (cells_ != nullptr)
        memory_.deallocate(cells_, bytes(), alignof(cell));
}

/// Where the offset is, or the empty cell where it would be.
std::size_t offset_index::cell_of(std::uint64_t offset) const noexcept {
    std::size_t i = home_of(offset);
    while (cells_[i].node != offset_allocation::no_node && cells_[i].offset != offset)
        i = (i + 1) & mask_;
    return i;
}

void offset_index::put(const cell& c) noexcept {
    cells_[cell_of(c.offset)] = c;
    ++count_;
}

void offset_index::add(const offset_allocation& a) noexcept {
    put({a.offset, a.node, a.generation});
}

/// An offset that is not there gives a handle with no node, which any check refuses.
offset_allocation offset_index::find(std::uint64_t offset, std::uint64_t bytes) const noexcept {
    offset_allocation found{.offset = offset, .bytes = bytes};
    if (cells_ != nullptr) {
        const cell& c = cells_[cell_of(offset)];
        found.node = c.node;
        found.generation = c.generation;
    }
    return found;
}

void offset_index::remove(std::uint64_t offset) noexcept {
    std::size_t gap = cell_of(offset);
    --count_;
    for (std::size_t i = gap;;) {
        i = (i + 1) & mask_;
        if (cells_[i].node == offset_allocation::no_node)
            break;
        // It moves into the gap unless its home lies between the gap and its cell.
        if (((i - home_of(cells_[i].offset)) & mask_) >= ((i - gap) & mask_)) {
            cells_[gap] = cells_[i];
            gap = i;
        }
    }
    // Nothing behind it needs this cell any more.
    cells_[gap].node = offset_allocation::no_node;
}

void offset_index::clear() noexcept {
    for (std::size_t i = 0; i != capacity(); ++i)
        cells_[i].node = offset_allocation::no_node;
    count_ = 0;
}

bool offset_index::grow() noexcept {
    const std::size_t before = capacity();
    const std::size_t wanted = before != 0 ? 2 * before : fewest_cells;
    if (wanted > std::numeric_limits<std::size_t>::max() / sizeof(cell))
        return false;
    void* const memory = memory_.try_allocate(wanted * sizeof(cell), alignof(cell));
    if (memory == nullptr)
        return false;
    // All offsets are entered anew, since their homes depend on the number of cells.
    cell* const old = cells_;
    cells_ = static_cast<cell*>(memory);
    mask_ = wanted - 1;
    count_ = 0;
    for (std::size_t i = 0; i != wanted; ++i)
        ::new (static_cast<void*>(cells_ + i)) cell{0, offset_allocation::no_node, 0};
    for (std::size_t i = 0; i != before; ++i) {
        if (old[i].node != offset_allocation::no_node)
            put(old[i]);
    }
    if (old != nullptr)
        memory_.deallocate(old, before * sizeof(cell), alignof(cell));
    return true;
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
