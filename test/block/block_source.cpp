// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/block/detail/block_source.hpp>
#include <arenite/check/detail/poison.hpp>
#include <arenite/compose/budgeted_resource.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/os/detail/platform.hpp>
#include <arenite/os/page_resource.hpp>

#include <gtest/gtest.h>

#include "support/addresses.hpp"
#include "support/counting_pages.hpp"
#include "support/counting_resource.hpp"
#include "support/pattern.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <vector>

using namespace arenite;
using detail::os::platform;
using support::counting_pages;
using support::counting_resource;
using support::pattern;

namespace {

constexpr std::size_t size_max = std::numeric_limits<std::size_t>::max();

class block_source_of : public testing::Test {
protected:
    counting_pages pages;
    counting_resource up;
    int owner = 0;

    /// An empty block, as an owner takes one.
    static detail::block* take(detail::block_source& source) {
        detail::block* b = source.take_empty_block();
        if (b != nullptr) {
            EXPECT_NE(b->state & detail::block_state::empty, 0);
            source.open(*b);
            EXPECT_EQ(b->state, detail::block_state::open);
        }
        return b;
    }

    static std::vector<detail::block*> take(detail::block_source& source, std::size_t count) {
        std::vector<detail::block*> all(count);
        for (detail::block*& b : all)
            b = take(source);
        return all;
    }

    static void give(detail::block_source& source, const std::vector<detail::block*>& all) {
        for (detail::block* b : all)
            source.close_empty(*b, 0);
    }
};

// ---- blocks -------------------------------------------------------------------------------------

TEST(block_sources, let_their_own_upstream_return_what_has_waited_there) {
    static std::uint64_t the_time;
    the_time = 5000;
    page_options options{.reserve_bytes = 64_MiB, .delay_ms = 1000};
    options.now_ms = []() noexcept { return the_time; };
    page_resource pages{options};
    budget_group budget{64_MiB};
    budgeted_resource counted{budget, pages};
    const detail::block_options keeps{.policy = return_policy::retain_all};
    detail::block_source direct{keeps, pages, nullptr};
    detail::block_source within{keeps, counted, nullptr};
    for (detail::block_source* source : {&direct, &within}) {
        detail::block* const b = source->take_empty_block();
        ASSERT_NE(b, nullptr);
        void* const p = pages.allocate(1_MiB);
        std::memset(p, 1, 1_MiB);
        pages.deallocate(p, 1_MiB);
        the_time += 2000;
        EXPECT_EQ(platform::resident_bytes(p, 1_MiB), 1_MiB);
        ASSERT_EQ(source->take_empty_block(), b) << "without a call of the upstream";
        EXPECT_LT(platform::resident_bytes(p, 1_MiB), 1_MiB);
    }
}

TEST_F(block_source_of, asks_nothing_before_the_first_block) {
    {
        detail::block_source source{{}, &pages, &owner};
        EXPECT_EQ(source.mask_bytes(), 256_KiB);
        EXPECT_FALSE(source.has_empty_block());
        source.trim();
    }
    EXPECT_EQ(pages.calls(), 0u);
}

TEST_F(block_source_of, a_new_block_holds_its_head_and_nothing_else) {
    detail::block_source source{{}, &pages, &owner};
    for (int i = 0; i < 20; ++i) {
        detail::block& b = *take(source);
        EXPECT_EQ(b.owner, &owner);
        EXPECT_EQ(b.live, 0);
        EXPECT_TRUE(is_aligned(&b, source.mask_bytes()));
        EXPECT_LE(b.bytes(), source.mask_bytes());
    }
}

TEST_F(block_source_of, blocks_are_cut_from_below_as_they_are_needed) {
    detail::block_source source{{.block_bytes = 1_MiB}, &pages, &owner};
    const auto all = take(source, 10);
    EXPECT_EQ(pages.requests().size(), 3u);
    EXPECT_EQ(source.bytes_reserved(), 3_MiB);
    for (std::size_t i = 1; i < all.size(); ++i) {
        EXPECT_GT(all[i], all[i - 1]);
        EXPECT_EQ(all[i]->span == all[i - 1]->span, i % 4 != 0);
    }
    // Two of the last span's blocks were never touched.
    EXPECT_LE(pages.resident_bytes(), 10 * 2 * platform::page_bytes());
    EXPECT_TRUE(source.has_empty_block());
}

TEST_F(block_source_of, the_lowest_empty_block_comes_first) {
    detail::block_source source{
        {.block_bytes = 64_KiB, .policy = return_policy::retain_all}, &pages, &owner};
    const auto all = take(source, 10);
    for (const std::size_t i : {7u, 2u, 5u})
        source.close_empty(*all[i], 0);
    EXPECT_TRUE(source.has_empty_block());
    EXPECT_EQ(take(source), all[2]);
    EXPECT_EQ(take(source), all[5]);
    EXPECT_EQ(take(source), all[7]);
    EXPECT_FALSE(source.has_empty_block());
}

// ---- spans --------------------------------------------------------------------------------------

TEST_F(block_source_of, spans_grow_with_what_is_held) {
    detail::block_source source{{}, &pages, &owner};
    static_cast<void>(take(source, 160));
    // From 8 MiB on a sixteenth of what is held, as a power of two.
    std::size_t held = 0;
    for (const auto& r : pages.requests()) {
        EXPECT_EQ(r.bytes, held == 0       ? 64_KiB
                           : held < 8_MiB  ? 256_KiB
                           : held < 16_MiB ? 512_KiB
                           : held < 32_MiB ? 1_MiB
                                           : 2_MiB)
            << held;
        held += r.bytes;
    }
    EXPECT_GT(held, 32_MiB);
}

TEST_F(block_source_of, where_the_upstream_refuses_smaller_spans_are_tried) {
    pages.lend_at_most(300_KiB);
    detail::block_source source{{.block_bytes = 4_MiB}, &pages, &owner};
    EXPECT_EQ(take(source)->bytes(), 256_KiB);
    EXPECT_EQ(take(source), nullptr) << "44 KiB are less than a quarter of a block";
    pages.lend_at_most(256_KiB + 64_KiB);
    EXPECT_EQ(take(source)->bytes(), 64_KiB);
    EXPECT_EQ(source.bytes_reserved(), 320_KiB);
}

TEST_F(block_source_of, an_upstream_that_fails_changes_nothing) {
    up.fail_after(0);
    detail::block_source source{{}, &up, &owner};
    EXPECT_EQ(source.take_empty_block(), nullptr);
    EXPECT_EQ(source.try_allocate_large(100'000, 16), nullptr);
    EXPECT_EQ(source.bytes_reserved(), 0u);
    EXPECT_EQ(source.blocks().size(), 0u);
    up.never_fail();
    EXPECT_NE(source.take_empty_block(), nullptr);
}

// ---- giving back --------------------------------------------------------------------------------

TEST_F(block_source_of, a_span_goes_back_when_its_last_block_is_empty) {
    detail::block_source source{
        {.block_bytes = 1_MiB, .policy = return_policy::return_all}, &pages, &owner};
    const auto all = take(source, 8); // of two spans
    for (const std::size_t i : {0u, 6u, 3u, 1u})
        source.close_empty(*all[i], 0);
    EXPECT_EQ(pages.live(), 2u);
    source.close_empty(*all[2], 0);
    EXPECT_EQ(pages.live(), 1u);
    EXPECT_EQ(source.bytes_reserved(), 1_MiB);
    EXPECT_EQ(source.find(all[0]), nullptr);
    EXPECT_EQ(source.find(all[5]), all[5]);
    EXPECT_EQ(take(source), all[6]) << "what is empty in the other is used";
}

TEST_F(block_source_of, what_is_kept_shrinks_with_what_is_in_use) {
    detail::block_source source{
        {.block_bytes = 1_MiB, .policy = {.keep_bytes = 2_MiB, .keep_divisor = 2}}, &pages, &owner};
    const auto all = take(source, 32 * 4);
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::size_t in_use = (all.size() - i - 1) * 256_KiB;
        source.close_empty(*all[i], in_use);
        const std::size_t held = align_up(in_use, 1_MiB);
        EXPECT_LE(source.bytes_reserved(), held + std::max(2_MiB, in_use / 2) + 1_MiB);
        EXPECT_GE(source.bytes_reserved(), std::min(all.size() * 256_KiB, held + 2_MiB));
    }
    EXPECT_EQ(source.bytes_reserved(), 2_MiB);
}

TEST_F(block_source_of, what_is_kept_shrinks_whatever_lengths_its_spans_have) {
    const std::uint32_t seed = std::random_device{}();
    SCOPED_TRACE(seed);
    const return_policy policy{.keep_bytes = 0, .keep_divisor = 4};
    for (const int order : {1, 2, 3}) {
        SCOPED_TRACE(order);
        detail::block_source source{{.policy = policy}, &pages, &owner};
        auto all = take(source, 400); // the first 8 MiB of them in short spans
        if (order == 2)
            std::reverse(all.begin(), all.end());
        if (order == 3)
            std::shuffle(all.begin(), all.end(), std::mt19937{seed});
        std::map<const detail::block*, std::size_t> left; // of each span
        for (const detail::block* b : all)
            ++left[b->span];
        std::size_t in_spans_in_use = source.bytes_reserved();
        for (std::size_t i = 0; i < all.size(); ++i) {
            const std::size_t in_use = (all.size() - i - 1) * 256_KiB;
            const detail::block* const span = all[i]->span;
            const std::size_t bytes = span->span_bytes, before = source.bytes_reserved();
            source.close_empty(*all[i], in_use);
            if (--left[span] != 0)
                continue;
            in_spans_in_use -= bytes;
            // In no order, spans come free long after the allowance fell.
            if (order != 3 || before - source.bytes_reserved() < 2 * bytes) {
                EXPECT_LE(source.bytes_reserved(), in_spans_in_use + policy.allowance(in_use)) << i;
            }
        }
    }
}

TEST_F(block_source_of, the_highest_empty_span_goes_first) {
    detail::block_source source{
        {.block_bytes = 256_KiB, .policy = {.keep_bytes = 512_KiB, .keep_divisor = 0}},
        &pages,
        &owner};
    const auto all = take(source, 4);
    for (const std::size_t i : {1u, 3u, 0u})
        source.close_empty(*all[i], 0);
    EXPECT_EQ(source.find(all[3]), nullptr);
    EXPECT_EQ(source.find(all[0]), all[0]);
    EXPECT_EQ(source.find(all[1]), all[1]);
}

TEST_F(block_source_of, empty_spans_go_back_before_the_upstream_is_given_up) {
    pages.lend_at_most(1_MiB);
    detail::block_source source{{.policy = return_policy::retain_all}, &pages, &owner};
    const auto all = take(source, 4); // 64 KiB and three of 256 KiB
    give(source, all);
    EXPECT_EQ(pages.live_bytes(), 832_KiB);
    detail::block* const large = source.try_allocate_large(900'000, 16);
    ASSERT_NE(large, nullptr);
    EXPECT_EQ(pages.live(), 1u);
    source.deallocate_large(*large, 0);
    EXPECT_EQ(pages.live(), 1u) << "by this policy it stays";
    source.trim();
    EXPECT_EQ(pages.live(), 0u);
}

TEST_F(block_source_of, trim_gives_back_what_is_empty_and_leaves_the_rest) {
    detail::block_source source{{.policy = return_policy::retain_all}, &pages, &owner};
    const auto all = take(source, 30);
    detail::block* const large = source.try_allocate_large(1_MiB, 16);
    for (std::size_t i = 0; i < all.size(); ++i)
        if (i != 4 && i != 20)
            source.close_empty(*all[i], 0);
    source.trim();
    EXPECT_EQ(pages.live(), 3u);
    EXPECT_EQ(source.find(all[4]), all[4]);
    EXPECT_EQ(source.find(all[20]), all[20]);
    EXPECT_EQ(source.find(detail::block_source::large_object(*large)), large);
    EXPECT_EQ(source.bytes_reserved(), pages.live_bytes());
}

TEST_F(block_source_of, what_goes_by_itself_may_wait_at_the_source_of_pages) {
    for (const bool at_once : {false, true}) {
        page_resource slow{page_options{.reserve_bytes = 64_MiB, .delay_ms = 1'000'000}};
        const return_policy nothing{.keep_bytes = 0, .keep_divisor = 1'000'000};
        detail::block_source source{
            {.block_bytes = 256_KiB, .policy = at_once ? return_policy::return_all : nothing},
            &slow,
            &owner};
        detail::block* const b = take(source);
        detail::poison::undefined(b->at(b->granules / 2), 64_KiB); // as an owner hands it out
        std::memset(b->at(b->granules / 2), 1, 64_KiB);
        source.close_empty(*b, 0);
        EXPECT_EQ(slow.usage().bytes_in_use, 0u);
        EXPECT_EQ(platform::resident_bytes(b, 256_KiB) == 0, at_once);
        detail::block* const large = source.try_allocate_large(1_MiB, 16);
        std::memset(detail::block_source::large_object(*large), 1, 1_MiB);
        source.deallocate_large(*large, 0);
        EXPECT_EQ(slow.usage().bytes_in_use, 0u);
        EXPECT_EQ(platform::resident_bytes(b, 1_MiB) == 0, at_once);
    }
}

TEST_F(block_source_of, trim_lets_nothing_wait) {
    page_resource slow{page_options{.reserve_bytes = 64_MiB, .delay_ms = 1'000'000}};
    detail::block_source source{{.policy = return_policy::retain_all}, &slow, &owner};
    const auto all = take(source, 4);
    detail::block* const large = source.try_allocate_large(1_MiB, 16);
    std::memset(detail::block_source::large_object(*large), 1, 1_MiB);
    source.deallocate_large(*large, 0);
    give(source, all);
    source.trim();
    EXPECT_EQ(slow.usage().bytes_in_use, 0u);
    EXPECT_EQ(platform::resident_bytes(all[0], 4_MiB), 0u);
}

TEST_F(block_source_of, trim_reaches_what_went_back_before_and_waits) {
    page_resource slow{page_options{.reserve_bytes = 64_MiB, .delay_ms = 1'000'000}};
    detail::block_source source{{}, &slow, &owner};
    const auto all = take(source, 40);
    give(source, all);
    EXPECT_GT(slow.usage().bytes_reserved, slow.usage().bytes_in_use + 1_MiB);
    source.trim();
    EXPECT_EQ(slow.usage().bytes_in_use, 0u);
    // Its own tables, a few pages whatever their size.
    EXPECT_LT(slow.usage().bytes_reserved, 16 * detail::os::platform::page_bytes());
}

TEST_F(block_source_of, its_end_gives_everything_back_whatever_is_in_it) {
    for (const std::size_t block_bytes : {0_B, 4_KiB, 1_MiB}) {
        {
            detail::block_source source{{.block_bytes = block_bytes}, &up, &owner};
            static_cast<void>(take(source, 30));
            for (const std::size_t alignment : {8_B, 4_KiB, 64_KiB, 1_MiB})
                static_cast<void>(source.try_allocate_large(100'000, alignment));
            static_cast<void>(take(source, 30));
            EXPECT_GT(up.live(), 4u);
            EXPECT_EQ(source.bytes_reserved(), up.live_bytes());
        }
        EXPECT_EQ(up.live(), 0u);
    }
}

// ---- large objects ------------------------------------------------------------------------------

TEST_F(block_source_of, memory_kept_of_large_objects_goes_back_before_the_upstream_is_given_up) {
    pages.lend_at_most(3_MiB);
    detail::block_source source{{.policy = return_policy::retain_all}, &pages, &owner};
    source.deallocate_large(*source.try_allocate_large(2_MiB, 16), 0);
    detail::block* const other = source.try_allocate_large(2_MiB + 512_KiB, 16);
    ASSERT_NE(other, nullptr);
    source.deallocate_large(*other, 0);
    EXPECT_EQ(pages.live(), 1u);
} // what is kept goes back at the end: pages would report

TEST_F(block_source_of, that_may_not_grow_keeps_what_is_empty) {
    detail::block_source source{{.policy = return_policy::retain_all}, &up, &owner};
    give(source, take(source, 20));
    const std::size_t held = source.bytes_reserved();
    const std::size_t calls = up.calls();
    source.may_grow(false);
    EXPECT_EQ(source.try_allocate_large(300'000, 16), nullptr);
    EXPECT_EQ(source.bytes_reserved(), held) << "the upstream was not asked, and refused nothing";
    source.may_grow(true);
    EXPECT_EQ(up.calls(), calls);
    detail::block* const b = source.try_allocate_large(300'000, 16);
    ASSERT_NE(b, nullptr);
    source.deallocate_large(*b, 0);
}

TEST_F(block_source_of, blocks_get_the_memory_that_was_kept_of_large_objects) {
    pages.lend_at_most(800_KiB);
    detail::block_source source{
        {.block_bytes = 256_KiB, .policy = return_policy::retain_all}, &pages, &owner};
    source.deallocate_large(*source.try_allocate_large(650'000, 16), 0);
    EXPECT_EQ(pages.live(), 1u);
    EXPECT_NE(take(source), nullptr);
    EXPECT_EQ(pages.live_bytes(), 256_KiB);
}

TEST_F(block_source_of, a_large_object_is_aligned_and_led_to_its_head) {
    for (const std::size_t block_bytes : {0_B, 4_KiB}) {
        detail::block_source source{
            {.block_bytes = block_bytes, .policy = return_policy::return_all}, &pages, &owner};
        static_cast<void>(take(source, 3));
        const std::size_t before = source.bytes_reserved();
        for (std::size_t alignment = 1; alignment <= 16_MiB; alignment *= 2) {
            for (const std::size_t bytes : {8_B, 40'000_B, 512_KiB}) {
                detail::block* const large = source.try_allocate_large(bytes, alignment);
                ASSERT_NE(large, nullptr);
                std::byte* const p = detail::block_source::large_object(*large);
                EXPECT_TRUE(is_aligned(p, alignment)) << alignment;
                EXPECT_TRUE(is_aligned(p, detail::granule_bytes));
                EXPECT_EQ(detail::block_source::large_bytes(*large), bytes);
                EXPECT_EQ(&source.head_of(p), large);
                EXPECT_EQ(source.find(p), large);
                EXPECT_EQ(source.find(p + bytes - 1), large);
                EXPECT_NE(source.find(p + bytes), large);
                EXPECT_EQ(large->owner, &owner);
                pattern{1}.write(p, bytes);
                EXPECT_TRUE((pattern{1}.holds(p, bytes)));
                EXPECT_EQ(&source.head_of(p), large) << "it did not overlap its head";
                EXPECT_EQ(source.bytes_reserved(), pages.live_bytes());
                source.deallocate_large(*large, 0);
                EXPECT_EQ(source.bytes_reserved(), before);
                EXPECT_EQ(source.find(p), nullptr);
            }
        }
    }
}

TEST_F(block_source_of, a_large_object_that_nobody_has_is_refused) {
    detail::block_source source{{}, &pages, &owner};
    for (const std::size_t bytes : {size_max, size_max - 8, size_max - 64_KiB, size_max / 2 + 1})
        for (const std::size_t alignment : {8_B, 4_KiB, 1_GiB, support::largest_power})
            EXPECT_EQ(source.try_allocate_large(bytes, alignment), nullptr);
    EXPECT_EQ(source.try_allocate_large(8, support::largest_power), nullptr);
    EXPECT_EQ(source.bytes_reserved(), 0u);
    EXPECT_EQ(source.blocks().size(), 0u);
}

TEST_F(block_source_of, tells_what_of_the_newest_span_is_not_yet_cut) {
    detail::block_source source{{.block_bytes = 2_MiB}, &pages, &owner};
    EXPECT_TRUE(source.fresh().empty());
    const detail::block* const first = source.take_empty_block();
    EXPECT_EQ(source.fresh().size(), 2_MiB - source.mask_bytes());
    EXPECT_EQ(static_cast<const void*>(source.fresh().data()),
              static_cast<const void*>(reinterpret_cast<const std::byte*>(first) + first->bytes()));
}

TEST_F(block_source_of, a_pointer_leads_to_its_block_and_a_foreign_one_to_none) {
    detail::block_source source{{}, &pages, &owner};
    const auto all = take(source, 20);
    for (detail::block* b : all) {
        EXPECT_EQ(source.find(b), b);
        EXPECT_EQ(source.find(b->at(b->granules - 1)), b);
        EXPECT_EQ(&source.head_of(b + 1), b);
        EXPECT_EQ(&source.head_of(b->at(b->granules - 1)), b);
    }
    int here = 0;
    EXPECT_EQ(source.find(&here), nullptr);
    EXPECT_EQ(source.find(nullptr), nullptr);
    // The first span is a quarter of a block; what lies above it belongs to nobody.
    EXPECT_EQ(source.find(all[0]->at(0) + 64_KiB), nullptr);
}

} // namespace
