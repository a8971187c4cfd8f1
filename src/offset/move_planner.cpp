// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Defragmentation of an offset_allocator or offset_heap. First one move and its undoing; then
// rounds, which empty the emptiest block or, in a range, carry the last parts down; then room for
// one request, by clearing the cheapest stretch or by sliding all parts of a block. A plan is not a
// copy: the user copies, then settles each move, and may allocate and free in between. So all state
// is a phase, a block and a cursor, which the space moves on when its node goes; nothing here holds
// a pointer over a call.
#include <arenite/core/detail/budget_meter.hpp>
#include <arenite/offset/detail/move_planner.hpp>

#include <algorithm>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

using u64 = std::uint64_t;
using fit = offset_space::fit;

namespace {

/// In 64ths, rounded down; of a block in use.
std::uint32_t fill_of(const offset_block& b) noexcept { return b.list % offset_blocks::fill_lists; }

} // namespace

/// Stretches [left, right] of a block that are to be one hole.
struct move_planner::window {
    index left = none;
    index right = none;
    std::uint64_t cost = 0; ///< granules in use
};

// ---- one move -----------------------------------------------------------------------------------

bool move_planner::plan(index from, const fit& to, std::uint64_t granules,
                        offset_moves& out) noexcept {
    // Whatever may fail comes first: from here on a move is planned whole.
    if (!space_.reserve(2) || !out.reserve_one())
        return false;
    offset_nodes& nodes = space_.nodes();
    offset_request r = offset_space::request_of(nodes[from]);
    r.granules = granules;
    const index made = space_.take(to, r);
    nodes[made].note |= offset_node::destination;
    nodes[from].note |= offset_node::source;
    const auto block = [&](index i) { return space_.blocks()[space_.block_of(nodes[i])].memory; };
    offset_move m{space_.allocation(from), space_.allocation(made), block(from), block(made),
                  nodes.data(from)};
    // A slide may have taken less than the whole length yet, see slide().
    m.to.bytes = m.from.bytes;
    out.add(m);
    ++open_moves_;
    moved_ = true;
    return true;
}

void move_planner::undo(offset_moves& out, std::size_t keep) noexcept {
    // Backward, as each one may have taken the remainder of the one before.
    while (out.size() > keep) {
        settle(out[out.size() - 1], false, [&](index i) { space_.give(i); });
        out.remove_last();
    }
}

// For what leaves its block: the shortest hole of a fuller block that is not to be emptied soon
// itself.
fit move_planner::place_elsewhere(const offset_node& n) const noexcept {
    const offset_blocks& blocks = space_.blocks();
    const offset_block& own = blocks[space_.block_of(n)];
    const std::uint64_t held = space_.total() - blocks.empty_granules();
    const std::uint64_t mean = space_.used() * offset_blocks::fill_lists / held;
    // Blocks well below the mean are the next to be emptied: what went there would move twice.
    const std::uint64_t least = std::max<std::uint64_t>(fill_of(own), mean * 3 / 4);
    return space_.find_among(
        offset_space::request_of(n), holes_a_search,
        [&](const offset_node& hole) {
            const offset_block& b = blocks[blocks.at(hole.position())];
            return &b != &own && b.used != 0 && fill_of(b) >= least;
        },
        [&](const fit& a, const fit& b) {
            return space_.nodes()[a.node].granules() < space_.nodes()[b.node].granules();
        });
}

// For what lies at the end of its block: a lower place, or one in a fuller block, fullest first.
fit move_planner::lower_place(const offset_node& n) const noexcept {
    const offset_blocks& blocks = space_.blocks();
    const offset_request r = offset_space::request_of(n);
    if (!blocks.has_lists())
        return space_.find_among(
            r, holes_a_search,
            [&](const offset_node& hole) { return hole.position() < n.position(); },
            [](const fit& a, const fit& b) { return a.at < b.at; });
    const auto left = [](const offset_block& b) { return b.granules - b.used; };
    const offset_block& own = blocks[space_.block_of(n)];
    return space_.find_among(
        r, holes_a_search,
        [&](const offset_node& hole) {
            const offset_block& b = blocks[blocks.at(hole.position())];
            return &b == &own ? hole.position() < n.position() : b.used != 0 && left(b) < left(own);
        },
        [&](const fit& a, const fit& b) {
            const std::uint64_t left_a = left(blocks[blocks.at(a.at)]);
            const std::uint64_t left_b = left(blocks[blocks.at(b.at)]);
            return left_a != left_b ? left_a < left_b : a.at < b.at;
        });
}

// Down into the hole before it, which may be shorter than it is.
bool move_planner::slide(index from, offset_moves& out) noexcept {
    const offset_node& n = space_.nodes()[from];
    const index hole = n.before;
    if (hole == none || !space_.nodes()[hole].is_hole())
        return false;
    offset_request r = offset_space::request_of(n);
    // One granule is asked for, to learn where alignment allows it to begin; the destination then
    // reaches up to its present place, which it may overlap.
    const std::uint64_t granules = std::exchange(r.granules, 1);
    const std::uint64_t at = space_.place_in(space_.nodes()[hole], r);
    return at != offset_space::nowhere &&
           plan(from, {hole, at}, std::min(granules, n.position() - at), out);
}

// ---- rounds -------------------------------------------------------------------------------------

// Free granules that are of no use to large requests.
std::uint64_t move_planner::loose_granules() const noexcept {
    const std::uint64_t free = space_.total() - space_.used();
    if (space_.blocks().has_lists())
        return free - space_.blocks().empty_granules();
    return free - std::min(free, space_.largest_hole());
}

void move_planner::end(offset_moves& out, offset_moves::state s) const noexcept {
    const std::uint64_t loose = space_.is_open() ? loose_granules() : 0;
    out.finish(s, loose << space_.granule_shift());
}

void move_planner::begin_round() noexcept {
    moved_ = false;
    if (space_.blocks().has_lists()) {
        space_.blocks().forget_tries();
        phase_ = phase::choose;
        return;
    }
    block_ = 0;
    space_.cursor() = space_.blocks()[0].last;
    phase_ = phase::carry;
}

// Notes the point that give_up() goes back to.
void move_planner::note_begin_of_block(const offset_moves& out) noexcept {
    first_of_block_ = out.size();
    moved_before_ = moved_;
}

// The next block to be emptied. False: what was planned must be settled first.
bool move_planner::choose(offset_moves& out, offset_moves::overlap overlap) noexcept {
    const offset_blocks& blocks = space_.blocks();
    const offset_block::index b = blocks.emptiest();
    // All of it goes into the holes of others only if all holes together have a block's length.
    if (!only_slides() && b != offset_blocks::none && loose_granules() >= blocks[b].granules) {
        block_ = b;
        space_.cursor() = blocks[b].last;
        note_begin_of_block(out);
        phase_ = phase::empty;
        return true;
    }
    // Moves under way may free a block yet.
    if (open_moves_ != 0)
        return false;
    const offset_block::index emptiest = b != offset_blocks::none ? b : blocks.emptiest_tried();
    if (emptiest == offset_blocks::none || loose_granules() < blocks[emptiest].granules) {
        // No block could be had: what may slide is pushed together within each.
        if (overlap == offset_moves::apart) {
            phase_ = phase::idle;
            return true;
        }
        round_ = most_rounds;
    }
    phase_ = phase::carry;
    block_ = offset_blocks::none;
    space_.cursor() = none;
    return true;
}

void move_planner::empty_one(offset_moves& out) noexcept {
    const index i = space_.cursor();
    if (i == none) { // all of it is on its way
        if (space_.blocks()[block_].used != 0)
            space_.blocks().set_tried(block_);
        phase_ = phase::choose;
        return;
    }
    const offset_node& n = space_.nodes()[i];
    if (n.in_use() && !n.has(offset_node::source)) {
        const fit to = may_move(n) ? place_elsewhere(n) : fit{};
        if (!to || !plan(i, to, n.granules(), out))
            return give_up(out);
    }
    space_.cursor() = space_.nodes()[i].before;
}

// Moves that were planned for this block in this step would be copied for nothing.
void move_planner::give_up(offset_moves& out) noexcept {
    undo(out, first_of_block_);
    moved_ = moved_before_;
    space_.blocks().set_tried(block_);
    phase_ = phase::choose;
}

void move_planner::carry_one(offset_moves& out, offset_moves::overlap overlap) noexcept {
    const index i = space_.cursor();
    if (i == none)
        return next_block(overlap);
    space_.cursor() = space_.nodes()[i].before;
    const offset_node& n = space_.nodes()[i];
    if (n.is_hole() || n.has(offset_node::source | offset_node::destination))
        return;
    if (may_move(n)) {
        if (const fit to = only_slides() ? fit{} : lower_place(n)) {
            static_cast<void>(plan(i, to, n.granules(), out));
            return;
        }
        if (overlap == offset_moves::may_overlap && slide(i, out))
            return;
    }
    if (space_.blocks().has_lists() && overlap == offset_moves::apart)
        space_.cursor() = none; // a hole behind it is what can be had of this block
}

void move_planner::next_block(offset_moves::overlap overlap) noexcept {
    const offset_blocks& blocks = space_.blocks();
    if (blocks.has_lists()) {
        do
            ++block_; // from none to the first
        while (block_ < blocks.made() && blocks[block_].used == 0);
        if (block_ < blocks.made()) {
            space_.cursor() = blocks[block_].last;
            return;
        }
    }
    // Rounds may undo each other's gain where sizes are awkward; so there is an end.
    const bool last = ++round_ >= most_rounds && overlap == offset_moves::apart;
    round_ = std::min<unsigned char>(round_, most_rounds);
    phase_ = moved_ && !last ? phase::wait : phase::idle;
}

offset_moves move_planner::step(const budget& limit, offset_moves::overlap overlap) noexcept {
    offset_moves out{space_.nodes().memory()};
    budget_meter meter{limit};
    note_begin_of_block(out);
    if (overlap == offset_moves::apart)
        slides_tried_ = false; // from this step on, in the rounds that it is of
    for (bool more = space_.is_open(); more && !meter.spent(out.size(), out.bytes());) {
        switch (phase_) {
        case phase::idle:
            more = !is_settled(overlap) && open_moves_ == 0;
            if (more) {
                changed_ = false;
                slides_tried_ = overlap == offset_moves::may_overlap;
                round_ = 0;
                begin_round();
            }
            break;
        case phase::choose:
            more = choose(out, overlap);
            break;
        case phase::empty:
            empty_one(out);
            break;
        case phase::carry:
            carry_one(out, overlap);
            break;
        case phase::wait:
            more = open_moves_ == 0;
            if (more)
                begin_round();
            break;
        }
    }
    const bool done = phase_ == phase::idle && is_settled(overlap);
    end(out, done ? offset_moves::state::done : offset_moves::state::more);
    return out;
}

// ---- room for one request -----------------------------------------------------------------------

offset_moves move_planner::make_room(const offset_request& r, const budget& limit,
                                     offset_moves::overlap overlap) noexcept {
    offset_moves out{space_.nodes().memory()};
    budget_meter meter{limit};
    offset_moves::state result = offset_moves::state::more;
    if (!space_.is_open()) {
        result =
            r.granules <= space_.total() ? offset_moves::state::done : offset_moves::state::stuck;
    } else if (space_.find(r)) {
        result = offset_moves::state::done;
    } else if (open_moves_ == 0) {
        result = clear_windows(r, out, meter);
        if (result == offset_moves::state::stuck && overlap == offset_moves::may_overlap)
            result = slide_all(out, meter);
    }
    end(out, result);
    return out;
}

// To the left or to the right, wherever less must move, until the request fits. A hole beside it
// costs nothing, and is taken in where kinds keep apart: else what leaves might go there, and be on
// one page with the request.
bool move_planner::widen(window& w, const offset_request& r) const noexcept {
    const offset_nodes& nodes = space_.nodes();
    const auto cost = [&](index i) {
        if (i == none || (!nodes[i].is_hole() && !may_move(nodes[i])))
            return offset_space::nowhere;
        return nodes[i].is_hole() ? 0 : nodes[i].granules();
    };
    offset_node all = nodes[w.left];
    // A bound, not an optimum: a window that needs more nodes than this would cost more than it
    // gives.
    for (int n = nodes_a_window; n != 0; --n) {
        all.before = nodes[w.left].before;
        all.behind = nodes[w.right].behind;
        all.set_position(nodes[w.left].position());
        all.set_hole(nodes[w.right].end() - all.position());
        const std::uint64_t left = cost(all.before);
        const std::uint64_t right = cost(all.behind);
        const bool beside_hole = left == 0 || right == 0;
        if (!(beside_hole && space_.keeps_apart()) &&
            space_.place_in(all, r) != offset_space::nowhere)
            return true;
        if (left == offset_space::nowhere && right == offset_space::nowhere)
            return false;
        w.cost += std::min(left, right);
        if (left < right)
            w.left = all.before;
        else
            w.right = all.behind;
    }
    return false;
}

// Around the largest holes; the one first for which least must move.
offset_moves::state move_planner::clear_windows(const offset_request& r, offset_moves& out,
                                                budget_meter& meter) noexcept {
    window found[windows];
    int count = 0;
    const offset_bins& bins = space_.bins();
    int tries = 2 * windows;
    for (std::size_t bin = bins.last(); bin != offset_bins::none;
         bin = tries == 0 ? offset_bins::none : bins.previous(bin)) {
        for (index i = bins.head(bin); i != none && tries != 0 && count != windows; --tries) {
            found[count] = {i, i, 0};
            if (widen(found[count], r))
                ++count;
            i = space_.nodes()[i].bin.next;
        }
    }
    for (; count != 0; --count) {
        window* const cheapest = std::min_element(
            found, found + count, [](const window& a, const window& b) { return a.cost < b.cost; });
        const offset_moves::state result = clear_one(*cheapest, out, meter);
        if (result != offset_moves::state::stuck)
            return result;
        // Tried in vain: the next cheapest then.
        *cheapest = found[count - 1];
    }
    return offset_moves::state::stuck;
}

// Its own holes are no destinations: they are hidden meanwhile. Nor are those that would get
// another node: other windows know them by the one they have.
offset_moves::state move_planner::clear_one(const window& room, offset_moves& out,
                                            budget_meter& meter) noexcept {
    offset_nodes& nodes = space_.nodes();
    const index end = nodes[room.right].behind;
    for (index i = room.left; i != end; i = nodes[i].behind) {
        if (nodes[i].is_hole())
            space_.hide(i);
    }
    offset_moves::state result = offset_moves::state::done;
    for (index i = room.left; i != end && result == offset_moves::state::done;
         i = nodes[i].behind) {
        if (nodes[i].is_hole())
            continue;
        if (!meter.has_room(out.size(), out.bytes())) {
            result = offset_moves::state::more;
            break;
        }
        const fit to = space_.find_among(
            offset_space::request_of(nodes[i]), holes_a_search,
            [&](const offset_node& hole) { return !nodes.is_used_up(hole); },
            [](const fit&, const fit&) { return false; }); // the shortest of all
        if (!to || !plan(i, to, nodes[i].granules(), out))
            result = offset_moves::state::stuck;
    }
    if (result == offset_moves::state::stuck)
        undo(out, 0);
    for (index i = room.left; i != end; i = nodes[i].behind) {
        if (nodes[i].is_hole())
            space_.show(i);
    }
    return result;
}

// Every stretch goes down into the hole before it, if there is one: then the holes are one stretch
// nearer to the end of the block, and at last they meet there.
offset_moves::state move_planner::slide_all(offset_moves& out, budget_meter& meter) noexcept {
    const offset_nodes& nodes = space_.nodes();
    const offset_blocks& blocks = space_.blocks();
    for (offset_block::index b = 0; b != blocks.made(); ++b) {
        for (index i = blocks[b].granules == 0 ? none : blocks[b].first;
             i != none && meter.has_room(out.size(), out.bytes()); i = nodes[i].behind) {
            if (may_move(nodes[i]))
                static_cast<void>(slide(i, out));
        }
    }
    return out.empty() ? offset_moves::state::stuck : offset_moves::state::more;
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
