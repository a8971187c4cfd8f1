// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/detail/atomic_access.hpp>
#include <arenite/core/detail/extremes.hpp>
#include <arenite/ordered/detail/slab.hpp>
#include <arenite/ordered/detail/slab_block.hpp>

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

class slab_source;

/// Slabs that nothing lives in, whose units stay theirs for the next slab of about that length: by
/// length, the latest first.
///
///     lengths   ... | 9 | 10 | 11 | 12 | ...        a bit for each length that there is one of
///     first           |         |
///                    slab      slab -> slab
///
/// A kept slab has one slot, whose bit says free: so whoever frees into it once more is found, by
/// the call or when what other threads freed is drained.
///
/// An object of its own units that comes and goes in kept ones changes no slab: of it others see
/// the bit and the size alone, by glances. So its calls need no gate, and a fork may come in the
/// middle of them: recount() mends that in the child.
///
/// Cost:      O(1); recount() O(slabs).
/// Threads:   one at a time, as their source.
class kept_runs {
public:
    static constexpr std::size_t longest = 63; ///< units

    [[nodiscard]] static bool may_keep(const slab& s) noexcept { return s.units <= longest; }
    void keep(slab& s) noexcept;
    /// It is kept no more.
    void forget(slab& s) noexcept;
    /// None is.
    void clear() noexcept { *this = {}; }

    /// No slab of a block is kept any more; `last` of it is none.
    void forget_all(slab_block& head, const slab& last) noexcept;

    /// The shortest of so many units or more and `most` at most; nullptr where there is none.
    [[nodiscard]] slab* shortest(std::size_t least, std::size_t most = longest) const noexcept;
    /// The longest of so many units or fewer, but no shorter than `least`.
    [[nodiscard]] slab* longest_of(std::size_t least, std::size_t most) const noexcept;
    /// One of each length in turn; nullptr where none is kept.
    [[nodiscard]] slab* next() noexcept;

    /// One for which f(slab&) is true; nullptr where there is none. O(slabs).
    template <class F>
    [[nodiscard]] slab* find(F f) const noexcept;

    /// All units that are kept.
    [[nodiscard]] std::size_t units() const noexcept { return units_; }

    // Objects that come and go in units that are kept. `head` is that of the slab's block. No call
    // needs the gate; a build that has only slow calls has it all the same.

    /// One for a slot of so many units, up to `longest`; nullptr where none is of about that
    /// length, in a source of so many blocks.
    [[nodiscard]] ARENITE_INLINE slab* single_of(std::size_t units,
                                                 std::size_t blocks) const noexcept;
    /// It is in use from now on.
    ARENITE_INLINE void take_single(slab& s, std::size_t units, slab_block& head) noexcept;
    /// Keeps one whose slot was freed; false where the source has more to do, and nothing is done.
    [[nodiscard]] ARENITE_INLINE bool keep_single(slab& s, slab_block& head,
                                                  std::size_t blocks) noexcept;

    /// In a forked child, of a source whose thread is not there and may have been in one of these
    /// two calls: finds all that is kept anew, by the bits of the slots alone. O(slabs).
    void recount(slab_source& of) noexcept;

    // Slabs in use whose single slot is shorter than they are: what it leaves counts as kept.
    [[nodiscard]] static std::size_t unused_of(const slab& s) noexcept {
        return s.units - (s.slot_bytes + slab::note_bytes) / unit_bytes;
    }
    void add_unused(std::size_t units) noexcept { unused_ += units; }
    void remove_unused(std::size_t units) noexcept { unused_ -= units; }

    /// Units that a slot of so many may leave unused: a quarter, or in a small heap any number
    /// while that is little in all.
    [[nodiscard]] std::size_t may_leave_unused(std::size_t wanted,
                                               std::size_t blocks) const noexcept {
        const bool may = is_small(blocks) && unused_ < small_unused;
        const std::size_t little = may ? small_unused - unused_ : 0;
        return larger(little, unused_ < most(blocks) / 2 ? wanted / 4 : 0);
    }
    /// True for a source of so few blocks that what it keeps is little.
    [[nodiscard]] static bool is_small(std::size_t blocks) noexcept {
        return blocks <= small_blocks;
    }
    /// True if a source of so many blocks should keep less.
    [[nodiscard]] bool has_more_than_its_share(std::size_t blocks) const noexcept {
        return units_ + unused_ > most(blocks);
    }

private:
    static constexpr std::size_t always = 512; ///< units that may be kept in the smallest heap
    static constexpr std::size_t share = 24;   ///< and so many for each block
    static constexpr std::size_t small_blocks = 8;
    static constexpr std::size_t small_unused = 128; ///< in a heap of so few blocks, in all

    [[nodiscard]] static constexpr std::size_t most(std::size_t blocks) noexcept {
        return always + blocks * share;
    }
    /// The lengths from `least` to `most` of which one is kept.
    [[nodiscard]] std::uint64_t lengths(std::size_t least, std::size_t most) const noexcept {
        return lengths_ & ~std::uint64_t{0} << least & ~std::uint64_t{0} >> (longest - most);
    }

    slab* first_[longest + 1] = {};
    std::uint64_t lengths_ = 0;
    std::size_t units_ = 0;
    std::size_t unused_ = 0;
    std::size_t turn_ = 0; ///< of next()
};

inline void kept_runs::keep(slab& s) noexcept {
    slab*& first = first_[s.units];
    s.left = nullptr;
    s.right = first;
    if (first != nullptr)
        first->left = &s;
    first = &s;
    lengths_ |= std::uint64_t{1} << s.units;
    units_ += s.units;
}

inline void kept_runs::forget(slab& s) noexcept {
    if (s.right != nullptr)
        s.right->left = s.left;
    if (s.left != nullptr)
        s.left->right = s.right;
    else if ((first_[s.units] = s.right) == nullptr)
        lengths_ &= ~(std::uint64_t{1} << s.units);
    units_ -= s.units;
}

ARENITE_INLINE slab* kept_runs::single_of(std::size_t units, std::size_t blocks) const noexcept {
    const std::uint64_t those = lengths_ & ~std::uint64_t{0} << units;
    if (those == 0)
        return nullptr;
    const auto length = static_cast<std::size_t>(std::countr_zero(those));
    return length - units <= may_leave_unused(units, blocks) ? first_[length] : nullptr;
}

ARENITE_INLINE void kept_runs::take_single(slab& s, std::size_t units, slab_block& head) noexcept {
    forget(s);
    add_unused(s.units - units);
    ++head.slab_count;
    head.fresh_slabs &= ~(std::uint32_t{1} << (&s - head.slabs)); // it has been written
    atomic_store(s.slot_bytes, static_cast<std::uint16_t>(units * unit_bytes),
                 std::memory_order_relaxed);
}

ARENITE_INLINE bool kept_runs::keep_single(slab& s, slab_block& head, std::size_t blocks) noexcept {
    const bool has_room = units_ + unused_ + s.units <= most(blocks);
    if (!may_keep(s) || head.slab_count == 1 || !has_room) [[unlikely]]
        return false;
    remove_unused(unused_of(s));
    --head.slab_count;
    keep(s);
    return true;
}

inline void kept_runs::forget_all(slab_block& head, const slab& last) noexcept {
    constexpr std::uint32_t all = (std::uint32_t{1} << slab_block::most_slabs) - 2;
    std::uint32_t kept = all & ~head.free_slabs & ~(std::uint32_t{1} << (&last - head.slabs));
    for (; kept != 0; kept &= kept - 1) {
        slab& s = head.slabs[std::countr_zero(kept)];
        forget(s);
        s.set_tag(0); // whoever frees into it once more is found
    }
}

inline slab* kept_runs::shortest(std::size_t least, std::size_t most) const noexcept {
    if (least > most)
        return nullptr;
    const std::uint64_t those = lengths(least, most);
    return those == 0 ? nullptr : first_[std::countr_zero(those)];
}

inline slab* kept_runs::longest_of(std::size_t least, std::size_t most) const noexcept {
    if (least > most)
        return nullptr;
    const std::uint64_t those = lengths(least, most);
    return those == 0 ? nullptr
                      : first_[longest - static_cast<std::size_t>(std::countl_zero(those))];
}

inline slab* kept_runs::next() noexcept {
    if (lengths_ == 0)
        return nullptr;
    const std::uint64_t rest = lengths(turn_, longest);
    const auto length = static_cast<std::size_t>(std::countr_zero(rest != 0 ? rest : lengths_));
    turn_ = (length + 1) & longest;
    return first_[length];
}

template <class F>
slab* kept_runs::find(F f) const noexcept {
    for (std::uint64_t rest = lengths_; rest != 0; rest &= rest - 1)
        for (slab* s = first_[std::countr_zero(rest)]; s != nullptr; s = s->right)
            if (f(*s))
                return s;
    return nullptr;
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
