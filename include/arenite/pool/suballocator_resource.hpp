// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/block/detail/block_source.hpp>
#include <arenite/block/return_policy.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/pool/detail/row_table.hpp>
#include <arenite/pool/detail/slot_layout.hpp>
#include <arenite/pool/detail/slot_pool.hpp>
#include <arenite/pool/slot.hpp>

#include <cstddef>
#include <span>

namespace arenite {
inline namespace ARENITE_ABI {

/// Which free slot a suballocator_resource hands out.
enum class slot_order : unsigned char {
    hot,   ///< recently freed slots, then the lowest; strictly the lowest once it shrank
    lowest ///< the lowest for every request: the tightest packing, at several times the cost
};

/// When a suballocator_resource returns empty rows to its upstream.
enum class row_return : unsigned char {
    by_policy, ///< any empty row, the highest first, beyond what the policy keeps
    last_row   ///< only the last row, once it is empty and a quarter of the slots or less is used
};

/// How a suballocator_resource behaves; the defaults are right as a rule.
struct suballocator_options {
    std::size_t row_bytes = 2_MiB; ///< rows double up to this, and then are of this size

    /// Bytes of the first row; at least one slot. 0: one slot, or 64 KiB if the upstream lends
    /// pages. With a value here, an upstream needs to lend pages only from 64 KiB on.
    std::size_t first_row_bytes = 0;

    slot_order order = slot_order::hot;
    row_return rule = row_return::by_policy;

    /// Keeps one empty row of full size, or empty rows of up to a quarter of what is in use:
    /// smaller swings cost no upstream calls, and the rest is there for others.
    return_policy policy = {.keep_bytes = 2_MiB, .keep_divisor = 4};
};

/// Slots of one size in rows, the lowest free slot first; rows are returned as they empty.
///
///     row 0   |b|.|              each row: a tree of bits, a bit a slot, then the slots
///     row 1   |b|..|             rows of 1, 2, 4 ... slots, until they have 2 MiB;
///     row 2   |b|....|           where the upstream lends pages the first one fills 64 KiB
///     row 3   |b|........|
///       ...
///     row n   |b|....................................//....|    2 MiB: a huge page
///
/// A slot is found from the top of the tower: the first row that has a free slot, and in it the
/// lowest one, by a 64-ary tree of bits. This is done for many slots at a time: adjacent free slots
/// are claimed as a run and handed out upward, and recently freed slots come first, while they are
/// still in the cache. Once use has fallen to a quarter, strictly the lowest slot is taken: live
/// elements move together as they are replaced, the rows above become empty and are returned.
///
/// Use when:  elements of one size come and go by the million, and their memory is to be returned
///            while some are alive: containers (stl/suballocator.hpp), caches that shrink. If
///            nothing needs to be returned: pool_resource, which finds a slot's block by a mask.
/// Cost:      allocate and deallocate O(1), inlined; an occasional slow call costs O(log rows) for
///            each of the 64 slots that it handles, and O(rows) if it gets or returns a row.
/// Overhead:  1 bit a slot and 1/63 of that; 64 bytes per 16 KiB for cache colouring; 128 bytes a
///            row. The resource object itself has 2.5 KiB.
/// Limits:    slots of at most 1 GiB (16 MiB of 32-bit addresses). A request that is larger
///            or more aligned than a slot gets memory of its own.
/// Returns:   rows as the options say, the last of them with the last slot in use, whatever the
///            order of frees; trim() returns all that is empty, down to single pages if the
///            upstream lends pages. After use falls to a quarter of its peak since the last such
///            fall, the next allocation also returns free pages. Destruction returns everything;
///            checked builds report objects still alive.
/// Misuse:    double frees, frees into another pool and pointers to no memory are found in every
///            build if the bits show them when the slot leaves the cache; in checked builds at
///            once, as are pointers into the middle of a slot. Of what is larger than a slot at the
///            call in every build.
/// Threads:   one at a time; wrap in synchronized_resource.
/// Failure:   out_of_memory / nullptr; nothing changes, whichever call of the upstream fails.
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

    /// Returns all unused memory to the upstream: empty rows, and if the upstream lends pages also
    /// every whole page between slots in use. O(slots / 64).
    void trim() noexcept;

    /// If no slot is in use, returns what the policy does not keep, also of rows that only slots
    /// ready for the next requests hold. O(rows).
    void return_if_unused() noexcept {
        if (slots_in_use() == 0 && rows_.count() != 0)
            shrink(options_.policy.keep_bytes, false);
    }

    /// True if p points into memory of this resource, allocated or not. O(log rows).
    [[nodiscard]] bool owns(const void* p) const noexcept;

    /// Lists its memory: the rows in address order, then large allocations. O(slots).
    void list_regions(region_sink& sink) const;

    /// Rows held now, and the slots in them, free or not.
    [[nodiscard]] std::size_t row_count() const noexcept { return rows_.count(); }
    [[nodiscard]] std::size_t slot_count() const noexcept { return slot_count_; }

    /// True if it has shrunk so far that less than a 64th of its slots are in use. Code that caches
    /// free slots should then release them: each keeps a row from being returned.
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

    // Called by slot_pool.
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
    [[nodiscard]] detail::block_source& large_source() noexcept { return large_; }
    [[nodiscard]] const detail::block_source& large_source() const noexcept { return large_; }
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
    void return_empty_rows(std::size_t allowance, bool at_once) noexcept;
    void return_row(row& r, bool at_once) noexcept;
    void purge_free(std::size_t least_bytes) noexcept;
    void shrink(std::size_t allowance, bool at_once) noexcept;

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
    detail::block_source large_; ///< for what a slot does not serve
};

} // namespace ARENITE_ABI
} // namespace arenite
