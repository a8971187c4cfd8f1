// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The units that slabs give up: kept for the next slab of about their length, or taken back into
// the runs of their block.
#include <arenite/ordered/detail/slab_source.hpp>

#include <arenite/check/detail/poison.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Only what differs is written: else the page stays the parent's, too.
void kept_runs::recount(slab_source& of) noexcept {
    clear();
    const auto set_alarm = [](slab& s, std::int32_t used) {
        if (s.frees_left != used || s.alarm != 0)
            s.alarm_at(used, 0);
    };
    const block_list& all = of.blocks().blocks();
    for (block* b = all.first(); b != nullptr; b = all.above(*b)) {
        if ((b->state & block_state::open) == 0 || slab_source::has_pages(*b))
            continue;
        std::uint32_t in_use = 0;
        of.for_each_slab(*b, [&](slab& s) {
            const bool single = s.slot_class() == size_class::single;
            if (single && *s.bitmap() != 0) {
                set_alarm(s, 0);
                return keep(s);
            }
            ++in_use;
            if (!single)
                return;
            set_alarm(s, 1);
            add_unused(unused_of(s));
        });
        if (slab_block& head = *of.geometry().slabs_in(b); head.slab_count != in_use)
            head.slab_count = in_use;
        of.may_be_idle_ |= in_use == 0;
    }
}

/// Slots of a class in all units of the slab, or a single one in so many of them.
void slab_source::fill_units(slab& s, unsigned slot_class, std::size_t slot_units) noexcept {
    const bool single = slot_class == size_class::single;
    const std::size_t slot_bytes =
        single ? slot_units * unit_bytes - slab::note_bytes : size_class::slot_bytes(slot_class);
    const bool was_single = s.slots == 1 && s.inverse == size_class::inverse[size_class::single];
    if (single && was_single && !checks_enabled) { // all else is as it was
        s.slot_bytes = static_cast<std::uint16_t>(slot_bytes);
        return;
    }
    s.place(s.begin, size_class::inverse[slot_class]);
    s.frees_left = s.alarm = 0;
    s.state = slab_state::full;
    fill(s, slot_class, slot_bytes,
         single ? 1 : s.units * unit_bytes / (slot_bytes + slab::note_bytes));
}

/// A slab of units that are kept; nullptr where there are none of about that length.
slab* slab_source::take_kept(unsigned slot_class, std::size_t wanted, std::size_t least,
                             std::size_t aligned) noexcept {
    const bool single = slot_class == size_class::single;
    const std::size_t most =
        single ? wanted + kept_.may_leave_unused(wanted, open_blocks_) : wanted;
    slab* const s = single ? kept_.shortest(wanted, std::min(most, kept_runs::longest))
                           : kept_.longest_of(least, std::min(most, kept_runs::longest));
    if (s == nullptr || s->begin % (aligned * unit_bytes) != 0)
        return nullptr;
    const std::size_t slot_units = single ? wanted : s->units;
    kept_.take_single(*s, slot_units, *geometry_.slabs_in(&block_of(*s)));
    fill_units(*s, slot_class, slot_units);
    return s;
}

block* slab_source::release(slab& s) noexcept {
    block& b = block_of(s);
    const auto out_of_reach = [&] { poison::no_access(begin_of(s), s.bytes()); };
    if (s.is_page()) {
        out_of_reach();
        s.set_tag(0); // whoever frees into it once more is found
        const std::uint32_t taken = b.note & all_pages & ~(1u << s.begin / slab_page::bytes);
        if (taken != 0)
            set_pages(b, taken);
        return taken == 0 ? &b : nullptr;
    }
    const bool single = s.slot_class() == size_class::single;
    if (single)
        kept_.remove_unused(kept_runs::unused_of(s));
    slab_block& head = *geometry_.slabs_in(&b);
    // Smaller slots are cut from pages, once there are many.
    const bool may_keep =
        kept_runs::may_keep(s) && (single || s.slot_bytes > slab_page::largest_slot_bytes);
    const bool is_last = --head.slab_count == 0;
    if (is_last && !(may_keep && kept_runs::is_small(open_blocks_) && blocks_.keeps_all())) {
        out_of_reach();
        s.set_tag(0);
        kept_.forget_all(head, s);
        return &b;
    }
    may_be_idle_ |= is_last;
    if (!may_keep) {
        out_of_reach();
        take_back(s);
        return nullptr;
    }
    if (!single) // whoever looks for slots of its class finds none in it
        fill_units(s, size_class::single, s.units);
    out_of_reach();
    kept_.keep(s);
    for (int n = 0; n < 2 && kept_.has_more_than_its_share(open_blocks_); ++n)
        if (slab* const other = kept_.next())
            give_up(*other);
    return nullptr;
}

/// Keeps it no more. A block in which no slab is in use goes with it.
void slab_source::give_up(slab& s) noexcept {
    kept_.forget(s);
    block& b = block_of(s);
    slab_block& head = *geometry_.slabs_in(&b);
    if (head.slab_count != 0)
        return take_back(s);
    s.set_tag(0);
    kept_.forget_all(head, s);
    close(b, 0);
}

/// Its units, and what is free beside them, are one run.
void slab_source::take_back(slab& s) noexcept {
    block& b = block_of(s);
    slab_block& head = *geometry_.slabs_in(&b);
    s.set_tag(0); // whoever frees into it once more is found
    const std::size_t first = s.begin / unit_bytes;
    bits::clear_run(head.taken_units, first, s.units);
    head.set_slab(first, s.units, 0);
    head.free_slabs |= std::uint32_t{1} << (&s - head.slabs);
    set_runs(b, head);
}

void slab_source::release_kept() noexcept {
    while (slab* const s = kept_.next())
        give_up(*s);
    may_be_idle_ = false;
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
