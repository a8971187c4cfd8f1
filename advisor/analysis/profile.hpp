// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../trace/growth.hpp"
#include "../trace/live_objects.hpp"
#include "../trace/reader.hpp"
#include "touches.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace arenite::advisor {

/// Buffers that grew in small steps.
struct growth_profile {
    std::uint64_t links = 0, copied = 0; ///< steps, and the bytes before each
    std::uint64_t stayed = 0;            ///< of these: realloc left the buffer in its place
    std::uint64_t moved = 0;             ///< of these: realloc moved it; of pages it copies nothing
    std::uint64_t longest_chain = 0;
};

/// The requests of one call stack, and how they went on.
struct stack_profile : growth_profile {
    std::uint64_t allocations = 0, bytes = 0;
    std::uint64_t frees = 0;
    std::uint64_t live_bytes = 0, peak_bytes = 0; ///< the peak is its own
    std::uint64_t bytes_at_peak = 0;              ///< when the program's was
    std::uint64_t smallest = UINT64_MAX, largest = 0;
    std::uint64_t short_lived = 0;     ///< died within short_life events
    std::uint64_t died_in_frame = 0;   ///< before the mark after their birth
    std::uint64_t freed_in_runs = 0;   ///< directly after another free of this stack
    std::uint64_t freed_by_others = 0; ///< by another thread
};

constexpr std::uint64_t short_life = 16; ///< events

/// One pass over a trace: totals, and a profile a call stack.
class profile {
public:
    static constexpr std::size_t buckets = 40; ///< by log2

    /// Reads all of it. `each` gets every event with what it did, for callers that want more.
    explicit profile(trace::source& from);

    [[nodiscard]] const std::vector<stack_profile>& stacks() const noexcept { return stacks_; }
    [[nodiscard]] std::uint64_t events() const noexcept { return events_; }
    [[nodiscard]] std::uint64_t count(trace::op what) const noexcept {
        return by_op_[static_cast<std::size_t>(what) & 15];
    }
    [[nodiscard]] std::uint64_t allocations() const noexcept;
    [[nodiscard]] std::uint64_t frees() const noexcept;
    /// Ends of frames and phases that the program told.
    [[nodiscard]] std::uint64_t marks() const noexcept { return count(trace::op::mark); }
    [[nodiscard]] std::uint64_t peak_bytes() const noexcept { return peak_bytes_; }
    [[nodiscard]] std::uint64_t end_bytes() const noexcept { return live_.live_bytes(); }
    [[nodiscard]] std::uint64_t end_count() const noexcept { return live_.live_count(); }
    [[nodiscard]] std::uint64_t never_seen() const noexcept { return live_.never_seen(); }
    [[nodiscard]] std::uint64_t never_freed() const noexcept { return live_.never_freed(); }
    [[nodiscard]] std::uint64_t last_time() const noexcept { return last_time_; }
    [[nodiscard]] std::size_t threads() const noexcept { return threads_; }
    /// The observations of the objects while the program ran.
    [[nodiscard]] const touches& touched() const noexcept { return touched_; }
    /// Allocations by log2 of their size, and of the events that they lived.
    [[nodiscard]] const auto& sizes() const noexcept { return sizes_; }
    [[nodiscard]] const auto& lives() const noexcept { return lives_; }

private:
    struct kept {
        std::uint64_t born = 0;  ///< the event
        std::uint64_t sized = 0; ///< the event that gave it its size: its birth or a resize
        std::uint32_t stack = 0, thread = 0;
        std::uint32_t chain = 0; ///< growth steps until here
        std::uint32_t frame = 0; ///< marks before its birth
    };
    void take(const trace::event& e);
    void take(const trace::observation& seen);
    void note_birth(std::uint32_t slot, const trace::event& e);
    void note_resize(std::uint32_t slot, std::uint64_t before, bool moved, const trace::event& e);
    void note_death(std::uint32_t slot, const trace::event& e);
    void note_link(stack_profile& of, kept& longer, std::uint32_t steps, std::uint64_t bytes);
    stack_profile& stack(std::uint32_t number);

    std::vector<stack_profile> stacks_;
    trace::recent_births latest_;
    touches touched_;
    trace::live_objects<kept> live_;
    std::array<std::uint64_t, 16> by_op_{};
    std::array<std::uint64_t, buckets> sizes_{}, lives_{};
    std::uint64_t events_ = 0, peak_bytes_ = 0, noted_peak_ = 0, last_time_ = 0;
    std::size_t threads_ = 0;
    std::uint32_t freed_stack_ = UINT32_MAX; ///< of the event before, where that was a free
};

} // namespace arenite::advisor
