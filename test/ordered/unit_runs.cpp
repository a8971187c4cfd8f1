// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/ordered/detail/unit_runs.hpp>

#include "ordered/heap_test.hpp"
#include "ordered/slab_of_class.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace arenite::detail;

namespace {

/// The powers of two that fit into the longest run, unit by unit.
unsigned counted(const bits::word (&taken)[4], std::size_t count) {
    std::size_t longest = 0;
    std::size_t run = 0;
    for (std::size_t i = 0; i < count; ++i) {
        run = (taken[i / 64] >> i % 64 & 1) != 0 ? 0 : run + 1;
        longest = std::max(longest, run);
    }
    unsigned powers = 0;
    for (unsigned k = 0; k < 8 && std::size_t{1} << k <= longest; ++k)
        powers |= 1u << k;
    return powers;
}

void release(slab_source& source, slab& s) {
    if (block* const empty = source.release(s))
        source.close(*empty, 0);
}

TEST(unit_runs, powers_are_those_of_the_longest_run) {
    const unsigned seed = std::random_device{}();
    std::mt19937 random{seed};
    for (int round = 0; round < 20'000; ++round) {
        bits::word taken[4] = {};
        const auto runs = static_cast<unsigned>(random() % 12);
        for (unsigned n = 0; n < runs; ++n) {
            const std::size_t first = random() % 256;
            const std::size_t end = std::min<std::size_t>(256, first + random() % 80);
            for (std::size_t i = first; i < end; ++i)
                taken[i / 64] |= bits::word{1} << i % 64;
        }
        const std::size_t count = round % 2 == 0 ? 256 : 1 + random() % 256;
        ASSERT_EQ(free_run_powers(taken, count), counted(taken, count))
            << count << " units, seed " << seed;
    }
    for (std::size_t first = 0; first <= 256; ++first)
        for (std::size_t end = first; end <= 256; ++end) { // one run that is free
            bits::word taken[4] = {};
            for (std::size_t i = 0; i < 256; ++i)
                taken[i / 64] |= bits::word{i < first || i >= end} << i % 64;
            ASSERT_EQ(free_run_powers(taken, 256), counted(taken, 256)) << first << " to " << end;
        }
    const bits::word all[4] = {~bits::word{0}, ~bits::word{0}, ~bits::word{0}, ~bits::word{0}};
    EXPECT_EQ(free_run_powers(all, 256), 0u);
    EXPECT_EQ(free_run_powers({}, 256), 255u);
    EXPECT_EQ(free_run_powers({}, 64), 127u);
    EXPECT_EQ(free_run_powers({}, 63), 63u);
}

TEST(unit_runs, the_state_of_a_block_tells_its_longest_run_whatever_comes_and_goes) {
    ordered_test::counting_pages pages;
    int owner = 0;
    ordered_test::own_source source{{}, &pages, &owner};
    const unsigned seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random{seed};
    std::vector<slab*> live;
    for (int i = 0; i < 20'000; ++i) {
        // More that come, then more that go, so that blocks are full and empty by turns.
        if (live.empty() || random() % 5 < (i / 1000 % 2 == 0 ? 3u : 2u)) {
            const bool single = random() % 2 == 0;
            const std::size_t units = 1 + random() % (random() % 4 == 0 ? 60 : 12);
            const std::size_t aligned = single && random() % 3 == 0 ? 4 : 1;
            const unsigned of = single ? size_class::single : size_class::computed(48);
            if (slab* const s = source.make(of, units, single ? units : 1, aligned))
                live.push_back(s);
        } else {
            std::swap(live[random() % live.size()], live.back());
            release(source, *live.back());
            live.pop_back();
        }
        const auto& all = source.blocks().blocks();
        for (const block* b = all.first(); b != nullptr; b = all.above(*b)) {
            if ((b->state & block_state::open) == 0)
                continue;
            const slab_block& head = *source.geometry().slabs_in(b);
            const unsigned powers =
                head.free_slabs == 0 ? 0
                                     : free_run_powers(head.taken_units, b->bytes() / unit_bytes);
            ASSERT_EQ(b->state / 32u & 255u, powers) << "step " << i;
        }
    }
    for (slab* s : live)
        release(source, *s);
}

} // namespace
