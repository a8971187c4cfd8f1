// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Writing to the table; find() is inlined. Readers take no lock: set() makes all leaves that it
// needs before it enters anything, so that a failure leaves no trace, and clear() passes over
// leaves that were never made. Only whole units are entered: an owner of part of a unit could not
// be told from its neighbour.
#include <arenite/block/detail/address_table.hpp>
#include <arenite/core/contract.hpp>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

namespace {

/// Whole units in [p, p + bytes): [first, end), empty where there is none.
struct units_within {
    std::size_t first;
    std::size_t end;

    units_within(const void* p, std::size_t bytes) noexcept {
        constexpr std::size_t unit = address_table::unit_bytes;
        const std::uintptr_t begin = address_of(p);
        const std::uintptr_t room = ~std::uintptr_t{0} - begin;
        first = begin / unit + (begin % unit != 0 ? 1 : 0);
        end = (begin + (bytes < room ? bytes : room)) / unit;
        if (end < first)
            end = first;
    }
};

} // namespace

constinit address_table::entry address_table::none[leaf_units];

void address_table::store(std::size_t first_unit, std::size_t end_unit,
                          std::uintptr_t owner) noexcept {
    for (std::size_t unit = first_unit; unit < end_unit; ++unit) {
        entry* const leaf = entries_.leaf(unit / leaf_units);
        if (leaf == nullptr) {
            unit |= leaf_units - 1; // to the next leaf: nothing was ever entered here
            continue;
        }
        // With the acquire of find(): who finds the owner sees what was written to it before.
        leaf[unit % leaf_units].store(owner, std::memory_order_release);
    }
}

bool address_table::set(const void* p, std::size_t bytes, std::uintptr_t owner) noexcept {
    ARENITE_ASSERT(owner != 0, "address_table: 0 is no owner; use clear");
    const units_within units{p, bytes};
    if (units.first == units.end)
        return true;
    if (units.end > entries_.size)
        return false;
    // All leaves first: where memory for one is missing, nothing has been entered.
    for (std::size_t leaf = units.first / leaf_units; leaf <= (units.end - 1) / leaf_units; ++leaf)
        if (entries_.make(leaf * leaf_units) == nullptr)
            return false;
    // near_begin_ is stored last, with release, and find() loads it first: near_ is there by then.
    // One thread gets its leaf in, however many are the first, and says where that begins.
    const std::size_t first = units.first / leaf_units;
    entry* expected = none;
    if (near_.load(std::memory_order_relaxed) == none &&
        near_.compare_exchange_strong(expected, entries_.leaf(first), std::memory_order_relaxed))
        near_begin_.store(first * leaf_units * unit_bytes, std::memory_order_release);
    store(units.first, units.end, owner);
    return true;
}

void address_table::clear(const void* p, std::size_t bytes) noexcept {
    const units_within units{p, bytes};
    store(units.first, units.end < entries_.size ? units.end : entries_.size, 0);
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
