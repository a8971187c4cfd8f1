// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Affinities by name and by address, and all of them at once.

#include <arenite/affinity/affinity_heap.hpp>

#include <arenite/affinity/affinity_strategy.hpp>
#include <arenite/affinity/detail/thread_table.hpp>
#include <arenite/check/detail/poison.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/os/detail/platform.hpp>
#include <arenite/os/page_resource.hpp>
#include <arenite/report/memory_map.hpp>
#include <arenite/report/usage_node.hpp>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"
#include "support/demands.hpp"
#include "support/thread_slabs.hpp"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace arenite;

namespace {

struct sounds {
    static constexpr std::string_view name = "sounds of the test";
    static constexpr std::size_t alignment = 32;
};

constexpr affinity_strategy all_strategies[] = {
    affinity_strategy::ordered, affinity_strategy::intrusive, affinity_strategy::slots,
    affinity_strategy::standard};

struct default_again {
    ~default_again() { use_affinity_strategy(affinity_strategy::ordered); }
};

// ---- by address ---------------------------------------------------------------------------------

TEST(affinity_any, an_address_leads_to_its_affinity_with_every_strategy) {
    const default_again at_the_end;
    affinity_heap& h = affinity_heap::of<sounds>();
    for (const affinity_strategy s : all_strategies) {
        use_affinity_strategy(s);
        for (const std::size_t bytes : {1u, 100u, 50'000u, 200'000u, 5'000'000u}) {
            auto* const p = static_cast<std::byte*>(h.allocate(bytes, 8));
            EXPECT_EQ(affinity_heap::heap_of(p), &h);
            EXPECT_TRUE(h.owns(p));
            EXPECT_FALSE(affinity_heap::of<affinities::nodes>().owns(p));
            if (s == affinity_strategy::ordered && !passthrough()) {
                EXPECT_EQ(affinity_heap::heap_of(p + bytes - 1), &h) << bytes;
            }
            affinity_heap::deallocate_any(p, bytes, 8);
        }
        EXPECT_EQ(h.usage().bytes_in_use, 0u);
    }
}

TEST(affinity_any, frees_without_a_size_go_where_they_belong) {
    const default_again at_the_end;
    support::counting_resource own;
    affinity_heap& a = affinity_heap::of<sounds>();
    affinity_heap& b = affinity_heap::of<affinities::nodes>();
    std::vector<void*> all;
    const auto take_some = [&] {
        for (std::size_t i = 0; i < 200; ++i) {
            all.push_back((i % 2 == 0 ? a : b).allocate(8 + i * 13 % 300, 8));
            all.push_back((i % 2 == 0 ? b : a).allocate(i * 1000, 16));
        }
    };
    for (const affinity_strategy s : all_strategies) {
        use_affinity_strategy(s);
        take_some();
    }
    use_affinity_strategy(&own);
    take_some();
    for (void* const p : all)
        affinity_heap::deallocate_any(p);
    affinity_heap::deallocate_any(nullptr);
    affinity_heap::deallocate_any(nullptr, 48, 8);
    EXPECT_EQ(a.usage().bytes_in_use, 0u);
    EXPECT_EQ(b.usage().bytes_in_use, 0u);
    EXPECT_EQ(own.live_bytes(), 0u);
}

/// The affinity's own alignment applies where less was asked for, also when memory is freed so.
TEST(affinity_any, frees_with_sizes_heed_the_affinitys_own_alignment) {
    for (const std::size_t own : {16u, 64u, 1024u, 4096u, 65'536u}) {
        affinity_heap& h = affinity_heap::named("aligned " + std::to_string(own),
                                                {.alignment = own, .block_bytes = 1_MiB});
        std::vector<std::pair<void*, std::size_t>> all;
        for (const std::size_t bytes : {0u, 1u, 16u, 40u, 100u, 1'792u, 1'793u, 5'000u, 8'193u,
                                        40'000u, 64'513u, 100'000u, 2'000'000u}) {
            all.emplace_back(h.allocate(bytes, 8), bytes);
            all.emplace_back(h.allocate(bytes, 8), bytes);
        }
        for (std::size_t i = 0; i < all.size(); i += 2)
            affinity_heap::deallocate_any(all[i].first, all[i].second, 8);
        std::thread{[&] {
            for (std::size_t i = 1; i < all.size(); i += 2)
                affinity_heap::deallocate_any(all[i].first, all[i].second, 8);
        }}.join();
        EXPECT_EQ(h.usage().bytes_in_use, 0u) << own;
    }
}

TEST(affinity_any, memory_of_nobody_leads_nowhere_and_is_not_looked_at) {
    const default_again at_the_end;
    use_affinity_strategy(affinity_strategy::standard); // there are prefixes somewhere
    affinity_heap& h = affinity_heap::of<sounds>();
    void* const outside = h.allocate(40, 8);
    // A mapping as a driver makes it: nothing may be read before it.
    using detail::os::platform;
    const std::size_t page = platform::page_bytes();
    auto* const mapped = static_cast<std::byte*>(platform::reserve(16 * page, page));
    ASSERT_TRUE(platform::commit(mapped + 8 * page, page));
    for (const std::size_t at : {std::size_t{0}, std::size_t{16}, page - 16}) {
        EXPECT_EQ(affinity_heap::heap_of(mapped + 8 * page + at), nullptr);
        EXPECT_EQ(affinity_heap::heap_of(mapped + at), nullptr); // no access at all
    }
    EXPECT_EQ(affinity_heap::heap_of(nullptr), nullptr);
    EXPECT_EQ(affinity_heap::heap_of(&h), nullptr);
    EXPECT_EQ(affinity_heap::heap_of(reinterpret_cast<void*>(~std::uintptr_t{0} - 15)), nullptr);
    EXPECT_EQ(affinity_heap::heap_of(reinterpret_cast<void*>(16)), nullptr);
    const auto other = std::make_unique<std::max_align_t[]>(8);
    EXPECT_EQ(affinity_heap::heap_of(other.get()), nullptr);
    platform::release(mapped, 16 * page);
    void* const pages = page_source().allocate(300'000); // of the library, and of no affinity
    EXPECT_EQ(affinity_heap::heap_of(pages), nullptr);
    page_source().deallocate(pages, 300'000);
    EXPECT_EQ(affinity_heap::heap_of(outside), &h);
    affinity_heap::deallocate_any(outside);
    EXPECT_EQ(affinity_heap::heap_of(outside), nullptr);
}

TEST(affinity_any, memory_that_went_back_is_nobodys) {
    if (passthrough())
        GTEST_SKIP() << "all goes to malloc";
    affinity_heap& h = affinity_heap::of<sounds>();
    void* const p = h.allocate(3'000'000, 8);
    h.deallocate(p, 3'000'000, 8);
    h.trim();
    EXPECT_EQ(affinity_heap::heap_of(p), nullptr);
}

TEST(affinity_any_threads, another_threads_memory_is_known_and_freed) {
    affinity_heap& h = affinity_heap::of<sounds>();
    std::vector<void*> all;
    std::thread{[&] {
        for (std::size_t i = 0; i < 1000; ++i)
            all.push_back(h.allocate(48, 8));
    }}.join();
    for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(affinity_heap::heap_of(all[i]), &h);
        if (i % 2 == 0)
            affinity_heap::deallocate_any(all[i], 48, 8);
        else
            affinity_heap::deallocate_any(all[i]);
    }
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
}

TEST(affinity_any_death, what_is_no_affinitys_is_refused) {
    alignas(64) static std::byte memory[256];
    EXPECT_DEATH(affinity_heap::deallocate_any(memory + 64), "no memory of an affinity");
    EXPECT_DEATH(affinity_heap::deallocate_any(memory + 64, 48, 8), "no memory of an affinity");
    EXPECT_DEATH(affinity_heap::deallocate_any(memory + 63, 48, 8), "no memory of an affinity");
    EXPECT_DEATH(affinity_heap::deallocate_any(memory + 64), "was freed, but it is no memory");
}

TEST(affinity_any_death, stale_and_interior_pointers_are_refused) {
    if (passthrough())
        GTEST_SKIP() << "all goes to malloc, which has its own checks";
    affinity_heap& h = affinity_heap::of<sounds>();
    auto* const p = static_cast<std::byte*>(h.allocate(96, 8));
    auto* const keep = static_cast<std::byte*>(h.allocate(200'000, 8));
    h.deallocate(p, 96, 8);
    EXPECT_DEATH(affinity_heap::deallocate_any(p), "affinity sounds of the test, twice or wrongly");
    EXPECT_DEATH(affinity_heap::deallocate_any(p, 96, 8),
                 "affinity sounds of the test, twice or wrongly");
    EXPECT_DEATH(affinity_heap::deallocate_any(keep + 64, 200'000, 8), "not to its begin");
    h.deallocate(keep, 200'000, 8);
}

TEST(affinity_any_death, an_object_in_a_page_of_another_affinity_is_refused) {
    if (affinity_strategy_name() != "ordered")
        GTEST_SKIP() << "another strategy has no pages";
    affinity_heap& one = affinity_heap::named("one of two");
    affinity_heap& other = affinity_heap::named("the other of two");
    std::vector<void*> all;
    for (int i = 0; i < 20'000; ++i) // the later ones lie in pages
        all.push_back(other.allocate(48, 8));
    void* const p = one.allocate(48, 8); // so this thread has heaps of both
    EXPECT_DEATH(one.deallocate(all[15'000], 48, 8), "memory of affinity the other of two");
    EXPECT_DEATH(one.deallocate(all[15'000]), "memory of affinity the other of two");
    one.deallocate(p, 48, 8);
    for (void* const q : all)
        other.deallocate(q, 48, 8);
}

// ---- by name ------------------------------------------------------------------------------------

TEST(affinity_any, a_name_is_one_affinity_whoever_says_it) {
    const affinity_options options{.alignment = 32};
    EXPECT_EQ(&affinity_heap::named("sounds of the test", options), &affinity_heap::of<sounds>());
    EXPECT_EQ(&affinity_heap::named("sounds of the test"), &affinity_heap::of<sounds>());
    EXPECT_EQ(affinity_heap::find("sounds of the test"), &affinity_heap::of<sounds>());
    EXPECT_EQ(affinity_heap::find("never named"), nullptr);
    {
        const std::string gone = "a name that goes away";
        static_cast<void>(affinity_heap::named(gone));
    }
    affinity_heap& h = affinity_heap::named("a name that goes away");
    EXPECT_EQ(h.name(), "a name that goes away");
    h.deallocate(h.allocate(40, 8), 40, 8);
}

TEST(affinity_any, options_are_heeded) {
    affinity_heap& h = affinity_heap::named("with options", {.alignment = 128,
                                                             .block_bytes = 4_MiB,
                                                             .policy = return_policy::retain_all,
                                                             .eager = true});
    EXPECT_EQ(h.alignment(), 128u);
    EXPECT_EQ(h.block_size(), 4_MiB);
    if (passthrough())
        GTEST_SKIP() << "all goes to malloc";
    EXPECT_GE(h.usage().bytes_reserved, 4_MiB); // already
    std::vector<void*> all;
    for (int i = 0; i < 200'000; ++i)
        all.push_back(h.allocate(100, 8));
    EXPECT_TRUE(is_aligned(all.back(), 128));
    const std::size_t most = h.usage().bytes_reserved;
    for (void* const p : all)
        h.deallocate(p, 100, 8);
    EXPECT_GE(h.usage().bytes_reserved, most);
    h.trim();
    EXPECT_EQ(h.usage().bytes_reserved, 0u);
}

TEST(affinity_any_death, bad_names_and_options_are_refused) {
    const auto name = [](std::string_view s, const affinity_options& options = {}) {
        static_cast<void>(affinity_heap::named(s, options));
    };
    static_cast<void>(affinity_heap::of<sounds>());
    EXPECT_DEATH(name("sounds of the test"),
                 "sounds of the test, and say different things of its alignment");
    EXPECT_DEATH(name(""), "1 to 63 characters");
    EXPECT_DEATH(name(std::string(64, 'x')), "1 to 63 characters");
    EXPECT_DEATH(name(std::string_view{"so\0and so", 9}), "none of them 0");
    EXPECT_DEATH(name("crooked", {.alignment = 24}),
                 "alignment 24 of affinity crooked is no power");
    EXPECT_DEATH(
        [&] {
            for (int i = 0; i < 66'000; ++i)
                name("number " + std::to_string(i));
        }(),
        "there are " + std::to_string(detail::most_affinities) + " affinities already");
    EXPECT_DEATH(static_cast<void>(affinity_heap::by_index(affinity_heap::count())),
                 "no affinity of index");
}

// ---- all at once --------------------------------------------------------------------------------

TEST(affinity_any, usage_and_trim_of_all_say_what_they_found_and_did) {
    affinity_heap& h = affinity_heap::of<sounds>();
    affinity_heap::trim_all();
    const usage before = affinity_heap::usage_all();
    void* const p = h.allocate(1'000'000, 8);
    EXPECT_GE(affinity_heap::usage_all().bytes_in_use, before.bytes_in_use + 1'000'000);
    usage_node root{"all"};
    const usage_node one{"sounds", h, &root};
    EXPECT_GE(root.usage().bytes_in_use, 1'000'000u);
    if (!passthrough()) {
        memory_map map;
        affinity_heap::list_regions_all(map);
        EXPECT_EQ(map.overlapping(), 0u);
        EXPECT_GE(map.totals().bytes(region_state::used), 1'000'000u);
    }
    h.deallocate(p, 1'000'000, 8);
    std::vector<void*> many;
    for (int i = 0; i < 100'000; ++i)
        many.push_back(h.allocate(64, 8));
    for (void* const q : many)
        h.deallocate(q, 64, 8);
    const std::size_t held = affinity_heap::usage_all().bytes_reserved;
    const affinity_heap::trim_result done = affinity_heap::trim_all();
    EXPECT_EQ(held - done.bytes_returned, affinity_heap::usage_all().bytes_reserved);
    if (!passthrough()) {
        EXPECT_GE(done.heaps_trimmed, 1u);
    }
    EXPECT_EQ(h.usage().bytes_reserved, 0u);
}

struct idling {
    static constexpr std::string_view name = "idling";
};

/// Makes 30 MB of objects and frees all but one of 500, which it gives.
std::vector<void*> mostly_freed() {
    std::vector<void*> all(150'000), kept;
    for (void*& p : all) {
        p = affinity_heap::of<idling>().allocate(200, 8);
        std::memset(p, 0x5a, 200);
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (i % 500 == 0)
            kept.push_back(all[i]);
        else
            affinity_heap::of<idling>().deallocate(all[i], 200, 8);
    }
    return kept;
}

std::size_t resident_around(const std::vector<void*>& objects) {
    constexpr std::uintptr_t area = 64_KiB; // the objects lie further apart
    std::size_t sum = 0;
    for (const void* p : objects)
        sum += detail::os::platform::resident_bytes(
            reinterpret_cast<const void*>(align_down(address_of(p), area)), area); // NOLINT
    return sum;
}

TEST(affinity_any_threads, pages_of_a_thread_that_idles_and_of_ended_ones_go_back) {
    if (!support::threads_have_slabs())
        GTEST_SKIP() << "no pages that go back: all goes to malloc, or heaps have locks";
    const std::vector<void*> own = mostly_freed();
    std::vector<void*> of_ended;
    std::thread{[&] { of_ended = mostly_freed(); }}.join();
    const std::size_t before = resident_around(own), of_ended_before = resident_around(of_ended);
    // Each at its time.
    bool own_went = false, of_ended_went = false;
    // It wants to see for a second that nothing happens.
    for (int i = 0; i < 3000 && !(own_went && of_ended_went); ++i) {
        affinity_heap::give_back_due();
        std::this_thread::sleep_for(std::chrono::milliseconds{10});
        own_went = own_went || resident_around(own) < before / 2;
        of_ended_went = of_ended_went || resident_around(of_ended) < of_ended_before / 2;
    }
    EXPECT_TRUE(own_went);
    EXPECT_TRUE(of_ended_went);
    for (const auto& all : {own, of_ended})
        for (void* p : all) {
            EXPECT_EQ(static_cast<unsigned char*>(p)[199], 0x5a) << "what lives stays";
            affinity_heap::of<idling>().deallocate(p, 200, 8);
        }
}

TEST(affinity_any_threads, a_trim_says_whom_it_asked) {
    if (passthrough() || detail::slow_only)
        GTEST_SKIP() << "every heap is locked in this build: none is one thread's alone";
    affinity_heap& h = affinity_heap::named("asked");
    std::atomic<int> state{0};
    std::thread other{[&] {
        void* const p = h.allocate(40, 8);
        state = 1;
        while (state.load() != 2)
            std::this_thread::yield();
        h.deallocate(p, 40, 8);
    }};
    while (state.load() != 1)
        std::this_thread::yield();
    EXPECT_EQ(h.trim().heaps_asked, 1u);
    state = 2;
    other.join();
    EXPECT_EQ(h.trim().heaps_asked, 0u);
    EXPECT_EQ(h.usage().bytes_reserved, 0u);
}

TEST(affinity_any_death, the_size_of_another_affinitys_object_or_a_freed_one_is_not_told) {
    if (passthrough())
        GTEST_SKIP() << "all goes to malloc";
    affinity_heap& h = affinity_heap::named("asked for sizes");
    affinity_heap& other = affinity_heap::named("not asked for sizes");
    for (const std::size_t bytes : {std::size_t{48}, std::size_t{100'000}}) {
        void* const p = other.allocate(bytes, 8);
        void* const mine = h.allocate(bytes, 8);
        EXPECT_GE(h.size_of(mine), bytes);
        std::memset(mine, 1, h.size_of(mine)); // to a memory checker, too
        EXPECT_DEATH(static_cast<void>(h.size_of(p)), "no allocation of affinity asked for sizes");
        EXPECT_DEATH(static_cast<void>(h.size_of(static_cast<std::byte*>(mine) + 8)),
                     "no allocation of .*asked for sizes");
        other.deallocate(p, bytes, 8);
        h.deallocate(mine, bytes, 8);
    }
    void* const kept = h.allocate(48, 8); // or the block may go
    void* const freed = h.allocate(48, 8);
    h.deallocate(freed, 48, 8);
    EXPECT_DEATH(static_cast<void>(h.size_of(freed)), "no allocation of .*asked for sizes");
    EXPECT_FALSE(h.try_resize(freed, 48, 47));
    h.deallocate(kept, 48, 8);
}

#if DEMANDS_CAN_BE_TESTED

TEST(affinity_any, what_is_freed_without_its_size_is_soon_the_next_of_its_size_at_no_slow_call) {
    using support::demands;
    using support::demands_of;
    if (passthrough() || detail::slow_only)
        GTEST_SKIP() << "no call is a quick one there";
    if (demands_of([] {}) == demands::unknown)
        GTEST_SKIP() << "this system lets no process give up its system calls";
    affinity_heap& h = affinity_heap::named("given back at once");
    const auto by_heap = [](affinity_heap& own, void* p) { own.deallocate(p); };
    const auto by_any = [](affinity_heap&, void* p) { affinity_heap::deallocate_any(p); };
    const auto as_malloc = [](affinity_heap&, void* p) { deallocate(p); };
    using call = void (*)(affinity_heap&, void*);
    for (const call free : {call{by_heap}, call{by_any}, call{as_malloc}}) {
        for (const std::size_t bytes : {1u, 24u, 100u, 700u, 1024u}) {
            void* const below = h.allocate(bytes); // lives: the size has a slab with room
            void* const p = h.allocate(bytes);
            const auto pairs = [&] {
                void* now = p;
                void* other = nullptr;
                for (int i = 0; i < 1000; ++i) {
                    free(h, now);
                    now = h.try_allocate(bytes);
                    if (now != p && other == nullptr)
                        other = now;
                    if (now != p && now != other) // it takes turns on two slots at most
                        std::abort();             // in the child: what it demands is unknown
                }
            };
            EXPECT_EQ(demands_of(pairs), demands::nothing) << bytes;
            // A free that another thread makes is the owner's at a slow call only.
            std::thread{[&] { free(h, p); }}.join();
            EXPECT_NE(h.try_allocate(bytes), p) << bytes;
            h.deallocate(below);
        }
    }
    h.reset();
}

#endif

} // namespace
