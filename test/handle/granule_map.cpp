// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/block/detail/colouring.hpp>
#include <arenite/check/detail/poison.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/handle/detail/granule_map.hpp>

#include <gtest/gtest.h>

#include "support/standing_block.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <random>
#include <utility>
#include <vector>

using namespace arenite;
namespace granule_map = arenite::detail::granule_map;

namespace {

/// A block in memory of its own, all of it free.
class standing_block : public support::standing_block {
public:
    explicit standing_block(std::size_t bytes) : support::standing_block{bytes} {
        ::new (static_cast<void*>(&**this + 1))
            detail::bits::word[2 * granule_map::words_of(**this)]{};
    }
};

TEST(granule_map, the_head_holds_its_bitmap_and_ends_at_a_cache_line) {
    for (std::size_t bytes = 1_KiB; bytes <= 2_MiB; bytes *= 2) {
        const std::size_t bitmap = bytes / detail::granule_bytes / 8;
        const std::size_t head = granule_map::head_bytes(bytes, 0);
        EXPECT_GE(head, 64 + bitmap);
        EXPECT_LT(head, 64 + bitmap + 64);
        EXPECT_EQ(head % 64, 0u);
        EXPECT_EQ(granule_map::head_bytes(bytes, 192), head + 192);
    }
    // The sum in the comment of the class.
    EXPECT_EQ(granule_map::head_bytes(256_KiB, 0), 64 + 256_KiB / 64);
}

TEST(granule_map, its_bits_follow_the_head) {
    const standing_block b{8_KiB};
    auto* const begin = reinterpret_cast<std::byte*>(&*b);
    EXPECT_EQ(static_cast<void*>(b->occupancy()), begin + 64);
    const detail::block& seen = *b;
    EXPECT_EQ(seen.occupancy(), b->occupancy());
    EXPECT_LE(static_cast<const void*>(seen.occupancy() + granule_map::words_of(*b)),
              begin + granule_map::head_bytes(8_KiB, 0));
}

TEST(granule_map, a_hole_is_found_whole) {
    const standing_block b{8_KiB};
    detail::bits::set_run(b->occupancy(), 0, 1024);
    detail::bits::clear_run(b->occupancy(), 100, 30); // across a word
    detail::bits::clear_run(b->occupancy(), 200, 5);
    detail::bits::clear_run(b->occupancy(), 1000, 24); // up to the end
    const auto found = [&](std::size_t from, std::size_t count) {
        const granule_map::hole h = granule_map::find_hole(*b, from, count);
        return std::pair{h.first, h.last};
    };
    using pair = std::pair<std::size_t, std::size_t>;
    EXPECT_EQ(found(0, 1), (pair{100, 130}));
    EXPECT_EQ(found(0, 30), (pair{100, 130}));
    EXPECT_EQ(found(110, 5), (pair{110, 130})) << "what lies below `from` is left out";
    EXPECT_EQ(found(126, 5), (pair{200, 205}));
    EXPECT_EQ(found(201, 5), (pair{1000, 1024}));
    EXPECT_EQ(found(0, 31), (pair{0, 0}));
    EXPECT_TRUE(granule_map::find_hole(*b, 1024, 1).empty());
    EXPECT_TRUE(granule_map::find_hole(*b, 1001, 24).empty());
}

TEST(granule_map, holes_of_a_random_block_are_those_of_a_plain_search) {
    std::mt19937 random{3};
    for (int round = 0; round < 200; ++round) {
        const standing_block b{4_KiB};
        std::vector<bool> taken(512);
        for (std::size_t at = 0; at < 512;) {
            const std::size_t length = 1 + random() % (round % 2 == 0 ? 10 : 150);
            const bool fill = random() % 2 == 0;
            for (std::size_t i = at; i < std::min<std::size_t>(at + length, 512); ++i) {
                taken[i] = fill;
                if (fill)
                    detail::bits::set_run(b->occupancy(), i, 1);
            }
            at += length;
        }
        const std::size_t from = random() % 512;
        const std::size_t count = 1 + random() % 100;
        granule_map::hole expected{};
        for (std::size_t i = from, length = 0; i < 512; ++i) {
            length = taken[i] ? 0 : length + 1;
            if (length == count) {
                expected = {i + 1 - count, i + 1};
                while (expected.last < 512 && !taken[expected.last])
                    ++expected.last;
                break;
            }
        }
        const granule_map::hole found = granule_map::find_hole(*b, from, count);
        ASSERT_EQ(found.first, expected.first) << "round " << round;
        ASSERT_EQ(found.last, expected.last) << "round " << round;
        ASSERT_EQ(found.granules(), expected.granules());
        ASSERT_EQ(found.empty(), expected.last == 0);
    }
}

TEST(granule_map, of_a_new_block_its_head_is_taken_and_nothing_else) {
    const standing_block b{64_KiB};
    detail::bits::set_run(b->occupancy(), 0, b->granules); // what lay there before
    granule_map::make(*b, 64_KiB);
    const std::size_t head = granule_map::head_granules(*b, 64_KiB);
    EXPECT_EQ(head * detail::granule_bytes,
              granule_map::head_bytes(64_KiB, detail::colour_offset(address_of(&*b), 64_KiB)));
    EXPECT_TRUE(detail::bits::all_set(b->occupancy(), 0, head));
    EXPECT_TRUE(detail::bits::none_set(b->occupancy(), head, b->granules - head));
    detail::poison::undefined(b->at(head), b->bytes() - head * detail::granule_bytes);
}

} // namespace
