// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Objects of several slots: from the donor of a class (try_take), which is looked for when it has
// no more (find), and back.
#include <arenite/ordered/detail/slot_donors.hpp>

#include <arenite/ordered/detail/joined_slots.hpp>
#include <arenite/ordered/detail/own_frees.hpp>

#include <bit>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

namespace {

/// So much of what a heap holds may be unused before objects join slots.
constexpr std::size_t least_unused = std::size_t{4} << 20;

/// Slabs that one call looks through.
constexpr int most_donors = 16;

/// No run of so many slots was found: the slab is asked again when half of what lives in it now has
/// died.
void has_no_run_of(slab_class& its, slab& s, std::size_t slots) noexcept {
    const std::uint16_t shorter = slab_state::run_of(slots) - 1;
    if ((s.state & slab_state::refillable) != 0) // else that is reported first
        s.alarm_at(s.used(), s.used() / 2);
    its.slabs().set_state(s, static_cast<std::uint16_t>(s.state & (shorter | ~slab_state::sparse)));
}

} // namespace

void* slot_donors::try_take(const heap_parts& heap, unsigned slot_class, std::size_t bytes,
                            std::size_t alignment) noexcept {
    // The donor that served last serves on, from where it was left. One in which no run is left is
    // forgotten, and the next one looked for.
    donor& d = of_[slot_class];
    bool may = false;
    for (int n = 0; n < most_donors; ++n) {
        const bool serves = d.from != nullptr && d.from->slot_bytes % alignment == 0;
        if (!serves) {
            may = may || holds_much_more(heap);
            if (!may || !find(heap, slot_class, bytes, alignment)) [[likely]]
                return nullptr;
        }
        slab& s = *d.from;
        slab_class& its = heap.classes.of(s);
        const std::size_t slots = (bytes + s.slot_bytes - 1) / s.slot_bytes;
        const std::size_t first = bits::find_set_run(s.bitmap(), d.next, s.slots, slots);
        if (first == s.slots) {
            d.from = nullptr;
            has_no_run_of(its, s, slots);
            continue;
        }
        joined_slots joined{s};
        if (!heap.slabs.is_joined(s)) { // from now on no inlined free serves it
            joined.clear();
            heap.slabs.set_joined(s, true);
        }
        joined.join(first, slots);
        d.next = first + slots;
        its.take_slots(s, first, slots);
        heap.classes.add_joined(static_cast<std::int64_t>(slots) - 1);
        // Too little of it is free now for its own class to begin there.
        if (s.used() > s.refill_alarm() && (s.state & slab_state::refillable) != 0)
            its.set_alarm(s);
        return heap.slabs.begin_of(s) + first * s.slot_bytes;
    }
    return nullptr;
}

/// True if the heap holds much more than is in use, and that is not nearly all of it.
bool slot_donors::holds_much_more(const heap_parts& heap) noexcept {
    const block_source& blocks = heap.slabs.blocks();
    const std::size_t reserved = blocks.bytes_reserved();
    if (reserved < least_unused)
        return false;
    const std::size_t in_use = heap.classes.note_high_water(blocks);
    return reserved >= in_use + least_unused && in_use <= reserved / 16 * 15;
}

/// The sparse slab in which an object of this size leaves least unused, lowest address first.
bool slot_donors::find(const heap_parts& heap, unsigned slot_class, std::size_t bytes,
                       std::size_t alignment) noexcept {
    // At most half of the object's size is lost to rounding, and at most 16 slots are joined.
    unsigned best = size_class::none;
    std::size_t best_bytes = bytes + bytes / 2 + 1;
    for (unsigned i = slot_class; i-- > 0;) {
        const std::size_t slot_bytes = size_class::bytes_of[i];
        if (bytes > slot_bytes * joined_slots::most)
            break;
        if (!heap.classes[i].slabs().has(slab_state::sparse))
            continue;
        const std::size_t slots = (bytes + slot_bytes - 1) / slot_bytes;
        if (slot_bytes % alignment == 0 && slots * slot_bytes < best_bytes &&
            heap.classes[i].slabs().has(slab_state::run_of(slots))) {
            best = i;
            best_bytes = slots * slot_bytes;
        }
    }
    if (best == size_class::none)
        return false;
    slab_list& all = heap.classes[best].slabs();
    slab& s = *all.lowest(slab_state::run_of(best_bytes / size_class::slot_bytes(best)));
    all.set_state(s, static_cast<std::uint16_t>(s.state | slab_state::donating));
    of_[slot_class] = {.from = &s};
    return true;
}

void slot_donors::free_object(const heap_parts& heap, slab& s, std::size_t first,
                              std::size_t slots) noexcept {
    joined_slots joined{s};
    joined.part(first, slots);
    heap.classes.of(s).free_slots(s, first, slots);
    heap.classes.add_joined(1 - static_cast<std::int64_t>(slots));
    if (joined.none())
        heap.slabs.set_joined(s, false);
}

void slot_donors::free_word(const heap_parts& heap, slab& s, std::size_t word,
                            bits::word freed) noexcept {
    joined_slots joined{s};
    for (; freed != 0; freed &= freed - 1) {
        const std::size_t first =
            word * bits::word_bits + static_cast<std::size_t>(std::countr_zero(freed));
        const std::size_t slots = joined.slots_at(first);
        // The word has the first slots only; the bits of joined ones tell how many follow.
        if (slots != 1)
            joined.part(first, slots);
        heap.classes.of(s).free_slots(s, first, slots);
        heap.classes.add_joined(1 - static_cast<std::int64_t>(slots));
        heap.classes.count_drained(1, slots * s.slot_bytes);
    }
    if (joined.none())
        heap.slabs.set_joined(s, false);
}

void slot_donors::withdraw(slab_classes& classes, slab& s) noexcept {
    if ((s.state & slab_state::donating) == 0)
        return;
    for (donor& d : of_)
        if (d.from == &s)
            d = {};
    classes.of(s).slabs().set_state(s, static_cast<std::uint16_t>(s.state & ~slab_state::donating));
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
