// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/block/detail/address_list.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/atomic_access.hpp>
#include <arenite/core/detail/bits.hpp>
#include <arenite/ordered/detail/size_class.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

struct slab;
class slab_source;

extern template class address_list<slab>;
using slab_list = address_list<slab>;

/// The slots of one size in a heap: its slabs, and the one that it allocates from.
///
///     free   --> | word of bits |     the word that it allocates from,
///     first  --> the slot of its first bit, and
///     next       the number of the slot that is tried next
///     slabs      | 1 0 0 ... | 0 0 ... | 1 1 1 ... |      in address order, 1: free
///
/// Which slot is next is found out when the one before is taken: the lowest that is free then. So a
/// request knows its address at once, and need not wait for a free just before it, whose word and
/// bit take long to find. A lower slot that comes free meanwhile is the one after. The bit decides:
/// where it says that the next slot is not free, as where none was, a slow call takes the lowest.
///
/// The last of a heap's classes, size_class::single, has only a count: each of its slabs is one
/// slot, and none is allocated from again.
///
/// A slab is not swept to its end where few objects live. The first 64 slots of it are open, or
/// 4 KiB of smaller ones; when they have been walked through, and less than a quarter of them is
/// free, twice as many. So of a size of which a few objects come and go little of a page is
/// touched, and that is in the cache.
///
/// Invariants:
///
///     free == a word of the current slab, or an empty word where there is none; next < 64
///     live == slots handed out and not yet freed; a free by another thread counts when seen
///     for each slab: see slab, for what its books say while it is the current one
///
/// The bits of slots are written here, and by slab_heap where an object is freed quickly.
///
/// Threads:   one at a time, as its heap; live_approximate() by any.
class alignas(64) slab_class {
public:
    /// Empty, without slabs; `slot_bytes`: 0 for size_class::single.
    constexpr void begin(std::uint32_t slot_bytes) noexcept {
        *this = {};
        free_ = &no_slots;
        slot_bytes_ = slot_bytes;
    }

    /// The next slot, if it is free; else nullptr. `number` is that of this class; where it is a
    /// constant, so is the size of a slot.
    [[nodiscard]] ARENITE_INLINE void* try_take(unsigned number) noexcept;
    /// The lowest free slot of the word; nullptr where there is none.
    [[nodiscard]] ARENITE_INLINE void* try_take_lowest(unsigned number) noexcept {
        aim(*free_);
        return try_take(number);
    }

    [[nodiscard]] std::uint32_t slot_bytes() const noexcept { return slot_bytes_; }
    [[nodiscard]] std::int64_t live() const noexcept { return live_; }
    [[nodiscard]] std::int64_t live_approximate() const noexcept { return glance(live_); }

    /// Counts a slot whose bit has been set. True if it was the last in use.
    ARENITE_INLINE bool count_free() noexcept { return --live_ == 0; }

    // ---- slots of any of its slabs

    /// Takes n free slots.
    void take_slots(slab& s, std::size_t first, std::size_t n) noexcept;
    /// Frees n slots in use.
    void free_slots(slab& s, std::size_t first, std::size_t n) noexcept;
    /// Frees the slots in use that `freed` says of a word of the slab; returns how many.
    std::size_t free_word(slab& s, std::size_t word, bits::word freed) noexcept;

    // ---- its slabs; slow calls

    [[nodiscard]] slab_list& slabs() noexcept { return all_; }
    [[nodiscard]] const slab_list& slabs() const noexcept { return all_; }
    [[nodiscard]] slab* current() const noexcept { return current_; }

    /// The first words of the current slab, from which it allocates as yet.
    [[nodiscard]] std::size_t open_words() const noexcept { return open_words_; }

    /// Units of 1 KiB of all its slabs.
    [[nodiscard]] std::size_t units() const noexcept { return units_; }

    /// Enters a slab without slots in use.
    void add(slab& s) noexcept;
    /// Counts one that is a single slot, in use from now on; it is in no list.
    ARENITE_INLINE void add_single(slab& s) noexcept;
    /// Takes out a slab without slots in use, which is not the current one.
    void remove(slab& s) noexcept;

    /// Allocates from this slab from now on; there is no current one. For `frees` see
    /// watch_current.
    void enter(slab& s, const slab_source& in, std::int32_t frees) noexcept;
    /// Goes on in the current slab, perhaps from its begin; false where it has nothing, or another
    /// slab has room, too.
    bool next_word(const slab_source& in) noexcept;
    /// Leaves the current slab, if there is one, and brings its books up to date.
    void leave_current() noexcept;
    /// Leaves the current slab for a new one, and goes on there.
    void go_on_in(slab& fresh, const slab_source& in, std::int32_t frees) noexcept;
    /// The current slab is reported after so many frees: then it is asked whether a page would
    /// serve the class better than units, and idle memory goes back.
    void watch_current(std::int32_t frees) noexcept;

    /// Sets the state and the next threshold of a slab whose books are exact: it is not current.
    void set_alarm(slab& s) noexcept;

    /// Slots in use, by the bits.
    [[nodiscard]] static std::int32_t count_used(const slab& s) noexcept;

private:
    [[nodiscard]] bool open_more(const slab& s) noexcept;
    bool enter_word(const slab& s, std::size_t from, const slab_source& in) noexcept;
    void count_pages(std::uint32_t now) noexcept;
    /// The lowest free slot of a word is next. Of a word without one it is the last, which is taken
    /// only if it has come free by then: so there is no branch, which nobody could predict.
    ARENITE_INLINE void aim(bits::word free) noexcept {
        constexpr bits::word last = bits::word{1} << (bits::word_bits - 1);
        next_ = static_cast<std::uint8_t>(std::countr_zero(free | last));
    }

    /// A class without a current slab allocates from this word: never written, since it is 0.
    static bits::word no_slots;

    bits::word* free_ = nullptr;
    std::byte* first_ = nullptr;
    std::int64_t live_ = 0;
    std::uint32_t slot_bytes_ = 0;

    std::uint32_t pages_ = 0; ///< slabs that are pages
    slab_list all_;
    slab* current_ = nullptr;
    std::uint32_t units_ = 0;      ///< modulo 4 TiB
    std::uint16_t open_words_ = 0; ///< the first of the current slab's
    std::uint8_t next_ = 0;        ///< the slot of the word `free` that is tried next
};

ARENITE_INLINE void* slab_class::try_take(unsigned number) noexcept {
    const std::uint32_t index = next_;
    if (!bits::test_and_clear(*free_, index)) [[unlikely]]
        return nullptr;
    aim(*free_);
    ++live_;
    const std::uint32_t slot_bytes =
        ARENITE_IS_CONSTANT(number) ? static_cast<std::uint32_t>(size_class::slot_bytes(number))
                                    : slot_bytes_;
    std::byte* const p = first_ + index * slot_bytes; // of 32 bits: less than a block
    ARENITE_ASSUME(p != nullptr);
    return p;
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
