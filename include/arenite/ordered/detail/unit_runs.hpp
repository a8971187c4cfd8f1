// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/detail/bits.hpp>

#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// The powers of two up to 128 of which so many units in a row are not taken: bit k of the result
/// stands for 2^k. `taken` has a bit for each unit of a block, of which there are `count`.
///
/// A unit that begins a run of 2^k free ones, with one 2^k further on that does so too, begins a
/// run of 2^(k + 1): a step for each power, whatever lies between the runs.
[[nodiscard]] constexpr unsigned free_run_powers(const bits::word (&taken)[4],
                                                 std::size_t count) noexcept {
    constexpr std::size_t word_bits = bits::word_bits;
    bits::word begins[4] = {};
    for (std::size_t i = 0; i < 4 && i * word_bits < count; ++i) {
        const std::size_t here = count - i * word_bits;
        begins[i] = ~taken[i] & (here >= word_bits ? ~bits::word{0} : (bits::word{1} << here) - 1);
    }
    unsigned powers = 0;
    for (unsigned k = 0; k < 8; ++k) {
        if ((begins[0] | begins[1] | begins[2] | begins[3]) == 0)
            return powers;
        powers |= 1u << k;
        if (k < 6) {
            const unsigned n = 1u << k;
            for (std::size_t i = 0; i < 4; ++i) {
                const bits::word above = i < 3 ? begins[i + 1] : 0;
                begins[i] &= begins[i] >> n | above << (word_bits - n);
            }
        } else {
            const std::size_t words = std::size_t{1} << (k - 6);
            for (std::size_t i = 0; i < 4; ++i)
                begins[i] &= i + words < 4 ? begins[i + words] : 0;
        }
    }
    return powers;
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
