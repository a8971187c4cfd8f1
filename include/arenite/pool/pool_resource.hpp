// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/block/block.hpp>
#include <arenite/block/block_source.hpp>
#include <arenite/check/passthrough_chain.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/bits.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/strategy.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/core/usage.hpp>

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <span>

namespace arenite {
inline namespace ARENITE_ABI {

/// What a pool is made of. A slot takes `bytes` (0 counts as 1), rounded up to a multiple of
/// `alignment`, a power of two; nothing else is added.
struct slot {
    std::size_t bytes;
    std::size_t alignment = default_alignment;

    /// The slot of a T.
    template <class T>
    [[nodiscard]] static constexpr slot of() noexcept {
        return {sizeof(T), alignof(T)};
    }
};

/// How a pool_resource behaves; the defaults are right for a pool that may become large.
struct pool_options {
    /// Most slots that there may be at once; all of them come from the upstream at once and stay
    /// until trim() or the end. 0: as many as the upstream gives.
    std::size_t slots = 0;

    /// Bytes to ask from the upstream at once. 0: start small and grow to 2 MiB with use.
    std::size_t block_bytes = 0;

    return_policy policy = {};

    bool eager = false; ///< get the first memory at construction
    bool prefault =
        false; ///< touch all pages when memory is got, and get the first at construction

    /// Slots that the first request to the upstream is to have room for, at least and at once; then
    /// the pool grows as ever. 0: little.
    std::size_t expected = 0;

    /// Power of two at whose multiples blocks lie, so that a slot's address alone leads to its
    /// block; such a block is no longer than that. 0: as suits the upstream.
    std::size_t mask_bytes = 0;
};

/// Slots of one size, from memory that is in order.
///
///     block  | head, 1 bit a slot | A | B |...| C |...| D |//| E | F |..........|
///                                                         ^ colour, 64 bytes   ^ never used yet
///     freed a moment ago (128)    ...| D | A |     given out again first
///
/// Fresh memory is handed out upward and threaded by no list. What is freed is handed out again
/// while it is hot, the latest first; what does not come back soon is noted in bits, and handed out
/// in address order, the lowest block first: a list built after any history is walked nearly as
/// fast as a new one. Neighbours that are freed one after the other are noted as one run.
///
/// Use when:  objects of one size live and die in any order: particles, events, nodes of one kind.
///            Several sizes: ordered/ordered_heap.hpp. All die together: linear/.
/// Cost:      allocate and deallocate O(1), inlined; a slow call now and then looks at the bits of
///            two blocks at most (64 words each where slots have 64 bytes), finds blocks in
///            O(log blocks), and may ask its upstream. Construction: no memory.
/// Overhead:  1 bit a slot; 64 bytes each 16 KiB, so that nodes at distances of powers of two do
///            not share a cache set; a head of 64 bytes a block of 256 KiB.
/// Limits:    slots of at most 1 GiB. A request that a slot is too small or not aligned enough for
///            gets a block of its own; it fails where the number of slots is fixed.
/// Returns:   empty spans by return_policy; trim() all that is empty, down to single pages where
///            the upstream lends pages. Destruction returns everything; checked builds report what
///            was alive.
/// Misuse:    freeing twice or into another pool is found in every build where the bits show it; in
///            checked builds at once, as are pointers into the middle of a slot.
/// Threads:   one at a time; wrap in synchronized_resource.
/// Failure:   out_of_memory / nullptr; nothing changes.
/// Source:    Kaltenbrunn, Modern Memory Management (2018), 6.1.5; Tapia, Suballocator.
class pool_resource final : public strategy<pool_resource> {
public:
    /// A pool that grows. The default upstream is the process's page source.
    explicit pool_resource(slot s) noexcept;
    pool_resource(slot s, upstream up) noexcept : pool_resource{s, pool_options{}, up} {}

    /// A pool of at most `slots`; further requests fail. 0 slots hold nothing.
    pool_resource(slot s, std::size_t slots) noexcept;
    pool_resource(slot s, std::size_t slots, upstream up) noexcept;

    explicit pool_resource(slot s, const pool_options& options) noexcept;
    pool_resource(slot s, const pool_options& options, upstream up) noexcept;

    /// As many slots as memory of the user's holds, beside a bit each; it must outlive the pool.
    pool_resource(slot s, std::span<std::byte> buffer) noexcept;

    ~pool_resource() override;

    using strategy::allocate;

    /// A slot. Throws out_of_memory.
    [[nodiscard]] ARENITE_INLINE void* allocate() {
        void* const p = try_allocate();
        if (p == nullptr) [[unlikely]]
            throw_out_of_memory(slot_bytes_, slot_alignment_, this);
        return p;
    }

    /// A slot, or nullptr where all are in use and the upstream has no memory.
    [[nodiscard]] ARENITE_INLINE void* try_allocate() noexcept {
        if (hot_count_ != 0)
            return hot_[--hot_count_];
        std::byte* const p = cursor_;
        if (p == limit_) [[unlikely]]
            return allocate_slow();
        cursor_ = p + slot_bytes_;
        return p;
    }

    /// Gives a slot back. Not nullptr.
    ARENITE_INLINE void deallocate(void* p) noexcept {
        if (!try_rejoin(p, slot_bytes_))
            deallocate_apart(p);
    }

    // The parts of these, for who stands between a pool and its user and knows slot_bytes() when it
    // is compiled.

    /// A slot that lies ready; nullptr where try_allocate() would have to look for one.
    [[nodiscard]] ARENITE_INLINE void* try_take_ready(std::size_t slot_bytes) noexcept {
        ARENITE_ASSERT(slot_bytes == slot_bytes_, "slot_bytes must be those of the pool");
        if (hot_count_ != 0) {
            void* const p = hot_[--hot_count_];
            ARENITE_ASSUME(p != nullptr);
            return p;
        }
        std::byte* const p = cursor_;
        if (p == limit_) [[unlikely]]
            return nullptr;
        cursor_ = p + slot_bytes;
        ARENITE_ASSUME(p != nullptr);
        return p;
    }

    /// Gives a slot back if it lies beside those that were freed in a row just now. False, and
    /// nothing is done: it does not; a slot of another pool never does.
    [[nodiscard]] ARENITE_INLINE bool try_rejoin(void* p, std::size_t slot_bytes) noexcept {
        ARENITE_ASSERT(slot_bytes == slot_bytes_, "slot_bytes must be those of the pool");
        auto* const at = static_cast<std::byte*>(p);
        if (at == run_end_) [[likely]]
            run_end_ = at + slot_bytes;
        else if (at + slot_bytes == run_begin_)
            run_begin_ = at;
        else
            return false;
        return true;
    }

    /// Gives a slot back that try_rejoin() was false for.
    ARENITE_INLINE void deallocate_apart(void* p) noexcept {
        auto* const at = static_cast<std::byte*>(p);
        if (hot_count_ < hot_depth_) [[likely]]
            hot_[hot_count_++] = at;
        else
            deallocate_slow(at);
    }

    /// A slot where it is large and aligned enough; else see Limits.
    [[nodiscard]] ARENITE_INLINE void*
    try_allocate(std::size_t bytes, std::size_t alignment = default_alignment) noexcept {
        if (fits(bytes, alignment)) [[likely]]
            return try_allocate();
        return allocate_large(bytes, alignment);
    }

    /// Gives back what was allocated with this size and alignment. Not nullptr.
    ARENITE_INLINE void deallocate(void* p, std::size_t bytes,
                                   std::size_t alignment = default_alignment) noexcept {
        if (fits(bytes, alignment)) [[likely]]
            deallocate(p);
        else
            deallocate_large(p, bytes, alignment);
    }

    /// Calls f(void*) for each slot in use, in address order (with ARENITE_PASSTHROUGH=1 the latest
    /// first). O(slots in use + slots / 64). f may free the slot it is called with; what it
    /// allocates may be visited or not.
    template <std::invocable<void*> F>
    void for_each(F f);

    /// The same for slots that all hold a T: calls f(T&).
    template <class T, std::invocable<T&> F>
    void for_each(F f) {
        for_each([&](void* p) { f(*std::launder(static_cast<T*>(p))); });
    }

    /// Gives back all memory that holds nothing: empty spans, and where the upstream lends pages
    /// also every whole page between slots in use. O(slots / 64).
    void trim() noexcept;

    /// True if p points into memory of this pool, handed out or not. O(log blocks).
    [[nodiscard]] bool owns(const void* p) const noexcept;

    /// O(1). live_allocations is exact; a hole is a slot.
    [[nodiscard]] arenite::usage usage() const noexcept;

    /// Hands over what its memory holds, in address order. O(slots).
    void list_regions(region_sink& sink) const;

    /// Bytes of a slot as it is: rounded up to its alignment.
    [[nodiscard]] std::size_t slot_bytes() const noexcept { return slot_bytes_; }

    /// Slots handed out. O(1).
    [[nodiscard]] std::size_t slots_in_use() const noexcept;

    /// Most slots that there may be at once; the largest number where the pool grows.
    [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

private:
    /// Slots that were freed a moment ago. A word of bits fills half of it.
    static constexpr std::size_t hot_depth = 2 * bits::word_bits;

    /// Where things lie in a block of a given length.
    struct layout {
        std::size_t slot_bytes;
        std::size_t group_words;  ///< words of bits whose slots lie side by side
        std::size_t colour_bytes; ///< between groups
        std::size_t first;        ///< bytes before the first slot
        std::size_t block_bytes;  ///< power of two

        [[nodiscard]] static layout of(slot s, const pool_options& options,
                                       std::size_t usual) noexcept;
        [[nodiscard]] std::size_t slots_in(std::size_t bytes) const noexcept;
        [[nodiscard]] std::size_t bytes_for(std::size_t slots) const noexcept;
    };

    pool_resource(slot s, const layout& l, const pool_options& options, upstream up) noexcept;
    [[nodiscard]] static std::size_t span_bytes(const layout& l,
                                                const pool_options& options) noexcept;
    [[nodiscard]] static std::size_t least_bytes(const layout& l,
                                                 const pool_options& options) noexcept;
    [[nodiscard]] std::size_t make_single(std::span<std::byte> buffer) noexcept;

    [[nodiscard]] ARENITE_INLINE bool fits(std::size_t bytes,
                                           std::size_t alignment) const noexcept {
        return bytes <= slot_bytes_ && alignment <= slot_alignment_ && is_alignment(alignment);
    }

    /// The block that a slot lies in.
    [[nodiscard]] block* block_of(const void* p) const noexcept {
        return reinterpret_cast<block*>((address_of(p) & mask_) + base_);
    }

    [[nodiscard]] std::size_t index_of(const block& b, const void* p) const noexcept;

    /// The first slot of a word of bits.
    [[nodiscard]] std::byte* word_begin(block& b, std::size_t word) const noexcept {
        return reinterpret_cast<std::byte*>(&b) + layout_.first +
               word * bits::word_bits * slot_bytes_ +
               word / layout_.group_words * layout_.colour_bytes;
    }

    /// Slots in a block; those of its last word that do not exist have their bits set.
    [[nodiscard]] std::size_t slots_of(const block& b) const noexcept {
        return b.bytes() == layout_.block_bytes ? block_slots_ : layout_.slots_in(b.bytes());
    }
    [[nodiscard]] static std::size_t words_for(std::size_t slots) noexcept {
        return (slots + bits::word_bits - 1) / bits::word_bits;
    }

    ARENITE_NOINLINE void* allocate_slow() noexcept;
    ARENITE_NOINLINE void deallocate_slow(std::byte* p) noexcept;
    ARENITE_COLD void* allocate_careful() noexcept;
    ARENITE_COLD void* allocate_large(std::size_t bytes, std::size_t alignment) noexcept;
    ARENITE_COLD void deallocate_large(void* p, std::size_t bytes, std::size_t alignment) noexcept;
    ARENITE_COLD void deallocate_careful(std::byte* p) noexcept;
    ARENITE_COLD void refuse_free(const void* p, const char* why) const noexcept;
    void check_free(const std::byte* p) const noexcept;

    bool next_word() noexcept;
    bool enter_next() noexcept;
    [[nodiscard]] bool has_holes_below(const block& b) const noexcept;
    void leave() noexcept;
    void begin_words(block& b) noexcept;
    void claim() noexcept;
    void clear_hot(std::size_t count) noexcept;
    void account(block& b, std::int32_t cleared) noexcept;
    void clear_run() noexcept;
    void freed(block& b) noexcept;
    void settle() noexcept;
    void begin_visit() noexcept;
    void end_visit() noexcept;
    void purge_holes(block& b) noexcept;
    [[nodiscard]] block* first_block() const noexcept;
    [[nodiscard]] block* block_above(const block& b) const noexcept;
    [[nodiscard]] std::size_t bytes_in_use() const noexcept;
    void note_high_water() const noexcept;
    void report_leaks() noexcept;

    // The lines of the fast path. A careful pool (a checked build, a memory checker) keeps nothing
    // here, so that every call is a slow one and sees to more.
    std::byte* cursor_ = nullptr; ///< free slots side by side: [cursor, limit)
    std::byte* limit_ = nullptr;
    std::size_t hot_count_ = 0;
    std::size_t hot_depth_ = 0;
    std::byte* run_begin_ = nullptr; ///< neighbours that were freed in a row, bits still set
    std::byte* run_end_ = nullptr;
    std::size_t slot_bytes_;
    std::size_t slot_alignment_;
    std::byte* hot_[hot_depth];

    std::uintptr_t mask_; ///< clears the offset within a block, and all for a single one
    std::uintptr_t base_ = 0;
    std::uint64_t slot_inverse_;
    std::uint64_t group_inverse_;
    std::size_t taken_ = 0; ///< slots whose bits are set, in all blocks
    block* swept_ = nullptr;
    std::size_t position_ = 0; ///< word from which the sweep goes on
    layout layout_;
    std::size_t block_slots_;
    std::size_t capacity_ = std::numeric_limits<std::size_t>::max();
    block* single_ = nullptr; ///< the only block, in memory of the user's
    int visits_ = 0;          ///< for_each at work: no block may go
    bool careful_;
    bool passes_through_;
    mutable std::size_t high_water_ = 0; ///< bytes
    std::size_t large_bytes_ = 0;
    std::size_t large_count_ = 0;
    block_source source_;
    passthrough_chain singles_; ///< with ARENITE_PASSTHROUGH=1 all there is
#if ARENITE_CHECKS
    pool_resource* next_ = nullptr; ///< all pools, so that a foreign slot's owner can be named
    pool_resource* previous_ = nullptr;
#endif
};

template <std::invocable<void*> F>
void pool_resource::for_each(F f) {
    begin_visit();
    for (void* p = singles_.newest(); p != nullptr;) {
        void* const next = passthrough_chain::older_than(p);
        if (passthrough_chain::size_of(p) == slot_bytes_)
            f(p);
        p = next;
    }
    for (block* b = first_block(); b != nullptr; b = block_above(*b)) {
        if ((b->state & block_state::large) != 0)
            continue;
        const std::size_t slots = slots_of(*b);
        for (std::size_t word = 0; word < b->note; ++word) {
            bits::word used = b->occupancy()[word] & bits::low_mask(slots - word * bits::word_bits);
            for (std::byte* const begin = word_begin(*b, word); used != 0; used &= used - 1)
                f(static_cast<void*>(begin + static_cast<std::size_t>(std::countr_zero(used)) *
                                                 slot_bytes_));
        }
    }
    end_visit();
}

} // namespace ARENITE_ABI
} // namespace arenite
