// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/os/detail/return_waves.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// How much of the free memory of a heap is idle: more than is allowed, and nobody has wanted it
/// for a second. For shared_spans.
///
///     resident   /\    /\    /\ ___________
///               /  \  /  \  /  V                 free, with memory
///              /    \/    \/     . . . . . .     allowed
///              |  a second  |  a second  |       idle: what is above `allowed` all through one
///
/// Where objects come and go at one level, what stayed free all through a second, beyond what is
/// allowed, goes back in the next one, and no more: what is wanted at once is not faulted in again
/// and again. When what is taken falls by a quarter within a few seconds, a phase of the program
/// ends, and it may never call again: then all is idle that exceeds a quarter of what is taken, and
/// 32 MiB. The height that it fell from sinks by an eighth in each second of such an excess. Of a
/// program that has twice come back for what went (return_waves) only what exceeds 256 MiB, or
/// twice what it came back for, goes at the end of a phase, and else what it has not wanted for
/// four seconds.
///
/// Threads:   one at a time.
class idle_memory {
public:
    static constexpr std::uint64_t delay_ms = 1000;

    /// So many free bytes are resident after a request, and so many taken.
    void note_request(std::size_t resident, std::size_t taken) noexcept {
        least_resident_ = std::min(least_resident_, resident);
        most_taken_ = std::max(most_taken_, taken);
        waves_.note_use(taken);
    }

    /// True where free memory is to go back now; at `now_ms`, after memory was freed.
    [[nodiscard]] bool is_due(std::uint64_t now_ms, std::size_t resident, std::size_t taken,
                              std::size_t allowed) noexcept {
        if (since_ms_ == 0) {
            since_ms_ = now_ms;
            least_resident_ = resident;
        }
        if (now_ms - since_ms_ >= delay_now_ms()) {
            due_ = least_resident_ - std::min(least_resident_, allowed);
            since_ms_ = now_ms;
            least_resident_ = resident;
            most_taken_ = std::max(taken, most_taken_ - most_taken_ / 8); // soon forgotten
        }
        if (due_ == 0 && !has_fallen(resident, taken))
            return false;
        waves_.judge(now_ms, delay_now_ms());
        return due_ != 0 || resident > std::min(may_wait, waves_.expected_bytes());
    }

    /// So much has gone back after is_due() was true.
    void note_given(std::size_t bytes, std::uint64_t now_ms, std::size_t taken) noexcept {
        due_ -= std::min(due_, bytes);
        waves_.note_given(bytes, taken, most_taken_, now_ms);
    }

    /// There is no more that can go.
    void give_up() noexcept { due_ = 0; }

    /// No more is resident than allowed.
    void end_excess() noexcept { since_ms_ = due_ = 0; }

private:
    static constexpr std::uint64_t times_longer = 4; ///< for a program that is expected
    static constexpr std::size_t divisor = 4;
    static constexpr std::size_t may_stay = std::size_t{32} << 20;
    static constexpr std::size_t may_wait = std::size_t{256} << 20; ///< as in page_options

    [[nodiscard]] std::uint64_t delay_now_ms() const noexcept {
        return delay_ms * (waves_.is_expected() ? times_longer : 1);
    }
    [[nodiscard]] bool has_fallen(std::size_t resident, std::size_t taken) const noexcept {
        return taken < most_taken_ - most_taken_ / divisor &&
               resident > std::max(may_stay, taken / divisor);
    }

    std::uint64_t since_ms_ = 0;     ///< when this second began; 0: with the next excess
    std::size_t least_resident_ = 0; ///< in this second
    std::size_t most_taken_ = 0;     ///< in this second, or nearly so much before
    std::size_t due_ = 0;            ///< bytes that were idle in the last second
    return_waves waves_;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
