// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/freelist/detail/tlsf_region.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <random>
#include <span>
#include <vector>

using namespace arenite;
using detail::tlsf_region;

namespace {

using index = tlsf_region::index;

class tlsf_regions : public testing::Test {
protected:
    ~tlsf_regions() override { detail::poison::undefined(memory.data(), memory.size()); }

    tlsf_region& make(std::size_t bytes) {
        tlsf_region* const r = tlsf_region::make(
            std::span{memory}.first(bytes),
            {.keeps_sizes = false, .from_upstream = false, .prefault = false}, label);
        EXPECT_NE(r, nullptr);
        return *r;
    }
    detail::resource_label label;
    std::vector<std::byte> memory = std::vector<std::byte>(1 << 20);
};

TEST_F(tlsf_regions, units_fit_into_the_bytes_wherever_the_memory_begins) {
    for (std::size_t bytes = 0; bytes < 5000; ++bytes) {
        const std::size_t units = tlsf_region::units_in(bytes);
        EXPECT_TRUE(units == 0 || tlsf_region::bytes_for(units) <= bytes);
        EXPECT_GT(tlsf_region::bytes_for(units + 1), bytes);
        const auto part = std::span{memory}.subspan(bytes % 16, bytes);
        tlsf_region* const r = tlsf_region::make(
            part, {.keeps_sizes = bytes % 2 == 0, .from_upstream = false, .prefault = true}, label);
        ASSERT_EQ(r == nullptr, units == 0) << bytes;
        if (r != nullptr) {
            EXPECT_EQ(r->map().count(), units);
            EXPECT_LE(r->map().address(r->map().count()) - r->map().lead(),
                      part.data() + part.size());
            EXPECT_TRUE(r->empty());
            detail::poison::undefined(memory.data(), memory.size());
        }
    }
}

TEST_F(tlsf_regions, a_request_is_rounded_up_to_a_step) {
    for (std::size_t n = 1; n < 64; ++n)
        EXPECT_EQ(tlsf_region::round_up(n), n);
    EXPECT_EQ(tlsf_region::round_up(64), 64u);
    EXPECT_EQ(tlsf_region::round_up(65), 66u);
    EXPECT_EQ(tlsf_region::round_up(127), 128u);
    EXPECT_EQ(tlsf_region::round_up(129), 132u);
    for (std::size_t n = 64; n < 5000; ++n) {
        EXPECT_LE(tlsf_region::round_up(n), n + n / 32);
        EXPECT_EQ(tlsf_region::round_up(tlsf_region::round_up(n)), tlsf_region::round_up(n));
    }
}

// A hole of round_up(n) units is found for n whatever else is free; one shorter than n never.
TEST_F(tlsf_regions, finds_what_is_long_enough) {
    for (const index length : {1u, 31u, 32u, 63u, 64u, 65u, 100u, 127u, 128u, 1000u, 4095u}) {
        tlsf_region& r = make(memory.size());
        const index all = r.take(0, r.map().count(), 16);
        ASSERT_EQ(all, 0u);
        EXPECT_EQ(r.find(1), tlsf_region::none);
        ASSERT_TRUE(r.resize(0, r.map().count(), r.map().count() - length));
        const index hole = r.map().count() - length;
        EXPECT_EQ(r.find(1), hole);
        EXPECT_EQ(r.find(length), hole) << "the latest of its own step";
        EXPECT_EQ(r.find(length + 1), tlsf_region::none) << length;
        EXPECT_EQ(r.find(~std::size_t{0}), tlsf_region::none);
        EXPECT_EQ(r.long_hole(), length);
        detail::poison::undefined(memory.data(), memory.size());
    }
}

TEST_F(tlsf_regions, lists_hold_what_is_free_whatever_is_taken_and_released) {
    tlsf_region& r = make(200'000);
    std::map<index, index> live; // first unit, units
    std::mt19937 random{5};
    for (int step = 0; step < 20'000; ++step) {
        const auto n = static_cast<index>(1 + random() % (random() % 8 == 0 ? 900 : 40));
        if (random() % 2 == 0) {
            const index hole = r.find(n);
            index longest = 0;
            index at = 0;
            for (const auto& [first, units] : live) {
                longest = std::max(longest, first - at);
                at = first + units;
            }
            longest = std::max(longest, r.map().count() - at);
            if (hole == tlsf_region::none) {
                ASSERT_LT(longest, tlsf_region::round_up(n)) << "a hole is long enough for " << n;
            } else {
                ASSERT_GE(longest, n);
                ASSERT_EQ(r.take(hole, n, 16), hole);
                ASSERT_TRUE(live.emplace(hole, n).second);
            }
        } else if (!live.empty()) {
            auto gone = live.lower_bound(static_cast<index>(random() % r.map().count()));
            gone = gone == live.end() ? live.begin() : gone;
            r.release(gone->first, gone->second);
            live.erase(gone);
        }
        ASSERT_EQ(r.empty(), live.empty());
    }
    for (const auto& [first, units] : live)
        r.release(first, units);
    EXPECT_TRUE(r.empty()) << "all of it is one hole again";
}

} // namespace
