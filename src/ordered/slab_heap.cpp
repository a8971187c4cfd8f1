// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/ordered/detail/slab_heap.hpp>

#include <arenite/core/detail/size.hpp>
#include <arenite/os/page_resource.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

namespace {

/// A request of more than this share of a block, less a unit, goes to the upstream.
constexpr std::size_t large_divisor = 4;

constexpr std::size_t units_for(std::size_t bytes) noexcept {
    return (bytes + (unit_bytes - 1)) / unit_bytes;
}

} // namespace

slab_heap::slab_heap(const block_options& options, upstream up, const heap_owner& owner) noexcept
    : slabs_{options, up, this}, owner_{owner} {
    for (unsigned i = 0; i <= size_class::count; ++i) {
        classes_[i].free = &no_slot_;
        if (i < size_class::count)
            classes_[i].slot_bytes = static_cast<std::uint32_t>(size_class::slot_bytes(i));
    }
}

/// Its slabs name no owner any more: another heap may be made at this place, while their memory is
/// somebody else's who does not write over them.
slab_heap::~slab_heap() {
    block_list& all = slabs_.blocks().blocks();
    for (block* b = all.first(); b != nullptr; b = all.above(*b))
        if ((b->state & block_state::open) != 0)
            slabs_.for_each_slab(*b, [](slab& s) { s.set_tag(0); });
}

// ---- allocate -----------------------------------------------------------------------------------

void* slab_heap::allocate_slow(std::size_t bytes, std::size_t alignment) noexcept {
    const slow_call_guard mark = begin_slow_call();
    if (!is_alignment(alignment) || bytes > max_object_bytes) [[unlikely]]
        return nullptr;
    const unsigned slot_class = size_class::of(bytes, alignment);
    const std::size_t most = slabs_.geometry().mask_bytes() / large_divisor;
    if (slot_class < size_class::count && size_class::slot_bytes(slot_class) <= most) [[likely]] {
        void* const p = allocate_slot(slot_class, bytes, alignment);
        if constexpr (slow_only) {
            if (p != nullptr)
                hand_out(slabs_.slab_of(p), p, bytes);
        }
        return p;
    }
    if (slot_class == size_class::single && bytes <= most - unit_bytes)
        return allocate_single(bytes);
    if (fits_aligned_units(bytes, alignment, most))
        return allocate_single(std::max<std::size_t>(bytes, 1), alignment / unit_bytes);
    return allocate_large(bytes, alignment);
}

void* slab_heap::allocate_slot(unsigned slot_class, std::size_t bytes,
                               std::size_t alignment) noexcept {
    if (void* const p = try_take(slot_class); p != nullptr)
        return p;
    if (next_word(slot_class) || next_slab(slot_class)) [[likely]]
        return try_take(slot_class);
    if (void* const p = join(slot_class, bytes, alignment); p != nullptr)
        return p;
    return new_slab(slot_class) ? try_take(slot_class) : any_slot(slot_class);
}

/// Goes on in the slab that the class allocates from; false at its end.
bool slab_heap::next_word(unsigned slot_class) noexcept {
    const slab* const s = lists_[slot_class].current;
    if (s == nullptr)
        return false;
    const auto from = classes_[slot_class].free - slabs_.words_of(*s);
    return enter_word(*s, static_cast<std::size_t>(from) + 1);
}

/// Allocates from the first word at or after this one that has a free slot.
bool slab_heap::enter_word(const slab& s, std::size_t from) noexcept {
    bits::word* const words = slabs_.words_of(s);
    const std::size_t end = s.words();
    for (std::size_t i = from; i < end; ++i) {
        if (words[i] == 0)
            continue;
        slot_class_state& c = counts_of(s);
        c.free = words + i;
        c.first = slabs_.begin_of(s) + i * bits::word_bits * c.slot_bytes;
        return true;
    }
    return false;
}

/// Goes on in the lowest slab with enough free slots, perhaps the same.
bool slab_heap::next_slab(unsigned slot_class) noexcept {
    const class_slabs& list = lists_[slot_class];
    if (list.current != nullptr) // which holds something: its word has no free slot
        suspend(slot_class);
    slab* const next = list.all.lowest(slab_state::refillable);
    if (next == nullptr)
        return false;
    enter(*next);
    return true;
}

bool slab_heap::new_slab(unsigned slot_class) noexcept {
    page_source().purge_due();
    class_slabs& list = lists_[slot_class];
    const std::size_t slot_bytes = size_class::slot_bytes(slot_class) + slab::note_bytes;
    // Twice what the class has: few slabs, until they have their full size.
    const std::size_t least = units_for(slot_bytes);
    const std::size_t slots =
        std::max(units_for(4 * slot_bytes), std::min(2 * list.units, slab::most_units)) *
        unit_bytes / slot_bytes;
    const std::size_t wanted = units_for(slots * slot_bytes);
    slab* s = nullptr;
    if (may_have_page(slot_class) &&
        (slabs_.blocks().bytes_reserved() > slab_page::bytes || !slabs_.has_units(wanted, least)))
        s = slabs_.make_page(slot_class);
    if (s == nullptr)
        s = slabs_.make(slot_class, wanted, least);
    if (s == nullptr)
        return false;
    note_high_water();
    list.units += s->units;
    list.all.insert(*s);
    enter(*s);
    if (s->is_page())
        count_page(slot_class, list.pages + 1);
    return true;
}

/// A class begins with units, and a heap fills its first block with them: with one object of each
/// size, or with a few hundred, it has what it needs and little more.
bool slab_heap::may_have_page(unsigned slot_class) const noexcept {
    return lists_[slot_class].units != 0 &&
           size_class::slot_bytes(slot_class) <= slab_page::largest_slot_bytes;
}

/// A class that has pages does not go on in units, whose frees take longer: those come free.
void slab_heap::count_page(unsigned slot_class, std::size_t now) noexcept {
    class_slabs& list = lists_[slot_class];
    const bool other = (list.pages == 0) != (now == 0);
    list.pages = now;
    if (!other)
        return;
    for (slab* s = list.all.first(); s != nullptr; s = list.all.above(*s))
        if (!s->is_page() && s != list.current)
            set_alarm(*s);
}

/// The upstream refused: any free slot of the class, also of slabs that are nearly full.
void* slab_heap::any_slot(unsigned slot_class) noexcept {
    if (!slabs_.blocks().may_grow()) // nobody was asked
        return nullptr;
    leave_empty_slabs();
    if (next_slab(slot_class) || new_slab(slot_class))
        return try_take(slot_class);
    slab_list& all = lists_[slot_class].all;
    for (slab* s = all.first(); s != nullptr; s = all.above(*s)) {
        if (s->used() < s->slots) {
            enter(*s);
            return try_take(slot_class);
        }
    }
    return nullptr;
}

/// Makes a slab the one that its class allocates from.
void slab_heap::enter(slab& s) noexcept {
    class_slabs& list = lists_[s.slot_class()];
    if ((s.state & slab_state::lending) != 0)
        stop_lending(s);
    list.all.set_state(s, slab_state::full);
    s.alarm_at(s.used(), slab::silent);
    list.current = &s;
    static_cast<void>(enter_word(s, 0));
}

/// Takes the slab that a class allocates from among its others, and brings its books up to date.
void slab_heap::suspend(unsigned slot_class) noexcept {
    slab& s = *std::exchange(lists_[slot_class].current, nullptr);
    classes_[slot_class].free = &no_slot_;
    s.alarm_at(count_used(s), 0);
    set_alarm(s);
}

std::int32_t slab_heap::count_used(const slab& s) const noexcept {
    const bits::word* const words = slabs_.words_of(s);
    std::size_t free = 0;
    for (std::size_t i = 0; i < s.words(); ++i)
        free += words[i] == 0 ? 0 : bits::count_ones(words[i]);
    return static_cast<std::int32_t>(s.slots - free);
}

/// A slab with exact books that is not allocated from now.
void slab_heap::set_alarm(slab& s) noexcept {
    auto state = static_cast<std::uint16_t>(s.state & slab_state::lending);
    const std::int32_t used = s.used();
    if (!s.is_page() && lists_[s.slot_class()].pages != 0) {
        s.alarm_at(used, 0);
    } else if (used > s.refill_alarm()) {
        s.alarm_at(used, s.refill_alarm());
    } else if (used > s.sparse_alarm()) {
        state |= slab_state::refillable;
        s.alarm_at(used, s.sparse_alarm());
    } else {
        state |= slab_state::refillable | (used == 0 ? slab_state::full : slab_state::sparse);
        s.alarm_at(used, 0);
    }
    lists_[s.slot_class()].all.set_state(s, state);
}

void* slab_heap::allocate_single(std::size_t bytes, std::size_t aligned_units) noexcept {
    const std::size_t units = units_for(bytes + slab::note_bytes);
    slab* s = slabs_.make(size_class::single, units, units, aligned_units);
    if (s == nullptr) {
        leave_empty_slabs();
        s = slabs_.make(size_class::single, units, units, aligned_units);
        if (s == nullptr)
            return nullptr;
    }
    s->alarm_at(1, 0);
    *slabs_.words_of(*s) = 0;
    single_bytes_ += s->slot_bytes;
    ++classes_[size_class::single].live;
    if (single_bytes_ > most_single_bytes_) { // looking at all classes each time takes too long
        most_single_bytes_ = single_bytes_;
        note_high_water();
    }
    void* const p = slabs_.begin_of(*s);
    if constexpr (slow_only)
        hand_out(*s, p, bytes);
    return p;
}

void* slab_heap::allocate_large(std::size_t bytes, std::size_t alignment) noexcept {
    const std::optional<std::size_t> size =
        checked_align_up(std::max<std::size_t>(bytes, 1), granule_bytes);
    block* const b = size ? slabs_.blocks().try_allocate_large_anywhere(
                                *size, slabs_.geometry().large_alignment(alignment))
                          : nullptr;
    if (b == nullptr)
        return nullptr;
    note_high_water();
    void* const p = block_source::large_object(*b);
    const std::byte* const end = reinterpret_cast<const std::byte*>(b->span) + b->span_bytes;
    poison::no_access(b + 1, address_of(end) - address_of(b + 1));
    if (!large_objects::is_shared(*b) && slabs_.geometry().offset_of(p) >= unit_bytes)
        slabs_.mark_large(*b);
    poison::undefined(p, bytes);
    return p;
}

/// Tells a memory checker of a slot, and notes its size in a checked build.
void slab_heap::hand_out(slab& s, void* p, std::size_t bytes) noexcept {
    poison::undefined(p, bytes + (bytes == 0));
    if constexpr (checks_enabled)
        note_size(s, p, bytes);
}

void slab_heap::note_size(slab& s, const void* p, std::size_t bytes) noexcept {
    const std::size_t index = slabs_.index_of(s, p);
    const std::size_t room = slots_at(s, index) * s.slot_bytes;
    slabs_.note_of(s, index) = static_cast<std::uint16_t>(room - bytes);
}

void* slab_heap::try_allocate_within(std::size_t bytes, std::size_t alignment) noexcept {
    slabs_.blocks().may_grow(false);
    void* const p = try_allocate(bytes, alignment);
    slabs_.blocks().may_grow(true);
    return p;
}

void* slab_heap::try_allocate_near(const void* neighbour, std::size_t bytes,
                                   std::size_t alignment) noexcept {
    if (!is_alignment(alignment))
        return nullptr;
    const unsigned slot_class = size_class::of(bytes, alignment);
    const slow_call_guard mark = begin_slow_call();
    const block* const b = slabs_.blocks().find(neighbour);
    if (slot_class >= size_class::count || b == nullptr || (b->state & block_state::open) == 0)
        return nullptr;
    const auto* const here = static_cast<const std::byte*>(neighbour);
    slab* best = nullptr;
    std::size_t best_index = 0;
    std::size_t best_distance = std::numeric_limits<std::size_t>::max();
    slabs_.for_each_slab(*const_cast<block*>(b), [&](slab& s) {
        if (s.slot_class() != slot_class)
            return;
        const bits::word* const words = slabs_.words_of(s);
        std::byte* const begin = slabs_.begin_of(s);
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
                best = &s;
                best_index = index;
                best_distance = distance;
            }
        };
        look_at(bits::next_set(words, at, s.slots));
        const std::size_t below = bits::last_set(words, 0, at);
        look_at(below == at ? s.slots : below);
    });
    if (best == nullptr)
        return nullptr;
    bits::clear_run(slabs_.words_of(*best), best_index, 1);
    ++classes_[slot_class].live;
    if (best != lists_[slot_class].current) {
        best->add_used(1);
        if (best->state != slab_state::full)
            set_alarm(*best);
    }
    std::byte* const p = slabs_.begin_of(*best) + best_index * best->slot_bytes;
    if constexpr (slow_only)
        hand_out(*best, p, bytes);
    return p;
}

bool slab_heap::make_first_slab() noexcept {
    const slow_call_guard mark = begin_slow_call();
    slab* const s = slabs_.make(size_class::single, 1, 1);
    if (s == nullptr)
        return false;
    release(*s);
    return true;
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
