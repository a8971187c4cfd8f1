// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/report/region_totals.hpp>

#include <gtest/gtest.h>

#include <cstddef>

using namespace arenite;

namespace {

std::byte memory[1000];

struct listing {
    void list_regions(region_sink& sink) const {
        sink.add({memory, 100, region_state::overhead});
        sink.add({memory + 100, 50, region_state::used, true});
        sink.add({memory + 150, 30, region_state::free});
        sink.add({memory + 180, 20, region_state::untouched});
        sink.add({memory + 200, 10, region_state::used, true});
        sink.add({memory + 300, 40, region_state::free});
    }
};

TEST(region_totals, sums_each_state) {
    const region_totals t{listing{}};
    EXPECT_EQ(t.bytes(region_state::overhead), 100u);
    EXPECT_EQ(t.bytes(region_state::used), 60u);
    EXPECT_EQ(t.bytes(region_state::free), 70u);
    EXPECT_EQ(t.bytes(region_state::untouched), 20u);
    EXPECT_EQ(t.bytes(), 250u);
    EXPECT_EQ(t.free_bytes(), 90u);
    EXPECT_EQ(t.objects(), 2u);
}

TEST(region_totals, joins_free_and_untouched_neighbours_to_one_hole) {
    const region_totals t{listing{}};
    EXPECT_EQ(t.largest_hole_bytes(), 50u);
    EXPECT_DOUBLE_EQ(t.fragmentation(), 1 - 50.0 / 90);
}

TEST(region_totals, of_nothing_are_nothing) {
    const region_totals t;
    EXPECT_EQ(t.bytes(), 0u);
    EXPECT_EQ(t.largest_hole_bytes(), 0u);
    EXPECT_EQ(t.fragmentation(), 0);
}

TEST(region_totals, do_not_join_holes_that_lie_apart) {
    region_totals t;
    t.add({memory, 10, region_state::free});
    t.add({memory + 20, 15, region_state::free});
    EXPECT_EQ(t.largest_hole_bytes(), 15u);
    EXPECT_DOUBLE_EQ(t.fragmentation(), 0.4);
}

} // namespace
