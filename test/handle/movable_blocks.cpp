// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/handle/detail/movable_blocks.hpp>

#include <arenite/core/literals.hpp>
#include <arenite/os/detail/platform.hpp>

#include <gtest/gtest.h>

#include "support/counting_pages.hpp"
#include "support/counting_resource.hpp"
#include "support/region_list.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace {

using namespace arenite;
using detail::movable_blocks;

constexpr std::size_t granules = 9; // 72 bytes

struct fixture {
    support::counting_resource up;
    movable_blocks blocks{return_policy::return_all, &up, this};
    movable_blocks::cursor making;
    movable_blocks::cursor filling{movable_blocks::supply::holes};

    std::vector<std::byte*> fill(std::size_t count) {
        std::vector<std::byte*> all;
        for (std::size_t i = 0; i < count; ++i)
            all.push_back(blocks.take(making, granules, 8));
        return all;
    }
};

TEST(movable_blocks, room_is_handed_out_upward_and_aligned_behind_the_first_granule) {
    fixture f;
    std::byte* before = nullptr;
    for (const std::size_t alignment : {8u, 16u, 64u, 4096u, 8u}) {
        std::byte* const p = f.blocks.take(f.making, 3, alignment);
        ASSERT_NE(p, nullptr);
        EXPECT_TRUE(is_aligned(p + detail::granule_bytes, alignment));
        EXPECT_GT(p, before);
        before = p + 3 * detail::granule_bytes - 1;
    }
    EXPECT_EQ(f.blocks.live(), 15u);
}

TEST(movable_blocks, holes_are_filled_before_a_new_block_is_asked_for) {
    fixture f;
    const auto all = f.fill(40'000);
    const std::size_t held = f.blocks.block_bytes_held();
    for (std::size_t i = 0; i < all.size(); i += 2)
        f.blocks.give(all[i], granules);
    f.fill(all.size() / 2 - 4000);
    EXPECT_EQ(f.blocks.block_bytes_held(), held);
}

TEST(movable_blocks, the_emptiest_block_is_emptied_where_the_rest_has_room) {
    fixture f;
    const auto all = f.fill(60'000); // five blocks
    f.blocks.close(f.making);
    EXPECT_EQ(f.blocks.victim(f.filling), nullptr); // all are full but the last
    detail::block& second = f.blocks.block_of(all[20'000]);
    std::size_t left = 0;
    for (std::byte* const p : all) { // a tenth stays in one, nine tenths in the others
        if (&f.blocks.block_of(p) == &second ? left++ % 10 != 0
                                             : reinterpret_cast<std::uintptr_t>(p) / 72 % 10 == 0)
            f.blocks.give(p, granules);
    }
    EXPECT_EQ(f.blocks.victim(f.filling), &second);
    EXPECT_EQ(f.blocks.victim(f.filling), &second); // until it is empty or given up
    std::byte* const p = f.blocks.next_in_victim();
    ASSERT_NE(p, nullptr);
    EXPECT_EQ(&f.blocks.block_of(p), &second);
    f.blocks.give_victim_up();
    EXPECT_NE(f.blocks.victim(f.filling), &second);
}

TEST(movable_blocks, a_block_with_a_pin_is_no_victim) {
    fixture f;
    const auto all = f.fill(30'000);
    f.blocks.close(f.making);
    for (std::size_t i = 0; i < all.size(); ++i)
        if (i % 8 != 0)
            f.blocks.give(all[i], granules);
    detail::block* const first = f.blocks.victim(f.filling);
    ASSERT_NE(first, nullptr);
    std::byte* const pinned = f.blocks.next_in_victim();
    f.blocks.pin(pinned);
    EXPECT_FALSE(f.blocks.has_victim());
    EXPECT_NE(f.blocks.victim(f.filling), first);
    f.blocks.unpin(pinned);
}

TEST(movable_blocks, objects_are_met_in_address_order_across_blocks) {
    fixture f;
    auto all = f.fill(30'000);
    std::sort(all.begin(), all.end()); // an upstream's blocks come in any order
    const std::byte* at = nullptr;
    for (std::byte* const p : all) {
        EXPECT_EQ(f.blocks.next_object(at), p);
        at = p + granules * detail::granule_bytes;
    }
    EXPECT_EQ(f.blocks.next_object(at), nullptr);
}

TEST(movable_blocks, a_block_that_comes_again_is_as_empty_as_it_went) {
    support::counting_resource up;
    movable_blocks blocks{return_policy::retain_all, &up, &up};
    std::size_t held = 0;
    for (int turn = 0; turn < 3; ++turn) {
        movable_blocks::cursor making;
        std::vector<std::byte*> all;
        for (std::size_t i = 0; i < 40'000; ++i)
            all.push_back(blocks.take(making, granules, 8));
        held = turn == 0 ? blocks.block_bytes_held() : held;
        EXPECT_EQ(blocks.block_bytes_held(), held) << "turn " << turn;
        blocks.close(making);
        for (std::byte* const p : all)
            blocks.give(p, granules);
        EXPECT_EQ(blocks.live(), 0u);
        EXPECT_EQ(blocks.next_object(nullptr), nullptr);
    }
}

TEST(movable_blocks, trim_purges_the_whole_pages_of_holes) {
    support::counting_pages pages;
    movable_blocks blocks{return_policy::retain_all, &pages, &pages};
    movable_blocks::cursor making;
    std::vector<std::byte*> all;
    for (std::size_t i = 0; i < 40'000; ++i) {
        all.push_back(blocks.take(making, granules, 8));
        std::memset(all.back(), 7, granules * detail::granule_bytes);
    }
    const std::size_t before = pages.resident_bytes();
    std::byte* const kept = all[30'000]; // alone in its block
    for (std::byte* const p : all)
        if (p != kept)
            blocks.give(p, granules);
    blocks.trim();
    // These stay: the bits of its block, 16 KiB, its head, its own page, and the list of spans.
    EXPECT_GT(before, 2_MiB);
    EXPECT_LE(pages.resident_bytes(), 32_KiB + 4 * detail::os::platform::page_bytes());
    for (std::size_t i = 0; i < granules * detail::granule_bytes; ++i)
        ASSERT_EQ(kept[i], std::byte{7}) << i;
    EXPECT_EQ(blocks.next_object(nullptr), kept);
}

TEST(movable_blocks, what_is_listed_is_what_is_held) {
    fixture f;
    const auto all = f.fill(20'000);
    for (std::size_t i = 0; i < all.size(); i += 3)
        f.blocks.give(all[i], granules);
    const support::region_list listed{f.blocks};
    EXPECT_EQ(listed.bytes(region_state::used), f.blocks.live() * detail::granule_bytes);
    EXPECT_EQ(listed.bytes(), f.up.live_bytes());
    EXPECT_EQ(f.blocks.bytes_reserved(), f.up.live_bytes());
}

} // namespace
