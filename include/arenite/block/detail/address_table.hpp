// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/os/detail/lazy_array.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Who owns an address: a table from units of 64 KiB to a word of the owner's.
///
///     address   |  unused  | 16 bits: leaf | 16 bits: entry | 16 bits: within the unit |
///                                 |                |
///     leaves    [ 0 | 0 | * | 0 | ... ]            |      65536 pointers, zero at the start
///                         |                        |
///     leaf                [ 0 | 0 | owner | owner | 0 | ... ]   4 GiB of addresses, made lazily
///
/// An owner is any word but 0: a pointer to a heap, with marks of the heap's own in its low bits.
/// Blocks that lie in one known range need no entry, nor do those smaller than a unit; the heap
/// knows them.
///
/// Use when:  a pointer must lead to its heap, and neither a range nor a mask can tell. A table is
///            never destroyed: usable before main and after it.
/// Cost:      find: three loads, of which one waits for another; two of them are of words beside
///            each other in the leaf that was made first. set and clear: one store a unit.
/// Overhead:  8 bytes a unit (0.012 %), resident in pages for 32 MiB of addresses each; 512 KiB of
///            untouched zeros a table.
/// Limits:    addresses below 2^48; those above have no owner. With 32-bit addresses one leaf holds
///            all.
/// Threads:   any; find does not wait. A thread that looks an address up must have received it with
///            synchronisation after the set (as whenever a pointer is passed on).
/// Failure:   set returns false where memory for a leaf is refused; nothing changes.
class address_table {
public:
    static constexpr std::size_t unit_bytes = 64_KiB;

    using entry = std::atomic<std::uintptr_t>;
    static constexpr std::size_t leaf_units = 1 << 16;
    static constexpr std::size_t leaf_count = sizeof(std::uintptr_t) == 8 ? 1 << 16 : 1;
    using leaves = lazy_array<entry, leaf_units, leaf_count>;

    /// Its leaves are an object of their own, all zero: beside what is not they would be in the
    /// file of the program.
    constexpr explicit address_table(leaves& all) noexcept : entries_{all} {}
    address_table(const address_table&) = delete;
    address_table& operator=(const address_table&) = delete;

    /// Enters an owner (not 0) for all whole units in [p, p + bytes); partial units at the ends are
    /// left as they are.
    [[nodiscard]] bool set(const void* p, std::size_t bytes, std::uintptr_t owner) noexcept;

    /// Takes the same units out again.
    void clear(const void* p, std::size_t bytes) noexcept;

    /// The owner of the unit that p lies in; 0 if there is none.
    [[nodiscard]] ARENITE_INLINE std::uintptr_t find(const void* p) const noexcept {
        const std::uintptr_t begin = near_begin_.load(std::memory_order_acquire);
        if (const std::uintptr_t unit = apart((address_of(p) - begin) / unit_bytes);
            unit < leaf_units) [[likely]]
            return near_.load(std::memory_order_relaxed)[unit].load(std::memory_order_acquire);
        const entry* const found = entries_.find(address_of(p) / unit_bytes);
        return found != nullptr ? found->load(std::memory_order_acquire) : 0;
    }

    /// Returns the memory of the table itself, which has no owners then: where the module that it
    /// is in is closed, while no thread looks anything up.
    void end() noexcept {
        near_begin_.store(nowhere, std::memory_order_relaxed);
        near_.store(none, std::memory_order_relaxed);
        entries_.end();
    }

private:
    static_assert(entry::is_always_lock_free && sizeof(entry) == sizeof(std::uintptr_t));

    /// Where no address is that a table can hold: begin of the leaf `none`.
    static constexpr std::uintptr_t nowhere = std::uintptr_t{leaf_count - 1}
                                              << (sizeof(std::uintptr_t) * 8 - 16);

    static constinit entry none[leaf_units]; ///< all zero, and stays so
    void store(std::size_t first_unit, std::size_t end_unit, std::uintptr_t owner) noexcept;

    leaves& entries_;

    // The leaf that was made first, in which most lookups end, and the address that it begins with,
    // which is stored after it.
    std::atomic<entry*> near_{none};
    std::atomic<std::uintptr_t> near_begin_{nowhere};
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
