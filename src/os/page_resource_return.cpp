// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Memory that comes back to a page_resource: how it waits, and how it goes to the system.
#include "page_range.hpp"

#include <arenite/core/contract.hpp>
#include <arenite/core/detail/size.hpp>

#include <algorithm>

namespace arenite {
inline namespace ARENITE_ABI {

using detail::unit;
using detail::os::platform;

namespace {

/// So much of what is due goes back at a call, where it is in small pages; huge ones are quicker.
/// About a millisecond, of a process that has not asked for this memory for a second.
constexpr std::size_t due_units_per_call = 2_MiB / unit;
constexpr std::size_t huge_units_alike = 64;

/// So much may wait of a program that has not come back for what it gave back.
constexpr std::size_t most_unexpected_bytes = 32_MiB;
/// So much may wait of any program: less would be cleared again and again.
constexpr std::size_t always_waiting_bytes = 4_MiB;
/// So much, or an eighth of the peak, may wait while a request gets memory that did not.
constexpr std::size_t beside_fresh_bytes = 16_MiB;
/// Memory that a program comes back for waits so many times as long.
constexpr std::uint64_t times_longer = 4;

} // namespace

// ---- taking back --------------------------------------------------------------------------------

void page_resource::deallocate(void* p, std::size_t bytes, std::size_t) noexcept {
    take_back(p, bytes, options_.delay_ms == 0 || scarce_.load(std::memory_order_relaxed));
    give_back_due();
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
                --in_use_.count;
                in_use_.bytes -= page_bytes;
                in_use_.units -= units;
                if (at_once)
                    return static_cast<void>(give_to_system(lock, *r, {i, units, false}));
                let_wait(*r, i, units, now);
                // With what is in use the limit falls, too: as many as these would never reach it.
                return give_excess(lock, 2 * units, now, false);
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
/// The lock is not held meanwhile. Returns what went: more where it was in huge pages.
page_resource::run page_resource::give_to_system(held_lock& lock, range& r,
                                                 const run& given) noexcept {
    const run units = leave_windows(r, given);
    transit mine{r, units, transits_};
    lock.unlock();
    std::byte* const p = r.base + units.first * unit;
    const bool is_zero = scarce_.load(std::memory_order_relaxed)
                             ? platform::decommit(p, units.units * unit)
                             : platform::purge(p, units.units * unit);
    if (units.huge) { // a neighbour's huge page shall not come back here
        const std::size_t from = align_up(units.first, r.window);
        platform::advise_huge(r.base + from * unit,
                              (align_down(units.end(), r.window) - from) * unit, false);
    }
    lock.lock();
    mine.end();
    is_dirty_ |= !is_zero;
    r.give(units.first, units.units);
    return units;
}

std::uint64_t page_resource::delay_now_ms() const noexcept {
    return options_.delay_ms * (waves_.is_expected() ? times_longer : 1);
}

/// With what is in use no more waits than the peak and a third of it, since pieces do not fit where
/// they come back in another order; or than 4 MiB. Less of a program that may never make another
/// call, and no more than twice what it came back for. Less also where a request gets memory that
/// did not wait: what is resident may rise by that to a new peak, while as much waits that does
/// not fit.
std::size_t page_resource::most_waiting_units(bool beside_fresh) const noexcept {
    const std::size_t peak = in_use_.most_units * unit; // of what waits whole units count, too
    const std::size_t third = peak / 3;
    const std::size_t room = peak + third - in_use_.units * unit;
    std::size_t most = std::max(
        third, std::min(options_.most_waiting_bytes, std::max(room, always_waiting_bytes)));
    most = std::min(most,
                    std::max({most_unexpected_bytes, in_use_.bytes / 4, waves_.expected_bytes()}));
    if (beside_fresh)
        most = std::min(most, std::max(beside_fresh_bytes, peak / 8));
    return align_up(most, unit) / unit + prepared_units_;
}

/// Gives what may not wait to the system, the oldest first, `most` in all.
void page_resource::give_excess(held_lock& lock, std::size_t most, std::uint64_t now,
                                bool beside_fresh) noexcept {
    if (waiting_.all_units() <= most_waiting_units(beside_fresh))
        return;
    waves_.judge(now, delay_now_ms());
    const std::size_t allowed = most_waiting_units(beside_fresh);
    if (waiting_.all_units() <= allowed)
        return note_next_due();
    const std::size_t gone = give_oldest(lock, allowed, most);
    waves_.note_given(gone * unit, in_use_.bytes, in_use_.high_water_bytes, now);
}

/// Frees units with their memory.
void page_resource::let_wait(range& r, std::size_t i, std::size_t n, std::uint64_t now) noexcept {
    r.give(i, n);
    r.wait(i, n, waiting_.young);
    waiting_.add(n, now);
    note_next_due();
}

/// The next waiting units of a generation that go to the system, taken: the highest, at most so
/// many; of the range `from`.
page_resource::run page_resource::take_waiting(range*& from, std::size_t generation,
                                               std::size_t most, std::size_t most_huge) noexcept {
    from = first_;
    while (from->waiting_units[generation] == 0)
        from = from->next;
    const run units = from->highest_waiting(generation, most, most_huge);
    waiting_.units[generation] -= from->stop_waiting(units.first, units.units, generation);
    from->taken.take_range(units.first, units.units);
    return units;
}

/// While more than `allowed` units wait: the oldest to the system, `most` in all, and what goes
/// with them: the rest of their huge pages. Returns how many went.
std::size_t page_resource::give_oldest(held_lock& lock, std::size_t allowed,
                                       std::size_t most) noexcept {
    std::size_t gone = 0;
    while (most != 0 && waiting_.all_units() > allowed) {
        const std::size_t n = std::min(most, waiting_.all_units() - allowed);
        const std::size_t g = waiting_.units[waiting_.old()] != 0 ? waiting_.old() : waiting_.young;
        range* r = nullptr;
        const run units = take_waiting(r, g, n, n);
        most -= units.units;
        gone += give_to_system(lock, *r, units).units;
    }
    note_next_due();
    return gone;
}

void page_resource::give_due() noexcept {
    const std::uint64_t now = options_.now_ms();
    if (now < next_due_ms_.load(std::memory_order_relaxed))
        return;
    std::unique_lock lock{mutex_};
    for (std::size_t left = due_units_per_call;
         left != 0 && waiting_.are_due(now, delay_now_ms());) {
        waves_.judge(now, delay_now_ms());
        if (!waiting_.are_due(now, delay_now_ms()))
            break; // it is expected to be wanted again
        prepared_units_ = 0;
        range* r = nullptr;
        const run units = take_waiting(r, waiting_.old(), left, left * huge_units_alike);
        const run gone = give_to_system(lock, *r, units);
        waves_.note_given(gone.units * unit, in_use_.bytes, in_use_.high_water_bytes, now);
        const std::size_t alike = gone.huge ? gone.units / huge_units_alike : gone.units;
        left -= std::clamp<std::size_t>(alike, 1, left);
    }
    note_next_due();
}

void page_resource::note_next_due() noexcept {
    next_due_ms_.store(waiting_.next_due_ms(delay_now_ms()), std::memory_order_relaxed);
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
    if (bytes <= skipped || bytes - skipped < page)
        return;
    std::byte* const begin = static_cast<std::byte*>(p) + skipped;
    const std::size_t length = align_down(bytes - skipped, page);
    close_windows(begin, length);
    platform::purge(begin, length);
}

void page_resource::trim() noexcept {
    std::unique_lock lock{mutex_};
    prepared_units_ = 0;
    for (range* r = first_; r != nullptr; r = r->next)
        r->for_each_left_over([&](std::size_t w) { close_window(*r, w); });
    for (int n = 0; n < 2; ++n) // what is left over of windows waits when parts of them have gone
        give_oldest(lock, 0, waiting_.all_units());
    end_empty_ranges();
    for (range* r = first_; platform::reservations_grow && r != nullptr; r = r->next)
        give_up_addresses(*r);
    note_next_due();
}

} // namespace ARENITE_ABI
} // namespace arenite
