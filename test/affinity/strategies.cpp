// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The promises of both strategies after VulkanSceneGraph's, and known defects of its allocators.
#include <arenite/predecessor/intrusive_resource.hpp>
#include <arenite/predecessor/slots_resource.hpp>

#include <arenite/check/detail/poison.hpp>
#include <arenite/check/leak.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/report/memory_map.hpp>

#include <gtest/gtest.h>

#include "support/counting_pages.hpp"
#include "support/counting_resource.hpp"
#include "support/pattern.hpp"
#include "support/region_list.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <random>
#include <vector>

using namespace arenite;
using support::counting_pages;
using support::counting_resource;
using support::pattern;
using support::region_list;

namespace {

constexpr std::size_t size_max = std::numeric_limits<std::size_t>::max();

template <class R>
struct strategy_of;
template <>
struct strategy_of<intrusive_resource> {
    using options = intrusive_options;
    static constexpr const char* name = "intrusive_resource";
    static constexpr std::size_t header_bytes = 4;
    static constexpr std::size_t head_bytes = 512; // at most, of a block of 256 KiB
};
template <>
struct strategy_of<slots_resource> {
    using options = slots_options;
    static constexpr const char* name = "slots_resource";
    static constexpr std::size_t header_bytes = 0;
    static constexpr std::size_t head_bytes = 8704;
};

template <class R>
class strategies : public testing::Test {
protected:
    using of = strategy_of<R>;
    using options = typename of::options;

    struct piece {
        void* p;
        std::size_t bytes;
        std::size_t alignment;
    };

    static piece take(R& r, std::size_t bytes, std::size_t alignment) {
        void* const p = r.allocate(bytes, alignment);
        EXPECT_TRUE(is_aligned(p, alignment)) << bytes << " bytes, alignment " << alignment;
        pattern{address_of(p)}.write(p, bytes);
        return {p, bytes, alignment};
    }
    static void give(R& r, const piece& x) {
        EXPECT_TRUE(pattern{address_of(x.p)}.holds(x.p, x.bytes));
        r.deallocate(x.p, x.bytes, x.alignment);
    }
    static void give(R& r, const std::vector<piece>& all) {
        for (const piece& x : all)
            give(r, x);
    }

    static std::vector<void*> take_many(R& r, std::size_t n, std::size_t bytes) {
        std::vector<void*> all(n);
        for (void*& p : all)
            p = r.allocate(bytes, 8);
        return all;
    }
};

struct names {
    template <class R>
    static std::string GetName(int) {
        return strategy_of<R>::name;
    }
};
using both = testing::Types<intrusive_resource, slots_resource>;
TYPED_TEST_SUITE(strategies, both, names);

// ---- VulkanSceneGraph's defects ----------------------------------------------------------------

// There alignof is ignored: over-aligned nodes crash.
TYPED_TEST(strategies, every_alignment_is_honoured_in_any_mixture) {
    for (const std::size_t floor : {std::size_t{4}, std::size_t{8}, std::size_t{16}, 64_KiB}) {
        TypeParam r{typename TestFixture::options{.alignment = floor}};
        std::vector<typename TestFixture::piece> all;
        for (int round = 0; round < 3; ++round)
            for (std::size_t alignment = 1; alignment <= 4096; alignment *= 2)
                for (const std::size_t bytes : {1u, 5u, 24u, 100u, 5000u}) {
                    all.push_back(this->take(r, bytes, alignment));
                    EXPECT_TRUE(is_aligned(all.back().p, floor));
                }
        std::shuffle(all.begin(), all.end(), std::mt19937{2});
        this->give(r, all);
        EXPECT_EQ(r.usage().live_allocations, 0u);
    }
}

// There half to 7/8 of each block cannot be used at alignments of 8 to 32.
TYPED_TEST(strategies, all_of_a_block_is_usable_at_every_alignment) {
    for (std::size_t alignment = 4; alignment <= 4096; alignment *= 2) {
        counting_pages pages;
        TypeParam r{typename TestFixture::options{.block_bytes = 256_KiB, .alignment = alignment},
                    &pages};
        const std::size_t slot = std::max<std::size_t>(alignment, 64);
        std::vector<void*> all;
        const auto block_of = [](void* p) { return align_down(address_of(p), 256_KiB); };
        do // until a second block begins
            all.push_back(r.allocate(slot - TestFixture::of::header_bytes, alignment));
        while (block_of(all.back()) == block_of(all.front()));
        EXPECT_GE(all.size() * slot + TestFixture::of::head_bytes + slot, 256_KiB)
            << "alignment " << alignment;
        for (void* p : all)
            r.deallocate(p);
    }
}

// There a request just under the size limit wastes a whole block.
TYPED_TEST(strategies, no_request_wastes_a_block) {
    for (const std::size_t block_bytes : {4_KiB, 64_KiB, 256_KiB, 1_MiB}) {
        std::vector<std::size_t> sizes;
        for (const std::size_t limit :
             {std::size_t{32'768}, intrusive_resource::largest_bytes, block_bytes, block_bytes / 2,
              block_bytes / 4, block_bytes / 8})
            for (const std::ptrdiff_t d : {-512, -64, -16, -8, -4, -1, 0, 1, 4, 8, 64})
                sizes.push_back(limit + static_cast<std::size_t>(d));
        for (const std::size_t bytes : sizes) {
            counting_pages pages;
            TypeParam r{typename TestFixture::options{.block_bytes = block_bytes}, &pages};
            std::vector<void*> all(16);
            for (void*& p : all)
                p = r.allocate(bytes, 8);
            // Held beyond the objects: bookkeeping, a block that has begun, and an eighth;
            // of large objects a quarter, in addresses.
            EXPECT_LE(r.usage().bytes_reserved,
                      all.size() * (bytes + bytes / 4 + 4_KiB) + 2 * 256_KiB + block_bytes)
                << bytes << " bytes in blocks of " << block_bytes;
            for (void* p : all)
                r.deallocate(p);
            EXPECT_EQ(r.usage().bytes_in_use, 0u);
        }
    }
}

// There "delete all empty blocks" frees nothing.
TYPED_TEST(strategies, empty_blocks_really_go_back) {
    counting_pages pages;
    TypeParam r{typename TestFixture::options{.policy = return_policy::retain_all}, &pages};
    auto all = this->take_many(r, 200'000, 48);
    std::shuffle(all.begin(), all.end(), std::mt19937{1});
    for (void* p : all)
        r.deallocate(p);
    EXPECT_GE(pages.live_bytes(), 200'000 * 48);
    r.trim();
    EXPECT_EQ(pages.live_bytes(), 0u);
    EXPECT_EQ(r.usage().bytes_reserved, 0u);
}

// The first block is a quarter of one, and has no place at such a multiple.
TYPED_TEST(strategies, a_block_that_does_not_serve_its_first_request_goes_back_too) {
    counting_pages pages;
    TypeParam r{typename TestFixture::options{}, &pages};
    r.deallocate(this->take(r, 1000, 64_KiB).p);
    r.trim();
    EXPECT_EQ(pages.live_bytes(), 0u);
}

TYPED_TEST(strategies, empty_blocks_go_back_by_themselves) {
    counting_pages pages;
    TypeParam r{typename TestFixture::options{.policy = return_policy::return_all}, &pages};
    const auto all = this->take_many(r, 200'000, 48);
    const std::size_t most = pages.live_bytes();
    for (std::size_t i = 0; i < all.size(); ++i)
        if (i != 100'000)
            r.deallocate(all[i]);
    EXPECT_LE(pages.live_bytes(), most / 3);
    r.deallocate(all[100'000]);
}

TYPED_TEST(strategies, trim_gives_the_pages_between_objects_back) {
    counting_pages pages;
    TypeParam r{typename TestFixture::options{.policy = return_policy::retain_all}, &pages};
    const auto all = this->take_many(r, 400'000, 44);
    const std::size_t full = pages.resident_bytes();
    for (std::size_t i = 0; i < all.size(); ++i)
        if (i % 4000 != 0)
            r.deallocate(all[i]);
    r.trim();
    EXPECT_LE(pages.resident_bytes(), full / 5);
    for (std::size_t i = 0; i < all.size(); i += 4000)
        r.deallocate(all[i]);
    r.trim();
    EXPECT_EQ(pages.live_bytes(), 0u);
}

// There large allocations are not counted, and totals are wrong.
TYPED_TEST(strategies, totals_are_right_at_every_moment) {
    TypeParam r{};
    std::mt19937 random{4};
    std::vector<typename TestFixture::piece> live;
    std::size_t bytes = 0, most = 0;
    for (int i = 0; i < 3000; ++i) {
        if (random() % 5 < 3 || live.empty()) {
            const std::size_t size = random() % 50 == 0 ? random() % 400'000 : random() % 300;
            live.push_back(this->take(r, size, std::size_t{1} << random() % 8));
            bytes += r.size_of(live.back().p);
        } else {
            std::swap(live[random() % live.size()], live.back());
            bytes -= r.size_of(live.back().p);
            this->give(r, live.back());
            live.pop_back();
        }
        most = std::max(most, bytes);
        const usage u = r.usage();
        ASSERT_EQ(u.live_allocations, live.size());
        if (!passthrough()) {
            ASSERT_EQ(u.bytes_in_use, bytes);
        }
        ASSERT_GE(u.high_water_bytes, bytes);
        ASSERT_LE(u.bytes_in_use, u.bytes_reserved);
        if (i % 500 == 0) {
            const memory_map map{r};
            ASSERT_EQ(map.totals().bytes(region_state::used), u.bytes_in_use);
            ASSERT_EQ(map.overlapping(), 0u);
        }
    }
    EXPECT_EQ(r.usage().high_water_bytes, most);
    this->give(r, live);
}

// There reloading a scene takes seventeen times as long as loading it, since holes are walked.
TYPED_TEST(strategies, a_scene_is_loaded_again_into_the_same_memory) {
    TypeParam r{};
    std::mt19937 random{6};
    const auto load = [&] {
        std::vector<void*> scene(50'000);
        for (void*& p : scene)
            p = r.allocate(24 + random() % 8 * 8, 8);
        return scene;
    };
    const auto kept = load();
    auto scene = load();
    const std::size_t first = r.usage().bytes_reserved;
    for (int round = 0; round < 6; ++round) {
        std::shuffle(scene.begin(), scene.end(), random);
        for (void* p : scene)
            r.deallocate(p);
        scene = load();
    }
    EXPECT_LE(r.usage().bytes_reserved, first + first / 4);
    for (void* p : scene)
        r.deallocate(p);
    for (void* p : kept)
        r.deallocate(p);
}

// ---- what is asked -----------------------------------------------------------------------------

TYPED_TEST(strategies, any_block_size_will_do) {
    for (const std::size_t block_bytes :
         {std::size_t{0}, std::size_t{1}, std::size_t{100}, std::size_t{4097}, std::size_t{10'000},
          64_KiB, 100'000 * std::size_t{3}, 16_MiB + 1, size_max / 16, size_max}) {
        counting_pages pages;
        pages.lend_at_most(64_MiB); // "larger than memory"
        {
            TypeParam r{typename TestFixture::options{.block_bytes = block_bytes}, &pages};
            std::vector<typename TestFixture::piece> all;
            for (std::size_t i = 0; i < 2000; ++i)
                all.push_back(this->take(r, i % 700, 8));
            all.push_back(this->take(r, 1_MiB, 16));
            this->give(r, all);
            EXPECT_EQ(r.usage().bytes_in_use, 0u) << block_bytes;
        }
        EXPECT_EQ(pages.live(), 0u);
    }
}

TYPED_TEST(strategies, the_block_size_may_change_in_use) {
    counting_pages pages;
    TypeParam r{typename TestFixture::options{}, &pages};
    auto all = this->take_many(r, 1000, 48);
    r.set_block_bytes(4_MiB);
    const auto more = this->take_many(r, 20'000, 48);
    const auto asked = [](const counting_pages::request& x) { return x.bytes == 4_MiB; };
    EXPECT_EQ(std::count_if(pages.requests().begin(), pages.requests().end(), asked),
              passthrough() ? 0 : 1);
    all.insert(all.end(), more.begin(), more.end());
    for (void* p : all)
        r.deallocate(p);
    r.trim();
    EXPECT_EQ(pages.live(), 0u);
}

TYPED_TEST(strategies, requests_at_every_limit_are_served_whole) {
    counting_resource up;
    for (const std::size_t block_bytes : {std::size_t{0}, 4_KiB, 128_KiB}) {
        TypeParam r{typename TestFixture::options{.block_bytes = block_bytes}, &up};
        for (const std::size_t limit :
             {std::size_t{4}, std::size_t{1024}, 4_KiB, 8_KiB, 16_KiB, 32_KiB, 64_KiB,
              intrusive_resource::largest_bytes, 128_KiB, 256_KiB, 1_MiB}) {
            std::vector<typename TestFixture::piece> all;
            for (std::size_t bytes = limit - 4; bytes <= limit + 9; ++bytes)
                for (const std::size_t alignment : {1u, 8u, 16u, 512u})
                    all.push_back(this->take(r, bytes, alignment));
            for (const auto& x : all)
                EXPECT_GE(r.size_of(x.p), x.bytes);
            this->give(r, all);
        }
        EXPECT_EQ(r.usage().bytes_in_use, 0u);
    }
}

TYPED_TEST(strategies, what_was_built_stays_whole_when_memory_ends) {
    counting_pages pages;
    pages.lend_at_most(1_MiB);
    TypeParam r{typename TestFixture::options{.policy = return_policy::return_all}, &pages};
    std::vector<typename TestFixture::piece> scene;
    std::mt19937 random{8};
    for (;;) {
        const std::size_t bytes = 24 + random() % 100;
        void* const p = r.try_allocate(bytes, 8);
        if (p == nullptr)
            break;
        pattern{address_of(p)}.write(p, bytes);
        scene.push_back({p, bytes, 8});
    }
    EXPECT_GE(scene.size(), 5000u);
    EXPECT_EQ(r.usage().live_allocations, scene.size());
    // A hole of any block serves, also where it is no eighth of it.
    const auto gone = scene.begin() + static_cast<std::ptrdiff_t>(scene.size() / 2);
    const auto old = *gone;
    this->give(r, old);
    *gone = this->take(r, old.bytes, 8);
    this->give(r, scene);
    EXPECT_EQ(r.usage().bytes_in_use, 0u);
}

TYPED_TEST(strategies, sizes_need_not_be_told) {
    TypeParam r{};
    std::vector<void*> all;
    for (std::size_t bytes = 0; bytes < 300'000; bytes = bytes * 3 / 2 + 1) {
        all.push_back(r.allocate(bytes));
        EXPECT_GE(r.size_of(all.back()), bytes);
        std::memset(all.back(), 1, bytes);
    }
    for (void* p : all)
        r.deallocate(p);
    EXPECT_EQ(r.usage().live_allocations, 0u);
}

TYPED_TEST(strategies, a_block_at_the_mask_leads_from_each_object_to_its_owner) {
    counting_pages pages;
    TypeParam r{typename TestFixture::options{}, &pages};
    const std::size_t mask = detail::block_source::usual_block_bytes(&pages);
    for (const std::size_t bytes : {24u, 1000u, 30'000u, 300'000u}) {
        void* const p = r.allocate(bytes, 8);
        const auto* b = reinterpret_cast<const detail::block*>(align_down(address_of(p), mask));
        EXPECT_EQ(b->owner, &r);
        r.deallocate(p);
    }
}

TYPED_TEST(strategies, what_is_free_is_out_of_reach_for_memory_checkers) {
    if (!detail::poison::active || passthrough())
        GTEST_SKIP() << "no memory checker looks on";
    TypeParam r{};
    auto* const p = static_cast<std::byte*>(r.allocate(100, 8));
    void* const q = r.allocate(100, 8);
    EXPECT_TRUE(detail::poison::accessible(p, 100));
    if (detail::poison::reports_access()) {
        EXPECT_FALSE(detail::poison::accessible(p + 100, 1));
    }
    r.deallocate(p);
    if (detail::poison::reports_access()) {
        EXPECT_FALSE(detail::poison::accessible(p + 8, 80));
    }
    EXPECT_TRUE(detail::poison::accessible(q, 100));
    r.deallocate(q);
}

// ---- misuse ------------------------------------------------------------------------------------

// There a double free throws out of operator delete, and a foreign pointer is ignored.
template <class R>
class strategies_death : public strategies<R> {
protected:
    counting_pages pages;
    R r{typename strategies<R>::options{}, &pages};
    R other{typename strategies<R>::options{}, &pages};
};
TYPED_TEST_SUITE(strategies_death, both, names);

constexpr const char* refused = "was freed into";

TYPED_TEST(strategies_death, an_object_freed_twice_is_found_at_once) {
    const auto all = this->take_many(this->r, 100, 48);
    const auto twice = [&](std::size_t first, std::size_t count, std::size_t again) {
        for (std::size_t i = first; i < first + count; ++i)
            this->r.deallocate(all[i]);
        this->r.deallocate(all[again]);
    };
    EXPECT_DEATH(twice(50, 1, 50), refused);
    EXPECT_DEATH(twice(50, 10, 55), refused); // of a run
    EXPECT_DEATH(twice(99, 1, 99), refused);  // the latest
    EXPECT_DEATH(
        {
            this->r.deallocate(all[50]);
            this->r.trim();
            this->r.deallocate(all[50]);
        },
        refused);
    void* const large = this->r.allocate(1_MiB);
    EXPECT_DEATH(
        {
            this->r.deallocate(large);
            this->r.deallocate(large);
        },
        refused);
    for (void* p : all)
        this->r.deallocate(p);
    this->r.deallocate(large);
}

TYPED_TEST(strategies_death, the_nearest_object_is_named) {
    const auto all = this->take_many(this->r, 10, 44);
    EXPECT_DEATH(
        {
            this->r.deallocate(all[5]);
            this->r.deallocate(all[5]);
        },
        "free already.*the nearest object below begins at .* and has 4[48] bytes");
    for (void* p : all)
        this->r.deallocate(p);
}

TYPED_TEST(strategies_death, an_object_of_another_resource_is_found_at_once) {
    const auto mine = this->take_many(this->r, 10, 48);
    void* const small = this->other.allocate(48);
    void* const large = this->other.allocate(1_MiB);
    EXPECT_DEATH(this->r.deallocate(small), refused);
    EXPECT_DEATH(this->r.deallocate(large), refused);
    for (void* p : mine)
        this->r.deallocate(p);
    this->other.deallocate(small);
    this->other.deallocate(large);
}

#if ARENITE_CHECKS

TYPED_TEST(strategies_death, checked_builds_know_foreign_pointers) {
    int on_the_stack[8] = {};
    void* const p = this->r.allocate(48);
    EXPECT_DEATH(this->r.deallocate(&on_the_stack[4]), refused);
    EXPECT_DEATH(this->r.deallocate(static_cast<std::byte*>(p) + 16), refused);
    EXPECT_DEATH(this->r.deallocate(static_cast<std::byte*>(p) + 1), refused);
    EXPECT_DEATH(this->r.deallocate(static_cast<std::byte*>(p) + 4096), refused);
    void* const large = this->r.allocate(1_MiB);
    EXPECT_DEATH(this->r.deallocate(static_cast<std::byte*>(large) + 64), refused);
    this->r.deallocate(p);
    this->r.deallocate(large);
}

TYPED_TEST(strategies_death, checked_builds_know_wrong_sizes) {
    void* const p = this->r.allocate(48, 8);
    void* const large = this->r.allocate(1_MiB, 8);
    EXPECT_DEATH(this->r.deallocate(p, 60, 8), "allocated as");
    EXPECT_DEATH(this->r.deallocate(p, 30, 8), "allocated as");
    EXPECT_DEATH(this->r.deallocate(large, 1_MiB + 8, 8), "allocated as");
    this->r.deallocate(p, 48, 8);
    this->r.deallocate(large, 1_MiB, 8);
}

std::vector<leaked_object> leaks;
std::size_t leaked_bytes = 0;

TYPED_TEST(strategies, checked_builds_report_what_was_alive) {
    if (passthrough())
        GTEST_SKIP() << "all goes to malloc";
    const auto before = set_leak_handler([](const leak_summary& s) {
        leaks.assign(s.examples, s.examples + s.example_count);
        leaked_bytes = s.bytes;
    });
    leaks.clear();
    void* p = nullptr;
    {
        TypeParam r{};
        const auto all = this->take_many(r, 10, 44);
        p = all[3];
        static_cast<void>(r.allocate(1_MiB));
        for (std::size_t i = 0; i < all.size(); ++i)
            if (i != 3)
                r.deallocate(all[i]);
    }
    set_leak_handler(before);
    ASSERT_EQ(leaks.size(), 2u);
    EXPECT_TRUE(leaks[0].address == p || leaks[1].address == p);
    EXPECT_GE(leaked_bytes, 1_MiB + 44);
}

#endif

} // namespace
