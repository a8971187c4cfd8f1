// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/block/detail/block.hpp>
#include <arenite/check/call_sites.hpp>
#include <arenite/check/detail/one_thread.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/bits.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/object/object_rules.hpp>
#include <arenite/pool/detail/slot_layout.hpp>
#include <arenite/pool/pool_resource.hpp>
#include <arenite/pool/slot.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace arenite {
inline namespace ARENITE_ABI {

namespace detail {

/// The slots of an object_pool: those of a pool_resource, with a mark beside each.
///
///     block  | head, 1 bit a slot | round | marks | A | B |...| C |...
///
///     mark   4 n      no object: none was constructed there, or it was destroyed
///            4 n + 1  an object in use
///            4 n + 2  an idle object, or one that was in use before
///
/// n counts the releases of the slot, so that a reference that remembers a mark notices each. The
/// bits show slots in use and those in the pool's cache; the marks tell these apart.
///
/// A slot whose n can rise no more is retired: no object comes there again. Where trim() finds
/// nothing in use in a block, the block begins anew, whether its memory goes back or not: n is 0,
/// and its `round` says how many trims there were before its first object. A reference remembers
/// how many there were before it, and so tells a block from another that was there earlier.
///
/// Cost:      mark_of: two multiplications, with constants of the compiler's.
/// Overhead:  4 bytes and a bit a slot, 4 bytes a block.
/// Limits:    a slot is acquired 2^30 times and then retired, until its block begins anew. After
///            2^32 - 2 trims no block does, and no memory goes back.
/// Threads:   one at a time; for_each from several while no thread does anything else.
/// Failure:   nullptr; nothing changes.
class object_slots {
public:
    using mark = std::uint32_t;
    using end_function = void (*)(void* object) noexcept;

    /// Where things lie in a block; what an object's address leads to.
    struct geometry {
        slot_layout slots;
        std::size_t block_bytes; ///< power of two, at whose multiples blocks lie
        std::size_t marks;       ///< bytes before the first mark
        std::size_t first;       ///< bytes before the first slot

        /// With blocks of `least_block_bytes`, or longer ones where slots are large.
        [[nodiscard]] static constexpr geometry of(slot s, std::size_t least_block_bytes) noexcept {
            using layout = pool_resource::layout;
            std::size_t bytes = std::bit_ceil(least_block_bytes);
            for (;; bytes *= 2) {
                const std::size_t first = layout::first_at(bytes, s, true);
                const slot_layout slots{s.bytes, s.alignment, bytes};
                if (first < bytes && slots.slots_in(bytes - first) >= least_slots)
                    return {slots, bytes, layout::marks_at(bytes, s, true), first};
            }
        }

        [[nodiscard]] ARENITE_INLINE std::size_t index_of(const block& b,
                                                          const void* p) const noexcept {
            return slots.index_at(static_cast<std::size_t>(static_cast<const std::byte*>(p) -
                                                           reinterpret_cast<const std::byte*>(&b)) -
                                  first);
        }
        [[nodiscard]] ARENITE_INLINE mark* marks_of(block& b) const noexcept {
            return reinterpret_cast<mark*>(reinterpret_cast<std::byte*>(&b) + marks);
        }
        [[nodiscard]] ARENITE_INLINE std::byte* slot_at(block& b, std::size_t i) const noexcept {
            return reinterpret_cast<std::byte*>(&b) + first + slots.offset_of(i);
        }
        [[nodiscard]] ARENITE_INLINE block& block_of(const void* p) const noexcept {
            return *reinterpret_cast<block*>(reinterpret_cast<std::uintptr_t>(p) &
                                             ~(block_bytes - 1));
        }
        [[nodiscard]] ARENITE_INLINE mark& mark_of(const void* p) const noexcept {
            block& b = block_of(p);
            return marks_of(b)[index_of(b, p)];
        }
    };

    /// `keep_contents`: a free slot holds an idle object. `holder` is whom holder_of() names.
    object_slots(slot s, const geometry& g, const object_pool_options& options, bool keep_contents,
                 void* holder, upstream up);

    /// A slot, with its mark not yet that of an object in use; nullptr where there is none. Where
    /// it has no object, note_round() comes before its mark is.
    [[nodiscard]] ARENITE_INLINE void* try_take(std::size_t slot_bytes) noexcept {
        [[maybe_unused]] const auto inside = enter();
        void* p = pool_.try_take_ready(slot_bytes);
        if (p == nullptr) [[unlikely]]
            p = pool_.allocate_slow();
        call_sites::allocated(p, slot_bytes);
        return p;
    }

    /// Takes a slot back, whose mark says so already.
    ARENITE_INLINE void give(void* p, std::size_t slot_bytes) noexcept {
        [[maybe_unused]] const auto inside = enter();
        call_sites::freed(p);
        if (!pool_.try_rejoin(p, slot_bytes))
            pool_.deallocate_apart(p);
    }

    /// Whose objects lie in a block.
    [[nodiscard]] ARENITE_INLINE static void* holder_of(const block& b) noexcept {
        return static_cast<const pool_resource*>(b.owner)->holder_;
    }

    /// The mark of an object that is acquired now, in a slot of this mark.
    [[nodiscard]] static constexpr mark next_in_use(mark m) noexcept { return (m | 3) - 2; }
    [[nodiscard]] static constexpr bool is_in_use(mark m) noexcept { return m % 2 != 0; }
    /// An object is idle, or was in use before: for a mark that is not in use.
    [[nodiscard]] static constexpr bool is_idle(mark m) noexcept { return (m & 2) != 0; }
    /// The mark of a slot whose object was in use.
    [[nodiscard]] static constexpr mark next_idle(mark m) noexcept { return m + 5; }

    /// The last mark in use of its slot, which is then retired and not given back.
    [[nodiscard]] static constexpr bool is_worn(mark m) noexcept { return m == worn; }
    void retire(mark& m) noexcept {
        m = worn - 1;
        ++retired_;
    }

    /// The first object comes to a slot of b.
    void note_round(const geometry& g, block& b) noexcept {
        if (mark& round = g.marks_of(b)[-1]; round == 0)
            round = returns_;
    }

    /// An object was constructed in a slot without one; the object of a slot is no more.
    void note_constructed() noexcept { ++constructed_; }
    void forget(mark& m) noexcept {
        m &= ~mark{3};
        --constructed_;
    }

    /// Objects in use, and those that are constructed: in use or idle.
    [[nodiscard]] std::size_t in_use() const noexcept { return pool_.slots_in_use() - retired_; }
    [[nodiscard]] std::size_t constructed() const noexcept { return constructed_; }

    /// Ends all idle objects, and those that become idle by that.
    void end_idle(end_function end) noexcept;

    /// Ends them, and gives back all memory that holds nothing.
    void trim(end_function end) noexcept;

    /// The last step: a contract violation if an object is in use.
    void end(const char* kind) noexcept;

    /// That of an object which is given back without being in use, or to another pool than its own.
    [[noreturn]] ARENITE_COLD void refuse(const void* p, const char* why) const;

    /// From 1 on. Rises whenever memory may have gone back; then a pointer may lead to no block.
    [[nodiscard]] std::uint32_t returns() const noexcept { return returns_; }

    /// True if p, which was that of a slot of this mark when returns() was `then`, is so since.
    /// O(log blocks).
    [[nodiscard]] bool has(const void* p, mark m, std::uint32_t then) const noexcept;

    /// True if p, which may be any pointer, is that of an object in use. O(log blocks).
    [[nodiscard]] bool contains(const void* p) const noexcept;

    /// Memory for so many objects in use in all; false where it is refused.
    [[nodiscard]] bool try_reserve(std::size_t objects) noexcept;

    [[nodiscard]] pool_resource& pool() noexcept { return pool_; }
    [[nodiscard]] const pool_resource& pool() const noexcept { return pool_; }

    // ---- going through them --------------------------------------------------------------------

    /// Words of bits that follow each other, of one block or of several.
    struct stretch {
        block* first = nullptr; ///< nullptr: none
        std::size_t first_word = 0;
        block* last = nullptr;
        std::size_t last_word = 0; ///< the one behind, in `last`

        [[nodiscard]] std::size_t end_in(const block& b) const noexcept {
            return &b == last ? last_word : b.note;
        }
    };

    /// The i-th of n stretches that are about as long as each other, and all there is. O(blocks).
    [[nodiscard]] stretch part(std::size_t i, std::size_t n) const noexcept;

    [[nodiscard]] block* above(const block& b) const noexcept { return pool_.block_above(b); }

    /// Calls f(void*) for each object in use, in address order.
    template <class F>
    void for_each(const geometry& g, const stretch& s, F f) const {
        for (block* b = s.first; b != nullptr; b = b == s.last ? nullptr : above(*b)) {
            const mark* const marks = g.marks_of(*b);
            const std::size_t end = s.end_in(*b);
            for (std::size_t w = b == s.first ? s.first_word : 0; w < end; ++w)
                visit(g, *b, marks + w * bits::word_bits, w, f);
        }
    }

private:
    static constexpr std::size_t least_slots = 16; // of a block: as a pool_resource has it
    static constexpr mark worn = std::numeric_limits<mark>::max() - 2;

    template <class F>
    ARENITE_INLINE static void visit(const geometry& g, block& b, const mark* marks, std::size_t w,
                                     F& f) {
        const bits::word used = b.occupancy()[w];
        std::byte* const begin = g.slot_at(b, w * bits::word_bits);
        if (used == ~bits::word{0}) {
            for (std::size_t i = 0; i < bits::word_bits; ++i)
                if (is_in_use(marks[i])) [[likely]]
                    f(begin + i * g.slots.slot_bytes());
            return;
        }
        for (bits::word rest = used; rest != 0; rest &= rest - 1) {
            const auto i = static_cast<std::size_t>(std::countr_zero(rest));
            if (is_in_use(marks[i])) [[likely]]
                f(begin + i * g.slots.slot_bytes());
        }
    }

    /// Begins each call that changes something.
    [[nodiscard]] ARENITE_INLINE one_thread::call enter() noexcept {
        return pool_.threads_.enter("object_pool", pool_.holder_);
    }

    [[nodiscard]] bool end_some_idle(end_function end) noexcept;
    void renew_unused_blocks() noexcept;
    [[nodiscard]] mark mark_at(const void* slot) const noexcept;
    [[nodiscard]] std::size_t number_of(const void* p) const noexcept;

    pool_resource pool_;
    std::size_t constructed_ = 0;
    std::size_t retired_ = 0;
    std::uint32_t returns_ = 1;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
