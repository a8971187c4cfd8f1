// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/literals.hpp>
#include <arenite/ordered/detail/slab_geometry.hpp>

#include <gtest/gtest.h>

#include "ordered/slab_of_class.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>

using namespace arenite;
using ordered_test::of_class;

namespace {

TEST(slab, a_word_of_bits_stands_for_64_slots) {
    detail::slab s{};
    for (const auto& [slots, words] : {std::pair{1u, 1u}, std::pair{63u, 1u}, std::pair{64u, 1u},
                                       std::pair{65u, 2u}, std::pair{4096u, 64u}}) {
        s.slots = static_cast<std::uint16_t>(slots);
        EXPECT_EQ(s.words(), words);
    }
}

TEST(slab, there_are_words_enough_for_the_smallest_slots) {
    for (unsigned number = 0; number < detail::size_class::count; ++number) {
        const std::size_t least =
            (detail::size_class::slot_bytes(number) + detail::unit_bytes - 1) / detail::unit_bytes;
        for (std::size_t units = least; units <= 64; ++units)
            ASSERT_LE(of_class(number, 1, units).words(), units) << number;
    }
}

TEST(slab, an_offset_leads_to_its_slot) {
    for (const unsigned number : {0u, 1u, 5u, 20u, 40u, detail::size_class::count - 1}) {
        const detail::slab s = of_class(number, 7, 64);
        for (std::size_t i = 0; i < s.slots; ++i) {
            const std::size_t offset = s.begin + i * s.slot_bytes;
            ASSERT_EQ(s.index_of(offset), i);
            ASSERT_EQ(s.index_of(offset + s.slot_bytes - 1), i);
        }
    }
}

TEST(slab, it_is_refilled_when_enough_is_free) {
    struct filled {
        int units, slots, used;
    };
    for (const auto& [units, slots, used] :
         {filled{64, 4096, 3584}, filled{64, 71, 63}, filled{64, 17, 15}, filled{64, 16, 12},
          filled{64, 8, 6}, filled{63, 64, 48}, filled{9, 16, 12}, filled{8, 64, 32},
          filled{8, 5, 3}, filled{1, 2, 1}, filled{1, 1, 0}}) {
        detail::slab s{};
        s.units = static_cast<std::uint8_t>(units);
        s.slots = static_cast<std::uint16_t>(slots);
        EXPECT_EQ(s.refill_alarm(), used) << slots << " slots in " << units << " units";
    }
}

TEST(slab, a_run_of_free_slots_is_of_the_shortest_length_that_it_has) {
    using namespace detail::slab_state;
    const std::uint16_t wanted[]{run_of_2,  run_of_2,  run_of_4,  run_of_4,  run_of_8,  run_of_8,
                                 run_of_8,  run_of_8,  run_of_16, run_of_16, run_of_16, run_of_16,
                                 run_of_16, run_of_16, run_of_16, run_of_16};
    for (std::size_t slots = 1; slots <= 16; ++slots)
        EXPECT_EQ(run_of(slots), wanted[slots - 1]) << slots;
}

TEST(slab, a_second_row_of_bits_needs_as_many_words_as_the_first) {
    for (unsigned number = 0; number < detail::size_class::count; ++number)
        for (std::size_t units = 8; units <= 64; units += 8) {
            const detail::slab s = of_class(number, 1, units);
            if (s.slots != 0) {
                ASSERT_EQ(s.has_spare_words(), s.words() <= units - s.words()) << number;
            }
        }
}

} // namespace
