// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Where the system limits the address space (ulimit -v), what is not used goes back.

#include <arenite/affinity/shared_heap.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/linear/growing_linear_resource.hpp>
#include <arenite/os/page_resource.hpp>

#include <gtest/gtest.h>

#include "support/addresses.hpp"
#include "support/limits.hpp"
#include "support/mappings.hpp"

#include <cstdlib>
#include <cstring>
#include <thread>

#if defined(__linux__) && LIMITS_CAN_BE_TESTED
#include <sys/mman.h>
#include <sys/resource.h>

using namespace arenite;

namespace {

/// In a child, since the limit stays.
void limit_addresses(std::size_t more) {
    rlimit limit{};
    ::getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = support::address_space_in_use() + more;
    ::setrlimit(RLIMIT_AS, &limit);
}

TEST(scarce_addresses_death, trim_gives_back_those_above_what_is_in_use) {
    if (support::emulated())
        GTEST_SKIP() << "limits are not heeded there";
    const auto in_child = [] {
        limit_addresses(1_GiB);
        const std::size_t before = support::address_space_in_use();
        page_resource pages;
        void* const kept = pages.allocate(64_KiB);
        void* const other = pages.allocate(100_MiB);
        EXPECT_TRUE(pages.owns(static_cast<std::byte*>(kept) + 100_MiB));
        EXPECT_GE(support::address_space_in_use(), before + 100_MiB);
        pages.deallocate(other, 100_MiB);
        pages.trim();
        EXPECT_LE(support::address_space_in_use(), before + 16_MiB);
        EXPECT_TRUE(pages.owns(kept));
        EXPECT_FALSE(pages.owns(static_cast<std::byte*>(kept) + 100_MiB));
        // It grows again.
        void* const again = pages.try_allocate(200_MiB);
        EXPECT_NE(again, nullptr);
        EXPECT_TRUE(pages.owns(again));
        *static_cast<char*>(again) = 1;
        pages.deallocate(again, 200_MiB);
        for (int i = 0; i < 100; ++i)
            EXPECT_NE(pages.try_allocate(64_KiB), nullptr);
        pages.deallocate(kept, 64_KiB);
        std::_Exit(testing::Test::HasFailure() ? 1 : 0);
    };
    EXPECT_EXIT(in_child(), testing::ExitedWithCode(0), "");
}

TEST(scarce_addresses_death, a_further_range_that_was_cut_ends_when_it_is_empty) {
    if (support::emulated())
        GTEST_SKIP() << "limits are not heeded there";
    const auto in_child = [] {
        limit_addresses(1_GiB);
        const std::size_t before = support::address_space_in_use();
        page_resource pages;
        void* const kept = pages.allocate(64_KiB);
        pages.trim(); // leaves 4 MiB of the first range
        std::byte* end = static_cast<std::byte*>(kept);
        while (pages.owns(end))
            end += 64_KiB;
        void* const behind = ::mmap(end, 64_KiB, PROT_NONE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        EXPECT_EQ(behind, end); // so that a second one is needed
        void* const other = pages.allocate(64_MiB);
        pages.trim(); // cuts the second one behind it
        EXPECT_FALSE(pages.owns(static_cast<std::byte*>(other) + 68_MiB));
        pages.deallocate(other, 64_MiB);
        pages.trim();
        EXPECT_FALSE(pages.owns(other));
        EXPECT_LE(support::address_space_in_use(), before + 5_MiB);
        pages.deallocate(kept, 64_KiB);
        std::_Exit(testing::Test::HasFailure() ? 1 : 0);
    };
    EXPECT_EXIT(in_child(), testing::ExitedWithCode(0), "");
}

TEST(scarce_addresses_death, what_waits_where_no_huge_page_has_room_is_lent_again) {
    if (support::emulated())
        GTEST_SKIP() << "limits are not heeded there";
    const auto in_child = [] {
        page_resource pages{{.reserve_bytes = 1_MiB}};
        limit_addresses(2_MiB + 512_KiB); // no range that begins where huge pages do
        void* const p = pages.try_allocate(1_MiB + 768_KiB);
        EXPECT_NE(p, nullptr);
        pages.deallocate(p, 1_MiB + 768_KiB);
        EXPECT_EQ(pages.lend(1_MiB + 64_KiB, 16, page_use::dense).p, p);
        std::_Exit(testing::Test::HasFailure() ? 1 : 0);
    };
    EXPECT_EXIT(in_child(), testing::ExitedWithCode(0), "");
}

TEST(scarce_addresses_death, a_window_that_ends_behind_a_range_does_not_go_as_a_whole) {
    if (support::emulated())
        GTEST_SKIP() << "limits are not heeded there";
    constexpr int another_lies_there = 7;
    const auto in_child = [] {
        constexpr std::size_t bytes = 100_MiB + 64_KiB;
        page_resource pages{{.reserve_bytes = 390_MiB, .huge = huge_pages::always}};
        limit_addresses(230_MiB); // one range, of exactly what is asked
        void* const p = pages.try_allocate(bytes);
        EXPECT_NE(p, nullptr);
        std::memset(p, 1, bytes);
        void* const behind =
            ::mmap(static_cast<std::byte*>(p) + bytes, 64_KiB, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        if (behind != static_cast<std::byte*>(p) + bytes)
            std::_Exit(another_lies_there);
        std::memset(behind, 2, 64_KiB);
        pages.deallocate(p, bytes);
        pages.trim();
        EXPECT_EQ(*static_cast<char*>(behind), 2);
        std::_Exit(testing::Test::HasFailure() ? 1 : 0);
    };
    bool is_tested = true;
    const auto ends_well = [&](int status) {
        is_tested = !testing::ExitedWithCode(another_lies_there)(status);
        return !is_tested || testing::ExitedWithCode(0)(status);
    };
    EXPECT_EXIT(in_child(), ends_well, "");
    if (!is_tested)
        GTEST_SKIP() << "another mapping lies behind the range";
}

TEST(scarce_addresses_threads, what_is_freed_amid_a_trim_does_not_wait_in_addresses_given_up) {
    if (support::emulated())
        GTEST_SKIP() << "limits are not heeded there";
    const auto in_child = [] {
        limit_addresses(1_GiB);
        for (int round = 0; round < 10; ++round) {
            page_resource pages{{.huge = huge_pages::never}};
            void* const kept = pages.allocate(64_KiB);
            void* const large = pages.allocate(64_MiB);
            std::memset(large, 1, 64_MiB);             // takes a while to give back
            void* const above = pages.allocate(2_MiB); // not in the hole before `large`
            EXPECT_GT(above, large);
            pages.deallocate(large, 64_MiB);
            const std::size_t held = pages.usage().bytes_reserved;
            std::thread other{[&] {
                while (pages.usage().bytes_reserved == held)
                    std::this_thread::yield();
                pages.deallocate(above, 2_MiB); // trim() is giving `large` back
            }};
            pages.trim();
            other.join();
            if (pages.owns(above)) {
                pages.trim(); // it came too late for the first one
            } else {
                // Whoever has these addresses now keeps what is there.
                void* const others =
                    ::mmap(above, 64_KiB, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
                EXPECT_EQ(others, above);
                std::memset(others, 7, 64_KiB);
                pages.trim();
                EXPECT_EQ(*static_cast<char*>(others), 7);
                EXPECT_EQ(::munmap(others, 64_KiB), 0);
            }
            EXPECT_FALSE(pages.owns(above));
            pages.deallocate(kept, 64_KiB);
        }
        std::_Exit(testing::Test::HasFailure() ? 1 : 0);
    };
    EXPECT_EXIT(in_child(), testing::ExitedWithCode(0), "");
}

TEST(scarce_addresses_death, what_waits_at_the_page_source_makes_room_for_a_growing_resource) {
    if (support::emulated())
        GTEST_SKIP() << "limits are not heeded there";
    const auto in_child = [] {
        limit_addresses(600_MiB);
        void* const ended = page_source().allocate(400_MiB);
        page_source().deallocate(ended, 400_MiB);
        growing_linear_resource g{500_MiB};
        EXPECT_NE(g.try_allocate(1_MiB), nullptr);
        EXPECT_GE(g.capacity(), 500_MiB);
        std::_Exit(testing::Test::HasFailure() ? 1 : 0);
    };
    EXPECT_EXIT(in_child(), testing::ExitedWithCode(0), "");
}

/// Takes all addresses that the process may have.
void exhaust_addresses() {
    for (std::size_t bytes = 64_MiB; bytes >= 4_KiB; bytes /= 2)
        while (::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
            ;
}

TEST(scarce_addresses_death, what_waits_at_the_page_source_makes_room_for_what_was_never_used) {
    if (support::emulated())
        GTEST_SKIP() << "limits are not heeded there";
    const auto in_child = [](bool other) {
        limit_addresses(600_MiB);
        void* const ended = page_source().allocate(400_MiB);
        page_source().deallocate(ended, 400_MiB);
        exhaust_addresses();
        if (other) {
            page_resource pages;
            EXPECT_NE(pages.try_allocate(10_MiB), nullptr);
        } else {
            shared_heap heap;
            EXPECT_NE(heap.try_allocate(100), nullptr);
        }
        std::_Exit(testing::Test::HasFailure() ? 1 : 0);
    };
    EXPECT_EXIT(in_child(false), testing::ExitedWithCode(0), "");
    EXPECT_EXIT(in_child(true), testing::ExitedWithCode(0), "");
}

TEST(scarce_addresses_death, a_growing_resource_has_the_capacity_it_was_given_again) {
    if (support::emulated())
        GTEST_SKIP() << "limits are not heeded there";
    const auto in_child = [] {
        page_source().trim(); // of what other tests left, or it makes room
        growing_linear_resource g{support::gib_or(64, 512_MiB)};
        rlimit before{};
        ::getrlimit(RLIMIT_AS, &before);
        limit_addresses(1_GiB);
        EXPECT_NE(g.try_allocate(1_MiB), nullptr);
        EXPECT_LT(g.capacity(), 1_GiB);
        g.reset();
        g.trim();
        EXPECT_EQ(g.capacity(), support::gib_or(64, 512_MiB));
        ::setrlimit(RLIMIT_AS, &before);
        EXPECT_NE(g.try_allocate(1_MiB), nullptr);
        EXPECT_EQ(g.capacity(), support::gib_or(64, 512_MiB));
        std::_Exit(testing::Test::HasFailure() ? 1 : 0);
    };
    EXPECT_EXIT(in_child(), testing::ExitedWithCode(0), "");
}

} // namespace

#endif
