// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/os/page_resource.hpp>
#include <arenite/stl/page_allocator.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <list>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

using namespace arenite;

static_assert(std::allocator_traits<page_allocator<int>>::is_always_equal::value);
static_assert(std::is_empty_v<page_allocator<int>>);
static_assert(std::is_convertible_v<page_allocator<int>, page_allocator<double>>);

TEST(page_allocator, takes_pages_where_much_is_asked_for_and_else_malloc) {
    page_allocator<std::byte> a;
    for (const std::size_t bytes : {std::size_t{1}, 4_KiB, 1_MiB - 1, 1_MiB, 3_MiB}) {
        std::byte* const p = a.allocate(bytes);
        std::memset(p, 1, bytes);
        EXPECT_EQ(page_source().owns(p), bytes >= page_allocator<int>::least_bytes) << bytes;
        a.deallocate(p, bytes);
    }
}

TEST(page_allocator, serves_containers_that_grow) {
    std::vector<int, page_allocator<int>> v;
    for (int i = 0; i < 1'000'000; ++i)
        v.push_back(i);
    EXPECT_TRUE(page_source().owns(v.data()));
    EXPECT_EQ(v[999'999], 999'999);
    const std::list<int, page_allocator<int>> list(v.begin(), v.begin() + 10);
    EXPECT_EQ(list.back(), 9);
    EXPECT_TRUE(v.get_allocator() == list.get_allocator());
}

TEST(page_allocator, alignments_are_honoured) {
    struct alignas(256) wide {
        std::byte bytes[256];
    };
    std::vector<wide, page_allocator<wide>> v(3);
    EXPECT_TRUE(is_aligned(v.data(), 256));
}

TEST(page_allocator, a_count_that_does_not_fit_is_refused) {
#if ARENITE_EXCEPTIONS
    page_allocator<int> a;
    EXPECT_THROW(static_cast<void>(a.allocate(std::numeric_limits<std::size_t>::max() / 2)),
                 std::bad_array_new_length);
    EXPECT_THROW(static_cast<void>(a.allocate(std::numeric_limits<std::size_t>::max() / 16)),
                 std::bad_alloc);
#endif
}

TEST(page_allocator, rows_of_64_kib_are_pages_and_smaller_ones_mallocs) {
    rows_or_malloc& rows = page_allocator<int>::rows();
    for (const std::size_t bytes : {std::size_t{8}, 64_KiB - 8, 64_KiB, 2_MiB}) {
        void* const p = rows.allocate(bytes, 64);
        std::memset(p, 1, bytes);
        EXPECT_EQ(page_source().owns(p), bytes >= 64_KiB) << bytes;
        if (bytes >= 64_KiB)
            rows.purge(p, bytes);
        rows.deallocate(p, bytes, 64);
    }
}
