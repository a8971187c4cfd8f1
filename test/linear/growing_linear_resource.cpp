// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/detail/poison.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/linear/growing_linear_resource.hpp>
#include <arenite/linear/scope.hpp>
#include <arenite/os/detail/platform.hpp>

#include <gtest/gtest.h>

#include "support/addresses.hpp"
#include "support/limits.hpp"
#include "support/mappings.hpp"
#include "support/pattern.hpp"
#include "support/region_list.hpp"

#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#if defined(__unix__) // see LIMITS_CAN_BE_TESTED
#include <sys/resource.h>
#endif

using namespace arenite;
using support::pattern;

namespace {

static_assert(Allocating<growing_linear_resource>);
static_assert(Owning<growing_linear_resource>);
static_assert(Resettable<growing_linear_resource>);
static_assert(Trimmable<growing_linear_resource>);
static_assert(Measurable<growing_linear_resource>);
static_assert(Markable<growing_linear_resource>);
static_assert(Mappable<growing_linear_resource>);
static_assert(!std::is_copy_constructible_v<growing_linear_resource>);
static_assert(std::is_convertible_v<growing_linear_resource&, linear_resource&>);

// These tests are of the region, also where the environment says that all goes to malloc.
class growing_region : public testing::Test {
protected:
    ~growing_region() override { detail::set_passthrough_for_test(passthrough_before_); }

private:
    bool passthrough_before_ = detail::set_passthrough_for_test(false);
};

TEST_F(growing_region, takes_nothing_before_the_first_request) {
    const std::size_t before = support::address_space_in_use();
    growing_linear_resource g{support::gib_or(64, 512_MiB)};
    EXPECT_EQ(g.committed(), 0u);
    EXPECT_EQ(g.usage(), usage{});
    EXPECT_LT(support::address_space_in_use(), before + support::gib_or(64, 512_MiB));
    static_cast<void>(g.allocate(1));
    EXPECT_GT(g.committed(), 0u);
    EXPECT_LE(g.committed(), 1_MiB) << "a small user stays small";
}

TEST_F(growing_region, has_plenty_of_addresses_where_none_are_chosen) {
    growing_linear_resource g{};
    EXPECT_EQ(g.capacity(), growing_linear_resource::default_address_space);
    EXPECT_NE(g.try_allocate(100), nullptr);
}

TEST_F(growing_region, grows_in_place_and_keeps_what_is_there) {
    growing_linear_resource g{support::gib_or(4, 256_MiB)};
    std::vector<void*> all;
    constexpr std::size_t bytes = 100'000;
    for (unsigned i = 0; i < 1000; ++i) { // about 100 MiB
        all.push_back(g.allocate(bytes, 8));
        pattern{i}.write(all.back(), bytes);
        if (i > 0) {
            ASSERT_EQ(static_cast<std::byte*>(all[i]), static_cast<std::byte*>(all[i - 1]) + bytes);
        }
    }
    for (unsigned i = 0; i < 1000; ++i)
        ASSERT_TRUE((pattern{i}.holds(all[i], bytes)));
    EXPECT_EQ(g.in_use(), 1000 * bytes);
    EXPECT_LT(g.committed(), g.in_use() + 40_MiB) << "no step is larger than 32 MiB";
    EXPECT_EQ(g.usage().bytes_reserved, g.committed());
}

TEST_F(growing_region, grows_in_few_steps) {
    growing_linear_resource g{support::gib_or(4, 256_MiB)};
    std::size_t steps = 0, committed = 0;
    while (g.in_use() < 256_MiB) {
        static_cast<void>(g.allocate(4096, 8));
        steps += g.committed() != committed ? 1u : 0u;
        committed = g.committed();
    }
    EXPECT_LE(steps, 20u);
}

TEST_F(growing_region, is_a_linear_resource_and_grows_as_such) {
    growing_linear_resource g{1_GiB};
    linear_resource& r = g;
    void* p = r.allocate(10_MiB);
    pattern{1}.write(p, 10_MiB);
    EXPECT_TRUE(g.owns(p));
    EXPECT_EQ(r.in_use(), g.in_use());
    EXPECT_EQ(r.capacity(), 1_GiB);
    {
        scope s{g};
        static_assert(std::is_same_v<decltype(s), scope<linear_resource>>);
        static_cast<void>(r.allocate(50_MiB));
    }
    EXPECT_EQ(g.in_use(), 10_MiB);
    EXPECT_EQ(g.high_water(), 60_MiB);
}

TEST_F(growing_region, resizes_past_what_is_committed) {
    growing_linear_resource g{1_GiB};
    void* p = g.allocate(10);
    EXPECT_TRUE(g.try_resize(p, 10, 20_MiB));
    pattern{1}.write(p, 20_MiB);
    EXPECT_FALSE(g.try_resize(p, 20_MiB, 1_GiB + 1));
    EXPECT_TRUE((pattern{1}.holds(p, 20_MiB)));
    g.deallocate(p, 20_MiB);
    EXPECT_EQ(g.in_use(), 0u);
}

TEST_F(growing_region, honours_every_alignment) {
    growing_linear_resource g{1_GiB};
    for (std::size_t alignment = 1; alignment <= 64_MiB; alignment *= 2) {
        void* p = g.allocate(1, alignment);
        EXPECT_TRUE(is_aligned(p, alignment));
        pattern{alignment}.write(p, 1);
    }
    growing_linear_resource first{64_MiB};
    EXPECT_TRUE(is_aligned(first.allocate(64_MiB, 4_MiB), 4_MiB)) << "without any padding";
}

TEST_F(growing_region, the_address_space_is_the_limit_to_the_last_byte) {
    for (const std::size_t capacity : {std::size_t{1}, std::size_t{5000}, 64_KiB, 3_MiB + 1}) {
        growing_linear_resource g{capacity};
        EXPECT_EQ(g.try_allocate(capacity + 1, 1), nullptr);
        EXPECT_EQ(g.committed(), 0u) << "what can't fit takes nothing";
        EXPECT_NE(g.try_allocate(1, 1), nullptr);
        if (capacity > 1) {
            EXPECT_EQ(g.try_allocate(capacity, 1), nullptr);
            EXPECT_NE(g.try_allocate(capacity - 1, 1), nullptr);
        }
        EXPECT_EQ(g.try_allocate(1, 1), nullptr);
        EXPECT_EQ(g.in_use(), capacity);
    }
}

TEST_F(growing_region, impossible_sizes_fail_and_change_nothing) {
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    for (const std::size_t capacity : {std::size_t{0}, detail::max_object_bytes, most}) {
        growing_linear_resource g{capacity};
        EXPECT_EQ(g.try_allocate(most, 1), nullptr);
        EXPECT_EQ(g.try_allocate(detail::max_object_bytes, 4096), nullptr);
        EXPECT_EQ(g.try_allocate(detail::max_object_bytes, support::largest_power), nullptr);
        EXPECT_EQ(g.in_use(), 0u);
        EXPECT_EQ(g.committed(), 0u);
        g.reset();
        g.trim();
    }
}

TEST_F(growing_region, takes_what_addresses_the_system_grants) {
    growing_linear_resource g{detail::max_object_bytes / 2}; // more than any processor has
    void* p = g.try_allocate(100);
    ASSERT_NE(p, nullptr);
    EXPECT_LT(g.capacity(), detail::max_object_bytes / 2);
    EXPECT_GE(g.capacity(), 1_GiB);
    pattern{1}.write(p, 100);
}

#if ARENITE_EXCEPTIONS
TEST_F(growing_region, may_reserve_at_construction) {
    growing_linear_resource g{1_GiB, growing_options{.eager = true}};
    EXPECT_GT(g.committed(), 0u);
    EXPECT_EQ(g.in_use(), 0u);
    EXPECT_THROW(growing_linear_resource(std::numeric_limits<std::size_t>::max(),
                                         growing_options{.eager = true}),
                 out_of_memory);
}
#endif

TEST_F(growing_region, memory_above_what_recent_rounds_needed_goes_back) {
    growing_linear_resource g{support::gib_or(4, 256_MiB)};
    const auto round = [&](std::size_t bytes) {
        void* p = g.allocate(bytes, 8);
        pattern{bytes}.write(p, bytes);
        g.reset();
    };
    round(200_MiB);
    EXPECT_GE(g.committed(), 200_MiB) << "it may be needed again";
    for (int i = 0; i < 15; ++i)
        round(1_MiB);
    EXPECT_GE(g.committed(), 200_MiB) << "the latest 16 rounds count";
    for (int i = 0; i < 17; ++i)
        round(1_MiB);
    EXPECT_LE(g.committed(), 8_MiB);
    EXPECT_EQ(g.high_water(), 200_MiB) << "is not forgotten";
    EXPECT_EQ(static_cast<linear_resource&>(g).high_water(), 200_MiB);
    round(100_MiB);
    EXPECT_GE(g.committed(), 100_MiB);
}

TEST_F(growing_region, memory_that_is_needed_now_and_then_stays) {
    growing_linear_resource g{support::gib_or(4, 256_MiB)};
    std::size_t committed = 0;
    for (int i = 0; i < 200; ++i) {
        static_cast<void>(g.allocate(i % 10 == 0 ? 100_MiB : 1000));
        if (i == 0)
            committed = g.committed();
        g.reset();
        ASSERT_EQ(g.committed(), committed) << "in round " << i;
    }
}

TEST_F(growing_region, a_rewind_to_the_beginning_ends_a_round_too) {
    growing_linear_resource g{support::gib_or(4, 256_MiB)};
    for (int i = 0; i < 40; ++i) {
        scope s{g};
        static_cast<void>(g.allocate(i == 0 ? 200_MiB : 1000));
        for (int k = 0; k < 50; ++k) {
            scope inner{g}; // which ends no round
            static_cast<void>(g.allocate(1000));
        }
    }
    EXPECT_LE(g.committed(), 8_MiB);
}

TEST_F(growing_region, what_was_decommitted_is_not_in_memory_and_comes_back) {
    growing_linear_resource g{1_GiB};
    auto* const p = static_cast<std::byte*>(g.allocate(100_MiB, 4096));
    detail::os::platform::prefault(p, 100_MiB);
    {
        const auto m = g.mark();
        static_cast<void>(m);
    }
    for (int i = 0; i < 40; ++i)
        g.reset();
    EXPECT_LE(g.committed(), 4_MiB);
    EXPECT_FALSE(support::readable(p + 50_MiB));
    EXPECT_TRUE(support::mapped(p + 50_MiB) || support::emulated()) << "the addresses stay";
    EXPECT_EQ(g.allocate(100_MiB, 4096), p);
    pattern{3}.write(p, 100_MiB);
    EXPECT_TRUE((pattern{3}.holds(p, 100_MiB)));
}

TEST_F(growing_region, trim_gives_back_what_is_above_the_top_and_all_of_an_empty_one) {
    growing_linear_resource g{1_GiB};
    void* p = g.allocate(1000);
    pattern{1}.write(p, 1000);
    {
        scope s{g};
        static_cast<void>(g.allocate(50_MiB));
    }
    EXPECT_GE(g.committed(), 50_MiB);
    g.trim();
    EXPECT_LE(g.committed(), 64_KiB);
    EXPECT_TRUE((pattern{1}.holds(p, 1000)));
    linear_resource& r = g;
    r.reset();
    r.trim();
    EXPECT_EQ(g.committed(), 0u);
    EXPECT_FALSE(support::mapped(p));
    EXPECT_EQ(g.usage().high_water_bytes, g.high_water());
    EXPECT_GE(g.high_water(), 50_MiB);
    static_cast<void>(g.allocate(1000));
}

TEST_F(growing_region, asks_for_huge_pages_only_where_it_is_large) {
    const std::size_t huge = detail::os::platform::huge_page_bytes();
    if (huge == 0 || support::emulated())
        GTEST_SKIP() << "there are none here";
    growing_linear_resource g{1_GiB};
    auto* const p = static_cast<std::byte*>(g.allocate(1));
    static_cast<void>(g.allocate(10 * huge));
    const std::string none = support::mapping_flags(p);
    if (none.empty())
        GTEST_SKIP() << "the system does not tell";
    EXPECT_EQ(none.find(" hg "), std::string::npos);
    EXPECT_NE(support::mapping_flags(p + 3 * huge).find(" hg "), std::string::npos);
    growing_linear_resource never{1_GiB, growing_options{.huge = huge_pages::never}};
    auto* const q = static_cast<std::byte*>(never.allocate(10 * huge));
    EXPECT_EQ(support::mapping_flags(q + 3 * huge).find(" hg "), std::string::npos);
    growing_linear_resource always{1_GiB, growing_options{.huge = huge_pages::always}};
    EXPECT_NE(support::mapping_flags(always.allocate(1)).find(" hg "), std::string::npos);
}

TEST_F(growing_region, only_what_is_allocated_is_accessible) {
    if (!detail::poison::reports_access())
        GTEST_SKIP() << "no memory checker at work";
    growing_linear_resource g{1_GiB};
    auto* const p = static_cast<std::byte*>(g.allocate(64));
    EXPECT_TRUE(detail::poison::accessible(p, 64));
    EXPECT_FALSE(detail::poison::accessible(p + 64, 1));
    g.reset();
    EXPECT_FALSE(detail::poison::accessible(p, 1));
}

TEST_F(growing_region, lists_its_memory_and_then_its_addresses) {
    growing_linear_resource g{1_GiB};
    static_cast<void>(g.allocate(1000, 1));
    const support::region_list list{g};
    EXPECT_EQ(list.bytes(), 1_GiB);
    EXPECT_EQ(list.bytes(region_state::used), 1000u);
    EXPECT_EQ(list.bytes(region_state::untouched), 1_GiB - 1000);
}

TEST(growing_linear_resource, with_passthrough_goes_to_malloc) {
    const bool before = detail::set_passthrough_for_test(true);
    {
        growing_linear_resource g{1_GiB, growing_options{.eager = true}};
        EXPECT_EQ(g.committed(), 0u);
        void* p = g.allocate(100);
        EXPECT_TRUE(g.owns(p));
        EXPECT_EQ(g.try_allocate(1_GiB), nullptr) << "the capacity holds";
        {
            scope s{g};
            static_cast<void>(g.allocate(100));
        }
        EXPECT_EQ(g.in_use(), 100u);
        g.deallocate(p, 100);
        static_cast<void>(g.allocate(50));
        g.reset();
        EXPECT_EQ(g.in_use(), 0u);
        EXPECT_EQ(g.high_water(), 200u);
        g.trim();
        EXPECT_EQ(g.committed(), 0u);
    }
    detail::set_passthrough_for_test(before);
}

#if LIMITS_CAN_BE_TESTED
// In a child: as `ulimit -v` does.
[[noreturn]] void grow_within_addresses(std::size_t more) {
    const std::size_t most = support::address_space_in_use() + more;
    const rlimit limit{most, most};
    if (::setrlimit(RLIMIT_AS, &limit) != 0)
        std::_Exit(77);
    growing_linear_resource g{support::gib_or(64, 512_MiB)};
    void* const p = g.try_allocate(1000);
    if (p == nullptr || g.capacity() > more || g.capacity() < more / 4)
        std::_Exit(1);
    if (g.try_allocate(more) != nullptr || g.try_allocate(g.capacity() / 2) == nullptr)
        std::_Exit(2);
    std::_Exit(0);
}

// In a child: as `ulimit -d` does, which the system heeds where memory is committed.
[[noreturn]] void grow_within_memory(std::size_t more) {
    std::size_t now = 0;
    std::ifstream status{"/proc/self/status"};
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmData:"))
            now = std::strtoull(line.c_str() + 7, nullptr, 10) * 1024;
    const rlimit limit{now + more, now + more};
    if (::setrlimit(RLIMIT_DATA, &limit) != 0)
        std::_Exit(77);
    growing_linear_resource g{support::gib_or(64, 512_MiB)};
    std::vector<void*> all;
    while (void* p = g.try_allocate(64_KiB, 8)) {
        pattern{all.size()}.write(p, 64_KiB);
        all.push_back(p);
        if (all.size() * 64_KiB > more)
            std::_Exit(77); // this system knows no such limit
    }
    if (all.size() * 64_KiB < more - 2_MiB)
        std::_Exit(1); // a step of growth was refused, and then less was not asked for
    if (g.in_use() != all.size() * 64_KiB || g.try_allocate(64_KiB, 8) != nullptr)
        std::_Exit(2);
    for (std::size_t i = 0; i < all.size(); ++i)
        if (!pattern{i}.holds(all[i], 64_KiB))
            std::_Exit(3);
    g.reset();
    std::_Exit(g.try_allocate(1_MiB) != nullptr ? 0 : 4);
}

TEST(growing_linear_resource_death, lives_within_the_addresses_that_are_allowed) {
    if (support::emulated() || passthrough())
        GTEST_SKIP() << "an emulator ignores limits, and passthrough needs no addresses";
    EXPECT_EXIT(grow_within_addresses(1_GiB), testing::ExitedWithCode(0), "");
}

TEST(growing_linear_resource_death, where_memory_ends_it_has_had_nearly_all_and_fails_cleanly) {
    if (support::emulated() || passthrough())
        GTEST_SKIP() << "an emulator ignores limits, and passthrough commits nothing";
    const auto good = [](int status) {
        return testing::ExitedWithCode(0)(status) || testing::ExitedWithCode(77)(status);
    };
    EXPECT_EXIT(grow_within_memory(40_MiB), good, "");
}
#endif

TEST(growing_linear_resource_death, a_checked_build_refuses_markers_that_a_reset_has_passed) {
    if constexpr (checks_enabled) {
        growing_linear_resource g{1_GiB};
        static_cast<void>(g.allocate(10));
        const auto m = g.mark();
        g.reset();
        EXPECT_DEATH(g.rewind(m), "a rewind or reset has passed it");
        growing_linear_resource other{1_GiB};
        EXPECT_DEATH(other.rewind(m), "another resource");
    } else {
        GTEST_SKIP() << "only a checked build finds it at once";
    }
}

} // namespace
