// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/block/detail/address_table.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/os/detail/platform.hpp>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

using os::platform;

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

address_table::entry* address_table::make_leaf(std::size_t index) noexcept {
    constexpr std::size_t bytes = leaf_units * sizeof(entry);
    // Zero-filled pages are entries without an owner; to construct them would touch them all.
    void* const p = platform::reserve(bytes, platform::page_bytes());
    if (p == nullptr)
        return nullptr;
    if (!platform::commit(p, bytes)) {
        platform::release(p, bytes);
        return nullptr;
    }
    auto* const mine = static_cast<entry*>(p);
    entry* there = nullptr;
    if (leaves_[index].compare_exchange_strong(there, mine, std::memory_order_acq_rel,
                                               std::memory_order_acquire))
        return mine;
    platform::release(p, bytes); // another thread was faster
    return there;
}

void address_table::store(std::size_t first_unit, std::size_t end_unit,
                          std::uintptr_t owner) noexcept {
    for (std::size_t unit = first_unit; unit < end_unit; ++unit) {
        entry* const leaf = leaves_[unit / leaf_units].load(std::memory_order_acquire);
        if (leaf == nullptr) {
            unit |= leaf_units - 1; // to the next leaf: nothing was ever entered here
            continue;
        }
        leaf[unit % leaf_units].store(owner, std::memory_order_release);
    }
}

bool address_table::set(const void* p, std::size_t bytes, std::uintptr_t owner) noexcept {
    ARENITE_ASSERT(owner != 0, "address_table: 0 is no owner; use clear");
    const units_within units{p, bytes};
    if (units.first == units.end)
        return true;
    if (units.end > leaf_count * leaf_units)
        return false;
    for (std::size_t leaf = units.first / leaf_units; leaf <= (units.end - 1) / leaf_units;
         ++leaf) {
        if (leaves_[leaf].load(std::memory_order_acquire) == nullptr && make_leaf(leaf) == nullptr)
            return false;
    }
    store(units.first, units.end, owner);
    return true;
}

void address_table::end() noexcept {
    for (auto& leaf : leaves_)
        if (entry* const there = leaf.exchange(nullptr, std::memory_order_relaxed))
            platform::release(there, leaf_units * sizeof(entry));
}

void address_table::clear(const void* p, std::size_t bytes) noexcept {
    const units_within units{p, bytes};
    constexpr std::size_t all = leaf_count * leaf_units;
    store(units.first, units.end < all ? units.end : all, 0);
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
