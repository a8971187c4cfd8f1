// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

class slab_heap;

/// Who wants memory back: the program, where less than three quarters of what is held is in use, or
/// the heap itself, where less than one quarter is. The rest may be wanted again, and may lie in
/// huge pages, which would become small ones.
enum class who_asks : unsigned char { program, heap };

/// Decides when a heap gives the whole pages of its free slots back by itself, and does so in small
/// steps.
///
///     in use   ~~~~~~~\                    /~~~~~     held stays: addresses are not given back
///                      \__________________/
///              look  look  look  steps ...  waits longer from now on, as the program came back
///
/// A look every half second: what is in use must have kept still for some looks, and be less than
/// three quarters of what is held, which is a MiB or more; than one quarter where the program did
/// not ask. Then that call and each later one sees to a few blocks, until all were seen or the
/// program comes back; and once more only when what is in use has changed. How soon the next step
/// follows is up to the caller. Where a program wants the memory again soon after, twice as many
/// still looks are waited for the next time, up to half a minute of them. A heap of which the
/// policy keeps all, or whose memory is made resident ahead, gives nothing unasked.
///
/// Use when:  a heap is asked often, and its thread's slow calls can take the time.
/// Cost:      look: one comparison, as a rule; a look sums over size classes; a step sees to
///            `step_blocks` blocks, or fewer where their pages, and the runs that these lie in, are
///            so many that to give them back takes `step_us`; less than 200 us with the last block.
/// Threads:   the heap's own.
class idle_pages {
public:
    static constexpr std::uint64_t look_ms = 500;
    static constexpr std::uint64_t step_ms = 4; ///< between two steps where nobody asks
    static constexpr unsigned step_blocks = 12;
    static constexpr unsigned step_us = 100; ///< then no further block
    static constexpr std::size_t least_held_bytes = std::size_t{1} << 20;

    constexpr idle_pages() noexcept = default;

    /// Bytes of the objects that lie in a heap, and bytes that it holds; for its thread. The books
    /// count a free at the heap of the thread that made it: by these, an object of this heap that
    /// another thread freed would be in use for ever.
    [[nodiscard]] static std::size_t in_use_in(const slab_heap& heap) noexcept;
    [[nodiscard]] static std::size_t held_by(const slab_heap& heap) noexcept;

    /// False where look() does nothing.
    [[nodiscard]] bool is_due(std::uint64_t now_ms) const noexcept { return now_ms >= next_ms_; }

    /// To be called once in a while; now_ms never falls. True if it took a step: the next one may
    /// follow at once.
    bool look(slab_heap& heap, std::uint64_t now_ms, who_asks who = who_asks::program) noexcept {
        return is_due(now_ms) && look_now(heap, now_ms, who);
    }

private:
    static constexpr unsigned most_patience = 64;

    bool look_now(slab_heap& heap, std::uint64_t now_ms, who_asks who) noexcept;
    bool step(slab_heap& heap) noexcept;
    void end_return() noexcept;

    std::uint64_t next_ms_ = 0;
    std::size_t seen_bytes_ = 0;     ///< in use at the last look
    std::size_t returned_bytes_ = 0; ///< in use at the last return
    const void* from_ = nullptr;     ///< where the next step begins
    unsigned still_looks_ = 0;
    unsigned patience_ = 2;
    bool returning_ = false;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
