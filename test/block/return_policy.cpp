// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/block/detail/block_source.hpp>
#include <arenite/block/return_policy.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/os/detail/platform.hpp>
#include <arenite/os/page_resource.hpp>

#include <gtest/gtest.h>

#include "support/counting_pages.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <set>
#include <utility>
#include <vector>

using namespace arenite;

namespace {

constexpr std::size_t all = std::numeric_limits<std::size_t>::max();

TEST(return_policy, keeps_by_default_2_mib_or_a_sixteenth_of_what_is_in_use) {
    constexpr return_policy policy;
    static_assert(policy.allowance(0) == 2_MiB);
    static_assert(policy.allowance(32_MiB) == 2_MiB);
    static_assert(policy.allowance(160_MiB) == 10_MiB);
    static_assert(policy.allowance(all) == all / 16);
}

TEST(return_policy, retain_all_keeps_everything) {
    static_assert(return_policy::retain_all.allowance(0) == all);
    static_assert(return_policy::retain_all.allowance(all) == all);
}

TEST(return_policy, return_all_keeps_nothing) {
    static_assert(return_policy::return_all.allowance(0) == 0);
    static_assert(return_policy::return_all.allowance(all) == 0);
}

TEST(return_policy, a_divisor_of_0_is_no_share) {
    constexpr return_policy policy{.keep_bytes = 1_MiB, .keep_divisor = 0};
    static_assert(policy.allowance(all) == 1_MiB);
}

TEST(return_policy, a_divisor_of_1_keeps_as_much_as_is_in_use) {
    constexpr return_policy policy{.keep_bytes = 0, .keep_divisor = 1};
    static_assert(policy.allowance(5_MiB) == 5_MiB);
    static_assert(policy.allowance(0) == 0);
}

TEST(return_policy, those_with_a_name_are_told_apart) {
    EXPECT_EQ(return_policy{}, return_policy{});
    EXPECT_NE(return_policy::retain_all, return_policy::return_all);
    EXPECT_NE(return_policy::retain_all, return_policy{});
    EXPECT_NE(return_policy::return_all, return_policy{});
}

TEST(return_policy, a_block_that_comes_back_takes_two_of_its_length_with_it_at_most) {
    support::counting_pages pages;
    int owner = 0;
    {
        detail::block_source source{
            {.block_bytes = 1_MiB, .policy = {.keep_bytes = 0, .keep_divisor = 1}}, &pages, &owner};
        std::vector<detail::block*> blocks(16 * 4);
        for (detail::block*& b : blocks) {
            b = source.take_empty_block();
            ASSERT_NE(b, nullptr);
            source.open(*b);
        }
        const std::size_t all_held = source.bytes_reserved();
        for (std::size_t i = 4; i < blocks.size(); ++i)
            source.close_empty(*blocks[i], 64_MiB);
        EXPECT_EQ(source.bytes_reserved(), all_held) << "as much is in use";
        const std::size_t before = pages.live();
        for (std::size_t i = 0; i < 4; ++i)
            source.close_empty(*blocks[i], 0);
        EXPECT_EQ(pages.live(), before - 2) << "no call takes long";
    }
    EXPECT_EQ(pages.live(), 0u);
}

/// A source with spans of 256 KiB to 2 MiB; its allowance is what a call says is in use.
class return_policy_of_spans : public testing::Test {
protected:
    static constexpr std::size_t all_bytes = 100_MiB;

    std::vector<detail::block*> take(std::size_t count) {
        std::vector<detail::block*> taken(count);
        for (detail::block*& b : taken) {
            b = source.take_empty_block();
            source.open(*b);
        }
        return taken;
    }
    void close(const detail::block* span, const std::vector<detail::block*>& blocks,
               std::size_t allowed) {
        std::size_t left = 0;
        for (const detail::block* b : blocks)
            left += b->span == span;
        for (detail::block* b : blocks)
            if (b->span == span)
                source.close_empty(*b, --left == 0 ? allowed : all_bytes);
    }

    support::counting_pages pages;
    int owner = 0;
    detail::block_source source{{.policy = {.keep_bytes = 0, .keep_divisor = 1}}, &pages, &owner};
};

TEST_F(return_policy_of_spans, twice_as_many_bytes_go_as_came_however_short_they_are) {
    const std::vector<detail::block*> blocks = take(400);
    std::set<detail::block*> short_spans;
    for (detail::block* b : blocks)
        if (b->span->span_bytes == 256_KiB)
            short_spans.insert(b->span);
    ASSERT_GE(short_spans.size(), 16u);
    for (const detail::block* span : short_spans)
        close(span, blocks, all_bytes);
    const detail::block* const last = blocks.back()->span;
    ASSERT_EQ(last->span_bytes, 2_MiB);
    const std::size_t before = pages.live();
    close(last, blocks, 0);
    EXPECT_EQ(pages.live(), before - 1 - 8) << "itself, and 2 MiB";
}

TEST_F(return_policy_of_spans, two_go_at_least_where_a_short_one_came) {
    const std::vector<detail::block*> blocks = take(400);
    std::set<detail::block*> long_spans;
    detail::block* one_short = nullptr;
    for (detail::block* b : blocks) {
        if (b->span->span_bytes == 2_MiB && b->span != blocks.back()->span)
            long_spans.insert(b->span);
        if (b->span->span_bytes == 256_KiB)
            one_short = b->span;
    }
    ASSERT_GE(long_spans.size(), 4u);
    ASSERT_NE(one_short, nullptr);
    for (const detail::block* span : long_spans)
        close(span, blocks, all_bytes);
    const std::size_t before = pages.live();
    close(one_short, blocks, 0);
    EXPECT_EQ(pages.live(), before - 2);
}

TEST_F(return_policy_of_spans, sixteen_go_at_most) {
    ASSERT_TRUE(source.try_reserve(32_MiB));
    const std::vector<detail::block*> blocks = take(400);
    detail::block* const reserved = blocks.front()->span;
    ASSERT_EQ(reserved->span_bytes, 32_MiB);
    std::set<detail::block*> others;
    for (detail::block* b : blocks)
        if (b->span != reserved)
            others.insert(b->span);
    for (const detail::block* span : others)
        close(span, blocks, all_bytes);
    const std::size_t before = pages.live();
    close(reserved, blocks, 0);
    EXPECT_EQ(pages.live(), before - 16) << "no call takes long";
}

/// One of two sources that do the same, of which the second asks what is in use.
struct source_that_is_asked {
    explicit source_that_is_asked(return_policy policy, upstream up)
        : source{
              {.policy = policy,
               .figures = {.in_use =
                               [](const void* self) noexcept {
                                   return static_cast<const source_that_is_asked*>(self)->in_use();
                               }}},
              up,
              this} {}
    [[nodiscard]] std::size_t in_use() const { return in_slots + source.large().bytes(); }

    std::size_t in_slots = 0;
    detail::block_source source;
    std::vector<detail::block*> large, small;
};

TEST(return_policy, a_source_that_asks_what_is_in_use_keeps_as_much_as_one_that_is_told) {
    const std::uint32_t seed = std::random_device{}();
    SCOPED_TRACE(seed);
    std::mt19937 random{seed};
    for (const return_policy policy :
         {return_policy{}, return_policy{.keep_bytes = 0, .keep_divisor = 4},
          return_policy{.keep_bytes = 1_MiB, .keep_divisor = 8}, return_policy::retain_all}) {
        for (const bool has_pages : {true, false}) {
            SCOPED_TRACE(has_pages);
            support::counting_pages pages[2];
            // Both lend the lowest address; not as pages, where only a resource is known.
            const auto up = [has_pages](support::counting_pages& from) {
                return has_pages ? upstream{&from} : upstream{static_cast<resource*>(&from)};
            };
            source_that_is_asked told{policy, up(pages[0])};
            source_that_is_asked asks{policy, up(pages[1])};
            ASSERT_EQ(up(pages[0]).purges(), has_pages);
            const auto began = std::chrono::steady_clock::now();
            for (int i = 0; i < 1000; ++i) {
                const std::size_t what = random() % 8, bytes = 64_KiB + random() % 200 * 8_KiB;
                const std::size_t requests = i / 250 % 2 == 0 ? 5 : 1; // of six
                const std::size_t in_slots = random() % 4 == 0 ? random() % 400 * 1_MiB : 0;
                for (source_that_is_asked* s : {&told, &asks}) {
                    s->in_slots = in_slots;
                    if (what < requests || (what < 6 && s->large.empty())) {
                        s->large.push_back(s->source.try_allocate_large_anywhere(bytes, 16));
                        ASSERT_NE(s->large.back(), nullptr);
                    } else if (what < 6) {
                        std::swap(s->large[bytes % s->large.size()], s->large.back());
                        if (s == &asks)
                            s->source.deallocate_large(*s->large.back());
                        else
                            s->source.deallocate_large(*s->large.back(), s->in_use());
                        s->large.pop_back();
                    } else if (what == 6 || s->small.empty()) {
                        s->small.push_back(s->source.take_empty_block());
                        s->source.open(*s->small.back());
                    } else {
                        s->source.close_empty(*s->small.back(), s->in_use());
                        s->small.pop_back();
                    }
                }
                if (std::chrono::steady_clock::now() - began > std::chrono::milliseconds{500})
                    break; // of one of them memory may have gone that was idle
                ASSERT_EQ(told.source.bytes_reserved(), asks.source.bytes_reserved()) << i;
                ASSERT_EQ(told.source.large().bytes_kept(), asks.source.large().bytes_kept()) << i;
                ASSERT_EQ(pages[0].purged_bytes(), pages[1].purged_bytes()) << i;
            }
        }
    }
}

TEST(return_policy, a_block_that_comes_back_lets_its_upstream_return_what_is_due) {
    static std::uint64_t the_time;
    the_time = 5000;
    page_options options{.reserve_bytes = 64_MiB, .delay_ms = 1000};
    options.now_ms = []() noexcept { return the_time; };
    page_resource pages{options};
    detail::block_source source{{.policy = return_policy::retain_all}, &pages, nullptr};
    detail::block* const b = source.take_empty_block();
    ASSERT_NE(b, nullptr);
    source.open(*b);
    void* const p = pages.allocate(1_MiB);
    std::memset(p, 1, 1_MiB);
    pages.deallocate(p, 1_MiB);
    the_time += 2000;
    EXPECT_EQ(detail::os::platform::resident_bytes(p, 1_MiB), 1_MiB);
    source.close_empty(*b, 0);
    EXPECT_LT(detail::os::platform::resident_bytes(p, 1_MiB), 1_MiB);
}

} // namespace
