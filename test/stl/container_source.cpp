// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/passthrough.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/stl/container_pool.hpp>
#include <arenite/stl/detail/container_heap.hpp>
#include <arenite/stl/detail/container_source.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <utility>
#include <vector>

using namespace arenite;
using detail::container_heap;
using detail::container_source;

namespace {

static_assert(sizeof(container_source) == sizeof(void*));

const void* heap_of(const void* p) { return &container_heap::of(p); }

TEST(container_source, has_a_heap_of_its_own_from_64_kib_on) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    container_source a, b;
    std::vector<void*> all;
    for (std::size_t bytes = 0; bytes < 64_KiB - 64; bytes += 64)
        all.push_back(a.try_allocate_slot<64, 0>());
    void* const other = b.try_allocate_slot<64, 0>();
    EXPECT_EQ(heap_of(all.back()), heap_of(other)) << "what the thread's small ones share";
    for (int i = 0; i < 10; ++i)
        all.push_back(a.try_allocate_slot<64, 0>());
    EXPECT_NE(heap_of(all.back()), heap_of(other));
    for (void* const p : all)
        a.deallocate_slot<64>(p);
    a.deallocate_slot<64>(other); // any source frees it
}

TEST(container_source, many_that_are_expected_have_a_heap_from_the_second_on) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    container_source a;
    void* const first = a.try_allocate_slot<24, 1000>();
    void* const second = a.try_allocate_slot<24, 1000>();
    EXPECT_NE(heap_of(first), heap_of(second));
    a.deallocate_slot<24>(first);
    a.deallocate_slot<24>(second);
}

TEST(container_source, a_move_takes_the_heap_and_a_copy_the_pool) {
    container_pool pool;
    const container_source shared{pool};
    EXPECT_EQ(container_source{shared}.pool(), &pool);
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    container_source a;
    void* const first = a.try_allocate_slot<24, 1000>();
    void* const second = a.try_allocate_slot<24, 1000>();
    container_source copy{a};
    container_source moved{std::move(a)};
    void* const third = moved.try_allocate_slot<24, 1000>();
    EXPECT_EQ(heap_of(third), heap_of(second));
    void* const fourth = copy.try_allocate_slot<24, 1000>();
    EXPECT_NE(heap_of(fourth), heap_of(second));
    for (void* const p : {first, second, third, fourth})
        copy.deallocate_slot<24>(p);
}

} // namespace
