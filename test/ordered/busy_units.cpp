// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Sizes of which few objects live, while many come and go: they move from units to a page.
#include <arenite/ordered/detail/slab_heap.hpp>

#include "ordered/slab_heap_test.hpp"

#include <cstddef>

using namespace ordered_test;

namespace {

using busy_units = slab_heap_of;

TEST_F(busy_units, a_class_that_is_busy_in_units_gets_one_in_a_large_heap) {
    for (const bool is_large : {false, true}) {
        slab_heap heap{{}, &pages, owner()};
        model live;
        // A few objects of one size, and a page that is free beside what else the heap has.
        for (void* p : take_all(heap, 3, 80))
            live[p] = {80, 8};
        for (void* p : take_all(heap, (is_large ? 10'000'000u : 1'000'000u) / 48, 48))
            live[p] = {48, 8};
        while (!heap.slabs().has_free_page()) // the last block may just be full
            live[take_one(heap, 48)] = {48, 8};
        const std::size_t reserved = pages.live_bytes();
        void* busy = nullptr;
        for (int i = 0; i < 5'000; ++i) {
            busy = take_one(heap, 80);
            if (i < 4'999)
                heap.deallocate(busy, 80, 8);
        }
        live[busy] = {80, 8};
        EXPECT_EQ(heap.slabs().slab_of(busy).is_page(), is_large);
        EXPECT_EQ(pages.live_bytes(), reserved) << "it asked for memory in a free";
        expect_books(heap, live);
        // Frees in the page, and of what is left in the units.
        for (const auto& [p, x] : live)
            if (x.bytes == 80)
                heap.deallocate(p, 80, 8);
        std::erase_if(live, [](const auto& x) { return x.second.bytes == 80; });
        expect_books(heap, live);
    }
}

TEST_F(busy_units, a_busy_class_stays_in_units_where_no_page_is_free) {
    slab_heap heap{{}, &pages, owner()};
    model live;
    for (void* p : take_all(heap, 3, 80))
        live[p] = {80, 8};
    for (std::size_t n = 0; n < 10'000'000 / 48 || heap.slabs().has_free_page(); ++n)
        live[take_one(heap, 48)] = {48, 8};
    void* busy = nullptr;
    for (int i = 0; i < 20'000; ++i) { // more than once as many as are looked at
        busy = take_one(heap, 80);
        ASSERT_FALSE(heap.slabs().slab_of(busy).is_page());
        if (i < 19'999)
            heap.deallocate(busy, 80, 8);
    }
    live[busy] = {80, 8};
    expect_books(heap, live);
}

} // namespace
