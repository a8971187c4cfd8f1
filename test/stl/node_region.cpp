// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/literals.hpp>
#include <arenite/stl/detail/node_region.hpp>

#include <gtest/gtest.h>

#include "support/operations.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <random>
#include <span>
#include <thread>
#include <utility>
#include <vector>

using namespace arenite;
using detail::node_region;

namespace {

std::uintptr_t number(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

TEST(node_region, blocks_have_a_32nd_to_a_64th_of_it) {
    std::vector<std::byte> memory(16_MiB);
    const auto block_of = [&](std::size_t bytes) {
        return node_region{std::span{memory}.first(bytes)}.block_bytes();
    };
    EXPECT_EQ(block_of(8_KiB), 1_KiB);
    EXPECT_EQ(block_of(64_KiB), 2_KiB);
    EXPECT_EQ(block_of(127_KiB), 2_KiB);
    EXPECT_EQ(block_of(1_MiB), 32_KiB);
    EXPECT_EQ(block_of(16_MiB), 256_KiB);
}

TEST(node_region, too_little_memory_is_none) {
    alignas(512) std::byte memory[1024];
    EXPECT_FALSE(node_region{}.is_open());
    EXPECT_FALSE(node_region{std::span<std::byte>{}}.is_open());
    EXPECT_FALSE((node_region{std::span{memory}.first(511)}.is_open()));
    EXPECT_FALSE((node_region{std::span{memory}.subspan(1, 1000)}.is_open()))
        << "a unit does not fit";
    node_region one{std::span{memory}.first(512)};
    EXPECT_TRUE(one.is_open());
    void* const p = one.try_allocate(1, 1);
    EXPECT_EQ(p, memory);
    EXPECT_EQ(one.try_allocate(1, 1), nullptr);
    one.deallocate(p, 1, 1);
    EXPECT_EQ(one.try_allocate(512, 512), memory);
    EXPECT_EQ(node_region{}.try_allocate(1, 1), nullptr);
}

TEST(node_region, requests_without_sense_fail_and_change_nothing) {
    std::vector<std::byte> memory(64_KiB);
    node_region r{memory};
    EXPECT_EQ(r.try_allocate(64_KiB + 1), nullptr);
    EXPECT_EQ(r.try_allocate(~std::size_t{0}), nullptr);
    EXPECT_EQ(r.try_allocate(64, 3), nullptr);
    EXPECT_EQ(r.try_allocate(64, 0), nullptr);
    EXPECT_EQ(r.try_allocate(64, ~(~std::size_t{0} >> 1)), nullptr) << "the largest power of two";
    EXPECT_NE(r.try_allocate(62_KiB), nullptr) << "all but less than a unit at each end";
}

TEST(node_region, an_address_leads_to_the_mask_of_its_block_and_of_no_other_memory) {
    alignas(4096) static std::byte all[136_KiB];
    std::byte* const memory = all + 4_KiB;
    EXPECT_FALSE(node_region::any());
    {
        node_region a{std::span{memory, 64_KiB}};
        node_region b{std::span{memory + 64_KiB, 64_KiB}};
        EXPECT_TRUE(node_region::any());
        auto* const p = static_cast<std::byte*>(a.try_allocate(2_KiB, 2_KiB));
        auto* const q = static_cast<std::byte*>(b.try_allocate(6_KiB, 8_KiB));
        EXPECT_EQ(node_region::mask_around(p), 2_KiB);
        EXPECT_EQ(node_region::mask_around(p + 2047), 2_KiB);
        EXPECT_EQ(node_region::mask_around(q + 6143), 8_KiB);
        EXPECT_EQ(node_region::mask_around(&a), 0u);
        EXPECT_EQ(node_region::mask_around(nullptr), 0u);
        EXPECT_EQ(node_region::mask_around(memory + 128_KiB), 0u);
        EXPECT_EQ(node_region::mask_around(memory - 1), 0u);
    }
    EXPECT_FALSE(node_region::any());
    EXPECT_EQ(node_region::mask_around(memory), 0u);
}

/// Against a map of bytes; where something was refused, no aligned stretch was free.
TEST(node_region, lends_every_stretch_that_is_free_and_none_twice) {
    std::uint64_t seed = support::test_seed("node_region");
    for (int turn = 0; turn < 30; ++turn, ++seed) {
        SCOPED_TRACE(testing::Message() << "ARENITE_TEST_SEED=" << seed);
        std::mt19937_64 random{seed};
        std::vector<std::byte> memory(8_KiB + random() % 512_KiB);
        const auto begin = static_cast<std::size_t>(random() % 700);
        node_region r{std::span{memory}.subspan(begin)};
        const std::size_t unit = r.block_bytes() / 2;
        struct piece {
            std::byte* at;
            std::size_t bytes, alignment;
        };
        std::vector<piece> live;
        const auto overlaps = [&](std::uintptr_t at, std::size_t bytes) {
            for (const piece& l : live) {
                const std::size_t whole = (l.bytes + unit - 1) / unit * unit;
                if (at < number(l.at) + whole && number(l.at) < at + bytes)
                    return true;
            }
            return false;
        };
        for (int i = 0; i < 400; ++i) {
            if (!live.empty() && random() % 3 == 0) {
                std::swap(live[static_cast<std::size_t>(random() % live.size())], live.back());
                r.deallocate(live.back().at, live.back().bytes, live.back().alignment);
                live.pop_back();
                continue;
            }
            const std::size_t bytes = 1 + random() % (4 * unit);
            const std::size_t alignment = std::size_t{1} << random() % 15;
            auto* const p = static_cast<std::byte*>(r.try_allocate(bytes, alignment));
            const std::size_t step = std::max(alignment, unit);
            if (p != nullptr) {
                EXPECT_EQ(number(p) % step, 0u);
                EXPECT_GE(p, memory.data() + begin);
                EXPECT_LE(p + bytes, memory.data() + memory.size());
                EXPECT_FALSE(overlaps(number(p), bytes));
                EXPECT_EQ(node_region::mask_around(p + bytes - 1), step);
                live.push_back({p, bytes, alignment});
                continue;
            }
            const std::size_t whole = (bytes + unit - 1) / unit * unit;
            const std::uintptr_t end = number(memory.data() + memory.size());
            for (std::uintptr_t at = (number(memory.data() + begin) + step - 1) / step * step;
                 at + whole <= end; at += step)
                ASSERT_TRUE(overlaps(at, whole)) << "there was room";
        }
    }
}

TEST(node_region_threads, addresses_lead_to_masks_while_other_regions_come_and_go) {
    std::vector<std::byte> memory(64_KiB);
    node_region r{memory};
    void* const p = r.try_allocate(2_KiB, 2_KiB);
    std::atomic<bool> stop{false};
    std::thread others{[&] {
        std::vector<std::byte> more(32_KiB);
        while (!stop.load()) {
            node_region a{std::span{more}.first(16_KiB)};
            node_region b{std::span{more}.subspan(16_KiB)};
            void* const q = b.try_allocate(1_KiB, 1_KiB);
            EXPECT_EQ(node_region::mask_around(q), 1_KiB);
        }
    }};
    for (int i = 0; i < 20'000; ++i)
        ASSERT_EQ(node_region::mask_around(p), 2_KiB);
    stop = true;
    others.join();
}

#if defined(GTEST_HAS_DEATH_TEST)
TEST(node_region_death, more_memory_or_more_regions_than_there_can_be_are_refused) {
    std::vector<std::byte> memory(17_MiB);
    EXPECT_DEATH(node_region{std::span{memory}.first(16_MiB + 1)}, "it can use 16 MiB");
    EXPECT_DEATH(
        {
            std::deque<node_region> all;
            for (std::size_t i = 0; i <= node_region::most_regions; ++i)
                all.emplace_back(std::span{memory}.subspan(i * 1_KiB, 1_KiB));
        },
        "this is one too many");
}
#endif

} // namespace
