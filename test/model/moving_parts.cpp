// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/offset/offset_allocator.hpp>
#include <arenite/offset/offset_heap.hpp>

#include <gtest/gtest.h>

#include "support/block_source.hpp"
#include "support/counting_resource.hpp"
#include "support/moving_parts.hpp"

#include <cstdint>

using namespace arenite;

namespace {

constexpr offset_options kinds[] = {
    {.user_data = true},
    {.granularity = 16, .user_data = true},
    {.granularity = 4, .conflict_page = 64, .user_data = true, .optimal_may_move = false}};

TEST(model, offset_allocator_with_moves) {
    std::uint64_t seed = support::test_seed("model.offset_allocator_with_moves");
    for (int program = 0; program < 8; ++program) {
        for (const offset_options& options : kinds) {
            SCOPED_TRACE(testing::Message() << "ARENITE_TEST_SEED=" << seed << ", granularity "
                                            << options.granularity);
            support::counting_resource up;
            offset_allocator gpu{20'000, options, &up};
            support::random_source source{seed++, 1500};
            support::moving_parts program_on{gpu};
            ASSERT_EQ(program_on.run(source), "");
        }
    }
}

TEST(model, offset_heap_with_moves) {
    std::uint64_t seed = support::test_seed("model.offset_heap_with_moves");
    for (int program = 0; program < 8; ++program) {
        for (const offset_options& options : kinds) {
            SCOPED_TRACE(testing::Message() << "ARENITE_TEST_SEED=" << seed << ", granularity "
                                            << options.granularity);
            support::counting_resource up;
            support::block_source device;
            offset_heap heap{device.source(),
                             {.parts = options,
                              .first_block_bytes = 512,
                              .largest_block_bytes = 3000,
                              .budget_bytes = 40'000},
                             &up};
            support::random_source source{seed++, 1500};
            support::moving_parts program_on{heap};
            ASSERT_EQ(program_on.run(source), "");
            EXPECT_LE(heap.block_count(), 1u) << "one empty block is kept";
        }
    }
}

} // namespace
