// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/literals.hpp>
#include <arenite/pool/detail/slot_layout.hpp>

#include <gtest/gtest.h>

#include <cstddef>

using namespace arenite;
using detail::slot_layout;

namespace {

constexpr std::size_t sizes[] = {1,  2,  3,   8,   16,  24,   40,   48,   56,    64,
                                 72, 96, 100, 257, 640, 1000, 1024, 4097, 16384, 40'000};

static_assert(slot_layout{24, 8, 256_KiB}.index_at(slot_layout{24, 8, 256_KiB}.offset_of(7000)) ==
              7000);

TEST(slot_layout, each_byte_of_a_slot_leads_to_its_index) {
    for (const std::size_t bytes : sizes) {
        for (const std::size_t end : {256_KiB, 2_MiB, 64_MiB}) { // the last one by division
            const slot_layout l{bytes, bytes % 128 == 0 ? std::size_t{128} : std::size_t{8}, end};
            const std::size_t step = end > 2_MiB ? 97 : 1;
            for (std::size_t i = 0; l.bytes_for(i + 1) <= end; i += step) {
                ASSERT_EQ(l.index_at(l.offset_of(i)), i) << bytes;
                ASSERT_EQ(l.index_at(l.offset_of(i) + bytes - 1), i) << bytes;
            }
        }
    }
}

TEST(slot_layout, a_colour_lies_between_groups_of_whole_words) {
    const slot_layout l{48, 16, 256_KiB};
    EXPECT_EQ(l.group_slots(), l.group_words() * 64);
    EXPECT_LE(l.group_slots() * 48, 16_KiB);
    EXPECT_EQ(l.offset_of(l.group_slots()), l.group_slots() * 48 + 64);
    EXPECT_EQ(l.offset_of(l.group_slots() - 1), (l.group_slots() - 1) * 48);
    EXPECT_EQ((slot_layout{128, 128, 256_KiB}.colour()), 0u) << "it would misalign the slots";
    EXPECT_EQ((slot_layout{4096, 64, 256_KiB}.group_words()), 1u);
}

TEST(slot_layout, counts_the_slots_that_fit) {
    for (const std::size_t bytes : sizes) {
        const slot_layout l{bytes, 1, 2_MiB};
        for (const std::size_t room : {std::size_t{0}, bytes - 1, bytes, 3 * bytes, 16_KiB,
                                       16_KiB + 63, 16_KiB + 64, 100'000_KiB / 64, 2_MiB}) {
            const std::size_t n = l.slots_in(room);
            if (n != 0) {
                EXPECT_LE(l.bytes_for(n), room) << bytes;
            }
            EXPECT_GT(l.bytes_for(n + 1), room) << bytes;
        }
    }
}

} // namespace
