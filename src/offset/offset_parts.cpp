// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The part that offset_allocator and offset_heap share: checks of handles, figures, and the calls
// that lead to the planner. A `change` stands at the begin of each call that changes something: it
// refuses calls by the source of an offset_heap from within. Read give() first, by which every
// stretch goes, whether it is freed or left by a move.
#include <arenite/offset/offset_parts.hpp>

#include <arenite/core/contract.hpp>

#include <algorithm>

namespace arenite {
inline namespace ARENITE_ABI {

using detail::offset_node;
using detail::offset_space;

namespace {

detail::offset_rules rules_of(const offset_options& o) noexcept {
    return {o.granularity, o.conflict_page, o.user_data};
}

} // namespace

offset_parts::offset_parts(const offset_options& options, upstream memory) noexcept
    : space_{rules_of(options), memory}, planner_{space_, options.optimal_may_move} {}

offset_parts::offset_parts(const offset_options& options, unsigned unit_shift,
                           upstream memory) noexcept
    : space_{rules_of(options), unit_shift, memory}, planner_{space_, options.optimal_may_move} {}

void offset_parts::refuse_source() {
    contract_violation(
        "the source of an offset_heap called its heap: get and give_back may look at "
        "it, and change nothing");
}

// ---- handles ------------------------------------------------------------------------------------

ARENITE_INLINE void offset_parts::give(offset_node::index i) {
    // Asked before the node may become part of a hole beside it.
    const std::uint64_t position = space_.nodes()[i].position();
    space_.give(i);
    if (!space_.blocks().has_lists())
        return;
    const auto block = space_.blocks().at(position);
    if (space_.blocks()[block].used == 0)
        block_emptied(block);
}

void offset_parts::deallocate(const offset_allocation& a) {
    const change guard{*this};
    // Refuses what is not alive; nothing has changed by then.
    static_cast<void>(space_.at(a, "deallocate"));
    planner_.note_change();
    give(a.node);
}

/// In place only: the handle stays, and its size changes with the part. A part that is being moved
/// keeps its size, as its copy is under way.
bool offset_parts::try_resize(offset_allocation& a, std::uint64_t bytes) {
    const change guard{*this};
    const std::uint64_t n = space_.granules_for(bytes);
    if (space_.at(a, "try_resize").has(offset_node::source) || n > offset_space::most_granules ||
        !space_.resize(a.node, n))
        return false;
    a.bytes = n << space_.granule_shift();
    planner_.note_change();
    return true;
}

void offset_parts::pin(const offset_allocation& a) {
    const change guard{*this};
    space_.at(a, "pin").note |= offset_node::pinned;
}

void offset_parts::unpin(const offset_allocation& a) {
    const change guard{*this};
    space_.at(a, "unpin").note &= ~offset_node::pinned;
    planner_.note_change();
}

void offset_parts::set_user_data(const offset_allocation& a, std::uint64_t value) {
    const change guard{*this};
    static_cast<void>(space_.at(a, "set_user_data"));
    space_.nodes().set_data(a.node, value);
}

// ---- figures ------------------------------------------------------------------------------------

double offset_parts::fragmentation() const noexcept {
    const std::uint64_t all = free_bytes();
    return all == 0 ? 0 : 1 - static_cast<double>(largest_free()) / static_cast<double>(all);
}

/// A destination of a planned move is in use, too, and counts in bytes; as an allocation it is the
/// same one as its source.
usage offset_parts::usage() const noexcept {
    const unsigned shift = space_.granule_shift();
    return {.bytes_in_use = static_cast<std::size_t>(space_.used() << shift),
            .bytes_reserved = static_cast<std::size_t>(space_.total() << shift),
            .high_water_bytes = static_cast<std::size_t>(space_.high_water() << shift),
            .live_allocations = space_.live() - planner_.open_moves(),
            .largest_hole_bytes = static_cast<std::size_t>(largest_free())};
}

bool offset_parts::reserve(std::size_t allocations_and_holes) noexcept {
    const change guard{*this};
    const std::size_t there = space_.nodes().in_use();
    const std::size_t more = allocations_and_holes - std::min(allocations_and_holes, there);
    // The last one asks for as many spare nodes as the first.
    return more < offset_node::none - offset_space::nodes_a_request &&
           space_.reserve(more + offset_space::nodes_a_request);
}

void offset_parts::list_regions(region_sink& sink) const {
    const unsigned shift = space_.granule_shift();
    const auto add = [&](std::uint64_t at, std::uint64_t n, region_state state) {
        sink.add({reinterpret_cast<const void*>(static_cast<std::uintptr_t>(at << shift)),
                  static_cast<std::size_t>(n << shift), state, state == region_state::used});
    };
    if (!space_.is_open() && space_.total() != 0)
        add(0, space_.total(), region_state::free);
    for_each_stretch([&](const offset_node& n, offset_node::index) {
        add(n.position(), n.granules(), n.in_use() ? region_state::used : region_state::free);
    });
}

// ---- defragmentation ----------------------------------------------------------------------------

offset_moves offset_parts::make_room(std::uint64_t bytes, std::uint64_t alignment,
                                     const budget& limit, offset_moves::overlap overlap,
                                     const request_options& options) noexcept {
    const change guard{*this};
    if (const auto r = space_.request_for(bytes, alignment, options))
        return planner_.make_room(r, limit, overlap);
    offset_moves none{space_.nodes().memory()};
    none.finish(offset_moves::state::stuck, 0);
    return none;
}

void offset_parts::settle(std::span<const offset_move> list, bool copied) {
    const change guard{*this};
    for (const offset_move& m : list)
        planner_.settle(m, copied, [&](offset_node::index i) { give(i); });
}

} // namespace ARENITE_ABI
} // namespace arenite
