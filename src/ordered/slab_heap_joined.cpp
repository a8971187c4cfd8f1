// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Objects of several slots in a slab_heap: see joined_slots.hpp.
#include <arenite/ordered/detail/slab_heap.hpp>

#include <algorithm>
#include <cstdint>

// A program that fills memory with one size, frees most of it in no order and goes on with another
// size finds slabs of which little is alive, and none of which is empty. Where the heap holds much
// more than is in use, an object of a larger class takes several neighbouring slots there, rather
// than a new slab.
//
//     next_lender   the sparse slab of the smaller class that fits best, lowest address first
//     join          the next run of free slots in it that is long enough
//
// A slab with such objects has the heap's mark for owner: every free of its objects then takes the
// way of rare ones, which knows of them. When the last such object is freed it is as before.

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

namespace {

/// So much of what a heap holds may be unused before objects join slots.
constexpr std::size_t least_unused = std::size_t{4} << 20;

/// Slabs that one call looks through.
constexpr int most_lenders = 16;

} // namespace

void* slab_heap::join(unsigned slot_class, std::size_t bytes, std::size_t alignment) noexcept {
    class_slabs& list = lists_[slot_class];
    for (int n = 0; n < most_lenders; ++n) {
        const bool serves = list.lender != nullptr && list.lender->slot_bytes % alignment == 0;
        if (!serves && !next_lender(slot_class, bytes, alignment)) [[likely]]
            return nullptr;
        slab& s = *list.lender;
        const std::size_t slots = (bytes + s.slot_bytes - 1) / s.slot_bytes;
        bits::word* const words = slabs_.words_of(s);
        const std::size_t first = bits::find_set_run(words, list.joined, s.slots, slots);
        if (first == s.slots) { // until half of what lives in it now has died
            list.lender = nullptr;
            const std::uint16_t shorter = slab_state::run_of(slots) - 1;
            if ((s.state & slab_state::refillable) != 0) // else that is reported first
                s.alarm_at(s.used(), s.used() / 2);
            lists_[s.slot_class()].all.set_state(
                s, static_cast<std::uint16_t>(s.state & (shorter | ~slab_state::sparse)));
            continue;
        }
        if (!is_joined(s))
            mark_joined(s);
        joined_slots{s}.join(first, slots);
        bits::clear_run(words, first, slots);
        list.joined = first + slots;
        s.add_used(static_cast<std::int32_t>(slots));
        counts_of(s).live += static_cast<std::int64_t>(slots);
        joined_ += static_cast<std::int64_t>(slots) - 1;
        if (s.used() > s.refill_alarm() && (s.state & slab_state::refillable) != 0)
            set_alarm(s);
        return slabs_.begin_of(s) + first * s.slot_bytes;
    }
    return nullptr;
}

/// The sparse slab in which an object of this size leaves least unused.
bool slab_heap::next_lender(unsigned slot_class, std::size_t bytes,
                            std::size_t alignment) noexcept {
    const std::size_t reserved = slabs_.blocks().bytes_reserved();
    const std::size_t in_use = bytes_in_use();
    if (reserved < in_use + least_unused || in_use > reserved / 16 * 15)
        return false;
    unsigned best = size_class::none;
    std::size_t best_bytes = bytes + bytes / 2 + 1;
    for (unsigned i = slot_class; i-- > 0;) {
        const std::size_t slot_bytes = size_class::slot_bytes(i);
        const std::size_t slots = (bytes + slot_bytes - 1) / slot_bytes;
        if (slots > joined_slots::most)
            break;
        if (slot_bytes % alignment == 0 && slots * slot_bytes < best_bytes &&
            lists_[i].all.has(slab_state::run_of(slots))) {
            best = i;
            best_bytes = slots * slot_bytes;
        }
    }
    if (best == size_class::none)
        return false;
    note_high_water();
    slab& s =
        *lists_[best].all.lowest(slab_state::run_of(best_bytes / size_class::slot_bytes(best)));
    lists_[best].all.set_state(s, static_cast<std::uint16_t>(s.state | slab_state::lending));
    lists_[slot_class].lender = &s;
    lists_[slot_class].joined = 0;
    return true;
}

/// From now on every free in the slab is a rare one.
void slab_heap::mark_joined(slab& s) noexcept {
    joined_slots{s}.clear();
    s.set_tag(s.tag_of_joined(this));
}

void slab_heap::set_free_joined(slab& s, std::size_t first, std::size_t count) noexcept {
    joined_slots joined{s};
    joined.part(first, count);
    bits::set_run(slabs_.words_of(s), first, count);
    s.add_used(-static_cast<std::int32_t>(count));
    counts_of(s).live -= static_cast<std::int64_t>(count);
    joined_ -= static_cast<std::int64_t>(count) - 1;
    if (joined.none())
        s.set_tag(s.tag_of(this));
    if (counts_of(s).live == 0 || s.is_due())
        alarmed(s);
}

/// release_word() for a slab in which objects have several slots; alarms are the caller's.
void slab_heap::release_joined_word(slab& s, std::size_t word, bits::word freed) noexcept {
    joined_slots joined{s};
    const std::size_t first = (word - s.first_word()) * bits::word_bits;
    std::int64_t slots = 0;
    std::int64_t objects = 0;
    for (; freed != 0; freed &= freed - 1) {
        const std::size_t index = first + static_cast<std::size_t>(std::countr_zero(freed));
        const std::size_t count = joined.slots_at(index);
        if (count != 1)
            joined.part(index, count);
        bits::set_run(slabs_.words_of(s), index, count);
        slots += static_cast<std::int64_t>(count);
        ++objects;
    }
    s.add_used(-static_cast<std::int32_t>(slots));
    counts_of(s).live -= slots;
    joined_ -= slots - objects;
    settled_ += objects;
    settled_bytes_ += slots * std::int64_t{s.slot_bytes};
    if (joined.none())
        s.set_tag(s.tag_of(this));
}

void slab_heap::stop_lending(slab& s) noexcept {
    for (class_slabs& list : lists_)
        if (list.lender == &s)
            list.lender = nullptr;
    lists_[s.slot_class()].all.set_state(
        s, static_cast<std::uint16_t>(s.state & ~slab_state::lending));
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
