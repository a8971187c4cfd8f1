// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Which memory a block_source says it will fill, so that it may lie in huge pages.
#include <arenite/block/detail/block_source.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/os/detail/platform.hpp>
#include <arenite/os/page_resource.hpp>

#include "support/lending_recorder.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

using namespace arenite;
using detail::os::platform;
using support::lending_recorder;

namespace {

/// Options of an owner that has so much in use in another source.
std::size_t beside = 0;
constexpr detail::block_options has_beside{
    .figures = {.elsewhere = [](const void*) noexcept { return beside; }}};

TEST(block_source_pages, from_1_MiB_on_it_says_that_its_memory_will_be_filled) {
    lending_recorder lender;
    detail::block_source source{{}, &lender, nullptr};
    for (int i = 0; i < 20; ++i)
        source.open(*source.take_empty_block());
    std::size_t held = 0;
    for (const auto& [bytes, use] : lender.requests) {
        EXPECT_EQ(use == page_use::dense, held >= 1_MiB) << held;
        held += bytes;
    }
    EXPECT_GT(held, 2_MiB);
}

TEST(block_source_pages, it_does_not_say_so_where_little_of_what_it_holds_is_in_use) {
    static std::size_t in_use = 0;
    lending_recorder lender;
    detail::block_source source{
        {.figures = {.in_use = [](const void*) noexcept { return in_use; }}}, &lender, nullptr};
    const auto next_use = [&] {
        const std::size_t before = lender.requests.size();
        while (lender.requests.size() == before)
            source.open(*source.take_empty_block());
        return lender.requests.back().second;
    };
    in_use = 400_KiB;
    while (source.bytes_reserved() < 1_MiB + 256_KiB)
        EXPECT_EQ(next_use(), page_use::sparse) << source.bytes_reserved();
    EXPECT_EQ(next_use(), page_use::sparse) << "a quarter is in use, but not 512 KiB";
    in_use = 600_KiB;
    EXPECT_EQ(next_use(), page_use::dense) << "a quarter of all is in use";
    while (source.bytes_reserved() < 4_MiB)
        static_cast<void>(next_use());
    EXPECT_EQ(next_use(), page_use::sparse) << "less than a quarter is";
    in_use = 2_MiB;
    EXPECT_EQ(next_use(), page_use::dense);
}

TEST(block_source_pages, large_objects_leave_a_twelfth_of_what_is_held_unused_in_huge_pages) {
    if (platform::huge_page_bytes() != 2_MiB)
        GTEST_SKIP() << "huge pages of another size";
    for (const std::size_t bytes :
         {300_KiB, 525'000_B, 700'000_B, 1'000'000_B, 1_MiB, 3'000'000_B}) {
        lending_recorder lender;
        detail::block_source source{{}, &lender, nullptr};
        std::size_t unused = 0;
        std::size_t dense = 0;
        for (int i = 0; i < 100; ++i) {
            ASSERT_NE(source.try_allocate_large(bytes, 16), nullptr);
            const auto& [total, use] = lender.requests.back();
            if (use == page_use::sparse)
                continue;
            ++dense;
            unused += (bytes < 2_MiB ? align_up(total, 256_KiB) : align_up(total, 2_MiB)) - bytes;
        }
        EXPECT_LE(unused, source.bytes_reserved() / 12 + dense * 1_KiB) << bytes; // heads, colours
        if (bytes == 1'000'000) {
            EXPECT_GT(dense, 90u) << "they fill what they occupy";
        }
    }
}

TEST(block_source_pages, a_span_of_large_objects_that_ends_behind_huge_pages_ends_in_small_ones) {
    if (platform::huge_page_bytes() != 2_MiB)
        GTEST_SKIP() << "huge pages of another size";
    for (const std::size_t bytes : {700_KiB, 1_MiB}) {
        lending_recorder lender;
        beside = 64_MiB;
        detail::block_source source{has_beside, &lender, nullptr};
        ASSERT_NE(source.try_allocate_large_anywhere(bytes, 16), nullptr);
        const bool is_longer = bytes == 1_MiB;
        EXPECT_EQ(lender.requests.back().first, 8_MiB + (is_longer ? 64_KiB : 0));
        EXPECT_EQ(lender.requests.back().second == page_use::sparse, is_longer) << bytes;
    }
}

TEST(block_source_pages, a_small_source_has_a_span_for_large_objects_that_come_and_go) {
    lending_recorder lender;
    detail::block_source source{{}, &lender, nullptr};
    const auto come_and_go = [&](std::size_t bytes) {
        source.deallocate_large(*source.try_allocate_large_anywhere(bytes, 16), 0);
    };
    for (int i = 0; i < 4; ++i)
        come_and_go(100_KiB);
    EXPECT_EQ(lender.requests.size(), 4u) << "each has memory of its own";
    EXPECT_EQ(source.bytes_reserved(), 0u);
    for (int i = 0; i < 100; ++i)
        come_and_go(static_cast<std::size_t>(66 + i * 2) * 1_KiB);
    ASSERT_EQ(lender.requests.size(), 5u);
    EXPECT_EQ(lender.requests.back().second, page_use::sparse) << "a small program stays small";
    EXPECT_LE(source.bytes_reserved(), 576_KiB);

    // In rounds, too, of what fits in 1 MiB.
    source.trim();
    std::vector<detail::block*> all;
    for (int round = 0; round < 10; ++round) {
        const std::size_t before = lender.requests.size();
        for (int i = 0; i < 5; ++i)
            all.push_back(source.try_allocate_large_anywhere(200_KiB, 16));
        for (detail::block* b : std::exchange(all, {}))
            source.deallocate_large(*b, 0);
        EXPECT_TRUE(round == 0 || lender.requests.size() == before) << round;
        EXPECT_EQ(source.bytes_reserved(), 1_MiB);
    }
    source.trim();
    EXPECT_EQ(source.bytes_reserved(), 0u);
}

TEST(block_source_pages, large_objects_that_lived_on_leave_no_span_behind) {
    lending_recorder lender;
    beside = 64_MiB;
    detail::block_source source{has_beside, &lender, nullptr};
    std::vector<detail::block*> all;
    for (int i = 0; i < 60; ++i)
        all.push_back(source.try_allocate_large_anywhere(100_KiB, 16));
    const std::size_t reserved = source.bytes_reserved();
    EXPECT_TRUE(detail::large_objects::is_shared(*all.front()));
    while (all.size() > 16) { // the latest last
        source.deallocate_large(*all.front(), 0);
        all.erase(all.begin());
        EXPECT_FALSE(source.large().come_and_go());
    }
    EXPECT_EQ(source.bytes_reserved(), reserved);
    source.deallocate_large(*all[15], 0); // young: it was the last to come
    source.deallocate_large(*all[14], 0);
    source.deallocate_large(*source.try_allocate_large_anywhere(100_KiB, 16), 0);
    for (int i = 0; i < 20; ++i)
        static_cast<void>(source.try_allocate_large_anywhere(70_KiB, 16));
    for (int i = 0; i < 14; ++i)
        source.deallocate_large(*all[static_cast<std::size_t>(i)], 0);
    EXPECT_FALSE(source.large().come_and_go()) << "they are old by now";
}

TEST(block_source_pages, an_empty_span_stays_whatever_the_source_holds) {
    for (const std::size_t held : {0_MiB, 8_MiB, 16_MiB, 32_MiB, 64_MiB, 200_MiB})
        for (const std::size_t bytes : {66_KiB, 128_KiB, 200_KiB, 256_KiB}) {
            lending_recorder lender;
            beside = held;
            detail::block_source source{has_beside, &lender, nullptr};
            const auto come_and_go = [&] {
                source.deallocate_large(*source.try_allocate_large_anywhere(bytes, 16), held);
            };
            for (int i = 0; i < 10; ++i)
                come_and_go();
            const std::size_t before = lender.requests.size();
            for (int i = 0; i < 10; ++i)
                come_and_go();
            EXPECT_EQ(lender.requests.size(), before) << held << ", " << bytes;
        }
}

TEST(block_source_pages, many_sources_keep_little_in_empty_spans_of_large_objects) {
    lending_recorder lender;
    std::vector<std::unique_ptr<detail::block_source>> sources;
    const auto reserved = [&] {
        std::size_t sum = 0;
        for (const auto& s : sources)
            sum += s->bytes_reserved();
        return sum;
    };
    for (int i = 0; i < 100; ++i) {
        sources.push_back(
            std::make_unique<detail::block_source>(detail::block_options{}, &lender, nullptr));
        for (int n = 0; n < 10; ++n)
            sources.back()->deallocate_large(
                *sources.back()->try_allocate_large_anywhere(100_KiB, 16), 0);
        EXPECT_LE(reserved(), 8_MiB);
    }
    EXPECT_GE(reserved(), 7_MiB);
    sources.erase(sources.begin(), sources.begin() + 50); // others may have as much again
    for (int n = 0; n < 10; ++n)
        sources.back()->deallocate_large(*sources.back()->try_allocate_large_anywhere(100_KiB, 16),
                                         0);
    EXPECT_GE(sources.back()->bytes_reserved(), 512_KiB);
}

TEST(block_source_pages, empty_spans_of_large_objects_count_with_those_of_blocks) {
    lending_recorder lender;
    detail::block_source source{{}, &lender, nullptr};
    for (int i = 0; i < 8; ++i)
        source.deallocate_large(*source.try_allocate_large_anywhere(200_KiB, 16), 0);
    EXPECT_GE(source.large().bytes_kept(), 512_KiB);
    std::vector<detail::block*> blocks;
    for (int i = 0; i < 12; ++i)
        source.open(*blocks.emplace_back(source.take_empty_block()));
    for (detail::block* b : blocks)
        source.close_empty(*b, 0);
    EXPECT_LE(source.bytes_reserved(), 2_MiB) << "what the policy keeps, of both";
}

TEST(block_source_pages, an_empty_span_of_large_objects_goes_when_it_is_idle) {
    lending_recorder lender;
    for (const return_policy policy : {return_policy{}, return_policy::retain_all}) {
        detail::block_source source{{.policy = policy}, &lender, nullptr};
        for (int i = 0; i < 5; ++i)
            source.deallocate_large(*source.try_allocate_large_anywhere(100_KiB, 16), 0);
        const std::size_t reserved = source.bytes_reserved();
        EXPECT_GE(reserved, 100_KiB);
        const bool goes = policy != return_policy::retain_all;
        for (int i = 0; i < (goes ? 600 : 30) && source.bytes_reserved() != 0; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds{50});
            static_cast<void>(source.give_back_idle());
        }
        EXPECT_EQ(source.bytes_reserved(), goes ? 0 : reserved);
    }
}

TEST(block_source_pages, what_is_held_beside_counts_for_what_may_lie_in_huge_pages) {
    if (platform::huge_page_bytes() != 2_MiB)
        GTEST_SKIP() << "huge pages of another size";
    for (const bool much : {false, true}) {
        lending_recorder lender;
        beside = much ? 48_MiB : 0;
        detail::block_source source{has_beside, &lender, nullptr};
        ASSERT_NE(source.try_allocate_large_anywhere(100_KiB, 16), nullptr);
        EXPECT_EQ(lender.requests.back().first >= 512_KiB, much) << "a span to share";
        ASSERT_NE(source.try_allocate_large(3_MiB, 16), nullptr);
        EXPECT_EQ(lender.requests.back().second == page_use::dense, much);
        ASSERT_NE(source.take_empty_block(), nullptr);
        EXPECT_EQ(lender.requests.back().second, page_use::dense) << "3 MiB are its own";
    }
    lending_recorder lender;
    beside = 1_MiB;
    detail::block_source source{has_beside, &lender, nullptr};
    ASSERT_NE(source.take_empty_block(), nullptr);
    EXPECT_EQ(lender.requests.back().second, page_use::dense);
}

} // namespace
