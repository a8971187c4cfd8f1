// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/detail/poison.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/freelist/free_list_resource.hpp>

#include <gtest/gtest.h>

#include "support/addresses.hpp"
#include "support/counting_resource.hpp"
#include "support/overwritten_holes.hpp"
#include "support/piece.hpp"
#include "support/region_list.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

using namespace arenite;
using support::counting_resource;
using support::region_list;

namespace {

class free_list : public testing::Test {
protected:
    void SetUp() override {
        if (passthrough())
            GTEST_SKIP() << "each allocation is one of malloc's";
    }
    counting_resource up;
};

// a, hole of 64, b, hole of 32, c
template <class Test>
void with_two_holes(fit f, counting_resource& up, Test test) {
    free_list_resource r{1_MiB, f, &up};
    auto* const a = static_cast<std::byte*>(r.allocate(64));
    void* const large = r.allocate(64);
    void* const b = r.allocate(64);
    void* const small = r.allocate(32);
    void* const c = r.allocate(64);
    r.deallocate(large, 64);
    r.deallocate(small, 32);
    test(r, a);
    r.deallocate(a, 64);
    r.deallocate(b, 64);
    r.deallocate(c, 64);
}

TEST_F(free_list, first_fit_is_the_lowest_and_best_fit_the_smallest) {
    with_two_holes(fit::first, up, [](free_list_resource& r, std::byte* a) {
        void* const p = r.allocate(32);
        EXPECT_EQ(p, a + 64);
        r.deallocate(p, 32);
    });
    with_two_holes(fit::best, up, [](free_list_resource& r, std::byte* a) {
        void* const p = r.allocate(32);
        EXPECT_EQ(p, a + 192);
        r.deallocate(p, 32);
    });
}

TEST_F(free_list, what_alignment_leaves_before_an_allocation_stays_a_hole) {
    free_list_resource r{1_MiB, fit::best, &up};
    auto* const a = static_cast<std::byte*>(r.allocate(16));
    void* const aligned = r.allocate(256, 256);
    const std::size_t gap = static_cast<std::size_t>(static_cast<std::byte*>(aligned) - a) - 16;
    if (gap != 0) {
        void* const b = r.allocate(gap);
        EXPECT_EQ(b, a + 16);
        r.deallocate(b, gap);
    }
    r.deallocate(aligned, 256, 256);
    r.deallocate(a, 16);
    EXPECT_EQ(r.usage().bytes_in_use, 0u);
    EXPECT_EQ(r.fragmentation(), 0.0);
}

TEST_F(free_list, one_region_is_asked_for_at_the_first_request_and_given_back_by_trim) {
    free_list_resource r{64_KiB, fit::first, &up};
    EXPECT_EQ(up.calls(), 0u);
    EXPECT_EQ(r.usage(), usage{});
    void* const p = r.allocate(100);
    EXPECT_EQ(up.live_bytes(), 64_KiB);
    r.trim();
    EXPECT_EQ(up.live(), 1u) << "something lives in it";
    r.deallocate(p, 100);
    r.trim();
    EXPECT_EQ(up.live(), 0u);
    EXPECT_EQ(r.usage().bytes_reserved, 0u);
    void* const again = r.allocate(100);
    EXPECT_EQ(up.calls(), 2u);
    r.deallocate(again, 100);
}

TEST_F(free_list, all_of_the_region_but_its_bookkeeping_serves) {
    for (const std::size_t bytes : {1_KiB, 64_KiB, 1_MiB}) {
        free_list_resource r{bytes, fit::first, &up};
        void* const first = r.allocate(1);
        r.deallocate(first, 1);
        const std::size_t all = r.usage().largest_hole_bytes;
        EXPECT_GE(all + bytes / 40 + 640, bytes);
        void* const p = r.allocate(all);
        EXPECT_EQ(r.try_allocate(1), nullptr);
        EXPECT_EQ(r.usage().largest_hole_bytes, 0u);
        std::memset(p, 1, all);
        r.deallocate(p, all);
    }
}

TEST_F(free_list, a_region_too_small_for_its_bookkeeping_serves_nothing_and_asks_for_nothing) {
    std::vector<std::byte> buffer(2000);
    for (std::size_t bytes = 0; bytes < buffer.size(); ++bytes) {
        free_list_resource on_upstream{bytes, fit::first, &up};
        void* const p = on_upstream.try_allocate(1);
        EXPECT_EQ(p != nullptr, up.live() == 1) << bytes << " bytes";
        if (p != nullptr)
            on_upstream.deallocate(p, 1);
        for (std::size_t offset = 0; offset < 16; offset += 3) {
            const auto memory = std::span{buffer}.subspan(0, bytes);
            free_list_resource on_memory{memory.subspan(std::min(offset, bytes))};
            void* const q = on_memory.try_allocate(16);
            EXPECT_TRUE(p != nullptr || q == nullptr) << bytes << " bytes";
            if (q != nullptr) {
                EXPECT_GE(q, buffer.data());
                std::memset(q, 1, 16);
                on_memory.deallocate(q, 16);
            }
        }
    }
}

TEST_F(free_list, a_region_larger_than_it_can_count_is_used_as_far_as_that_goes) {
    up.fail_after(0);
    free_list_resource r{support::largest_power / 8, fit::first, &up};
    EXPECT_EQ(r.try_allocate(1), nullptr);
    EXPECT_EQ(up.failures(), 1u);
}

TEST_F(free_list, usage_and_fragmentation_are_exact) {
    free_list_resource r{64_KiB, fit::first, &up};
    void* const a = r.allocate(1);
    const std::size_t all = r.usage().largest_hole_bytes + 16;
    void* const b = r.allocate(1600);
    void* const c = r.allocate(16);
    EXPECT_EQ(r.usage(), (usage{.bytes_in_use = 1632,
                                .bytes_reserved = 64_KiB,
                                .high_water_bytes = 1632,
                                .live_allocations = 3,
                                .largest_hole_bytes = all - 1632}));
    EXPECT_EQ(r.fragmentation(), 0.0);
    r.deallocate(b, 1600);
    EXPECT_EQ(r.usage().high_water_bytes, 1632u);
    const auto top = static_cast<double>(all - 1632);
    EXPECT_DOUBLE_EQ(r.fragmentation(), 1 - top / (top + 1600));
    r.deallocate(a, 1);
    r.deallocate(c, 16);
}

// ---- misuse, found in every build ---------------------------------------------------------------

class free_list_death : public free_list {
protected:
    free_list_resource r{64_KiB, fit::first, &up};
    free_list_resource keeper{64_KiB, free_list_options{.sizes = sizes::kept, .name = "level"},
                              &up};
    free_list_resource other{64_KiB, fit::first, &up};
};

TEST_F(free_list_death, what_is_free_already_is_named_with_its_hole) {
    void* const a = r.allocate(100);
    void* const b = r.allocate(100);
    void* const c = r.allocate(100);
    const auto twice = [&](void* p) {
        r.deallocate(p, 100);
        r.deallocate(p, 100);
    };
    EXPECT_DEATH(twice(a), "is free already: it lies 0 bytes into the hole of 112 bytes at 0x");
    EXPECT_DEATH(twice(c), "is free already: nothing is alive at or above 0x");
    r.deallocate(a, 100);
    EXPECT_DEATH(twice(b), "is free already") << "within a larger hole";
    r.deallocate(b, 100);
    r.deallocate(c, 100);
    EXPECT_DEATH(r.deallocate(c, 100), "is free already");
}

TEST_F(free_list_death, memory_of_others_is_refused) {
    int on_the_stack = 0;
    void* const p = other.allocate(16);
    void* const q = r.allocate(16);
    EXPECT_DEATH(r.deallocate(&on_the_stack, 4), "is not of this resource");
    EXPECT_DEATH(r.deallocate(p, 16), "is not of this resource");
    EXPECT_DEATH(keeper.deallocate(p), "is not of this resource");
    other.deallocate(p, 16);
    r.deallocate(q, 16);
}

TEST_F(free_list_death, the_middle_of_an_allocation_is_named_with_its_begin) {
    auto* const a = static_cast<std::byte*>(r.allocate(100));
    EXPECT_DEATH(r.deallocate(a + 16, 84),
                 "points 16 bytes into the allocation of 112 bytes at 0x");
    EXPECT_DEATH(r.deallocate(a + 1, 99), "points 1 bytes into the allocation of 112 bytes at 0x");
    r.deallocate(a, 100);
}

TEST_F(free_list_death, a_size_that_ends_within_something_is_refused) {
    void* const a = r.allocate(100);
    void* const b = r.allocate(100);
    EXPECT_DEATH(r.deallocate(a, 96), "has 112 bytes, not 96");
    EXPECT_DEATH(r.deallocate(a, 128), "has 112 bytes, not 128");
    EXPECT_DEATH(r.deallocate(a, ~std::size_t{0} - 100), "has 112 bytes, not");
    if (checks_enabled) {
        EXPECT_DEATH(r.deallocate(a, 224), "has 112 bytes, not 224") << "it ends where b ends";
    }
    r.deallocate(a, 100);
    r.deallocate(b, 100);
}

TEST_F(free_list_death, with_kept_sizes_any_wrong_size_is_refused) {
    void* const a = keeper.allocate(24);
    void* const b = keeper.allocate(24);
    EXPECT_DEATH(
        keeper.deallocate(a, 56),
        "free_list_resource level \\(0x[0-9a-f]+\\): the allocation at 0x[0-9a-f]+ has 24 bytes, "
        "not 56");
    keeper.deallocate(a);
    keeper.deallocate(b, 24);
}

TEST_F(free_list_death, an_overwritten_header_is_named_with_its_neighbour) {
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
    keeper.deallocate(a);
    keeper.deallocate(b);
}

TEST_F(free_list_death, without_kept_sizes_there_are_none) {
    void* const a = r.allocate(24);
    EXPECT_DEATH(r.deallocate(a), "needs the size on a free_list_resource");
    EXPECT_DEATH(static_cast<void>(r.size_of(a)), "needs a free_list_resource of sizes::kept");
    r.deallocate(a, 24);
}

// Free memory is written to: the links of its list or tree, or its length at either end.
TEST_F(free_list_death, a_write_into_free_memory_is_found_by_checked_builds) {
    if (!checks_enabled)
        GTEST_SKIP() << "unchecked builds do not look";
    for (const fit order : {fit::first, fit::best}) {
        for (const std::size_t bytes : {96u, 2048u}) {
            free_list_resource r2{
                64_KiB, {.fit = order, .sizes = sizes::kept, .name = "level"}, &up};
            if (order == fit::best && bytes >= 1024) // in the tree
                support::expect_writes_into_holes_are_found(r2, "free_list_resource level", bytes,
                                                            {-8, 0});
            else
                support::expect_writes_into_holes_are_found(r2, "free_list_resource level", bytes,
                                                            {});
        }
    }
}

} // namespace
