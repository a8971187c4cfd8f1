// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Bookkeeping of offsets: nodes in address order, free ones also in bins by length. In this order:
// nodes, blocks, the search for a place, with kinds that keep a distance; taking and giving a
// stretch; resizing and sliding one; handles and their misuse. Positions and lengths are in
// granules throughout; only offset_parts and the allocators know bytes.
#include <arenite/offset/detail/offset_space.hpp>

#include <arenite/core/alignment.hpp>
#include <arenite/core/contract.hpp>

#include <algorithm>
#include <cinttypes>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

using fit = offset_space::fit;

namespace {

unsigned shift_of(std::uint64_t granularity) {
    if (!is_alignment(granularity) || granularity > 65'536)
        contract_violation("the granularity of offsets is a power of two, 1 to 64 KiB");
    return static_cast<unsigned>(std::countr_zero(granularity));
}

std::uint64_t page_of(const offset_rules& rules, unsigned shift) {
    if (rules.conflict_page != 0 && !is_alignment(rules.conflict_page))
        contract_violation("the conflict_page of offsets is a power of two, or 0");
    const std::uint64_t page = rules.conflict_page >> shift;
    return page > 1 ? page : 0;
}

} // namespace

offset_space::offset_space(const offset_rules& rules, upstream memory) noexcept
    : nodes_{memory, rules.user_data}, shift_{shift_of(rules.granularity)},
      page_{page_of(rules, shift_)} {}

offset_space::offset_space(const offset_rules& rules, unsigned unit_shift, upstream memory) noexcept
    : nodes_{memory, rules.user_data}, blocks_{memory, unit_shift},
      shift_{shift_of(rules.granularity)}, page_{page_of(rules, shift_)} {}

// ---- nodes ------------------------------------------------------------------------------------

ARENITE_INLINE offset_space::index offset_space::insert_behind(index i,
                                                               std::uint64_t position) noexcept {
    const index made = nodes_.take();
    offset_node& m = nodes_[made];
    offset_node& n = nodes_[i];
    m.set_position(position);
    m.before = i;
    m.behind = n.behind;
    if (n.behind != none)
        nodes_[n.behind].before = made;
    else
        blocks_[block_of(n)].last = made;
    n.behind = made;
    return made;
}

// Another node for the same stretch, which is about to be used: it has no generation left for that.
offset_space::index offset_space::replace(index i) noexcept {
    const index made = nodes_.take();
    offset_node& m = nodes_[made];
    const offset_node& n = nodes_[i];
    m.set_position(n.position());
    m.before = n.before;
    m.behind = n.behind;
    offset_block& block = blocks_[block_of(n)];
    (n.before != none ? nodes_[n.before].behind : block.first) = made;
    (n.behind != none ? nodes_[n.behind].before : block.last) = made;
    vacate(i, made);
    return made;
}

ARENITE_INLINE void offset_space::vacate(index i, index heir) noexcept {
    // The planner stands on this node: it goes on at the one that takes its place.
    if (i == cursor_)
        cursor_ = heir;
    nodes_.give(i);
}

ARENITE_INLINE void offset_space::add_used(std::uint64_t position,
                                           std::uint64_t granules) noexcept {
    used_ += granules;
    if (!blocks_.has_lists())
        return;
    const offset_block::index b = blocks_.at(position);
    blocks_[b].used += granules;
    blocks_.sort(b);
}

/// The high water is noted before the sum sinks, so that nothing is compared while it rises. The
/// difference is added, unsigned: it wraps around.
ARENITE_INLINE void offset_space::sub_used(std::uint64_t position,
                                           std::uint64_t granules) noexcept {
    if (used_ > high_water_)
        high_water_ = used_;
    add_used(position, 0 - granules);
}

// ---- blocks -------------------------------------------------------------------------------------

/// A block begins as one hole.
void offset_space::open(offset_block::index b) noexcept {
    offset_block& block = blocks_[b];
    const index i = nodes_.take();
    offset_node& n = nodes_[i];
    n.set_position(block.base);
    n.set_hole(block.granules);
    n.before = n.behind = none;
    block.first = block.last = i;
    total_ += block.granules;
    bins_.add(nodes_, i);
    if (blocks_.has_lists())
        blocks_.sort(b);
}

/// Nothing is in use there: one hole is left, the first node.
void offset_space::close(offset_block::index b) noexcept {
    offset_block& block = blocks_[b];
    total_ -= block.granules;
    bins_.remove(nodes_, block.first);
    vacate(block.first, none);
    block.first = block.last = none;
}

/// Asks for all that so many stretches and the hole behind them need.
bool offset_space::prepare(std::size_t count) noexcept {
    // The first request opens the space: until then an allocator has no memory of its own.
    if (!nodes_.reserve(count + 1) || !bins_.prepare(nodes_.memory()))
        return false;
    if (total_ != 0) {
        total_ = 0;
        open(0);
    }
    return true;
}

/// The last hole becomes longer or shorter; where nothing is left of it, it goes, and where the
/// last node is in use a new hole follows it.
void offset_space::set_end(std::uint64_t granules) noexcept {
    offset_block& block = blocks_[0];
    const std::uint64_t end = granules;
    const std::uint64_t before = std::exchange(block.granules, granules);
    total_ = granules;
    if (!is_open() || granules == before)
        return;
    index i = block.last;
    if (before == 0) {
        total_ = 0;
        return open(0);
    }
    if (nodes_[i].is_hole())
        bins_.remove(nodes_, i);
    else if (nodes_[i].end() == end)
        return;
    else
        i = insert_behind(i, nodes_[i].end());
    if (nodes_[i].position() < end) {
        nodes_[i].set_hole(end - nodes_[i].position());
        bins_.add(nodes_, i);
        return;
    }
    block.last = nodes_[i].before;
    if (block.last != none)
        nodes_[block.last].behind = none;
    else
        block.first = none;
    vacate(i, block.last);
}

void offset_space::clear() noexcept {
    high_water_ = high_water();
    used_ = live_ = 0;
    cursor_ = none;
    if (!is_open())
        return;
    nodes_.clear();
    bins_.clear();
    blocks_[0].used = 0;
    if (std::exchange(total_, 0) != 0)
        open(0);
}

// ---- search -------------------------------------------------------------------------------------

// Units begin at multiples of their length, which is a power of two.
bool offset_space::is_masked(const offset_request& r) const noexcept {
    return r.is_power() && r.alignment <= blocks_.unit_granules();
}

std::uint64_t offset_space::align_up(std::uint64_t at, const offset_node& hole,
                                     const offset_request& r) const noexcept {
    if (is_masked(r))
        return (at + (r.alignment - 1)) & ~(r.alignment - 1);
    const std::uint64_t base = blocks_[block_of(hole)].base;
    return base + (at - base + r.alignment - 1) / r.alignment * r.alignment;
}

std::uint64_t offset_space::align_down(std::uint64_t at, const offset_node& hole,
                                       const offset_request& r) const noexcept {
    if (is_masked(r))
        return at & ~(r.alignment - 1);
    const std::uint64_t base = blocks_[block_of(hole)].base;
    return base + (at - base) / r.alignment * r.alignment;
}

// The neighbours of a hole are in use, and what lies behind them keeps apart from them already. Of
// what is to be a hole, as the planner asks, one may be a hole itself: that has no kind.
bool offset_space::conflicts(index neighbour, const offset_request& r) const noexcept {
    return neighbour != none && nodes_[neighbour].in_use() &&
           ((nodes_[neighbour].note ^ r.flags) & offset_node::optimal) != 0;
}

std::uint64_t offset_space::place_in(const offset_node& hole,
                                     const offset_request& r) const noexcept {
    return r.high ? place_high(hole, r) : place_low(hole, r);
}

/// The lowest place: above the page that an unlike neighbour in front ends in, and only if it ends
/// below the one that an unlike neighbour behind begins in.
std::uint64_t offset_space::place_low(const offset_node& hole,
                                      const offset_request& r) const noexcept {
    const std::uint64_t begin = hole.position();
    const std::uint64_t end = hole.end();
    std::uint64_t at = align_up(begin, hole, r);
    if (page_ != 0 && conflicts(hole.before, r) && (begin - 1) / page_ == at / page_)
        at = align_up((at / page_ + 1) * page_, hole, r);
    if (at > end || end - at < r.granules)
        return nowhere;
    if (page_ != 0 && conflicts(hole.behind, r) && (at + r.granules - 1) / page_ == end / page_)
        return nowhere;
    return at;
}

/// The highest place, by the same two distances.
std::uint64_t offset_space::place_high(const offset_node& hole,
                                       const offset_request& r) const noexcept {
    const std::uint64_t begin = hole.position();
    std::uint64_t end = hole.end();
    if (page_ != 0 && conflicts(hole.behind, r))
        end = end / page_ * page_;
    if (end < begin || end - begin < r.granules)
        return nowhere;
    const std::uint64_t at = align_down(end - r.granules, hole, r);
    if (at < begin)
        return nowhere;
    if (page_ != 0 && conflicts(hole.before, r) && (begin - 1) / page_ == at / page_)
        return nowhere;
    return at;
}

std::uint64_t offset_space::end_for(const offset_request& r) const noexcept {
    offset_node hole{}; // all that lies behind what is in use
    hole.before = hole.behind = none;
    if (const index last = blocks_[0].last; last != none) {
        const offset_node& n = nodes_[last];
        hole.before = n.is_hole() ? n.before : last;
        hole.set_position(n.is_hole() ? n.position() : n.end());
    }
    // So long that any request fits wherever alignment puts it; only its begin matters.
    hole.set_hole(beyond_all * 4);
    const std::uint64_t at = place_low(hole, r);
    return at == nowhere ? nowhere : at + r.granules;
}

std::size_t offset_space::sure_bin(const offset_request& r) const noexcept {
    // A hole of this length has room wherever it lies. At most 2^47 + 2^49 + 2^49.
    const std::uint64_t apart = page_ < beyond_all / 2 ? 2 * page_ : beyond_all;
    return offset_bins::sure_bin(r.granules + (r.alignment - 1) + apart);
}

// The lowest place in the first so many holes of a bin, or the highest.
fit offset_space::best_in(std::size_t bin, int holes, const offset_request& r) const noexcept {
    fit best;
    for (index i = bins_.head(bin); i != none && holes != 0; --holes, i = nodes_[i].bin.next) {
        const std::uint64_t at = place_in(nodes_[i], r);
        if (at != nowhere && (!best || (at < best.at) != r.high))
            best = {i, at};
    }
    return best;
}

// The lowest place, where alignment is a mask and nothing keeps apart: what most requests do.
ARENITE_INLINE fit offset_space::lowest_in(std::size_t bin, int holes,
                                           const offset_request& r) const noexcept {
    fit best;
    const std::uint64_t mask = r.alignment - 1;
    for (index i = bins_.head(bin); i != none && holes != 0; --holes) {
        const offset_node& n = nodes_[i];
        const std::uint64_t begin = n.position();
        const std::uint64_t at = (begin + mask) & ~mask;
        if (at < best.at && at + r.granules <= begin + n.granules())
            best = {i, at};
        i = n.bin.next;
    }
    return best;
}

/// A few holes of a few bins from the request's own upwards; then the first bin of which every hole
/// is long enough wherever it lies. Only where there is none are all holes below it looked through:
/// so a search is short while long holes are left.
fit offset_space::find(const offset_request& r) const noexcept {
    const bool plain = page_ == 0 && !r.high && is_masked(r);
    const auto look = [&](std::size_t bin) {
        return plain ? lowest_in(bin, holes_a_bin, r) : best_in(bin, holes_a_bin, r);
    };
    const std::size_t own = offset_bins::bin_of(r.granules);
    std::size_t bin = bins_.next(own);
    for (int n = bins_a_search; n != 0; --n) {
        if (bin == offset_bins::none)
            return find_between(own, offset_bins::none, r);
        if (const fit found = look(bin))
            return found;
        bin = bins_.next(bin + 1);
    }
    const std::size_t sure = sure_bin(r);
    if (bin != offset_bins::none && bin < sure)
        bin = bins_.next(sure);
    if (bin != offset_bins::none)
        return look(bin);
    return find_between(own, sure, r);
}

// All holes of these bins.
fit offset_space::find_between(std::size_t bin, std::size_t end,
                               const offset_request& r) const noexcept {
    for (bin = bins_.next(bin); bin < end; bin = bins_.next(bin + 1)) {
        if (const fit found = best_in(bin, -1, r))
            return found;
    }
    return {};
}

std::uint64_t offset_space::largest_hole() const noexcept {
    if (!is_open())
        return total_;
    const std::size_t bin = bins_.last();
    std::uint64_t largest = 0;
    if (bin != offset_bins::none) {
        index i = bins_.head(bin);
        for (int n = holes_a_bin; i != none && n != 0; --n, i = nodes_[i].bin.next)
            largest = std::max(largest, nodes_[i].granules());
    }
    return largest;
}

// ---- stretches ----------------------------------------------------------------------------------

offset_space::index offset_space::take(const fit& f, const offset_request& r) noexcept {
    index i = f.node;
    bins_.remove(nodes_, i);
    const std::uint64_t begin = nodes_[i].position();
    const std::uint64_t end = nodes_[i].end();
    if (f.at != begin) {
        nodes_[i].set_hole(f.at - begin);
        bins_.add(nodes_, i);
        i = insert_behind(i, f.at);
        // A node at the begin of a hole serves again under its next generation; without one it must
        // not.
    } else if (nodes_.is_used_up(nodes_[i])) [[unlikely]] {
        i = replace(i);
    }
    nodes_[i].set_used(r.granules);
    nodes_[i].note = r.alignment | r.flags;
    if (const std::uint64_t behind = f.at + r.granules; behind != end) {
        const index rest = insert_behind(i, behind);
        nodes_[rest].set_hole(end - behind);
        bins_.add(nodes_, rest);
    }
    ++live_;
    add_used(f.at, r.granules);
    return i;
}

void offset_space::give(index i) noexcept {
    offset_node& n = nodes_[i];
    std::uint64_t granules = n.granules();
    --live_;
    sub_used(n.position(), granules);
    // Here, not at the next use: a stale handle is refused from this moment on.
    n.next_generation();
    const index behind = n.behind;
    if (behind != none && nodes_[behind].is_hole()) {
        bins_.remove(nodes_, behind);
        granules += nodes_[behind].granules();
        n.behind = nodes_[behind].behind;
        vacate(behind, i);
    }
    const index before = n.before;
    if (before != none && nodes_[before].is_hole()) {
        bins_.remove(nodes_, before);
        granules += nodes_[before].granules();
        nodes_[before].behind = n.behind;
        vacate(i, before);
        i = before;
    }
    offset_node& hole = nodes_[i];
    hole.set_hole(granules);
    if (hole.behind != none)
        nodes_[hole.behind].before = i;
    else
        blocks_[block_of(hole)].last = i;
    bins_.add(nodes_, i);
}

bool offset_space::resize(index i, std::uint64_t granules) noexcept {
    const offset_node n = nodes_[i]; // reserve() may move the nodes
    const std::uint64_t before = n.granules();
    if (granules == before)
        return true;
    index rest = n.behind;
    const bool hole = rest != none && nodes_[rest].is_hole();
    const std::uint64_t room = before + (hole ? nodes_[rest].granules() : 0);
    if (granules > room)
        return false;
    const std::uint64_t end = n.position() + granules;
    if (granules > before && page_ != 0 && conflicts(nodes_[rest].behind, request_of(n)) &&
        (end - 1) / page_ == (n.position() + room) / page_) // what lies behind the hole
        return false;
    if (!hole && !reserve(1))
        return false;
    if (hole)
        bins_.remove(nodes_, rest);
    else
        rest = insert_behind(i, end);
    sub_used(n.position(), before);
    nodes_[i].set_used(granules);
    add_used(n.position(), granules);
    if (granules != room) {
        nodes_[rest].set_position(end);
        nodes_[rest].set_hole(room - granules);
        bins_.add(nodes_, rest);
        return true;
    }
    const index behind = nodes_[rest].behind;
    nodes_[i].behind = behind;
    if (behind != none)
        nodes_[behind].before = i;
    else
        blocks_[block_of(n)].last = i;
    vacate(rest, i);
    return true;
}

void offset_space::slide(index to, index from) noexcept {
    const std::uint64_t granules = nodes_[from].granules();
    const std::uint64_t gap = nodes_[to].granules();
    nodes_[to].set_used(granules);
    nodes_[from].set_position(nodes_[to].position() + granules);
    nodes_[from].set_used(gap);
    give(from);
}

// ---- handles ------------------------------------------------------------------------------------

void offset_space::refuse(const offset_allocation& a, const char* what) const {
    const bool known = a.node < nodes_.made();
    const char* why = "is not of this allocator";
    if (known && is_live(a))
        why = "belongs to a move, until commit() or cancel()";
    else if (known && nodes_[a.node].in_use() && nodes_[a.node].generation() == a.generation)
        why = "has another offset or size: it was resized since, or is another allocator's";
    else if (known)
        why = "is free already, or is another allocator's";
    contract_violation_f(std::source_location::current(),
                         "%s: the allocation of %" PRIu64 " bytes at offset %" PRIu64 " %s", what,
                         a.bytes, a.offset, why);
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
