// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/block/detail/block.hpp>
#include <arenite/block/detail/block_list.hpp>
#include <arenite/block/detail/block_source.hpp>
#include <arenite/block/return_policy.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/handle/detail/readable_spans.hpp>

#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Blocks of objects that may move: where the next one goes, and which block is worth emptying.
///
///     block  | head | bits | notes | object | object | .. hole .. | object | ...
///
/// A block is open, while a cursor fills it or it is being emptied; or it waits, and its state says
/// what for:
///
///     holes_any     an eighth is free and was not swept yet: any request may look there
///     nearly_full   less is free, at least 1/64: only used when another block is emptied
///     holes_small   swept for larger ones: only for small requests
///     filled_k      k eighths are in use, and nothing in it is pinned: it may be emptied
///
/// So the block to fill and the one to empty are found in the tree that holds the blocks, without a
/// walk. A free that makes a block change its state sets off the block's alarm.
///
/// Use when:  compacting_heap keeps its objects; users do not see it. It knows nothing of objects
///            but where their granules are.
/// Cost:      take as a search of bits; give O(1), O(log blocks) where a state changes.
/// Overhead:  a bit for each 8 bytes, and 80 bytes a block.
/// Threads:   one at a time.
/// Failure:   nullptr; nothing changes.
///
/// Invariant: live() is the sum of the blocks' live granules, free_in_waiting() of the free ones of
/// waiting blocks with a state of holes, as it was when that state was set.
class movable_blocks {
public:
    static constexpr std::size_t block_bytes = std::size_t{1} << 20;

    /// Longer objects, and those aligned to more, are not for blocks.
    static constexpr std::size_t largest_object_bytes = block_bytes / 4;
    static constexpr std::size_t largest_alignment = 4096;

    /// True for what blocks are for.
    [[nodiscard]] static constexpr bool may_hold(std::size_t bytes,
                                                 std::size_t alignment) noexcept {
        return bytes <= largest_object_bytes && alignment <= largest_alignment;
    }

    /// Where a cursor goes when its block is full.
    enum class supply : unsigned char {
        holes_or_fresh, ///< to the lowest block with enough holes, or to a new one
        holes,          ///< to blocks that are nearly full first; nothing is asked for
        fresh           ///< to an empty or a new one
    };

    /// A block that is being filled.
    struct cursor {
        supply from = supply::holes_or_fresh;
        block* at = nullptr;
        std::size_t granule = 0; ///< below it nothing more is looked for
        std::uint32_t stamp = 0; ///< noted in each empty block it opens
    };

    movable_blocks(return_policy policy, upstream up, void* owner) noexcept;

    /// Room for so many granules, of which the one at byte 8 is aligned. It begins at the lowest
    /// hole that the cursor has before it.
    [[nodiscard]] std::byte* take(cursor& c, std::size_t granules, std::size_t alignment) noexcept;

    /// take() from the block that the cursor is in, or nullptr.
    [[nodiscard]] std::byte* take_here(cursor& c, std::size_t granules,
                                       std::size_t alignment) noexcept;

    /// Gives room back.
    void give(std::byte* p, std::size_t granules) noexcept;

    /// Lets the cursor's block wait.
    void close(cursor& c) noexcept;

    // ---- emptying

    /// The block that is being emptied, or the one that is to be emptied next, if there is one for
    /// whose objects holes are free elsewhere; `filling` is the cursor that they go to.
    [[nodiscard]] block* victim(const cursor& filling) noexcept;

    [[nodiscard]] bool has_victim() const noexcept { return victim_ != nullptr; }

    /// The lowest object in the victim that was not looked at yet, or nullptr.
    [[nodiscard]] std::byte* next_in_victim() noexcept;

    /// The next object, if objects like the one at p follow it, in memory that is in use; or
    /// nullptr.
    [[nodiscard]] const std::byte* guess_ahead(const std::byte* p,
                                               std::size_t granules) const noexcept;

    /// Lets the victim wait; it is none again before an eighth or so of it was freed. So emptying
    /// comes to an end.
    void give_victim_up() noexcept;

    // ---- pins

    void pin(std::byte* p) noexcept;
    void unpin(std::byte* p) noexcept;

    // ---- what there is

    /// The block of an object.
    [[nodiscard]] block& block_of(const void* p) const noexcept { return source_.head_of(p); }

    /// Asks for the cache line with the bits of an address; any will do.
    void prefetch(const void* p) const noexcept;

    [[nodiscard]] bool owns(const void* p) const noexcept { return source_.find(p) != nullptr; }

    /// The stamp of the cursor that opened the block of p when it was empty.
    [[nodiscard]] std::uint32_t stamp_at(const void* p) const noexcept { return block_of(p).note; }

    /// Granules of live objects.
    [[nodiscard]] std::size_t live() const noexcept { return live_; }

    /// Bytes of blocks, empty ones included.
    [[nodiscard]] std::size_t block_bytes_held() const noexcept { return source_.bytes_reserved(); }

    /// block_bytes_held() and what is needed to know them.
    [[nodiscard]] std::size_t bytes_reserved() const noexcept {
        return source_.bytes_reserved() + spans_.bytes_beside();
    }

    /// True if an empty block is to be had without the upstream.
    [[nodiscard]] bool has_empty() const noexcept { return source_.has_empty_block(); }

    /// Gives everything back that holds nothing: empty blocks, and whole pages of holes where the
    /// upstream lends pages. O(blocks).
    void trim() noexcept;

    /// The first granule of the lowest object at or above `from`, which is no granule within one;
    /// of all where that is nullptr. nullptr where there is none.
    [[nodiscard]] std::byte* next_object(const std::byte* from) const noexcept;

    void list_regions(region_sink& sink) const;

private:
    /// Data of a block besides its head; it lies where objects begin.
    struct notes {
        std::uint32_t pinned;              ///< objects
        std::uint32_t counted : 31;        ///< free granules that are in free_in_waiting_
        std::uint32_t could_not_empty : 1; ///< gave up, and too little was freed since
    };

    [[nodiscard]] notes& notes_of(const block& b) const noexcept;
    [[nodiscard]] std::size_t first_granule(const block& b) const noexcept;
    [[nodiscard]] std::size_t usable(const block& b) const noexcept;
    [[nodiscard]] static std::size_t fit(const block& b, std::size_t from, std::size_t granules,
                                         std::size_t alignment) noexcept;
    [[nodiscard]] bool move_on(cursor& c, std::size_t granules, std::size_t alignment) noexcept;
    [[nodiscard]] block* take_empty_block() noexcept;
    void open(block& b, std::uint32_t stamp) noexcept;
    void wait(block& b, std::uint16_t holes) noexcept;
    void forget_holes(block& b) noexcept;
    [[nodiscard]] std::uint16_t holes_of(const block& b) const noexcept;
    void on_alarm(block& b) noexcept;
    void close_empty(block& b) noexcept;
    void purge_holes(block& b) noexcept;

    readable_spans spans_;
    block_source source_;
    std::size_t live_ = 0;
    std::size_t free_in_waiting_ = 0;
    block* victim_ = nullptr;
    std::size_t victim_granule_ = 0;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
