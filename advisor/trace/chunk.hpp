// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

/// The bytes of a trace: doc/trace.md. A file is a sequence of chunks, each of which is read
/// without the others.
namespace arenite::trace {

using buffer = std::vector<std::uint8_t>;

constexpr std::uint32_t chunk_magic = 0x43525441; // "ATRC"
constexpr std::uint16_t format_version = 1;
constexpr std::uint32_t most_raw_bytes = 16u << 20, most_events = 1u << 16;
constexpr std::uint32_t most_stacks = 1u << 22; ///< numbers that an event may name

enum class chunk_kind : std::uint8_t {
    about = 1,
    events = 2,
    modules = 3,
    stacks = 4,
    names = 5,
    observations_without_ends = 6, ///< of older files
    observations = 7
};

struct chunk_head {
    std::uint32_t magic = chunk_magic;
    std::uint16_t version = format_version;
    chunk_kind kind{};
    std::uint8_t compressed = 0; ///< 0: as it is, 1: zstd
    std::uint32_t thread = 0;    ///< that of the first event
    std::uint32_t items = 0;
    std::uint32_t stored_bytes = 0, raw_bytes = 0;
    std::uint64_t checksum = 0; ///< of this head with 0 here, and what is stored
};
static_assert(sizeof(chunk_head) == 32);

[[nodiscard]] inline std::uint64_t mixed(std::uint64_t sum, const void* data, std::size_t n) {
    const auto* at = static_cast<const unsigned char*>(data);
    while (n > 0) {
        std::uint64_t word = 0;
        const std::size_t part = n < 8 ? n : 8;
        std::memcpy(&word, at, part);
        sum = (sum ^ word) * 0x9E3779B97F4A7C15u;
        sum ^= sum >> 32;
        at += part;
        n -= part;
    }
    return sum;
}
[[nodiscard]] inline std::uint64_t checksum_of(chunk_head head, std::span<const std::uint8_t> of) {
    head.checksum = 0;
    return mixed(mixed(0x41524E54, &head, sizeof head), of.data(), of.size());
}

inline void put(buffer& to, std::uint64_t value) {
    for (; value >= 128; value >>= 7)
        to.push_back(static_cast<std::uint8_t>(value | 128));
    to.push_back(static_cast<std::uint8_t>(value));
}
inline void put(buffer& to, const std::string& text) {
    put(to, text.size());
    to.insert(to.end(), text.begin(), text.end());
}

/// Reads what `put` wrote. Beyond the end it gives zeros, and says so.
class input {
public:
    explicit input(std::span<const std::uint8_t> from) noexcept
        : at_{from.data()}, end_{from.data() + from.size()} {}

    [[nodiscard]] bool good() const noexcept { return good_; }
    [[nodiscard]] std::size_t left() const noexcept { return static_cast<std::size_t>(end_ - at_); }

    std::uint8_t byte() noexcept {
        if (at_ == end_) {
            good_ = false;
            return 0;
        }
        return *at_++;
    }
    std::uint64_t number() noexcept {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const std::uint8_t b = byte();
            value |= std::uint64_t{b & 127u} << shift;
            if (b < 128)
                return value;
        }
        good_ = false;
        return 0;
    }
    std::span<const std::uint8_t> part(std::uint64_t n) noexcept {
        if (n > left()) {
            good_ = false;
            n = 0;
        }
        const std::span<const std::uint8_t> taken{at_, static_cast<std::size_t>(n)};
        at_ += n;
        return taken;
    }
    std::string text() {
        const auto taken = part(number());
        return {taken.begin(), taken.end()};
    }

private:
    const std::uint8_t *at_, *end_;
    bool good_ = true;
};

} // namespace arenite::trace
