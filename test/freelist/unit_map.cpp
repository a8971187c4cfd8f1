// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/detail/poison.hpp>
#include <arenite/freelist/detail/unit_map.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

using namespace arenite;
using detail::unit_map;

namespace {

using index = unit_map::index;

struct map_in_memory {
    explicit map_in_memory(std::size_t units, bool keeps_sizes = false)
        : bits(unit_map::bytes_for_bits(units) / 8), memory(units + 1),
          map{memory.front().bytes + (keeps_sizes ? 8 : 0), units, bits.data(), keeps_sizes,
              label} {
        map.set_start(static_cast<index>(units));
    }
    ~map_in_memory() { detail::poison::undefined(memory.data(), memory.size() * sizeof(unit)); }
    struct alignas(16) unit {
        std::byte bytes[16];
    };
    detail::resource_label label;
    std::vector<std::uint64_t> bits;
    std::vector<unit> memory;
    unit_map map;
};

TEST(unit_map, tells_what_begins_and_ends) {
    map_in_memory m{200};
    m.map.make_hole(3, 1);
    m.map.set_start(4);
    m.map.make_hole(60, 10);
    m.map.set_start(70);
    EXPECT_TRUE(m.map.hole_begins(3));
    EXPECT_FALSE(m.map.allocation_begins(3));
    EXPECT_TRUE(m.map.allocation_begins(4));
    EXPECT_FALSE(m.map.hole_begins(69) || m.map.allocation_begins(69)) << "the last unit of a hole";
    EXPECT_EQ(m.map.hole_at(60), 10u);
    EXPECT_EQ(m.map.hole_below(70), 10u);
    EXPECT_EQ(m.map.hole_below(4), 1u);
    EXPECT_EQ(m.map.hole_below(3), 0u);
    EXPECT_EQ(m.map.hole_below(0), 0u);
    EXPECT_EQ(m.map.next_begin(4), 60u);
    EXPECT_EQ(m.map.next_begin(70), 200u);
    EXPECT_EQ(m.map.begin_at_or_below(69), 60u);
    m.map.clear_hole(60, 10);
    EXPECT_EQ(m.map.hole_below(70), 0u);
    EXPECT_FALSE(m.map.allocation_begins(69));
}

// Every length across every place in a word, with neighbours that could be taken for it.
TEST(unit_map, finds_the_lowest_hole_of_a_length_within_64_units) {
    for (index n = 1; n < 64; ++n) {
        for (index at = 64; at < 128; ++at) {
            map_in_memory m{400};
            m.map.set_start(0);
            m.map.make_hole(at, n);
            m.map.set_start(at + n);
            EXPECT_EQ(m.map.hole_of(1, n), at) << n << " units";
            EXPECT_EQ(m.map.hole_from(1, n), at) << n << " units";
            EXPECT_EQ(m.map.hole_of(1, n == 63 ? 1 : n + 1), unit_map::none);
            EXPECT_EQ(m.map.hole_from(1, n + 1), unit_map::none);
            EXPECT_EQ(m.map.hole_of(0, n), unit_map::none) << "it begins in the next 64";
            EXPECT_EQ(m.map.hole_of(2, n), unit_map::none) << "it ends there";
        }
    }
}

// Holes and allocations in no order, many of them across the end of a word.
TEST(unit_map, knows_the_longest_hole_that_begins_within_64_units) {
    std::mt19937 random{4};
    for (int turn = 0; turn < 2000; ++turn) {
        map_in_memory m{64 * 6};
        index longest[6] = {}, last[6] = {};
        bool was_hole = true;
        for (index i = 0; i < m.map.count();) {
            auto n = static_cast<index>(1 + random() % (turn % 4 == 0 ? 3 : turn % 200 + 1));
            n = std::min(n, m.map.count() - i);
            was_hole = !was_hole && random() % 3 != 0;
            if (was_hole) {
                m.map.make_hole(i, n);
                longest[i / 64] = std::max(longest[i / 64], n);
                last[i / 64] = i;
            } else {
                m.map.set_start(i);
            }
            i += n;
        }
        for (std::size_t block = 0; block < 6; ++block) {
            ASSERT_EQ(m.map.longest_hole(block), longest[block]) << turn << ": " << block;
            if (longest[block] != 0) {
                ASSERT_EQ(m.map.last_hole(block), last[block]);
            }
        }
    }
    map_in_memory whole{200};
    whole.map.make_hole(64, 64);
    whole.map.set_start(128);
    EXPECT_EQ(whole.map.longest_hole(1), 64u);
}

TEST(unit_map, two_holes_are_not_taken_for_one) {
    map_in_memory m{128};
    m.map.make_hole(1, 1);
    m.map.set_start(2);
    m.map.make_hole(4, 3);
    m.map.set_start(7);
    EXPECT_EQ(m.map.hole_of(0, 6), unit_map::none) << "the first of one, the last of the other";
    EXPECT_EQ(m.map.hole_from(0, 2), 4u);
    EXPECT_EQ(m.map.hole_of(0, 1), 1u);
}

TEST(unit_map, joins_what_is_freed_with_both_neighbours) {
    for (const index below : {0u, 1u, 2u, 70u}) {
        for (const index n : {1u, 2u, 100u}) {
            for (const index above : {0u, 1u, 2u, 70u}) {
                map_in_memory m{400};
                m.map.set_start(0);
                const index at = 10 + below, end = at + n;
                if (below != 0)
                    m.map.make_hole(10, below);
                m.map.set_start(at);
                if (above != 0)
                    m.map.make_hole(end, above);
                m.map.set_start(end + above);
                m.map.join(at, n, below, above);
                EXPECT_EQ(m.map.hole_at(10), below + n + above);
                EXPECT_EQ(m.map.hole_below(end + above), below + n + above);
                EXPECT_EQ(m.map.next_begin(0), 10u);
                EXPECT_EQ(m.map.next_begin(10), end + above);
                m.map.clear_hole(10, below + n + above);
                EXPECT_EQ(m.map.next_begin(0), end + above) << "bits are left within the hole";
            }
        }
    }
}

TEST(unit_map, kept_sizes_lie_below_the_address_and_are_checked) {
    map_in_memory m{100, true};
    EXPECT_EQ(m.map.units_for(8), 1u);
    EXPECT_EQ(m.map.units_for(9), 2u);
    m.map.set_start(5);
    m.map.note_size(5, 3);
    EXPECT_EQ(m.map.noted_size(5), 3u);
    EXPECT_TRUE(is_aligned(m.map.address(5), 16));
    std::byte* const header = m.map.address(5) - 8;
    const auto noted = [&] {
        const unit_map::index n = m.map.noted_size(5);
        detail::poison::defined(header, 8);
        return n;
    };
    EXPECT_EQ(noted(), 3u);
    header[1] ^= std::byte{1};
    EXPECT_EQ(noted(), unit_map::none);
    header[1] ^= std::byte{1};
    header[6] ^= std::byte{1};
    EXPECT_EQ(noted(), unit_map::none);
}

} // namespace
