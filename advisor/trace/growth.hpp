// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace arenite::trace {

/// Smaller buffers may grow as they like.
[[nodiscard]] constexpr bool is_large(std::uint64_t bytes) noexcept { return bytes >= 512; }

/// A buffer that gets a little larger, by less than a third: such copies add up to a square.
[[nodiscard]] constexpr bool is_growth_step(std::uint64_t before, std::uint64_t after) noexcept {
    return is_large(before) && after > before && after - before < before / 3;
}

/// Finds the longer copy of a buffer when that dies: the latest births of large objects.
///
/// A program that grows a buffer by hand allocates a longer one, copies, and frees the shorter one:
/// at most `soon` events later.
class recent_births {
public:
    static constexpr std::uint64_t soon = 64;

    void note(std::uint32_t slot, std::uint64_t event, std::uint64_t bytes) noexcept {
        if (is_large(bytes))
            births_[next_++ % births_.size()] = {slot, event};
    }

    /// The latest of them that `fits`, called with slot and event; UINT32_MAX: none.
    template <class Fits>
    [[nodiscard]] std::uint32_t find(std::uint64_t now, Fits fits) const {
        for (std::size_t i = 1; i <= births_.size() && i <= next_; ++i) {
            const birth& b = births_[(next_ - i) % births_.size()];
            if (now - b.event > soon)
                break;
            if (fits(b.slot, b.event))
                return b.slot;
        }
        return UINT32_MAX;
    }

private:
    struct birth {
        std::uint32_t slot;
        std::uint64_t event;
    };
    std::array<birth, 16> births_{};
    std::size_t next_ = 0;
};

} // namespace arenite::trace
