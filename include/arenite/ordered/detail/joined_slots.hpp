// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/detail/atomic_access.hpp>
#include <arenite/core/detail/bits.hpp>
#include <arenite/ordered/detail/slab_page.hpp>

#include <atomic>
#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Which slots of a sparse slab belong together: objects of a larger class may take several that
/// lie side by side, so that memory in which little is left alive can serve another size.
///
///     slots    | a | b   b   b | - | c | - |
///     free       0   0   0   0   1   0   1       as in each slab
///     joined     0   0   1   1   0   0   0       1: belongs to the object before it
///
/// The bits lie behind those of the slots: in words that a slab of slots of 32 bytes or more does
/// not need, or that a page has for them.
///
/// Threads:   the owner's; slots_at() by any, for an object that lives.
class joined_slots {
public:
    /// An object has this many slots at most.
    static constexpr std::size_t most = 16;

    /// The slab must have spare words.
    explicit joined_slots(const slab& s) noexcept
        : words_{const_cast<bits::word*>(s.bitmap()) +
                 (s.is_page() ? slab_page::words_for(s.slot_bytes) : s.words())},
          slots_{s.slots} {}

    void clear() noexcept {
        for (std::size_t i = 0; i * bits::word_bits < slots_; ++i)
            store(words_[i], 0);
    }

    /// Slots of the object that begins at this one.
    [[nodiscard]] std::size_t slots_at(std::size_t index) const noexcept {
        std::size_t count = 1;
        while (index + count < slots_ && continues(index + count))
            ++count;
        return count;
    }

    /// True if the slot belongs to the object before it.
    [[nodiscard]] bool continues(std::size_t index) const noexcept {
        return (load(words_[index / bits::word_bits]) >> index % bits::word_bits & 1) != 0;
    }

    void join(std::size_t first, std::size_t count) noexcept {
        bits::for_each_part(words_, first + 1, count - 1,
                            [](bits::word& w, bits::word mask) { store(w, w | mask); });
    }
    void part(std::size_t first, std::size_t count) noexcept {
        bits::for_each_part(words_, first + 1, count - 1,
                            [](bits::word& w, bits::word mask) { store(w, w & ~mask); });
    }

    /// True if no object has more than a slot.
    [[nodiscard]] bool none() const noexcept { return bits::next_set(words_, 0, slots_) == slots_; }

private:
    static bits::word load(bits::word& w) noexcept {
        return atomic_load(w, std::memory_order_relaxed);
    }
    static void store(bits::word& w, bits::word value) noexcept {
        atomic_store(w, value, std::memory_order_relaxed);
    }

    bits::word* words_;
    std::size_t slots_;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
