// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Which memory a block_source says it will fill, so that it may lie in huge pages.
#include <arenite/block/detail/block_source.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/os/detail/platform.hpp>
#include <arenite/os/page_resource.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <utility>
#include <vector>

using namespace arenite;
using detail::os::platform;

namespace {

/// Lends pages, and remembers how it was asked.
class lending_recorder final : public resource_base<lending_recorder> {
public:
    std::vector<std::pair<std::size_t, page_use>> requests;

    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = default_alignment) noexcept {
        return lend(bytes, alignment, page_use::sparse).p;
    }
    [[nodiscard]] lent_memory lend(std::size_t bytes, std::size_t alignment,
                                   page_use use) noexcept {
        requests.emplace_back(bytes, use);
        return pages_.lend(bytes, alignment, use);
    }
    void deallocate(void* p, std::size_t bytes,
                    std::size_t alignment = default_alignment) noexcept {
        pages_.deallocate(p, bytes, alignment);
    }
    void release(void* p, std::size_t bytes, std::size_t alignment = default_alignment) noexcept {
        pages_.release(p, bytes, alignment);
    }
    void purge(void* p, std::size_t bytes) noexcept { pages_.purge(p, bytes); }

private:
    page_resource pages_{page_options{.reserve_bytes = std::size_t{1} << 30}};
};

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
        detail::block_source source{{}, &lender, nullptr};
        source.set_held_elsewhere(64_MiB);
        ASSERT_NE(source.try_allocate_large_anywhere(bytes, 16), nullptr);
        const bool is_longer = bytes == 1_MiB;
        EXPECT_EQ(lender.requests.back().first, 8_MiB + (is_longer ? 64_KiB : 0));
        EXPECT_EQ(lender.requests.back().second == page_use::sparse, is_longer) << bytes;
    }
}

TEST(block_source_pages, what_is_held_beside_counts_for_what_may_lie_in_huge_pages) {
    if (platform::huge_page_bytes() != 2_MiB)
        GTEST_SKIP() << "huge pages of another size";
    for (const bool beside : {false, true}) {
        lending_recorder lender;
        detail::block_source source{{}, &lender, nullptr};
        if (beside)
            source.set_held_elsewhere(48_MiB);
        ASSERT_NE(source.try_allocate_large_anywhere(100_KiB, 16), nullptr);
        EXPECT_EQ(lender.requests.back().first >= 512_KiB, beside) << "a span to share";
        ASSERT_NE(source.try_allocate_large(3_MiB, 16), nullptr);
        EXPECT_EQ(lender.requests.back().second == page_use::dense, beside);
        ASSERT_NE(source.take_empty_block(), nullptr);
        EXPECT_EQ(lender.requests.back().second, page_use::dense) << "3 MiB are its own";
    }
    lending_recorder lender;
    detail::block_source source{{}, &lender, nullptr};
    source.set_held_elsewhere(1_MiB);
    ASSERT_NE(source.take_empty_block(), nullptr);
    EXPECT_EQ(lender.requests.back().second, page_use::dense);
}

} // namespace
