// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/literals.hpp>
#include <arenite/offset/offset_heap.hpp>
#include <arenite/offset/offset_requirement.hpp>

#include <gtest/gtest.h>

#include "support/block_source.hpp"
#include "support/counting_resource.hpp"
#include "support/sources.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

using namespace arenite;
using refusal = offset_heap::refusal;

namespace {

constexpr std::uint64_t huge = std::numeric_limits<std::uint64_t>::max();

class reserved_parts : public testing::Test {
protected:
    support::block_source device;
    support::counting_resource up;
    offset_heap_options small{.first_block_bytes = 1024, .largest_block_bytes = 8192};
};

TEST_F(reserved_parts, come_in_any_order_without_another_block) {
    const auto seed = static_cast<unsigned>(support::test_seed("offset_requirement"));
    std::mt19937 random{seed};
    for (int round = 0; round < 60; ++round) {
        small.parts.granularity = std::uint64_t{1} << random() % 6;
        small.parts.conflict_page = round % 3 == 0 ? 256 : 0;
        offset_heap heap{device.source(), small, &up};
        std::vector<offset_allocation> before;
        for (int i = 0; i < 40; ++i)
            before.push_back(*heap.try_allocate(1 + random() % 900, 1 + random() % 70));
        for (std::size_t i = 0; i < before.size(); i += 2)
            heap.deallocate(before[i]);
        std::vector<offset_requirement> list;
        std::vector<offset_requirement> requests;
        for (int i = 0; i < 12; ++i) {
            list.push_back({random() % 3000, 1 + random() % 300, random() % 4});
            for (std::uint64_t n = 0; n < list.back().count; ++n)
                requests.push_back(list.back());
        }
        ASSERT_TRUE(heap.reserve(list));
        const std::size_t blocks = heap.block_count();
        EXPECT_TRUE(heap.reserve(list)) << "it is there already";
        EXPECT_EQ(heap.block_count(), blocks);
        std::shuffle(requests.begin(), requests.end(), random);
        for (const offset_requirement& r : requests) {
            const request_options kind{.kind = random() % 2 == 0 ? offset_kind::linear
                                                                 : offset_kind::optimal};
            ASSERT_TRUE(heap.try_allocate(r.bytes, r.alignment, kind));
        }
        EXPECT_EQ(heap.block_count(), blocks);
    }
}

TEST_F(reserved_parts, are_refused_as_a_whole_and_nothing_changes) {
    offset_heap heap{device.source(), small, &up};
    const auto a = *heap.try_allocate(100);
    const std::uint64_t held = device.held();
    for (const std::vector<offset_requirement>& list : {
             std::vector<offset_requirement>{{100, 0}},
             {{huge, 1}},
             {{100, 1, huge}},
             {{huge / 2, 1, 2}, {huge / 2}},
             {{100, huge, 4}},
         }) {
        EXPECT_FALSE(heap.reserve(list));
        EXPECT_EQ(heap.why_refused(), refusal::request);
        EXPECT_EQ(device.held(), held);
    }
    heap.set_budget(held + 100);
    const offset_requirement large[]{{4000, 16, 3}};
    EXPECT_FALSE(heap.reserve(large));
    EXPECT_EQ(heap.why_refused(), refusal::budget);
    EXPECT_EQ(device.held(), held);
    heap.set_budget(huge);
    up.fail_after(0);
    static_cast<void>(heap.reserve(large)); // or there is room for the nodes already
    up.never_fail();
    EXPECT_TRUE(heap.reserve(large));
    EXPECT_TRUE(heap.is_live(a));
}

TEST_F(reserved_parts, of_more_bytes_than_can_be_told_are_refused) {
    small.parts.granularity = 64_KiB;
    small.first_block_bytes = small.largest_block_bytes = 64_KiB;
    offset_heap heap{device.source(), small, &up};
    const offset_requirement wraps[]{{huge / 4 + 1, 1, 4}}; // 2^64 bytes
    EXPECT_FALSE(heap.reserve(wraps));
    EXPECT_EQ(heap.why_refused(), refusal::request);
    EXPECT_EQ(device.count(), 0u);
}

TEST_F(reserved_parts, of_no_bytes_and_of_none_need_no_block) {
    offset_heap heap{device.source(), small, &up};
    EXPECT_TRUE(heap.reserve({}));
    const offset_requirement none[]{{5000, 1, 0}};
    EXPECT_TRUE(heap.reserve(none));
    EXPECT_EQ(device.count(), 0u);
    const offset_requirement empty[]{{0}, {}};
    EXPECT_TRUE(heap.reserve(empty)) << "0 counts as 1";
    EXPECT_EQ(device.count(), 1u);
    heap.trim();
    EXPECT_EQ(device.count(), 0u) << "which is as empty as any";
}

} // namespace
