// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Sizes that were asked for. handed_out() and resized() tell a memory checker in every build; only
// checked builds write the note, which requested_bytes() reads back, and the pattern behind the
// object, at which is_overrun() looks. A note is the difference between all slots of an object and
// its size; its highest bit says that size_of() has told of what lies behind.
#include <arenite/ordered/detail/slot_notes.hpp>

#include <arenite/check/detail/poison.hpp>
#include <arenite/ordered/detail/slab_survey.hpp>

#include <algorithm>
#include <cstring>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

namespace {

constexpr unsigned told_bit = 0x8000;
constexpr unsigned slack_mask = told_bit - 1;

/// So many bytes behind an object hold the pattern, or all of its slack where that is less.
constexpr std::size_t most_guarded = 64;
constexpr auto slack_pattern = std::byte{0xFD};

/// Where a memory checker runs, what lies behind an object must not be touched.
constexpr bool has_guard = checks_enabled && !poison::active;

[[maybe_unused]] void note_size(const slab_source& in, const slab& s, const void* p,
                                std::size_t bytes) noexcept {
    const std::size_t index = in.index_of(s, p);
    const std::size_t room = slab_survey::slots_at(in, s, index) * s.slot_bytes;
    slot_notes::note_of(in, s, index) = static_cast<std::uint16_t>(room - bytes);
    if constexpr (has_guard)
        std::memset(in.begin_of(s) + index * s.slot_bytes + bytes,
                    std::to_integer<int>(slack_pattern), std::min(room - bytes, most_guarded));
}

[[maybe_unused]] std::uint16_t& note_at(const slab_source& in, const void* p) noexcept {
    const slab& s = in.slab_of(p);
    return slot_notes::note_of(in, s, in.index_of(s, p));
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
    return room - (note_at(in, p) & slack_mask);
}

void slot_notes::told_room(const slab_source& in, const void* p) noexcept {
    note_at(in, p) |= told_bit;
}

bool slot_notes::is_overrun(const slab_source& in, const void* p, std::size_t room) noexcept {
    const unsigned note = note_at(in, p);
    if (!has_guard || (note & told_bit) != 0)
        return false;
    const std::byte* const end = static_cast<const std::byte*>(p) + room - note;
    const std::byte* const guarded = end + std::min<std::size_t>(note, most_guarded);
    return std::any_of(end, guarded, [](std::byte b) { return b != slack_pattern; });
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
