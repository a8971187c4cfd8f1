// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/predecessor/intrusive_resource.hpp>

#include <arenite/check/detail/poison.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/os/detail/platform.hpp>

#include <gtest/gtest.h>

#include "support/counting_pages.hpp"
#include "support/counting_resource.hpp"
#include "support/region_list.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <random>
#include <vector>

using namespace arenite;
using support::region_list;

static_assert(Allocating<intrusive_resource>);
static_assert(Owning<intrusive_resource>);
static_assert(Trimmable<intrusive_resource>);
static_assert(Measurable<intrusive_resource>);
static_assert(Mappable<intrusive_resource>);
static_assert(Sizing<intrusive_resource>);
static_assert(sizeof(intrusive_resource) <= 896);

namespace {

constexpr std::size_t most = intrusive_resource::largest_bytes;
static_assert(most == ((1u << 15) - 2) * 4);

std::byte* at(void* p) { return static_cast<std::byte*>(p); }

std::vector<void*> take(intrusive_resource& r, std::size_t n, std::size_t bytes,
                        std::size_t alignment = 8) {
    std::vector<void*> all(n);
    for (void*& p : all)
        p = r.allocate(bytes, alignment);
    return all;
}

void give(intrusive_resource& r, const std::vector<void*>& all) {
    for (void* p : all)
        r.deallocate(p);
}

std::size_t descents(const std::vector<void*>& all) {
    std::size_t n = 0;
    for (std::size_t i = 1; i < all.size(); ++i)
        n += all[i] < all[i - 1] ? 1u : 0u;
    return n;
}

// ---- slots --------------------------------------------------------------------------------------

TEST(intrusive_resource, an_object_costs_four_bytes_more_up_to_its_alignment) {
    intrusive_resource r{};
    struct shape {
        std::size_t bytes, alignment, distance;
    };
    for (const shape s : {shape{4, 4, 8},
                          {8, 4, 12},
                          {24, 8, 32},
                          {28, 8, 32},
                          {29, 8, 40},
                          {48, 8, 56},
                          {48, 16, 64},
                          {12, 16, 16},
                          {1, 1, 8}}) {
        const auto all = take(r, 5, s.bytes, s.alignment);
        for (std::size_t i = 2; i < all.size(); ++i) // the first may lie in a hole
            EXPECT_EQ(at(all[i]), at(all[i - 1]) + s.distance) << s.bytes;
        EXPECT_EQ(r.size_of(all[0]), s.distance - 4);
        give(r, all);
    }
}

TEST(intrusive_resource, every_element_of_a_block_serves_at_every_alignment) {
    for (const std::size_t alignment : {std::size_t{4}, std::size_t{8}, std::size_t{16}}) {
        support::counting_pages pages;
        intrusive_resource r{{.block_bytes = 256_KiB, .alignment = alignment}, &pages};
        std::vector<void*> all;
        const std::size_t bytes = 60; // with its header 64
        do
            all.push_back(r.allocate(bytes, alignment));
        while (pages.calls() == 1);
        EXPECT_GE((all.size() - 1) * 64, 256_KiB - 512) << "alignment " << alignment;
        give(r, all);
    }
}

TEST(intrusive_resource, what_a_large_alignment_skips_serves_small_requests) {
    support::counting_pages pages;
    intrusive_resource r{{.block_bytes = 256_KiB}, &pages};
    const auto pages_of = take(r, 20, 100, 4096);
    const std::size_t asked = pages.calls();
    const auto small = take(r, 20 * 3900 / 32, 24, 8);
    EXPECT_EQ(pages.calls(), asked);
    give(r, pages_of);
    give(r, small);
    EXPECT_EQ(r.usage().bytes_in_use, 0u);
}

TEST(intrusive_resource, neighbours_merge_in_every_order) {
    std::vector<std::size_t> order{0, 1, 2};
    do {
        intrusive_resource r{{.block_bytes = 4_KiB}};
        auto all = take(r, 3840 / 32 - 1, 28); // all of a block
        for (const std::size_t i : order)
            r.deallocate(all[50 + i]);
        EXPECT_EQ(r.allocate(3 * 32 - 4, 8), all[50]) << order[0] << order[1] << order[2];
        all.erase(all.begin() + 51, all.begin() + 53);
        give(r, all);
    } while (std::next_permutation(order.begin(), order.end()));
}

TEST(intrusive_resource, slots_merge_up_to_the_largest_and_no_further) {
    intrusive_resource r{{.policy = return_policy::retain_all}};
    // More than one slot can be, in small ones of one block.
    const auto all = take(r, 256_KiB / 32, 28);
    give(r, all);
    std::size_t largest = 0;
    const region_list map{r};
    for (const region& x : map.all())
        largest = std::max(largest, x.state == region_state::free ? x.bytes : 0);
    EXPECT_GT(largest, most); // seen as a whole
    void* const p = r.allocate(most, 4);
    EXPECT_EQ(r.size_of(p), most);
    std::memset(p, 1, most);
    r.deallocate(p);
}

TEST(intrusive_resource, sizes_about_the_largest_slot_are_counted_as_they_are_with_any_alignment) {
    for (std::size_t alignment = 1; alignment <= 64; alignment *= 2) {
        for (std::size_t bytes = most - 80; bytes <= most + 16; ++bytes) {
            intrusive_resource r{{.block_bytes = 256_KiB}};
            void* const before = r.allocate(8, alignment); // opens a slot that has room for it
            void* const p = r.allocate(bytes, alignment);
            void* const after = r.allocate(8, alignment);
            EXPECT_EQ(r.usage().live_allocations, 3u);
            EXPECT_GE(r.usage().bytes_in_use, bytes + 16);
            EXPECT_LT(r.usage().bytes_in_use, bytes + 16 + 3 * 64) << bytes << ", " << alignment;
            EXPECT_GE(r.size_of(p), bytes);
            EXPECT_LT(r.size_of(p), bytes + 64) << bytes << ", " << alignment;
            r.deallocate(before, 8, alignment);
            r.deallocate(p, bytes, alignment);
            r.deallocate(after, 8, alignment);
            EXPECT_EQ(r.usage().bytes_in_use, 0u) << bytes << ", " << alignment;
            r.trim();
            EXPECT_EQ(r.usage().bytes_reserved, 0u) << bytes << ", " << alignment;
        }
    }
}

TEST(intrusive_resource, the_largest_slot_is_a_blocks_and_one_byte_more_is_not) {
    support::counting_pages pages;
    intrusive_resource r{{.block_bytes = 256_KiB}, &pages};
    void* const first = r.allocate(24, 8); // opens a block
    EXPECT_EQ(pages.calls(), 1u);
    void* const inside = r.allocate(most, 4);
    EXPECT_EQ(pages.calls(), 1u);
    EXPECT_EQ(r.size_of(inside), most);
    void* const large = r.allocate(most + 1, 4);
    EXPECT_EQ(pages.calls(), 2u);
    EXPECT_GE(r.size_of(large), most + 1);
    for (void* p : {first, inside, large})
        r.deallocate(p);
    EXPECT_EQ(r.usage().live_allocations, 0u);
}

// ---- order --------------------------------------------------------------------------------------

TEST(intrusive_resource, fresh_memory_comes_in_address_order) {
    intrusive_resource r{};
    std::vector<void*> all;
    for (std::size_t i = 0; i < 50'000; ++i)
        all.push_back(r.allocate(24 + i % 5 * 8, 8));
    EXPECT_EQ(descents(all), 0u);
    give(r, all);
}

TEST(intrusive_resource, a_subtree_taken_down_in_any_order_comes_back_in_address_order) {
    intrusive_resource r{};
    auto all = take(r, 10'000, 44);
    std::vector<void*> part(all.begin() + 2000, all.begin() + 4000);
    std::shuffle(part.begin(), part.end(), std::mt19937{3});
    give(r, part);
    r.deallocate(r.allocate(5000, 8)); // sees to what was only noted
    const auto again = take(r, 2000, 44);
    EXPECT_LE(descents(again), 2u);
    all.erase(all.begin() + 2000, all.begin() + 4000);
    give(r, all);
    give(r, again);
}

TEST(intrusive_resource, the_latest_object_freed_comes_again) {
    intrusive_resource r{};
    void* const a = r.allocate(24, 8);
    void* const b = r.allocate(40, 8);
    r.deallocate(b);
    EXPECT_EQ(r.allocate(40, 8), b);
    r.deallocate(b);
    EXPECT_EQ(r.allocate(100, 8), b);
    r.deallocate(b);
    r.deallocate(a);
}

// The seed walks one list of all free slots: with many small ones a larger request costs
// microseconds. Here it must be served from elsewhere without a look at each.
TEST(intrusive_resource, the_largest_hole_is_one_that_a_request_finds_whatever_the_alignment) {
    for (const std::size_t alignment : {4, 16, 32, 64}) {
        support::counting_resource up;
        intrusive_resource r{intrusive_options{.block_bytes = 65'536, .alignment = alignment}, up};
        void* const low = r.allocate(100, 1);
        void* const between = r.allocate(1000, 1);
        void* const high = r.allocate(100, 1);
        r.deallocate(between, 1000, 1);
        up.fail_after(0);
        const std::size_t hole = r.usage().largest_hole_bytes;
        void* const p = r.try_allocate(hole, 1);
        EXPECT_NE(p, nullptr) << hole << " bytes at " << alignment;
        if (p != nullptr)
            r.deallocate(p, hole, 1);
        r.deallocate(low, 100, 1);
        r.deallocate(high, 100, 1);
    }
}

TEST(intrusive_resource, many_small_holes_are_not_walked) {
    intrusive_resource r{};
    const auto all = take(r, 400'000, 28);
    for (std::size_t i = 0; i < all.size(); i += 2)
        r.deallocate(all[i]);
    const std::size_t reserved = r.usage().bytes_reserved;
    const auto longer = take(r, 1000, 60); // fits no hole
    EXPECT_LE(r.usage().bytes_reserved, reserved + 2_MiB);
    const auto same = take(r, 150'000, 28); // fits each
    EXPECT_LE(r.usage().bytes_reserved, reserved + 2_MiB);
    for (std::size_t i = 1; i < all.size(); i += 2)
        r.deallocate(all[i]);
    give(r, longer);
    give(r, same);
    EXPECT_EQ(r.usage().bytes_in_use, 0u);
}

// ---- misuse -------------------------------------------------------------------------------------

/// A page that can be read and written, in addresses of a block that can not.
struct lone_page {
    using platform = detail::os::platform;
    static constexpr std::size_t reserved = 1_MiB;

    std::byte* addresses = static_cast<std::byte*>(platform::reserve(reserved, reserved));
    std::byte* begin = addresses + 256_KiB - platform::page_bytes();

    lone_page() {
        if (!platform::commit(begin, platform::page_bytes()))
            std::abort();
    }
    lone_page(const lone_page&) = delete;
    lone_page& operator=(const lone_page&) = delete;
    ~lone_page() { platform::release(addresses, reserved); }
};

TEST(intrusive_resource_death, a_pointer_whose_block_is_no_memory_is_refused) {
    if (passthrough())
        GTEST_SKIP() << "there are no blocks";
    const lone_page page;
    intrusive_resource r{};
    void* const p = r.allocate(48);
    for (std::byte* const wild : {page.begin + 64, page.begin + 68, page.begin + 4000}) {
        EXPECT_DEATH(r.deallocate(wild), "was freed into intrusive_resource");
        EXPECT_DEATH(r.deallocate(wild, 48, 8), "was freed into intrusive_resource");
        EXPECT_DEATH(static_cast<void>(r.size_of(wild)),
                     "size_of.p. needs the begin of an allocation");
    }
    r.deallocate(p);
}

TEST(intrusive_resource_death, what_is_free_or_inside_a_large_object_has_no_size) {
    if (passthrough())
        GTEST_SKIP() << "malloc's sizes";
    intrusive_resource r{};
    const auto all = take(r, 3, 48);
    void* const large = r.allocate(1_MiB);
    std::memset(large, 0, 1_MiB);
    r.deallocate(all[1]);
    const char* const refused = "size_of.p. needs the begin of an allocation";
    EXPECT_DEATH(static_cast<void>(r.size_of(all[1])), refused);
    EXPECT_DEATH(static_cast<void>(r.size_of(at(large) + 64)), refused);
    EXPECT_DEATH(static_cast<void>(r.size_of(at(large) + 768_KiB)), refused);
    EXPECT_DEATH(r.deallocate(at(large) + 768_KiB), "was freed into intrusive_resource");
    EXPECT_GE(r.size_of(large), 1_MiB);
    give(r, {all[0], all[2], large});
}

TEST(intrusive_resource_death, the_begin_of_a_block_is_no_object) {
    if (passthrough())
        GTEST_SKIP() << "there are no blocks";
    intrusive_resource r{{.block_bytes = 512_KiB}}; // two blocks side by side
    const auto all = take(r, 400'000 / 68, 64);
    const std::uintptr_t second = align_down(address_of(all.back()), 256_KiB);
    ASSERT_LT(address_of(all.front()), second);
    void* const block = reinterpret_cast<void*>(second);
    EXPECT_DEATH(r.deallocate(block), "was freed into intrusive_resource");
    EXPECT_DEATH(r.deallocate(block, 48, 8), "was freed into intrusive_resource");
    EXPECT_DEATH(static_cast<void>(r.size_of(block)),
                 "size_of.p. needs the begin of an allocation");
    give(r, all);
}

TEST(intrusive_resource_death, a_checked_build_refuses_what_is_no_memory) {
    if (!checks_enabled || passthrough())
        GTEST_SKIP() << "there it is read";
    intrusive_resource r{};
    void* const p = r.allocate(48);
    void* const wild = reinterpret_cast<void*>(std::uintptr_t{4096});
    EXPECT_DEATH(r.deallocate(wild), "it does not point into memory of this resource");
    EXPECT_DEATH(static_cast<void>(r.size_of(wild)), "size_of.p. needs the begin of an allocation");
    r.deallocate(p);
}

} // namespace
