// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Frees of a slab_heap, and what follows from them: slabs that become free, and go.
#include <arenite/ordered/detail/slab_heap.hpp>

#include <arenite/core/contract.hpp>
#include <arenite/core/detail/size.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

namespace {

/// A heap may hold this much before slabs that are empty are looked for.
constexpr std::size_t idle_bytes = std::size_t{4} << 20;

} // namespace

// ---- deallocate ---------------------------------------------------------------------------------

void slab_heap::count_last_free(slab& s) noexcept {
    --counts_of(s).live;
    alarmed(s);
}

ARENITE_INLINE bool slab_heap::try_give_to_page(void* p) noexcept {
    return slabs_.may_be_page(p) && try_give_in_own(p);
}

/// From the address to the block, its slab, and the slot's bit; false as above.
template <bool sized>
ARENITE_INLINE bool slab_heap::try_give_to_units(void* p, std::size_t bytes) noexcept {
    const std::size_t offset = slabs_.geometry().offset_of(p);
    if (!may_be_slot(p) || offset < unit_bytes) [[unlikely]]
        return false;
    slab& s = slabs_.geometry().block_of(p)->slab_at(offset);
    if (!s.is_here<false>(this) || (sized && std::size_t{s.slot_bytes} - bytes >= s.slack))
        [[unlikely]]
        return false;
    const std::size_t index = s.index_of(offset);
    if (bits::test_and_set(s.bitmap()[index / bits::word_bits], index)) [[unlikely]]
        return false;
    count_free(s);
    return true;
}

void slab_heap::deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
    if (!try_give_to_page(p)) [[unlikely]]
        deallocate_elsewhere(p, bytes, alignment);
}

void slab_heap::deallocate(void* p) noexcept {
    if (!try_give_to_page(p)) [[unlikely]]
        deallocate_elsewhere(p);
}

void slab_heap::deallocate_elsewhere(void* p, std::size_t bytes, std::size_t alignment) noexcept {
    if (!try_give_to_units<true>(p, bytes)) [[unlikely]]
        deallocate_rare(p, given_bytes(bytes), alignment);
}

void slab_heap::deallocate_elsewhere(void* p) noexcept {
    if (!try_give_to_units<false>(p, 0)) [[unlikely]]
        deallocate_rare(p, unknown_bytes, 1);
}

void slab_heap::deallocate_all(void* const* objects, std::size_t count) noexcept {
    for (std::size_t i = 0; i < count; ++i)
        if (!try_give_to_page(objects[i])) [[unlikely]]
            deallocate_elsewhere(objects[i]);
}

/// Sizes of large objects are kept in granules.
static bool is_large_size(const block& large, std::size_t bytes) noexcept {
    return bytes <= max_object_bytes && align_up(std::max<std::size_t>(bytes, 1), granule_bytes) ==
                                            block_source::large_bytes(large);
}

/// Frees an object that is large, in joined slots, of another heap, or freed with another alignment
/// than it was allocated with; or reports misuse.
void slab_heap::deallocate_rare(void* p, std::size_t bytes, std::size_t alignment) noexcept {
    if (may_be_slot(p)) {
        if (slab* const s = find_slab(p)) {
            const slow_call_guard mark = begin_slow_call();
            return deallocate_slot(*s, p, bytes, alignment);
        }
    }
    if (owner_.on_foreign_free != nullptr && owner_.on_foreign_free(*this, p, bytes, alignment))
        return;
    const slow_call_guard mark = begin_slow_call();
    block* const b = slabs_.blocks().find(p);
    if (b == nullptr)
        return refuse_own_free(p, bytes, "not of this heap, or freed before");
    if ((b->state & block_state::large) != 0) {
        if (p != block_source::large_object(*b))
            return refuse_own_free(p, bytes, "it points into a large allocation, not to its begin");
        if (bytes != unknown_bytes && !is_large_size(*b, bytes))
            return refuse_own_size(p, bytes, block_source::large_bytes(*b),
                                   block_source::large_bytes(*b));
        slabs_.blocks().deallocate_large(*b, bytes_in_use());
        if (slabs_.open_blocks() > 1 && nothing_lives())
            give_up_idle_slabs();
        return;
    }
    slab* const s = slabs_.slab_around(*b, p);
    if (s == nullptr)
        return refuse_own_free(p, bytes, "no allocation begins there, or it is free already");
    deallocate_slot(*s, p, bytes, alignment);
}

/// In a slab of this heap, with every check.
void slab_heap::deallocate_slot(slab& s, void* p, std::size_t bytes,
                                std::size_t alignment) noexcept {
    const std::size_t index = slabs_.index_of(s, p);
    if (index >= s.slots || p != slabs_.begin_of(s) + index * s.slot_bytes ||
        (is_joined(s) && joined_slots{s}.continues(index)))
        return refuse_own_free(p, bytes, "it points into an allocation, not to its begin");
    if (bits::all_set(slabs_.words_of(s), index, 1))
        return refuse_own_free(p, bytes, "it is free already, or was never handed out");
    const std::size_t slots = slots_at(s, index);
    if (bytes != unknown_bytes) {
        const std::size_t room = slots * s.slot_bytes;
        const bool right = may_have(s, slots, bytes, alignment);
        if constexpr (checks_enabled) {
            const std::size_t asked = room - slabs_.note_of(s, index);
            if (!right || asked != bytes)
                return refuse_own_size(p, bytes, room, asked);
        }
        if (!right)
            return refuse_own_size(p, bytes, room, unknown_bytes);
    }
    poison::no_access(p, slots * s.slot_bytes);
    if (slots != 1)
        return set_free_joined(s, index, slots);
    bits::set_run(slabs_.words_of(s), index, 1);
    count_free(s);
}

void slab_heap::recover_after_fork() noexcept { slabs_.blocks().may_grow(true); }

/// So much of a slab is free that it is to be allocated from again, or all of it; or no object of
/// its class lives any more.
void slab_heap::alarmed(slab& s) noexcept {
    const bool class_is_empty = counts_of(s).live == 0;
    const auto may_be_idle = [&] { // asked outside the gate, too, while others trim
        return class_is_empty && slabs_.blocks().bytes_reserved_approximate() > idle_bytes &&
               (blocks_came_free_ || (slabs_.open_blocks() > 1 && nothing_lives()));
    };
    if (!s.is_due() && !may_be_idle()) // one object, again and again
        return;
    const slow_call_guard mark = begin_slow_call();
    if (s.slot_class() == size_class::single) {
        single_bytes_ -= s.slot_bytes;
        release(s);
    } else if (s.is_due()) {
        if (&s == lists_[s.slot_class()].current) // 2^30 frees behind
            s.alarm_at(count_used(s), slab::silent);
        else if (s.used() == 0)
            remove(s);
        else
            set_alarm(s);
    }
    if (may_be_idle())
        give_up_idle_slabs();
}

bool slab_heap::nothing_lives() const noexcept {
    return slabs_.blocks().large().count() == 0 &&
           std::all_of(std::begin(classes_), std::end(classes_),
                       [](const slot_class_state& c) { return c.live == 0; });
}

void slab_heap::remove(slab& s) noexcept {
    class_slabs& list = lists_[s.slot_class()];
    if ((s.state & slab_state::lending) != 0)
        stop_lending(s);
    list.units -= s.units;
    list.all.erase(s);
    if (s.is_page())
        count_page(s.slot_class(), list.pages - 1);
    release(s);
}

void slab_heap::release(slab& s) noexcept {
    if (block* const empty = slabs_.release(s)) {
        slabs_.close(*empty, bytes_in_use());
        blocks_came_free_ = true;
    }
}

/// Blocks have come free since this was looked at last, or nothing lives in several: where the heap
/// holds much more than it needs, the empty slabs that classes would go on with go too.
void slab_heap::give_up_idle_slabs() noexcept {
    blocks_came_free_ = false;
    const std::size_t reserved = slabs_.blocks().bytes_reserved();
    if (reserved > idle_bytes && bytes_in_use() < reserved / 4)
        leave_empty_slabs();
}

void slab_heap::leave_empty_slabs() noexcept {
    for (unsigned i = 0; i < size_class::count; ++i) {
        slab* const s = lists_[i].current;
        if (s != nullptr && count_used(*s) == 0) {
            suspend(i);
            remove(*s);
        }
    }
}

bool slab_heap::release_word(block& b, std::size_t word, bits::word freed) noexcept {
    slab& s = slabs_.slab_of(reinterpret_cast<std::byte*>(&b) + word * unit_bytes);
    const bool is_slab = holds(s);
    const std::size_t index = is_slab ? word - s.first_word() : 0; // of the word in the slab
    if (!is_slab || (s.bitmap()[index] & freed) != 0) [[unlikely]] {
        const std::size_t slot =
            index * bits::word_bits + static_cast<std::size_t>(std::countr_zero(freed));
        refuse_own_free(is_slab ? slabs_.begin_of(s) + slot * s.slot_bytes
                                : reinterpret_cast<std::byte*>(&b) + word * unit_bytes,
                        is_slab ? s.slot_bytes : unknown_bytes, "it is free already");
    }
    if (is_joined(s)) [[unlikely]] {
        release_joined_word(s, word, freed);
    } else {
        s.bitmap()[index] |= freed;
        const auto count = static_cast<std::int32_t>(bits::count_ones(freed));
        s.add_used(-count);
        counts_of(s).live -= count;
        settled_ += count;
        settled_bytes_ += count * std::int64_t{s.slot_bytes};
    }
    if (!s.is_due() && counts_of(s).live != 0) [[likely]]
        return true;
    // Other slabs of the block may go with this one, and the block with them.
    const block* const here = &slabs_.block_of(s);
    alarmed(s);
    return slabs_.blocks().find(here) == here && (here->state & block_state::open) != 0;
}

// ---- giving back --------------------------------------------------------------------------------

void slab_heap::reset() noexcept {
    const slow_call_guard mark = begin_slow_call();
    note_high_water();
    for (unsigned i = 0; i <= size_class::count; ++i) {
        classes_[i].free = &no_slot_;
        classes_[i].live = 0;
    }
    std::fill(std::begin(lists_), std::end(lists_), class_slabs{});
    single_bytes_ = 0;
    settled_ = settled_bytes_ = joined_ = 0;
    slabs_.reset();
}

void slab_heap::trim() noexcept {
    const slow_call_guard mark = begin_slow_call();
    note_high_water();
    leave_empty_slabs();
    slabs_.trim();
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
