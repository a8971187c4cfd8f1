// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace arenite::preload {

/// How to find the caller's frame from a return address: in 29 bits.
///
///     cfa          the stack pointer or rbp, plus an offset (or the word there)
///     return address at cfa - 8; the caller's stack pointer is cfa
///     rbp          kept, or saved at cfa - 8 * slot (at rbp where cfa is read from memory)
struct frame_rule {
    enum base_kind : std::uint32_t { from_sp = 0, from_rbp = 1, in_memory = 2, special = 3 };
    static constexpr std::uint32_t last = 0,
                                   beyond = 1; ///< of `special`: the end; not told in bits

    base_kind base;
    std::uint32_t offset; ///< in words of 8 bytes, biased by 2^19; or last, beyond
    std::uint32_t slot;   ///< where rbp was saved, 0: it was not

    static constexpr std::int32_t bias = 1 << 19;

    [[nodiscard]] constexpr std::uint64_t packed() const noexcept {
        return base | std::uint64_t{offset} << 2 | std::uint64_t{slot} << 22;
    }
    [[nodiscard]] static constexpr frame_rule unpacked(std::uint64_t bits) noexcept {
        return {static_cast<base_kind>(bits & 3), static_cast<std::uint32_t>(bits >> 2) & 0xFFFFF,
                static_cast<std::uint32_t>(bits >> 22) & 127};
    }
};

/// A loaded object, as the dynamic linker tells it.
struct loaded_object {
    std::uint64_t begin, end, bias;
    const char* name;           ///< empty: the program itself
    const unsigned char* table; ///< its .eh_frame_hdr, may be null
};

/// The object that holds this address; false where none does.
[[nodiscard]] bool find_object(std::uint64_t address, loaded_object& found) noexcept;

/// Reads the rule for a return address from the unwind table of its object. The call lies before
/// it: a call that does not return may be the last of its function.
[[nodiscard]] frame_rule read_rule(std::uint64_t return_address,
                                   const unsigned char* table) noexcept;

} // namespace arenite::preload
