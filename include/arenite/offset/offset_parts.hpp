// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/budget.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/offset/move_planner.hpp>
#include <arenite/offset/moves.hpp>
#include <arenite/offset/offset_allocation.hpp>
#include <arenite/offset/offset_space.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace arenite {
inline namespace ARENITE_ABI {

/// What an offset_allocator or offset_heap must know of the memory that others hold.
struct offset_options {
    /// Every offset and every size is a multiple of it: a power of two, 1 to 64 KiB. Take the
    /// device's minUniformBufferOffsetAlignment, or nonCoherentAtomSize, so that ranges that are
    /// flushed never meet.
    std::uint64_t granularity = 1;

    /// Two allocations of different kinds never touch one page of this size, a power of two:
    /// bufferImageGranularity. 0: all may lie side by side. Of a heap at most 2^48 granules.
    std::uint64_t conflict_page = 0;

    bool user_data = false;       ///< keep 64 bits of the user's with each allocation
    bool optimal_may_move = true; ///< else steps leave offset_kind::optimal where it lies
};

/// What offset_allocator and offset_heap have in common: the handles, the figures and the moves.
class offset_parts {
public:
    offset_parts(const offset_parts&) = delete;
    offset_parts& operator=(const offset_parts&) = delete;

    // ---- handles

    /// Takes it back. It, and every copy of it, is stale from now on. A move of it drops out.
    void deallocate(const offset_allocation& a);

    /// True if `a` has `bytes` (0 counts as 1) from now on, at its offset; other copies of it are
    /// stale then. False, and nothing has changed: there is no room behind it, no memory for a
    /// node, or a move of it is under way.
    [[nodiscard]] bool try_resize(offset_allocation& a, std::uint64_t bytes);

    /// True if deallocate() takes it: it was handed out and not taken back. See Misuse of
    /// offset_allocator for how sure that is.
    [[nodiscard]] bool is_live(const offset_allocation& a) const noexcept {
        return space_.is_users(a);
    }

    /// No step moves it from now on, until unpin(). A move that is under way is not stopped.
    void pin(const offset_allocation& a);
    void unpin(const offset_allocation& a);

    /// What the user keeps with it; 0 without offset_options::user_data.
    [[nodiscard]] std::uint64_t user_data(const offset_allocation& a) const noexcept {
        return space_.is_users(a) ? space_.nodes().data(a.node) : 0;
    }
    void set_user_data(const offset_allocation& a, std::uint64_t value);

    /// Calls f(const offset_allocation&, std::uint64_t user_data) for all that is handed out, block
    /// after block, by offset; not for what a move has taken for itself. f may change nothing.
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

    /// The largest hole; where there are more than three within 1.6 % of it, one of these. At an
    /// alignment of 1 so much is sure to be had, unless a conflict_page keeps it from what lies
    /// beside the hole, or there is no memory for nodes.
    [[nodiscard]] std::uint64_t largest_free() const noexcept {
        return space_.largest_hole() << space_.granule_shift();
    }

    /// 1 - largest_free() / free_bytes(): 0 where all that is free lies in one piece.
    [[nodiscard]] double fragmentation() const noexcept;

    /// bytes_in_use counts what moves have taken for themselves, live_allocations does not;
    /// bytes_reserved is the length of the range or of all blocks.
    [[nodiscard]] arenite::usage usage() const noexcept;

    /// What is held of the upstream.
    [[nodiscard]] std::size_t bookkeeping_bytes() const noexcept {
        return space_.bookkeeping_bytes();
    }

    /// Memory for so many allocations and holes: as long as there are no more, nothing is asked of
    /// the upstream for them; of a heap, but for the records of new blocks. What a move has taken
    /// counts as an allocation, and so does a node that was used up since. False: it has none, or
    /// there would be more than the limit.
    [[nodiscard]] bool reserve(std::size_t allocations_and_holes) noexcept;

    /// The range as memory at the addresses 0 to capacity; of a heap, block after block, each at an
    /// address of its own.
    void list_regions(region_sink& sink) const;

    // ---- defragmentation

    /// Plans moves, up to a budget, and goes on where the last step stopped, whatever was done
    /// between. Of a range: what lies at its end goes to lower places. Of a heap: the emptiest
    /// block goes into fuller ones; where none can be emptied, the ends of blocks are cleared
    /// first. Moves are settled by commit() or cancel(), in any order and any part of them; a step
    /// may come before that. In bytes a step passes its budget by less than its last move;
    /// one that finds nothing to move ends too, see budget.
    [[nodiscard]] moves step(const budget& limit, moves::overlap overlap = moves::apart) noexcept {
        enter();
        return planner_.step(limit, overlap);
    }

    /// Plans moves until a request fits: copy and settle them, by commit() or cancel(), then
    ///
    ///     result()            the request
    ///     moves::state::done  fits, unless something else was allocated; of a heap perhaps in a
    ///                         new block, where the one that was emptied went back
    ///     moves::state::more  needs further moves: call again
    ///     moves::state::stuck does not fit: too little is free, or what is in the way stays there
    ///
    /// With apart it looks for a stretch of a block that can be emptied into other holes; with
    /// may_overlap what is free in a block is pushed together where there is none. Then a request
    /// is stuck only if no block has enough free, or pinned parts, alignments or kinds keep the
    /// free bytes apart. That looks at all that is handed out, whatever the budget.
    [[nodiscard]] moves make_room(std::uint64_t bytes, std::uint64_t alignment, const budget& limit,
                                  moves::overlap overlap = moves::apart,
                                  const request_options& options = {}) noexcept;

    /// These are copied: each `from` is free, and each `to` the user's. Settled ones are passed
    /// over; where `from` was freed meanwhile, `to` is free too.
    void commit(std::span<const offset_move> done) { settle(done, true); }

    /// These are not copied, or in vain: each `from` stays where it is. Not for what slid, once a
    /// piece of it was copied.
    void cancel(std::span<const offset_move> given_up) { settle(given_up, false); }

protected:
    offset_parts(const offset_options& options, upstream memory) noexcept;
    offset_parts(const offset_options& options, unsigned unit_shift, upstream memory) noexcept;
    ~offset_parts() = default;

    [[nodiscard]] detail::offset_space& space() noexcept { return space_; }
    [[nodiscard]] const detail::offset_space& space() const noexcept { return space_; }
    [[nodiscard]] detail::move_planner& planner() noexcept { return planner_; }

    /// All that changes something begins so: a source must not call the heap that it serves.
    void enter() const {
        if (in_source_) [[unlikely]]
            refuse_source();
    }
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
};

} // namespace ARENITE_ABI
} // namespace arenite
