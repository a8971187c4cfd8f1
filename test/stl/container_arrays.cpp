// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/alignment.hpp>
#include <arenite/stl/detail/container_arrays.hpp>

#include <arenite/check/detail/poison.hpp>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"

#include <cstddef>
#include <cstring>

using namespace arenite;
using detail::container_arrays;
using support::counting_resource;

namespace {

TEST(container_arrays, are_aligned_and_come_back_to_their_heap) {
    counting_resource up;
    container_arrays arrays{ordered_options{}, &up};
    for (const std::size_t alignment : {1, 8, 16, 64, 4096}) {
        for (const std::size_t bytes : {1, 1000, 5000, 1'000'000}) {
            void* const p = arrays.try_allocate(bytes, alignment);
            EXPECT_TRUE(is_aligned(p, alignment));
            std::memset(p, 3, bytes);
            EXPECT_EQ(arrays.usage().live_allocations, 1u);
            container_arrays::deallocate(p, bytes, alignment);
            EXPECT_EQ(arrays.usage().live_allocations, 0u);
        }
    }
    EXPECT_EQ(arrays.try_allocate(static_cast<std::size_t>(-8), 16), nullptr);
    arrays.trim();
    EXPECT_EQ(up.live(), 0u);
}

#if GTEST_HAS_DEATH_TEST
TEST(container_arrays, memory_of_others_is_refused) {
    alignas(64) static std::byte not_ours[5000] = {};
    EXPECT_DEATH(container_arrays::deallocate(not_ours + 64, 4000, 8), "did not allocate it");
}
TEST(container_arrays, an_array_freed_twice_is_not_theirs_any_more) {
    counting_resource up;
    container_arrays arrays{ordered_options{}, &up};
    void* const p = arrays.try_allocate(4000, 8);
    container_arrays::deallocate(p, 4000, 8);
    EXPECT_DEATH(container_arrays::deallocate(p, 4000, 8),
                 detail::poison::active ? "use-after-poison" : "did not allocate it");
}
#endif

} // namespace
