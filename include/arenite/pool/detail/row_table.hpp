// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/detail/bitmap_tree.hpp>
#include <arenite/core/detail/bits.hpp>
#include <arenite/core/upstream.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// The rows of a suballocator_resource: which one an address lies in, and which is the first with a
/// free slot.
///
///     rows    by address      | row | row | row |      keys: where the slots of each begin
///     cells   2 MiB each      | 0 | 0 | 1 | 2 |        the row to be found at such an address
///     open    a bit a row     | 0 | 1 | 1 |            some of its slots are free
///     small   by slots        | 2 | 0 |                the rows that are not of full size
///
/// Invariant: keys ascend, and a row is open if and only if one of its slots is free; the code that
/// takes or gives a row's last free slot says so by set_open().
///
/// Cost:      find O(1) as a rule, else O(log rows), without a branch that depends on the data;
///            lowest_open O(rows / 64); insert and erase O(rows).
/// Overhead:  128 bytes a row. Four rows need no memory beside the table itself.
/// Threads:   one at a time.
/// Failure:   insert: false; nothing changes.
class row_table {
public:
    struct row {
        std::byte* memory; ///< as the upstream gave it; nullptr once it was given back
        std::size_t bytes;
        std::byte* slots; ///< the first
        std::size_t span; ///< bytes from there to the end of the last
        std::size_t count;
        bitmap_tree taken;

        [[nodiscard]] bool is_empty() const noexcept { return taken.count_taken() == 0; }
    };

    explicit row_table(upstream up) noexcept;
    ~row_table(); ///< the rows' own memory is not the table's

    row_table(const row_table&) = delete;
    row_table& operator=(const row_table&) = delete;

    /// Rows of so many bytes with so many slots are of full size.
    void set_full_size(std::size_t bytes, std::size_t slots) noexcept {
        full_bytes_ = bytes;
        full_slots_ = slots;
    }
    [[nodiscard]] std::size_t full_bytes() const noexcept { return full_bytes_; }
    [[nodiscard]] std::size_t full_slots() const noexcept { return full_slots_; }

    [[nodiscard]] std::span<row> rows() noexcept;
    [[nodiscard]] std::span<const row> rows() const noexcept;
    [[nodiscard]] std::size_t count() const noexcept { return count_; }

    /// Bytes got from the upstream for the table.
    [[nodiscard]] std::size_t bytes_reserved() const noexcept;

    /// The row whose slots p lies in, or nullptr.
    [[nodiscard]] ARENITE_INLINE row* find(const void* p) const noexcept;

    /// The first row of the tower with a free slot, or nullptr. The small ones come first, by their
    /// number of slots; those of full size by their address.
    [[nodiscard]] row* lowest_open() const noexcept;

    void set_open(const row& r, bool open) noexcept;

    [[nodiscard]] bool insert(row&& added) noexcept;

    /// Takes the rows out whose `memory` is nullptr. With the last row the table's memory goes too,
    /// if `all` says so.
    void erase_returned(bool all = false) noexcept;

    /// Calls consider(row&) for each row until it is false, the last of the tower first: those of
    /// full size, highest first, then the small ones, the one with the most slots first.
    template <class F>
    void for_each_from_last(F consider) {
        for (std::size_t i = count_; i > 0; --i)
            if (table_.rows[i - 1].count == full_slots_ && !consider(table_.rows[i - 1]))
                return;
        for (std::size_t k = small_count_; k > 0; --k)
            if (!consider(table_.rows[small_[k - 1]]))
                return;
        if (small_count_ == most_small) // some have no place among them
            for (std::size_t i = count_; i > 0; --i)
                if (table_.rows[i - 1].count != full_slots_ && !consider(table_.rows[i - 1]))
                    return;
    }

private:
    static constexpr std::size_t inline_rows = 4;
    static constexpr std::size_t most_small = 32;
    static constexpr std::size_t cell_bytes = std::size_t{2} << 20; // of addresses
    static constexpr std::size_t cells_per_row = 4;

    /// One piece of memory.
    struct table {
        std::uintptr_t* keys; ///< where the slots of each row begin; a largest one behind the last
        row* rows;
        std::uint32_t* cells;
        bits::word* open;
        std::size_t capacity; ///< inline_rows where the memory is this object's
    };

    [[nodiscard]] bool lies_in(std::uintptr_t address, std::size_t index) const noexcept {
        return address - table_.keys[index] < table_.rows[index].span;
    }
    [[nodiscard]] std::size_t search(std::uintptr_t address) const noexcept;
    [[nodiscard]] static std::size_t bytes_for(std::size_t capacity) noexcept;
    [[nodiscard]] static table make(void* memory, std::size_t capacity) noexcept;
    [[nodiscard]] bool grow() noexcept;
    void use_inline() noexcept;
    void index_rows() noexcept;
    void index_cells() noexcept;

    upstream upstream_;
    table table_;
    std::size_t count_ = 0;
    mutable std::size_t last_ = 0;  ///< the row found last
    std::uintptr_t first_cell_ = 0; ///< the lowest 2 MiB of addresses with a row of full size
    std::size_t cell_count_ = 0;    ///< 0 where those rows lie too far apart
    std::size_t full_bytes_ = 0;
    std::size_t full_slots_ = 1;
    std::uint32_t small_open_ = 0; ///< of the rows that are not full-sized, those with free slots
    std::uint32_t small_count_ = 0;
    std::uint32_t small_[most_small]; ///< their indices, the one with the fewest slots first
    std::uintptr_t inline_keys_[inline_rows + 1];
    row inline_rows_[inline_rows];
    bits::word inline_open_[1];
};

ARENITE_INLINE row_table::row* row_table::find(const void* p) const noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(p);
    std::size_t i = last_;
    if (i < count_ && lies_in(address, i))
        return &table_.rows[i];
    if (const std::size_t cell = address / cell_bytes - first_cell_; cell < cell_count_)
        [[likely]] {
        i = table_.cells[cell];
        i += table_.keys[i + 1] <= address ? 1 : 0; // where rows do not begin with a cell
        if (lies_in(address, i)) [[likely]] {
            last_ = i;
            return &table_.rows[i];
        }
    }
    i = search(address);
    if (i >= count_ || !lies_in(address, i))
        return nullptr;
    last_ = i;
    return &table_.rows[i];
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
