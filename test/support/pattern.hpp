// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace support {

/// Bytes that tell whose they are: another seed, another pattern. Of a large piece only both ends
/// are written, so that tests of large pieces cost no page faults.
class pattern {
public:
    explicit constexpr pattern(std::uint64_t seed) noexcept
        : value_{seed * 0x9E3779B97F4A7C15u + 1} {}

    void write(void* p, std::size_t bytes) const noexcept {
        auto* const b = static_cast<unsigned char*>(p);
        each(bytes, [&](std::size_t i) {
            b[i] = at(i);
            return true;
        });
    }

    /// True if all of it is as written.
    [[nodiscard]] bool holds(const void* p, std::size_t bytes) const noexcept {
        const auto* const b = static_cast<const unsigned char*>(p);
        return each(bytes, [&](std::size_t i) { return b[i] == at(i); });
    }

private:
    static constexpr std::size_t edge = 2048;

    [[nodiscard]] unsigned char at(std::size_t i) const noexcept {
        return static_cast<unsigned char>((value_ >> (i % 8 * 8)) + i / 8);
    }

    template <class Function>
    static bool each(std::size_t bytes, Function function) noexcept {
        const std::size_t head = std::min(bytes, edge);
        for (std::size_t i = 0; i < head; ++i)
            if (!function(i))
                return false;
        for (std::size_t i = std::max(head, bytes - std::min(bytes, edge)); i < bytes; ++i)
            if (!function(i))
                return false;
        return true;
    }

    std::uint64_t value_;
};

} // namespace support
