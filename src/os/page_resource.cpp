// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "page_range.hpp"

#include <arenite/core/contract.hpp>
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

namespace bits = detail::bits;
using detail::bitmap_tree, detail::max_object_bytes, detail::os::platform;

namespace {

constexpr std::size_t unit = page_resource::unit_bytes;

/// A range is not made smaller than this because the system refused a larger one.
constexpr std::size_t smallest_range_bytes = 16_MiB;
/// Alignments up to this one cost a large range no addresses.
constexpr std::size_t large_range_alignment = 1_GiB;
constexpr std::size_t small_range_alignment = 4_MiB;
/// Units are made usable by so many bytes at once, upwards.
constexpr std::size_t usable_step = 4_MiB;
/// So much of what is due goes back at a call, where it is in small pages; huge ones are quicker.
/// About a millisecond, of a process that has not asked for this memory for a second.
constexpr std::size_t due_units_per_call = 2_MiB / unit;
constexpr std::size_t huge_units_alike = 64;

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

page_resource::~page_resource() {
    for (range* r = first_; r != nullptr;) {
        range* next = r->next;
        end_range(r);
        r = next;
    }
}

page_resource::range* page_resource::make_range(std::size_t bytes, std::size_t alignment) noexcept {
    const std::size_t units = bytes / unit;
    const std::size_t tree_words = bitmap_tree::words_for(units);
    const std::size_t map_words = align_up(units, bits::word_bits) / bits::word_bits;
    const std::size_t own_bytes =
        align_up(sizeof(range) + (tree_words + 3 * map_words) * sizeof(bits::word) +
                     units * sizeof(std::uint32_t),
                 platform::page_bytes());
    void* const base = platform::reserve(bytes, alignment);
    if (base == nullptr)
        return nullptr;
    void* const own = platform::reserve(own_bytes, platform::page_bytes());
    if (own == nullptr || !platform::commit(own, own_bytes)) {
        if (own != nullptr)
            platform::release(own, own_bytes);
        platform::release(base, bytes);
        return nullptr;
    }
    platform::advise_huge(own, own_bytes, false); // it grows page by page
    auto* const tree = reinterpret_cast<bits::word*>(static_cast<std::byte*>(own) + sizeof(range));
    bits::word* const maps = tree + tree_words;
    auto* const r = ::new (own)
        range{.base = static_cast<std::byte*>(base),
              .bytes = bytes,
              .own_bytes = own_bytes,
              .units = units,
              .waiting = {maps, maps + map_words},
              .huge = maps + 2 * map_words,
              .pages = reinterpret_cast<std::uint32_t*>(maps + 3 * map_words),
              .taken = bitmap_tree{units, {tree, tree_words}, bitmap_tree::contents::zero}};
    return r;
}

void page_resource::end_range(range* r) noexcept {
    platform::release(r->base, r->bytes);
    platform::release(r, r->own_bytes);
}

page_resource::range* page_resource::add_range(std::size_t bytes, std::size_t alignment) noexcept {
    // Further ranges double what there is, so that their number stays small.
    std::size_t wanted =
        std::max(bytes, align_up(std::min(options_.reserve_bytes, max_object_bytes), unit));
    std::size_t before = 0;
    for (range* r = first_; r != nullptr; r = r->next)
        before += r->bytes;
    wanted = std::max(wanted, before);

    const std::size_t smallest = std::min(wanted, std::max(bytes, smallest_range_bytes));
    range* r = nullptr;
    bool refused = false;
    for (std::size_t size = wanted; r == nullptr && size >= smallest;
         size = align_up(size / 2, unit)) {
        const std::size_t preferred =
            size / 4 >= large_range_alignment ? large_range_alignment : small_range_alignment;
        r = make_range(size, std::max(alignment, preferred));
        if (r == nullptr) {
            refused = true;
            end_empty_ranges();
        } else if (refused && size / 2 >= smallest) {
            // Addresses are scarce: leave at least as many to others as are taken here.
            end_range(r);
            size = align_up(size / 2, unit);
            r = make_range(size, std::max(alignment, small_range_alignment));
        }
    }
    if (r == nullptr)
        r = make_range(bytes, std::max(alignment, unit));
    if (r == nullptr)
        return nullptr;

    if (first_ == nullptr) {
        first_ = r;
        first_address_.store(address_of(r->base), std::memory_order_relaxed);
        first_bytes_.store(r->bytes, std::memory_order_release);
    } else {
        range* last = first_;
        while (last->next != nullptr)
            last = last->next;
        last->next = r;
        further_ranges_.fetch_add(1, std::memory_order_release);
    }
    return r;
}

page_resource::range* page_resource::find_range(const void* p) const noexcept {
    range* r = first_;
    while (r != nullptr && !r->contains(p))
        r = r->next;
    return r;
}

bool page_resource::owns_further(const void* p) const noexcept {
    const std::lock_guard lock{mutex_};
    return find_range(p) != nullptr;
}

void page_resource::end_empty_ranges() noexcept {
    if (first_ == nullptr)
        return;
    for (range* before = first_; before->next != nullptr;) {
        range* r = before->next;
        if (r->in_use() != 0) {
            before = r;
            continue;
        }
        before->next = r->next;
        for (std::size_t g = 0; g < 2; ++g)
            waiting_.units[g] -= r->waiting_units[g];
        end_range(r);
        further_ranges_.fetch_sub(1, std::memory_order_release);
    }
}

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
    // r.units is the lock's; where addresses were given up it is a multiple of the step.
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
    if (!is_alignment(alignment) || bytes > max_object_bytes - std::max(unit, page))
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
    std::size_t i = bitmap_tree::npos;
    bool to_advise = false;
    bool was_used = false;
    {
        const std::lock_guard lock{mutex_};
        if (ask_environment_) {
            ask_environment_ = false;
            options_.huge = huge_pages_from_environment();
            prepare_for_fork();
        }
        for (r = first_; r != nullptr; r = r->next) {
            i = r->find(units, alignment / unit);
            if (i != bitmap_tree::npos)
                break;
        }
        if (r == nullptr) {
            r = add_range(whole_bytes, alignment);
            if (r == nullptr)
                return nullptr;
            i = r->find(units, alignment / unit);
        }
        r->take(i, units, page_count);
        r->stop_waiting(i, units, waiting_);
        // A small request among what waits in huge pages leaves them: they are resident.
        to_advise =
            large && options_.huge == huge_pages::automatic && !bits::all_set(r->huge, i, units);
        if (to_advise)
            bits::set_run(r->huge, i, units);
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
        bits::clear_run(r->huge, i, units);
    r->pages[i] = 0;
    r->give(i, units);
    --live_;
    in_use_bytes_ -= page_bytes;
    return nullptr;
}

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
        align_up(std::clamp<std::size_t>(bytes, 1, max_object_bytes - page), page);
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
                    return give_to_system(lock, *r, {i, units, !bits::none_set(r->huge, i, units)});
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

/// Taken units on their way to the system; known to the page_resource for the sake of a child that
/// is forked meanwhile.
struct page_resource::transit {
    range& from;
    run units;
    transit* next;
    transit** link;
};

/// Gives the memory of units that nobody else can get, since they are taken, and then the units.
/// The lock is not held meanwhile.
void page_resource::give_to_system(held_lock& lock, range& r, const run& units) noexcept {
    transit mine{.from = r, .units = units, .next = transits_, .link = &transits_};
    if (transits_ != nullptr)
        transits_->link = &mine.next;
    transits_ = &mine;
    if (units.huge)
        bits::clear_run(r.huge, units.first, units.units);
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

/// What waits fills up what was in use at most, but may be a quarter of that in any case.
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

/// No other thread is amid a change of the process's pages when it forks. What such a thread was
/// about to give to the system waits in the child.
void page_resource::prepare_for_fork() noexcept {
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
    for (range* r = first_; r != nullptr; r = r->next)
        if (r->bytes < options_.reserve_bytes) // the system had no more
            give_up_addresses(*r);
    note_next_due();
}

/// Ends the reservation of what lies above the highest unit in use, by the step that makes units
/// usable: so no request on its way reaches beyond.
void page_resource::give_up_addresses(range& r) noexcept {
    const std::size_t step = usable_step / unit;
    const std::size_t highest = bits::last_set(r.taken.words().data(), 0, r.units);
    const std::size_t kept = highest == r.units ? step : align_up(highest + 1, step);
    if (kept >= r.units || (r.units - kept) * unit < smallest_range_bytes)
        return;
    // What was freed while trim() gave other memory back waits there.
    r.stop_waiting(kept, r.units - kept, waiting_);
    platform::release(r.base + kept * unit, (r.units - kept) * unit);
    r.taken.take_range(kept, r.units - kept);
    r.units = kept;
    r.bytes = kept * unit;
    r.touched_units = std::min(r.touched_units, kept);
    r.usable_units.store(std::min(r.usable_units.load(std::memory_order_relaxed), kept),
                         std::memory_order_relaxed);
    if (&r == first_)
        first_bytes_.store(r.bytes, std::memory_order_release);
}

namespace detail {
constinit process_pages the_process_pages;
} // namespace detail

} // namespace ARENITE_ABI
} // namespace arenite
