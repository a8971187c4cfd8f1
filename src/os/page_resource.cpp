// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "page_range.hpp"

#include <arenite/core/contract.hpp>
#include <arenite/core/detail/module_close.hpp>
#include <arenite/core/detail/size.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <string_view>

namespace arenite {
inline namespace ARENITE_ABI {

using detail::unit;
using detail::usable_step;
using detail::os::platform;

#if ARENITE_IS_MALLOC
using detail::pages_taken;
using detail::taken_by_thread;
constinit thread_local pages_taken detail::taken_by_thread = pages_taken::nothing;
#endif

namespace {

constinit const page_options defaults{};

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

/// Units below the mark can be read and written, taken or not. It rises by steps and outside the
/// lock: who raises it makes all usable from where it was, so that two at once do no harm.
///
/// Once the system refuses a step it counts what is usable (ulimit -d, strict overcommit), or has
/// no mapping left. From then on units are made usable one request at a time, and what comes back
/// loses the access at once.
bool page_resource::make_usable(range& r, std::size_t i, std::size_t n) noexcept {
    const std::size_t from = r.usable_units.load(std::memory_order_acquire);
    const bool scarce = scarce_.load(std::memory_order_relaxed);
    if (i + n <= from && !scarce)
        return true;
    // r.units is the lock's: a multiple of the step, or the capacity.
    const std::size_t to = std::min(align_up(i + n, usable_step / unit), r.taken.capacity());
    std::byte* const p = r.base + from * unit;
    const std::size_t bytes = (to - from) * unit;
    if (scarce || !platform::commit(p, bytes)) {
        scarce_.store(true, std::memory_order_relaxed);
        std::byte* const own = r.base + i * unit;
        if (!platform::commit(own, n * unit)) {
            std::unique_lock lock{mutex_};
            give_oldest(lock, 0, waiting_.all_units());
            lock.unlock();
            if (!platform::commit(own, n * unit))
                return false;
        }
        if (options_.huge != huge_pages::automatic)
            platform::advise_huge(own, n * unit, options_.huge == huge_pages::always);
        return true;
    }
    if (options_.huge != huge_pages::automatic)
        platform::advise_huge(p, bytes, options_.huge == huge_pages::always);
    std::size_t seen = from;
    while (seen < to && !r.usable_units.compare_exchange_weak(seen, to, std::memory_order_release,
                                                              std::memory_order_relaxed)) {
    }
    return true;
}

void* page_resource::try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
    ARENITE_ASSERT(is_alignment(alignment), "the alignment must be a power of two");
    const std::size_t page = platform::page_bytes();
    if (!is_alignment(alignment) || bytes > detail::max_object_bytes - std::max(unit, page))
        return nullptr;
    const std::size_t page_bytes = align_up(std::max<std::size_t>(bytes, 1), page);
    const std::size_t whole_bytes = align_up(page_bytes, unit);
    const std::size_t page_count = page_bytes / page;
    if (page_count > std::numeric_limits<std::uint32_t>::max())
        return nullptr;
    const std::size_t huge_page = platform::huge_page_bytes();
    const bool large = huge_page != 0 && page_bytes >= huge_page;
    alignment = std::max({alignment, unit, large ? huge_page : 0});

    const std::size_t units = whole_bytes / unit;
    range* r = nullptr;
    std::size_t i = range::none;
    bool to_advise = false;
    bool was_used = false;
    {
        const std::lock_guard lock{mutex_};
        if (ask_environment_) {
            ask_environment_ = false;
            options_.huge = huge_pages_from_environment();
        }
        r = find_place(units, alignment, i);
        if (r == nullptr) {
            r = add_range(whole_bytes, alignment);
            if (r == nullptr)
                return nullptr;
            i = r->find(units, alignment / unit);
        }
        r->take(i, units, page_count);
#if ARENITE_IS_MALLOC
        const std::size_t waited = waiting_.all_units();
#endif
        r->stop_waiting(i, units, waiting_);
#if ARENITE_IS_MALLOC
        if (waiting_.all_units() != waited)
            taken_by_thread = pages_taken::some_used;
        else if (taken_by_thread == pages_taken::nothing)
            taken_by_thread = pages_taken::all_zero;
#endif
        // A small request among what waits in huge pages leaves them: they are resident.
        to_advise = large && options_.huge == huge_pages::automatic &&
                    !detail::bits::all_set(r->huge, i, units);
        if (to_advise)
            detail::bits::set_run(r->huge, i, units);
        was_used = i < r->usable_units.load(std::memory_order_relaxed);
        ++live_;
        in_use_bytes_ += page_bytes;
        high_water_bytes_ = std::max(high_water_bytes_, in_use_bytes_);
    }
    // The units are ours by now: others need not wait for the system.
    std::byte* const p = r->base + i * unit;
    if (make_usable(*r, i, units)) [[likely]] {
        if (to_advise) {
            // Small pages that are there, or were, would keep huge ones out.
            if (was_used)
                platform::renew(p, whole_bytes);
            platform::advise_huge(p, whole_bytes, true);
        }
        if (options_.prefault)
            platform::prefault(p, page_bytes);
        purge_due();
        return p;
    }
    const std::lock_guard lock{mutex_};
    if (to_advise) // nobody did
        detail::bits::clear_run(r->huge, i, units);
    r->pages[i] = 0;
    r->give(i, units);
    --live_;
    in_use_bytes_ -= page_bytes;
    return nullptr;
}

/// No other thread is amid a change of the process's pages when it forks. What such a thread was
/// about to give to the system waits in the child. Asked for when the library is loaded, or earlier
/// by who takes a lock of its own at a fork: what is asked for last is called first.
void page_resource::see_to_forks() noexcept {
    static constinit std::atomic<bool> seen_to{false};
    if (seen_to.exchange(true))
        return;
    platform::at_fork([] { page_source().mutex_.lock_for_fork(); },
                      [] { page_source().mutex_.unlock_after_fork(); },
                      [] {
                          page_resource& pages = page_source();
                          for (transit* t = pages.transits_; t != nullptr; t = t->next)
                              pages.let_wait(t->from, t->units.first, t->units.units,
                                             pages.waiting_.young_until_ms);
                          pages.transits_ = nullptr;
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
