// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/ordered/detail/own_frees.hpp>

#include <arenite/ordered/detail/slab_heap.hpp>
#include <arenite/os/page_resource.hpp>

#include <gtest/gtest.h>

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
        if (!heap.slabs().may_be_page(p) || !heap.try_give_in_own(p))
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

TEST(own_frees, a_slab_leads_to_its_class) {
    detail::slab_classes classes;
    for (unsigned number : {0u, 7u, detail::size_class::single}) {
        detail::slab s{};
        s.set_slot_class(number);
        EXPECT_EQ(&classes.of(s), &classes[number]);
    }
}

} // namespace
