// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/block/detail/block_source.hpp>
#include <arenite/block/return_policy.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/os/detail/platform.hpp>
#include <arenite/os/page_resource.hpp>

#include <gtest/gtest.h>

#include "support/counting_pages.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
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
