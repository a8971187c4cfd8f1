// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Allocation of a slab_heap: slots, then objects in units of their own, then large ones.
// slab_heap.hpp draws the order in which a request tries them; read allocate_rest() first, which
// chooses, then allocate_slot() downward to any_slot(). Everything that changes slabs or blocks
// runs inside the gate, since other threads may be reading them for a report; bits, live counts and
// the units that are kept (kept_runs) change without it.
#include <arenite/ordered/detail/slab_heap.hpp>

#include <arenite/check/detail/poison.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/ordered/detail/slab_survey.hpp>
#include <arenite/ordered/detail/slot_notes.hpp>

#include <algorithm>
#include <new>
#include <optional>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

namespace {

constexpr std::size_t units_for(std::size_t bytes) noexcept {
    return (bytes + (unit_bytes - 1)) / unit_bytes;
}

/// Where a look at all classes takes little beside the request itself.
constexpr std::size_t high_water_is_cheap_bytes = std::size_t{1} << 20;

/// Notes the high water, after a request for `bytes` that has got memory of its own.
ARENITE_INLINE void note_own_memory(slab_classes& classes, const block_source& blocks,
                                    std::size_t bytes) noexcept {
    if (bytes >= high_water_is_cheap_bytes || classes.is_highest(blocks.large().bytes()))
        classes.note_high_water(blocks);
}

/// With the figures that a heap of that owner tells its source.
block_options with_figures(block_options options, const heap_owner& of) noexcept {
    options.figures.in_use = [](const void* owner) noexcept {
        const slab_heap& heap = *static_cast<const slab_heap*>(owner);
        return heap.classes().bytes_in_use(heap.slabs().blocks());
    };
    if (of.bytes_elsewhere != nullptr)
        options.figures.elsewhere = [](const void* owner) noexcept {
            const slab_heap& heap = *static_cast<const slab_heap*>(owner);
            return heap.owner().bytes_elsewhere(heap);
        };
    return options;
}

} // namespace

slab_heap::slab_heap(const block_options& options, upstream up, const heap_owner& owner) noexcept
    : slabs_{with_figures(options, owner), up, this, pages_}, owner_{owner}, gate_{owner.gate} {}

/// Its slabs name no owner any more: another heap may be made at this place, while their memory is
/// somebody else's who does not write over them.
slab_heap::~slab_heap() {
    block_list& all = slabs_.blocks().blocks();
    for (block* b = all.first(); b != nullptr; b = all.above(*b))
        if ((b->state & block_state::open) != 0)
            disown_slabs(slabs_, *b);
}

#if ARENITE_IS_MALLOC
constinit slab_front slab_front::nobody;
#endif

slab_heap_room::slab_heap_room(const block_options& options, upstream up,
                               const heap_owner& owner) noexcept {
    static_assert(sizeof(slab_heap) <= sizeof place_);
    static_assert(alignof(slab_heap) <= alignof(slab_heap_room));
    static_assert(sizeof(void*) != 8 || sizeof(slab_heap) + 64 >= sizeof place_);
    ::new (static_cast<void*>(place_)) slab_heap{options, up, owner};
}

slab_heap_room::~slab_heap_room() { heap().~slab_heap(); }

// ---- allocate -----------------------------------------------------------------------------------

/// A single object in units that are kept: nothing that others look at from afar changes but its
/// bit and its size.
ARENITE_INLINE void* slab_heap::take_single(std::size_t bytes, std::size_t alignment) noexcept {
    const std::size_t most = std::min(slabs_.geometry().largest_in_units() - unit_bytes,
                                      kept_runs::longest * unit_bytes);
    if (slow_only || bytes <= size_class::largest_bytes || bytes > most ||
        alignment > size_class::largest_alignment || !is_alignment(alignment))
        return nullptr;
    const std::size_t units = units_for(bytes);
    slab* const s = slabs_.kept().single_of(units, slabs_.open_blocks());
    if (s == nullptr)
        return nullptr;
    block& b = slabs_.block_of(*s);
    slabs_.kept().take_single(*s, units, *slabs_.geometry().slabs_in(&b));
    classes_.add_single(*s);
    note_own_memory(classes_, slabs_.blocks(), bytes);
    return reinterpret_cast<std::byte*>(&b) + s->begin;
}

void* slab_heap::allocate_rest(std::size_t bytes, std::size_t alignment) noexcept {
    if (void* const p = take_single(bytes, alignment); p != nullptr)
        return p;
    const heap_gate::guard mark = gate_.enter();
    if (!is_alignment(alignment) || bytes > max_object_bytes) [[unlikely]]
        return nullptr;
    const unsigned slot_class = size_class::of(bytes, alignment);
    const std::size_t most = slabs_.geometry().largest_in_units();
    if (slot_class < size_class::count && size_class::slot_bytes(slot_class) <= most) [[likely]] {
        void* const p = allocate_slot(slot_class, bytes, alignment);
        if constexpr (slow_only) {
            if (p != nullptr)
                slot_notes::handed_out(slabs_, slabs_.slab_of(p), p, bytes);
        }
        return p;
    }
    // Above the largest slot: whole units, as one slot. Above a quarter of a block: the upstream.
    if (slot_class == size_class::single && bytes <= most - unit_bytes)
        return allocate_single(bytes);
    if (slabs_.blocks().are_masked() && slab_geometry::fits_aligned_units(bytes, alignment, most))
        return allocate_single(std::max<std::size_t>(bytes, 1), alignment / unit_bytes);
    return allocate_large(bytes, alignment);
}

void* slab_front::allocate_slow(std::size_t bytes, std::size_t alignment) noexcept {
    if constexpr (!ARENITE_IS_MALLOC) { // which has asked for it before it came here
        if (void* const p = try_take_any(bytes, alignment))
            return p;
    }
    return static_cast<slab_heap&>(*this).allocate_rest(bytes, alignment);
}

void* slab_heap::allocate_slot(unsigned slot_class, std::size_t bytes,
                               std::size_t alignment) noexcept {
    // Alignments above 16 are not in the inlined call's table, and in a checked build nothing is:
    // so a slot may lie ready.
    if (void* const p = try_take(slot_class); p != nullptr)
        return p;
    if (classes_[slot_class].next_word(slabs_) || next_slab(slot_class)) [[likely]]
        return try_take(slot_class);
    if (void* const p = donors_.try_take({classes_, slabs_}, slot_class, bytes, alignment);
        p != nullptr)
        return p;
    return new_slab(slot_class) ? try_take(slot_class) : any_slot(slot_class);
}

/// Goes on in the lowest slab with enough free slots, perhaps the same.
bool slab_heap::next_slab(unsigned slot_class) noexcept {
    slab_class& its = classes_[slot_class];
    its.leave_current();
    slab* const next = its.slabs().lowest(slab_state::refillable);
    if (next == nullptr)
        return false;
    enter(*next);
    return true;
}

/// Makes a slab the one that its class allocates from.
void slab_heap::enter(slab& s) noexcept {
    donors_.withdraw(classes_, s);
    classes_.of(s).enter(s, slabs_, returns_.frees_a_look());
}

/// Units of the next slab of a class that has so many. Twice what it has: few slabs, until they
/// have their full size. Slots too large for a page would be few in one of that size, and each slab
/// be left again soon: there, half of what the class has.
static std::size_t units_of_next(std::size_t held, bool fits_page) noexcept {
    const std::size_t units = std::min(2 * held, slab::full_units);
    return fits_page ? units : std::max(units, std::min(held / 2, slab::most_units));
}

/// A class begins with units, and a heap fills its first block with them: with one object of each
/// size, or with a few hundred, it has what it needs and little more.
bool slab_heap::new_slab(unsigned slot_class) noexcept {
    // A new slab is rare enough to be the moment at which returns that were put off are made.
    slabs_.blocks().give_back_due();
    slab_class& its = classes_[slot_class];
    const std::size_t slot_bytes = size_class::slot_bytes(slot_class) + slab::note_bytes;
    const std::size_t least = units_for(slot_bytes);
    const bool fits_page = size_class::slot_bytes(slot_class) <= slab_page::largest_slot_bytes;
    // Four slots are asked for at least, however large they are: a slab of one would be new_slab()
    // for each object. A run for one is taken where there is no longer one.
    const std::size_t slots =
        std::max(units_for(4 * slot_bytes), units_of_next(its.units(), fits_page)) * unit_bytes /
        slot_bytes;
    const std::size_t wanted = units_for(slots * slot_bytes);
    const bool may_be_page = its.units() != 0 && fits_page;
    slab* s = nullptr;
    if (may_be_page &&
        (slabs_.blocks().bytes_reserved() > slab_page::bytes || !slabs_.has_units(wanted, least)))
        s = slabs_.make_page(slot_class);
    // Slots of whole small pages lie at such: they serve requests that are aligned to one, too. 4
    // KiB, whatever the system's page: the alignment that programs ask for.
    constexpr std::size_t page_units = 4;
    const bool at_page =
        slot_bytes % (page_units * unit_bytes) == 0 && slabs_.blocks().are_masked();
    if (s == nullptr && at_page)
        s = slabs_.make(slot_class, wanted, least, page_units);
    if (s == nullptr)
        s = slabs_.make(slot_class, wanted, least);
    if (s == nullptr)
        return false;
    classes_.note_growth(s->bytes(), slabs_.blocks());
    classes_.add(*s);
    its.enter(*s, slabs_, returns_.frees_a_look());
    return true;
}

/// The upstream refused: any free slot of the class, also of slabs that are nearly full.
void* slab_heap::any_slot(unsigned slot_class) noexcept {
    if (!slabs_.blocks().may_grow()) // nobody was asked
        return nullptr;
    // Empty slabs that other classes allocate from give their units: a new slab may fit there.
    leave_empty_slabs();
    slabs_.release_kept();
    if (next_slab(slot_class) || new_slab(slot_class))
        return try_take(slot_class);
    const slab_list& all = classes_[slot_class].slabs();
    for (slab* s = all.first(); s != nullptr; s = all.above(*s)) {
        if (s->used() < s->slots) {
            enter(*s);
            return try_take(slot_class);
        }
    }
    return nullptr;
}

void* slab_heap::allocate_single(std::size_t bytes, std::size_t aligned_units) noexcept {
    const std::size_t units = units_for(bytes + slab::note_bytes);
    slab* s = slabs_.make(size_class::single, units, units, aligned_units);
    if (s == nullptr) {
        // An empty slab that another class allocates from, and kept runs, may be all the room there
        // is.
        leave_empty_slabs();
        slabs_.release_kept();
        s = slabs_.make(size_class::single, units, units, aligned_units);
        if (s == nullptr)
            return nullptr;
    }
    classes_.add_single(*s);
    note_own_memory(classes_, slabs_.blocks(), bytes);
    void* const p = slabs_.begin_of(*s);
    if constexpr (slow_only)
        slot_notes::handed_out(slabs_, *s, p, bytes);
    return p;
}

void* slab_heap::allocate_large(std::size_t bytes, std::size_t alignment) noexcept {
    const std::optional<std::size_t> size =
        checked_align_up(std::max<std::size_t>(bytes, 1), granule_bytes);
    const auto try_it = [&] {
        return slabs_.blocks().try_allocate_large_anywhere(
            *size, slabs_.geometry().large_alignment(alignment));
    };
    block* b = size ? try_it() : nullptr;
    if (b == nullptr && size && slabs_.blocks().may_grow()) {
        // Blocks in which nothing is in use go back then, which may be all the room there is.
        leave_empty_slabs();
        slabs_.release_kept();
        b = try_it();
    }
    if (b == nullptr)
        return nullptr;
    note_own_memory(classes_, slabs_.blocks(), bytes);
    void* const p = block_source::large_object(*b);
    const std::byte* const end = reinterpret_cast<const std::byte*>(b->span) + b->span_bytes;
    poison::no_access(b + 1, address_of(end) - address_of(b + 1));
    // A free may look for a slab by the mask: the place where it would, before the object, says
    // that there is none.
    if (slabs_.blocks().are_masked() && !large_objects::is_shared(*b) &&
        slabs_.geometry().offset_of(p) >= unit_bytes)
        slabs_.geometry().mark_large(*b);
    poison::undefined(p, bytes);
    return p;
}

void* slab_heap::try_allocate_within(std::size_t bytes, std::size_t alignment) noexcept {
    // Whatever asks the upstream asks for this flag first, so that this is allocation as ever.
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
    const heap_gate::guard mark = gate_.enter();
    block* const b = slabs_.blocks().find(neighbour);
    if (slot_class >= size_class::count || b == nullptr || (b->state & block_state::open) == 0)
        return nullptr;
    const slab_survey::slot_place best =
        slab_survey::nearest_free(slabs_, *b, slot_class, neighbour);
    if (best.in == nullptr)
        return nullptr;
    slab& s = *best.in;
    slab_class& its = classes_[slot_class];
    its.take_slots(s, best.index, 1);
    // The books of the current slab are brought up to date when it is left.
    if (&s != its.current() && s.state != slab_state::full)
        its.set_alarm(s);
    std::byte* const p = slabs_.begin_of(s) + best.index * s.slot_bytes;
    if constexpr (slow_only)
        slot_notes::handed_out(slabs_, s, p, bytes);
    return p;
}

bool slab_heap::make_first_slab() noexcept {
    const heap_gate::guard mark = gate_.enter();
    slab* const s = slabs_.make(size_class::single, 1, 1);
    if (s == nullptr)
        return false;
    release(*s);
    slabs_.release_kept(); // the first object begins where it does in any heap
    return true;
}

// ---- questions about objects, and sizes that change in place ------------------------------------

bool slab_heap::try_resize(void* p, std::size_t old_bytes, std::size_t new_bytes,
                           std::size_t alignment) noexcept {
    if (new_bytes == 0 || new_bytes > max_object_bytes || !is_alignment(alignment))
        return false;
    if (const slab* const page = pages_.may_hold(p) ? page_of_slot(p) : nullptr)
        return slab_survey::is_of_class(*page, new_bytes, alignment); // no notes: see page_of_slot
    if (!may_be_slot(p) || slabs_.find_slab(p) == nullptr) {
        block* const b = slabs_.blocks().find(p);
        if (b != nullptr && (b->state & block_state::large) != 0) {
            const heap_gate::guard mark = gate_.enter();
            if (p != block_source::large_object(*b) ||
                !slabs_.blocks().large().try_resize(*b, align_up(new_bytes, granule_bytes)))
                return false;
            note_own_memory(classes_, slabs_.blocks(), new_bytes);
            poison::undefined(p, new_bytes);
            return true;
        }
        if (b == nullptr || (b->state & block_state::open) == 0)
            return false;
    }
    if (!slab_survey::fits_in_place(slabs_, p, new_bytes, alignment))
        return false;
    slot_notes::resized(slabs_, p, old_bytes, new_bytes);
    return true;
}

bool slab_heap::fits_in_place(const void* p, std::size_t bytes,
                              std::size_t alignment) const noexcept {
    const slab* const page = page_of_slot(p);
    return page != nullptr ? bytes != 0 && slab_survey::is_of_class(*page, bytes, alignment)
                           : slab_survey::fits_in_place(slabs_, p, bytes, alignment);
}

std::size_t slab_heap::size_of(const void* p) const noexcept {
    const slab* s = may_be_slot(p) ? slabs_.find_slab(p) : nullptr;
    if (s == nullptr) {
        const block* const b = slabs_.blocks().find(p);
        if (b == nullptr)
            owner_.refuse_foreign_question(p);
        if ((b->state & block_state::large) != 0) {
            if (p != block_source::large_object(*b))
                owner_.refuse_question(p);
            return block_source::large_bytes(*b);
        }
        s = slabs_.slab_around(*b, p);
    }
    const std::size_t room = slab_survey::room_at(slabs_, s, p);
    if (room == 0)
        owner_.refuse_question(p);
    if constexpr (checks_enabled) {
        const std::size_t asked = slot_notes::requested_bytes(slabs_, p, room);
        slot_notes::told_room(slabs_, p);
        // Behind the room lies the note.
        return std::min(room, align_up(std::max<std::size_t>(asked, 1), granule_bytes));
    }
    return room;
}

bool slab_heap::is_zero(const void* p) const noexcept {
    if constexpr (poison::active) // to the tool it is undefined until it is written
        return false;
    const block* const b = slabs_.blocks().find(p);
    if (b == nullptr)
        return false;
    if ((b->state & block_state::large) != 0)
        return large_objects::is_zero(*b);
    const slab* const s = slabs_.slab_around(*b, p);
    return s != nullptr && s->slot_class() == size_class::single &&
           slabs_.geometry().slabs_in(b)->was_fresh(*s);
}

bool slab_heap::nothing_lives() noexcept {
    return slabs_.blocks().large().count() == 0 && classes_.none_live();
}

arenite::usage slab_heap::usage() noexcept {
    classes_.note_high_water(slabs_.blocks());
    return usage_approximate();
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
