// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/detail/atomic_access.hpp>
#include <arenite/core/detail/bits.hpp>
#include <arenite/ordered/detail/slab.hpp>
#include <arenite/ordered/detail/slab_front.hpp>
#include <arenite/ordered/detail/slab_page.hpp>

#include <cstddef>

// From a slab to its class, and the frees that are inlined: a bit, two counts, and a call where one
// of these says so. The question whether an object lies in a page takes the same way.

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

ARENITE_INLINE slab_class& slab_classes::of(const slab& s) noexcept { return *s.its_class; }

/// Its only free is then the one that is reported.
ARENITE_INLINE void slab_class::add_single(slab& s) noexcept {
    s.its_class = this;
    s.alarm_at(1, 0);
    *s.bitmap() = 0;
    ++live_;
}

ARENITE_INLINE void slab_classes::add_single(slab& s) noexcept {
    all_[size_class::single].add_single(s);
    single_bytes_ += s.slot_bytes;
}

/// Frees the slot of a bit and counts it; false, and nothing is done, if it is free. Calls last()
/// where the slab's count comes to 0, else alarmed() where that of its class comes to its end: the
/// callers give both, so that each keeps in registers what it came with.
template <class Last, class Alarmed>
ARENITE_INLINE bool free_bit(slab& s, bits::word& word, std::size_t index, Last last,
                             Alarmed alarmed) noexcept {
    if (bits::test_and_set(word, index)) [[unlikely]]
        return false;
    if (--s.frees_left == 0) [[unlikely]] // each test on the flags of its subtraction
        last();
    else if (slab_classes::of(s).count_free()) [[unlikely]]
        alarmed();
    return true;
}

ARENITE_INLINE bool slab_front::set_free(slab& s, std::size_t index) noexcept {
    return free_bit(
        s, s.bitmap()[index / bits::word_bits], index, [&] { count_last_free(s); },
        [&] { alarmed(s); });
}

/// set_free from the address to the page, and to the slot's bit there. False, and nothing is done,
/// for what lies elsewhere, is rare, or misuse. Calls find the page again, so that the heap and the
/// address can stay in the registers that they came in.
ARENITE_INLINE bool slab_front::try_give_in_own(void* p) noexcept {
    if constexpr (slow_only)
        return false;
    slab& s = slab_page::of(p);
    if (!s.is_here<true>(this)) [[unlikely]]
        return false;
    const std::size_t index = s.index_in_page(p);
    return free_bit(
        s, slab_page::words_of(s)[index / bits::word_bits], index,
        [=, this] { count_last_free_of_page(p); }, [=, this] { alarmed_page(p); });
}

ARENITE_INLINE bool slab_front::try_give(void* p) noexcept {
    return pages_.may_hold(p) && try_give_in_own(p);
}

ARENITE_INLINE const slab* slab_front::page_of_slot(const void* p) const noexcept {
    if constexpr (slow_only)
        return nullptr;
    const slab& s = slab_page::of(p);
    if (!s.is_here_now<true>(this)) [[unlikely]]
        return nullptr;
    const std::size_t index = s.index_in_page(p);
    const bits::word& word = slab_page::words_of(s)[index / bits::word_bits];
    const bool in_use = (glance(word) >> index % bits::word_bits & 1) == 0;
    return in_use && index * s.slot_bytes == s.offset_in_page(p) ? &s : nullptr;
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
