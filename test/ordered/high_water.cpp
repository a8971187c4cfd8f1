// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The high water of a heap, between calls of usage(), by which it would be noted.
#include "ordered/slab_heap_test.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

using namespace ordered_test;

namespace {

class high_water_of : public slab_heap_of {
protected:
    slab_heap heap{{}, &pages, owner()};

    void expect_is_now() const {
        const usage seen = heap.usage_approximate();
        EXPECT_EQ(seen.high_water_bytes, seen.bytes_in_use);
    }
};

TEST_F(high_water_of, is_noted_at_requests_that_get_memory_of_their_own) {
    const auto small = take_all(heap, 1000, 48);
    std::vector<void*> taken;
    for (const std::size_t bytes : {20_KiB, 30_KiB, 100_KiB, 500_KiB, 3_MiB, 20_KiB, 100_KiB}) {
        SCOPED_TRACE(bytes);
        taken.push_back(take_one(heap, bytes, 8));
        expect_is_now();
    }
}

TEST_F(high_water_of, is_noted_where_runs_that_were_kept_are_taken_together) {
    void* const one = take_one(heap, 20_KiB, 8);
    heap.deallocate(one);
    void* const other = take_one(heap, 30_KiB, 8);
    heap.deallocate(other);
    static_cast<void>(take_one(heap, 20_KiB, 8));
    static_cast<void>(take_one(heap, 30_KiB, 8));
    expect_is_now();
}

TEST_F(high_water_of, is_noted_where_an_object_grows_in_place) {
    std::size_t bytes = 3_MiB;
    void* const p = take_one(heap, bytes, 8);
    ASSERT_TRUE(heap.try_resize(p, bytes, bytes + 64_KiB, 8));
    expect_is_now();
    bytes = 100_KiB;
    void* const q = take_one(heap, bytes, 8);
    ASSERT_TRUE(heap.try_resize(q, bytes, bytes + 4_KiB, 8));
    expect_is_now();
}

TEST_F(high_water_of, is_noted_at_1_MiB_however_much_was_in_use_before) {
    std::vector<void*> all = take_all(heap, 100'000, 48);
    for (std::size_t i = 0; i < all.size(); ++i)
        if (i % 8 != 0)
            heap.deallocate(all[i], 48, 8);
    void* p = take_one(heap, 2_MiB, 8); // little is in use now
    heap.deallocate(p);
    for (std::size_t i = 0; i < all.size(); ++i)
        if (i % 8 != 0 && i % 8 != 7)
            all[i] = take_one(heap, 48, 8); // in slabs that are there
    p = take_one(heap, 2_MiB, 8);
    expect_is_now();
}

TEST_F(high_water_of, is_never_above_what_was_in_use) {
    std::size_t most = 0;
    for (const std::size_t bytes : {20_KiB, 100_KiB, 600_KiB, 2_MiB, 100_KiB, 20_KiB}) {
        const auto small = take_all(heap, 500, 48);
        void* const p = take_one(heap, bytes, 8);
        most = std::max(most, heap.usage_approximate().bytes_in_use);
        heap.deallocate(p);
        for (void* each : small)
            heap.deallocate(each, 48, 8);
        EXPECT_LE(heap.usage_approximate().high_water_bytes, most);
    }
}

} // namespace
