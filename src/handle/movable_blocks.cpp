// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Blocks of objects that may move. The bits of a block say which granules are taken; its state says
// whether it has room, or is worth emptying. In this order: states of blocks, room for an object,
// emptying a block, pins, giving back, the reports.
#include <arenite/handle/detail/movable_blocks.hpp>

#include <arenite/check/detail/poison.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/detail/bits.hpp>
#include <arenite/handle/detail/granule_map.hpp>
#include <arenite/handle/detail/handle_table.hpp>
#include <arenite/os/detail/platform.hpp>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

namespace {

constexpr std::uint16_t holes_any = 32;
constexpr std::uint16_t nearly_full = 64;
constexpr std::uint16_t holes_small = 128;
constexpr std::uint16_t filled_0 = 256; // and so on, to the highest bit
constexpr std::size_t fill_states = 8;

/// Up to 128 bytes: requests for which holes are kept that larger ones have given up.
constexpr std::size_t small_granules = 16;
constexpr std::size_t notes_granules = 1;

constexpr std::uint16_t filled(std::size_t eighths) noexcept {
    return static_cast<std::uint16_t>(filled_0 << std::min(eighths, fill_states - 1));
}

std::size_t live_of(const block& b) noexcept { return static_cast<std::size_t>(b.live); }

} // namespace

movable_blocks::movable_blocks(return_policy policy, upstream up, void* owner) noexcept
    : spans_{up}, source_{{.policy = policy, .mask_bytes = block_bytes}, &spans_, owner} {}

// ---- blocks -------------------------------------------------------------------------------------

movable_blocks::notes& movable_blocks::notes_of(const block& b) const noexcept {
    const std::size_t head = granule_map::head_granules(b, block_bytes);
    return *reinterpret_cast<notes*>(const_cast<block&>(b).at(head));
}

/// Granule of the lowest object that there can be.
std::size_t movable_blocks::first_granule(const block& b) const noexcept {
    return granule_map::head_granules(b, block_bytes) + notes_granules;
}

std::size_t movable_blocks::usable(const block& b) const noexcept {
    return b.granules - first_granule(b);
}

/// The use of a block's free granules, if it was not swept since.
std::uint16_t movable_blocks::holes_of(const block& b) const noexcept {
    const std::size_t all = usable(b);
    const std::size_t free = all - live_of(b);
    return free >= all / 8 ? holes_any : free >= all / 64 ? nearly_full : std::uint16_t{0};
}

void movable_blocks::open(block& b, std::uint32_t stamp) noexcept {
    const std::size_t head = granule_map::head_granules(b, block_bytes);
    if ((b.state & block_state::empty) != 0) {
        poison::undefined(b.at(head), sizeof(notes));
        ::new (static_cast<void*>(b.at(head))) notes{};
        // Notes are no object: their bit is never cleared, and first_granule() lies behind them.
        bits::set_run(b.occupancy(), head, notes_granules);
        b.note = stamp;
    } else {
        forget_holes(b);
    }
    source_.open(b);
    b.alarm = 0;
}

void movable_blocks::forget_holes(block& b) noexcept {
    notes& n = notes_of(b);
    free_in_waiting_ -= n.counted;
    n.counted = 0;
}

/// Leaves an open block, or sets the state of a waiting one anew.
void movable_blocks::wait(block& b, std::uint16_t holes) noexcept {
    const std::size_t all = usable(b);
    notes& n = notes_of(b);
    forget_holes(b);
    std::uint16_t state = holes;
    if (holes != 0) {
        n.counted = static_cast<std::uint32_t>(all - live_of(b)) & 0x7fff'ffff;
        free_in_waiting_ += n.counted;
    }
    const std::size_t eighths = live_of(b) * fill_states / all;
    // A block that cannot be emptied now has no filled state, so that victim() does not come to it
    // again and again.
    if (n.pinned == 0 && n.could_not_empty == 0)
        state |= filled(eighths);
    source_.blocks().set_state(b, state);
    std::size_t next = all * std::min(eighths, fill_states - 1) / fill_states; // live below it
    if (holes != holes_any)
        next = std::max(next, live_of(b) - std::min(live_of(b), all / 64) + 1);
    // The highest of the counts at which a state would change: frees compare with this one number.
    b.alarm = next == 0 ? 0 : static_cast<std::int32_t>(next - 1);
}

void movable_blocks::close_empty(block& b) noexcept {
    forget_holes(b);
    if (&b == victim_)
        victim_ = nullptr;
    source_.close_empty(b, live_ * granule_bytes);
}

/// Enough was freed for another state.
void movable_blocks::on_alarm(block& b) noexcept {
    const bool is_open = (b.state & block_state::open) != 0;
    if (is_open && &b != victim_)
        return; // its cursor closes it
    if (b.live == 0)
        close_empty(b);
    else if (!is_open) {
        notes_of(b).could_not_empty = 0;
        wait(b, holes_of(b));
    }
}

// ---- room ---------------------------------------------------------------------------------------

/// The first granule at or after `from` at which room for so many is free; 0 where there is none.
std::size_t movable_blocks::fit(const block& b, std::size_t from, std::size_t granules,
                                std::size_t alignment) noexcept {
    const std::size_t end = b.granules;
    for (;;) {
        const std::size_t first = bits::find_clear_run(b.occupancy(), from, end, granules);
        if (first == end)
            return 0;
        const std::uintptr_t object = address_of(&b) + (first + 1) * granule_bytes;
        // The object behind its word is aligned, not the word.
        const std::size_t at = first + ((0 - object) & (alignment - 1)) / granule_bytes;
        if (at == first)
            return at;
        if (at + granules > end)
            return 0;
        if (bits::none_set(b.occupancy(), at, granules))
            return at;
        from = at + 1; // or what lies further in that hole
    }
}

std::byte* movable_blocks::take_here(cursor& c, std::size_t granules,
                                     std::size_t alignment) noexcept {
    if (c.at == nullptr)
        return nullptr;
    block& b = *c.at;
    const std::size_t at = fit(b, c.granule, granules, alignment);
    if (at == 0)
        return nullptr;
    bits::set_run(b.occupancy(), at, granules);
    b.live += static_cast<std::int32_t>(granules);
    live_ += granules;
    // A cursor only goes upward, so objects that are made one after another lie in that order.
    c.granule = at + granules;
    poison::undefined(b.at(at), granules * granule_bytes);
    return b.at(at);
}

std::byte* movable_blocks::take(cursor& c, std::size_t granules, std::size_t alignment) noexcept {
    do {
        if (std::byte* const p = take_here(c, granules, alignment); p != nullptr)
            return p;
    } while (move_on(c, granules, alignment));
    return nullptr;
}

/// Leaves the cursor's block, in which no room was found, for the next that may have some.
bool movable_blocks::move_on(cursor& c, std::size_t granules, std::size_t alignment) noexcept {
    const bool small = granules <= small_granules;
    if (block* const left = c.at; left != nullptr) {
        c.at = nullptr;
        const std::size_t all = usable(*left);
        if (left->live == 0)
            close_empty(*left);
        else
            wait(*left,
                 !small && all - live_of(*left) >= all / 64 ? holes_small : std::uint16_t{0});
    }
    block_list& blocks = source_.blocks();
    block* next = nullptr;
    // Each supply tries holes from the least useful on: those that larger requests have given up
    // first.
    if (c.from != supply::fresh && small)
        next = blocks.lowest(holes_small);
    if (c.from == supply::holes && next == nullptr)
        next = blocks.lowest(nearly_full);
    if (c.from != supply::fresh && next == nullptr)
        next = blocks.lowest(holes_any);
    if (c.from != supply::holes && next == nullptr) {
        next = take_empty_block();
        if (next != nullptr && fit(*next, first_granule(*next), granules, alignment) == 0) {
            // Shorter than others, which the first block of all is: it waits for smaller requests.
            block& shorter = *next;
            open(shorter, c.stamp);
            wait(shorter, holes_any);
            next = take_empty_block();
            if (next != nullptr && fit(*next, first_granule(*next), granules, alignment) == 0)
                next = nullptr;
        }
    }
    if (next == nullptr)
        return false;
    c.at = next;
    c.granule = first_granule(*next);
    open(*next, c.stamp);
    return true;
}

/// An empty block or a new one. The first of all is short, so that a small heap is.
block* movable_blocks::take_empty_block() noexcept {
    const bool was_here = source_.blocks().has(block_state::empty); // and has its bits
    block* const b = source_.take_empty_block();
    if (b == nullptr)
        return nullptr;
    if (!was_here)
        granule_map::make(*b, block_bytes);
    note_block(b);
    source_.set_block_bytes(block_bytes); // each a span of its own, which can go back alone
    return b;
}

void movable_blocks::give(std::byte* p, std::size_t granules) noexcept {
    block& b = block_of(p);
    bits::clear_run(b.occupancy(), b.index_of(p), granules);
    b.live -= static_cast<std::int32_t>(granules);
    live_ -= granules;
    if constexpr (checks_enabled)
        std::memset(p, 0xDD, granules * granule_bytes); // no longer anybody's
    poison::no_access(p, granules * granule_bytes);
    if (b.live <= b.alarm)
        on_alarm(b);
}

void movable_blocks::close(cursor& c) noexcept {
    if (c.at == nullptr)
        return;
    block& b = *c.at;
    c.at = nullptr;
    if (b.live == 0)
        close_empty(b);
    else
        wait(b, holes_of(b));
}

// ---- emptying -----------------------------------------------------------------------------------

block* movable_blocks::victim(const cursor& filling) noexcept {
    // The emptiest first, and of these the highest: so the upper end of memory empties.
    for (std::size_t eighths = 0; victim_ == nullptr && eighths < fill_states;) {
        block* const b = source_.blocks().highest(filled(eighths));
        if (b == nullptr) {
            ++eighths;
            continue;
        }
        if (b->live == 0) {
            close_empty(*b);
            continue;
        }
        std::size_t room = free_in_waiting_ - notes_of(*b).counted;
        if (filling.at != nullptr)
            room += usable(*filling.at) - live_of(*filling.at);
        // Begun only if all of it may fit elsewhere: else objects would be moved and nothing
        // returned.
        if (room < live_of(*b))
            return nullptr;
        open(*b, b->note);
        victim_ = b;
        victim_granule_ = first_granule(*b);
    }
    return victim_;
}

std::byte* movable_blocks::next_in_victim() noexcept {
    if (victim_ == nullptr)
        return nullptr;
    victim_granule_ = bits::next_set(victim_->occupancy(), victim_granule_, victim_->granules);
    return victim_granule_ == victim_->granules ? nullptr : victim_->at(victim_granule_);
}

const std::byte* movable_blocks::guess_ahead(const std::byte* p,
                                             std::size_t granules) const noexcept {
    block& b = block_of(p);
    const std::size_t at = b.index_of(p) + granules;
    return at < b.granules && bits::all_set(b.occupancy(), at, 1) ? b.at(at) : nullptr;
}

void movable_blocks::give_victim_up() noexcept {
    block* const b = std::exchange(victim_, nullptr);
    if (b->live == 0)
        return close_empty(*b);
    notes_of(*b).could_not_empty = 1;
    wait(*b, holes_of(*b));
}

// ---- pins ---------------------------------------------------------------------------------------

void movable_blocks::pin(std::byte* p) noexcept {
    block& b = block_of(p);
    if (notes_of(b).pinned++ != 0)
        return;
    if (&b == victim_)
        give_victim_up();
    else if ((b.state & block_state::open) == 0)
        wait(b, static_cast<std::uint16_t>(b.state & (filled_0 - 1)));
}

void movable_blocks::unpin(std::byte* p) noexcept {
    block& b = block_of(p);
    if (--notes_of(b).pinned == 0 && (b.state & block_state::open) == 0)
        wait(b, static_cast<std::uint16_t>(b.state & (filled_0 - 1)));
}

// ---- giving back --------------------------------------------------------------------------------

void movable_blocks::trim() noexcept {
    source_.trim();
    if (!source_.purges())
        return;
    const block_list& blocks = source_.blocks();
    for (block* b = blocks.first(); b != nullptr; b = blocks.above(*b))
        purge_holes(*b);
}

void movable_blocks::purge_holes(block& b) noexcept {
    const std::size_t page = os::platform::page_bytes();
    for (std::size_t from = 0;;) {
        const granule_map::hole found = granule_map::find_hole(b, from, page / granule_bytes);
        if (found.empty())
            return;
        source_.purge(b.at(found.first), found.granules() * granule_bytes);
        from = found.last;
    }
}

// ---- what there is ------------------------------------------------------------------------------

std::byte* movable_blocks::next_object(const std::byte* from) const noexcept {
    const block_list& blocks = source_.blocks();
    block* b = from == nullptr ? blocks.first() : blocks.at_or_below(from);
    if (b == nullptr)
        b = blocks.first();
    for (; b != nullptr; b = blocks.above(*b)) {
        if (b->live == 0)
            continue;
        std::size_t first = first_granule(*b);
        if (from > b->at(first))
            first = b->index_of(from);
        const std::size_t found = bits::next_set(b->occupancy(), first, b->granules);
        if (found < b->granules)
            return b->at(found);
    }
    return nullptr;
}

void movable_blocks::prefetch([[maybe_unused]] const void* p) const noexcept {
#if defined(__GNUC__) || defined(__clang__)
    const std::uintptr_t begin = align_down(address_of(p), block_bytes);
    const std::size_t word = (address_of(p) - begin) / granule_bytes / bits::word_bits;
    __builtin_prefetch(reinterpret_cast<const block*>(begin)->occupancy() + word, 1);
#endif
}

void movable_blocks::list_regions(region_sink& sink) const {
    const block_list& blocks = source_.blocks();
    for (block* b = blocks.first(); b != nullptr; b = blocks.above(*b)) {
        std::size_t at = first_granule(*b);
        sink.add({b, at * granule_bytes, region_state::overhead});
        while (at < b->granules) {
            const bool taken = bits::all_set(b->occupancy(), at, 1);
            const std::size_t end = taken ? bits::next_clear(b->occupancy(), at, b->granules)
                                          : bits::next_set(b->occupancy(), at, b->granules);
            sink.add({b->at(at), (end - at) * granule_bytes,
                      taken ? region_state::used : region_state::free});
            at = end;
        }
    }
    if (const auto fresh = source_.fresh(); !fresh.empty())
        sink.add({fresh.data(), fresh.size(), region_state::untouched});
    spans_.list_regions(sink);
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
