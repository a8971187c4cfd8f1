// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/ordered/detail/own_frees.hpp>

#include <arenite/ordered/detail/slab_heap.hpp>
#include <arenite/os/page_resource.hpp>

#include "ordered/slab_of_class.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

using namespace arenite;

namespace {

TEST(own_frees, what_lies_in_a_page_is_freed_by_its_address_once) {
    if (detail::slow_only)
        GTEST_SKIP() << "in this build every free is a slow one";
    detail::slab_heap heap{detail::block_options{}, upstream{&page_source()},
                           detail::heap_owner{.heap = nullptr}};
    std::vector<void*> objects(10'000);
    for (void*& p : objects) {
        p = heap.try_allocate(64, 8);
        ASSERT_NE(p, nullptr);
    }
    std::size_t freed = 0;
    for (void*& p : objects) {
        if (!heap.try_give(p))
            continue;
        ++freed;
        EXPECT_FALSE(heap.try_give_in_own(p)) << "its slot is free already";
        p = nullptr;
    }
    EXPECT_GT(freed, objects.size() / 2) << "most of so many lie in pages";
    EXPECT_EQ(heap.usage().live_allocations, objects.size() - freed);
    for (void* const p : objects)
        if (p != nullptr)
            heap.deallocate(p, 64, 8);
    EXPECT_TRUE(heap.nothing_lives());
}

TEST(own_frees, the_page_of_a_slot_is_told_of_begins_of_objects_in_use_alone) {
    if (detail::slow_only)
        GTEST_SKIP() << "in this build no slot is told of quickly";
    const detail::block_options options;
    detail::slab_heap heap{options, upstream{&page_source()}, detail::heap_owner{.heap = nullptr}};
    detail::slab_heap other{options, upstream{&page_source()}, detail::heap_owner{.heap = nullptr}};
    for (const std::size_t bytes : {16u, 24u, 48u, 320u, 1792u}) {
        std::vector<std::byte*> objects(200'000 / bytes + 300);
        for (std::byte*& p : objects)
            p = static_cast<std::byte*>(heap.try_allocate(bytes, 8));
        std::byte* const last = objects.back();
        const detail::slab* const s = heap.page_of_slot(last);
        ASSERT_NE(s, nullptr) << bytes << ": a heap of several hundred objects goes on in pages";
        EXPECT_EQ(s->slot_bytes, bytes);
        EXPECT_EQ(heap.slabs().find_slab(last), s);
        EXPECT_EQ(other.page_of_slot(last), nullptr) << "it is another heap's";
        // All of the page: its description, its bits, and each object.
        const auto begin = reinterpret_cast<std::uintptr_t>(last) / 65536 * 65536;
        std::size_t told = 0;
        for (std::size_t i = 0; i < 65536; i += 8)
            told += heap.page_of_slot(reinterpret_cast<const void*>(begin + i)) != nullptr;
        const auto in_page = [&](std::byte* p) {
            return reinterpret_cast<std::uintptr_t>(p) / 65536 * 65536 == begin;
        };
        EXPECT_EQ(told, static_cast<std::size_t>(std::ranges::count_if(objects, in_page)));
        for (std::byte* const p : objects) {
            heap.deallocate(p, bytes, 8);
            if (in_page(p) && heap.slabs().holds(*s)) {
                ASSERT_EQ(heap.page_of_slot(p), nullptr) << "it is free";
            }
        }
    }
}

TEST(own_frees, a_slab_leads_to_its_class) {
    detail::slab_classes classes;
    for (unsigned number : {0u, 7u, detail::size_class::count - 1}) {
        detail::slab s = ordered_test::of_class(number, 4, 16);
        EXPECT_EQ(s.slot_class(), number);
        classes.add(s);
        EXPECT_EQ(&classes.of(s), &classes[number]);
    }
}

} // namespace
