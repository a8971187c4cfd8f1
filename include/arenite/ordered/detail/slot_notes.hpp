// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/ordered/detail/slab.hpp>
#include <arenite/ordered/detail/slab_source.hpp>

#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// The bytes that were asked for of each slot, as checked builds note them and memory checkers are
/// informed.
///
///     slab   | slot 0 | slot 1 | slot 2 | ... | note 2 | note 1 | note 0 |
///
/// A note says how many bytes of its slot, or of the slots that an object has, were not asked for.
/// The first of these hold a pattern, by which a write beyond the object's end is found, unless
/// size_of() has told of them. In other builds there are no notes, and nothing here takes time
/// where no memory checker runs.
///
/// Threads:   the heap's own.
namespace slot_notes {

/// The note of the slot with this index. Checked builds only.
[[nodiscard]] inline std::uint16_t& note_of(const slab_source& in, const slab& s,
                                            std::size_t index) noexcept {
    return *(reinterpret_cast<std::uint16_t*>(in.begin_of(s) + s.bytes()) - 1 - index);
}

/// An object of so many bytes is handed out at p: a slot of the slab, or the first of several.
void handed_out(const slab_source& in, const slab& s, void* p, std::size_t bytes) noexcept;

/// The object at p, in a slab, has another size from now on.
void resized(const slab_source& in, void* p, std::size_t old_bytes, std::size_t new_bytes) noexcept;

/// Bytes that were asked for an object that has `room` bytes; 0 where that was not noted.
[[nodiscard]] std::size_t requested_bytes(const slab_source& in, const void* p,
                                          std::size_t room) noexcept;

/// The user of the object at p, in a slab, may write to all of its room from now on.
void told_room(const slab_source& in, const void* p) noexcept;

/// True if somebody wrote behind what was asked for the object at p, in a slab, that has `room`
/// bytes. Checked builds only; where a memory checker runs, it finds that itself.
[[nodiscard]] bool is_overrun(const slab_source& in, const void* p, std::size_t room) noexcept;

} // namespace slot_notes

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
