// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Which row a slot of a suballocator_resource lies in: few rows are searched in a sorted list, many
// by cells of the address range. Also the lowest row with a free slot. Rows come and go rarely, and
// each time all indexes are made anew (index_rows()); in between only set_open() changes something.
// Read search() for the list, and index_cells() for the cells that spare it.
#include <arenite/pool/detail/row_table.hpp>

#include <arenite/core/alignment.hpp>

#include <algorithm>
#include <bit>
#include <limits>
#include <new>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

row_table::row_table(upstream up) noexcept : upstream_{up} { use_inline(); }

row_table::~row_table() {
    if (table_.capacity != inline_rows)
        upstream_.deallocate(table_.rows, bytes_for(table_.capacity), alignof(row));
}

void row_table::use_inline() noexcept {
    table_ = {inline_keys_, inline_rows_, nullptr, inline_open_, inline_rows};
}

// ---- memory -------------------------------------------------------------------------------------

std::size_t row_table::bytes_for(std::size_t capacity) noexcept {
    const std::size_t words = (capacity + bits::word_bits - 1) / bits::word_bits;
    return capacity * (sizeof(row) + cells_per_row * sizeof(std::uint32_t)) +
           (capacity + 1) * sizeof(std::uintptr_t) + words * sizeof(bits::word);
}

std::span<row_table::row> row_table::rows() noexcept { return {table_.rows, count_}; }

std::span<const row_table::row> row_table::rows() const noexcept { return {table_.rows, count_}; }

std::size_t row_table::bytes_reserved() const noexcept {
    return table_.capacity == inline_rows ? 0 : bytes_for(table_.capacity);
}

row_table::table row_table::make(void* memory, std::size_t capacity) noexcept {
    auto* const rows = ::new (memory) row[capacity]{};
    auto* const keys = ::new (static_cast<void*>(rows + capacity)) std::uintptr_t[capacity + 1]{};
    const std::size_t words = (capacity + bits::word_bits - 1) / bits::word_bits;
    auto* const open = ::new (static_cast<void*>(keys + capacity + 1)) bits::word[words]{};
    auto* const cells =
        ::new (static_cast<void*>(open + words)) std::uint32_t[capacity * cells_per_row];
    return {keys, rows, cells, open, capacity};
}

bool row_table::grow() noexcept {
    const std::size_t capacity = table_.capacity * 4;
    void* const memory = upstream_.try_allocate(bytes_for(capacity), alignof(row));
    if (memory == nullptr)
        return false;
    // One piece of memory has all five arrays, in the order of bytes_for().
    const table larger = make(memory, capacity);
    std::move(table_.rows, table_.rows + count_, larger.rows);
    std::copy(table_.keys, table_.keys + count_, larger.keys);
    if (table_.capacity != inline_rows)
        upstream_.deallocate(table_.rows, bytes_for(table_.capacity), alignof(row));
    table_ = larger;
    return true;
}

// ---- rows come and go ---------------------------------------------------------------------------

bool row_table::insert(row&& added) noexcept {
    if (count_ == table_.capacity && !grow())
        return false;
    const std::uintptr_t key = address_of(added.slots);
    std::size_t at = count_;
    for (; at > 0 && table_.keys[at - 1] > key; --at) {
        // Rows and keys move together; a row's address is valid until the next insert.
        table_.rows[at] = std::move(table_.rows[at - 1]);
        table_.keys[at] = table_.keys[at - 1];
    }
    table_.rows[at] = std::move(added);
    table_.keys[at] = key;
    ++count_;
    index_rows();
    return true;
}

/// Rows whose memory has gone are marked by null and taken out together: one pass, however many
/// went.
void row_table::erase_returned(bool all) noexcept {
    std::size_t n = 0;
    for (std::size_t i = 0; i < count_; ++i) {
        row& r = table_.rows[i];
        if (r.memory == nullptr)
            continue;
        if (n != i) {
            table_.rows[n] = std::move(r);
            table_.keys[n] = table_.keys[i];
        }
        ++n;
    }
    count_ = n;
    if (all && count_ == 0 && table_.capacity != inline_rows) {
        upstream_.deallocate(table_.rows, bytes_for(table_.capacity), alignof(row));
        use_inline();
    }
    index_rows();
}

/// After rows came or went: which are open, and which come first because they are small.
void row_table::index_rows() noexcept {
    last_ = 0;
    index_cells();
    small_count_ = small_open_ = 0;
    std::fill_n(table_.open, (count_ + bits::word_bits - 1) / bits::word_bits, bits::word{0});
    for (std::size_t i = 0; i < count_; ++i)
        if (table_.rows[i].count < full_slots_ && small_count_ < most_small)
            small_[small_count_++] = static_cast<std::uint32_t>(i);
    std::sort(small_, small_ + small_count_, [&](std::uint32_t a, std::uint32_t b) {
        const std::size_t x = table_.rows[a].count, y = table_.rows[b].count;
        return x != y ? x < y : a < b;
    });
    for (const row& r : rows())
        set_open(r, !r.taken.full());
}

/// Which row is to be found where, by one look. Only rows of full size count: no two of them begin
/// in the same cell.
void row_table::index_cells() noexcept {
    cell_count_ = 0;
    // So that the row behind the last needs no test.
    table_.keys[count_] = std::numeric_limits<std::uintptr_t>::max();
    if (count_ <= inline_rows || full_bytes_ < cell_bytes)
        return;
    std::size_t first = 0, last = count_;
    while (first < count_ && table_.rows[first].count < full_slots_)
        ++first;
    while (last > first && table_.rows[last - 1].count < full_slots_)
        --last;
    if (first == last)
        return;
    first_cell_ = table_.keys[first] / cell_bytes;
    const std::size_t cells =
        (table_.keys[last - 1] + table_.rows[last - 1].span - 1) / cell_bytes - first_cell_ + 1;
    // Rows that lie far apart: the list is searched.
    if (cells > table_.capacity * cells_per_row)
        return;
    std::size_t i = first;
    for (std::size_t c = 0; c < cells; ++c) {
        const std::uintptr_t begin = (first_cell_ + c) * cell_bytes;
        while (i + 1 < last && table_.keys[i + 1] <= begin)
            ++i;
        table_.cells[c] = static_cast<std::uint32_t>(i);
    }
    cell_count_ = cells;
}

// ---- which row ----------------------------------------------------------------------------------

/// The last row that begins at or below the address; 0 where there is none.
std::size_t row_table::search(std::uintptr_t address) const noexcept {
    std::size_t first = 0;
    for (std::size_t n = count_; n > 1;) { // no branch depends on what is found
        const std::size_t half = n / 2;
        first += table_.keys[first + half] <= address ? half : 0;
        n -= half;
    }
    return first;
}

void row_table::set_open(const row& r, bool open) noexcept {
    const auto index = static_cast<std::size_t>(&r - table_.rows);
    const bits::word mask = bits::word{1} << index % bits::word_bits;
    bits::word& word = table_.open[index / bits::word_bits];
    word = open ? word | mask : word & ~mask;
    if (r.count == full_slots_) [[likely]]
        return;
    for (std::uint32_t k = 0; k < small_count_; ++k)
        if (small_[k] == index)
            small_open_ = open ? small_open_ | 1U << k : small_open_ & ~(1U << k);
}

row_table::row* row_table::lowest_open() const noexcept {
    // Rows of less than full size first, the smallest first: they are the oldest, and the last to
    // empty.
    if (small_open_ != 0)
        return &table_.rows[small_[std::countr_zero(small_open_)]];
    const std::size_t index = bits::next_set(table_.open, 0, count_);
    return index == count_ ? nullptr : &table_.rows[index];
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
