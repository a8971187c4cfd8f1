// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/offset/offset_move.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace arenite {
inline namespace ARENITE_ABI {

/// The copies that a defragmentation step asks for, and how much is left to gain.
///
///     offset_moves todo = gpu.step(budget{.bytes = 1_MiB, .moves = 10});
///     for (const offset_move& m : todo)
///         copy(m.from, m.to); // on the GPU
///     ...                     // when its fence is passed
///     gpu.commit(todo);
///
/// Overhead:  72 bytes per move, in an array that doubles, from the allocator's upstream, which
///            must outlive it.
/// Failure:   if the upstream has no memory for the list, the step ends with the moves in it.
class offset_moves {
public:
    /// Whether a move may slide: to a place that overlaps its source.
    enum overlap : bool { apart, may_overlap };

    enum class state : unsigned char {
        more, ///< step again: when these are done, or at once
        done, ///< there is nothing more to gain; of make_room: when these are done the request fits
        stuck ///< of make_room: no move helps
    };

    explicit offset_moves(upstream memory) noexcept : memory_{memory} {}
    offset_moves(offset_moves&& other) noexcept;
    offset_moves& operator=(offset_moves&& other) noexcept;
    ~offset_moves();

    [[nodiscard]] const offset_move* begin() const noexcept { return list_; }
    [[nodiscard]] const offset_move* end() const noexcept { return list_ + size_; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] const offset_move& operator[](std::size_t i) const noexcept { return list_[i]; }
    /// All moves, or a part by subspan, for commit() and cancel(), which also take the whole list.
    [[nodiscard]] std::span<const offset_move> all() const noexcept;

    /// Bytes to copy, in total.
    [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
    [[nodiscard]] state result() const noexcept { return state_; }
    [[nodiscard]] bool done() const noexcept { return state_ == state::done; }

    /// Free bytes that are not in one piece, or, in a heap, that lie in blocks in use: the most
    /// that could be gained.
    [[nodiscard]] std::uint64_t could_gain() const noexcept { return could_gain_; }

    // For the planner.
    [[nodiscard]] bool reserve_one() noexcept;
    void add(const offset_move& m) noexcept;
    void remove_last() noexcept;
    void finish(state s, std::uint64_t could_gain) noexcept {
        state_ = s;
        could_gain_ = could_gain;
    }

private:
    offset_move* list_ = nullptr;
    std::size_t size_ = 0;
    std::size_t room_ = 0;
    std::uint64_t bytes_ = 0;
    std::uint64_t could_gain_ = 0;
    state state_ = state::more;
    upstream memory_;
};

/// The former name of offset_moves, until 1.0.
using moves [[deprecated("it is called arenite::offset_moves now")]] = offset_moves;

} // namespace ARENITE_ABI
} // namespace arenite
