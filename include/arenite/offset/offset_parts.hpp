// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/check/detail/one_thread.hpp>
#include <arenite/core/budget.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/offset/detail/move_planner.hpp>
#include <arenite/offset/detail/offset_space.hpp>
#include <arenite/offset/offset_allocation.hpp>
#include <arenite/offset/offset_moves.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace arenite {
inline namespace ARENITE_ABI {

/// Properties of the memory that an offset_allocator or offset_heap manages.
struct offset_options {
    /// Every offset and every size is a multiple of it: a power of two, 1 to 64 KiB. Take the
    /// device's minUniformBufferOffsetAlignment, or nonCoherentAtomSize, so that flushed ranges
    /// never overlap.
    std::uint64_t granularity = 1;

    /// Two allocations of different kinds never share a page of this size, a power of two:
    /// bufferImageGranularity. 0: all may lie side by side. In a heap at most 2^48 granules.
    std::uint64_t conflict_page = 0;

    bool user_data = false;       ///< store 64 bits of user data with each allocation
    bool optimal_may_move = true; ///< otherwise steps leave offset_kind::optimal in place
};

/// The common base of offset_allocator and offset_heap: handles, figures and moves.
class offset_parts {
public:
    offset_parts(const offset_parts&) = delete;
    offset_parts& operator=(const offset_parts&) = delete;

    // ---- handles

    /// Frees it. It, and every copy of it, is stale afterwards. A move of it is dropped.
    void deallocate(const offset_allocation& a);

    /// Resizes `a` to `bytes` (0 counts as 1) at its offset; other copies of it are stale while
    /// their size is another. Returns false, and changes nothing, if there is no room behind it, no
    /// memory for a node, or a move of it is under way.
    [[nodiscard]] bool try_resize(offset_allocation& a, std::uint64_t bytes);

    /// True if it is allocated, and deallocate() accepts it. How reliably: see Misuse of
    /// offset_allocator.
    [[nodiscard]] bool is_live(const offset_allocation& a) const noexcept {
        return space_.is_users(a);
    }

    /// No step moves it until unpin(). A move that is under way is not stopped.
    void pin(const offset_allocation& a);
    void unpin(const offset_allocation& a);

    /// The user data stored with it; 0 without offset_options::user_data.
    [[nodiscard]] std::uint64_t user_data(const offset_allocation& a) const noexcept {
        return space_.is_users(a) ? space_.nodes().data(a.node) : 0;
    }
    void set_user_data(const offset_allocation& a, std::uint64_t value);

    /// Calls f(const offset_allocation&, std::uint64_t user_data) for every allocation, block by
    /// block, by offset; not for the destinations of moves. f may change nothing.
    template <class F>
    void for_each(F f) const {
        for_each_stretch([&](const detail::offset_node& n, detail::offset_node::index i) {
            if (n.in_use() && !n.has(detail::offset_node::destination))
                f(space_.allocation(i), space_.nodes().data(i));
        });
    }

    // ---- figures

    [[nodiscard]] std::uint64_t free_bytes() const noexcept {
        return (space_.total() - space_.used()) << space_.granule_shift();
    }

    /// The largest hole; if more than three are within 1.6 % of it, one of these. At an alignment
    /// of 1 a request of that size succeeds, unless a conflict_page keeps it from the neighbours of
    /// the hole, or there is no memory for nodes.
    [[nodiscard]] std::uint64_t largest_free() const noexcept {
        return space_.largest_hole() << space_.granule_shift();
    }

    /// 1 - largest_free() / free_bytes(): 0 if all free bytes are in one piece.
    [[nodiscard]] double fragmentation() const noexcept;

    /// bytes_in_use counts the destinations of moves, live_allocations does not; bytes_reserved is
    /// the length of the range or of all blocks.
    [[nodiscard]] arenite::usage usage() const noexcept;

    /// Bytes held from the upstream.
    [[nodiscard]] std::size_t bookkeeping_bytes() const noexcept {
        return space_.bookkeeping_bytes();
    }

    /// Reserves memory for so many allocations and holes: as long as there are no more, nothing is
    /// requested from the upstream, except, by a heap, the records of new blocks. The destination
    /// of a move counts as an allocation, and so does a node that was retired since. Returns false
    /// if the upstream has no memory, or the limit would be exceeded.
    [[nodiscard]] bool reserve(std::size_t allocations_and_holes) noexcept;

    /// The range as memory at the addresses 0 to capacity; for a heap, block by block, each at an
    /// address of its own.
    void list_regions(region_sink& sink) const;

    // ---- defragmentation

    /// Plans moves, up to a budget, and continues where the last step stopped, whatever was done in
    /// between. In a range, parts at its end move to lower places. In a heap, the emptiest block is
    /// emptied into fuller ones; if none can be emptied, the ends of blocks are cleared first. With
    /// may_overlap parts go down until no hole is left below one that may move; in a heap, each
    /// within its block, once no block can be emptied.
    /// Moves are settled, that is ended by commit() or cancel(), in any order and in parts; further
    /// steps may come before that. A step exceeds its budget in bytes by less than its last move;
    /// one that finds nothing to move ends too, see budget.
    [[nodiscard]] offset_moves step(const budget& limit,
                                    offset_moves::overlap overlap = offset_moves::apart) noexcept {
        const change guard{*this};
        return planner_.step(limit, overlap);
    }

    /// Plans moves until a request fits: copy them, then commit() or cancel() them; then
    ///
    ///     result()      the request
    ///     state::done   fits, unless something else was allocated; of a heap perhaps in a new
    ///                   block, where the one that was emptied went back
    ///     state::more   needs further moves: call again
    ///     state::stuck  does not fit: too little is free, or what is in the way stays there
    ///
    /// With apart it looks for a stretch of a block that can be emptied into other holes; with
    /// may_overlap the free bytes of a block are joined by sliding if there is none. Then a request
    /// is stuck only if no block has enough free bytes, or pinned parts, alignments or kinds keep
    /// these apart. That examines all allocations, whatever the budget.
    [[nodiscard]] offset_moves make_room(std::uint64_t bytes, std::uint64_t alignment,
                                         const budget& limit,
                                         offset_moves::overlap overlap = offset_moves::apart,
                                         const request_options& options = {}) noexcept;

    /// These are copied: each `from` is freed, and each `to` is the allocation from now on. Settled
    /// moves are skipped; if `from` was freed meanwhile, `to` is freed too. Where a move
    /// may overlap, deallocate(from) frees the part of `to` inside it, too: only when the copy has
    /// ended.
    void commit(std::span<const offset_move> done) { settle(done, true); }

    /// These are not copied, or the copies are discarded: each `from` remains. Not for a sliding
    /// move of which a piece was copied.
    void cancel(std::span<const offset_move> given_up) { settle(given_up, false); }

protected:
    offset_parts(const offset_options& options, upstream memory) noexcept;
    offset_parts(const offset_options& options, unsigned unit_shift, upstream memory) noexcept;
    ~offset_parts() = default;

    [[nodiscard]] detail::offset_space& space() noexcept { return space_; }
    [[nodiscard]] const detail::offset_space& space() const noexcept { return space_; }
    [[nodiscard]] detail::move_planner& planner() noexcept { return planner_; }

    /// Begins each call that changes something: one thread at a time does.
    [[nodiscard]] ARENITE_INLINE detail::one_thread::call enter() noexcept {
        const bool is_heap = checks_enabled && space_.blocks().has_lists();
        return threads_.enter(is_heap ? "offset_heap" : "offset_allocator", this);
    }

    [[nodiscard]] detail::one_thread& threads() noexcept { return threads_; }

    /// A call that the source of a heap must not make.
    class change {
    public:
        explicit change(offset_parts& parts) : inside_{parts.enter()} {
            if (parts.in_source_) [[unlikely]]
                refuse_source();
        }
        change(const change&) = delete;
        change& operator=(const change&) = delete;

    private:
        [[maybe_unused]] detail::one_thread::call inside_;
    };
    void set_in_source(bool b) noexcept { in_source_ = b; }

    /// Takes what was found, for the user.
    [[nodiscard]] ARENITE_INLINE offset_allocation
    hand_out(const detail::offset_space::fit& f, const detail::offset_request& r,
             const request_options& options) noexcept {
        const auto i = space_.take(f, r);
        space_.nodes().set_data(i, options.user_data);
        planner_.note_change();
        return space_.allocation(i);
    }

private:
    /// A block of many holds nothing from now on; it may be given back.
    virtual void block_emptied(detail::offset_block::index) {}

    [[noreturn]] ARENITE_COLD static void refuse_source();
    void give(detail::offset_node::index i);
    void settle(std::span<const offset_move> list, bool copied);

    template <class F>
    void for_each_stretch(F f) const {
        using detail::offset_node;
        for (detail::offset_block::index b = 0; b != space_.blocks().made(); ++b) {
            for (auto i = space_.blocks()[b].first; i != offset_node::none;
                 i = space_.nodes()[i].behind)
                f(space_.nodes()[i], i);
        }
    }

    detail::offset_space space_;
    detail::move_planner planner_;
    bool in_source_ = false; ///< a function of it runs
    ARENITE_NO_UNIQUE_ADDRESS detail::one_thread threads_;
};

} // namespace ARENITE_ABI
} // namespace arenite
