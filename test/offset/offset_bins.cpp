// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/offset/detail/offset_bins.hpp>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"

#include <cstdint>

using namespace arenite;
using detail::offset_bins;
using detail::offset_nodes;

namespace {

TEST(offset_bins, a_bin_is_exact_below_64_granules_and_spans_1_6_percent_above) {
    for (std::uint64_t n = 1; n < 100'000; ++n) {
        const std::size_t bin = offset_bins::bin_of(n);
        const std::uint64_t least = offset_bins::least(bin);
        ASSERT_LE(least, n);
        ASSERT_LT(n, offset_bins::least(bin + 1));
        ASSERT_LE((n - least) * 64, least) << n;
        if (n < 128) {
            ASSERT_EQ(least, n);
        }
        const std::size_t sure = offset_bins::sure_bin(n);
        ASSERT_GE(offset_bins::least(sure), n);
        ASSERT_LT(offset_bins::least(sure - 1), n);
    }
    for (unsigned e = 17; e < 52; ++e) {
        const std::uint64_t n = std::uint64_t{1} << e;
        EXPECT_EQ(offset_bins::least(offset_bins::bin_of(n)), n);
        EXPECT_EQ(offset_bins::bin_of(n - 1) + 1, offset_bins::bin_of(n));
        EXPECT_LT(offset_bins::sure_bin(n + 1), offset_bins::count);
    }
}

TEST(offset_bins, the_next_that_holds_something_is_found) {
    support::counting_resource up;
    offset_nodes nodes{&up, false};
    offset_bins bins;
    EXPECT_FALSE(bins.ready());
    ASSERT_TRUE(nodes.reserve(3) && bins.prepare(&up));
    EXPECT_EQ(bins.next(0), offset_bins::none);
    EXPECT_EQ(bins.last(), offset_bins::none);
    const auto a = nodes.take();
    const auto b = nodes.take();
    const auto c = nodes.take();
    nodes[a].set_hole(5);
    nodes[b].set_hole(5);
    nodes[c].set_hole(1'000'000);
    for (const auto i : {a, b, c})
        bins.add(nodes, i);
    EXPECT_EQ(bins.next(0), 5u);
    EXPECT_EQ(bins.next(6), offset_bins::bin_of(1'000'000));
    EXPECT_EQ(bins.last(), offset_bins::bin_of(1'000'000));
    bins.remove(nodes, a); // the one behind the head
    EXPECT_EQ(bins.head(5), b);
    bins.remove(nodes, b);
    EXPECT_EQ(bins.next(0), offset_bins::bin_of(1'000'000));
    bins.clear();
    EXPECT_EQ(bins.last(), offset_bins::none);
    bins.release(&up);
}

TEST(offset_bins, without_memory_it_is_not_ready) {
    support::counting_resource up;
    up.fail_after(0);
    offset_bins bins;
    EXPECT_FALSE(bins.prepare(&up));
    EXPECT_FALSE(bins.ready());
    EXPECT_EQ(bins.bytes(), 0u);
}

} // namespace
