// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/block/detail/block_source.hpp>
#include <arenite/block/detail/large_objects.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/os/detail/platform.hpp>
#include <arenite/os/page_resource.hpp>

#include <gtest/gtest.h>

#include "support/counting_pages.hpp"
#include "support/counting_resource.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

using namespace arenite;
using detail::os::platform;
using support::counting_pages;
using support::counting_resource;

namespace {

constexpr std::size_t all_of_it = std::numeric_limits<std::size_t>::max();

/// A list and what an owner has beside it.
class large_objects_of : public testing::Test {
protected:
    counting_pages pages;
    counting_resource other;
    upstream from_pages{&pages};
    upstream from_other{&other};
    detail::block_list blocks;
    int owner = 0;

    [[nodiscard]] detail::large_objects on(const upstream& up, return_policy policy = {},
                                           bool prefault = false) {
        return {blocks, up, policy, 256_KiB, prefault, &owner};
    }
};

void fill(std::byte* p, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i)
        p[i] = static_cast<std::byte>(i * 7 + i / 4096);
}

bool is_filled(const std::byte* p, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i)
        if (p[i] != static_cast<std::byte>(i * 7 + i / 4096))
            return false;
    return true;
}

/// Filled to its last byte.
detail::block* touched(detail::large_objects& large, std::size_t bytes,
                       std::size_t alignment = 16) {
    detail::block* const b = large.try_allocate(bytes, alignment);
    if (b != nullptr)
        fill(detail::large_objects::object(*b), bytes);
    return b;
}

TEST_F(large_objects_of, are_counted_with_what_was_asked_for_them) {
    for (const upstream* up : {&from_pages, &from_other}) {
        detail::large_objects large = on(*up);
        std::vector<detail::block*> all;
        std::size_t sum = 0;
        for (const std::size_t bytes : {40'000_B, 256_KiB, 1_MiB, 3_MiB + 8, 14_MiB}) {
            all.push_back(touched(large, bytes));
            sum += bytes;
            EXPECT_EQ(detail::large_objects::size(*all.back()), bytes);
            EXPECT_EQ(all.back()->owner, &owner);
            EXPECT_EQ(large.bytes(), sum);
            EXPECT_EQ(large.count(), all.size());
            EXPECT_EQ(large.bytes_reserved(), pages.live_bytes() + other.live_bytes());
        }
        EXPECT_EQ(blocks.size(), all.size());
        for (detail::block* b : all)
            large.deallocate(*b, 0);
        EXPECT_EQ(large.bytes(), 0u);
        EXPECT_EQ(large.count(), 0u);
        EXPECT_EQ(large.bytes_reserved(), 0u);
        EXPECT_TRUE(blocks.empty());
    }
}

TEST_F(large_objects_of, have_addresses_to_grow_into_on_pages_and_none_elsewhere) {
    detail::large_objects on_pages = on(from_pages);
    detail::large_objects elsewhere = on(from_other);
    detail::large_objects prefaulted = on(from_pages, {}, true);
    for (std::size_t bytes = 33_KiB; bytes < 64_MiB; bytes = align_up(bytes * 9 / 8, 8)) {
        detail::block* const a = on_pages.try_allocate(bytes, 16);
        detail::block* const b = elsewhere.try_allocate(bytes, 16);
        detail::block* const c = prefaulted.try_allocate(bytes, 16);
        const std::size_t slack = detail::large_objects::slack(*a);
        const bool would_be_huge = bytes < 2_MiB && bytes + bytes / 4 >= 2_MiB;
        if (!would_be_huge) {
            EXPECT_GE(slack, bytes / 8) << bytes;
        }
        EXPECT_LE(slack, bytes / 4 + 6_KiB) << bytes;
        if (const std::size_t huge = platform::huge_page_bytes(); bytes + 8_KiB < huge) {
            EXPECT_LT(a->span_bytes, huge) << "slack makes no huge page of it";
        }
        EXPECT_LE(detail::large_objects::slack(*b), 4_KiB) << "for colours";
        EXPECT_LE(detail::large_objects::slack(*c), 4_KiB);
        on_pages.deallocate(*a, 0);
        elsewhere.deallocate(*b, 0);
        prefaulted.deallocate(*c, 0);
    }
}

TEST_F(large_objects_of, tell_whether_their_memory_is_zero) {
    page_resource slow{page_options{.reserve_bytes = 64_MiB, .delay_ms = 1'000'000}};
    const upstream up = &slow;
    detail::large_objects on_pages = on(up);
    detail::block* b = on_pages.try_allocate(500'000, 16);
    EXPECT_TRUE(detail::large_objects::is_zero(*b));
    fill(detail::large_objects::object(*b), 500'000);
    on_pages.deallocate(*b, 0);
    b = on_pages.try_allocate(500'000, 16);
    EXPECT_FALSE(detail::large_objects::is_zero(*b)) << "it waited with its contents";
    on_pages.deallocate(*b, 0);
    detail::large_objects elsewhere = on(from_other);
    b = elsewhere.try_allocate(500'000, 16);
    EXPECT_FALSE(detail::large_objects::is_zero(*b)) << "nobody knows";
    elsewhere.deallocate(*b, 0);
}

TEST_F(large_objects_of, take_memory_only_for_what_is_used) {
    detail::large_objects large = on(from_pages);
    for (const std::size_t bytes : {300_KiB, 1_MiB, 1_MiB + 900_KiB}) {
        detail::block* const b = touched(large, bytes);
        EXPECT_LE(pages.resident_bytes(), align_up(bytes, platform::page_bytes()) + 8_KiB) << bytes;
        large.deallocate(*b, 0);
    }
}

TEST_F(large_objects_of, grow_and_shrink_where_they_are) {
    for (const upstream* up : {&from_pages, &from_other}) {
        detail::large_objects large = on(*up);
        detail::block* const b = touched(large, 1_MiB);
        std::byte* const p = detail::large_objects::object(*b);
        const std::size_t room = 1_MiB + detail::large_objects::slack(*b);
        for (const std::size_t bytes : {room, 1_MiB - 8, room - 8, 600_KiB, room}) {
            const std::size_t kept = std::min(detail::large_objects::size(*b), bytes);
            ASSERT_TRUE(large.try_resize(*b, bytes));
            EXPECT_EQ(detail::large_objects::size(*b), bytes);
            EXPECT_EQ(large.bytes(), bytes);
            EXPECT_EQ(detail::large_objects::object(*b), p);
            EXPECT_TRUE(is_filled(p, kept));
            fill(p, bytes);
        }
        EXPECT_FALSE(large.try_resize(*b, room + 8));
        EXPECT_FALSE(large.try_resize(*b, 0));
        EXPECT_FALSE(large.try_resize(*b, all_of_it));
        EXPECT_EQ(detail::large_objects::size(*b), room);
        EXPECT_EQ(large.try_resize(*b, 64_KiB), up == &from_pages) << "others lend all or nothing";
        large.deallocate(*b, 0);
    }
}

TEST_F(large_objects_of, give_whole_pages_back_when_they_shrink) {
    const std::size_t page = platform::page_bytes();
    detail::large_objects large = on(from_pages);
    for (const std::size_t bytes : {1_MiB, 5_MiB}) {
        detail::block* const b = touched(large, bytes);
        ASSERT_TRUE(large.try_resize(*b, 64_KiB));
        EXPECT_LE(pages.resident_bytes(), 64_KiB + 2 * page);
        EXPECT_TRUE(is_filled(detail::large_objects::object(*b), 64_KiB));
        ASSERT_TRUE(large.try_resize(*b, bytes));
        fill(detail::large_objects::object(*b), bytes);
        large.deallocate(*b, 0);
    }
}

TEST_F(large_objects_of, that_grow_step_by_step_move_seldom_and_touch_their_pages_once) {
    page_resource slow{page_options{.delay_ms = 1'000'000}};
    const upstream up = &slow;
    detail::large_objects large = on(up);
    detail::block* b = touched(large, 40'000);
    int moves = 0;
    for (std::size_t bytes = 43'504; bytes < 14_MiB; bytes += 3504) {
        if (large.try_resize(*b, bytes))
            continue;
        detail::block* const next = touched(large, bytes);
        large.deallocate(*b, 0);
        b = next;
        ++moves;
    }
    EXPECT_LE(moves, 50);
    EXPECT_LE(slow.usage().bytes_reserved, 3 * 14_MiB) << "what it left serves it again";
    large.deallocate(*b, 0);
}

TEST_F(large_objects_of, leave_memory_of_other_upstreams_to_the_next_of_nearly_their_size) {
    detail::block_source source{{}, &other, &owner};
    detail::block* const first = source.try_allocate_large(1_MiB, 16);
    void* const memory = first->span;
    source.deallocate_large(*first, 0);
    EXPECT_EQ(other.live(), 1u);
    EXPECT_EQ(source.find(memory), nullptr);
    for (const std::size_t bytes : {1_MiB, 1_MiB - 64_KiB, 800_KiB}) {
        detail::block* const again = source.try_allocate_large(bytes, 16);
        EXPECT_EQ(again->span, memory) << bytes;
        EXPECT_EQ(detail::block_source::large_bytes(*again), bytes);
        EXPECT_EQ(other.calls(), 1u);
        EXPECT_EQ(source.bytes_reserved(), other.live_bytes());
        source.deallocate_large(*again, 0);
    }
    for (const std::size_t bytes : {2_MiB, 512_KiB}) // too large, and a waste
        source.deallocate_large(*source.try_allocate_large(bytes, 16), 0);
    EXPECT_EQ(other.calls(), 3u);
    EXPECT_EQ(source.bytes_reserved(), other.live_bytes());
    source.trim();
    EXPECT_EQ(other.live(), 0u);
    EXPECT_EQ(source.bytes_reserved(), 0u);
}

TEST_F(large_objects_of, leave_memory_to_the_next_of_their_alignment_alone) {
    detail::block_source source{{.policy = return_policy::retain_all}, &other, &owner};
    constexpr std::size_t wide = 1_MiB; // what lies in front of an object so aligned
    source.deallocate_large(*source.try_allocate_large(1_MiB + wide, 16), 0);
    detail::block* const aligned = source.try_allocate_large(1_MiB, wide);
    EXPECT_EQ(other.calls(), 2u) << "its length would do; its upstream is to get back what it lent";
    EXPECT_TRUE(is_aligned(detail::block_source::large_object(*aligned), wide));
    source.deallocate_large(*aligned, 0);
    source.deallocate_large(*source.try_allocate_large(1_MiB, wide), 0);
    EXPECT_EQ(other.calls(), 2u);
    source.deallocate_large(*source.try_allocate_large(2 * wide - 64_KiB, 16), 0);
    EXPECT_EQ(other.calls(), 2u) << "the first one's again";
    EXPECT_EQ(source.bytes_reserved(), other.live_bytes());
    source.trim();
    EXPECT_EQ(other.live(), 0u);
}

TEST_F(large_objects_of, what_is_kept_of_them_is_bounded_by_the_policy_and_in_number) {
    detail::block_source source{{.policy = {.keep_bytes = 8_MiB}}, &other, &owner};
    for (const std::size_t bytes : {3_MiB, 4_MiB, 5_MiB})
        source.deallocate_large(*source.try_allocate_large(bytes, 16), 0);
    EXPECT_LE(other.live_bytes(), 8_MiB);
    EXPECT_GE(other.live_bytes(), 5_MiB) << "the latest stays";
    source.deallocate_large(*source.try_allocate_large(20_MiB, 16), 0);
    EXPECT_EQ(other.live_bytes(), 0u);
    std::vector<detail::block*> all;
    for (std::size_t i = 0; i < 40; ++i)
        all.push_back(source.try_allocate_large(70_KiB, 16));
    for (detail::block* b : all)
        source.deallocate_large(*b, 0);
    EXPECT_EQ(other.live(), 16u);
}

TEST_F(large_objects_of, go_back_to_who_lends_pages_but_for_retain_all) {
    for (const bool retained : {false, true}) {
        detail::large_objects large =
            on(from_pages, retained ? return_policy::retain_all : return_policy{});
        detail::block* const b = touched(large, 1_MiB);
        void* const memory = b->span;
        large.deallocate(*b, all_of_it);
        EXPECT_EQ(pages.live(), retained ? 1u : 0u);
        EXPECT_EQ(large.bytes_kept() != 0, retained);
        detail::block* const again = large.try_allocate(1_MiB, 16);
        EXPECT_EQ(again->span, memory) << "either way it is used again";
        large.deallocate(*again, 0);
    }
}

TEST_F(large_objects_of, ask_for_no_slack_where_there_is_none) {
    pages.lend_at_most(1_MiB + 8_KiB);
    detail::large_objects large = on(from_pages);
    detail::block* const b = large.try_allocate(1_MiB, 16);
    ASSERT_NE(b, nullptr);
    EXPECT_EQ(large.try_allocate(1_MiB, 16), nullptr);
    EXPECT_EQ(large.count(), 1u);
    large.deallocate(*b, 0);
}

TEST_F(large_objects_of, the_smallest_kept_piece_that_fits_serves) {
    detail::block_source source{{.policy = return_policy::retain_all}, &other, &owner};
    detail::block* const smaller = source.try_allocate_large(1_MiB, 16);
    detail::block* const larger = source.try_allocate_large(1_MiB + 128_KiB, 16);
    void* const memory = smaller->span;
    source.deallocate_large(*smaller, 0);
    source.deallocate_large(*larger, 0);
    detail::block* const again = source.try_allocate_large(1_MiB - 64_KiB, 16);
    EXPECT_EQ(again->span, memory);
    source.deallocate_large(*again, 0);
}

/// Kept blocks and kept large objects share one bound, here of 512 KiB.
class large_objects_beside_blocks : public large_objects_of {
protected:
    detail::block_source source{
        {.block_bytes = 256_KiB, .policy = {.keep_bytes = 512_KiB}}, &other, &owner};

    void use_a_span() {
        detail::block* const b = source.take_empty_block();
        source.open(*b);
        source.close_empty(*b, 0);
    }
    void use_large_memory() { source.deallocate_large(*source.try_allocate_large(300_KiB, 16), 0); }
};

TEST_F(large_objects_beside_blocks, are_not_kept_where_empty_spans_leave_no_room) {
    use_a_span();
    use_large_memory();
    EXPECT_EQ(other.live(), 1u);
    EXPECT_EQ(other.live_bytes(), 256_KiB) << "the span stays";
}

TEST_F(large_objects_beside_blocks, go_before_a_span_does) {
    use_large_memory();
    EXPECT_EQ(other.live(), 1u);
    use_a_span();
    EXPECT_EQ(other.live_bytes(), 256_KiB) << "the span stays";
    use_a_span();
    EXPECT_EQ(other.calls(), 2u);
}

TEST_F(large_objects_of, give_a_page_back_where_it_is_the_only_one_that_is_free) {
    const std::size_t page = platform::page_bytes();
    detail::large_objects large = on(from_pages);
    detail::block* const b = touched(large, 1_MiB);
    const std::size_t before = pages.resident_bytes();
    ASSERT_TRUE(large.try_resize(*b, 1_MiB - page));
    EXPECT_EQ(pages.resident_bytes(), before - page);
    EXPECT_TRUE(is_filled(detail::large_objects::object(*b), 1_MiB - page));
    large.deallocate(*b, 0);
}

} // namespace
