// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/compose/allocator_resource.hpp>
#include <arenite/compose/fallback_resource.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/core/resource.hpp>
#include <arenite/linear/inline_linear_resource.hpp>
#include <arenite/pool/pool_resource.hpp>
#include <arenite/stl/resource_allocator.hpp>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"

#include <cstddef>
#include <cstring>
#include <memory>

using namespace arenite;
using support::counting_resource;

namespace {

using from_counting = resource_allocator<char, counting_resource>;

TEST(allocator_resource, serves_every_size_and_alignment_up_to_its_own) {
    counting_resource up;
    allocator_resource<from_counting, 64> r{from_counting{up}};
    for (const std::size_t alignment : {1, 8, 64}) {
        for (const std::size_t bytes : {0, 1, 63, 64, 65, 1000}) {
            void* const p = r.try_allocate(bytes, alignment);
            ASSERT_NE(p, nullptr);
            EXPECT_TRUE(is_aligned(p, alignment));
            EXPECT_GE(up.live_bytes(), bytes);
            std::memset(p, 1, bytes);
            r.deallocate(p, bytes, alignment);
            EXPECT_EQ(up.live(), 0u);
        }
    }
    EXPECT_EQ(r.try_allocate(8, 128), nullptr);
    for (const std::size_t wrong : {0u, 3u, 12u, 24u, 63u})
        EXPECT_EQ(r.try_allocate(8, wrong), nullptr) << wrong;
    EXPECT_EQ(up.live(), 0u);
    EXPECT_EQ(r.try_allocate(detail::max_object_bytes, 8), nullptr);
}

#if ARENITE_EXCEPTIONS
TEST(allocator_resource, where_the_allocator_throws_there_is_no_memory) {
    counting_resource up;
    allocator_resource<from_counting, 16> r{from_counting{up}};
    up.fail_after(0);
    EXPECT_EQ(r.try_allocate(8, 8), nullptr);
}
#endif

TEST(allocator_resource, is_an_upstream) {
    allocator_resource<std::allocator<int>, 4096> r{std::allocator<int>{}};
    pool_resource pool{slot{.bytes = 24, .alignment = 8}, pool_options{.block_bytes = 4096}, &r};
    void* const p = pool.allocate();
    std::memset(p, 1, 24);
    pool.deallocate(p);
}

#if !ARENITE_OWN_RESOURCE
TEST(allocator_resource, lets_a_resource_of_others_be_part_of_one) {
    counting_resource counting;
    std::pmr::memory_resource* const plain = &counting;
    allocator_resource others{std::pmr::polymorphic_allocator<>{plain}};
    inline_linear_resource<64> few;
    fallback_resource both{few, others};
    void* const a = both.allocate(48, 16);
    void* const b = both.allocate(48, 16);
    EXPECT_TRUE(few.owns(a));
    EXPECT_EQ(counting.live_bytes(), 48u);
    both.deallocate(b, 48, 16);
    EXPECT_EQ(counting.live(), 0u);
}
#endif

} // namespace
