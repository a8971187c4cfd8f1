// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/passthrough.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/ordered/ordered_heap.hpp>

#include <gtest/gtest.h>

#include <cstddef>

using namespace arenite;

namespace {

TEST(ordered_heap, good_bytes_are_what_a_request_takes) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    for (const std::size_t alignment : {1, 8, 16, 64, 1024}) {
        for (std::size_t bytes = 1; bytes < 70'000; bytes += 1 + bytes / 50) {
            ordered_heap heap;
            const std::size_t good = ordered_heap::good_bytes(bytes, alignment);
            EXPECT_GE(good, bytes);
            void* const p = heap.allocate(bytes, alignment);
            const std::size_t taken = heap.usage().bytes_in_use;
            heap.deallocate(p, bytes, alignment);
            void* const q = heap.allocate(good, alignment);
            EXPECT_EQ(heap.usage().bytes_in_use, taken) << bytes << " at " << alignment;
            if (bytes < 63_KiB - 1) { // above, memory of its own
                EXPECT_EQ(taken, good) << bytes << " at " << alignment;
            }
            heap.deallocate(q, good, alignment);
        }
    }
    EXPECT_EQ(ordered_heap::good_bytes(100, 3), 100U); // no alignment
    EXPECT_EQ(ordered_heap::good_bytes(~std::size_t{0}), ~std::size_t{0});
}

} // namespace
