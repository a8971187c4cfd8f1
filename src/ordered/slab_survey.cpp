// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Questions to slabs: about one object, then about all memory of a heap, block by block. Nothing
// here changes anything. Another thread may ask while the owner works: bits are then read one word
// at a time (glance), and a list is of no single moment. Read begins_object() first, then
// list_block(), which joins neighbouring regions of one state.
#include <arenite/ordered/detail/slab_survey.hpp>

#include <arenite/block/detail/region_joiner.hpp>
#include <arenite/check/detail/poison.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/detail/atomic_access.hpp>
#include <arenite/ordered/detail/size_class.hpp>
#include <arenite/ordered/detail/slab_block.hpp>
#include <arenite/ordered/detail/slab_page.hpp>

#include <algorithm>
#include <limits>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

// ---- one object ---------------------------------------------------------------------------------

bool slab_survey::begins_object(const slab_source& in, const slab& s, const void* p) noexcept {
    const std::size_t offset = address_of(p) - address_of(&in.block_of(s));
    const std::size_t index = s.index_of(offset);
    if (index >= s.slots || offset != s.begin + index * s.slot_bytes)
        return false;
    const bits::word free = glance(s.bitmap()[index / bits::word_bits]);
    return (free >> index % bits::word_bits & 1) == 0 &&
           !(in.is_joined(s) && joined_slots{s}.continues(index));
}

std::size_t slab_survey::room_at(const slab_source& in, const slab* s, const void* p) noexcept {
    if (s == nullptr || !in.holds(*s) || !begins_object(in, *s, p)) [[unlikely]]
        return 0;
    return slots_at(in, *s, in.index_of(*s, p)) * s->slot_bytes;
}

bool slab_survey::is_of_class(const slab& s, std::size_t bytes, std::size_t alignment) noexcept {
    if (bytes > s.slot_bytes || !is_alignment(alignment) || s.inverse == 0)
        return false;
    // The smallest slot that holds it: sizes up to 128 bytes lie closer together than `slack` says.
    const std::size_t spare = s.slot_bytes - std::max<std::size_t>(bytes, 1);
    const std::size_t step = s.slot_bytes > 128 || s.slot_bytes == size_class::smallest_bytes
                                 ? s.slack
                                 : size_class::least_alignment;
    return spare < step || size_class::of(bytes, alignment) == s.slot_class();
}

bool slab_survey::may_have(const slab& s, std::size_t slots, std::size_t bytes,
                           std::size_t alignment) noexcept {
    if (!is_alignment(alignment) || bytes > slots * s.slot_bytes)
        return false;
    if (slots != 1)
        return bytes > (slots - 1) * s.slot_bytes;
    return s.is_slot_for(std::max<std::size_t>(bytes, 1)) || is_of_class(s, bytes, alignment);
}

bool slab_survey::fits_in_place(const slab_source& in, const void* p, std::size_t bytes,
                                std::size_t alignment) noexcept {
    const slab* const s = slow_only ? &in.slab_of(p) : in.find_slab(p);
    if (s == nullptr || bytes == 0 || !in.holds(*s) || !begins_object(in, *s, p))
        return false;
    const std::size_t slots = slots_at(in, *s, in.index_of(*s, p));
    return may_have(*s, slots, bytes, alignment) &&
           (slots != 1 || s->slot_class() == size_class::single ||
            is_of_class(*s, bytes, alignment));
}

slab_survey::slot_place slab_survey::nearest_free(const slab_source& in, block& b,
                                                  unsigned slot_class, const void* p) noexcept {
    const auto* const here = static_cast<const std::byte*>(p);
    slot_place best;
    std::size_t best_distance = std::numeric_limits<std::size_t>::max();
    in.for_each_slab(b, [&](slab& s) {
        if (s.slot_class() != slot_class)
            return;
        const bits::word* const words = s.bitmap();
        std::byte* const begin = in.begin_of(s);
        const std::size_t at =
            here < begin ? 0
                         : std::min<std::size_t>(
                               static_cast<std::size_t>(here - begin) / s.slot_bytes, s.slots);
        const auto look_at = [&](std::size_t index) {
            if (index == s.slots)
                return;
            const std::byte* const slot = begin + index * s.slot_bytes;
            const auto distance = static_cast<std::size_t>(slot < here ? here - slot : slot - here);
            if (distance < best_distance) {
                best = {.in = &s, .index = index};
                best_distance = distance;
            }
        };
        look_at(bits::next_set(words, at, s.slots));
        const std::size_t below = bits::last_set(words, 0, at);
        look_at(below == at ? s.slots : below);
    });
    return best;
}

// ---- all memory ---------------------------------------------------------------------------------

namespace {

/// A slab has no more units than a block, and a word of bits has room for a unit's slots.
constexpr std::size_t most_slab_words = slab_block::most_units;

/// A block that is cut into slabs, or empty.
template <class F>
void list_block(const slab_source& slabs, block& b, region_joiner& to, F add_object) {
    auto* const begin = reinterpret_cast<std::byte*>(&b);
    if ((b.state & block_state::open) == 0) {
        to.add(begin, begin + sizeof(block), region_state::overhead);
        return to.add(begin + sizeof(block), begin + b.bytes(), region_state::free);
    }
    const auto add_slab = [&](const slab& s) {
        const std::byte* const slots = slabs.begin_of(s);
        const std::size_t slot_bytes = glance(s.slot_bytes);
        bits::word words[most_slab_words]; // its thread may be changing them
        std::transform(s.bitmap(), s.bitmap() + s.words(), words,
                       [](const bits::word& w) { return glance(w); });
        for (std::size_t i = 0; i < s.slots;) {
            const std::byte* const slot = slots + i * slot_bytes;
            const std::size_t here =
                bits::none_set(words, i, 1) ? slab_survey::slots_at(slabs, s, i) : 0;
            if (here != 0)
                add_object(slot, here * slot_bytes);
            else
                to.add(slot, slot + slot_bytes, region_state::free);
            i += std::max<std::size_t>(here, 1);
        }
        to.add(slots + s.slots * slot_bytes, slots + s.bytes(), region_state::overhead);
    };
    if (slab_source::has_pages(b)) {
        const std::byte* at = begin;
        const auto add_free_until = [&](const std::byte* end) {
            if (at == begin && at != end) { // the block's head
                to.add(at, at + sizeof(block), region_state::overhead);
                at += sizeof(block);
            }
            if (at != end)
                to.add(at, end, region_state::free);
        };
        slabs.for_each_slab(b, [&](const slab& s) {
            const std::byte* const slots = slabs.begin_of(s);
            const std::byte* const page = begin + align_down(s.begin, slab_page::bytes);
            add_free_until(page);
            to.add(page, slots, region_state::overhead);
            add_slab(s);
            at = page + slab_page::bytes;
        });
        return add_free_until(begin + b.bytes());
    }
    slab_block& head = *slabs.geometry().slabs_in(&b);
    const std::size_t units = b.bytes() / unit_bytes;
    for (std::size_t unit = 0; unit < units;) {
        const slab& s = head.slab_at(unit * unit_bytes);
        if (s.is_none()) {
            const bool free = bits::none_set(head.taken_units, unit, 1);
            to.add(begin + unit * unit_bytes, begin + (unit + 1) * unit_bytes,
                   free ? region_state::free : region_state::overhead);
            ++unit;
            continue;
        }
        add_slab(s);
        unit += s.units;
    }
}

} // namespace

void slab_survey::list_regions(const slab_source& in, region_sink& sink, bool one_by_one) {
    list_blocks(in.blocks(), sink, [&](region_joiner& to, block& b) {
        list_block(in, b, to, [&](const std::byte* p, std::size_t bytes) {
            if (one_by_one)
                to.add_object(p, p + bytes);
            else
                to.add(p, p + bytes, region_state::used);
        });
    });
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
