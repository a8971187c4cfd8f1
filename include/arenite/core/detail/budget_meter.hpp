// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/budget.hpp>
#include <arenite/core/config.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Decides when a step ends: spent(moves, bytes) is called before each look, with what the step has
/// moved so far.
///
/// Looks that lead to no move are counted: a step ends after 64 of them, plus 4 for each move or
/// one for each 256 bytes that it may make, whichever is less. The clock is read at the first look,
/// and every 16 looks or 16 KiB.
///
/// Threads:   one at a time.
class budget_meter {
public:
    explicit budget_meter(const budget& limit) noexcept
        : limit_{limit}, looks_in_vain_{looks_for(limit)} {
        if (is_timed())
            begin_ = clock::now();
    }

    /// True if another move is within the limits, apart from time.
    [[nodiscard]] bool has_room(std::size_t moves, std::uint64_t bytes) const noexcept {
        return moves < limit_.moves && bytes < limit_.bytes;
    }

    /// True if a limit is reached, given the moves made up to now; otherwise counts another look.
    [[nodiscard]] bool spent(std::size_t moves, std::uint64_t bytes) noexcept {
        if (!has_room(moves, bytes) || looks_ - std::min(looks_, moves) >= looks_in_vain_)
            is_spent_ = true;
        if (is_timed() && (looks_ % looks_a_reading == 0 || bytes >= next_reading_))
            read_clock(bytes);
        looks_ += is_spent_ ? 0 : 1;
        return is_spent_;
    }

    /// The latest result of spent().
    [[nodiscard]] bool is_spent() const noexcept { return is_spent_; }

    /// True if so many more looks, like those before, are likely to reach a limit.
    [[nodiscard]] bool ends_within(std::size_t looks, std::size_t moves,
                                   std::uint64_t bytes) const noexcept {
        if (!has_room(moves, bytes) || looks_ - std::min(looks_, moves) + looks > looks_in_vain_)
            return true;
        const std::uint64_t each = moves == 0 ? 0 : bytes / moves;
        if (looks >= limit_.moves - moves || looks * each >= limit_.bytes - bytes)
            return true;
        if (!is_timed() || looks_ == 0)
            return false;
        const std::uint64_t a_look = read_ns_ / read_looks_ + 1;
        return read_ns_ + (looks_ - read_looks_ + looks) * a_look >= limit_.nanoseconds;
    }

private:
    using clock = std::chrono::steady_clock;
    static constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();
    static constexpr std::size_t looks_a_reading = 16;
    static constexpr std::uint64_t bytes_a_reading = 16 * 1024;

    [[nodiscard]] static std::size_t looks_for(const budget& limit) noexcept {
        if (limit.moves == unlimited && limit.bytes == unlimited)
            return unlimited;
        return 64 + std::min(limit.bytes / 256, 4 * std::min(limit.moves, unlimited / 16));
    }

    [[nodiscard]] bool is_timed() const noexcept {
        return limit_.nanoseconds != budget::unlimited().nanoseconds;
    }

    void read_clock(std::uint64_t bytes) noexcept {
        next_reading_ = bytes + bytes_a_reading;
        read_ns_ =
            static_cast<std::uint64_t>(std::chrono::nanoseconds{clock::now() - begin_}.count());
        read_looks_ = looks_ + 1;
        if (read_ns_ >= limit_.nanoseconds)
            is_spent_ = true;
    }

    budget limit_;
    std::size_t looks_in_vain_; ///< allowed number
    std::size_t looks_ = 0;
    clock::time_point begin_{};
    std::uint64_t next_reading_ = bytes_a_reading;
    std::uint64_t read_ns_ = 0;
    std::size_t read_looks_ = 1;
    bool is_spent_ = false;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
