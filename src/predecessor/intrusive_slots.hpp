// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

// The contents of a block of an intrusive_resource: its free slots by length, and the header before
// each slot.

#include <arenite/block/detail/colouring.hpp>
#include <arenite/check/detail/poison.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/predecessor/intrusive_resource.hpp>

#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {

/// Stands behind the head of a block: where its free slots are, by length; 0: none.
struct intrusive_resource::lists {
    std::uint64_t filled;
    std::uint16_t first[64];

    static lists& of(detail::block& b) noexcept { return *reinterpret_cast<lists*>(&b + 1); }
    static const lists& of(const detail::block& b) noexcept {
        return *reinterpret_cast<const lists*>(&b + 1);
    }

    // Elements are numbered from the block's first byte.
    static std::byte* at(const detail::block& b, std::size_t element) noexcept {
        return const_cast<std::byte*>(reinterpret_cast<const std::byte*>(&b)) +
               element * element_bytes;
    }
    static std::uint16_t number(const detail::block& b, const std::byte* slot) noexcept {
        return static_cast<std::uint16_t>((address_of(slot) - address_of(&b)) / element_bytes);
    }
};

// ---- headers ------------------------------------------------------------------------------------

#if ARENITE_HAS_ASAN

// Headers before an object stay out of the user's reach, so these read and write unseen.
namespace detail {
using raw_word [[gnu::may_alias]] = std::uint32_t;

[[gnu::noinline, gnu::no_sanitize_address]] inline std::uint32_t
load_unseen(const std::byte* h) noexcept {
    return *reinterpret_cast<const raw_word*>(h);
}
[[gnu::noinline, gnu::no_sanitize_address]] inline void store_unseen(std::byte* h,
                                                                     std::uint32_t word) noexcept {
    *reinterpret_cast<raw_word*>(h) = word;
}
} // namespace detail

inline intrusive_resource::header intrusive_resource::peek(const std::byte* h) noexcept {
    return {detail::load_unseen(h)};
}
inline void intrusive_resource::poke(std::byte* h, header to) noexcept {
    detail::store_unseen(h, to.word);
}

#else

inline intrusive_resource::header intrusive_resource::peek(const std::byte* h) noexcept {
    detail::poison::defined(h, element_bytes);
    const header is{load(h)};
    detail::poison::no_access(h, ARENITE_HAS_VALGRIND ? element_bytes : 0);
    return is;
}
inline void intrusive_resource::poke(std::byte* h, header to) noexcept {
    detail::poison::defined(h, element_bytes);
    store(h, to.word);
    detail::poison::no_access(h, ARENITE_HAS_VALGRIND ? element_bytes : 0);
}

#endif

inline void intrusive_resource::set_previous(std::byte* h, std::size_t previous) noexcept {
    const header is = peek(h);
    poke(h, {(is.word & ~header::distance_mask) |
             header::of(previous, 0, static_cast<status>(0)).word});
}

/// The header of a block's first slot; the first object lies on a multiple of 64.
inline std::byte* intrusive_resource::first_slot(const detail::block& b) const noexcept {
    const std::size_t colour = detail::colour_offset(address_of(&b), source_.mask_bytes());
    const std::size_t head =
        align_up(sizeof(detail::block) + sizeof(lists) + element_bytes, 64) + colour;
    return lists::at(b, 0) + head - element_bytes;
}

/// The header behind a block's last slot, of none.
inline std::byte* intrusive_resource::end_slot(const detail::block& b) noexcept {
    return lists::at(b, 0) + b.bytes() - element_bytes;
}

/// Bytes of all slots of a block.
inline std::int32_t intrusive_resource::room_of(const detail::block& b) const noexcept {
    return static_cast<std::int32_t>(end_slot(b) - first_slot(b));
}

/// Bytes of a block that must be free before it is allocated from again.
inline std::int32_t intrusive_resource::share_of(const detail::block& b) const noexcept {
    constexpr std::int32_t share_divisor = 8;
    return room_of(b) / share_divisor;
}

/// Calls f(begin, bytes, status) for each slot of a block, the open one whole.
template <class F>
void intrusive_resource::for_each_slot(const detail::block& b, F f) const {
    const std::byte* const end = end_slot(b);
    for (const std::byte* h = first_slot(b); h < end;) {
        const header is = peek(h);
        std::size_t length = is.next();
        if (is.state() == status::open)
            length = h == main_.cursor ? main_.bytes() : beside_.bytes();
        if (length == 0) // overwritten from beyond an object's end
            return;
        f(h, length, is.state());
        h += length;
    }
}

} // namespace ARENITE_ABI
} // namespace arenite
