// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Requests that are aligned to more than any slot: runs of units of a block.
#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/ordered/detail/slab_heap.hpp>
#include <arenite/ordered/ordered_heap.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string_view>
#include <thread>
#include <vector>

using namespace arenite;

namespace {

struct piece {
    unsigned char* p;
    std::size_t bytes;
    std::size_t alignment;
    unsigned char mark;
};

bool is_whole(const piece& x) {
    for (std::size_t i = 0; i < x.bytes; i += 64)
        if (x.p[i] != x.mark)
            return false;
    return x.p[x.bytes - 1] == x.mark;
}

template <class Heap>
void random_requests(Heap& heap, unsigned seed) {
    std::mt19937 random{seed};
    std::vector<piece> live;
    for (int i = 0; i < 20'000; ++i) {
        if (live.size() < 300 && random() % 2 == 0) {
            piece x{nullptr, 1 + random() % (random() % 4 == 0 ? 60'000 : 9000),
                    std::size_t{8} << random() % 14, static_cast<unsigned char>(random())};
            x.p = static_cast<unsigned char*>(heap.try_allocate(x.bytes, x.alignment));
            ASSERT_NE(x.p, nullptr);
            ASSERT_EQ(reinterpret_cast<std::uintptr_t>(x.p) % x.alignment, 0u)
                << x.bytes << " bytes, seed " << seed;
            std::memset(x.p, x.mark, x.bytes);
            live.push_back(x);
        } else if (!live.empty()) {
            piece& x = live[random() % live.size()];
            ASSERT_TRUE(is_whole(x)) << x.bytes << " bytes, seed " << seed;
            heap.deallocate(x.p, x.bytes, x.alignment);
            x = live.back();
            live.pop_back();
        }
    }
    for (const piece& x : live)
        heap.deallocate(x.p, x.bytes, x.alignment);
    heap.trim();
    EXPECT_EQ(heap.usage().bytes_in_use, 0u) << "seed " << seed;
}

TEST(aligned_runs, serve_an_ordered_heap) {
    ordered_heap heap;
    random_requests(heap, std::random_device{}());
}

struct of_runs {
    static constexpr std::string_view name = "of aligned runs";
    static constexpr arenite::sizes sizes = arenite::sizes::kept;
};

TEST(aligned_runs_threads, serve_an_affinity_and_other_threads_free_them) {
    affinity_heap& heap = affinity_heap::of<of_runs>();
    random_requests(heap, std::random_device{}());
    std::vector<void*> pages;
    for (int i = 0; i < 500; ++i) {
        pages.push_back(heap.allocate(4096, 4096));
        std::memset(pages.back(), 1, 4096);
    }
    if (!passthrough()) {
        EXPECT_GE(heap.size_of(pages[3]), 4096u);
    }
    std::thread{[&] {
        for (void* p : pages)
            affinity_heap::deallocate_any(p);
    }}.join();
    static_cast<void>(heap.allocate(60'000)); // drains
    heap.trim();
    EXPECT_LE(heap.usage().bytes_in_use, 64u << 10);
}

// A block has room for the descriptions of 23 runs; what lies behind them is not touched.
TEST(aligned_runs, pages_take_a_fifth_of_what_objects_with_addresses_of_their_own_do) {
    if (passthrough() || detail::slow_only)
        GTEST_SKIP() << "each is a large object there";
    ordered_heap heap;
    std::vector<void*> pages;
    for (int i = 0; i < 1000; ++i)
        pages.push_back(heap.allocate(4096, 4096));
    EXPECT_LT(heap.usage().bytes_reserved, 1000 * 65536 / 5);
    for (void* p : pages)
        heap.deallocate(p, 4096, 4096);
    EXPECT_EQ(heap.usage().bytes_in_use, 0u);
}

TEST(aligned_runs, nothing_counts_as_one_byte) {
    ordered_heap heap;
    void* const p = heap.allocate(0, 4096);
    void* const q = heap.allocate(0, 2048);
    EXPECT_NE(p, q);
    heap.deallocate(p, 0, 4096);
    heap.deallocate(q, 0, 2048);
    EXPECT_EQ(heap.usage().bytes_in_use, 0u);
}

TEST(aligned_runs_death, freed_twice_they_are_found) {
    ordered_heap heap;
    void* const p = heap.allocate(5000, 8192);
    heap.deallocate(p, 5000, 8192);
    EXPECT_DEATH(heap.deallocate(p, 5000, 8192), "free");
}

} // namespace
