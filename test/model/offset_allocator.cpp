// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/offset/offset_allocator.hpp>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"
#include "support/offset_operations.hpp"

#include <cstddef>
#include <cstdint>

using namespace arenite;

namespace {

TEST(model, offset_allocator) {
    std::uint64_t seed = support::test_seed("model.offset_allocator");
    constexpr offset_options kinds[] = {{},
                                        {.granularity = 16, .user_data = true},
                                        {.granularity = 4, .conflict_page = 256},
                                        {.granularity = 256, .conflict_page = 64}};
    for (int program = 0; program < 10; ++program) {
        for (const offset_options& options : kinds) {
            SCOPED_TRACE(testing::Message() << "ARENITE_TEST_SEED=" << seed << ", granularity "
                                            << options.granularity);
            support::counting_resource up;
            const std::uint64_t capacity = 20'000 + seed % 5000;
            offset_allocator gpu{capacity, options, &up};
            support::random_source source{seed++, 1500};
            support::offset_allocator_operations operations{gpu, capacity, options};
            ASSERT_EQ(operations.run(source), "");
        }
    }
}

} // namespace
