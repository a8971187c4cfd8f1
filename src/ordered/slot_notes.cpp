// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Sizes that were asked for. handed_out() and resized() tell a memory checker in every build; only
// checked builds write the note, which requested_bytes() reads back. A note is the difference
// between all slots of an object and its size.
#include <arenite/ordered/detail/slot_notes.hpp>

#include <arenite/check/detail/poison.hpp>
#include <arenite/ordered/detail/slab_survey.hpp>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

namespace {

[[maybe_unused]] void note_size(const slab_source& in, const slab& s, const void* p,
                                std::size_t bytes) noexcept {
    const std::size_t index = in.index_of(s, p);
    const std::size_t room = slab_survey::slots_at(in, s, index) * s.slot_bytes;
    slot_notes::note_of(in, s, index) = static_cast<std::uint16_t>(room - bytes);
}

} // namespace

void slot_notes::handed_out(const slab_source& in, const slab& s, void* p,
                            std::size_t bytes) noexcept {
    poison::undefined(p, bytes + (bytes == 0));
    if constexpr (checks_enabled)
        note_size(in, s, p, bytes);
}

void slot_notes::resized(const slab_source& in, void* p, std::size_t old_bytes,
                         std::size_t new_bytes) noexcept {
    auto* const object = static_cast<std::byte*>(p);
    if (new_bytes < old_bytes)
        poison::no_access(object + new_bytes, old_bytes - new_bytes);
    else
        poison::undefined(object + old_bytes, new_bytes - old_bytes);
    if constexpr (checks_enabled)
        note_size(in, in.slab_of(p), p, new_bytes);
}

std::size_t slot_notes::requested_bytes(const slab_source& in, const void* p,
                                        std::size_t room) noexcept {
    const block* const b = checks_enabled ? in.blocks().find(p) : nullptr;
    if (b == nullptr || (b->state & block_state::large) != 0)
        return 0;
    const slab& s = in.slab_of(p);
    return room - note_of(in, s, in.index_of(s, p));
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
