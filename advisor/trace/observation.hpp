// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "burst_end.hpp"
#include "chunk.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace arenite::trace {

/// A place in memory that the program's instructions used. It lies near objects: addresses of
/// stacks and of static variables are counted alone.
struct access {
    std::uint64_t address = 0;
    bool written = false;
    /// How many accesses before this one its address was loaded from memory; 0: it was not, or long
    /// ago.
    std::uint32_t loaded_before = 0;

    bool operator==(const access&) const = default;
};

/// A look at what a thread of the program did between two events: the registers of a moment, or a
/// burst, every access of some hundred instructions in a row.
struct observation {
    std::uint32_t before = 0; ///< how many events of its span come before it
    std::uint32_t thread = 0;
    std::uint32_t instructions = 0; ///< of a burst; 0: what registers pointed to
    std::uint32_t elsewhere = 0;    ///< accesses that lie near no object
    burst_end end = burst_end::unknown;
    bool goes_on = false;         ///< it began where a call ended that the burst before came by
    std::vector<access> accesses; ///< in order

    [[nodiscard]] bool is_burst() const noexcept { return instructions != 0; }
    bool operator==(const observation&) const = default;
};

constexpr std::uint32_t most_accesses = 1u << 16;       ///< of an observation
constexpr std::uint32_t most_observations = 1u << 14;   ///< of a chunk
constexpr std::size_t most_waiting_accesses = 1u << 18; ///< then a chunk is written

/// The bytes of a chunk, and back (older ones have no ends of bursts); false, and some of them,
/// where the bytes are none.
void encode(const std::vector<observation>& all, buffer& to);
[[nodiscard]] bool decode(std::span<const std::uint8_t> from, std::uint32_t count, bool with_ends,
                          std::vector<observation>& to);

} // namespace arenite::trace
