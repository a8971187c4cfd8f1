// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/concepts.hpp>
#include <arenite/offset/offset_allocator.hpp>
#include <arenite/offset/offset_heap.hpp>
#include <arenite/offset/offset_parts.hpp>

#include <gtest/gtest.h>

#include "support/block_source.hpp"
#include "support/counting_resource.hpp"

#include <cstddef>
#include <limits>
#include <type_traits>
#include <vector>

using namespace arenite;

namespace {

static_assert(std::is_base_of_v<offset_parts, offset_allocator>);
static_assert(std::is_base_of_v<offset_parts, offset_heap>);
static_assert(Measurable<offset_parts> && Mappable<offset_parts> && Trimmable<offset_heap>);
static_assert(!std::is_copy_constructible_v<offset_allocator>);

// A function that works on both takes a reference to their common base.
void free_all(offset_parts& parts) {
    std::vector<offset_allocation> all;
    parts.for_each([&](const offset_allocation& a, std::uint64_t) { all.push_back(a); });
    for (const offset_allocation& a : all)
        parts.deallocate(a);
}

TEST(offset_parts, a_range_and_a_heap_are_used_alike) {
    offset_allocator range{1000};
    static_cast<void>(range.try_allocate(10));
    static_cast<void>(range.try_allocate(10));
    free_all(range);
    EXPECT_EQ(range.usage().live_allocations, 0u);
    EXPECT_EQ(range.usage().high_water_bytes, 20u);
    EXPECT_EQ(range.usage().bytes_reserved, 1000u);
}

// Allocates all that was reserved, with the hole or holes that are left.
template <class Parts>
void use_all_of(Parts& parts, support::counting_resource& up, std::size_t reserved) {
    ASSERT_TRUE(parts.reserve(reserved));
    up.fail_after(0);
    offset_allocation last = {};
    for (std::size_t i = 1; i != reserved; ++i) {
        const auto a = parts.try_allocate(1);
        ASSERT_TRUE(a) << i << " of " << reserved;
        last = *a;
    }
    parts.deallocate(last);
    EXPECT_TRUE(parts.try_allocate(1)) << "and again, in the place of one that was freed";
    up.never_fail();
}

TEST(offset_parts, what_was_reserved_is_there_to_the_last) {
    for (const std::size_t n : {2u, 63u, 64u, 1000u}) {
        support::counting_resource up;
        offset_allocator range{4096, &up};
        EXPECT_FALSE(range.reserve(std::numeric_limits<std::size_t>::max()));
        use_all_of(range, up, n);
        EXPECT_FALSE(range.reserve(std::numeric_limits<std::size_t>::max()));
    }
    support::counting_resource up;
    support::block_source device;
    offset_heap heap{
        device.source(), {.first_block_bytes = 4096, .largest_block_bytes = 4096}, &up};
    heap.deallocate(*heap.try_allocate(1)); // the block's record is not of the nodes
    use_all_of(heap, up, 1000);
}

} // namespace
