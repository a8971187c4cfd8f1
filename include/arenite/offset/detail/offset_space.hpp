// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/offset/detail/offset_bins.hpp>
#include <arenite/offset/detail/offset_blocks.hpp>
#include <arenite/offset/detail/offset_nodes.hpp>
#include <arenite/offset/offset_allocation.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// How positions are counted, and what must be kept apart.
struct offset_rules {
    std::uint64_t granularity = 1;   ///< bytes, a power of two
    std::uint64_t conflict_page = 0; ///< bytes, a power of two; up to the granularity there is none
    bool user_data = false;
};

/// A request, in granules.
struct offset_request {
    std::uint64_t granules = 0;  ///< 0 of one that no range could serve
    std::uint64_t alignment = 1; ///< of the distance from the start of the block
    std::uint64_t flags = 0;     ///< of offset_node: optimal, pinned
    bool high = false;
    explicit operator bool() const noexcept { return granules != 0; }

    [[nodiscard]] bool is_power() const noexcept { return (alignment & (alignment - 1)) == 0; }
};

/// Stretches of blocks, and the holes among them by size: the basis of offset_allocator and
/// offset_heap.
///
///     block   | hole | a | b | hole | c |......... hole .........|
///     nodes   <------>   neighbours by index, both ways
///     bins    holes by size
///
/// Invariants: the stretches of a block leave no gap and no two holes are neighbours. A hole is in
/// the bin of its size. An allocation has a node with a generation that the node never had before.
/// used() is the sum of the granules of nodes in use, and of `used` of all blocks.
class offset_space {
public:
    using index = offset_node::index;
    static constexpr index none = offset_node::none;
    static constexpr std::uint64_t nowhere = ~std::uint64_t{0};
    static constexpr std::uint64_t most_granules = std::uint64_t{1} << 47;
    static constexpr std::uint64_t beyond_all = std::uint64_t{1} << 49; ///< only 0 is a multiple
    static constexpr int holes_a_bin = 3;                               ///< that are looked at
    static constexpr int bins_a_search = 4;
    static constexpr std::size_t nodes_a_request = 3; ///< a new block's hole, and two of take()

    /// Where a request can be served: in the hole `node`, from `at` on.
    struct fit {
        index node = none;
        std::uint64_t at = nowhere;
        explicit operator bool() const noexcept { return node != none; }
    };

    /// With one block, or with any number of them in units of 2^unit_shift granules.
    offset_space(const offset_rules& rules, upstream memory) noexcept;
    offset_space(const offset_rules& rules, unsigned unit_shift, upstream memory) noexcept;
    ~offset_space() { bins_.release(nodes_.memory()); }

    // ---- units of measure
    [[nodiscard]] unsigned granule_shift() const noexcept { return shift_; }
    /// Granules for so many bytes (0 counts as 1), rounded up.
    [[nodiscard]] std::uint64_t granules_for(std::uint64_t bytes) const noexcept {
        return bytes == 0 ? 1 : ((bytes - 1) >> shift_) + 1;
    }
    /// False if no range could serve it.
    [[nodiscard]] ARENITE_INLINE offset_request request_for(
        std::uint64_t bytes, std::uint64_t alignment, const request_options& o) const noexcept {
        const std::uint64_t granules = granules_for(bytes);
        if (alignment == 0 || granules > most_granules)
            return {};
        // A multiple of both: powers of two that the granularity has need not be there twice.
        const auto twos = static_cast<unsigned>(std::countr_zero(alignment));
        alignment >>= twos < shift_ ? twos : shift_;
        return offset_request{granules, alignment < beyond_all ? alignment : beyond_all,
                              (o.kind == offset_kind::optimal ? offset_node::optimal : 0) |
                                  (o.pinned ? offset_node::pinned : 0),
                              o.placement == offset_placement::high};
    }
    /// The request that would serve an allocation at another place.
    [[nodiscard]] static offset_request request_of(const offset_node& n) noexcept {
        return {n.granules(), n.note & offset_node::alignment_mask, n.note & offset_node::optimal,
                false};
    }

    // ---- blocks
    /// Room for `count` more stretches, and for the bins.
    [[nodiscard]] bool reserve(std::size_t count) noexcept {
        return bins_.ready() ? nodes_.reserve(count) : prepare(count);
    }
    /// The block is one hole. Requires reserve(1).
    void open(offset_block::index b) noexcept;
    /// The block is empty; its node is returned.
    void close(offset_block::index b) noexcept;
    /// Changes where the one block ends. Requires that no allocation lies behind, and reserve(1)
    /// unless there were no requests yet.
    void set_end(std::uint64_t granules) noexcept;
    /// The one block is one hole.
    void clear() noexcept;
    /// True once there were requests. Before that there are no nodes, and everything is free.
    [[nodiscard]] bool is_open() const noexcept { return bins_.ready(); }

    // ---- search
    /// True if the two kinds must not share a page.
    [[nodiscard]] bool keeps_apart() const noexcept { return page_ != 0; }
    /// The place in a hole at which the request fits, or nowhere.
    [[nodiscard]] std::uint64_t place_in(const offset_node& hole,
                                         const offset_request& r) const noexcept;
    /// The end that the one block must have for the request to fit there.
    [[nodiscard]] std::uint64_t end_for(const offset_request& r) const noexcept;
    /// A place that fits; if there is one, it is found. Requires reserve().
    [[nodiscard]] fit find(const offset_request& r) const noexcept;
    /// The best by `better(fit, best)` of up to so many holes that fit and that `accept(node)`.
    template <class Accept, class Better>
    [[nodiscard]] fit find_among(const offset_request& r, int holes, Accept accept,
                                 Better better) const noexcept;

    // ---- stretches
    /// Takes it from its hole. Requires reserve(2).
    [[nodiscard]] index take(const fit& f, const offset_request& r) noexcept;
    /// Makes it a hole, joined with those beside it.
    void give(index i) noexcept;
    /// Resizes in place. Returns false, and changes nothing, if there is no room.
    [[nodiscard]] bool resize(index i, std::uint64_t granules) noexcept;
    /// Two neighbours in use, a gap and the allocation that slides down into it: the first gets the
    /// length of the second, and the rest at the end becomes a hole.
    void slide(index to, index from) noexcept;

    // ---- handles
    [[nodiscard]] ARENITE_INLINE offset_allocation allocation(index i) const noexcept {
        const offset_node& n = nodes_[i];
        return {offset_of(n), n.granules() << shift_, i, n.generation()};
    }
    /// True if it is alive, and of this space.
    [[nodiscard]] bool is_live(const offset_allocation& a) const noexcept {
        if (a.node >= nodes_.made())
            return false;
        const offset_node& n = nodes_[a.node];
        return n.in_use() && n.generation() == a.generation && n.granules() << shift_ == a.bytes &&
               offset_of(n) == a.offset;
    }
    /// True if it is alive and not the destination of a move.
    [[nodiscard]] bool is_users(const offset_allocation& a) const noexcept {
        return is_live(a) && !nodes_[a.node].has(offset_node::destination);
    }
    /// The node of a live allocation that is not a move's; anything else is a contract violation in
    /// every build.
    [[nodiscard]] offset_node& at(const offset_allocation& a, const char* what) {
        if (!is_users(a)) [[unlikely]]
            refuse(a, what);
        return nodes_[a.node];
    }
    /// Bytes from the start of its block.
    [[nodiscard]] std::uint64_t offset_of(const offset_node& n) const noexcept {
        return (n.position() - blocks_[block_of(n)].base) << shift_;
    }
    [[nodiscard]] offset_block::index block_of(const offset_node& n) const noexcept {
        return blocks_.at(n.position());
    }

    // ---- figures
    [[nodiscard]] std::uint64_t used() const noexcept { return used_; }
    [[nodiscard]] std::uint64_t total() const noexcept { return total_; }
    [[nodiscard]] std::size_t live() const noexcept { return live_; }
    [[nodiscard]] std::uint64_t high_water() const noexcept { return std::max(high_water_, used_); }
    [[nodiscard]] std::size_t bookkeeping_bytes() const noexcept {
        return nodes_.bytes() + bins_.bytes() + blocks_.bytes();
    }
    /// The largest of up to three holes examined in the last bin that has any.
    [[nodiscard]] std::uint64_t largest_hole() const noexcept;

    [[nodiscard]] offset_nodes& nodes() noexcept { return nodes_; }
    [[nodiscard]] const offset_nodes& nodes() const noexcept { return nodes_; }
    [[nodiscard]] offset_blocks& blocks() noexcept { return blocks_; }
    [[nodiscard]] const offset_blocks& blocks() const noexcept { return blocks_; }
    [[nodiscard]] const offset_bins& bins() const noexcept { return bins_; }

    /// The node at which a walk stands: if it is removed, the walk continues at its replacement.
    [[nodiscard]] index& cursor() noexcept { return cursor_; }

    /// A hole that no search may find, and back.
    void hide(index hole) noexcept { bins_.remove(nodes_, hole); }
    void show(index hole) noexcept { bins_.add(nodes_, hole); }

private:
    ARENITE_COLD bool prepare(std::size_t count) noexcept;
    [[noreturn]] ARENITE_COLD void refuse(const offset_allocation& a, const char* what) const;
    [[nodiscard]] std::uint64_t place_low(const offset_node& hole,
                                          const offset_request& r) const noexcept;
    [[nodiscard]] std::uint64_t place_high(const offset_node& hole,
                                           const offset_request& r) const noexcept;
    [[nodiscard]] std::uint64_t align_up(std::uint64_t at, const offset_node& hole,
                                         const offset_request& r) const noexcept;
    [[nodiscard]] std::uint64_t align_down(std::uint64_t at, const offset_node& hole,
                                           const offset_request& r) const noexcept;
    [[nodiscard]] bool conflicts(index neighbour, const offset_request& r) const noexcept;
    [[nodiscard]] fit best_in(std::size_t bin, int holes, const offset_request& r) const noexcept;
    [[nodiscard]] fit lowest_in(std::size_t bin, int holes, const offset_request& r) const noexcept;
    [[nodiscard]] std::size_t sure_bin(const offset_request& r) const noexcept;
    ARENITE_COLD fit find_between(std::size_t bin, std::size_t end,
                                  const offset_request& r) const noexcept;
    [[nodiscard]] bool is_masked(const offset_request& r) const noexcept;
    [[nodiscard]] index insert_behind(index i, std::uint64_t position) noexcept;
    [[nodiscard]] ARENITE_COLD index replace(index i) noexcept;
    void vacate(index i, index heir) noexcept;
    void add_used(std::uint64_t position, std::uint64_t granules) noexcept;
    void sub_used(std::uint64_t position, std::uint64_t granules) noexcept;

    offset_nodes nodes_;
    offset_bins bins_;
    offset_blocks blocks_;
    unsigned shift_;
    std::uint64_t page_; ///< granules, 0 if nothing must be kept apart
    std::uint64_t used_ = 0;
    std::uint64_t total_ = 0;
    std::uint64_t high_water_ = 0;
    std::size_t live_ = 0;
    index cursor_ = none;
};

template <class Accept, class Better>
offset_space::fit offset_space::find_among(const offset_request& r, int holes, Accept accept,
                                           Better better) const noexcept {
    fit best;
    for (std::size_t b = bins_.next(offset_bins::bin_of(r.granules)); b != offset_bins::none;
         b = bins_.next(b + 1)) {
        index i = bins_.head(b);
        for (int n = holes_a_bin; i != none && n != 0; --n, i = nodes_[i].bin.next) {
            if (holes-- == 0)
                return best;
            const fit found{i, accept(nodes_[i]) ? place_in(nodes_[i], r) : nowhere};
            if (found.at != nowhere && (!best || better(found, best)))
                best = found;
        }
    }
    return best;
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
