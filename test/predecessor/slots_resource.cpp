// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/predecessor/slots_resource.hpp>

#include <arenite/check/passthrough.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/literals.hpp>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"
#include "support/region_list.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

using namespace arenite;

static_assert(Allocating<slots_resource>);
static_assert(Owning<slots_resource>);
static_assert(Trimmable<slots_resource>);
static_assert(Measurable<slots_resource>);
static_assert(Mappable<slots_resource>);
static_assert(Sizing<slots_resource>);
static_assert(sizeof(slots_resource) <= 896);

namespace {

std::byte* at(void* p) { return static_cast<std::byte*>(p); }

std::vector<void*> take(slots_resource& r, std::size_t n, std::size_t bytes,
                        std::size_t alignment = 8) {
    std::vector<void*> all(n);
    for (void*& p : all)
        p = r.allocate(bytes, alignment);
    return all;
}

void give(slots_resource& r, const std::vector<void*>& all) {
    for (void* p : all)
        r.deallocate(p);
}

TEST(slots_resource, objects_lie_side_by_side_and_nothing_is_added_to_them) {
    slots_resource r{};
    struct shape {
        std::size_t bytes, alignment, distance;
    };
    for (const shape s :
         {shape{4, 4, 4}, {6, 4, 8}, {24, 8, 24}, {25, 8, 32}, {24, 16, 32}, {1, 1, 4}}) {
        const auto all = take(r, 5, s.bytes, s.alignment);
        for (std::size_t i = 1; i < all.size(); ++i)
            EXPECT_EQ(at(all[i]), at(all[i - 1]) + s.distance) << s.bytes;
        EXPECT_EQ(r.size_of(all[0]), s.distance);
        give(r, all);
    }
}

TEST(slots_resource, the_best_fit_is_taken) {
    slots_resource r{};
    auto all = take(r, 100, 48);
    const auto free_run = [&](std::size_t first, std::size_t count) {
        for (std::size_t i = first; i < first + count; ++i)
            r.deallocate(std::exchange(all[i], nullptr));
    };
    free_run(50, 2);
    free_run(20, 3);
    free_run(10, 1);
    free_run(60, 30); // longer than any list
    const auto behind = [&](std::size_t i) { return static_cast<void*>(at(all[i]) + 48); };
    EXPECT_EQ(r.allocate(40, 8), behind(9));
    EXPECT_EQ(r.allocate(96, 8), behind(49));
    EXPECT_EQ(r.allocate(100, 8), behind(19));
    EXPECT_EQ(r.allocate(1100, 8), behind(59));
    for (const std::size_t i : {9u, 49u, 19u, 59u})
        r.deallocate(behind(i));
    all.erase(std::remove(all.begin(), all.end(), nullptr), all.end());
    give(r, all);
    EXPECT_EQ(r.usage().live_allocations, 0u);
}

TEST(slots_resource, neighbours_merge_in_every_order) {
    std::vector<std::size_t> order{0, 1, 2};
    do {
        slots_resource r{};
        auto all = take(r, 100, 32);
        for (const std::size_t i : order)
            r.deallocate(all[50 + i]);
        EXPECT_EQ(r.allocate(96, 8), all[50]) << order[0] << order[1] << order[2];
        all.erase(all.begin() + 51, all.begin() + 53);
        give(r, all);
    } while (std::next_permutation(order.begin(), order.end()));
}

// A longer slot that an alignment prefers is cut down below a shorter one, which is found all the
// same.
TEST(slots_resource, long_slots_stay_in_their_order) {
    slots_resource r{};
    void* const first = r.allocate(4, 4);
    void* const aligned = r.allocate(2600, 4096);
    const auto gap = static_cast<std::size_t>(at(aligned) - at(first)) - 4;
    void* const filling = r.allocate(gap, 4); // so that what is freed behind it stays aligned
    void* const wall = r.allocate(100, 4);
    void* const odd = r.allocate(2000, 4);
    void* const end = r.allocate(100, 4);
    ASSERT_EQ(filling, at(first) + 4);
    ASSERT_FALSE(is_aligned(odd, 4096));
    r.deallocate(aligned);
    r.deallocate(odd);
    EXPECT_EQ(r.allocate(1104, 4096), aligned); // leaves 1500
    EXPECT_EQ(r.allocate(1900, 4), odd);
    EXPECT_EQ(r.allocate(1400, 4), at(aligned) + 1104);
    give(r, {first, filling, wall, end, aligned, odd, at(aligned) + 1104});
    EXPECT_EQ(r.usage().live_allocations, 0u);
}

TEST(slots_resource, deallocate_needs_no_memory) {
    support::counting_resource up;
    slots_resource r{&up};
    auto all = take(r, 5000, 40);
    std::shuffle(all.begin(), all.end(), std::mt19937{1});
    up.fail_after(0);
    const std::size_t calls = up.calls();
    give(r, all);
    EXPECT_EQ(up.calls(), calls);
    EXPECT_EQ(r.usage().bytes_in_use, 0u);
}

TEST(slots_resource, the_maps_are_counted_and_go_with_the_last_slot) {
    support::counting_resource up;
    slots_resource r{&up};
    const auto all = take(r, 10'000, 24);
    EXPECT_EQ(r.usage().bytes_reserved, up.live_bytes());
    EXPECT_GE(r.usage().bytes_reserved, 10'000 * (24 + 48));
    give(r, all);
    r.trim();
    EXPECT_EQ(up.live(), 0u);
    EXPECT_EQ(r.usage().bytes_reserved, 0u);
}

TEST(slots_resource_death, the_size_of_what_is_no_begin_of_an_object_is_not_told) {
    slots_resource r{};
    slots_resource other{};
    const auto all = take(r, 3, 48);
    void* const large = r.allocate(1_MiB, 8);
    void* const theirs = other.allocate(48, 8);
    r.deallocate(all[1]);
    const char* const refused = "size_of.p. needs the begin of an allocation";
    EXPECT_DEATH(static_cast<void>(r.size_of(at(large) + 64)), refused);
    EXPECT_DEATH(static_cast<void>(r.size_of(at(large) + 768_KiB)), refused);
    EXPECT_DEATH(static_cast<void>(r.size_of(at(all[0]) + 8)), refused);
    EXPECT_DEATH(static_cast<void>(r.size_of(all[1])), refused);
    EXPECT_DEATH(static_cast<void>(r.size_of(theirs)), refused);
    give(r, {all[0], all[2], large});
    other.deallocate(theirs);
}

TEST(slots_resource_death, the_begin_of_a_block_is_no_object) {
    slots_resource r;
    void* const p = r.allocate(48);
    const support::region_list regions{r};
    void* const block = const_cast<void*>(static_cast<const void*>(regions.all().front().address));
    ASSERT_LT(block, p);
    EXPECT_DEATH(r.deallocate(block, 48, 8), "it is free already, or no allocation begins there");
    EXPECT_DEATH(r.deallocate(block), "it is free already, or no allocation begins there");
    EXPECT_DEATH(static_cast<void>(r.size_of(block)),
                 "size_of.p. needs the begin of an allocation");
    r.deallocate(p, 48);
}

TEST(slots_resource_death, a_checked_build_refuses_what_is_no_memory) {
    if (!checks_enabled || passthrough())
        GTEST_SKIP() << "there it is read";
    slots_resource r{};
    void* const p = r.allocate(48);
    void* const wild = reinterpret_cast<void*>(std::uintptr_t{4096});
    EXPECT_DEATH(r.deallocate(wild), "it does not point into memory of this resource");
    EXPECT_DEATH(r.deallocate(wild, 48, 8), "it does not point into memory of this resource");
    EXPECT_DEATH(static_cast<void>(r.size_of(wild)), "size_of.p. needs the begin of an allocation");
    r.deallocate(p, 48);
}

} // namespace
