// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// When a heap says that it will fill the memory that it asks for, which then lies in huge pages.
#include <arenite/check/passthrough.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/ordered/detail/slab_heap.hpp>
#include <arenite/ordered/ordered_heap.hpp>

#include "support/lending_recorder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

using namespace arenite;
using support::lending_recorder;

namespace {

class ordered_heap_small_pages : public testing::Test {
protected:
    void SetUp() override {
        if (passthrough())
            GTEST_SKIP() << "malloc has the objects";
    }

    /// Some objects of each of 50 sizes, 208 KB in all.
    template <class Heap>
    static void allocate_a_little_of_many_sizes(Heap& heap) {
        for (std::size_t i = 0; i < 2000; ++i)
            static_cast<void>(heap.try_allocate(4 + i % 50 * 4, 4));
    }
    [[nodiscard]] std::size_t dense_requests() const {
        return static_cast<std::size_t>(
            std::count_if(pages.requests.begin(), pages.requests.end(),
                          [](const auto& r) { return r.second == page_use::dense; }));
    }

    lending_recorder pages;
};

TEST_F(ordered_heap_small_pages, a_little_of_many_sizes_stays_in_them) {
    ordered_heap heap{&pages};
    allocate_a_little_of_many_sizes(heap);
    EXPECT_GT(heap.usage().bytes_reserved, 1_MiB) << "addresses are taken for each size";
    EXPECT_EQ(dense_requests(), 0u);
    heap.reset();
}

TEST_F(ordered_heap_small_pages, also_in_a_heap_that_had_much_before) {
    ordered_heap heap{&pages};
    std::vector<void*> large;
    for (int i = 0; i < 8; ++i)
        large.push_back(heap.allocate(1_MiB, 16));
    for (void* const p : large)
        heap.deallocate(p, 1_MiB, 16);
    heap.trim();
    const std::size_t before = dense_requests();
    allocate_a_little_of_many_sizes(heap);
    EXPECT_GT(heap.usage().bytes_reserved, 1_MiB);
    EXPECT_EQ(dense_requests(), before);
    heap.reset();
}

TEST_F(ordered_heap_small_pages, a_heap_that_fills_its_memory_leaves_them) {
    ordered_heap heap{&pages};
    for (std::size_t used = 0; used < 4_MiB; used += 64)
        static_cast<void>(heap.allocate(64, 8));
    EXPECT_GT(dense_requests(), 0u);
    heap.reset();
}

TEST_F(ordered_heap_small_pages, much_that_its_owner_uses_elsewhere_counts_while_it_is_used) {
    static std::size_t elsewhere = 0;
    const detail::heap_owner owner{
        .bytes_elsewhere = [](const detail::slab_heap&) noexcept { return elsewhere; }};
    for (const std::size_t bytes : {8_MiB, 0_MiB}) {
        elsewhere = bytes;
        pages.requests.clear();
        detail::slab_heap heap{{}, upstream{&pages}, owner};
        allocate_a_little_of_many_sizes(heap);
        EXPECT_EQ(dense_requests() != 0, bytes != 0);
    }
}

TEST_F(ordered_heap_small_pages, large_objects_lie_in_huge_ones_beside_small_ones_of_a_long_span) {
    ordered_heap heap{ordered_options{.block_bytes = 64_MiB}, &pages};
    for (std::size_t used = 0; used < 16_MiB; used += 64)
        static_cast<void>(heap.allocate(64, 8));
    const std::size_t before = dense_requests();
    static_cast<void>(heap.allocate(100_KiB, 16));
    EXPECT_EQ(dense_requests(), before + 1) << "what is in use is asked at that time";
    heap.reset();
}

} // namespace
