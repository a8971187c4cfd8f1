// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/budget.hpp>
#include <arenite/core/config.hpp>
#include <arenite/offset/detail/offset_space.hpp>
#include <arenite/offset/offset_moves.hpp>

#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

class budget_meter;

/// Defragments an offset_space by steps: plans copies, and settles them when they are done.
///
///     round   empty the emptiest block into fuller ones, block by block,
///             then carry what lies at the end of each block to a lower place or a fuller block
///     three rounds at most, and no more than make a difference; where moves may overlap further
///     ones of a heap slide alone, and of a range all moves go down: so there is an end
///
/// A round keeps its position as a block and a node of it (the space's cursor), so that it
/// continues whatever was allocated, freed or moved since. A planned move allocates its destination
/// at once; the source remains the user's until settle(). If a round needs the memory that its
/// moves will free, it waits for them: a step returns no moves then.
///
/// Cost:      O(1) per node examined: at most holes_a_search holes. How many nodes a step examines,
///            and how often it reads the clock: see budget_meter. It exceeds a limit in bytes by
///            less than its last move.
class move_planner {
public:
    using index = offset_node::index;
    static constexpr index none = offset_node::none;
    static constexpr int holes_a_search = 32;
    static constexpr int windows = 8;          ///< that make_room examines
    static constexpr int nodes_a_window = 128; ///< that one may have
    static constexpr int most_rounds = 3;

    move_planner(offset_space& space, bool optimal_may_move) noexcept
        : space_{space},
          fixed_{offset_node::pinned | offset_node::source | offset_node::destination |
                 (optimal_may_move ? 0 : offset_node::optimal)} {}

    [[nodiscard]] offset_moves step(const budget& limit, offset_moves::overlap overlap) noexcept;
    [[nodiscard]] offset_moves make_room(const offset_request& r, const budget& limit,
                                         offset_moves::overlap overlap) noexcept;

    /// Ends a move: the copy becomes the user's, or the move is given up. Frees the other place by
    /// `give(node)`. Does nothing if it was settled before.
    template <class Give>
    void settle(const offset_move& m, bool copied, Give give);

    /// Forgets everything, together with the space.
    void clear() noexcept { phase_ = phase::idle, open_moves_ = 0; }

    /// Moves that are not settled; each has allocated its destination.
    [[nodiscard]] std::size_t open_moves() const noexcept { return open_moves_; }

    /// Something was allocated or freed: a step may find more to do.
    void note_change() noexcept { changed_ = true; }

private:
    enum class phase : unsigned char { idle, choose, empty, carry, wait };
    struct window;

    [[nodiscard]] bool may_move(const offset_node& n) const noexcept {
        return n.in_use() && (n.note & fixed_) == 0;
    }
    /// A round of a heap in which each move goes down in its own block: these come to an end.
    [[nodiscard]] bool only_slides() const noexcept {
        return round_ == most_rounds && space_.blocks().has_lists();
    }
    /// Between rounds: further ones would find nothing.
    [[nodiscard]] bool is_settled(offset_moves::overlap overlap) const noexcept {
        return !changed_ && (overlap == offset_moves::apart || slides_tried_);
    }
    [[nodiscard]] std::uint64_t loose_granules() const noexcept;
    void end(offset_moves& out, offset_moves::state s) const noexcept;

    void begin_round() noexcept;
    void note_begin_of_block(const offset_moves& out) noexcept;
    [[nodiscard]] bool choose(offset_moves& out, offset_moves::overlap overlap) noexcept;
    void empty_one(offset_moves& out) noexcept;
    void give_up(offset_moves& out) noexcept;
    void carry_one(offset_moves& out, offset_moves::overlap overlap) noexcept;
    void next_block(offset_moves::overlap overlap) noexcept;

    [[nodiscard]] offset_space::fit place_elsewhere(const offset_node& n) const noexcept;
    [[nodiscard]] offset_space::fit lower_place(const offset_node& n) const noexcept;
    [[nodiscard]] bool plan(index from, const offset_space::fit& to, std::uint64_t granules,
                            offset_moves& out) noexcept;
    [[nodiscard]] bool slide(index from, offset_moves& out) noexcept;
    void undo(offset_moves& out, std::size_t keep) noexcept;

    [[nodiscard]] bool widen(window& w, const offset_request& r) const noexcept;
    [[nodiscard]] offset_moves::state clear_windows(const offset_request& r, offset_moves& out,
                                                    budget_meter& meter) noexcept;
    [[nodiscard]] offset_moves::state clear_one(const window& room, offset_moves& out,
                                                budget_meter& meter) noexcept;
    [[nodiscard]] offset_moves::state slide_all(offset_moves& out, budget_meter& meter) noexcept;

    offset_space& space_;
    std::uint64_t fixed_; ///< allocations with one of these flags stay
    std::size_t open_moves_ = 0;
    std::size_t first_of_block_ = 0; ///< in the list of this step: where give_up() begins
    offset_block::index block_ = 0;
    phase phase_ = phase::idle;
    unsigned char round_ = 0;
    bool moved_ = false;        ///< in this round
    bool moved_before_ = false; ///< the block that first_of_block_ refers to
    bool changed_ = false;      ///< since the first round began
    bool slides_tried_ = false; ///< by each step since then
};

template <class Give>
void move_planner::settle(const offset_move& m, bool copied, Give give) {
    offset_nodes& nodes = space_.nodes();
    const index to = m.to.node;
    if (to >= nodes.made() || !nodes[to].in_use() || nodes[to].generation() != m.to.generation ||
        !nodes[to].has(offset_node::destination) || space_.offset_of(nodes[to]) != m.to.offset)
        return;
    --open_moves_;
    const index from = m.from.node;
    if (!space_.is_live(m.from) || !nodes[from].has(offset_node::source))
        return give(to); // it was freed meanwhile
    nodes[from].note &= ~offset_node::source;
    if (!copied)
        return give(to);
    nodes[to].note = nodes[from].note;
    nodes.set_data(to, nodes.data(from));
    if (nodes[to].granules() < nodes[from].granules())
        space_.slide(to, from);
    else
        give(from);
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
