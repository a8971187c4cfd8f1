// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/block/block_source.hpp>
#include <arenite/block/return_policy.hpp>
#include <arenite/check/passthrough_chain.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/bitmap_tree.hpp>
#include <arenite/core/bits.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/strategy.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/pool/pool_resource.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace arenite {
inline namespace ARENITE_ABI {

/// Which free slot a suballocator_resource takes.
enum class slot_order : unsigned char {
    hot,   ///< what was freed a moment ago, then the lowest; strictly the lowest once it shrank
    lowest ///< the lowest at every request: the tightest packing, at several times the cost
};

/// When a suballocator_resource gives empty rows back.
enum class row_return : unsigned char {
    by_policy, ///< any row that is empty, the highest first, beyond what the policy keeps
    last_row ///< the last row alone, when it is empty and a quarter of all slots or fewer are used
};

/// How a suballocator_resource behaves; the defaults are right as a rule.
struct suballocator_options {
    std::size_t row_bytes = 2_MiB; ///< rows double up to this, and then are of this size

    /// The first row has so many bytes, or one slot. 0: one slot, or 64 KiB where the upstream
    /// lends pages; else what lends pages need do so only from 64 KiB on.
    std::size_t first_row_bytes = 0;

    slot_order order = slot_order::hot;
    row_return rule = row_return::by_policy;

    /// Of empty rows one of full size stays, or a quarter of what is in use: what swings by less
    /// pays nothing, and what was given back is there for others.
    return_policy policy = {.keep_bytes = 2_MiB, .keep_divisor = 4};
};

/// Slots of one size in a tower of rows, the lowest free one first; rows go back as they empty.
///
///     row 0   |b|.|              each row: a tree of bits, a bit a slot, then the slots
///     row 1   |b|..|             rows of 1, 2, 4 ... slots, until they have 2 MiB;
///     row 2   |b|....|           where the upstream lends pages the first one fills 64 KiB
///     row 3   |b|........|
///       ...
///     row n   |b|....................................//....|    2 MiB: a huge page
///
/// A slot is found from the top of the tower: the first row that has one free, and in it the
/// lowest, by a 64-ary tree of bits. That is done for many at a time: what is free side by side is
/// entered and handed out upward, and what was freed a moment ago comes first, still hot. Once the
/// use has fallen to a quarter, slots are taken strictly from below: what lives on moves together
/// as it is replaced, rows above become empty and go back.
///
/// Use when:  elements of one size come and go by the million, and their memory is to be given back
///            while some live: containers (stl/suballocator.hpp), caches that shrink.
///            Nothing is to go back: pool_resource, which finds a slot's block by a mask.
/// Cost:      allocate and deallocate O(1), inlined; a slow call now and then costs O(log rows) for
///            each of the 64 slots that it sees to, and O(rows) when it gets or gives a row.
/// Overhead:  1 bit a slot and 1/63 of that; 64 bytes each 16 KiB for the cache's sets; 128 bytes a
///            row. The object itself has 2 KiB.
/// Limits:    slots of at most 1 GiB. A request that a slot is too small or not aligned enough for
///            gets memory of its own.
/// Returns:   rows by options; all that is empty by trim(), down to single pages where the upstream
///            lends pages. After a fall of what is in use to a quarter of its highest since the
///            last time, the next allocation also gives free pages back. Destruction returns
///            everything; checked builds report what was alive.
/// Misuse:    freeing twice or into another pool is found in every build where the bits show it; in
///            checked builds at once, as are pointers into the middle of a slot.
/// Threads:   one at a time; wrap in synchronized_resource.
/// Failure:   out_of_memory / nullptr; nothing changes, whatever call of the upstream fails.
/// Source:    Tapia, Suballocator, 3.1 and 3.2.
class suballocator_resource final : public strategy<suballocator_resource> {
public:
    /// The default upstream is the process's page source.
    explicit suballocator_resource(slot s) noexcept;
    suballocator_resource(slot s, upstream up) noexcept
        : suballocator_resource{s, suballocator_options{}, up} {}

    explicit suballocator_resource(slot s, const suballocator_options& options) noexcept;
    suballocator_resource(slot s, const suballocator_options& options, upstream up) noexcept;

    ~suballocator_resource() override;

    using strategy::allocate;

    /// A slot. Throws out_of_memory.
    [[nodiscard]] ARENITE_INLINE void* allocate() {
        void* const p = try_allocate();
        if (p == nullptr) [[unlikely]]
            throw_out_of_memory(slot_bytes_, slot_alignment_, this);
        return p;
    }

    /// A slot, or nullptr where the upstream has no memory.
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
        auto* const at = static_cast<std::byte*>(p);
        if (at == run_end_) {
            run_end_ = at + slot_bytes_;
        } else if (at + slot_bytes_ == run_begin_) {
            run_begin_ = at;
        } else if (hot_count_ < hot_depth_) [[likely]] {
            hot_[hot_count_++] = at;
        } else {
            deallocate_slow(at);
        }
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

    /// Gives back all memory that holds nothing: empty rows, and where the upstream lends pages
    /// also every whole page between slots in use. O(slots / 64).
    void trim() noexcept;

    /// True if p points into memory of this resource, handed out or not. O(log rows).
    [[nodiscard]] bool owns(const void* p) const noexcept;

    /// O(1). live_allocations is exact; a hole is a slot.
    [[nodiscard]] arenite::usage usage() const noexcept;

    /// Hands over what its memory holds: the rows in address order, then what is large. O(slots).
    void list_regions(region_sink& sink) const;

    /// Bytes of a slot as it is: rounded up to its alignment.
    [[nodiscard]] std::size_t slot_bytes() const noexcept { return slot_bytes_; }

    /// Rows held at this moment, and the slots in them, free or not.
    [[nodiscard]] std::size_t row_count() const noexcept { return row_count_; }
    [[nodiscard]] std::size_t slot_count() const noexcept { return slot_count_; }

private:
    /// Slots that were freed a moment ago. A word of bits fills half of it.
    static constexpr std::size_t hot_depth = 2 * bits::word_bits;

    static constexpr std::size_t inline_rows = 4;
    static constexpr std::size_t most_small = 32;

    struct row {
        std::byte* memory; ///< as the upstream gave it
        std::size_t bytes;
        std::byte* slots; ///< the first
        std::size_t span; ///< bytes from there to the end of the last
        std::size_t count;
        bitmap_tree taken;
    };

    struct place {
        row* in;
        std::size_t slot;
    };

    /// What is known of the rows, in the order of their addresses. One piece of memory.
    struct table {
        std::uintptr_t* keys; ///< where the slots of each row begin; a largest one behind the last
        row* rows;
        std::uint32_t* cells; ///< the row at the beginning of each 2 MiB of addresses
        bits::word* open;     ///< a bit a row: some of its slots are free
        std::size_t capacity; ///< inline_rows where the memory is this object's
    };

    [[nodiscard]] ARENITE_INLINE bool fits(std::size_t bytes,
                                           std::size_t alignment) const noexcept {
        return bytes <= slot_bytes_ && alignment <= slot_alignment_ && is_alignment(alignment);
    }

    ARENITE_NOINLINE void* allocate_slow() noexcept;
    ARENITE_NOINLINE void deallocate_slow(std::byte* p) noexcept;
    ARENITE_COLD void* allocate_careful() noexcept;
    ARENITE_COLD void* allocate_large(std::size_t bytes, std::size_t alignment) noexcept;
    ARENITE_COLD void deallocate_large(void* p, std::size_t bytes, std::size_t alignment) noexcept;
    ARENITE_COLD void deallocate_careful(std::byte* p) noexcept;
    ARENITE_COLD void refuse_free(const void* p, const char* why) const noexcept;
    void check_free(const std::byte* p) const noexcept;

    [[nodiscard]] bool strict() const noexcept { return hot_depth_ == 0; }
    [[nodiscard]] std::size_t find(const void* p) const noexcept;
    [[nodiscard]] std::size_t search(std::uintptr_t address) const noexcept;
    [[nodiscard]] bool lies_in(std::uintptr_t address, std::size_t index) const noexcept {
        return address - table_.keys[index] < table_.rows[index].span;
    }
    void index_cells() noexcept;
    [[nodiscard]] std::size_t lowest_open() noexcept;
    [[nodiscard]] std::size_t index_of(const row& r, const void* p) const noexcept;
    [[nodiscard]] std::byte* slot_at(const row& r, std::size_t i) const noexcept;
    [[nodiscard]] std::size_t span_of(std::size_t slots) const noexcept;
    [[nodiscard]] std::size_t slots_alignment(std::size_t slots) const noexcept;
    [[nodiscard]] std::size_t row_bytes_for(std::size_t slots) const noexcept;
    [[nodiscard]] std::size_t slots_in(std::size_t bytes) const noexcept;

    [[nodiscard]] std::byte* take_lowest() noexcept;
    [[nodiscard]] bool claim() noexcept;
    void claim_words(row& r) noexcept;
    void set_open(std::size_t index, bool open) noexcept;
    void clear_hot(std::size_t count) noexcept;
    bool clear_one(place at) noexcept;
    void clear_run() noexcept;
    void cleared(std::size_t index, bool was_full) noexcept;
    void settle() noexcept;
    void note_taken(std::size_t count) noexcept;
    void note_freed() noexcept;
    void set_peak(std::size_t slots) noexcept;
    void set_packing(bool on) noexcept;
    [[nodiscard]] bool packs() noexcept;

    [[nodiscard]] bool add_row() noexcept;
    [[nodiscard]] bool add_row(std::size_t slots, std::size_t bytes) noexcept;
    [[nodiscard]] bool grow_table() noexcept;
    [[nodiscard]] table make_table(void* memory, std::size_t capacity) noexcept;
    void return_table() noexcept;
    [[nodiscard]] static std::size_t table_bytes(std::size_t capacity) noexcept;
    void index_rows() noexcept;
    void return_last_row() noexcept;
    void return_empty_rows(std::size_t allowance) noexcept;
    void return_row(row& r) noexcept;
    void close_gaps() noexcept;
    void purge_free(std::size_t least_bytes) noexcept;
    void shrink(std::size_t allowance) noexcept;

    [[nodiscard]] std::size_t slots_in_use() const noexcept;
    [[nodiscard]] std::size_t bytes_in_use() const noexcept;
    void note_high_water() const noexcept;
    void report_leaks() noexcept;

    // The lines of the fast path. Where each call is to be seen to (a checked build, a memory
    // checker, strictly the lowest slot) nothing is kept here, so that every call is a slow one.
    std::byte* cursor_ = nullptr; ///< free slots side by side: [cursor, limit)
    std::byte* limit_ = nullptr;
    std::size_t hot_count_ = 0;
    std::size_t hot_depth_ = 0;
    std::byte* run_begin_ = nullptr; ///< neighbours that were freed in a row, bits still set
    std::byte* run_end_ = nullptr;
    std::size_t slot_bytes_;
    std::size_t slot_alignment_;
    std::byte* hot_[hot_depth];

    std::size_t pending_ = 0; ///< of hot_, freed but not to be handed out; hot_count_ is 0 then
    table table_{};
    std::size_t row_count_ = 0;
    mutable std::size_t last_ = 0;  ///< the row found last
    std::uintptr_t first_cell_ = 0; ///< the lowest 2 MiB of addresses with a row of full size
    std::size_t cell_count_ = 0;    ///< 0 where those rows lie too far apart
    std::uint64_t slot_inverse_ = 0;
    std::uint64_t group_inverse_ = 0;
    std::size_t group_words_;      ///< words of bits whose slots lie side by side
    std::size_t colour_bytes_ = 0; ///< between groups
    std::size_t row_bytes_;        ///< of the largest rows
    std::size_t full_slots_;       ///< slots of such a row
    std::size_t taken_ = 0;        ///< slots whose bits are set
    std::size_t slot_count_ = 0;
    std::size_t peak_ = 0;     ///< of taken_ since the last deep fall
    std::size_t purge_at_ = 0; ///< a fall of taken_ to this is a deep one
    std::size_t empty_bytes_ = 0;
    std::size_t rows_bytes_ = 0;
    std::uint32_t small_open_ = 0; ///< of the rows that are not full-sized, those with free slots
    std::uint32_t small_count_ = 0;
    std::uint32_t small_[most_small]; ///< their indices, the one with the fewest slots first
    suballocator_options options_;
    bool impossible_ = false; ///< there is no such slot
    bool pages_;              ///< the upstream lends pages
    bool careful_;
    bool passes_through_;
    bool purge_is_due_ = false;
    bool packing_ = false; ///< shrank: strictly the lowest slots, until the rows are half full
    mutable std::size_t high_water_ = 0; ///< bytes
    std::size_t large_bytes_ = 0;
    std::size_t large_count_ = 0;
    upstream upstream_;
    block_source large_;        ///< for what a slot does not serve
    passthrough_chain singles_; ///< with ARENITE_PASSTHROUGH=1 all there is
    std::uintptr_t inline_keys_[inline_rows + 1];
    row inline_rows_[inline_rows];
    bits::word inline_open_[1];
};

} // namespace ARENITE_ABI
} // namespace arenite
