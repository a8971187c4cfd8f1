// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/ordered/detail/slab_geometry.hpp>

#include <arenite/core/literals.hpp>

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

TEST(slab_geometry, all_addresses_of_a_block_lead_to_its_bookkeeping) {
    for (const std::size_t mask : {4_KiB, 64_KiB, 256_KiB}) {
        const detail::slab_geometry g{mask};
        EXPECT_EQ(g.mask_bytes(), mask);
        for (std::uintptr_t number = 100; number < 120; ++number) {
            const std::uintptr_t block = number * mask;
            const detail::slab_block* const head = g.block_of(at(block));
            const std::uintptr_t behind = reinterpret_cast<std::uintptr_t>(head) - block;
            EXPECT_GE(behind, 64u);
            EXPECT_LE(behind + detail::slab_block::bytes_for(mask), mask);
            for (std::uintptr_t i = 0; i < mask; i += 509) {
                ASSERT_EQ(g.block_of(at(block + i)), head);
                ASSERT_EQ(g.offset_of(at(block + i)), i);
            }
            ASSERT_EQ(g.offset_of(at(block + mask - 1)), mask - 1);
        }
    }
}

TEST(slab_geometry, large_blocks_do_not_have_it_at_one_offset) {
    const detail::slab_geometry g{256_KiB};
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
    const detail::slab_geometry coloured{256_KiB};
    const detail::slab_geometry small{64_KiB};
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
