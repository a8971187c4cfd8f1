// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The addresses of a page_resource: its ranges, how they grow and end.
#include "page_range.hpp"

#include <arenite/core/detail/size.hpp>

#include <algorithm>
#include <new>

namespace arenite {
inline namespace ARENITE_ABI {

using detail::unit;
using detail::usable_step;
using detail::os::platform;

namespace {

/// A range begins with so many, unless more are requested, and doubles.
constexpr std::size_t first_addresses_bytes = 64_MiB;
/// A range is not made smaller than this because the system refused a larger one.
constexpr std::size_t smallest_range_bytes = 16_MiB;
/// Alignments up to this one cost a large range no addresses.
constexpr std::size_t large_range_alignment = 1_GiB;
constexpr std::size_t small_range_alignment = 4_MiB;

} // namespace

page_resource::~page_resource() {
    for (range* r = first_; r != nullptr;) {
        range* next = r->next;
        platform::release(r->base, r->bytes());
        platform::release(r, r->own_bytes);
        r = next;
    }
}

/// Reserves `bytes` of addresses, of which `kept` are kept and the others are where it may grow.
page_resource::range* page_resource::make_range(std::size_t bytes, std::size_t kept,
                                                std::size_t alignment) noexcept {
    const std::size_t units = bytes / unit;
    const std::size_t tree_words = detail::bitmap_tree::words_for(units);
    const std::size_t map_words =
        align_up(units, detail::bits::word_bits) / detail::bits::word_bits;
    const std::size_t own_bytes =
        align_up(sizeof(range) + (tree_words + 3 * map_words) * sizeof(detail::bits::word) +
                     units * sizeof(std::uint32_t),
                 platform::page_bytes());
    auto* const base = static_cast<std::byte*>(platform::reserve(bytes, alignment));
    if (base == nullptr)
        return nullptr;
    // Others get the rest only where they have no others: the system begins on top.
    if (kept < bytes && !platform::release(base + kept, bytes - kept))
        kept = bytes; // it does not take them back
    void* const own = platform::reserve(own_bytes, platform::page_bytes());
    if (own == nullptr || !platform::commit(own, own_bytes)) {
        if (own != nullptr)
            platform::release(own, own_bytes);
        platform::release(base, kept);
        return nullptr;
    }
    platform::advise_huge(own, own_bytes, false); // it grows page by page
    auto* const tree =
        reinterpret_cast<detail::bits::word*>(static_cast<std::byte*>(own) + sizeof(range));
    detail::bits::word* const maps = tree + tree_words;
    auto* const r =
        ::new (own) range{.base = base,
                          .own_bytes = own_bytes,
                          .units = kept / unit,
                          .waiting = {maps, maps + map_words},
                          .huge = maps + 2 * map_words,
                          .pages = reinterpret_cast<std::uint32_t*>(maps + 3 * map_words),
                          .taken = detail::bitmap_tree{
                              units, {tree, tree_words}, detail::bitmap_tree::contents::zero}};
    const std::size_t huge_page = platform::huge_page_bytes();
    if (huge_page > unit && is_aligned(base, huge_page))
        r->window = huge_page / unit;
    return r;
}

page_resource::range* page_resource::add_range(std::size_t bytes, std::size_t alignment) noexcept {
    // Further ranges have room for what there is, so that their number stays small.
    std::size_t wanted =
        std::max(bytes, align_up(std::min(options_.reserve_bytes, detail::max_object_bytes), unit));
    std::size_t before = 0;
    for (range* r = first_; r != nullptr; r = r->next)
        before += r->bytes();
    wanted = std::max(wanted, before);

    const std::size_t smallest = std::min(wanted, std::max(bytes, smallest_range_bytes));
    range* r = nullptr;
    bool refused = false;
    for (std::size_t size = wanted; r == nullptr && size >= smallest;
         size = align_up(size / 2, unit)) {
        const std::size_t preferred =
            size / 4 >= large_range_alignment ? large_range_alignment : small_range_alignment;
        std::size_t kept = size;
        if (platform::reservations_grow)
            kept = std::min(size, align_up(std::max(bytes, first_addresses_bytes), usable_step));
        if (refused) // addresses are scarce: at least as many are left to others as are taken here
            kept = std::min(kept, align_up(std::max(size / 2, smallest), usable_step));
        r = make_range(size, std::min(kept, size), std::max(alignment, preferred));
        if (r == nullptr) {
            refused = true;
            end_empty_ranges();
        }
    }
    if (r == nullptr)
        r = make_range(bytes, bytes, std::max(alignment, unit));
    if (r == nullptr)
        return nullptr;

    if (first_ == nullptr) {
        first_ = r;
        first_address_.store(address_of(r->base), std::memory_order_relaxed);
        first_bytes_.store(r->bytes(), std::memory_order_release);
    } else {
        range* last = first_;
        while (last->next != nullptr)
            last = last->next;
        last->next = r;
        further_ranges_.fetch_add(1, std::memory_order_release);
    }
    return r;
}

/// Reserves addresses up to unit `end`: twice what the range has, as long as nobody has them. Where
/// they are scarce at least as many are left to others as are taken.
bool page_resource::grow(range& r, std::size_t end) noexcept {
    const std::size_t capacity = r.taken.capacity();
    if (end > capacity || r.cannot_grow)
        return false;
    std::byte* const behind = r.base + r.bytes();
    const std::size_t step = usable_step / unit;
    const std::size_t least = std::min(align_up(end, step), capacity) - r.units;
    const std::size_t most = capacity - r.units;
    std::size_t more = std::clamp(r.units, least, most);
    bool refused = false;
    while (!platform::extend(behind, more * unit)) {
        refused = true;
        if (more == least) {
            r.cannot_grow = true;
            return false;
        }
        more = std::clamp(align_up(more / 2, step), least, most);
    }
    const std::size_t kept = std::clamp(align_up(more / 2, step), least, more);
    if (refused && kept < more && platform::release(behind + kept * unit, (more - kept) * unit))
        more = kept;
    r.units += more;
    if (&r == first_)
        first_bytes_.store(r.bytes(), std::memory_order_release);
    return true;
}

/// The range that has a place for what is wanted, the lowest there; nullptr where there is none.
/// `shared`: in windows that are huge or may become so.
page_resource::range* page_resource::find_place(const request& wanted, bool shared,
                                                std::size_t& place) noexcept {
    for (range* r = first_; r != nullptr; r = r->next) {
        place = shared ? r->find_shared(wanted.units, wanted.alignment)
                       : r->find(wanted.units, wanted.alignment);
        if (place == range::none)
            continue;
        const std::size_t end = place + wanted.units;
        const std::size_t needed = shared ? align_up(end, r->window) : end;
        if (needed <= r->units || grow(*r, needed))
            return r;
    }
    return nullptr;
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

/// Before a request fails for want of addresses: those of what waits go back, here and at
/// page_source(). False where they are too few to be worth it.
bool page_resource::make_room(held_lock& lock) noexcept {
    std::size_t spare = 0;
    for (const range* r = first_; r != nullptr; r = r->next)
        spare += (r->units - r->in_use()) * unit;
    const bool is_other = this != &page_source();
    if (spare < smallest_range_bytes && !is_other)
        return false;
    lock.unlock();
    trim();
    if (is_other)
        page_source().trim();
    lock.lock();
    return true;
}

void* detail::reserve_addresses(std::size_t bytes, std::size_t alignment) noexcept {
    if (void* const p = platform::reserve(bytes, alignment))
        return p;
    page_source().trim();
    return platform::reserve(bytes, alignment);
}

void page_resource::end_empty_ranges() noexcept {
    if (first_ == nullptr)
        return;
    for (range* before = first_; before->next != nullptr;) {
        range* r = before->next;
        range* const next = r->next;
        if (r->in_use() == 0) {
            r->stop_waiting(0, r->units, waiting_);       // none of it is wanted
            if (platform::release(r->base, r->bytes())) { // else it stays, with its addresses
                platform::release(r, r->own_bytes);
                before->next = next;
                further_ranges_.fetch_sub(1, std::memory_order_release);
                continue;
            }
        }
        before = r;
    }
}

/// Ends the reservation of what lies above the highest unit in use, by the step that makes units
/// usable: so no request on its way reaches beyond.
void page_resource::give_up_addresses(range& r) noexcept {
    const std::size_t step = usable_step / unit;
    const std::size_t highest = detail::bits::last_set(r.taken.words().data(), 0, r.units);
    const std::size_t kept = highest == r.units ? step : align_up(highest + 1, step);
    r.cannot_grow = false;
    if (kept >= r.units || (r.units - kept) * unit < smallest_range_bytes)
        return;
    // Memory that was freed while trim() gave other memory back waits there: it is not wanted.
    r.stop_waiting(kept, r.units - kept, waiting_);
    if (!platform::release(r.base + kept * unit, (r.units - kept) * unit))
        return;
    if (r.window != 0)
        r.clear_huge(align_up(kept, r.window), align_up(r.units, r.window));
    r.units = kept;
    r.touched_units = std::min(r.touched_units, kept);
    r.usable_units.store(std::min(r.usable_units.load(std::memory_order_relaxed), kept),
                         std::memory_order_relaxed);
    if (&r == first_)
        first_bytes_.store(r.bytes(), std::memory_order_release);
}

} // namespace ARENITE_ABI
} // namespace arenite
