// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/affinity_heap.hpp>

#include <arenite/affinity/affinity_strategy.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/os/detail/platform.hpp>
#include <arenite/report/memory_map.hpp>

#include <gtest/gtest.h>

#include "support/addresses.hpp"
#include "support/counting_resource.hpp"
#include "support/limits.hpp"
#include "support/mappings.hpp"
#include "support/pattern.hpp"
#include "support/region_list.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#if defined(__unix__)
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace arenite;
using support::pattern;

namespace {

/// A tag of its own for each test.
template <std::size_t N, std::size_t Alignment = 1, sizes Sizes = sizes::given>
struct tag {
    static constexpr char text[] = {'t', char{'0' + N / 10}, char{'0' + N % 10}, '\0'};
    static constexpr std::string_view name{text, 3};
    static constexpr std::size_t alignment = Alignment;
    static constexpr arenite::sizes sizes = Sizes;
};

struct piece {
    void* p;
    std::size_t bytes;
    std::size_t alignment;
};

piece take(affinity_heap& h, std::size_t bytes, std::size_t alignment) {
    void* const p = h.try_allocate(bytes, alignment);
    EXPECT_NE(p, nullptr);
    EXPECT_TRUE(is_aligned(p, alignment)) << p << ' ' << alignment;
    pattern{address_of(p)}.write(p, bytes);
    return {p, bytes, alignment};
}

void give(affinity_heap& h, const piece& x) {
    EXPECT_TRUE(pattern{address_of(x.p)}.holds(x.p, x.bytes)) << x.bytes << " bytes at " << x.p;
    h.deallocate(x.p, x.bytes, x.alignment);
}

constexpr affinity_strategy all_strategies[] = {
    affinity_strategy::ordered, affinity_strategy::intrusive, affinity_strategy::slots,
    affinity_strategy::standard};

/// The default again when a test ends.
struct strategy_during {
    explicit strategy_during(affinity_strategy s) { use_affinity_strategy(s); }
    ~strategy_during() { use_affinity_strategy(affinity_strategy::ordered); }
    strategy_during(const strategy_during&) = delete;
    strategy_during& operator=(const strategy_during&) = delete;
};

// ---- one thread ---------------------------------------------------------------------------------

TEST(affinity_heap, a_tag_has_one_heap_and_a_name) {
    affinity_heap& h = affinity_heap::of<tag<1>>();
    EXPECT_EQ(&affinity_heap::of<tag<1>>(), &h);
    EXPECT_EQ(h.name(), "t01");
    EXPECT_NE(&affinity_heap::of<tag<2>>(), &h);
}

struct same_name {
    static constexpr std::string_view name = "t01";
    static constexpr arenite::sizes sizes = arenite::sizes::given;
    static constexpr std::size_t alignment = 1;
};
struct same_name_other_options {
    static constexpr std::string_view name = "t01";
    static constexpr std::size_t alignment = 64;
};

TEST(affinity_heap, tags_of_one_name_are_one_affinity) {
    EXPECT_EQ(&affinity_heap::of<same_name>(), &affinity_heap::of<tag<1>>());
}

TEST(affinity_heap_death, tags_of_one_name_must_say_the_same) {
    static_cast<void>(affinity_heap::of<tag<1>>());
    EXPECT_DEATH(static_cast<void>(affinity_heap::of<same_name_other_options>()),
                 "two tags are named t01, and say different things of its alignment, 1 and 64");
}

TEST(affinity_heap, hands_out_any_size_and_alignment_with_every_strategy) {
    for (const affinity_strategy s : all_strategies) {
        const strategy_during now{s};
        affinity_heap& h = affinity_heap::of<tag<3>>();
        std::vector<piece> all;
        for (std::size_t alignment = 1; alignment <= 64_KiB; alignment *= 2)
            for (const std::size_t bytes :
                 {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{24}, std::size_t{100},
                  std::size_t{32767}, std::size_t{32768}, std::size_t{32769}, std::size_t{131064},
                  std::size_t{131068}, std::size_t{131072}, std::size_t{300'000}})
                all.push_back(take(h, bytes, alignment));
        for (std::size_t i = 0; i < all.size(); i += 2)
            give(h, all[i]);
        for (std::size_t i = 1; i < all.size(); i += 2)
            give(h, all[i]);
        EXPECT_EQ(h.usage().bytes_in_use, 0u) << static_cast<int>(s);
    }
}

TEST(affinity_heap, refuses_what_no_memory_can_hold_and_stays_as_it_was) {
    for (const affinity_strategy s : all_strategies) {
        const strategy_during now{s};
        affinity_heap& h = affinity_heap::of<tag<4>>();
        const piece kept = take(h, 40, 8);
        const usage before = h.usage();
        constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
        EXPECT_EQ(h.try_allocate(most, 8), nullptr);
        EXPECT_EQ(h.try_allocate(most - 15, 16), nullptr);
        EXPECT_EQ(h.try_allocate(most / 2 - 64, 4096), nullptr);
        EXPECT_EQ(h.try_allocate(support::beyond_memory, 8), nullptr);
        EXPECT_EQ(h.usage().bytes_in_use, before.bytes_in_use);
        give(h, kept);
    }
}

TEST(affinity_heap, the_affinitys_own_alignment_is_the_least) {
    for (const affinity_strategy s : all_strategies) {
        const strategy_during now{s};
        affinity_heap& h = affinity_heap::of<tag<5, 64>>();
        std::vector<piece> all;
        for (std::size_t i = 0; i < 100; ++i) {
            all.push_back(take(h, 24 + i, 8));
            EXPECT_TRUE(is_aligned(all.back().p, 64));
        }
        for (const piece& x : all)
            give(h, x);
        EXPECT_EQ(h.usage().bytes_in_use, 0u);
    }
    affinity_heap& physics = affinity_heap::of<affinities::physics>();
    const piece x = take(physics, 24, 4);
    EXPECT_TRUE(is_aligned(x.p, 16));
    give(physics, x);
}

TEST(affinity_heap, memory_of_an_earlier_strategy_is_freed_by_that_one) {
    affinity_heap& h = affinity_heap::of<tag<6>>();
    support::counting_resource own;
    std::vector<piece> all;
    const auto take_some = [&] {
        for (std::size_t i = 0; i < 300; ++i)
            all.push_back(take(h, 8 + i % 90, std::size_t{1} << i % 7));
        all.push_back(take(h, 400'000, 8));
    };
    for (const affinity_strategy s : all_strategies) {
        use_affinity_strategy(s);
        take_some();
    }
    use_affinity_strategy(&own);
    EXPECT_EQ(affinity_strategy_name(), "own");
    take_some();
    EXPECT_GE(own.live_bytes(), 300u * 24);
    use_affinity_strategy(affinity_strategy::ordered);
    take_some();
    std::shuffle(all.begin(), all.end(), std::mt19937{1});
    for (const piece& x : all)
        give(h, x);
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
    EXPECT_EQ(own.live_bytes(), 0u);
}

TEST(affinity_heap, is_quick_again_after_a_change_of_strategy) {
    if (passthrough() || detail::slow_only)
        GTEST_SKIP() << "no call is a quick one there";
    affinity_heap& h = affinity_heap::of<tag<7>>();
    use_affinity_strategy(affinity_strategy::intrusive);
    void* const old = h.allocate(40, 8);
    use_affinity_strategy(affinity_strategy::ordered);
    void* p = h.allocate(40, 8);
    h.deallocate(p, 40, 8);
    h.deallocate(old, 40, 8);
    for (int i = 0; i < 5000; ++i)
        h.deallocate(h.allocate(40, 8), 40, 8);
    const auto place = detail::tag_heap<tag<7>>::place.load();
    EXPECT_NE(detail::thread_table::ready_at(place, 8), nullptr);
}

TEST(affinity_heap, neighbours_of_different_strategies_are_no_run) {
    affinity_heap& h = affinity_heap::of<tag<8>>();
    for (const affinity_strategy s : all_strategies) {
        use_affinity_strategy(s);
        std::vector<piece> all;
        for (int i = 0; i < 1000; ++i)
            all.push_back(take(h, 20, 4));
        use_affinity_strategy(affinity_strategy::ordered);
        for (const piece& x : all)
            give(h, x);
        EXPECT_EQ(h.usage().bytes_in_use, 0u) << static_cast<int>(s);
    }
}

TEST(affinity_heap, is_used_as_malloc_is) {
    for (const affinity_strategy s : all_strategies) {
        const strategy_during now{s};
        affinity_heap& h = affinity_heap::of<affinities::data>();
        std::vector<void*> all;
        for (std::size_t i = 0; i < 500; ++i) {
            all.push_back(arenite::allocate(i * 7 % 300, affinities::data{}));
            EXPECT_GE(h.size_of(all.back()), i * 7 % 300);
            std::memset(all.back(), 1, i * 7 % 300);
        }
        all.push_back(arenite::allocate(1_MiB, affinities::data{}, 4096));
        EXPECT_TRUE(is_aligned(all.back(), 4096));
        for (void* p : all)
            arenite::deallocate(p);
        arenite::deallocate(nullptr);
        EXPECT_EQ(h.usage().bytes_in_use, 0u);
    }
}

TEST(affinity_heap, keeps_sizes_where_the_tag_says_so) {
    affinity_heap& h = affinity_heap::of<tag<9, 1, sizes::kept>>();
    void* const p = h.allocate(100, 8);
    EXPECT_GE(h.size_of(p), 100u);
    EXPECT_EQ(h.usage().live_allocations, 1u);
    h.deallocate(p);
    void* const q = h.allocate(48, 16);
    h.deallocate(q, 48, 16);
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
}

TEST(affinity_heap, block_sizes_are_taken_as_they_come) {
    affinity_heap& h = affinity_heap::of<tag<10>>();
    std::vector<piece> all;
    for (const std::size_t bytes :
         {0_B, 1_B, 5000_B, 300'000_KiB, support::beyond_memory, ~std::size_t{0}}) {
        h.set_block_bytes(bytes);
        EXPECT_EQ(h.block_size(), bytes);
        for (int i = 0; i < 3000; ++i)
            all.push_back(take(h, 200, 8));
    }
    for (const piece& x : all)
        give(h, x);
    h.set_block_bytes(0);
    h.trim();
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
}

struct small_blocks {
    static constexpr std::string_view name = "small blocks";
    static constexpr std::size_t block_bytes = 1;
};

TEST(affinity_heap, blocks_are_no_smaller_ones_where_the_tag_asks_for_less) {
    for (const affinity_strategy s : all_strategies) {
        const strategy_during now{s};
        affinity_heap& h = affinity_heap::of<small_blocks>();
        std::vector<piece> all;
        std::vector<void*> kept;
        for (int i = 0; i < 3000; ++i) {
            all.push_back(take(h, 200, 8));
            kept.push_back(h.try_allocate(200, 8));
        }
        for (const piece& x : all)
            give(h, x);
        for (void* const p : kept)
            h.deallocate(p);
        EXPECT_EQ(h.usage().bytes_in_use, 0u);
    }
}

TEST(affinity_heap, asks_a_block_of_the_size_that_was_set_at_once) {
    if (passthrough())
        GTEST_SKIP() << "all goes to malloc";
    affinity_heap& h = affinity_heap::of<tag<11>>();
    const piece first = take(h, 40, 8);
    h.set_block_size(16_MiB); // after first use
    std::vector<piece> all;
    const std::size_t before = h.usage().bytes_reserved;
    while (h.usage().bytes_reserved == before)
        all.push_back(take(h, 4000, 8));
    EXPECT_GE(h.usage().bytes_reserved, before + 16_MiB);
    for (const piece& x : all)
        give(h, x);
    give(h, first);
}

TEST(affinity_heap, trim_gives_everything_back) {
    for (const affinity_strategy s : all_strategies) {
        const strategy_during now{s};
        affinity_heap& h = affinity_heap::of<tag<12>>();
        std::vector<piece> all;
        for (int i = 0; i < 20'000; ++i)
            all.push_back(take(h, 16 + static_cast<std::size_t>(i) % 200, 8));
        all.push_back(take(h, 1_MiB, 8));
        for (const piece& x : all)
            give(h, x);
        h.trim();
        EXPECT_EQ(h.usage().bytes_reserved, 0u) << static_cast<int>(s);
    }
}

TEST(affinity_heap, near_places_an_object_beside_another_one) {
    if (passthrough())
        GTEST_SKIP() << "all goes to malloc";
    affinity_heap& h = affinity_heap::of<tag<13>>();
    std::vector<piece> all;
    for (int i = 0; i < 20'000; ++i)
        all.push_back(take(h, 48, 8));
    // Holes everywhere, and the heap goes on far above them.
    for (std::size_t i = 0; i < 10'000; i += 5) {
        give(h, all[i]);
        all[i].p = nullptr;
    }
    for (const std::size_t i : {std::size_t{4001}, std::size_t{9001}, std::size_t{103}}) {
        void* const p = h.near(all[i].p).allocate(48, 8);
        const auto distance = static_cast<std::ptrdiff_t>(address_of(p) - address_of(all[i].p));
        EXPECT_LE(std::abs(distance), 48 * 5);
        pattern{address_of(p)}.write(p, 48);
        all.push_back({p, 48, 8});
    }
    for (const piece& x : all)
        if (x.p != nullptr)
            give(h, x);
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
}

TEST(affinity_heap, near_serves_where_there_is_no_room_or_no_neighbour) {
    affinity_heap& h = affinity_heap::of<tag<14>>();
    affinity_heap& other = affinity_heap::of<tag<15>>();
    const piece mine = take(h, 100, 8);
    const piece others = take(other, 100, 8);
    const piece large = take(h, 100'000, 8);
    int local = 0;
    for (const void* p : {static_cast<const void*>(mine.p), static_cast<const void*>(others.p),
                          static_cast<const void*>(large.p), static_cast<const void*>(&local)})
        for (const std::size_t bytes : {std::size_t{0}, std::size_t{24}, std::size_t{50'000}})
            for (const std::size_t alignment : {std::size_t{8}, std::size_t{4096}}) {
                void* const q = h.near(p).allocate(bytes, alignment);
                EXPECT_TRUE(is_aligned(q, alignment));
                h.deallocate(q, bytes, alignment);
            }
    EXPECT_EQ(h.near(mine.p).try_allocate(std::numeric_limits<std::size_t>::max(), 8), nullptr);
    give(h, mine);
    give(other, others);
    give(h, large);
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
}

TEST(affinity_heap, random_neighbours_do_not_overlap) {
    affinity_heap& h = affinity_heap::of<tag<16>>();
    std::mt19937 random{7};
    std::vector<piece> all;
    for (int i = 0; i < 30'000; ++i) {
        if (all.empty() || random() % 8 < 5) {
            const std::size_t bytes = 1 + random() % 200;
            const std::size_t alignment = std::size_t{1} << random() % 7;
            if (all.empty() || random() % 2 == 0) {
                all.push_back(take(h, bytes, alignment));
                continue;
            }
            void* const p = h.near(all[random() % all.size()].p).allocate(bytes, alignment);
            ASSERT_TRUE(is_aligned(p, alignment));
            pattern{address_of(p)}.write(p, bytes);
            all.push_back({p, bytes, alignment});
        } else {
            const std::size_t i_gone = random() % all.size();
            give(h, all[i_gone]);
            all[i_gone] = all.back();
            all.pop_back();
        }
    }
    for (const piece& x : all)
        give(h, x);
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
}

TEST(affinity_heap, reset_ends_all_of_it_at_once) {
    if (passthrough())
        GTEST_SKIP() << "all goes to malloc";
    affinity_heap& h = affinity_heap::of<tag<17>>();
    for (int i = 0; i < 10'000; ++i)
        static_cast<void>(h.allocate(64, 8));
    static_cast<void>(h.allocate(1_MiB, 8));
    static_cast<void>(h.try_allocate(100));
    h.reset();
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
    EXPECT_EQ(h.usage().bytes_reserved, 0u);
    give(h, take(h, 64, 8));
}

TEST(affinity_heap, owns_what_it_gave) {
    for (const affinity_strategy s : all_strategies) {
        const strategy_during now{s};
        affinity_heap& h = affinity_heap::of<tag<18>>();
        const piece x = take(h, 100, 8);
        const piece large = take(h, 100'000, 8);
        EXPECT_TRUE(h.owns(x.p));
        EXPECT_TRUE(h.owns(large.p));
        EXPECT_FALSE(affinity_heap::of<tag<19>>().owns(x.p));
        const std::vector<std::max_align_t> of_another(4);
        EXPECT_FALSE(h.owns(of_another.data()));
        EXPECT_FALSE(h.owns(nullptr));
        EXPECT_FALSE(h.owns(&h));
        give(h, x);
        give(h, large);
    }
}

TEST(affinity_heap, reports_blocks_and_what_is_in_them) {
    if (passthrough())
        GTEST_SKIP() << "all goes to malloc";
    affinity_heap& h = affinity_heap::of<tag<20>>();
    std::vector<piece> all;
    for (int i = 0; i < 10'000; ++i)
        all.push_back(take(h, 64, 8));
    all.push_back(take(h, 200'000, 8));
    std::ostringstream text;
    h.report(text);
    EXPECT_NE(text.str().find("affinity t20 (ordered)"), std::string::npos) << text.str();
    EXPECT_NE(text.str().find("large: 1 objects"), std::string::npos) << text.str();
    const std::string said = text.str();
    EXPECT_GE(std::count(said.begin(), said.end(), '\n'), 3);
    std::ostringstream everything;
    affinity_heap::report_all(everything);
    EXPECT_NE(everything.str().find(text.str()), std::string::npos);
    std::ostringstream json;
    h.report_json(json);
    EXPECT_NE(json.str().find("\"affinity\": \"t20\""), std::string::npos);
    EXPECT_NE(json.str().find("\"largest_hole\""), std::string::npos);
    const support::region_list regions{h};
    EXPECT_GE(regions.bytes(region_state::used), 10'000u * 64 + 200'000);
    for (const piece& x : all)
        give(h, x);
}

// ---- misuse -------------------------------------------------------------------------------------

TEST(affinity_heap_death, a_foreign_pointer_is_found) {
    affinity_heap& h = affinity_heap::of<tag<21>>();
    alignas(64) static std::byte memory[256];
    EXPECT_DEATH(h.deallocate(memory + 128), "affinity t21.*no memory of an affinity");
    EXPECT_DEATH(arenite::deallocate(memory + 128), "no memory of an affinity");
}

TEST(affinity_heap_death, another_affinitys_memory_is_found) {
    affinity_heap& h = affinity_heap::of<tag<22>>();
    affinity_heap& other = affinity_heap::of<tag<23>>();
    void* const p = other.allocate(100'000, 8);
    EXPECT_DEATH(h.deallocate(p, 100'000, 8), "affinity t22.*memory of affinity t23");
    void* const q = other.allocate(48, 8);
    EXPECT_DEATH(
        {
            h.deallocate(q, 48, 8);
            h.trim();
        },
        "affinity t22.*memory of affinity t23");
    other.deallocate(p, 100'000, 8);
    other.deallocate(q, 48, 8);
}

TEST(affinity_heap_death, an_object_freed_twice_is_found_with_every_strategy) {
    for (const affinity_strategy s : all_strategies) {
        const strategy_during now{s};
        affinity_heap& h = affinity_heap::of<tag<24>>();
        void* const p = h.allocate(48, 8);
        void* const q = h.allocate(48, 8);
        const auto twice = [&] {
            h.deallocate(p, 48, 8);
            h.deallocate(p, 48, 8);
            h.trim();
        };
        EXPECT_DEATH(twice(), "freed") << static_cast<int>(s);
        h.deallocate(p, 48, 8);
        h.deallocate(q, 48, 8);
    }
}

TEST(affinity_heap_death, an_object_that_another_thread_frees_twice_is_found) {
    affinity_heap& h = affinity_heap::of<tag<25>>();
    void* const p = h.allocate(48, 8);
    void* const q = h.allocate(48, 8);
    const auto twice = [&] {
        std::thread{[&] {
            h.deallocate(p, 48, 8);
            h.deallocate(q, 48, 8);
            h.deallocate(p, 48, 8);
            h.trim();
        }}.join();
        h.trim();
    };
    EXPECT_DEATH(twice(), "freed");
    h.deallocate(p, 48, 8);
    h.deallocate(q, 48, 8);
}

TEST(affinity_heap, knows_sizes_whatever_the_tag_says) {
    affinity_heap& h = affinity_heap::of<tag<26>>();
    for (const std::size_t bytes : {1u, 48u, 1000u, 20'000u, 300'000u}) {
        void* const p = h.allocate(bytes, 8);
        EXPECT_GE(h.size_of(p), bytes);
        h.deallocate(p);
    }
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
}

TEST(affinity_heap, an_object_grows_in_place_only_within_its_slot) {
    affinity_heap& h = affinity_heap::of<tag<26>>();
    void* const p = h.allocate(24, 8);
    void* const next = h.allocate(24, 8);
    EXPECT_FALSE(h.try_resize(p, 24, 32)) << "with an alignment that it was not born with";
    EXPECT_FALSE(h.try_resize(p, 24, 32, 8));
    EXPECT_FALSE(h.try_resize(p, 24, 0, 8));
    EXPECT_FALSE(h.try_resize(p, 24, SIZE_MAX, 8));
    EXPECT_EQ(h.try_resize(p, 24, 20), !passthrough());
    EXPECT_EQ(h.try_resize(p, 20, 24, 8), !passthrough());
    h.deallocate(p, 24, 8);
    h.deallocate(next, 24, 8);
    std::max_align_t foreign{};
    EXPECT_FALSE(h.try_resize(&foreign, 8, 8));
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
}

TEST(affinity_heap_threads, a_free_without_a_size_finds_the_heap_of_another_thread) {
    affinity_heap& h = affinity_heap::of<tag<26>>();
    std::vector<void*> all;
    std::thread{[&] {
        for (const std::size_t bytes : {1u, 48u, 1000u, 20'000u, 300'000u})
            all.push_back(h.allocate(bytes, 8));
    }}.join();
    void* const mine = h.allocate(48, 8);
    std::thread{[&] { h.deallocate(mine); }}.join();
    for (void* const p : all) {
        EXPECT_NE(h.size_of(p), 0u);
        h.deallocate(p);
    }
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
}

#if ARENITE_CHECKS
TEST(affinity_heap_death, a_wrong_size_is_found_in_checked_builds) {
    for (const affinity_strategy s : all_strategies) {
        const strategy_during now{s};
        affinity_heap& h = affinity_heap::of<tag<27>>();
        void* const p = h.allocate(48, 8);
        EXPECT_DEATH(h.deallocate(p, 96, 8), "freed");
        h.deallocate(p, 48, 8);
    }
}
#endif

// ---- threads ------------------------------------------------------------------------------------

TEST(affinity_heap_threads, any_thread_allocates_and_any_frees) {
    for (const affinity_strategy s : all_strategies) {
        const strategy_during now{s};
        affinity_heap& h = affinity_heap::of<tag<28>>();
        constexpr std::size_t threads = 3;
        std::vector<std::vector<piece>> boxes(threads);
        for (unsigned round = 0; round < 6; ++round) {
            std::vector<std::thread> all;
            for (std::size_t t = 0; t < threads; ++t)
                all.emplace_back([&, t] {
                    std::mt19937 random{round * 100 + static_cast<unsigned>(t)};
                    std::vector<piece>& mine = boxes[t];
                    for (int i = 0; i < 4000; ++i) {
                        if (mine.empty() || random() % 5 < (round % 3 == 2 ? 2 : 3)) {
                            const bool odd = random() % 100 == 0;
                            mine.push_back(take(h, 1 + random() % (odd ? 90'000 : 120),
                                                std::size_t{1} << random() % (odd ? 14 : 6)));
                        } else {
                            const std::size_t gone = random() % mine.size();
                            give(h, mine[gone]);
                            mine[gone] = mine.back();
                            mine.pop_back();
                        }
                    }
                });
            for (std::thread& t : all)
                t.join();
            std::rotate(boxes.begin(), boxes.begin() + 1, boxes.end());
        }
        for (const std::vector<piece>& box : boxes)
            for (const piece& x : box)
                give(h, x);
        EXPECT_EQ(h.usage().bytes_in_use, 0u) << static_cast<int>(s);
        h.trim();
        EXPECT_EQ(h.usage().bytes_reserved, 0u) << static_cast<int>(s);
    }
}

TEST(affinity_heap_threads, one_makes_and_another_frees_at_the_same_time) {
    affinity_heap& h = affinity_heap::of<tag<29>>();
    constexpr std::size_t boxes = 40;
    constexpr std::size_t in_a_box = 500;
    std::vector<std::vector<piece>> made(boxes);
    std::atomic<std::size_t> ready{0};
    std::thread maker{[&] {
        std::mt19937 random{3};
        for (std::size_t b = 0; b < boxes; ++b) {
            for (std::size_t i = 0; i < in_a_box; ++i)
                made[b].push_back(take(h, 8 + random() % 200, 8));
            if (b % 2 == 1)
                std::shuffle(made[b].begin(), made[b].end(), random);
            ready.store(b + 1, std::memory_order_release);
        }
    }};
    for (std::size_t b = 0; b < boxes; ++b) {
        while (ready.load(std::memory_order_acquire) <= b)
            std::this_thread::yield();
        for (const piece& x : made[b])
            give(h, x);
    }
    maker.join();
    h.trim();
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
    h.trim();
    EXPECT_EQ(h.usage().bytes_reserved, 0u);
}

TEST(affinity_heap_threads, what_a_thread_left_serves_the_next_ones) {
    if (passthrough())
        GTEST_SKIP() << "all goes to malloc";
    affinity_heap& h = affinity_heap::of<tag<30>>();
    std::vector<piece> kept;
    std::size_t reserved = 0;
    for (int round = 0; round < 50; ++round) {
        std::thread{[&] {
            std::vector<piece> mine;
            for (int i = 0; i < 2000; ++i)
                mine.push_back(take(h, 100, 8));
            for (std::size_t i = 1; i < mine.size(); ++i)
                give(h, mine[i]);
            kept.push_back(mine[0]);
        }}.join();
        if (round == 5)
            reserved = h.usage().bytes_reserved;
    }
    EXPECT_LE(h.usage().bytes_reserved, 2 * reserved);
    for (const piece& x : kept)
        give(h, x);
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
}

TEST(affinity_heap, after_a_reset_another_strategy_s_objects_are_not_taken_for_its_own) {
    if (passthrough())
        GTEST_SKIP() << "all goes to malloc";
    affinity_heap& h = affinity_heap::of<tag<60>>();
    for (unsigned seed = 1; seed < 8; ++seed) {
        std::mt19937 random{seed};
        const auto take_some = [&](int count) {
            std::vector<piece> taken; // and not written to
            for (int i = 0; i < count; ++i) {
                const std::size_t bytes = 1 + random() % 400;
                taken.push_back({h.try_allocate(bytes, 8), bytes, 8});
            }
            return taken;
        };
        use_affinity_strategy(affinity_strategy::ordered);
        take_some(60'000);
        h.reset(); // its blocks go to the other strategy as they are
        use_affinity_strategy(seed % 2 == 0 ? affinity_strategy::slots
                                            : affinity_strategy::intrusive);
        const std::vector<piece> others = take_some(30'000);
        use_affinity_strategy(affinity_strategy::ordered);
        const std::vector<piece> own = take_some(30'000);
        for (const piece& x : others) {
            if (random() % 2 == 0)
                h.deallocate(x.p);
            else
                h.deallocate(x.p, x.bytes, 8);
        }
        for (const piece& x : own)
            h.deallocate(x.p, x.bytes, 8);
        EXPECT_EQ(h.usage().bytes_in_use, 0u);
        EXPECT_EQ(h.usage().live_allocations, 0u);
        h.trim();
    }
}

TEST(affinity_heap_threads, the_high_water_is_not_all_that_another_thread_ever_freed) {
    if (passthrough())
        GTEST_SKIP() << "all goes to malloc";
    affinity_heap& h = affinity_heap::of<tag<61>>();
    std::vector<piece> box;
    std::atomic<int> turn{0};
    std::thread consumer{[&] {
        give(h, take(h, 48, 8)); // it has a heap
        for (int round = 0; round < 50; ++round) {
            while (turn.load(std::memory_order_acquire) != 1)
                std::this_thread::yield();
            for (const piece& x : box)
                give(h, x);
            box.clear();
            turn.store(0, std::memory_order_release);
        }
    }};
    for (int round = 0; round < 50; ++round) {
        for (int i = 0; i < 10'000; ++i)
            box.push_back(take(h, 48, 8));
        turn.store(1, std::memory_order_release);
        while (turn.load(std::memory_order_acquire) != 0)
            std::this_thread::yield();
        ASSERT_EQ(h.usage().bytes_in_use, 0u);
        ASSERT_EQ(h.usage().live_allocations, 0u);
    }
    consumer.join();
    EXPECT_LE(h.usage().high_water_bytes, 4u * 10'000 * 48);
}

TEST(affinity_heap_threads, usage_is_asked_while_others_work) {
    affinity_heap& h = affinity_heap::of<tag<31>>();
    std::atomic<bool> stop{false};
    std::vector<std::thread> all;
    for (int t = 0; t < 2; ++t)
        all.emplace_back([&] {
            while (!stop.load(std::memory_order_relaxed)) {
                std::vector<piece> mine;
                for (int i = 0; i < 500; ++i)
                    mine.push_back(take(h, 64, 8));
                for (const piece& x : mine)
                    give(h, x);
            }
        });
    for (int i = 0; i < 2000; ++i) {
        const usage now = h.usage();
        EXPECT_LE(now.bytes_in_use, now.bytes_reserved);
        EXPECT_LE(now.bytes_in_use, now.high_water_bytes);
    }
    stop = true;
    for (std::thread& t : all)
        t.join();
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
}

TEST(affinity_heap_threads, live_allocations_are_never_fewer_than_none) {
    affinity_heap& h = affinity_heap::of<tag<62>>();
    std::atomic<bool> stop{false};
    std::atomic<bool> has_heap{false};
    std::array<std::atomic<void*>, 256> box{}; // from one thread to the other
    std::thread ender{[&] {
        give(h, take(h, 64, 8));
        has_heap = true;
        while (!stop.load(std::memory_order_relaxed))
            for (auto& place : box)
                if (void* const p = place.exchange(nullptr, std::memory_order_acquire))
                    h.deallocate(p, 64, 8);
    }};
    while (!has_heap.load())
        std::this_thread::yield();
    std::thread maker{[&] { // its heap is looked at before the older one
        while (!stop.load(std::memory_order_relaxed))
            for (auto& place : box)
                if (place.load(std::memory_order_acquire) == nullptr)
                    place.store(take(h, 64, 8).p, std::memory_order_release);
    }};
    for (int i = 0; i < 300'000; ++i)
        ASSERT_LT(h.usage().live_allocations, 1'000'000u);
    stop = true;
    maker.join();
    ender.join();
    for (auto& place : box)
        if (void* const p = place.load())
            h.deallocate(p, 64, 8);
    EXPECT_EQ(h.usage().live_allocations, 0u);
}

TEST(affinity_heap_threads, others_follow_a_change_of_strategy) {
    affinity_heap& h = affinity_heap::of<tag<32>>();
    std::atomic<bool> stop{false};
    std::vector<std::thread> all;
    for (unsigned t = 0; t < 2; ++t)
        all.emplace_back([&, t] {
            std::mt19937 random{t};
            std::vector<piece> mine;
            while (!stop.load(std::memory_order_relaxed)) {
                if (mine.size() < 200 || (mine.size() < 2000 && random() % 2 == 0)) {
                    mine.push_back(take(h, 8 + random() % 100, 8));
                } else {
                    give(h, mine.back());
                    mine.pop_back();
                }
            }
            for (const piece& x : mine)
                give(h, x);
        });
    for (int i = 0; i < 60; ++i) {
        use_affinity_strategy(all_strategies[static_cast<std::size_t>(i) % 4]);
        std::this_thread::yield();
    }
    stop = true;
    for (std::thread& t : all)
        t.join();
    use_affinity_strategy(affinity_strategy::ordered);
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
}

/// Frees objects of a strategy that is chosen while this thread notes what it frees.
void free_in_a_thread_that_did_not_follow(affinity_heap& h, affinity_strategy s, std::size_t bytes,
                                          std::size_t alignment) {
    std::vector<piece> all;
    std::vector<piece> smalls;
    std::vector<piece> again;
    std::atomic<int> state{0};
    std::thread other{[&] {
        const piece first = take(h, 24, 8);
        give(h, take(h, 24, 8));
        state = 1;
        while (state.load() != 2)
            std::this_thread::yield();
        for (std::size_t i = 0; i < all.size(); i += 2)
            give(h, all[i]);
        // They are handed out again.
        for (int i = 0; i < 20; ++i)
            again.push_back(take(h, (bytes + 7) / 8 * 8, 8));
        for (const piece& x : again)
            give(h, x);
        give(h, first);
    }};
    while (state.load() != 1)
        std::this_thread::yield();
    {
        const strategy_during now{s};
        for (int i = 0; i < 2000; ++i) {
            all.push_back(take(h, bytes, alignment));
            smalls.push_back(take(h, 4, 4));
        }
        state = 2;
        other.join();
        for (std::size_t i = 1; i < all.size(); i += 2)
            give(h, all[i]);
        for (const piece& x : smalls)
            give(h, x);
    }
    EXPECT_EQ(h.usage().bytes_in_use, 0u) << bytes << " bytes, strategy " << static_cast<int>(s);
}

TEST(affinity_heap_threads, who_did_not_follow_a_change_of_strategy_frees_what_it_gave) {
    for (const affinity_strategy s : all_strategies)
        for (const std::size_t bytes : {9u, 12u, 20u, 24u, 40u})
            for (const std::size_t alignment : {4u, 16u}) {
                free_in_a_thread_that_did_not_follow(affinity_heap::of<tag<36>>(), s, bytes,
                                                     alignment);
            }
}

// A thread with several heaps: what it has noted in one is another one's, and the other way round.
template <AffinityTag A>
void use_several_heaps(unsigned seed) {
    affinity_heap& h = affinity_heap::of<A>();
    std::mt19937 random{seed};
    std::vector<piece> all;
    const auto more = [&] { all.push_back(take(h, 8 + random() % 200, 8)); };
    const auto less = [&](std::size_t i) {
        give(h, all[i]);
        all[i] = all.back();
        all.pop_back();
    };
    for (int i = 0; i < 3; ++i) {
        std::thread{[&] {
            for (int k = 0; k < 2000; ++k)
                more();
        }}.join();
        for (int k = 0; k < 1000; ++k)
            more();
    }
    for (int i = 0; i < 100'000; ++i) {
        if (all.size() < 3000 || (all.size() < 9000 && random() % 2 == 0))
            more();
        else
            less(random() % 3 == 0 ? all.size() - 1 : random() % all.size());
    }
    while (!all.empty())
        less(random() % all.size());
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
    h.trim();
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
    EXPECT_EQ(h.usage().bytes_reserved, 0u);
}

TEST(affinity_heap_threads, a_thread_with_several_heaps_loses_nothing) {
    for (unsigned seed = 1; seed <= 3; ++seed)
        use_several_heaps<tag<36>>(seed);
}

TEST(affinity_heap, near_a_large_object_is_anywhere) {
    affinity_heap& h = affinity_heap::of<tag<36>>();
    for (const std::size_t alignment :
         {std::size_t{64}, std::size_t{256_KiB}, std::size_t{1_MiB}}) {
        void* const large = h.try_allocate(300'000, alignment);
        ASSERT_NE(large, nullptr);
        for (int content = 0; content < 256; ++content) { // it is no block's head, whatever it is
            std::memset(large, content, 512);
            const piece x{h.try_allocate_near(large, 40, 8), 40, 8};
            ASSERT_NE(x.p, nullptr);
            pattern{address_of(x.p)}.write(x.p, x.bytes);
            give(h, x);
        }
        h.deallocate(large);
    }
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
}

// An object of the thread that ends after everything of the library's that ends with it.
struct late {
    affinity_heap* heap = nullptr;
    std::vector<piece> held;
    ~late() {
        if (heap == nullptr)
            return;
        for (int i = 0; i < 100; ++i)
            held.push_back(take(*heap, 40, 8));
        for (const piece& x : held)
            give(*heap, x);
    }
};

TEST(affinity_heap_threads, a_thread_allocates_and_frees_to_its_very_end) {
    affinity_heap& h = affinity_heap::of<tag<33>>();
    std::thread{[&] {
        static thread_local late at_the_end; // made before the heap's own, and so ended after it
        at_the_end.heap = &h;
        for (int i = 0; i < 100; ++i)
            at_the_end.held.push_back(take(h, 40, 8));
    }}.join();
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
}

#if defined(__unix__)

TEST(affinity_heap_threads, a_forked_child_works_on) {
    affinity_heap& h = affinity_heap::of<tag<34>>();
    std::vector<piece> mine;
    for (int i = 0; i < 1000; ++i)
        mine.push_back(take(h, 64, 8));
    std::atomic<int> state{0};
    std::vector<piece> others;
    std::thread other{[&] {
        for (int i = 0; i < 1000; ++i)
            others.push_back(take(h, 64, 8));
        state = 1;
        while (state.load() != 2)
            std::this_thread::yield();
        for (const piece& x : others)
            give(h, x);
    }};
    while (state.load() != 1)
        std::this_thread::yield();
    const pid_t child = ::fork();
    if (child == 0) { // frees its own and the other thread's, which is not here, and allocates
        for (const piece& x : mine)
            h.deallocate(x.p, x.bytes, x.alignment);
        for (const piece& x : others)
            h.deallocate(x.p, x.bytes, x.alignment);
        for (int i = 0; i < 1000; ++i)
            h.deallocate(h.allocate(64, 8), 64, 8);
        h.trim();
        ::_exit(h.usage().bytes_in_use == 0 ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    state = 2;
    other.join();
    for (const piece& x : mine)
        give(h, x);
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
}

#if LIMITS_CAN_BE_TESTED
TEST(affinity_heap_death, memory_that_ends_amid_a_scene_leaves_it_whole) {
    if (support::emulated())
        GTEST_SKIP() << "limits are not heeded there: it would take all memory of the machine";
    const auto scene = [] { // in a child, since the limit stays
        affinity_heap& h = affinity_heap::of<tag<35>>();
        const piece first = take(h, 40, 8);
        const rlimit limit{support::gib_or(512, 1_GiB), support::gib_or(512, 1_GiB)};
        ::setrlimit(RLIMIT_AS, &limit);
        std::vector<piece> all;
        all.reserve(5'000'000);
        rlimit data{};
        ::getrlimit(RLIMIT_DATA, &data);
        data.rlim_cur = support::writable_bytes() + 200_MiB;
        ::setrlimit(RLIMIT_DATA, &data);
        for (;;) {
            void* const p = h.try_allocate(1000, 8);
            if (p == nullptr)
                break;
            pattern{address_of(p)}.write(p, 1000);
            all.push_back({p, 1000, 8});
        }
        for (const piece& x : all)
            give(h, x);
        give(h, first);
        give(h, take(h, 1000, 8));
        std::_Exit(h.usage().bytes_in_use == 0 && !testing::Test::HasFailure() ? 0 : 1);
    };
    EXPECT_EXIT(scene(), testing::ExitedWithCode(0), "");
}
#endif

#endif

} // namespace
