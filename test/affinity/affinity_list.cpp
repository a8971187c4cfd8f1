// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/detail/affinity_list.hpp>

#include <arenite/affinity/affinity_heap.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <iterator>
#include <vector>

using namespace arenite;

namespace {

TEST(affinity_list, is_a_range_with_indices_in_the_order_of_naming) {
    affinity_heap& h = affinity_heap::named("visited");
    const auto all = affinity_heap::all();
    ASSERT_EQ(all.size(), affinity_heap::count());
    EXPECT_EQ(static_cast<std::size_t>(std::distance(all.begin(), all.end())), all.size());
    std::size_t n = 0;
    bool seen = false;
    for (auto it = all.begin(); it != all.end(); ++n) {
        EXPECT_EQ(&affinity_heap::by_index(n), &all[n]);
        EXPECT_EQ(it->name(), all[n].name());
        seen = seen || &*it == &h;
        EXPECT_EQ(&*it++, &all[n]);
    }
    EXPECT_EQ(n, all.size());
    EXPECT_TRUE(seen);
    h.retire();
    EXPECT_EQ(all.size(), affinity_heap::count());
}

TEST(affinity_list, one_that_is_retired_is_passed_over_wherever_it_stands) {
    std::vector<affinity_heap*> made;
    for (const char* name : {"listed a", "listed b", "listed c"})
        made.push_back(&affinity_heap::named(name));
    for (affinity_heap* gone : made) {
        const auto all = affinity_heap::all();
        const std::size_t before = all.size();
        gone->retire();
        EXPECT_EQ(all.size(), before - 1);
        for (const affinity_heap& h : all)
            EXPECT_NE(&h, gone);
    }
}

} // namespace
