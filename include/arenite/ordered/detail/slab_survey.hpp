// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/block/detail/block_source.hpp>
#include <arenite/core/detail/bits.hpp>
#include <arenite/core/region.hpp>
#include <arenite/ordered/detail/joined_slots.hpp>
#include <arenite/ordered/detail/slab.hpp>
#include <arenite/ordered/detail/slab_source.hpp>

#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Questions to the slabs of a heap that change nothing: which object lies where, what may be done
/// with it, and all there is.
///
/// Threads:   where nothing else is said, the heap's own. "Any thread": while the object lives.
namespace slab_survey {

/// Slots of the object that begins at a slot in use. Any thread.
[[nodiscard]] inline std::size_t slots_at(const slab_source& in, const slab& s,
                                          std::size_t index) noexcept {
    return in.is_joined(s) ? joined_slots{s}.slots_at(index) : 1;
}

/// True if p, in the slab or not, is where an object of it begins. Any thread: of an object that
/// another one frees meanwhile as it was a moment ago.
[[nodiscard]] bool begins_object(const slab_source& in, const slab& s, const void* p) noexcept;

/// Bytes that may be used at p; 0 where no object of the slab begins, or `s` is null or no slab of
/// this source. Any thread.
[[nodiscard]] std::size_t room_at(const slab_source& in, const slab* s, const void* p) noexcept;
/// room_at in the slab of this source that p lies in.
[[nodiscard]] inline std::size_t room_at(const slab_source& in, const void* p) noexcept {
    return room_at(in, in.find_slab(p), p);
}

/// True if an object of so many slots may have been asked for like this, or resized to it.
[[nodiscard]] bool may_have(const slab& s, std::size_t slots, std::size_t bytes,
                            std::size_t alignment) noexcept;

/// True if a slot of the slab is what such a request gets: for that alignment, or for any, since
/// code that resizes may not know with which an object was allocated.
[[nodiscard]] bool is_of_class(const slab& s, std::size_t bytes, std::size_t alignment) noexcept;

/// True if the object at p, in a slab of this source, can have this size where it lies; false where
/// no slab is. Any thread.
[[nodiscard]] bool fits_in_place(const slab_source& in, const void* p, std::size_t bytes,
                                 std::size_t alignment) noexcept;

/// A slot of a slab.
struct slot_place {
    slab* in = nullptr; ///< null: there is none
    std::size_t index = 0;
};
/// The free slot of a class that is nearest to p, an address in an open block, in that block.
[[nodiscard]] slot_place nearest_free(const slab_source& in, block& b, unsigned slot_class,
                                      const void* p) noexcept;

/// All memory, block by block; objects one by one, or joined where they are neighbours. The heap's
/// gate must be held.
void list_regions(const slab_source& in, region_sink& sink, bool one_by_one);

/// Calls f(const void* p, std::size_t bytes) for each object, block by block.
template <class F>
void for_each_object(const slab_source& in, F f) {
    const block_list& all = in.blocks().blocks();
    for (block* b = all.first(); b != nullptr; b = all.above(*b)) {
        if ((b->state & block_state::large) != 0) {
            f(block_source::large_object(*b), block_source::large_bytes(*b));
        } else if ((b->state & block_state::empty) == 0) {
            in.for_each_slab(*b, [&](slab& s) {
                const bits::word* const words = s.bitmap();
                for (std::size_t i = 0; (i = bits::next_clear(words, i, s.slots)) != s.slots;) {
                    const std::size_t slots = slots_at(in, s, i);
                    f(in.begin_of(s) + i * s.slot_bytes, slots * s.slot_bytes);
                    i += slots;
                }
            });
        }
    }
}

} // namespace slab_survey

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
