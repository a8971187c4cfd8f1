// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/compose/detail/resource_pair.hpp>
#include <arenite/compose/fallback_resource.hpp>
#include <arenite/compose/limited_resource.hpp>
#include <arenite/compose/segregated_resource.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/core/system_resource.hpp>
#include <arenite/linear/linear_resource.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/os/page_resource.hpp>
#include <arenite/pool/pool_resource.hpp>

#include <gtest/gtest.h>

#include "support/counting_pages.hpp"
#include "support/piece.hpp"
#include "support/region_list.hpp"

#include <cstddef>
#include <tuple>
#include <utility>

using namespace arenite;
using support::give;
using support::piece;
using support::take;

namespace {

// The common part of both kinds of pairs; how they choose is in the tests of each.

using pool_and_heap = segregated_resource<pool_resource, ordered_heap>;
using linear_and_malloc = fallback_resource<linear_resource, malloc_resource>;
using two_linears = fallback_resource<linear_resource, linear_resource>;

static_assert(Allocating<pool_and_heap> && Owning<pool_and_heap> && Trimmable<pool_and_heap> &&
              Measurable<pool_and_heap> && Mappable<pool_and_heap> &&
              UnsizedFreeing<pool_and_heap>);
static_assert(!Sizing<pool_and_heap>, "the pool tells no sizes");
static_assert(Trimmable<linear_and_malloc>, "the one that can be");
static_assert(!Owning<linear_and_malloc> && !Measurable<linear_and_malloc> &&
              !Mappable<linear_and_malloc> && !Resettable<linear_and_malloc> &&
              !UnsizedFreeing<linear_and_malloc> && !Resizing<linear_and_malloc> &&
              !Purging<linear_and_malloc>);
static_assert(Resettable<two_linears> && Resizing<two_linears> && !Concurrent<two_linears>);
static_assert(Sizing<fallback_resource<ordered_heap, ordered_heap&>> &&
              !Trimmable<segregated_resource<malloc_resource, malloc_resource>> &&
              !Sizing<segregated_resource<malloc_resource, malloc_resource>>);
static_assert(Purging<fallback_resource<page_resource, page_resource>> &&
              Releasing<fallback_resource<page_resource, page_resource>> &&
              Concurrent<fallback_resource<page_resource, page_resource>>);

static_assert(sizeof(fallback_resource<ordered_heap&, malloc_resource&>) == 3 * sizeof(void*));
static_assert(sizeof(segregated_resource<ordered_heap&, malloc_resource&>) == 4 * sizeof(void*));

TEST(resource_pair, makes_both_of_what_each_takes) {
    const fallback_resource<ordered_heap, malloc_resource> by_default{};
    linear_resource first{100};
    const fallback_resource<linear_resource&, linear_resource> mixed{first, 200u};
    EXPECT_EQ(&mixed.first(), &first);
    EXPECT_EQ(mixed.second().capacity(), 200u);
    linear_resource up{1000};
    const two_linears tuples{std::piecewise_construct, std::tuple{100u, &up}, std::tuple{50u}};
    EXPECT_EQ(tuples.first().capacity(), 100u);
    EXPECT_EQ(tuples.second().capacity(), 50u);
}

TEST(resource_pair, refers_to_resources_that_are_there) {
    linear_resource a{100};
    ordered_heap b;
    fallback_resource<linear_resource, ordered_heap> fr{a, b}; // with or without its types
    segregated_resource<linear_resource, ordered_heap> sg{16, a, b};
    const fallback_resource deduced{a, b};
    EXPECT_EQ(&fr.first(), &a);
    EXPECT_EQ(&fr.second(), &b);
    EXPECT_EQ(&deduced.second(), &b);
    const piece small = take(sg, 16), large = take(sg, 17);
    EXPECT_TRUE(a.owns(small.p));
    EXPECT_TRUE(b.owns(large.p));
    give(sg, large);
    give(sg, small);
    EXPECT_EQ(b.usage().bytes_in_use, 0u);
}

TEST(resource_pair, adds_both_and_trims_and_lists_both) {
    pool_and_heap pair{64, slot{64, 16}, ordered_options{}};
    const piece small = take(pair, 64), large = take(pair, 1000);
    const usage u = pair.usage(), a = pair.first().usage(), b = pair.second().usage();
    EXPECT_EQ(u.bytes_in_use, a.bytes_in_use + b.bytes_in_use);
    EXPECT_EQ(u.bytes_reserved, a.bytes_reserved + b.bytes_reserved);
    EXPECT_EQ(u.live_allocations, 2u);
    EXPECT_EQ(support::region_list{pair}.bytes(region_state::used), u.bytes_in_use);
    EXPECT_TRUE(pair.owns(small.p));
    EXPECT_TRUE(pair.owns(large.p));
    give(pair, small);
    give(pair, large);
    pair.trim();
    EXPECT_EQ(pair.usage().bytes_reserved, 0u);
}

TEST(resource_pair, tells_no_live_allocations_where_one_counts_none) {
    fallback_resource<linear_resource, ordered_heap> pair{64u, ordered_options{}};
    const piece a = take(pair, 64, 1), b = take(pair, 64, 1);
    EXPECT_EQ(pair.usage().live_allocations, 0u);
    give(pair, a);
    give(pair, b);
}

TEST(resource_pair, tells_no_live_allocations_where_one_counts_none_of_its_empty_objects) {
    ordered_heap small, large;
    limited_resource<ordered_heap&> budget{1_MiB, small};
    segregated_resource pair{256, budget, large};
    void* const empty = pair.allocate(0, 8);
    EXPECT_EQ(pair.usage().live_allocations, 0u);
    void* const p = pair.allocate(1000, 8);
    EXPECT_EQ(pair.usage().live_allocations, 0u) << "there are two, and one is not counted";
    pair.deallocate(p, 1000, 8);
    pair.deallocate(empty, 0, 8);
}

TEST(resource_pair, resets_both) {
    two_linears pair{100u, 100u};
    static_cast<void>(take(pair, 100, 1));
    static_cast<void>(take(pair, 100, 1));
    pair.reset();
    EXPECT_EQ(pair.usage().bytes_in_use, 0u);
}

TEST(resource_pair, finds_without_a_size_which_of_them_it_was) {
    const ordered_options kept{.sizes = sizes::kept};
    segregated_resource<ordered_heap, ordered_heap> pair{64, kept, kept};
    EXPECT_TRUE(pair.keeps_sizes());
    void* const small = pair.allocate(60);
    void* const large = pair.allocate(600);
    EXPECT_GE(pair.size_of(small), 60u);
    EXPECT_GE(pair.size_of(large), 600u);
    pair.deallocate(small);
    EXPECT_EQ(pair.first().usage().bytes_in_use, 0u);
    EXPECT_NE(pair.second().usage().bytes_in_use, 0u);
    pair.deallocate(large);
    EXPECT_EQ(pair.second().usage().bytes_in_use, 0u);
    EXPECT_FALSE((segregated_resource<ordered_heap, ordered_heap>{64, kept, ordered_options{}}
                      .keeps_sizes()));
}

TEST(resource_pair, lends_pages_of_both) {
    page_resource pages;
    limited_resource first{1_MiB, pages};
    support::counting_pages second;
    fallback_resource pair{first, second};
    void* const a = pair.allocate(1_MiB);
    void* const b = pair.allocate(1_MiB);
    pair.purge(a, 1_MiB);
    EXPECT_EQ(second.purged_bytes(), 0u);
    pair.purge(b, 1_MiB);
    EXPECT_EQ(second.purged_bytes(), 1_MiB);
    pair.release(a, 1_MiB);
    pair.release(b, 1_MiB);
    EXPECT_EQ(second.live(), 0u);
    EXPECT_EQ(first.in_use(), 0u);
    EXPECT_EQ(pages.usage().bytes_in_use, 0u);
}

} // namespace
