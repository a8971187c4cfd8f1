// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Handing out: a request finds its units under the lock (page_range.hpp), then the system makes
// them usable without it. Further parts: page_resource_addresses.cpp (ranges),
// page_resource_windows.cpp (huge pages), page_resource_return.cpp (memory that comes back),
// page_resource_report.cpp. page_source(), the one of the process, stands at the end.
#include "page_range.hpp"

#include <arenite/core/contract.hpp>
#include <arenite/core/detail/module_close.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/os/detail/held_signals.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string_view>

namespace arenite {
inline namespace ARENITE_ABI {

using detail::unit;
using detail::usable_step;
using detail::os::platform;

namespace {

constinit const page_options defaults{};

/// Requests of so many units look for a place that waits.
constexpr std::size_t least_units_from_waiting = 1_MiB / unit;

huge_pages huge_pages_from_environment() noexcept {
    const char* text = std::getenv("ARENITE_HUGE_PAGES");
    if (text == nullptr || *text == '\0')
        return defaults.huge;
    const std::string_view word{text};
    if (word == "never")
        return huge_pages::never;
    if (word == "always")
        return huge_pages::always;
    if (word != "automatic")
        std::fprintf(stderr,
                     "arenite: ARENITE_HUGE_PAGES=%.40s is none of automatic, never, always; "
                     "taken as automatic\n",
                     text);
    return huge_pages::automatic;
}

} // namespace

// ---- handing out --------------------------------------------------------------------------------

/// Makes the units below `end` usable. The mark below which they are rises by steps, in the lock or
/// outside: who raises it makes all usable from where it was, so that two at once do no harm. False
/// where the system refuses.
bool page_resource::raise_usable(range& r, std::size_t end) noexcept {
    const std::size_t from = r.usable_units.load(std::memory_order_acquire);
    if (end <= from)
        return true;
    // r.units is the lock's: a multiple of the step, or the capacity.
    const std::size_t to = std::min(align_up(end, usable_step / unit), r.taken.capacity());
    std::byte* const p = r.base + from * unit;
    if (!platform::commit(p, (to - from) * unit))
        return false;
    // No huge pages unasked, whatever the system does for others: small programs stay small.
    platform::advise_huge(p, (to - from) * unit, options_.huge == huge_pages::always);
    std::size_t seen = from;
    while (seen < to && !r.usable_units.compare_exchange_weak(seen, to, std::memory_order_release,
                                                              std::memory_order_relaxed)) {
    }
    return true;
}

/// Makes taken units usable; outside the lock.
///
/// Once the system refuses a step it counts what is usable (ulimit -d, strict overcommit), or has
/// no mapping left. From then on units are made usable one request at a time, and what comes back
/// loses the access at once.
bool page_resource::make_usable(range& r, std::size_t i, std::size_t n) noexcept {
    if (!scarce_.load(std::memory_order_relaxed)) {
        if (raise_usable(r, i + n)) [[likely]]
            return true;
        scarce_.store(true, std::memory_order_relaxed);
    }
    std::byte* const own = r.base + i * unit;
    if (!platform::commit(own, n * unit)) {
        std::unique_lock lock{mutex_};
        give_oldest(lock, 0, waiting_.all_units());
        lock.unlock();
        if (!platform::commit(own, n * unit))
            return false;
    }
    platform::advise_huge(own, n * unit, options_.huge == huge_pages::always);
    return true;
}

/// Takes the place for what is wanted, and opens windows for it; nullptr where there is none. For
/// much memory, first the shortest run of what waits: what lies lower and is not resident costs
/// more than a search. No windows are opened there; whole ones of a large request get huge.
page_resource::range* page_resource::take_place(const request& wanted,
                                                std::size_t& place) noexcept {
    if (wanted.units >= least_units_from_waiting && waiting_.all_units() >= wanted.units)
        for (range* r = first_; r != nullptr; r = r->next) {
            place = r->find_waiting(wanted.units, wanted.alignment);
            if (place != range::none)
                return r;
        }
    const bool shares = shares_windows(wanted);
    if (shares && !wanted.large) {
        range* const r = find_place(wanted, true, place);
        if (r != nullptr && open_windows(*r, place, wanted.units))
            return r;
    }
    range* r = find_place(wanted, false, place);
    if (r == nullptr) {
        r = add_range(wanted.units * unit, wanted.alignment * unit);
        if (r == nullptr)
            return nullptr;
        place = r->find(wanted.units, wanted.alignment);
    }
    if (shares && wanted.large && r->window != 0) { // its whole windows are its own: make_huge
        const std::size_t rest = wanted.units % r->window;
        const std::size_t end = align_up(place + wanted.units, r->window);
        if (rest != 0 && (end <= r->units || grow(*r, end)))
            static_cast<void>(open_windows(*r, place + wanted.units - rest, rest));
    }
    return r;
}

/// Units become taken.
page_resource::taken_units page_resource::take(range& r, std::size_t i,
                                               const request& wanted) noexcept {
    const std::size_t n = wanted.units;
    const bool untouched = i >= r.touched_units;
    r.take(i, n);
    if (untouched && has_own_windows(r, wanted)) // so that make_huge needs no lock
        r.set_huge(i, i + align_down(n, r.window));
    const std::size_t waited = r.stop_waiting(i, n, waiting_);
    prepared_units_ -= std::min(prepared_units_, waited);
    return {waited, waited == 0 && (untouched || !is_dirty_)};
}

page_resource::request page_resource::request_for(std::size_t page_bytes, std::size_t alignment,
                                                  page_use use) noexcept {
    const std::size_t huge_page = platform::huge_page_bytes();
    const bool large = huge_page != 0 && page_bytes >= huge_page;
    return {.units = align_up(page_bytes, unit) / unit,
            .alignment = std::max({alignment, unit, large ? huge_page : 0}) / unit,
            .page_bytes = page_bytes,
            .large = large,
            .use = use};
}

/// Finishes, outside the lock, what take_place and take began: the units are usable, and their
/// whole windows huge.
bool page_resource::finish(range& r, std::size_t i, const request& wanted,
                           std::size_t touched) noexcept {
    if (!make_usable(r, i, wanted.units))
        return false;
    if (has_own_windows(r, wanted))
        make_huge(r, i, i + align_down(wanted.units, r.window), touched);
    return true;
}

lent_memory page_resource::lend(std::size_t bytes, std::size_t alignment, page_use use) noexcept {
    ARENITE_ASSERT(is_alignment(alignment), "the alignment must be a power of two");
    const std::size_t page = platform::page_bytes();
    if (!is_alignment(alignment) || bytes > detail::max_object_bytes - std::max(unit, page))
        return {};
    const std::size_t page_bytes = align_up(std::max<std::size_t>(bytes, 1), page);
    const std::size_t page_count = page_bytes / page;
    if (page_count > std::numeric_limits<std::uint32_t>::max())
        return {};
    const request wanted = request_for(page_bytes, alignment, use);

    range* r = nullptr;
    std::size_t i = range::none;
    std::size_t touched = 0;
    bool is_zero = false;
    {
        std::unique_lock lock{mutex_};
        read_environment();
        r = take_place(wanted, i);
        if (r == nullptr && make_room(lock))
            r = take_place(wanted, i);
        if (r == nullptr)
            return {};
        touched = r->touched_units;
        const taken_units got = take(*r, i, wanted);
        const std::size_t fresh = wanted.units - got.waited;
        is_zero = got.is_zero;
        r->pages[i] = static_cast<std::uint32_t>(page_count);
        ++in_use_.count;
        in_use_.bytes += page_bytes;
        in_use_.high_water_bytes = std::max(in_use_.high_water_bytes, in_use_.bytes);
        in_use_.units += wanted.units;
        in_use_.most_units = std::max(in_use_.most_units, in_use_.units);
        waves_.note_use(in_use_.bytes);
        if (fresh != 0 && waiting_.all_units() != 0)
            give_excess(lock, fresh, options_.now_ms(), true);
    }
    // The units are ours by now: others need not wait for the system.
    if (finish(*r, i, wanted, touched)) [[likely]] {
        std::byte* const p = r->base + i * unit;
        if (options_.prefault)
            platform::prefault(p, page_bytes);
        give_back_due();
        return {p, is_zero};
    }
    const std::lock_guard lock{mutex_};
    r->pages[i] = 0;
    --in_use_.count;
    in_use_.bytes -= page_bytes;
    in_use_.units -= wanted.units;
    take_no_more(*r, i, wanted, touched, is_zero);
    return {};
}

/// Units that were taken in vain: some of them may have waited.
void page_resource::take_no_more(range& r, std::size_t i, const request& wanted,
                                 std::size_t touched, bool is_zero) noexcept {
    if (i >= touched && has_own_windows(r, wanted))
        r.clear_huge(i, i + align_down(wanted.units, r.window));
    if (is_zero)
        r.give(i, wanted.units);
    else
        let_wait(r, i, wanted.units, options_.now_ms());
}

bool page_resource::prepare(std::size_t bytes) noexcept {
    if (options_.delay_ms == 0 || scarce_.load(std::memory_order_relaxed) ||
        bytes > detail::max_object_bytes / 2)
        return false;
    if (bytes == 0)
        return true;
    const std::size_t huge_page = platform::huge_page_bytes();
    const bool in_windows = huge_page != 0 && huge_page <= usable_step;
    const request wanted =
        request_for(align_up(bytes, in_windows ? huge_page : unit), unit, page_use::dense);
    std::unique_lock lock{mutex_};
    read_environment();
    std::size_t i = range::none;
    range* const r = take_place(wanted, i);
    if (r == nullptr)
        return false;
    const std::size_t touched = r->touched_units;
    const bool is_zero = take(*r, i, wanted).is_zero;
    transit mine{*r, {i, wanted.units, false}, transits_};
    lock.unlock();
    const bool is_usable = finish(*r, i, wanted, touched);
    if (is_usable)
        platform::prefault(r->base + i * unit, wanted.units * unit);
    lock.lock();
    mine.end();
    if (!is_usable) {
        take_no_more(*r, i, wanted, touched, is_zero);
        return false;
    }
    prepared_units_ = std::max(prepared_units_, wanted.units);
    let_wait(*r, i, wanted.units, options_.now_ms());
    return true;
}

void page_resource::read_environment() noexcept {
    if (!ask_environment_) [[likely]]
        return;
    ask_environment_ = false;
    options_.huge = huge_pages_from_environment();
}

/// No other thread is changing the process's pages when it forks. What such a thread was
/// about to give to the system waits in the child. Asked for when the library is loaded, or earlier
/// by code that takes a lock of its own at a fork: what is asked for last is called first.
void page_resource::see_to_forks() noexcept {
    static constinit std::atomic<bool> seen_to{false};
    if (seen_to.exchange(true))
        return;
    using detail::held_signals;
    platform::at_fork(
        [] {
            const held_signals held;
            page_source().mutex_.lock_for_fork();
        },
        [] {
            const held_signals held;
            page_source().mutex_.unlock_after_fork();
        },
        [] {
            const held_signals held;
            page_resource& pages = page_source();
            for (transit* t = pages.transits_; t != nullptr;) {
                transit& here = *t;
                t = here.next();
                if (here.is_mine()) // a signal's handler forks, and may return there
                    continue;
                pages.let_wait(here.from(), here.units().first, here.units().units,
                               pages.waiting_.young_until_ms);
                here.end();
            }
            pages.mutex_.unlock_after_fork();
        });
}

namespace detail {
constinit process_pages the_process_pages;

#if ARENITE_HAS_MODULE_CLOSE
namespace {

/// All addresses of a module that is closed go back, with whatever it left there.
ARENITE_AT_MODULE_CLOSE void end_process_pages() noexcept {
    if (module_close::goes_on())
        the_process_pages.pages.~page_resource();
}

} // namespace
#endif

namespace {

[[maybe_unused]] const bool at_load = []() noexcept {
    process_pages::see_to_forks();
    return true;
}();

} // namespace
} // namespace detail

} // namespace ARENITE_ABI
} // namespace arenite
