// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/detail/poison.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/freelist/tlsf_resource.hpp>

#include <gtest/gtest.h>

#include "support/addresses.hpp"
#include "support/counting_resource.hpp"
#include "support/overwritten_holes.hpp"
#include "support/piece.hpp"
#include "support/region_list.hpp"

#include <cstddef>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

using namespace arenite;
using support::counting_resource;
using support::give;
using support::piece;
using support::region_list;
using support::take;

namespace {

class tlsf : public testing::Test {
protected:
    void SetUp() override {
        if (passthrough())
            GTEST_SKIP() << "each allocation is one of malloc's";
    }
    [[nodiscard]] std::span<std::byte> part(std::size_t first, std::size_t bytes) {
        return std::span{memory}.subspan(first, bytes);
    }
    counting_resource up;
    std::vector<std::byte> memory = std::vector<std::byte>(1_MiB);
};

TEST_F(tlsf, every_alignment_leaves_its_padding_free) {
    for (std::size_t alignment = 1; alignment <= 64_KiB; alignment *= 2) {
        tlsf_resource r{1_MiB, &up};
        const piece odd = take(r, 16);
        const piece aligned = take(r, 100, alignment);
        EXPECT_EQ(r.usage().bytes_in_use, 128u);
        EXPECT_TRUE(r.try_resize(aligned.p, 100, 200, alignment)) << "and has none to lose";
        r.deallocate(aligned.p, 200, alignment);
        give(r, odd);
        EXPECT_EQ(region_list{r}.count(region_state::free), 1u);
    }
}

TEST_F(tlsf, one_region_is_asked_for_at_the_first_request_and_given_back_by_trim) {
    tlsf_resource r{64_KiB, &up};
    EXPECT_EQ(up.calls(), 0u);
    EXPECT_EQ(r.usage(), usage{});
    EXPECT_EQ(r.capacity(), 64_KiB);
    const piece p = take(r, 100);
    EXPECT_EQ(up.live_bytes(), 64_KiB);
    EXPECT_EQ(r.capacity(), 64_KiB);
    EXPECT_EQ(r.usage().bytes_reserved, 64_KiB);
    EXPECT_EQ(r.try_allocate(64_KiB), nullptr);
    EXPECT_EQ(r.try_allocate(63_KiB), nullptr) << "it does not grow unless it is told to";
    r.trim();
    EXPECT_EQ(up.live(), 1u) << "something lives in it";
    give(r, p);
    r.trim();
    EXPECT_EQ(up.live(), 0u);
    EXPECT_EQ(r.usage().bytes_reserved, 0u);
}

TEST_F(tlsf, its_capacity_is_that_of_all_regions) {
    std::vector<std::byte> a(10'000), b(20'000);
    tlsf_resource r{std::span{a}};
    EXPECT_EQ(r.capacity(), a.size());
    ASSERT_TRUE(r.add_region(b));
    EXPECT_EQ(r.capacity(), a.size() + b.size());
    ASSERT_TRUE(r.remove_region(a));
    EXPECT_EQ(r.capacity(), b.size());
}

TEST_F(tlsf, one_that_grows_asks_for_more_and_keeps_one_empty_region_at_most) {
    tlsf_resource r{64_KiB, tlsf_options{.grow = true}, &up};
    std::vector<piece> all;
    for (int i = 0; i < 40; ++i)
        all.push_back(take(r, 10'000));
    all.push_back(take(r, 300'000)); // more than a region has
    EXPECT_GT(r.region_count(), 3u);
    EXPECT_EQ(r.usage().bytes_reserved, up.live_bytes());
    give(r, all);
    EXPECT_EQ(r.region_count(), 1u);
    EXPECT_EQ(up.live(), 1u);
    r.trim();
    EXPECT_EQ(up.live(), 0u);
}

TEST_F(tlsf, regions_of_the_users_are_added_and_removed) {
    tlsf_resource r{part(0, 64_KiB)};
    EXPECT_TRUE(r.add_region(part(128_KiB + 1, 64_KiB))) << "of any alignment";
    EXPECT_TRUE(r.add_region(part(64_KiB, 64_KiB))) << "beside the first";
    EXPECT_EQ(r.region_count(), 3u);
    std::vector<piece> all;
    while (void* const p = r.try_allocate(10'000))
        all.push_back({p, 10'000}), support::pattern{address_of(p)}.write(p, 10'000);
    EXPECT_EQ(all.size(), 18u) << "six in each";
    EXPECT_FALSE(r.remove_region(part(64_KiB, 64_KiB))) << "something lives in it";
    give(r, all);
    EXPECT_FALSE(r.remove_region(part(64_KiB, 32_KiB))) << "a part of a region";
    EXPECT_TRUE(r.remove_region(part(64_KiB, 64_KiB)));
    EXPECT_FALSE(r.remove_region(part(64_KiB, 64_KiB))) << "it is gone";
    std::memset(memory.data() + 64_KiB, 1, 64_KiB);
    EXPECT_FALSE(r.owns(memory.data() + 70_KiB));
    EXPECT_EQ(r.region_count(), 2u);
    give(r, take(r, 50'000));
}

// Also where each allocation is one of malloc's, which is why it is no tlsf.
TEST(tlsf_added_regions, that_were_added_can_be_removed_once) {
    std::vector<std::byte> memory(128_KiB);
    const std::span first = std::span{memory}.first(64_KiB),
                    second = std::span{memory}.last(64_KiB);
    tlsf_resource r{first};
    EXPECT_FALSE(r.add_region(first));
    EXPECT_FALSE(r.remove_region(second));
    EXPECT_TRUE(r.add_region(second));
    EXPECT_TRUE(r.remove_region(first));
    EXPECT_FALSE(r.remove_region(first));
    give(r, take(r, 10'000));
    EXPECT_TRUE(r.remove_region(second));
    EXPECT_EQ(r.try_allocate(1), nullptr);
}

TEST_F(tlsf, a_region_that_cannot_serve_is_refused_and_nothing_changes) {
    tlsf_resource r{part(64_KiB, 64_KiB)};
    const usage before = r.usage();
    EXPECT_FALSE(r.add_region({}));
    EXPECT_FALSE(r.add_region(part(0, 300))) << "too small for its bookkeeping";
    EXPECT_FALSE(r.add_region(part(64_KiB, 64_KiB))) << "added twice";
    EXPECT_FALSE(r.add_region(part(0, 64_KiB + 1))) << "it reaches into the one that is there";
    EXPECT_FALSE(r.add_region(part(128_KiB - 1, 64_KiB)));
    EXPECT_FALSE(r.add_region(part(0, 1_MiB))) << "it contains it";
    EXPECT_FALSE(r.add_region(part(70_KiB, 4_KiB))) << "it lies within";
    EXPECT_EQ(r.usage(), before);
    std::size_t added = 1;
    for (std::size_t i = 128_KiB; i + 4_KiB <= memory.size() && r.add_region(part(i, 4_KiB));
         i += 4_KiB)
        ++added;
    EXPECT_EQ(added, tlsf_resource::most_regions);
    EXPECT_EQ(r.region_count(), tlsf_resource::most_regions);
}

TEST_F(tlsf, a_buffer_too_small_for_its_bookkeeping_serves_nothing) {
    for (std::size_t bytes = 0; bytes < 1500; ++bytes) {
        tlsf_resource r{part(bytes % 16, bytes)};
        void* const p = r.try_allocate(1);
        EXPECT_EQ(p != nullptr, r.region_count() == 1) << bytes;
        if (p != nullptr)
            r.deallocate(p, 1);
        tlsf_resource lazy{bytes, &up};
        void* const q = lazy.try_allocate(1);
        EXPECT_EQ(q != nullptr, up.live() == 1) << bytes;
        if (q != nullptr)
            lazy.deallocate(q, 1);
    }
}

TEST_F(tlsf, the_bound_says_where_it_does_not_fit) {
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    EXPECT_EQ(tlsf_resource::bytes_needed({.bytes = most, .allocations = 1, .largest_bytes = 1}),
              most);
    EXPECT_EQ(
        tlsf_resource::bytes_needed({.bytes = 1, .allocations = most / 2, .largest_bytes = 1000}),
        most);
    EXPECT_EQ(tlsf_resource::bytes_needed({.bytes = support::gib_or(1024, 3_GiB),
                                           .allocations = 1,
                                           .largest_bytes = support::gib_or(1024, 3_GiB)}),
              most);
    // One allocation at a time needs itself and the bookkeeping.
    const std::size_t one =
        tlsf_resource::bytes_needed({.bytes = 10_KiB, .allocations = 1, .largest_bytes = 10_KiB});
    EXPECT_GE(one, 20_KiB);
    EXPECT_LE(one, 24_KiB);
}

TEST_F(tlsf, a_load_of_allocations_without_bytes_needs_little_and_is_served) {
    for (const sizes kept : {sizes::given, sizes::kept}) {
        const tlsf_load load{.bytes = 300, .allocations = 300, .largest_bytes = 0};
        const std::size_t bytes = tlsf_resource::bytes_needed(load, kept);
        ASSERT_LE(bytes, 40_KiB);
        std::vector<std::byte> region(bytes);
        tlsf_resource r{region, {.sizes = kept}};
        std::vector<void*> all(300);
        for (void*& p : all) {
            p = r.try_allocate(0, 1);
            ASSERT_NE(p, nullptr);
        }
        for (void* const p : all)
            r.deallocate(p, 0, 1);
    }
}

// ---- misuse, found in every build ---------------------------------------------------------------

class tlsf_death : public tlsf {
protected:
    tlsf_resource r{64_KiB, &up};
    tlsf_resource keeper{64_KiB, tlsf_options{.sizes = sizes::kept, .name = "level"}, &up};
    tlsf_resource other{64_KiB, &up};
};

TEST_F(tlsf_death, misuse_is_named_with_where_it_lies) {
    auto* const a = static_cast<std::byte*>(r.allocate(100));
    void* const b = r.allocate(100);
    void* const foreign = other.allocate(16);
    const auto twice = [&](void* p) {
        r.deallocate(p, 100);
        r.deallocate(p, 100);
    };
    EXPECT_DEATH(twice(a), "is free already: it lies 0 bytes into the hole of 112 bytes at 0x");
    EXPECT_DEATH(twice(b), "is free already: it lies 0 bytes into the hole of");
    EXPECT_DEATH(r.deallocate(foreign, 16), "is not of this resource");
    EXPECT_DEATH(keeper.deallocate(foreign), "is not of this resource");
    EXPECT_DEATH(r.deallocate(a + 16, 84),
                 "points 16 bytes into the allocation of 112 bytes at 0x");
    EXPECT_DEATH(r.deallocate(a, 96), "has 112 bytes, not 96");
    EXPECT_DEATH(r.deallocate(a, 128), "has 112 bytes, not 128");
    EXPECT_DEATH(r.deallocate(a, SIZE_MAX), "has 112 bytes, not");
    EXPECT_DEATH(r.deallocate(a, SIZE_MAX - 15), "has 112 bytes, not");
    if (checks_enabled) {
        EXPECT_DEATH(r.deallocate(a, 224), "has 112 bytes, not 224") << "it ends where b ends";
    }
    EXPECT_DEATH(r.deallocate(a), "needs the size on a tlsf_resource");
    EXPECT_DEATH(static_cast<void>(r.size_of(a)), "needs a tlsf_resource of sizes::kept");
    r.deallocate(a, 100);
    r.deallocate(b, 100);
    other.deallocate(foreign, 16);
}

TEST_F(tlsf_death, an_overwritten_header_is_named_with_its_neighbour) {
    auto* const a = static_cast<std::byte*>(keeper.allocate(24));
    auto* const b = static_cast<std::byte*>(keeper.allocate(24));
    EXPECT_DEATH(
        {
            detail::poison::undefined(a + 24, 8);
            std::memset(a + 24, 7, 8); // past its end
            keeper.deallocate(b);
        },
        "the header of the allocation at 0x[0-9a-f]+ was overwritten; its neighbour below is the "
        "allocation at 0x");
    EXPECT_DEATH(
        keeper.deallocate(a, 56),
        "tlsf_resource level \\(0x[0-9a-f]+\\): the allocation at 0x[0-9a-f]+ has 24 bytes, "
        "not 56");
    keeper.deallocate(a);
    keeper.deallocate(b);
}

// Free memory is written to: the links of its list or tree, or its length at either end.
TEST_F(tlsf_death, a_write_into_free_memory_is_found_by_checked_builds) {
    if (!checks_enabled)
        GTEST_SKIP() << "unchecked builds do not look";
    for (const std::size_t bytes : {96u, 2048u})
        support::expect_writes_into_holes_are_found(keeper, "tlsf_resource level", bytes, {-8, -4});
}

} // namespace
