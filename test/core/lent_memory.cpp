// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/detail/affinity_pages.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/lent_memory.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/core/system_resource.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/os/page_resource.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>

using namespace arenite;

static_assert(Lending<page_resource>);
static_assert(Lending<detail::affinity_pages>);
static_assert(!Lending<ordered_heap>);

namespace {

TEST(lent_memory, says_nothing_of_memory_that_there_is_not) {
    constexpr lent_memory none;
    static_assert(none.p == nullptr && !none.is_zero);
    page_resource pages;
    const lent_memory refused = pages.lend(~std::size_t{0}, 16, page_use::dense);
    EXPECT_EQ(refused.p, nullptr);
    EXPECT_FALSE(refused.is_zero);
}

TEST(lent_memory, comes_through_an_upstream_with_what_is_known_of_it) {
    page_resource pages{page_options{.reserve_bytes = 64_MiB}};
    const upstream up = &pages;
    const lent_memory first = up.lend(100'000, 16, page_use::sparse);
    ASSERT_NE(first.p, nullptr);
    EXPECT_TRUE(first.is_zero);
    std::memset(first.p, 1, 100'000);
    up.deallocate(first.p, 100'000, 16);
    const lent_memory again = up.lend(100'000, 16, page_use::sparse);
    EXPECT_EQ(again.p, first.p);
    EXPECT_FALSE(again.is_zero) << "it waited with its contents";
    up.release(again.p, 100'000, 16);
    const lent_memory gone = up.lend(100'000, 16, page_use::sparse);
    EXPECT_EQ(gone.p, first.p);
    if (gone.is_zero) { // not where a system keeps the contents until it needs the pages
        EXPECT_EQ(*static_cast<const char*>(gone.p), 0);
    }
    up.deallocate(gone.p, 100'000, 16);
    up.trim();
    EXPECT_LT(pages.usage().bytes_reserved, 64_KiB) << "nothing waits any more";
}

TEST(lent_memory, of_an_upstream_without_pages_is_not_known_to_be_zero) {
    const upstream up = &system_resource();
    const lent_memory m = up.lend(100, 16, page_use::dense);
    ASSERT_NE(m.p, nullptr);
    EXPECT_FALSE(m.is_zero);
    up.deallocate(m.p, 100, 16);
    up.trim();
}

} // namespace
