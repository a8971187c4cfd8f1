// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/block/detail/block.hpp>
#include <arenite/block/detail/block_source.hpp>
#include <arenite/check/detail/passthrough_chain.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/bits.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/pool/detail/slot_layout.hpp>
#include <arenite/pool/detail/slot_pool.hpp>
#include <arenite/pool/slot.hpp>

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <span>

namespace arenite {
inline namespace ARENITE_ABI {

namespace detail {
class object_slots;
} // namespace detail

/// How a pool_resource behaves; the defaults are right for a pool that may become large.
struct pool_options {
    /// Maximum number of slots; if given, all of them are requested from the upstream at once and
    /// stay until trim() or destruction. 0: as many as the upstream provides.
    std::size_t slots = 0;

    /// Bytes to request from the upstream at once. 0: start small and grow to 2 MiB with use.
    std::size_t block_bytes = 0;

    return_policy policy = {};

    bool eager = false; ///< get the first memory at construction, which throws where there is none
    bool prefault =
        false; ///< touch all pages when memory is got, and get the first at construction

    /// Number of slots that the first request to the upstream must have room for; after that the
    /// pool grows as usual. 0: start small.
    std::size_t expected = 0;

    /// Power of two to which blocks are aligned, so that a slot's block is found by masking its
    /// address; no such block is longer than this. 0: whatever suits the upstream.
    std::size_t mask_bytes = 0;
};

/// Slots of one size, in address order.
///
///     block  | head, 1 bit a slot | A | B |...| C |...| D |//| E | F |..........|
///                                                         ^ colour, 64 bytes   ^ never used yet
///     recently freed (128)        ...| D | A |     reused first
///
/// Fresh memory is handed out upward; no free list runs through it. Slots freed lately are reused
/// first, latest first, while they are still in the cache. Other free slots are recorded as bits
/// and reused in address order, lowest block first: a list built after any history is traversed
/// nearly as fast as a new one. Neighbours that are freed one after another are recorded as one
/// run.
///
///     pool_resource particles{slot::of<particle>()};
///     particle* p = create<particle>(particles, position); // core/create.hpp
///     destroy(particles, p);
///
/// Use when:  objects of one size live and die in any order: particles, events, nodes of one kind.
///            For several sizes: ordered/ordered_heap.hpp. If all die together: linear/.
/// Cost:      allocate and deallocate O(1), inlined; an occasional slow call reads the bits of at
///            most two blocks (64 words each for slots of 64 bytes), finds blocks in O(log blocks),
///            and may ask the upstream. Construction allocates nothing.
/// Overhead:  1 bit a slot; 64 bytes per 16 KiB, so that nodes at distances of powers of two do not
///            share a cache set; a header of 64 bytes per block of 256 KiB.
/// Limits:    slots of at most 1 GiB (16 MiB of 32-bit addresses). A request that is larger
///            or more aligned than a slot gets a block of its own; it fails if the number of slots
///            is fixed.
/// Returns:   empty spans by return_policy; trim() returns all that is empty, down to single pages
///            if the upstream lends pages. Destruction returns everything; checked builds report
///            objects still alive.
/// Misuse:    double frees and frees into another pool are found in every build if the bits show
///            them when the slot leaves the cache; in checked builds at once, as are foreign
///            pointers and those into the middle of a slot. In others the begin of the block that
///            a pointer would be of is read then, and where there is no memory (that of a pool that
///            has ended, an address of no heap) the program ends without a word. A free of what is
///            larger than a slot is looked up: misuse of it is found at the call in every build.
/// Threads:   one at a time; wrap in synchronized_resource.
/// Failure:   out_of_memory / nullptr; nothing changes.
/// Source:    Kaltenbrunn, Modern Memory Management (2018), 6.1.5; Tapia, Suballocator.
class pool_resource final : public detail::slot_pool<pool_resource> {
public:
    /// A growing pool on the process's page source.
    explicit pool_resource(slot s) noexcept;
    pool_resource(slot s, upstream up) noexcept : pool_resource{s, pool_options{}, up} {}

    /// A pool of at most `slots` slots; further requests fail. A pool of 0 slots serves nothing.
    pool_resource(slot s, std::size_t slots) noexcept;
    pool_resource(slot s, std::size_t slots, upstream up) noexcept;

    /// With `eager` or `prefault` the first memory is requested here: throws out_of_memory if there
    /// is none.
    explicit pool_resource(slot s, const pool_options& options);
    pool_resource(slot s, const pool_options& options, upstream up);

    /// Has as many slots as fit into the user's buffer beside one bit each; the buffer must outlive
    /// the pool.
    pool_resource(slot s, std::span<std::byte> buffer) noexcept;

    ~pool_resource() override;

    /// Calls f(void*) for each slot in use, in address order (with ARENITE_PASSTHROUGH=1 the latest
    /// first). O(slots in use + slots / 64). f may free the slot it is called with; slots that it
    /// allocates may or may not be visited. What it throws is passed on, and ends the walk; until
    /// the end of a walk no memory goes back.
    template <std::invocable<void*> F>
    void for_each(F f);

    /// for_each of a pool whose slots all hold a T: calls f(T&).
    template <class T, std::invocable<T&> F>
    void for_each(F f) {
        for_each([&](void* p) { f(*std::launder(static_cast<T*>(p))); });
    }

    /// Makes room for `slots` slots in use in total: requests what is missing from the upstream at
    /// once; the return_policy decides how long it stays. Returns false if the upstream refuses or
    /// `slots` exceeds capacity(). O(blocks).
    [[nodiscard]] bool try_reserve(std::size_t slots) noexcept;

    /// Returns all unused memory to the upstream: empty spans, and if the upstream lends pages also
    /// every whole page between slots in use. O(slots / 64).
    void trim() noexcept;

    /// True if p points into memory of this pool, allocated or not. O(log blocks).
    [[nodiscard]] bool owns(const void* p) const noexcept;

    /// Lists its memory in address order. O(slots).
    void list_regions(region_sink& sink) const;

    /// Maximum number of slots in use; the largest number if the pool grows.
    [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

private:
    friend class detail::slot_pool<pool_resource>;
    friend class detail::object_slots;
    static constexpr const char* kind_name = "pool_resource";

    /// Where two groups of slots are in use of so much memory, the cache holds nothing.
    static constexpr std::size_t sparse_bytes = std::size_t{1} << 20;

    /// Share of a block that must be free for it to be swept.
    static constexpr std::size_t sweep_divisor = 8;

    /// State of a block with free slots, but too few to be swept.
    static constexpr std::uint16_t partly_free = 32;

    /// State of a block that was cut ahead, where contents are kept: all its slots are fresh.
    static constexpr std::uint16_t cut_ahead = 128;

    /// A number of the owner's beside each slot, and one for the block in front of them; between a
    /// block's bits and its slots, where there are any.
    using mark = std::uint32_t;

    /// How a block is laid out.
    struct layout {
        detail::slot_layout slots;
        std::size_t first;       ///< bytes before the first slot
        std::size_t block_bytes; ///< power of two

        [[nodiscard]] static layout of(slot s, const pool_options& options, std::size_t usual,
                                       bool with_marks = false) noexcept;

        /// Words of bits that a block of so many bytes has room for; bytes before its marks and
        /// before its first slot.
        [[nodiscard]] static constexpr std::size_t words_in(std::size_t bytes, slot s,
                                                            bool with_marks) noexcept {
            return words_for(bytes / (s.bytes + (with_marks ? sizeof(mark) : 0)));
        }
        [[nodiscard]] static constexpr std::size_t marks_at(std::size_t bytes, slot s,
                                                            bool with_marks) noexcept {
            return sizeof(detail::block) +
                   words_in(bytes, s, with_marks) * sizeof(detail::bits::word) +
                   (with_marks ? sizeof(mark) : 0);
        }
        [[nodiscard]] static constexpr std::size_t first_at(std::size_t bytes, slot s,
                                                            bool with_marks) noexcept {
            const std::size_t marks =
                with_marks ? words_in(bytes, s, true) * detail::bits::word_bits * sizeof(mark) : 0;
            return align_up(marks_at(bytes, s, with_marks) + marks,
                            std::max<std::size_t>(s.alignment, 64));
        }
        [[nodiscard]] std::size_t slots_in(std::size_t bytes) const noexcept {
            return bytes < first ? 0 : slots.slots_in(bytes - first);
        }
        [[nodiscard]] std::size_t bytes_for(std::size_t count) const noexcept {
            return first + slots.bytes_for(count);
        }
    };

    /// Where contents are kept, slots that were never used are handed out one by one, and only
    /// where no other is free. Until then the bits of their word are set, though the slots are
    /// free.
    struct fresh_slots {
        detail::block* from = nullptr; ///< the only block that has some
        std::size_t index = 0;         ///< of the next
        std::size_t opened = 0;        ///< slots of all blocks that are not fresh any more
    };

    pool_resource(slot s, const layout& l, const pool_options& options, upstream up) noexcept;

    /// The slots of `holder`'s objects, with marks; see object_slots.
    pool_resource(slot s, const pool_options& options, std::size_t capacity, bool keep_contents,
                  void* holder, upstream up);
    [[nodiscard]] static std::size_t span_bytes(const layout& l,
                                                const pool_options& options) noexcept;
    [[nodiscard]] static std::size_t least_bytes(const layout& l,
                                                 const pool_options& options) noexcept;
    [[nodiscard]] std::size_t make_single(std::span<std::byte> buffer) noexcept;

    /// The block that a slot lies in.
    [[nodiscard]] detail::block* block_of(const void* p) const noexcept {
        return reinterpret_cast<detail::block*>((address_of(p) & mask_) + base_);
    }

    [[nodiscard]] std::byte* slot_at(detail::block& b, std::size_t i) const noexcept {
        return reinterpret_cast<std::byte*>(&b) + layout_.first + layout_.slots.offset_of(i);
    }
    [[nodiscard]] std::size_t index_of(const detail::block& b, const void* p) const noexcept {
        return layout_.slots.index_at(address_of(p) - address_of(&b) - layout_.first);
    }

    /// Slots in a block; those of its last word that do not exist have their bits set.
    [[nodiscard]] std::size_t slots_of(const detail::block& b) const noexcept {
        return b.bytes() == layout_.block_bytes ? block_slots_ : layout_.slots_in(b.bytes());
    }
    /// Slots of a block whose bits are there and say what is free.
    [[nodiscard]] std::size_t known_slots(const detail::block& b) const noexcept {
        return &b == fresh_.from ? fresh_.index
                                 : std::min(slots_of(b), b.note * detail::bits::word_bits);
    }
    [[nodiscard]] static constexpr std::size_t words_for(std::size_t slots) noexcept {
        return (slots + detail::bits::word_bits - 1) / detail::bits::word_bits;
    }

    /// The marks of a block's slots; they are initialised as far as its bits are.
    [[nodiscard]] mark* marks_of(detail::block& b) const noexcept {
        return reinterpret_cast<mark*>(reinterpret_cast<std::byte*>(&b) +
                                       layout::marks_at(layout_.block_bytes, {slot_bytes()}, true));
    }

    // Called by slot_pool.
    [[nodiscard]] bool refill() noexcept;
    [[nodiscard]] std::byte* take_one() noexcept;
    void clear_slots(std::span<std::byte* const> slots) noexcept;
    void clear_run(std::byte* first, std::size_t count) noexcept;
    void freed() noexcept {
        if (is_sparse() && (cache_.has_room() || swept_ != nullptr)) [[unlikely]]
            hold_nothing();
    }
    [[nodiscard]] bool is_sparse() const noexcept {
        return !keeps_contents_ && source_.bytes_reserved() >= sparse_bytes &&
               slots_in_use() < 2 * layout_.slots.group_slots(); // which a run may hold
    }
    void hold_nothing() noexcept;
    [[nodiscard]] location locate(const std::byte* p) const noexcept;
    ARENITE_COLD void refuse_foreign(const void* p) const noexcept;
    [[nodiscard]] bool has_room_for(std::size_t slots) const noexcept { return slots < capacity_; }
    [[nodiscard]] bool serves_large() const noexcept {
        return capacity_ == std::numeric_limits<std::size_t>::max();
    }
    [[nodiscard]] detail::block_source& large_source() noexcept { return source_; }
    [[nodiscard]] const detail::block_source& large_source() const noexcept { return source_; }
    [[nodiscard]] std::size_t bytes_reserved() const noexcept {
        return source_.bytes_reserved() + (single_ != nullptr ? single_->bytes() : 0);
    }
    [[nodiscard]] bool has_free_slot() const noexcept;
    template <class F>
    void for_each_taken(F f);

    bool next_word() noexcept;
    bool enter_next() noexcept;
    [[nodiscard]] std::byte* take_fresh() noexcept;
    bool make_fresh() noexcept;
    void begin_marks(detail::block& b, std::size_t words) noexcept;
    void trim_fresh() noexcept;
    [[nodiscard]] std::size_t slots_within_reach(const detail::block& b) const noexcept;
    void take_at(detail::block& b, std::size_t i) noexcept;
    [[nodiscard]] bool has_holes_below(const detail::block& b) const noexcept;
    void leave() noexcept;
    void begin_words(detail::block& b) noexcept;
    void claim() noexcept;
    void account(detail::block& b, std::size_t cleared) noexcept;
    void reclassify(detail::block& b) noexcept;
    void begin_visit() noexcept;
    void end_visit() noexcept;
    void purge_holes(detail::block& b) noexcept;
    [[nodiscard]] detail::block* first_block() const noexcept;
    [[nodiscard]] detail::block* block_above(const detail::block& b) const noexcept;

    layout layout_;
    std::uintptr_t mask_; ///< clears the offset within a block, and all for a single one
    std::uintptr_t base_ = 0;
    detail::block* swept_ = nullptr;
    std::size_t position_ = 0; ///< word from which the sweep goes on
    std::size_t block_slots_;
    std::size_t capacity_ = std::numeric_limits<std::size_t>::max();
    detail::block* single_ = nullptr; ///< the only block, in memory of the user's
    int visits_ = 0;                  ///< for_each at work: no block may go
    void* holder_ = nullptr;          ///< whose objects lie in the slots, which have marks
    fresh_slots fresh_;
    detail::block_source source_;
#if ARENITE_CHECKS
    pool_resource* next_ = nullptr; ///< all pools, so that a foreign slot's owner can be named
    pool_resource* previous_ = nullptr;
#endif
};

/// f may free the slot that it is called with.
template <class F>
void pool_resource::for_each_taken(F f) {
    for (detail::block* b = first_block(); b != nullptr; b = block_above(*b)) {
        if ((b->state & detail::block_state::large) != 0)
            continue;
        const std::size_t slots = known_slots(*b);
        for (std::size_t word = 0; word < b->note; ++word) {
            detail::bits::word used =
                b->occupancy()[word] &
                detail::bits::low_mask(slots - word * detail::bits::word_bits);
            for (std::byte* const begin = slot_at(*b, word * detail::bits::word_bits); used != 0;
                 used &= used - 1)
                f(static_cast<void*>(begin + static_cast<std::size_t>(std::countr_zero(used)) *
                                                 slot_bytes()));
        }
    }
}

template <std::invocable<void*> F>
void pool_resource::for_each(F f) {
    struct visit {
        pool_resource& pool;
        ~visit() { pool.end_visit(); } // also where f throws
    };
    begin_visit();
    const visit until_the_end{*this};
    for (void* p = singles_.newest(); p != nullptr;) {
        void* const next = detail::passthrough_chain::older_than(p);
        if (singles_.size_of(p) == slot_bytes())
            f(p);
        p = next;
    }
    for_each_taken(f);
}

} // namespace ARENITE_ABI
} // namespace arenite
