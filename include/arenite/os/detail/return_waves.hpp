// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Whether a program comes back for the memory that it is done with: for page_resource
/// and idle_memory.
///
///     in use     /\         /\         /\        peak
///               /  \       /  \       /  \___
///     given         \_____/    \_____/    ^ the second wave has come back: the third may wait
///
/// A wave is what goes to the system by itself, at least an eighth of the peak, while use falls by
/// a quarter of it. It has come back when half of it is in use again; not when use rises far above
/// the peak, which is growth. With the first wave that does not come back within the delay the
/// program is expected no more. Waves that came back say nothing of others that are more than twice
/// as high.
///
/// Threads:   one at a time.
class return_waves {
public:
    /// Use has risen to so much.
    void note_use(std::size_t in_use) noexcept { highest_ = std::max(highest_, in_use); }

    /// Before memory goes by itself: whether what went before has come back.
    void judge(std::uint64_t now_ms, std::uint64_t delay_ms) noexcept {
        if (given_ == 0)
            return;
        const bool is_wave = given_ >= peak_ / 8 && lowest_ <= peak_ - peak_ / 4;
        if (highest_ > lowest_ && highest_ - lowest_ >= given_ / 2) {
            if (is_wave && highest_ <= peak_ + peak_ / 4)
                note_return();
            given_ = 0;
        } else if (now_ms >= given_ms_ + delay_ms) {
            if (is_wave)
                forget();
            given_ = 0;
        }
    }

    /// So much goes by itself, while so much is in use and was at most.
    void note_given(std::size_t bytes, std::size_t in_use, std::size_t peak,
                    std::uint64_t now_ms) noexcept {
        if (given_ == 0)
            peak_ = peak;
        if (given_ == 0 || in_use < lowest_)
            lowest_ = highest_ = in_use;
        given_ += bytes;
        given_ms_ = now_ms;
    }

    /// True when two waves have come back, one after the other.
    [[nodiscard]] bool is_expected() const noexcept { return came_back_ == needed; }

    /// How much such a program may come back for: twice the most by which use rose when a wave came
    /// back. 0 where it is not expected.
    [[nodiscard]] std::size_t expected_bytes() const noexcept {
        constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
        return is_expected() ? height_ + std::min(height_, most - height_) : 0;
    }

private:
    static constexpr unsigned needed = 2;

    void forget() noexcept {
        came_back_ = 0;
        height_ = 0;
    }
    void note_return() noexcept {
        came_back_ = std::min(came_back_ + 1, needed);
        height_ = std::max(height_, highest_ - lowest_);
    }

    std::size_t given_ = 0; ///< in this wave
    std::size_t peak_ = 0;
    std::size_t lowest_ = 0; ///< in use since it went
    std::size_t highest_ = 0;
    std::uint64_t given_ms_ = 0;
    std::size_t height_ = 0; ///< of the highest that came back
    unsigned came_back_ = 0;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
