// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/detail/affinity_door.hpp>

#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/check/detail/poison.hpp>
#include <arenite/core/alignment.hpp>

#include "support/thread_slabs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

using namespace arenite;
using detail::affinity_door;

namespace {

const char* nothing_to_see() {
    return !support::affinities_have_slabs() ? "all goes elsewhere"
           : detail::slow_only               ? "every call is a long one"
                                             : nullptr;
}

TEST(affinity_door, is_closed_where_no_affinity_stands_behind_it) {
    EXPECT_EQ(affinity_door{}.try_take(16), nullptr);
    EXPECT_EQ(affinity_door{}.try_take(0), nullptr);
}

TEST(affinity_door, gives_each_size_the_alignment_that_it_can_need) {
    if (const char* const why = nothing_to_see())
        GTEST_SKIP() << why;
    for (const std::size_t alignment : {1u, 8u, 16u}) {
        affinity_heap& h = affinity_heap::named(alignment == 1   ? "door of 1"
                                                : alignment == 8 ? "door of 8"
                                                                 : "door of 16",
                                                {.alignment = alignment});
        const affinity_door door = h.door();
        std::vector<void*> all;
        for (std::size_t bytes = 0; bytes <= 1024; ++bytes) {
            const std::size_t wanted = std::max(natural_alignment(bytes), alignment);
            void* first = h.allocate(bytes, wanted);
            void* p = door.try_take(bytes);
            for (int n = 0; p == nullptr && n < 64; ++n, p = door.try_take(bytes)) {
                all.push_back(first); // the last of its word: then none lies ready
                first = h.allocate(bytes, wanted);
            }
            ASSERT_NE(p, nullptr) << bytes;
            EXPECT_TRUE(is_aligned(p, wanted)) << bytes;
            EXPECT_EQ(affinity_heap::heap_of(p), &h);
            EXPECT_GE(h.size_of(p), bytes);
            EXPECT_EQ(h.size_of(p), h.size_of(first));
            all.insert(all.end(), {first, p});
        }
        EXPECT_EQ(door.try_take(1025), nullptr);
        EXPECT_EQ(door.try_take(~std::size_t{0}), nullptr);
        for (void* const p : all)
            h.deallocate(p);
        EXPECT_EQ(h.usage().bytes_in_use, 0u);
        h.trim();
    }
}

TEST(affinity_door, of_an_affinity_that_aligns_more_is_closed) {
    affinity_heap& h = affinity_heap::named("door of 64", {.alignment = 64});
    void* const p = h.allocate(64, 64);
    EXPECT_EQ(h.door().try_take(64), nullptr);
    h.deallocate(p, 64, 64);
}

} // namespace
