// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Frees of a slab_heap, and what follows from them: slabs that become free, and go. Read
// deallocate_elsewhere() first, where each inlined free that failed arrives, then
// deallocate_beyond_units(), by which other heaps' objects leave, and deallocate_rare() for all
// that is no single slot of this heap, freed as it was allocated. A free that sets a bit
// counts down to its slab's alarm; answer_alarm() does whatever follows, so that the common free
// asks nothing else. A misuse leaves by gate_.refuse(), which gives the lock up first: a handler
// may throw or jump, and the heap stays usable.
#include <arenite/ordered/detail/slab_heap.hpp>

#include <arenite/check/detail/poison.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/ordered/detail/idle_pages.hpp>
#include <arenite/ordered/detail/joined_slots.hpp>
#include <arenite/ordered/detail/slab_survey.hpp>
#include <arenite/ordered/detail/slot_notes.hpp>
#include <arenite/os/detail/platform.hpp>

#include <algorithm>
#include <bit>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

namespace {

/// A heap may hold this much before slabs that are empty are looked for.
constexpr std::size_t idle_bytes = std::size_t{4} << 20;

/// Asked outside the gate, too, while others trim.
bool holds_much(const slab_source& slabs) noexcept {
    return slabs.blocks().bytes_reserved_approximate() > idle_bytes;
}

/// To a heap of this much, a page for each size that is busy is little.
constexpr std::size_t page_is_little_bytes = std::size_t{8} << 20;

/// Slabs that are allocated from are looked at after so many frees.
void watch_currents(slab_classes& classes, std::int32_t frees) noexcept {
    for (unsigned i = 0; i < size_class::count; ++i)
        if (classes[i].current() != nullptr)
            classes[i].watch_current(frees);
}

/// Once half of what the heap holds is free, the slabs that are allocated from are looked at
/// sooner.
void see_whether_half_is_free(slab_heap& heap, return_clock& clock) noexcept {
    const std::size_t held = idle_pages::held_by(heap); // another thread may be trimming
    const bool before = clock.half_is_free;
    clock.half_is_free =
        held >= idle_pages::least_held_bytes && idle_pages::in_use_in(heap) < held / 2;
    if (before || !clock.half_is_free)
        return;
    clock.fell = true;
    watch_currents(heap.classes(), clock.frees_a_look());
}

/// Many objects of a slab were freed.
void note_many_frees(slab_heap& heap, return_clock& clock) noexcept {
    if (clock.counts_alarm())
        see_whether_half_is_free(heap, clock);
}

/// Gives idle memory back, a little, where 4 ms have passed, or half came free: the thread may go
/// on with little objects alone, and each of its calls be a fast one. Not within a call, as where
/// frees of other threads are drained, nor while another thread has the heap's lock: that may take
/// long.
void return_unasked(slab_heap& heap, return_clock& clock) noexcept {
    const std::uint64_t now = os::platform::now_ms();
    if ((now < clock.next_ms && !clock.fell) || !heap.gate().try_enter())
        return;
    clock.fell = false;
    clock.next_ms = now + idle_pages::step_ms;
    heap.slabs().blocks().give_back_due();
    heap.gate().leave();
    if (heap.owner().on_many_frees != nullptr)
        heap.owner().on_many_frees(heap, now);
}

} // namespace

// ---- deallocate ---------------------------------------------------------------------------------

/// True if the empty slab of a class may be one of many: blocks have come free since this was
/// looked at last, or nothing lives in several.
bool slab_heap::may_have_idle_slabs() noexcept {
    if (idle_ != idle_slabs::likely && slabs_.open_blocks() <= 1)
        return false;
    const bool much = holds_much(slabs_);
    return (much && idle_ == idle_slabs::likely) ||
           ((much || idle_ != idle_slabs::none) && slabs_.open_blocks() > 1 && nothing_lives());
}

void slab_heap::watch_frees(bool closely) noexcept {
    if (closely && !returns_.is_asked)
        watch_currents(classes_, 64);
    returns_.is_asked = closely;
}

void slab_heap::answer_alarm(slab& s) noexcept {
    slab_class& its = classes_.of(s);
    const bool class_is_empty = its.live() == 0;
    const bool is_single = s.slot_class() == size_class::single;
    const bool is_current = &s == its.current();
    const bool is_many =
        is_single ? returns_.counts_single() : s.is_due() && (s.is_page() || is_current);
    if (is_current && s.is_page() && !class_is_empty) {
        note_many_frees(*this, returns_);
        its.watch_current(returns_.frees_a_look()); // that needs no gate
    } else {
        const heap_gate::guard mark = gate_.enter();
        // Its only object has been freed: its units are kept for the next one, or taken back.
        if (is_single) {
            classes_.remove_single(s.slot_bytes);
            release(s);
        } else if (s.is_due()) {
            note_many_frees(*this, returns_);
            if (is_current)
                many_frees_in_current(its);
            else if (s.used() == 0)
                remove(s);
            else
                its.set_alarm(s);
        }
        if (class_is_empty && may_have_idle_slabs())
            give_up_idle_slabs();
    }
    if (is_single && is_many)
        see_whether_half_is_free(*this, returns_);
    if (is_many)
        return_unasked(*this, returns_);
}

/// The slab is due, or nothing of its class lives: where one object comes and goes, each time.
void slab_front::alarmed(slab& s) noexcept {
    auto& heap = static_cast<slab_heap&>(*this);
    if (s.is_due() || heap.may_have_idle_slabs())
        heap.answer_alarm(s);
}

void slab_front::count_last_free(slab& s) noexcept {
    static_cast<void>(classes_.of(s).count_free());
    alarmed(s);
}

void slab_front::count_last_free_of_page(void* p) noexcept { count_last_free(slab_page::of(p)); }
void slab_front::alarmed_page(void* p) noexcept { alarmed(slab_page::of(p)); }

void slab_front::deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
    if (!try_give(p)) [[unlikely]]
        static_cast<slab_heap&>(*this).deallocate_elsewhere(p, given_bytes(bytes), alignment);
}

void slab_front::deallocate(void* p) noexcept {
    if (!try_give(p)) [[unlikely]]
        static_cast<slab_heap&>(*this).deallocate_elsewhere(p, unknown_bytes, 1);
}

void slab_heap::deallocate_all(void* const* objects, std::size_t count) noexcept {
    for (std::size_t i = 0; i < count; ++i)
        if (!try_give(objects[i])) [[unlikely]]
            deallocate_elsewhere(objects[i], unknown_bytes, 1);
}

/// In units: from the address to the block, its slab, and the slot's bit. Whatever takes registers
/// that this would have to save follows by a jump.
void slab_heap::deallocate_elsewhere(void* p, std::size_t bytes, std::size_t alignment) noexcept {
    const std::size_t offset = slabs_.geometry().offset_of(p);
    if (may_be_slot(p) && offset >= unit_bytes) [[likely]] {
        slab_block& head = *slabs_.geometry().block_of(p);
        slab& s = head.slab_at(offset);
        // The tag names this heap: that of another heap's slab, or of one with joined slots, does
        // not match, and such a free goes the long way with all checks.
        if (s.is_here<false>(this) && (bytes == unknown_bytes || s.is_slot_for(bytes))) [[likely]] {
            if (s.inverse == 0)
                return deallocate_single(s, head, p, bytes, alignment);
            if (set_free(s, s.index_of(offset))) [[likely]]
                return;
        }
    }
    deallocate_beyond_units(p, bytes, alignment);
}

/// Frees the only slot of a slab, which may be shorter than its slab: what lies behind it is not
/// taken for it. Kept, the slab stays as it is: that needs no gate.
void slab_heap::deallocate_single(slab& s, slab_block& head, void* p, std::size_t bytes,
                                  std::size_t alignment) noexcept {
    if (slabs_.geometry().offset_of(p) != s.begin || *s.bitmap() != 0) [[unlikely]]
        return deallocate_rare(p, bytes, alignment);
    *s.bitmap() = 1;
    s.frees_left = 0;
    if (!classes_.of(s).count_free() && slabs_.kept().keep_single(s, head, slabs_.open_blocks()))
        [[likely]] {
        classes_.remove_single(s.slot_bytes);
        if (returns_.counts_single()) [[unlikely]] {
            see_whether_half_is_free(*this, returns_);
            return_unasked(*this, returns_);
        }
    } else {
        alarmed(s);
    }
}

/// Frees an object of one slot in a page where others have several: that needs no gate, as in any
/// other page. Hands on what another heap has. All else is rare.
void slab_heap::deallocate_beyond_units(void* p, std::size_t bytes,
                                        std::size_t alignment) noexcept {
    if (!slow_only && pages_.may_hold(p)) {
        slab& s = slab_page::of(p);
        if (s.is_any_here<true>(this) && slabs_.is_joined(s)) {
            const std::size_t index = s.index_in_page(p);
            const joined_slots joined{s};
            if (index < s.slots && index * s.slot_bytes == s.offset_in_page(p) &&
                !joined.continues(index) && joined.slots_at(index) == 1 && set_free(s, index))
                return;
        }
    }
    // Outside the gate: another heap may be locked there.
    if (owner_.on_foreign_free != nullptr && owner_.on_foreign_free(*this, p, bytes, alignment))
        return;
    deallocate_rare(p, bytes, alignment);
}

/// Sizes of large objects are kept in granules.
static bool is_large_size(const block& large, std::size_t bytes) noexcept {
    return bytes <= max_object_bytes && align_up(std::max<std::size_t>(bytes, 1), granule_bytes) ==
                                            block_source::large_bytes(large);
}

/// Frees an object of this heap that is large, in joined slots, or freed with another alignment
/// than it was allocated with; or reports misuse.
void slab_heap::deallocate_rare(void* p, std::size_t bytes, std::size_t alignment) noexcept {
    if (may_be_slot(p)) {
        if (slab* const s = slabs_.find_slab(p)) {
            const heap_gate::guard mark = gate_.enter();
            return deallocate_slot(*s, p, bytes, alignment);
        }
    }
    const heap_gate::guard mark = gate_.enter();
    block* const b = slabs_.blocks().find(p);
    if (b == nullptr)
        return gate_.refuse(
            [&] { owner_.refuse_free(p, bytes, "not of this heap, or freed before"); });
    if ((b->state & block_state::large) != 0) {
        if (p != block_source::large_object(*b))
            return gate_.refuse([&] {
                owner_.refuse_free(p, bytes, "it points into a large allocation, not to its begin");
            });
        if (bytes != unknown_bytes && !is_large_size(*b, bytes))
            return gate_.refuse([&] {
                const std::size_t room = block_source::large_bytes(*b);
                owner_.refuse_size(p, bytes, room, room);
            });
        // The free of a large object is the first sign that the heap shrinks; blocks that come free
        // are the second.
        if (idle_ == idle_slabs::none && holds_much(slabs_))
            idle_ = idle_slabs::looked_for;
        slabs_.blocks().deallocate_large(*b);
        if (may_have_idle_slabs())
            give_up_idle_slabs();
        return;
    }
    slab* const s = slabs_.slab_around(*b, p);
    if (s == nullptr)
        return gate_.refuse([&] {
            owner_.refuse_free(p, bytes, "no allocation begins there, or it is free already");
        });
    deallocate_slot(*s, p, bytes, alignment);
}

/// In a slab of this heap, with every check.
void slab_heap::deallocate_slot(slab& s, void* p, std::size_t bytes,
                                std::size_t alignment) noexcept {
    const std::size_t index = slabs_.index_of(s, p);
    const bool joined = slabs_.is_joined(s);
    if (index >= s.slots || p != slabs_.begin_of(s) + index * s.slot_bytes ||
        (joined && joined_slots{s}.continues(index)))
        return gate_.refuse([&] {
            owner_.refuse_free(p, bytes, "it points into an allocation, not to its begin");
        });
    if (bits::all_set(s.bitmap(), index, 1))
        return gate_.refuse(
            [&] { owner_.refuse_free(p, bytes, "it is free already, or was never handed out"); });
    const std::size_t slots = slab_survey::slots_at(slabs_, s, index);
    const std::size_t room = slots * s.slot_bytes;
    if (bytes != unknown_bytes) {
        std::size_t asked = unknown_bytes;
        if constexpr (checks_enabled)
            asked = slot_notes::requested_bytes(slabs_, p, room);
        if (!slab_survey::may_have(s, slots, bytes, alignment) ||
            (checks_enabled && asked != bytes))
            return gate_.refuse([&] { owner_.refuse_size(p, bytes, room, asked); });
    }
    if constexpr (checks_enabled)
        if (slot_notes::is_overrun(slabs_, p, room))
            return gate_.refuse(
                [&] { owner_.refuse_overrun(p, slot_notes::requested_bytes(slabs_, p, room)); });
    poison::no_access(p, room);
    if (slots == 1) {
        static_cast<void>(set_free(s, index));
        return;
    }
    slot_donors::free_object({classes_, slabs_}, s, index, slots);
    if (classes_.of(s).live() == 0 || s.is_due())
        alarmed(s);
}

/// Many objects of a class come and go in units: it goes on in a page, where frees are quicker, if
/// the heap is so large that a page is little, and has one.
void slab_heap::many_frees_in_current(slab_class& its) noexcept {
    slab& s = *its.current();
    const bool is_worth_it = !s.is_page() && s.slot_bytes <= slab_page::largest_slot_bytes &&
                             slabs_.blocks().bytes_reserved() >= page_is_little_bytes;
    slab* const page =
        is_worth_it && slabs_.has_free_page() ? slabs_.make_page(s.slot_class()) : nullptr;
    if (page == nullptr)
        return its.watch_current(returns_.frees_a_look());
    its.go_on_in(*page, slabs_, returns_.frees_a_look());
    if (s.used() == 0)
        remove(s);
}

void slab_heap::remove(slab& s) noexcept {
    donors_.withdraw(classes_, s);
    classes_.of(s).remove(s);
    release(s);
}

void slab_heap::release(slab& s) noexcept {
    if (block* const empty = slabs_.release(s)) { // its last slab has gone
        if (idle_ != idle_slabs::none || holds_much(slabs_))
            idle_ = idle_slabs::likely;
        slabs_.close(*empty, classes_.bytes_in_use(slabs_.blocks()));
    }
}

/// Where the heap holds much more than it needs, or did and nothing lives in it now, the empty
/// slabs that classes would go on with go too.
void slab_heap::give_up_idle_slabs() noexcept {
    const std::size_t in_use = classes_.bytes_in_use(slabs_.blocks());
    const bool shrank = holds_much(slabs_) ? in_use < slabs_.blocks().bytes_reserved() / 4
                                           : idle_ != idle_slabs::none && in_use == 0;
    if (shrank)
        leave_empty_slabs();
    // Blocks of these slabs are no reason to look again.
    if (in_use == 0)
        idle_ = idle_slabs::none;
    else if (idle_ == idle_slabs::likely)
        idle_ = idle_slabs::looked_for;
}

void slab_heap::leave_empty_slabs() noexcept {
    for (unsigned i = 0; i < size_class::count; ++i) {
        slab* const s = classes_[i].current();
        if (s != nullptr && slab_class::count_used(*s) == 0) {
            classes_[i].leave_current();
            remove(*s);
        }
    }
}

bool slab_heap::release_word(block& b, std::size_t word, bits::word freed) noexcept {
    std::byte* const at = reinterpret_cast<std::byte*>(&b) + word * unit_bytes;
    slab& s = slabs_.slab_of(at);
    const bool is_slab = slabs_.holds(s);
    const std::size_t index = is_slab ? word - s.first_word() : 0; // of the word in the slab
    // Bits of slots that were there before, in another slab, are of no object.
    const std::size_t before = index * bits::word_bits;
    const bits::word slots =
        is_slab && before < s.slots ? bits::low_mask(s.slots - before) : bits::word{0};
    if (((s.bitmap()[index] | ~slots) & freed) != 0) [[unlikely]] {
        const std::size_t slot =
            index * bits::word_bits + static_cast<std::size_t>(std::countr_zero(freed));
        gate_.refuse([&] {
            owner_.refuse_free(is_slab ? slabs_.begin_of(s) + slot * s.slot_bytes : at,
                               is_slab ? s.slot_bytes : unknown_bytes, "it is free already");
        });
    }
    // The thread that freed them has counted that on its own books. Here live() sinks by as much,
    // and count_drained() evens it out: the sum over all heaps stays.
    slab_class& its = classes_.of(s);
    if (slabs_.is_joined(s)) [[unlikely]] {
        slot_donors::free_word({classes_, slabs_}, s, index, freed);
    } else {
        const std::size_t count = its.free_word(s, index, freed);
        classes_.count_drained(count, count * s.slot_bytes);
    }
    if (!s.is_due() && its.live() != 0) [[likely]]
        return true;
    // Other slabs of the block may go with this one, and the block with them. Kept as an address
    // only: once the alarm was answered it is looked up before it is read.
    const block* const here = &slabs_.block_of(s);
    alarmed(s);
    return slabs_.blocks().find(here) == here && (here->state & block_state::open) != 0;
}

// ---- giving back --------------------------------------------------------------------------------

void slab_heap::reset() noexcept {
    const heap_gate::guard mark = gate_.enter();
    classes_.note_high_water(slabs_.blocks());
    classes_.begin();
    donors_.clear();
    slabs_.reset();
}

void slab_heap::trim() noexcept {
    const heap_gate::guard mark = gate_.enter();
    classes_.note_high_water(slabs_.blocks());
    leave_empty_slabs();
    slabs_.release_kept();
    slabs_.trim();
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
