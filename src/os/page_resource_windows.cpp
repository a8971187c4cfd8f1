// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The windows of a page_resource: how huge pages come, are shared, and go.
#include "page_range.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {

using detail::unit;
using detail::usable_step;
using detail::os::platform;

namespace {

/// Once a process holds so much, what will be filled lies in huge pages.
constexpr std::size_t shares_from_bytes = 1_MiB;

} // namespace

/// True if what is wanted may lie in huge pages, beside memory of others.
bool page_resource::shares_windows(const request& wanted) const noexcept {
    return wanted.use == page_use::dense && options_.huge == huge_pages::automatic &&
           in_use_.bytes + wanted.page_bytes >= shares_from_bytes &&
           platform::huge_page_bytes() <= usable_step && !scarce_.load(std::memory_order_relaxed);
}

/// True if what is wanted has its whole windows to itself: they become huge.
bool page_resource::has_own_windows(const range& r, const request& wanted) const noexcept {
    return wanted.large && r.window != 0 && options_.huge == huge_pages::automatic;
}

/// Makes the windows that units lie in huge, where nothing of them is in use and most is not
/// resident in small pages. In the lock, so that nobody gets a part meanwhile. False where the
/// system refuses.
bool page_resource::open_windows(range& r, std::size_t i, std::size_t n) noexcept {
    for (std::size_t w = align_down(i, r.window); w < i + n; w += r.window) {
        if (r.is_huge(w) || !r.is_unused(w) || r.count_waiting(w, r.window) > r.window / 2)
            continue;
        if (!raise_usable(r, w + r.window))
            return false;
        const bool waited = r.stop_waiting(w, r.window, waiting_) != 0;
        std::byte* const p = r.base + w * unit;
        // Small pages that are there, or were, would keep huge ones out.
        if (w < r.touched_units && !platform::renew(p, r.window * unit) && waited)
            is_dirty_ = true;
        platform::advise_huge(p, r.window * unit, true);
        r.set_huge(w, w + r.window);
    }
    return true;
}

/// Makes the windows [first, end), which a request has to itself, huge, but for those that are:
/// what waited in them is resident. Outside the lock, but for the bits; `touched`: of the range,
/// before they were taken. Windows above it have their bits since then.
void page_resource::make_huge(range& r, std::size_t first, std::size_t end,
                              std::size_t touched) noexcept {
    if (first >= touched) [[likely]]
        return platform::advise_huge(r.base + first * unit, (end - first) * unit, true);
    constexpr std::size_t at_once = 64;
    while (first < end) {
        const std::size_t count = std::min((end - first) / r.window, at_once);
        std::uint64_t wanted = 0;
        {
            const std::lock_guard lock{mutex_};
            for (std::size_t k = 0; k < count; ++k)
                wanted |= std::uint64_t{!r.is_huge(first + k * r.window)} << k;
            r.set_huge(first, first + count * r.window);
        }
        while (wanted != 0) { // run by run
            const auto from = static_cast<std::size_t>(std::countr_zero(wanted));
            const auto n = static_cast<std::size_t>(std::countr_one(wanted >> from));
            wanted &= n == at_once ? 0 : ~(((std::uint64_t{1} << n) - 1) << from);
            const std::size_t i = first + from * r.window;
            std::byte* const p = r.base + i * unit;
            if (i < touched)
                platform::renew(p, n * r.window * unit);
            platform::advise_huge(p, n * r.window * unit, true);
        }
        first += count * r.window;
    }
}

/// A window of which others are in use loses a part: it is in small pages from now on, and what is
/// left over of it waits, since it may be resident.
void page_resource::close_window(range& r, std::size_t w) noexcept {
    r.clear_huge(w, w + r.window);
    platform::advise_huge(r.base + w * unit, r.window * unit, false); // or the system fills it up
    for (std::size_t i = w; i < w + r.window; ++i)
        if (!r.taken.test(i) && r.count_waiting(i, 1) == 0) {
            r.wait(i, 1, waiting_.old());
            ++waiting_.units[waiting_.old()];
        }
    note_next_due();
}

/// The windows of memory in use that loses pages: else the system would fill it up again within a
/// minute.
void page_resource::close_windows(const std::byte* p, std::size_t bytes) noexcept {
    const std::lock_guard lock{mutex_};
    range* const r = find_range(p);
    if (r == nullptr || r->window == 0)
        return;
    const auto offset = static_cast<std::size_t>(p - r->base);
    const std::size_t end = std::min((offset + bytes - 1) / unit, r->units - 1);
    for (std::size_t w = align_down(offset / unit, r->window); w <= end; w += r->window)
        if (r->is_huge(w))
            close_window(*r, w);
}

/// Taken units that go to the system leave their huge windows. One of which nothing else is in use
/// goes as a whole: the result is longer then. The result tells whether there are such windows in
/// it, which lose their advice when they are gone. Under huge_pages::always no window is marked,
/// since all are huge: the system has filled them whole.
page_resource::run page_resource::leave_windows(range& r, const run& units) noexcept {
    if (r.window == 0)
        return {units.first, units.units, false};
    std::size_t begin = units.first;
    std::size_t end = units.end();
    for (const std::size_t w :
         {align_down(units.first, r.window), align_down(units.end() - 1, r.window)}) {
        const bool is_marked = r.is_huge(w);
        // A range need not end with a window: what lies behind it may be another's.
        const bool is_whole = w + r.window <= r.units;
        if (!is_marked && !(options_.huge == huge_pages::always && is_whole))
            continue;
        if (!r.is_unused(w, units)) {
            if (is_marked)
                close_window(r, w);
            continue;
        }
        begin = std::min(begin, w);
        end = std::max(end, w + r.window);
    }
    for (const run& more :
         {run{begin, units.first - begin, true}, run{units.end(), end - units.end(), true}}) {
        if (more.units == 0)
            continue;
        r.stop_waiting(more.first, more.units, waiting_);
        r.taken.take_range(more.first, more.units);
    }
    const std::size_t from = align_up(begin, r.window);
    const std::size_t to = std::max(from, align_down(end, r.window));
    const bool any = !detail::bits::none_set(r.huge, from / r.window, (to - from) / r.window);
    r.clear_huge(from, to);
    return {begin, end - begin, any};
}

} // namespace ARENITE_ABI
} // namespace arenite
