// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/detail/bits.hpp>

#include <bit>
#include <cstddef>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// A unit keeps its bit if another one, n units further on, has one, too.
template <unsigned n>
constexpr void keep_followed(bits::word (&units)[4]) noexcept {
    // Written out: in registers, with shifts by constants, it is a third of the instructions.
    static_assert(n <= 128);
    if constexpr (n < bits::word_bits) {
        units[0] &= units[0] >> n | units[1] << (bits::word_bits - n);
        units[1] &= units[1] >> n | units[2] << (bits::word_bits - n);
        units[2] &= units[2] >> n | units[3] << (bits::word_bits - n);
        units[3] &= units[3] >> n;
    } else {
        constexpr std::size_t words = n / bits::word_bits;
        units[0] &= units[words];
        units[1] &= units[words + 1];
        units[2] &= words == 1 ? units[3] : 0;
        units[3] = 0;
    }
}

/// The powers of two up to 128 of which so many units in a row are not taken: bit k of the result
/// stands for 2^k. `taken` has a bit for each unit of a block, of which there are `count`.
///
/// A unit that begins a run of 2^k free ones, with one 2^k further on that does so too, begins a
/// run of 2^(k + 1): a step for each power, whatever lies between the runs.
[[nodiscard]] constexpr unsigned free_run_powers(const bits::word (&taken)[4],
                                                 std::size_t count) noexcept {
    bits::word begins[4] = {~taken[0], ~taken[1], ~taken[2], ~taken[3]};
    for (std::size_t i = count / bits::word_bits; i < 4; ++i) {
        const std::size_t first = i * bits::word_bits;
        begins[i] &= count <= first ? 0 : (bits::word{1} << (count - first)) - 1;
    }
    // Half of a block in a row lies across its middle. So it is in a new one, with no step at all.
    const auto run_to_end = [](bits::word last, bits::word before) {
        const auto n = static_cast<unsigned>(std::countl_one(last));
        return n < bits::word_bits ? n : n + static_cast<unsigned>(std::countl_one(before));
    };
    const auto run_from_begin = [](bits::word first, bits::word behind) {
        const auto n = static_cast<unsigned>(std::countr_one(first));
        return n < bits::word_bits ? n : n + static_cast<unsigned>(std::countr_one(behind));
    };
    if (run_to_end(begins[1], begins[0]) + run_from_begin(begins[2], begins[3]) >= 128)
        return 255;
    unsigned powers = 0;
    const auto each_power = [&]<unsigned... k>(std::integer_sequence<unsigned, k...>) {
        static_cast<void>((((begins[0] | begins[1] | begins[2] | begins[3]) != 0 &&
                            (powers |= 1u << k, keep_followed<1u << k>(begins), true)) &&
                           ...));
    };
    each_power(std::make_integer_sequence<unsigned, 7>{});
    return powers;
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
