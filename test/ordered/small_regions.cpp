// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// How much of a region of fixed size a heap can use.
#include <arenite/compose/limited_resource.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/linear/linear_resource.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/os/page_resource.hpp>

#include <gtest/gtest.h>

#include "support/build_mode.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory_resource>
#include <random>
#include <span>
#include <vector>

using namespace arenite;

namespace {

/// A buffer that begins so far behind a multiple of 64 KiB.
class placed_buffer {
public:
    placed_buffer(std::size_t bytes, std::size_t offset) : memory_(bytes + 2 * 64_KiB) {
        const auto skip = padding_for(memory_.data(), 64_KiB) + offset;
        here_ = std::span{memory_}.subspan(skip, bytes);
    }
    [[nodiscard]] std::span<std::byte> here() const { return here_; }

private:
    std::vector<std::byte> memory_;
    std::span<std::byte> here_;
};

/// The part of the region that objects of these sizes, in turn, fill.
template <class Sizes>
double filled(ordered_heap& heap, std::size_t bytes, Sizes size) {
    std::size_t sum = 0;
    for (int i = 0;; ++i) {
        const std::size_t n = size(i);
        void* const p = heap.try_allocate(n, 8);
        if (p == nullptr)
            break;
        std::memset(p, 1, n);
        sum += n;
    }
    return static_cast<double>(sum) / static_cast<double>(bytes);
}

constexpr std::size_t offsets[] = {0, 64, 1000, 4_KiB, 33'000, 64_KiB - 64};

} // namespace

TEST(ordered_heap_small_regions, objects_of_one_size_fill_a_region_wherever_it_lies) {
    if (support::every_call_is_careful)
        GTEST_SKIP() << "notes of sizes take room";
    for (const std::size_t offset : offsets) {
        for (const std::size_t size : {16u, 48u, 128u, 512u}) {
            const placed_buffer small{64_KiB, offset};
            linear_resource in_small{small.here()};
            ordered_heap heap{in_small};
            EXPECT_GE(filled(heap, 64_KiB, [&](int) { return size; }), 0.85)
                << size << ' ' << offset;
            const placed_buffer larger{1_MiB, offset};
            linear_resource in_larger{larger.here()};
            ordered_heap other{in_larger};
            EXPECT_GE(filled(other, 1_MiB, [&](int) { return size; }), 0.95)
                << size << ' ' << offset;
        }
        for (const std::size_t size : {1500u, 8000u}) {
            const placed_buffer larger{1_MiB, offset};
            linear_resource in_larger{larger.here()};
            ordered_heap heap{in_larger};
            EXPECT_GE(filled(heap, 1_MiB, [&](int) { return size; }), 0.85)
                << size << ' ' << offset;
        }
    }
}

TEST(ordered_heap_small_regions, mixed_sizes_fill_most_of_it) {
    if (support::every_call_is_careful)
        GTEST_SKIP() << "notes of sizes take room";
    for (const std::size_t offset : offsets) {
        const auto mixed = [](int i) {
            return std::size_t{24} + static_cast<std::size_t>(i % 3) * 24;
        };
        const placed_buffer small{64_KiB, offset};
        linear_resource in_small{small.here()};
        ordered_heap heap{in_small};
        EXPECT_GE(filled(heap, 64_KiB, mixed), 0.70) << offset;
        const placed_buffer larger{1_MiB, offset};
        linear_resource in_larger{larger.here()};
        ordered_heap other{in_larger};
        EXPECT_GE(filled(other, 1_MiB, mixed), 0.90) << offset;
    }
}

TEST(ordered_heap_small_regions, what_fitted_once_fits_again) {
    const placed_buffer small{64_KiB, 4_KiB};
    linear_resource linear{small.here()};
    ordered_heap heap{ordered_options{.sizes = sizes::kept}, linear};
    std::vector<void*> all;
    const auto fill = [&](std::size_t bytes) {
        while (void* const p = heap.try_allocate(bytes, 16))
            all.push_back(p);
        return all.size();
    };
    const std::size_t count = fill(48);
    for (int round = 0; round < 5; ++round) {
        for (void* const p : all) {
            EXPECT_TRUE(heap.owns(p));
            EXPECT_GE(heap.size_of(p), 48u);
            heap.deallocate(p);
        }
        all.clear();
        EXPECT_EQ(fill(48), count);
    }
    std::shuffle(all.begin(), all.end(), std::mt19937{7});
    for (void* const p : all)
        heap.deallocate(p);
    EXPECT_EQ(heap.usage().live_allocations, 0u);
}

TEST(ordered_heap_small_regions, alignments_above_a_kilobyte_are_served) {
    const placed_buffer larger{1_MiB, 1000};
    linear_resource linear{larger.here()};
    ordered_heap heap{linear};
    for (std::size_t alignment = 1; alignment <= 64_KiB; alignment *= 2) {
        for (const std::size_t bytes : {10u, 5'000u, 40'000u}) {
            void* const p = heap.try_allocate(bytes, alignment);
            ASSERT_NE(p, nullptr) << bytes << ' ' << alignment;
            EXPECT_TRUE(is_aligned(p, alignment));
            std::memset(p, 1, bytes);
            heap.deallocate(p, bytes, alignment);
        }
    }
}

TEST(ordered_heap_small_regions, a_heap_of_which_nothing_lives_has_room_for_a_large_object) {
    for (const std::size_t object : {100u, 3'000u, 20'000u, 60'000u}) {
        page_resource pages;
        limited_resource<page_resource&> budget{1_MiB, pages};
        ordered_heap heap{ordered_options{.block_bytes = 256_KiB}, &budget};
        heap.deallocate(heap.allocate(object), object);
        constexpr std::size_t most = 1_MiB - 64_KiB;
        void* const p = heap.try_allocate(most);
        ASSERT_NE(p, nullptr) << "after an object of " << object;
        heap.deallocate(p, most);
    }
}

TEST(ordered_heap_small_regions, the_first_span_holds_a_block_whatever_its_size_is_to_be) {
    for (const std::size_t block_bytes : {4_KiB, 16_KiB, 64_KiB, 256_KiB}) {
        std::pmr::monotonic_buffer_resource arena; // a small request gets little there
        ordered_heap heap{ordered_options{.block_bytes = block_bytes}, &arena};
        heap.set_block_bytes(0);
        std::vector<std::byte*> all;
        for (int i = 0; i < 100; ++i)
            std::memset(all.emplace_back(static_cast<std::byte*>(heap.allocate(100))), i, 100);
        for (int i = 0; i < 100; ++i)
            EXPECT_TRUE(
                std::all_of(all[i], all[i] + 100, [&](std::byte b) { return b == std::byte(i); }));
        EXPECT_GE(heap.usage().bytes_reserved, 4_KiB);
    }
}
