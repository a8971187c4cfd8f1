// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/literals.hpp>
#include <arenite/ordered/slab.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>

using namespace arenite;

namespace {

void* at(std::uintptr_t address) {
    return reinterpret_cast<void*>(address); // never read
}

slab of_class(unsigned number, std::size_t first_unit, std::size_t units) {
    slab s{};
    s.slot_bytes = static_cast<std::uint16_t>(size_class::slot_bytes(number));
    s.inverse = size_class::inverse[number];
    s.begin = static_cast<std::uint32_t>(first_unit * unit_bytes);
    s.first_word = static_cast<std::uint16_t>(first_unit);
    s.units = static_cast<std::uint8_t>(units);
    s.slots = static_cast<std::uint16_t>(units * unit_bytes / s.slot_bytes);
    return s;
}

TEST(slab, a_word_of_bits_stands_for_64_slots) {
    slab s{};
    for (const auto& [slots, words] : {std::pair{1u, 1u}, std::pair{63u, 1u}, std::pair{64u, 1u},
                                       std::pair{65u, 2u}, std::pair{4096u, 64u}}) {
        s.slots = static_cast<std::uint16_t>(slots);
        EXPECT_EQ(s.words(), words);
    }
}

TEST(slab, there_are_words_enough_for_the_smallest_slots) {
    for (unsigned number = 0; number < size_class::count; ++number) {
        const std::size_t least = (size_class::slot_bytes(number) + unit_bytes - 1) / unit_bytes;
        for (std::size_t units = least; units <= 64; ++units)
            ASSERT_LE(of_class(number, 1, units).words(), units) << number;
    }
}

TEST(slab, an_offset_leads_to_its_slot) {
    for (const unsigned number : {0u, 1u, 5u, 20u, 40u, size_class::count - 1}) {
        const slab s = of_class(number, 7, 64);
        for (std::size_t i = 0; i < s.slots; ++i) {
            const std::size_t offset = s.begin + i * s.slot_bytes;
            ASSERT_EQ(s.index_of(offset), i);
            ASSERT_EQ(s.index_of(offset + s.slot_bytes - 1), i);
        }
    }
}

TEST(slab, it_is_refilled_when_an_eighth_is_free) {
    slab s{};
    for (const auto& [slots, used] :
         {std::pair{1, 0}, std::pair{2, 1}, std::pair{15, 14}, std::pair{16, 14}, std::pair{64, 56},
          std::pair{71, 63}, std::pair{4096, 3584}}) {
        s.slots = static_cast<std::uint16_t>(slots);
        EXPECT_EQ(s.refill_alarm(), used) << slots;
        EXPECT_GT(s.refill_alarm(), slab::silent);
    }
}

TEST(slab_block, an_offset_leads_to_its_slab_and_its_bit) {
    struct with_words {
        slab_block head;
        std::array<bits::word, slab_block::most_units> words;
    };
    const auto b = std::make_unique<with_words>();
    slab& s = b->head.slabs[3];
    s = of_class(size_class::computed(48), 10, 4); // 85 slots
    for (std::size_t unit = 10; unit < 14; ++unit)
        b->head.slab_of[unit] = 3;
    EXPECT_EQ(&b->head.slab_at(10_KiB), &s);
    EXPECT_EQ(&b->head.slab_at(14_KiB - 1), &s);
    EXPECT_EQ(&b->head.slab_at(10_KiB - 1), &b->head.slabs[0]);
    EXPECT_EQ(&b->head.slab_at(14_KiB), &b->head.slabs[0]);
    std::set<std::pair<bits::word*, bits::word>> seen;
    for (std::size_t i = 0; i < s.slots; ++i) {
        const slot_bit bit = b->head.bit_of(s, 10_KiB + i * 48);
        EXPECT_EQ(bit.word, b->words.data() + 10 + i / 64);
        EXPECT_EQ(bit.mask, bits::word{1} << i % 64);
        EXPECT_TRUE(seen.insert({bit.word, bit.mask}).second);
    }
}

TEST(slab_block, its_bytes_are_those_of_a_word_for_each_unit_besides) {
    EXPECT_EQ(slab_block::bytes_for(4_KiB), sizeof(slab_block) + 4 * 8);
    EXPECT_EQ(slab_block::bytes_for(256_KiB), sizeof(slab_block) + 256 * 8);
    EXPECT_LE(slab_block::bytes_for(256_KiB) * 50, 256_KiB) << "2 %";
    EXPECT_LT(slab_block::bytes_for(4_KiB) + 64, 2_KiB) << "half of the smallest block is left";
}

TEST(slab_geometry, all_addresses_of_a_block_lead_to_its_bookkeeping) {
    for (const std::size_t mask : {4_KiB, 64_KiB, 256_KiB}) {
        const slab_geometry g{mask};
        EXPECT_EQ(g.mask_bytes(), mask);
        for (std::uintptr_t number = 100; number < 120; ++number) {
            const std::uintptr_t block = number * mask;
            const slab_block* const head = g.block_of(at(block));
            const std::uintptr_t behind = reinterpret_cast<std::uintptr_t>(head) - block;
            EXPECT_GE(behind, 64u);
            EXPECT_LE(behind + slab_block::bytes_for(mask), mask);
            for (std::uintptr_t i = 0; i < mask; i += 509) {
                ASSERT_EQ(g.block_of(at(block + i)), head);
                ASSERT_EQ(g.offset_of(at(block + i)), i);
            }
            ASSERT_EQ(g.offset_of(at(block + mask - 1)), mask - 1);
        }
    }
}

TEST(slab_geometry, large_blocks_do_not_have_it_at_one_offset) {
    const slab_geometry g{256_KiB};
    std::set<std::uintptr_t> offsets;
    for (std::uintptr_t number = 64; number < 72; ++number) {
        const std::uintptr_t block = number * 256_KiB;
        offsets.insert(reinterpret_cast<std::uintptr_t>(g.block_of(at(block))) - block);
    }
    EXPECT_EQ(offsets.size(), 8u) << "neighbours would share a few cache sets";
    for (const std::uintptr_t offset : offsets)
        EXPECT_EQ(offset % 4_KiB, 64u);
}

TEST(slab_geometry, what_a_large_object_is_aligned_to_leaves_room_before_it) {
    const slab_geometry coloured{256_KiB};
    const slab_geometry small{64_KiB};
    for (const std::size_t alignment : {8_B, 64_B, 512_B}) {
        EXPECT_EQ(coloured.large_alignment(alignment), alignment);
        EXPECT_EQ(small.large_alignment(alignment), alignment);
    }
    for (const std::size_t alignment : {1_KiB, 4_KiB, 128_KiB, 256_KiB})
        EXPECT_EQ(coloured.large_alignment(alignment), 256_KiB);
    EXPECT_EQ(coloured.large_alignment(512_KiB), 512_KiB);
    for (const std::size_t alignment : {1_KiB, 4_KiB, 64_KiB, 1_MiB})
        EXPECT_EQ(small.large_alignment(alignment), alignment);
}

} // namespace
