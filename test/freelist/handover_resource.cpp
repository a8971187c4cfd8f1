// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/freelist/handover_resource.hpp>

#include <arenite/check/passthrough.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/literals.hpp>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"
#include "support/piece.hpp"

#include <atomic>
#include <cstddef>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

using namespace arenite;
using support::counting_resource;

namespace {

/// Runs `work` on another thread, to its end.
template <class F>
void elsewhere(F work) {
    std::thread{work}.join();
}

TEST(handover_resource_threads, a_free_by_another_thread_is_done_by_the_owners_next_requests) {
    handover_resource r{1_MiB};
    std::vector<void*> all;
    for (int i = 0; i < 10; ++i)
        all.push_back(r.allocate(100));
    EXPECT_TRUE(r.is_owner());
    elsewhere([&] {
        EXPECT_FALSE(r.is_owner());
        for (void* const p : all)
            r.deallocate(p, 100);
    });
    const std::size_t before = r.usage().live_allocations;
    EXPECT_EQ(before, 10u) << "in use until the owner frees it";
    void* const p = r.allocate(100);
    EXPECT_EQ(r.usage().live_allocations, 9u) << "two freed, one allocated";
    EXPECT_EQ(r.collect(3), 3u);
    EXPECT_EQ(r.collect(100), 5u);
    EXPECT_EQ(r.collect(100), 0u);
    EXPECT_EQ(r.usage().live_allocations, 1u);
    r.deallocate(p, 100);
    EXPECT_EQ(r.usage().live_allocations, 0u) << "the owner frees at once";
}

TEST(handover_resource_threads, before_it_fails_it_frees_a_bounded_number_more) {
    if (passthrough())
        GTEST_SKIP() << "memory is malloc's";
    handover_resource r{64_KiB, handover_options{.freed_by_each = 0, .freed_before_failing = 4}};
    std::vector<void*> all;
    while (void* const p = r.try_allocate(1000))
        all.push_back(p);
    ASSERT_GT(all.size(), 20u);
    elsewhere([&] {
        for (void* const p : all)
            r.deallocate(p, 1000);
    });
    EXPECT_EQ(r.try_allocate(8000), nullptr) << "four pieces are not enough";
    EXPECT_EQ(r.usage().live_allocations, all.size() - 4);
    void* const p = r.try_allocate(8000);
    EXPECT_NE(p, nullptr) << "eight pieces are";
    r.deallocate(p, 8000);
    EXPECT_EQ(r.collect(~std::size_t{0}), all.size() - 8);
}

TEST(handover_resource_threads, small_and_over_aligned_requests_have_room_for_the_link) {
    handover_resource r{1_MiB};
    for (const std::size_t bytes : {0u, 1u, 7u, 8u, 15u, 16u, 17u, 4000u}) {
        for (std::size_t alignment = 1; alignment <= 4096; alignment *= 4) {
            void* const p = r.allocate(bytes, alignment);
            void* const beside = r.allocate(1, 1);
            std::memset(beside, 0x5A, 1);
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % alignment, 0u);
            elsewhere([&] { r.deallocate(p, bytes, alignment); });
            EXPECT_EQ(r.collect(9), 1u);
            EXPECT_EQ(*static_cast<unsigned char*>(beside), 0x5A);
            r.deallocate(beside, 1, 1);
        }
    }
    EXPECT_EQ(r.usage().bytes_in_use, 0u);
    if (!checks_enabled) { // else a contract is violated
        EXPECT_EQ(r.try_allocate(64, 3), nullptr) << "no power of two";
    }
    EXPECT_EQ(r.try_allocate(~std::size_t{0}), nullptr);
    EXPECT_EQ(r.try_allocate(~std::size_t{0} - 8), nullptr);
}

/// Memory is not refused for words that were left in it, or copied there.
TEST(handover_resource_threads, memory_that_nobody_wrote_to_is_handed_over_again_and_again) {
    handover_resource r{64_KiB};
    for (int i = 0; i < 100; ++i) {
        void* const p = r.allocate(48);
        elsewhere([&] { r.deallocate(p, 48); });
        EXPECT_EQ(r.collect(9), 1u);
    }
    // The copy of one that waits, in another one's memory.
    void* const a = r.allocate(48);
    void* const b = r.allocate(48);
    elsewhere([&] {
        r.deallocate(a, 48);
        std::memcpy(b, a, 16);
        r.deallocate(b, 48);
    });
    EXPECT_EQ(r.collect(9), 2u);
    EXPECT_EQ(r.usage().live_allocations, 0u);
}

TEST(handover_resource_threads, another_thread_becomes_the_owner) {
    handover_resource r{1_MiB};
    void* const p = r.allocate(64);
    void* q = nullptr;
    elsewhere([&] {
        r.own();
        q = r.allocate(64);
        r.deallocate(p, 64);
        EXPECT_EQ(r.usage().live_allocations, 1u);
    });
    r.own();
    r.deallocate(q, 64);
    EXPECT_EQ(r.usage().live_allocations, 0u);
}

TEST(handover_resource_threads, all_goes_back_with_it) {
    counting_resource up;
    {
        handover_resource r{64_KiB, &up};
        void* const p = r.allocate(10);
        elsewhere([&] { r.deallocate(p, 10); });
        r.trim();
        EXPECT_EQ(up.live(), 0u) << "trim frees what was handed over first";
        void* const q = r.allocate(10);
        elsewhere([&] { r.deallocate(q, 10); });
    }
    EXPECT_EQ(up.live(), 0u);
}

TEST(handover_resource_threads, what_others_free_at_once_never_overlaps_what_is_allocated) {
    struct piece {
        std::atomic<unsigned char*> at{nullptr};
        std::size_t bytes = 0;
        unsigned char fill = 0;
    };
    constexpr std::size_t slots = 64;
    constexpr int rounds = 30'000;
    // Room for all that is ever asked for: while a thread is interrupted within its free, all that
    // others hand over behind it waits.
    handover_resource r{16_MiB};
    std::vector<piece> mailbox(slots);
    std::atomic<bool> done{false};
    std::atomic<std::size_t> damaged{0};
    std::vector<std::thread> others;
    for (unsigned t = 0; t < 2; ++t) {
        others.emplace_back([&, t] {
            std::mt19937 random{t};
            while (!done.load()) {
                piece& s = mailbox[random() % slots];
                unsigned char* const p = s.at.load(std::memory_order_acquire);
                if (p == nullptr || p == reinterpret_cast<unsigned char*>(1))
                    continue;
                unsigned char* expected = p; // 1: one of us has it
                if (!s.at.compare_exchange_strong(expected, reinterpret_cast<unsigned char*>(1)))
                    continue;
                for (std::size_t i = 0; i < s.bytes; ++i)
                    damaged += p[i] != s.fill;
                r.deallocate(p, s.bytes);
                s.at.store(nullptr, std::memory_order_release);
            }
        });
    }
    std::mt19937 random{9};
    for (int round = 0; round < rounds; ++round) {
        piece& s = mailbox[random() % slots];
        if (s.at.load(std::memory_order_acquire) != nullptr)
            continue;
        const std::size_t bytes = random() % 300;
        void* const p = r.try_allocate(bytes);
        ASSERT_NE(p, nullptr);
        s.bytes = bytes;
        s.fill = static_cast<unsigned char>(random());
        std::memset(p, s.fill, bytes);
        s.at.store(static_cast<unsigned char*>(p), std::memory_order_release);
    }
    done = true;
    for (std::thread& t : others)
        t.join();
    EXPECT_EQ(damaged.load(), 0u);
    for (piece& s : mailbox)
        if (s.at != nullptr)
            r.deallocate(s.at, s.bytes);
    r.collect(~std::size_t{0});
    EXPECT_EQ(r.usage().live_allocations, 0u);
}

#if defined(GTEST_HAS_DEATH_TEST)
TEST(handover_resource_death, a_second_hand_over_is_found_at_the_call) {
    if (passthrough())
        GTEST_SKIP() << "memory is malloc's";
    for (const int first : {0, 1, 2}) { // the last one, one within, the first
        EXPECT_DEATH(
            {
                handover_resource r{1_MiB};
                void* p[3];
                for (void*& q : p)
                    q = r.allocate(100);
                elsewhere([&] {
                    for (int i = 0; i < 3; ++i)
                        r.deallocate(p[(first + i) % 3], 100);
                    r.deallocate(p[2], 100);
                });
            },
            "was freed into handover_resource .* twice: it was handed over");
    }
}

TEST(handover_resource_death, a_second_free_is_found_after_the_owner_freed_it) {
    if (passthrough())
        GTEST_SKIP() << "memory is malloc's";
    EXPECT_DEATH(
        {
            handover_resource r{1_MiB};
            void* const p = r.allocate(100);
            elsewhere([&] { r.deallocate(p, 100); });
            r.collect(1);
            elsewhere([&] { r.deallocate(p, 100); });
            r.collect(1);
        },
        "tlsf_resource|use-after-poison");
}

TEST(handover_resource_death, what_another_thread_frees_and_is_not_of_it_is_found_at_the_call) {
    if (passthrough())
        GTEST_SKIP() << "memory is malloc's";
    handover_resource r{1_MiB};
    void* const p = r.allocate(100);
    long other[4] = {1, 2, 3, 4};
    EXPECT_DEATH(elsewhere([&] { r.deallocate(other, 32); }), "tlsf_resource");
    EXPECT_DEATH(elsewhere([&] { r.deallocate(nullptr, 32); }), "tlsf_resource|null");
    elsewhere([&] { r.deallocate(p, 100); });
    EXPECT_EQ(r.collect(2), 1u);
}

TEST(handover_resource_death, a_checked_build_finds_a_second_thread_that_allocates) {
    if (!checks_enabled)
        GTEST_SKIP() << "only a checked build looks";
    EXPECT_DEATH(
        {
            handover_resource r{1_MiB};
            static_cast<void>(r.allocate(100));
            elsewhere([&] { static_cast<void>(r.allocate(100)); });
        },
        "only the owner of a handover_resource allocates");
}
#endif

} // namespace
