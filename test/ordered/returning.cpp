// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// When ordered_heap gives memory back.

#include <arenite/os/detail/platform.hpp>
#include <arenite/os/page_resource.hpp>

#include "ordered/heap_test.hpp"
#include "support/demands.hpp"
#include "support/mappings.hpp"

#include <algorithm>
#include <mutex>

using namespace ordered_test;
using detail::os::platform;

namespace {

class ordered_heap_returning : public heap_test {
protected:
    counting_pages pages;
    counting_resource up;

    static std::size_t page() { return platform::page_bytes(); }
};

// ---- when memory goes back ----------------------------------------------------------------------

TEST_F(ordered_heap_returning, by_default_2_mib_stay) {
    ordered_heap heap{&pages};
    for (int round = 0; round < 2; ++round) {
        give(heap, take(heap, 64_MiB / 64, 64), 64);
        EXPECT_EQ(heap.usage().bytes_in_use, 0u);
        EXPECT_LE(heap.usage().bytes_reserved, 2_MiB + 2 * 2_MiB)
            << "the open blocks' spans come beside";
        EXPECT_GE(heap.usage().bytes_reserved, 2_MiB) << "what is kept is reused";
    }
}

TEST_F(ordered_heap_returning, a_heap_that_shrinks_in_any_order_follows_its_use) {
    for (const bool from_the_end : {false, true}) {
        ordered_heap heap{&pages};
        auto all = take(heap, 64_MiB / 64, 64);
        if (from_the_end)
            std::reverse(all.begin(), all.end());
        std::size_t left = all.size();
        for (void* p : all) {
            heap.deallocate(p, 64, 8);
            --left;
            if (left % 10'000 != 0)
                continue;
            const usage u = heap.usage();
            const std::size_t allowance = std::max(2_MiB, u.bytes_in_use / 16);
            // The bits take 1/64; one span is emptying and one or two are open.
            ASSERT_LE(u.bytes_reserved,
                      u.bytes_in_use + u.bytes_in_use / 32 + allowance + 3 * 2_MiB);
        }
    }
}

TEST_F(ordered_heap_returning, a_swing_of_less_than_what_is_kept_asks_nobody) {
    ordered_heap heap{ordered_options{.policy = {.keep_divisor = 4}}, &pages};
    auto all = take(heap, 60_MiB / 64, 64);
    std::size_t calls = 0;
    for (int round = 0; round < 6; ++round) {
        const std::vector<void*> last(all.end() - static_cast<std::ptrdiff_t>(all.size() / 6),
                                      all.end());
        give(heap, last, 64);
        all.resize(all.size() - last.size());
        const auto again = take(heap, last.size(), 64);
        all.insert(all.end(), again.begin(), again.end());
        if (round == 0)
            calls = pages.calls() + pages.deallocations();
    }
    EXPECT_EQ(pages.calls() + pages.deallocations(), calls);
}

TEST_F(ordered_heap_returning, retain_all_keeps_everything_until_trim) {
    ordered_heap heap{ordered_options{.policy = return_policy::retain_all}, &pages};
    const auto all = take(heap, 64_MiB / 64, 64);
    const std::size_t reserved = heap.usage().bytes_reserved;
    give(heap, all, 64);
    EXPECT_EQ(pages.deallocations(), 0u);
    EXPECT_EQ(heap.usage().bytes_reserved, reserved);
    const std::size_t calls = pages.calls();
    give(heap, take(heap, 64_MiB / 64, 64), 64);
    EXPECT_EQ(pages.calls(), calls);
    heap.trim();
    EXPECT_EQ(pages.live(), 0u);
    EXPECT_EQ(heap.usage().bytes_reserved, 0u);
}

TEST_F(ordered_heap_returning, return_all_gives_each_span_back_when_it_is_empty) {
    ordered_heap heap{ordered_options{.policy = return_policy::return_all}, &pages};
    const auto all = take(heap, 32_MiB / 64, 64);
    std::size_t left = all.size();
    for (void* p : all) {
        heap.deallocate(p, 64, 8);
        if (--left % 5000 != 0)
            continue;
        const usage u = heap.usage();
        ASSERT_LE(u.bytes_reserved, u.bytes_in_use + u.bytes_in_use / 32 + 2 * 2_MiB);
    }
    EXPECT_LE(heap.usage().bytes_reserved, 2_MiB) << "no more than what is open";
}

TEST_F(ordered_heap_returning, a_span_of_which_one_object_lives_stays) {
    ordered_heap heap{ordered_options{.policy = return_policy::return_all}, &pages};
    auto all = take(heap, 32_MiB / 64, 64);
    void* survivor = all[all.size() / 2];
    std::erase(all, survivor);
    give(heap, all, 64);
    EXPECT_TRUE(heap.owns(survivor));
    EXPECT_LE(heap.usage().bytes_reserved, 2 * 2_MiB);
    heap.trim();
    EXPECT_TRUE(heap.owns(survivor));
    EXPECT_EQ(pages.live(), 1u);
    heap.deallocate(survivor, 64, 8);
    heap.trim();
    EXPECT_EQ(pages.live(), 0u);
}

TEST_F(ordered_heap_returning, large_temporaries_beside_a_sweep_give_their_spans_back) {
    for (const sizes s : {sizes::given, sizes::kept}) {
        ordered_heap heap{
            ordered_options{.sizes = s, .block_bytes = 4_KiB, .policy = return_policy::return_all},
            &pages};
        const auto all = take(heap, 20'000, 8);
        for (std::size_t i = 0; i < all.size(); i += 2) // holes of 8 bytes
            heap.deallocate(all[i], 8, 8);
        const std::size_t reserved = heap.usage().bytes_reserved;
        for (int i = 0; i < 5000; ++i) {
            static_cast<void>(heap.allocate(8, 8));
            void* temporary = heap.allocate(500, 8);
            pattern{1}.write(temporary, 500);
            ASSERT_TRUE((pattern{1}.holds(temporary, 500)));
            heap.deallocate(temporary, 500, 8);
        }
        EXPECT_LE(heap.usage().bytes_reserved, reserved + 3 * 4_KiB);
    }
}

TEST_F(ordered_heap_returning, a_policy_of_one_s_own_is_kept) {
    ordered_heap heap{ordered_options{.policy = {.keep_bytes = 4_MiB, .keep_divisor = 0}}, &pages};
    give(heap, take(heap, 64_MiB / 64, 64), 64);
    EXPECT_LE(heap.usage().bytes_reserved, 4_MiB + 2 * 2_MiB);
    EXPECT_GE(heap.usage().bytes_reserved, 2_MiB);
}

// ---- trim ---------------------------------------------------------------------------------------

TEST_F(ordered_heap_returning, trim_of_an_empty_heap_leaves_nothing) {
    for (const sizes s : {sizes::given, sizes::kept}) {
        for (const std::size_t block_bytes : {0_B, 4_KiB, 3_MiB}) {
            ordered_heap heap{ordered_options{.sizes = s, .block_bytes = block_bytes}, &pages};
            for (const std::size_t count : {1u, 100u, 30'000u}) {
                give(heap, take(heap, count, 48), 48);
                heap.trim();
                EXPECT_EQ(pages.live(), 0u);
                EXPECT_EQ(heap.usage().bytes_reserved, 0u);
                EXPECT_EQ(heap.usage().largest_hole_bytes, 0u);
            }
        }
    }
}

TEST_F(ordered_heap_returning, trim_sees_what_was_freed_last) {
    ordered_heap heap{&pages};
    void* a = heap.allocate(64, 8);
    void* b = heap.allocate(64, 8);
    void* c = heap.allocate(64, 8);
    heap.deallocate(b, 64, 8);
    heap.deallocate(a, 64, 8);
    heap.deallocate(c, 64, 8);
    heap.trim();
    EXPECT_EQ(pages.live(), 0u);
}

TEST_F(ordered_heap_returning, trim_between_all_else_harms_nothing) {
    ordered_heap heap{&pages};
    std::mt19937 random{4};
    std::vector<void*> live;
    for (int i = 0; i < 20'000; ++i) {
        if (random() % 5 < 3 || live.empty()) {
            live.push_back(heap.allocate(56, 8));
            pattern{address_of(live.back())}.write(live.back(), 56);
        } else {
            std::swap(live[random() % live.size()], live.back());
            ASSERT_TRUE((pattern{address_of(live.back())}.holds(live.back(), 56)));
            heap.deallocate(live.back(), 56, 8);
            live.pop_back();
        }
        if (random() % 100 == 0)
            heap.trim();
    }
    for (void* p : live)
        ASSERT_TRUE((pattern{address_of(p)}.holds(p, 56)));
    EXPECT_EQ(heap.usage().bytes_in_use, live.size() * 56);
}

TEST_F(ordered_heap_returning, trim_gives_single_pages_between_objects_back) {
    if (page() > 16_KiB)
        GTEST_SKIP() << "pages of 64 KiB";
    for (const sizes s : {sizes::given, sizes::kept}) {
        ordered_heap heap{ordered_options{.sizes = s}, &pages};
        auto all = take(heap, 16_MiB / 64, 64);
        for (void* p : all)
            pattern{address_of(p)}.write(p, 64);
        std::vector<void*> survivors;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (i % 1000 == 0) // one in 64000 bytes
                survivors.push_back(all[i]);
            else
                heap.deallocate(all[i], 64, 8);
        }
        EXPECT_GE(pages.resident_bytes(), 16_MiB);
        const usage before = heap.usage();
        heap.trim();
        // A page for each survivor, and up to four for the bookkeeping of each block;
        // in a checked build what is noted of each object stays.
        EXPECT_LE(pages.resident_bytes(),
                  survivors.size() * page() + pages.live_bytes() / page_block * 4 * page() +
                      (checks_enabled ? pages.live_bytes() / 64_KiB * page() : 0));
        EXPECT_EQ(heap.usage().bytes_in_use, before.bytes_in_use);
        EXPECT_EQ(heap.usage().bytes_reserved, pages.live_bytes());
        for (void* p : survivors)
            ASSERT_TRUE((pattern{address_of(p)}.holds(p, 64)));
        // Returned memory serves again.
        for (int i = 0; i < 100'000; ++i) {
            void* p = heap.allocate(64, 8);
            pattern{address_of(p)}.write(p, 64);
        }
        for (void* p : survivors)
            ASSERT_TRUE((pattern{address_of(p)}.holds(p, 64)));
    }
}

TEST_F(ordered_heap_returning, trim_gives_the_rest_of_a_block_back) {
    if (support::emulated())
        GTEST_SKIP() << "an emulator ignores advice";
    ordered_heap heap{ordered_options{.block_bytes = 2_MiB, .prefault = true}, &pages};
    void* p = heap.allocate(64);
    EXPECT_EQ(pages.resident_bytes(), 2_MiB);
    heap.trim();
    EXPECT_LE(pages.resident_bytes(), 4 * page());
    heap.deallocate(p, 64);
}

TEST_F(ordered_heap_returning, trim_leaves_large_allocations_alone) {
    ordered_heap heap{&pages};
    void* p = heap.allocate(3_MiB);
    pattern{1}.write(p, 3_MiB);
    heap.trim();
    EXPECT_TRUE((pattern{1}.holds(p, 3_MiB)));
    EXPECT_EQ(pages.live(), 1u);
    heap.deallocate(p, 3_MiB);
    heap.trim();
    EXPECT_EQ(pages.live(), 0u);
}

TEST_F(ordered_heap_returning, only_trim_purges) {
    ordered_heap heap{&pages};
    auto all = take(heap, 8_MiB / 64, 64);
    std::shuffle(all.begin(), all.end(), std::mt19937{1});
    give(heap, all, 64);
    static_cast<void>(take(heap, 1000, 64));
    EXPECT_EQ(pages.purged_bytes(), 0u);
    heap.trim();
    EXPECT_GT(pages.purged_bytes(), 0u);
}

// ---- the end ------------------------------------------------------------------------------------

TEST_F(ordered_heap_returning, destruction_gives_everything_back_whatever_lives) {
    for (const sizes s : {sizes::given, sizes::kept}) {
        for (const std::size_t block_bytes : {0_B, 4_KiB, 1_MiB}) {
            {
                ordered_heap heap{ordered_options{.sizes = s, .block_bytes = block_bytes}, &up};
                auto all = take(heap, 20'000, 40);
                for (const std::size_t alignment : {8_B, 4_KiB, 64_KiB, 1_MiB})
                    static_cast<void>(heap.allocate(200'000, alignment));
                for (std::size_t i = 0; i < all.size(); i += 3)
                    heap.deallocate(all[i], 40, 8);
                EXPECT_GT(up.live(), 0u);
            }
            EXPECT_EQ(up.live(), 0u);
        }
    }
}

TEST_F(ordered_heap_returning, a_checked_build_tells_what_was_alive) {
    static std::size_t told, count, bytes;
    static std::vector<leaked_object> examples;
    static const resource* source;
    told = 0;
    set_leak_handler([](const leak_summary& summary) {
        ++told;
        source = summary.source;
        count = summary.count;
        bytes = summary.bytes;
        examples.assign(summary.examples, summary.examples + summary.example_count);
    });
    for (const sizes s : {sizes::given, sizes::kept}) {
        told = 0;
        std::vector<std::pair<const void*, std::size_t>> expected;
        const void* self = nullptr;
        {
            ordered_heap heap{ordered_options{.sizes = s}, &pages};
            self = &heap;
            for (const std::size_t size : {8_B, 24_B, 100_B, 8_B, 300_KiB})
                expected.emplace_back(heap.allocate(size, 8), rounded(size, 8));
            heap.deallocate(const_cast<void*>(expected[2].first), 100, 8);
            expected.erase(expected.begin() + 2);
            std::sort(expected.begin(), expected.end());
        }
        EXPECT_EQ(pages.live(), 0u) << "it goes back all the same";
        if constexpr (!checks_enabled) {
            EXPECT_EQ(told, 0u);
            continue;
        }
        ASSERT_EQ(told, 1u);
        EXPECT_EQ(source, self);
        EXPECT_EQ(count, 4u);
        EXPECT_EQ(bytes, 16u + 24 + 16 + 300_KiB);
        ASSERT_EQ(examples.size(), 4u);
        for (std::size_t i = 0; i < 4; ++i) {
            EXPECT_EQ(examples[i].address, expected[i].first) << "in address order";
            EXPECT_EQ(examples[i].bytes, expected[i].second);
        }
    }
    if constexpr (checks_enabled) {
        told = 0;
        {
            ordered_heap heap{&pages};
            static_cast<void>(take(heap, 1000, 24));
        }
        EXPECT_EQ(count, 1000u);
        EXPECT_EQ(bytes, 24'000u);
        EXPECT_EQ(examples.size(), max_leak_examples);
        told = 0;
        {
            ordered_heap heap{&pages};
            give(heap, take(heap, 1000, 24), 24);
        }
        EXPECT_EQ(told, 0u) << "nothing was alive";
    }
}

// ---- what stays when nothing lives --------------------------------------------------------------

/// Everything was freed: in which order, and with which other sizes around it.
TEST_F(ordered_heap_returning, when_all_is_freed_little_stays_even_without_trim) {
    enum class order { of_birth, reverse, any };
    for (std::uint32_t seed = 1; seed <= 8; ++seed) {
        const order o = seed % 4 == 0   ? order::reverse
                        : seed % 4 == 1 ? order::any
                                        : order::of_birth;
        for (const return_policy policy : {return_policy{}, return_policy::return_all}) {
            std::mt19937 random{seed};
            ordered_heap heap{ordered_options{.policy = policy}, &pages};
            std::vector<piece> all;
            for (std::size_t sum = 0; sum < 48_MiB;) {
                const std::size_t bytes =
                    random() % 20 == 0 ? random() % 40'000 : 1 + random() % 600;
                all.push_back({heap.allocate(bytes, 8), bytes});
                sum += bytes;
            }
            if (o == order::reverse)
                std::reverse(all.begin(), all.end());
            else if (o == order::any)
                std::shuffle(all.begin(), all.end(), random);
            for (const piece& x : all)
                heap.deallocate(x.p, x.bytes, 8);
            EXPECT_EQ(heap.usage().bytes_in_use, 0u);
            // All that the policy allows, and the slabs that are allocated from: they are looked at
            // while the heap holds more than 4 MiB.
            EXPECT_LE(heap.usage().bytes_reserved, policy.keep_bytes + 3 * 2_MiB)
                << "seed " << seed << ", " << policy.keep_bytes;
            heap.trim();
            EXPECT_EQ(heap.usage().bytes_reserved, 0u);
            EXPECT_EQ(pages.live(), 0u);
        }
    }
}

/// Each size goes on with a slab that is empty, in a block of its own.
TEST_F(ordered_heap_returning, a_heap_that_held_much_keeps_no_empty_slabs_when_nothing_lives) {
    for (std::size_t sizes = 2; sizes <= 12; ++sizes) {
        ordered_heap heap{&pages};
        std::vector<piece> all;
        for (std::size_t i = 0; i < sizes; ++i) {
            const std::size_t bytes = 16 + 48 * i;
            for (void* const p : take(heap, 6_MiB / sizes / bytes, bytes))
                all.push_back({p, bytes});
        }
        EXPECT_GT(heap.usage().bytes_reserved, 4_MiB);
        std::shuffle(all.begin(), all.end(), std::mt19937{static_cast<unsigned>(sizes)});
        for (const piece& x : all)
            heap.deallocate(x.p, x.bytes, 8);
        EXPECT_LE(heap.usage().bytes_reserved, 2_MiB + 1_MiB)
            << sizes << " sizes: what is kept, and the span of the last block";
    }
}

TEST_F(ordered_heap_returning, a_heap_that_is_filled_with_little_again_and_again_keeps_it) {
    ordered_heap heap{&pages};
    std::size_t calls = 0;
    for (int round = 0; round < 10; ++round) {
        std::vector<piece> all;
        for (std::size_t bytes = 16; bytes <= 512; bytes += 62)
            for (void* const p : take(heap, 256_KiB / bytes, bytes))
                all.push_back({p, bytes});
        EXPECT_LE(heap.usage().bytes_reserved, 4_MiB);
        for (const piece& x : all)
            heap.deallocate(x.p, x.bytes, 8);
        if (round == 1)
            calls = pages.calls() + pages.deallocations();
    }
    EXPECT_EQ(pages.calls() + pages.deallocations(), calls);
}

TEST_F(ordered_heap_returning, a_size_that_is_not_used_any_more_does_not_hold_a_span) {
    ordered_heap heap{ordered_options{.policy = return_policy::return_all}, &pages};
    // Phases of one size each; of each the slab that it was allocated from last is empty.
    for (std::size_t bytes = 16; bytes <= 1024; bytes += 48) {
        const auto all = take(heap, 8_MiB / bytes, bytes);
        give(heap, all, bytes);
        EXPECT_LE(heap.usage().bytes_reserved, 4_MiB) << bytes;
    }
}

TEST_F(ordered_heap_returning, an_eager_heap_may_return_its_first_memory_at_once) {
    ordered_heap heap{ordered_options{.policy = return_policy::return_all, .eager = true}, &pages};
    EXPECT_EQ(pages.calls(), 1u);
    EXPECT_EQ(heap.usage().bytes_reserved, 0u);
    void* const p = heap.allocate(10);
    heap.deallocate(p, 10);
}

// ---- what a heap that was emptied asks ----------------------------------------------------------

#if DEMANDS_CAN_BE_TESTED
using support::demands;
using support::demands_of;

TEST_F(ordered_heap_returning, a_test_of_demands_sees_locks_and_system_calls) {
    if (demands_of([] {}) == demands::unknown)
        GTEST_SKIP() << "this system lets no process give up its system calls";
    EXPECT_EQ(demands_of([] {}), demands::nothing);
    EXPECT_EQ(demands_of([] { ::getppid(); }), demands::system_call);
    std::mutex m;
    EXPECT_EQ(demands_of([&] { const std::lock_guard lock{m}; }), demands::lock);
    EXPECT_EQ(demands_of([] { static_cast<void>(page_source().usage()); }), demands::lock);
}

TEST_F(ordered_heap_returning, a_pair_in_a_heap_that_was_emptied_asks_nobody) {
    if (demands_of([] {}) == demands::unknown)
        GTEST_SKIP() << "this system lets no process give up its system calls";
    for (const ordered_options& options : {known, kept}) {
        for (const std::size_t bytes : {8_B, 48_B, 200_B, 1_KiB, 3000_B, 16_KiB, 60'000_B}) {
            ordered_heap heap{options}; // over page_source(), which has a lock
            const auto pair = [&] { heap.deallocate(heap.allocate(bytes, 8), bytes, 8); };
            give(heap, take(heap, 16_MiB / bytes, bytes), bytes);
            for (int i = 0; i < 100; ++i)
                pair();
            page_source().trim(); // else what waits there is seen to when its time has come
            EXPECT_EQ(demands_of([&] {
                          for (int i = 0; i < 10'000; ++i)
                              pair();
                      }),
                      demands::nothing)
                << bytes << " bytes";
        }
    }
}
#endif

} // namespace
