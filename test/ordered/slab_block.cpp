// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/ordered/detail/slab_block.hpp>

#include <arenite/core/literals.hpp>

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

TEST(slab_block, an_offset_leads_to_its_slab_and_its_slot) {
    struct with_words {
        detail::slab_block head;
        std::array<detail::bits::word, detail::slab_block::most_units> words;
    };
    const auto b = std::make_unique<with_words>();
    detail::slab& s = b->head.slabs[3];
    s = of_class(detail::size_class::computed(48), 10, 4); // 85 slots
    b->head.set_slab(0, detail::slab_block::most_units, 0);
    b->head.set_slab(10, 4, 3);
    EXPECT_EQ(&b->head.slab_at(10_KiB), &s);
    EXPECT_EQ(&b->head.slab_at(14_KiB - 1), &s);
    EXPECT_EQ(&b->head.slab_at(10_KiB - 1), &b->head.slabs[0]);
    EXPECT_EQ(&b->head.slab_at(14_KiB), &b->head.slabs[0]);
    for (std::size_t i = 0; i < s.slots; ++i)
        EXPECT_EQ(s.index_of(10_KiB + i * 48), i);
    EXPECT_EQ(s.first_word(), 10u);
}

TEST(slab_block, its_bytes_are_those_of_a_word_for_each_unit_besides) {
    EXPECT_EQ(detail::slab_block::bytes_for(4_KiB), sizeof(detail::slab_block) + 4 * 8);
    EXPECT_EQ(detail::slab_block::bytes_for(256_KiB), sizeof(detail::slab_block) + 256 * 8);
    EXPECT_LE(detail::slab_block::bytes_for(256_KiB) * 50, 256_KiB) << "2 %";
    EXPECT_LT(detail::slab_block::bytes_for(4_KiB) + 64, 2_KiB)
        << "half of the smallest block is left";
}

} // namespace
