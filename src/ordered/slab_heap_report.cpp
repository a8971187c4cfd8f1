// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Misuse, sizes, resizing, figures and reports of a slab_heap.
#include <arenite/ordered/detail/slab_heap.hpp>

#include <arenite/block/detail/region_joiner.hpp>
#include <arenite/check/call_sites.hpp>
#include <arenite/check/detail/resource_text.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/detail/glance.hpp>
#include <arenite/core/detail/size.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <span>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

// ---- misuse -------------------------------------------------------------------------------------

/// Whom a message is about: "affinity nodes", or an ordered_heap.
struct heap_text {
    resource_text own;

    explicit heap_text(const heap_owner& owner) noexcept
        : own{{.kind = "ordered_heap", .resource = owner.heap, .name = owner.name}} {
        if (owner.affinity != nullptr)
            std::snprintf(own.text, sizeof own.text, "%s", owner.affinity);
    }
};

void slab_heap::refuse_free(const void* p, std::size_t bytes, const char* why) const noexcept {
    if (p == nullptr)
        contract_violation("null was freed: deallocate takes what allocate returned");
    char size[40] = "";
    if (bytes != unknown_bytes)
        std::snprintf(size, sizeof size, ", %zu bytes,", bytes);
    call_sites::write_of_violation(p);
    if (owner_.affinity != nullptr)
        contract_violation_f(std::source_location::current(),
                             "%p was freed%s into %s: freed twice, or never handed out (%s)", p,
                             size, heap_text{owner_}.own.text, why);
    contract_violation_f(std::source_location::current(), "%p was freed%s into %s: %s", p, size,
                         heap_text{owner_}.own.text, why);
}

void slab_heap::refuse_size(const void* p, std::size_t bytes, std::size_t room,
                            std::size_t asked) const noexcept {
    call_sites::write_of_violation(p);
    if (asked == bytes)
        contract_violation_f(std::source_location::current(),
                             "%p, %zu bytes, was freed into %s with another alignment than it was "
                             "allocated with",
                             p, bytes, heap_text{owner_}.own.text);
    char rounded[80] = "";
    if (asked == unknown_bytes)
        std::snprintf(rounded, sizeof rounded, ", or as fewer that are rounded to it%s",
                      bytes <= room ? ", or with another alignment" : "");
    else if (asked != room)
        std::snprintf(rounded, sizeof rounded, ", rounded to %zu", room);
    contract_violation_f(
        std::source_location::current(), "%p was freed into %s as %zu bytes but allocated as %zu%s",
        p, heap_text{owner_}.own.text, bytes, asked == unknown_bytes ? room : asked, rounded);
}

void slab_heap::give_up_locks() noexcept {
    const bool in_call = std::exchange(in_slow_call_, false);
    if (in_call && owner_.gate != nullptr)
        owner_.gate->unlock();
}

void slab_heap::refuse_own_free(const void* p, std::size_t bytes, const char* why) noexcept {
    give_up_locks();
    refuse_free(p, bytes, why);
}

void slab_heap::refuse_own_size(const void* p, std::size_t bytes, std::size_t room,
                                std::size_t asked) noexcept {
    give_up_locks();
    refuse_size(p, bytes, room, asked);
}

// ---- in place -----------------------------------------------------------------------------------

bool slab_heap::may_have(const slab& s, std::size_t slots, std::size_t bytes,
                         std::size_t alignment) noexcept {
    if (!is_alignment(alignment) || bytes > slots * s.slot_bytes)
        return false;
    if (slots != 1)
        return bytes > (slots - 1) * s.slot_bytes;
    return s.slot_bytes - std::max<std::size_t>(bytes, 1) < s.slack ||
           is_of_class(s, bytes, alignment);
}

/// By the size alone too: code that resizes may not know with what alignment it was allocated.
bool slab_heap::is_of_class(const slab& s, std::size_t bytes, std::size_t alignment) noexcept {
    return s.slot_class() != size_class::single &&
           (size_class::of(bytes, alignment) == s.slot_class() ||
            size_class::of(bytes, 1) == s.slot_class());
}

bool slab_heap::begins_object(const slab& s, const void* p) const noexcept {
    const std::size_t offset = slabs_.geometry().offset_of(p);
    const std::size_t index = s.index_of(offset);
    if (index >= s.slots || offset != s.begin + index * s.slot_bytes)
        return false;
    const bits::word free = glance(s.bitmap()[index / bits::word_bits]);
    return (free >> index % bits::word_bits & 1) == 0 &&
           !(is_joined(s) && joined_slots{s}.continues(index));
}

bool slab_heap::fits_in_place(const void* p, std::size_t bytes,
                              std::size_t alignment) const noexcept {
    if (bytes == 0)
        return false;
    const slab* const s = slow_only ? &slabs_.slab_of(p) : find_slab(p);
    if (s == nullptr || !holds(*s) || !begins_object(*s, p))
        return false;
    const std::size_t slots = slots_at(*s, slabs_.index_of(*s, p));
    return may_have(*s, slots, bytes, alignment) &&
           (slots != 1 || s->slot_class() == size_class::single ||
            is_of_class(*s, bytes, alignment));
}

bool slab_heap::try_resize(void* p, std::size_t old_bytes, std::size_t new_bytes,
                           std::size_t alignment) noexcept {
    if (new_bytes == 0 || new_bytes > max_object_bytes || !is_alignment(alignment))
        return false;
    if (!may_be_slot(p) || find_slab(p) == nullptr) {
        block* const b = slabs_.blocks().find(p);
        if (b == nullptr)
            return false;
        if ((b->state & block_state::large) != 0)
            return try_resize_large(*b, p, new_bytes);
        if ((b->state & block_state::open) == 0)
            return false;
    }
    if (!fits_in_place(p, new_bytes, alignment))
        return false;
    auto* const object = static_cast<std::byte*>(p);
    if (new_bytes < old_bytes)
        poison::no_access(object + new_bytes, old_bytes - new_bytes);
    else
        poison::undefined(object + old_bytes, new_bytes - old_bytes);
    if constexpr (checks_enabled)
        note_size(slabs_.slab_of(p), p, new_bytes);
    return true;
}

bool slab_heap::try_resize_large(block& large, void* p, std::size_t new_bytes) noexcept {
    const slow_call_guard mark = begin_slow_call();
    if (p != block_source::large_object(large) ||
        !slabs_.blocks().large().try_resize(large, align_up(new_bytes, granule_bytes)))
        return false;
    note_high_water();
    poison::undefined(p, new_bytes);
    return true;
}

// ---- what is where ------------------------------------------------------------------------------

std::size_t slab_heap::requested_bytes(const void* p, std::size_t room) const noexcept {
    const block* const b = slabs_.blocks().find(p);
    if (!checks_enabled || b == nullptr || (b->state & block_state::large) != 0)
        return 0;
    const slab& s = slabs_.slab_of(p);
    return room - slabs_.note_of(s, slabs_.index_of(s, p));
}

void slab_heap::refuse_question(const void* p) const noexcept {
    contract_violation_f(std::source_location::current(),
                         "size_of(%p): no allocation of %s begins there, or it was freed", p,
                         heap_text{owner_}.own.text);
}

std::size_t slab_heap::room_of(const slab* s, const void* p) const noexcept {
    if (s == nullptr || !holds(*s) || !begins_object(*s, p)) [[unlikely]]
        refuse_question(p);
    return slots_at(*s, slabs_.index_of(*s, p)) * s->slot_bytes;
}

std::size_t slab_heap::size_of(const void* p) const noexcept {
    if (may_be_slot(p))
        if (const slab* const s = find_slab(p))
            return room_of(s, p);
    block* const b = slabs_.blocks().find(p);
    if (b == nullptr)
        contract_violation_f(std::source_location::current(),
                             "%p does not point into memory of ordered_heap %p", p, owner_.heap);
    if ((b->state & block_state::large) != 0) {
        if (p != block_source::large_object(*b))
            refuse_question(p);
        return block_source::large_bytes(*b);
    }
    const slab* const s = slabs_.slab_around(*b, p);
    const std::size_t room = room_of(s, p);
    if constexpr (checks_enabled)
        return align_up(std::max<std::size_t>(room - slabs_.note_of(*s, slabs_.index_of(*s, p)), 1),
                        granule_bytes);
    return room;
}

bool slab_heap::owns(const void* p) const noexcept { return slabs_.blocks().find(p) != nullptr; }

/// By this heap's own books.
std::size_t slab_heap::bytes_in_use() const noexcept {
    std::size_t sum = single_bytes_ + slabs_.blocks().large().bytes();
    for (unsigned i = 0; i < size_class::count; ++i)
        sum += static_cast<std::size_t>(classes_[i].live) * size_class::slot_bytes(i);
    return sum;
}

void slab_heap::note_high_water() noexcept { high_water_ = std::max(high_water_, bytes_in_use()); }

arenite::usage slab_heap::usage() noexcept {
    note_high_water();
    return usage_approximate();
}

arenite::usage slab_heap::usage_approximate() const noexcept {
    arenite::usage seen{
        .bytes_in_use = glance(single_bytes_) + slabs_.blocks().large().bytes_approximate() +
                        static_cast<std::size_t>(glance(settled_bytes_)),
        .bytes_reserved = slabs_.blocks().bytes_reserved_approximate(),
        .high_water_bytes = high_water_approximate(),
        .live_allocations = slabs_.blocks().large().count_approximate() +
                            static_cast<std::size_t>(glance(settled_) - glance(joined_))};
    for (unsigned i = 0; i <= size_class::count; ++i) {
        const std::int64_t live = glance(classes_[i].live);
        seen.live_allocations += static_cast<std::size_t>(live);
        if (i < size_class::count)
            seen.bytes_in_use += static_cast<std::size_t>(
                live * static_cast<std::int64_t>(size_class::slot_bytes(i)));
    }
    return seen;
}

void slab_heap::list_regions(region_sink& sink, bool one_by_one) const {
    const block_source& blocks = slabs_.blocks();
    blocks.for_each_kept([&](const std::byte* p, std::size_t bytes) {
        sink.add({p, bytes, region_state::free});
    });
    blocks.large().for_each_head([&](const std::byte* p, std::size_t bytes) {
        sink.add({p, bytes, region_state::overhead});
    });
    region_joiner to{sink};
    const auto add_object = [&](const std::byte* p, std::size_t bytes) {
        if (one_by_one)
            to.add_object(p, p + bytes);
        else
            to.add(p, p + bytes, region_state::used);
    };
    const std::span<const std::byte> fresh = blocks.fresh();
    const block_list& all = blocks.blocks();
    for (block* b = all.first(); b != nullptr; b = all.above(*b)) {
        if ((b->state & block_state::large) != 0) {
            to.add_large(*b);
            continue;
        }
        list_block(*b, to, add_object);
        const auto* const end = reinterpret_cast<std::byte*>(b) + b->bytes();
        if (!fresh.empty() && end == fresh.data())
            to.add(end, end + fresh.size(), region_state::untouched);
        to.flush();
    }
}

/// A slab has no more units than a block, and a word of bits has room for a unit's slots.
constexpr std::size_t most_slab_words = slab_block::most_units;

/// A block that is cut into slabs, or empty.
template <class F>
void slab_heap::list_block(block& b, region_joiner& to, F add_object) const {
    auto* const begin = reinterpret_cast<std::byte*>(&b);
    if ((b.state & block_state::open) == 0) {
        to.add(begin, begin + sizeof(block), region_state::overhead);
        return to.add(begin + sizeof(block), begin + b.bytes(), region_state::free);
    }
    const auto add_slab = [&](const slab& s) {
        const std::byte* const slots = slabs_.begin_of(s);
        const std::size_t slot_bytes = s.slot_bytes;
        bits::word words[most_slab_words]; // its thread may be changing them
        std::transform(s.bitmap(), s.bitmap() + s.words(), words,
                       [](const bits::word& w) { return glance(w); });
        for (std::size_t i = 0; i < s.slots;) {
            const std::byte* const slot = slots + i * slot_bytes;
            const std::size_t here = bits::none_set(words, i, 1) ? slots_at(s, i) : 0;
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
        slabs_.for_each_slab(b, [&](const slab& s) {
            const std::byte* const slots = slabs_.begin_of(s);
            const std::byte* const page = begin + align_down(s.begin, slab_page::bytes);
            add_free_until(page);
            to.add(page, slots, region_state::overhead);
            add_slab(s);
            at = page + slab_page::bytes;
        });
        return add_free_until(begin + b.bytes());
    }
    slab_block& head = *slabs_.geometry().block_of(&b);
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

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
