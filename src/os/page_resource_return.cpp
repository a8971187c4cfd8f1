// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Memory that comes back to a page_resource: how it waits, and how it goes to the system.
#include "page_range.hpp"

#include <arenite/core/contract.hpp>
#include <arenite/core/detail/size.hpp>

#include <algorithm>
#include <limits>

namespace arenite {
inline namespace ARENITE_ABI {

using detail::unit;
using detail::os::platform;

namespace {

/// So much of what is due goes back at a call, where it is in small pages; huge ones are quicker.
/// About a millisecond, of a process that has not asked for this memory for a second.
constexpr std::size_t due_units_per_call = 2_MiB / unit;
constexpr std::size_t huge_units_alike = 64;

} // namespace

// ---- taking back --------------------------------------------------------------------------------

void page_resource::deallocate(void* p, std::size_t bytes, std::size_t) noexcept {
    take_back(p, bytes, options_.delay_ms == 0 || scarce_.load(std::memory_order_relaxed));
    purge_due();
}

void page_resource::release(void* p, std::size_t bytes, std::size_t) noexcept {
    take_back(p, bytes, true);
}

void page_resource::take_back(void* p, std::size_t bytes, bool at_once) noexcept {
    const std::size_t page = platform::page_bytes();
    const std::size_t page_bytes =
        align_up(std::clamp<std::size_t>(bytes, 1, detail::max_object_bytes - page), page);
    const std::size_t units = align_up(page_bytes, unit) / unit;
    const std::uint64_t now = at_once ? 0 : options_.now_ms();
    range* r = nullptr;
    std::size_t page_count = 0;
    {
        std::unique_lock lock{mutex_};
        r = find_range(p);
        if (r != nullptr && is_aligned(p, unit)) {
            const auto i = static_cast<std::size_t>(static_cast<std::byte*>(p) - r->base) / unit;
            page_count = r->pages[i];
            if (page_count == page_bytes / page) [[likely]] {
                r->pages[i] = 0; // of two that free it at once, one finds it gone
                --live_;
                in_use_bytes_ -= page_bytes;
                if (at_once)
                    return give_to_system(lock, *r,
                                          {i, units, !detail::bits::none_set(r->huge, i, units)});
                let_wait(*r, i, units, now);
                return give_oldest(lock, most_waiting_units(), units);
            }
        }
    }
    if (page_count == 0) [[unlikely]]
        contract_violation_f(
            std::source_location::current(),
            r == nullptr ? "page_resource: %zu bytes at %p were given back, but this address "
                           "is not of this resource"
                         : "page_resource: %zu bytes at %p were given back, but no live "
                           "allocation begins there (freed twice?)",
            bytes, p);
    if (page_count != page_bytes / page) [[unlikely]]
        contract_violation_f(std::source_location::current(),
                             "page_resource: %zu bytes at %p were given back, but %zu pages of %zu "
                             "bytes were allocated there",
                             bytes, p, page_count, page);
}

// ---- giving to the system -----------------------------------------------------------------------

/// Gives the memory of units that nobody else can get, since they are taken, and then the units.
/// The lock is not held meanwhile.
void page_resource::give_to_system(held_lock& lock, range& r, const run& units) noexcept {
    transit mine{.from = r, .units = units, .next = transits_, .link = &transits_};
    if (transits_ != nullptr)
        transits_->link = &mine.next;
    transits_ = &mine;
    if (units.huge)
        detail::bits::clear_run(r.huge, units.first, units.units);
    lock.unlock();
    std::byte* const p = r.base + units.first * unit;
    if (scarce_.load(std::memory_order_relaxed))
        platform::decommit(p, units.units * unit);
    else if (units.huge) // without the advice: a neighbour's huge page shall not come back here
        platform::renew(p, units.units * unit);
    else
        platform::purge(p, units.units * unit);
    lock.lock();
    *mine.link = mine.next;
    if (mine.next != nullptr)
        mine.next->link = mine.link;
    r.give(units.first, units.units);
}

/// At most as much waits as is missing to the high water, or a quarter of that.
std::size_t page_resource::most_waiting_units() const noexcept {
    const std::size_t room = high_water_bytes_ - in_use_bytes_;
    const std::size_t most =
        std::max(std::min(options_.most_waiting_bytes, room), high_water_bytes_ / 4);
    return align_up(most, unit) / unit;
}

/// Frees units with their memory.
void page_resource::let_wait(range& r, std::size_t i, std::size_t n, std::uint64_t now) noexcept {
    r.give(i, n);
    r.wait(i, n, waiting_.young);
    waiting_.add(n, now);
    note_next_due();
}

/// Gives waiting units of a generation to the system, the highest first. Returns how many in small
/// pages would have cost as much.
std::size_t page_resource::give_waiting(held_lock& lock, std::size_t generation, std::size_t most,
                                        std::size_t most_huge) noexcept {
    range* r = first_;
    while (r->waiting_units[generation] == 0)
        r = r->next;
    const run units = r->highest_waiting(generation, most, most_huge);
    waiting_.units[generation] -= r->stop_waiting(units.first, units.units, generation);
    r->taken.take_range(units.first, units.units);
    give_to_system(lock, *r, units);
    return units.huge ? most * units.units / most_huge : units.units;
}

/// While more than `allowed` units wait: the oldest to the system, `most` in all.
void page_resource::give_oldest(held_lock& lock, std::size_t allowed, std::size_t most) noexcept {
    while (most != 0 && waiting_.all_units() > allowed) {
        const std::size_t n = std::min(most, waiting_.all_units() - allowed);
        const std::size_t g = waiting_.units[waiting_.old()] != 0 ? waiting_.old() : waiting_.young;
        most -= give_waiting(lock, g, n, n);
    }
    note_next_due();
}

void page_resource::give_due() noexcept {
    const std::uint64_t now = options_.now_ms();
    if (now < next_due_ms_.load(std::memory_order_relaxed))
        return;
    std::unique_lock lock{mutex_};
    for (std::size_t left = due_units_per_call;
         left != 0 && waiting_.are_due(now, options_.delay_ms);) {
        const std::size_t gone = give_waiting(lock, waiting_.old(), left, left * huge_units_alike);
        left -= std::clamp<std::size_t>(gone, 1, left);
    }
    note_next_due();
}

void page_resource::note_next_due() noexcept {
    next_due_ms_.store(waiting_.next_due_ms(options_.delay_ms), std::memory_order_relaxed);
}

void page_resource::purge(void* p, std::size_t bytes) noexcept {
    if (!owns(p)) [[unlikely]]
        contract_violation_f(
            std::source_location::current(),
            "page_resource: %zu bytes at %p were to be purged, but this address is "
            "not of this resource",
            bytes, p);
    const std::size_t page = platform::page_bytes();
    const std::size_t skipped = padding_for(p, page);
    if (bytes > skipped && bytes - skipped >= page)
        platform::purge(static_cast<std::byte*>(p) + skipped, align_down(bytes - skipped, page));
}

void page_resource::trim() noexcept {
    std::unique_lock lock{mutex_};
    give_oldest(lock, 0, waiting_.all_units());
    end_empty_ranges();
    for (range* r = first_; platform::reservations_grow && r != nullptr; r = r->next)
        give_up_addresses(*r);
    note_next_due();
}

} // namespace ARENITE_ABI
} // namespace arenite
