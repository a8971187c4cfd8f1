// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace support {

/// Bytes that tell whose they are: those of another seed differ, but for one of 65,536 seeds (of a
/// piece of one byte, of 256). Of a large piece only both ends are written, so that tests of large
/// pieces cost no page faults. The bytes are copied from random ones and compared with them at
/// once, since models spend their time here.
class pattern {
public:
    explicit constexpr pattern(std::uint64_t seed) noexcept
        : begin_{static_cast<std::size_t>(seed * 0x9E3779B97F4A7C15u >> 32) % different} {}

    void write(void* p, std::size_t bytes) const noexcept {
        auto* const b = static_cast<unsigned char*>(p);
        each(bytes, [&](std::size_t i, const unsigned char* part, std::size_t length) {
            std::memcpy(b + i, part, length);
            return true;
        });
    }

    /// True if all of it is as written.
    [[nodiscard]] bool holds(const void* p, std::size_t bytes) const noexcept {
        const auto* const b = static_cast<const unsigned char*>(p);
        return each(bytes, [&](std::size_t i, const unsigned char* part, std::size_t length) {
            return std::memcmp(b + i, part, length) == 0;
        });
    }

private:
    static constexpr std::size_t edge = 2048;
    static constexpr std::size_t different = 65'536;

    struct random_bytes {
        random_bytes() noexcept {
            std::uint64_t x = 1;
            for (std::size_t i = 0; i < different; ++i) {
                x = x * 6364136223846793005u + 1442695040888963407u;
                all[i] = static_cast<unsigned char>(x >> 56);
            }
            std::copy(all, all + edge, all + different);
        }
        unsigned char all[different + edge];
    };
    /// Not made at the first use: a child of a fork would wait for another thread that makes it.
    static const random_bytes made;

    /// Calls function(first byte, what stands from there on, length) for both ends; the byte at i
    /// is the same whatever the length of the piece.
    template <class Function>
    bool each(std::size_t bytes, Function function) const noexcept {
        const unsigned char* const random = made.all;
        const std::size_t head = std::min(bytes, edge);
        if (head != 0 && !function(0, random + begin_, head))
            return false;
        const std::size_t tail = std::max(head, bytes - head);
        return tail == bytes || function(tail, random + (begin_ + tail) % different, bytes - tail);
    }

    std::size_t begin_;
};

inline const pattern::random_bytes pattern::made;

} // namespace support
