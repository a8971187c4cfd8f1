// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/concepts.hpp>
#include <arenite/offset/offset_allocator.hpp>
#include <arenite/offset/offset_heap.hpp>
#include <arenite/offset/offset_parts.hpp>

#include <gtest/gtest.h>

#include <type_traits>

using namespace arenite;

namespace {

static_assert(std::is_base_of_v<offset_parts, offset_allocator>);
static_assert(std::is_base_of_v<offset_parts, offset_heap>);
static_assert(Measurable<offset_parts> && Mappable<offset_parts> && Trimmable<offset_heap>);
static_assert(!std::is_copy_constructible_v<offset_allocator>);

// What works on both takes a reference to what they have in common.
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

} // namespace
