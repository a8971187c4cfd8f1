// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/block/block_source.hpp>
#include <arenite/block/return_policy.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/pool/row_table.hpp>
#include <arenite/pool/slot.hpp>
#include <arenite/pool/slot_layout.hpp>
#include <arenite/pool/slot_pool.hpp>

#include <cstddef>
#include <span>

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
/// entered and handed out upward, and recently freed slots come first, still hot. Once the
/// use has fallen to a quarter, slots are taken strictly from below: what lives on moves together
/// as it is replaced, rows above become empty and go back.
///
/// Use when:  elements of one size come and go by the million, and their memory is to be given back
///            while some live: containers (stl/suballocator.hpp), caches that shrink.
///            Nothing is to go back: pool_resource, which finds a slot's block by a mask.
/// Cost:      allocate and deallocate O(1), inlined; a slow call now and then costs O(log rows) for
///            each of the 64 slots that it handles, and O(rows) when it gets or gives a row.
/// Overhead:  1 bit a slot and 1/63 of that; 64 bytes each 16 KiB for the cache's sets; 128 bytes a
///            row. The object itself has 2 KiB.
/// Limits:    slots of at most 1 GiB. A request that a slot is too small or not aligned enough for
///            gets memory of its own.
/// Returns:   rows by options, the last of them with the last slot in use, whatever the order of
///            frees; all that is empty by trim(), down to single pages where the upstream lends
///            pages. After a fall of what is in use to a quarter of its highest since the last
///            time, the next allocation also gives free pages back. Destruction returns everything;
///            checked builds report what was alive.
/// Misuse:    freeing twice or into another pool is found in every build where the bits show it; in
///            checked builds at once, as are pointers into the middle of a slot.
/// Threads:   one at a time; wrap in synchronized_resource.
/// Failure:   out_of_memory / nullptr; nothing changes, whatever call of the upstream fails.
/// Source:    Tapia, Suballocator, 3.1 and 3.2.
class suballocator_resource final : public detail::slot_pool<suballocator_resource> {
public:
    /// The default upstream is the process's page source.
    explicit suballocator_resource(slot s) noexcept;
    suballocator_resource(slot s, upstream up) noexcept
        : suballocator_resource{s, suballocator_options{}, up} {}

    explicit suballocator_resource(slot s, const suballocator_options& options) noexcept;
    suballocator_resource(slot s, const suballocator_options& options, upstream up) noexcept;

    ~suballocator_resource() override;

    /// Gives back all memory that holds nothing: empty rows, and where the upstream lends pages
    /// also every whole page between slots in use. O(slots / 64).
    void trim() noexcept;

    /// True if p points into memory of this resource, handed out or not. O(log rows).
    [[nodiscard]] bool owns(const void* p) const noexcept;

    /// Hands over what its memory holds: the rows in address order, then what is large. O(slots).
    void list_regions(region_sink& sink) const;

    /// Rows held at this moment, and the slots in them, free or not.
    [[nodiscard]] std::size_t row_count() const noexcept { return rows_.count(); }
    [[nodiscard]] std::size_t slot_count() const noexcept { return slot_count_; }

    /// True where it has shrunk so far that less than a 64th of its slots are in use. Who holds
    /// slots back for others had better free them now: each keeps a row from going back.
    [[nodiscard]] bool is_sparse() const noexcept {
        return !cache_.has_room() && slots_in_use() < slot_count_ / 64;
    }

private:
    friend class detail::slot_pool<suballocator_resource>;
    static constexpr const char* kind_name = "suballocator_resource";
    using row = detail::row_table::row;

    [[nodiscard]] std::size_t slots_alignment(std::size_t slots) const noexcept;
    [[nodiscard]] std::size_t row_bytes_for(std::size_t slots) const noexcept;
    [[nodiscard]] std::size_t slots_in(std::size_t bytes) const noexcept;
    [[nodiscard]] std::byte* slot_at(const row& r, std::size_t i) const noexcept {
        return r.slots + layout_.offset_of(i);
    }
    [[nodiscard]] ARENITE_INLINE std::size_t index_of(const row& r, const void* p) const noexcept {
        return layout_.index_at(address_of(p) - address_of(r.slots));
    }

    // What slot_pool asks.
    [[nodiscard]] bool refill() noexcept;
    [[nodiscard]] std::byte* take_one() noexcept;
    void clear_slots(std::span<std::byte* const> slots) noexcept;
    void clear_run(std::byte* first, std::size_t count) noexcept;
    void freed() noexcept;
    [[nodiscard]] location locate(const std::byte* p) const noexcept;
    ARENITE_COLD void refuse_foreign(const void* p) const noexcept {
        refuse_free(p, "it is not of this pool");
    }
    [[nodiscard]] bool has_room_for(std::size_t) const noexcept { return !impossible_; }
    [[nodiscard]] bool serves_large() const noexcept { return !impossible_; }
    [[nodiscard]] block_source& large_source() noexcept { return large_; }
    [[nodiscard]] const block_source& large_source() const noexcept { return large_; }
    [[nodiscard]] std::size_t bytes_reserved() const noexcept {
        return rows_bytes_ + rows_.bytes_reserved() + large_.bytes_reserved();
    }
    [[nodiscard]] bool has_free_slot() const noexcept { return slots_in_use() < slot_count_; }
    template <class F>
    void for_each_taken(F f);

    [[nodiscard]] row* open_row() noexcept;
    void claim(row& r) noexcept;
    void claim_words(row& r) noexcept;
    void note_taken(std::size_t count) noexcept;
    void note_cleared(row& r, bool was_full) noexcept;
    void set_peak(std::size_t slots) noexcept;
    void set_packing(bool on) noexcept;
    [[nodiscard]] bool packs() const noexcept;

    [[nodiscard]] bool add_row() noexcept;
    [[nodiscard]] bool add_row(std::size_t slots, std::size_t bytes) noexcept;
    void return_last_row() noexcept;
    void return_empty_rows(std::size_t allowance) noexcept;
    void return_row(row& r) noexcept;
    void purge_free(std::size_t least_bytes) noexcept;
    void shrink(std::size_t allowance) noexcept;

    detail::slot_layout layout_;
    detail::row_table rows_;
    std::size_t slot_count_ = 0;
    std::size_t peak_ = 0;        ///< of taken_ since the last deep fall
    std::size_t purge_at_ = 0;    ///< a fall of taken_ to this is a deep one
    std::size_t empty_bytes_ = 0; ///< in rows that are
    std::size_t rows_bytes_ = 0;
    suballocator_options options_;
    bool impossible_; ///< there is no such slot
    bool pages_;      ///< the upstream lends pages
    bool purge_is_due_ = false;
    bool packing_ = false; ///< shrank: strictly the lowest slots, until the rows are half full
    upstream upstream_;
    block_source large_; ///< for what a slot does not serve
};

} // namespace ARENITE_ABI
} // namespace arenite
