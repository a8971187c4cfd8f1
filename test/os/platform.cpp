// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/alignment.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/os/detail/platform.hpp>

#include "support/addresses.hpp"
#include "support/mappings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#if !defined(_WIN32)
#include <unistd.h>
#endif

using namespace arenite;
using detail::os::platform;

// The promises of the concept, to be kept by every system's file.
namespace {

/// A reservation that ends with the test.
struct reservation {
    explicit reservation(std::size_t size, std::size_t alignment = platform::page_bytes())
        : p{static_cast<std::byte*>(platform::reserve(size, alignment))}, bytes{size} {}
    ~reservation() {
        if (p != nullptr)
            platform::release(p, bytes);
    }
    reservation(const reservation&) = delete;
    reservation& operator=(const reservation&) = delete;

    std::byte* p;
    std::size_t bytes;
};

TEST(platform, pages_are_powers_of_two_and_huge_ones_are_larger) {
    EXPECT_TRUE(is_alignment(platform::page_bytes()));
    EXPECT_GE(platform::page_bytes(), 4_KiB);
    if (platform::huge_page_bytes() != 0) {
        EXPECT_TRUE(is_alignment(platform::huge_page_bytes()));
        EXPECT_GT(platform::huge_page_bytes(), platform::page_bytes());
    }
    EXPECT_EQ(platform::huge_page_bytes(), platform::huge_page_bytes());
}

#if !defined(_WIN32)
TEST(platform_death, pages_are_as_large_as_the_environment_says_where_that_can_be) {
    if (support::emulated())
        GTEST_SKIP() << "a fresh process would run without the emulator";
    GTEST_FLAG_SET(death_test_style, "threadsafe"); // a fresh process, environment and all
    const char* const before = std::getenv("ARENITE_PAGE_BYTES");
    const std::string asked = before == nullptr ? "" : before;
    const std::size_t usual = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    struct {
        std::string text;
        std::size_t bytes;
        const char* complaint;
    } const cases[] = {{"65536", 65536, ""},
                       {std::to_string(usual), usual, ""},
                       {"", usual, ""},
                       {"12288", usual, "ARENITE_PAGE_BYTES=12288 is no size of pages"},
                       {"131072", usual, "ARENITE_PAGE_BYTES=131072 is no size of pages"},
                       {"16k", usual, "ARENITE_PAGE_BYTES=16k is no whole number"}};
    for (const auto& c : cases) {
        ::setenv("ARENITE_PAGE_BYTES", c.text.c_str(), 1);
        EXPECT_EXIT(std::_Exit(platform::page_bytes() == c.bytes ? 10 : 20),
                    testing::ExitedWithCode(10), c.complaint)
            << c.text;
    }
    if (before == nullptr)
        ::unsetenv("ARENITE_PAGE_BYTES");
    else
        ::setenv("ARENITE_PAGE_BYTES", asked.c_str(), 1);
}
#endif

TEST(platform, a_reservation_is_aligned_as_asked) {
    for (std::size_t alignment = 1; alignment <= support::gib_or(4, 256_MiB); alignment *= 2) {
        const reservation r{1_MiB, alignment};
        ASSERT_NE(r.p, nullptr) << alignment;
        EXPECT_TRUE(is_aligned(r.p, alignment)) << alignment;
        EXPECT_TRUE(is_aligned(r.p, platform::page_bytes()));
    }
}

TEST(platform, a_reservation_grows_where_nobody_is_behind_it) {
    if (!platform::reservations_grow)
        GTEST_SKIP() << "reservations do not grow here";
    const std::size_t page = platform::page_bytes();
    reservation r{16 * page};
    platform::release(r.p + 8 * page, 8 * page); // where nobody is, as a rule, and it began
    EXPECT_TRUE(platform::extend(r.p + 8 * page, 4 * page));
    EXPECT_FALSE(platform::extend(r.p + 4 * page, 4 * page)) << "those addresses are in use";
    EXPECT_FALSE(platform::extend(r.p + 8 * page, 8 * page)) << "some of them are";
    EXPECT_TRUE(platform::extend(r.p + 12 * page, 4 * page));
    ASSERT_TRUE(platform::commit(r.p, r.bytes)) << "they are one reservation";
    std::memset(r.p, 1, r.bytes);
}

TEST(platform, an_aligned_reservation_keeps_nothing_beside_itself) {
    if (support::emulated())
        GTEST_SKIP() << "an emulator's own mappings are counted too";
#if defined(_WIN32)
    GTEST_SKIP() << "what the system maps for itself meanwhile is counted too";
#endif
    const std::size_t bytes = 1_MiB + platform::page_bytes(); // the next is not aligned by chance
    const std::size_t tools = 128_KiB; // what a checker maps for itself meanwhile
    for (std::size_t alignment :
         {platform::page_bytes(), std::size_t{1_MiB}, std::size_t{64_MiB}}) {
        static_cast<void>(support::address_space_in_use()); // whatever it allocates, is allocated
        const std::size_t before = support::address_space_in_use();
        {
            const reservation a{bytes, alignment};
            const reservation b{bytes, alignment};
            const reservation c{bytes, alignment};
            const std::size_t with_them = support::address_space_in_use();
            EXPECT_GE(with_them, before + 3 * bytes);
            EXPECT_LE(with_them, before + 3 * bytes + tools);
            EXPECT_TRUE(support::mapped(c.p));
            EXPECT_TRUE(support::mapped(c.p + bytes - 1));
        }
        EXPECT_LE(support::address_space_in_use(), before + 2 * tools);
    }
}

TEST(platform, a_reservation_costs_no_memory_and_gives_no_access) {
    const reservation r{64_MiB};
    ASSERT_NE(r.p, nullptr);
    EXPECT_FALSE(support::readable(r.p));
    EXPECT_EQ(platform::resident_bytes(r.p, r.bytes), 0u);
}

TEST(platform, what_cannot_be_reserved_is_refused) {
    EXPECT_EQ(platform::reserve(0, 4_KiB), nullptr);
    EXPECT_EQ(platform::reserve(support::beyond_memory, 4_KiB), nullptr);
    EXPECT_EQ(platform::reserve(~std::size_t{0} - 4095, 4_KiB), nullptr);
    EXPECT_EQ(platform::reserve(4_KiB, support::largest_power), nullptr);
    EXPECT_EQ(platform::reserve(~std::size_t{0} - 4095, support::largest_power), nullptr);
}

TEST(platform, committed_memory_is_zero_and_usable_and_its_neighbours_are_not) {
    const std::size_t page = platform::page_bytes();
    const reservation r{8 * page};
    ASSERT_TRUE(platform::commit(r.p + 2 * page, 3 * page));
    for (std::size_t i = 2 * page; i < 5 * page; ++i)
        ASSERT_EQ(r.p[i], std::byte{0});
    std::memset(r.p + 2 * page, 1, 3 * page);
    EXPECT_FALSE(support::readable(r.p + 2 * page - 1));
    EXPECT_TRUE(support::readable(r.p + 2 * page));
    EXPECT_TRUE(support::readable(r.p + 5 * page - 1));
    EXPECT_FALSE(support::readable(r.p + 5 * page));
}

TEST(platform, only_what_was_touched_is_resident) {
    const std::size_t page = platform::page_bytes();
    const reservation r{64 * page};
    ASSERT_TRUE(platform::commit(r.p, r.bytes));
    platform::advise_huge(r.p, r.bytes, false);
    EXPECT_EQ(platform::resident_bytes(r.p, r.bytes), 0u);
    r.p[0] = r.p[10 * page] = r.p[63 * page] = std::byte{1};
    EXPECT_EQ(platform::resident_bytes(r.p, r.bytes), 3 * page);
    EXPECT_EQ(platform::resident_bytes(r.p + page, 10 * page), page);
}

TEST(platform, committing_twice_keeps_the_contents) {
    const std::size_t page = platform::page_bytes();
    const reservation r{2 * page};
    ASSERT_TRUE(platform::commit(r.p, page));
    r.p[7] = std::byte{7};
    ASSERT_TRUE(platform::commit(r.p, 2 * page));
    EXPECT_EQ(r.p[7], std::byte{7});
}

TEST(platform, a_commit_outside_of_any_reservation_fails) {
    if (support::emulated())
        GTEST_SKIP() << "an emulator may have reserved all addresses itself";
    std::byte* p = nullptr;
    {
        const reservation r{1_MiB};
        p = r.p;
    }
    EXPECT_FALSE(platform::commit(p, 1_MiB));
}

TEST(platform, decommit_takes_memory_and_access_away) {
    const std::size_t page = platform::page_bytes();
    const reservation r{4 * page};
    ASSERT_TRUE(platform::commit(r.p, r.bytes));
    std::memset(r.p, 1, r.bytes);
    platform::decommit(r.p + page, 2 * page);
    EXPECT_EQ(platform::resident_bytes(r.p, r.bytes), 2 * page);
    EXPECT_TRUE(support::readable(r.p));
    EXPECT_FALSE(support::readable(r.p + page));
    EXPECT_FALSE(support::readable(r.p + 3 * page - 1));
    EXPECT_TRUE(support::readable(r.p + 3 * page));
    ASSERT_TRUE(platform::commit(r.p + page, page));
    EXPECT_EQ(r.p[page], std::byte{0});
}

TEST(platform, purge_takes_memory_and_leaves_it_usable) {
    const std::size_t page = platform::page_bytes();
    const reservation r{4 * page};
    ASSERT_TRUE(platform::commit(r.p, r.bytes));
    std::memset(r.p, 1, r.bytes);
    platform::purge(r.p + page, 2 * page);
    EXPECT_EQ(platform::resident_bytes(r.p, r.bytes), 2 * page);
    EXPECT_EQ(r.p[page - 1], std::byte{1});
    r.p[page] = std::byte{2};
    EXPECT_EQ(r.p[page], std::byte{2});
    EXPECT_EQ(r.p[3 * page], std::byte{1});
}

TEST(platform, renewed_memory_is_usable_and_its_advice_forgotten) {
    const std::size_t page = platform::page_bytes();
    const std::size_t bytes = std::max(4 * page, platform::huge_page_bytes());
    const reservation r{bytes, bytes};
    ASSERT_TRUE(platform::commit(r.p, bytes));
    platform::advise_huge(r.p, bytes, true);
    std::memset(r.p, 1, bytes);
    platform::renew(r.p, bytes);
    EXPECT_EQ(platform::resident_bytes(r.p, bytes), 0u);
    EXPECT_EQ(support::mapping_flags(r.p).find(" hg "), std::string::npos);
    r.p[page] = std::byte{2};
    EXPECT_EQ(r.p[page], std::byte{2});
    EXPECT_EQ(r.p[0], std::byte{0});
}

TEST(platform, the_clock_goes_and_never_back) {
    const std::uint64_t begin = platform::now_ms();
    std::uint64_t before = begin;
    while (before < begin + 30) {
        const std::uint64_t now = platform::now_ms();
        ASSERT_GE(now, before);
        before = now;
    }
}

TEST(platform, a_part_can_be_released) {
    const std::size_t page = platform::page_bytes();
    std::byte* const p = static_cast<std::byte*>(platform::reserve(8 * page, page));
    ASSERT_NE(p, nullptr);
    platform::release(p + 4 * page, 4 * page);
    EXPECT_TRUE(support::mapped(p) || support::emulated());
    EXPECT_FALSE(support::readable(p + 4 * page));
#if !defined(_WIN32) // where the addresses go with the rest
    EXPECT_FALSE(support::mapped(p + 4 * page));
#endif
    platform::release(p, 4 * page);
    EXPECT_FALSE(support::mapped(p));
}

TEST(platform, prefault_makes_all_resident_and_keeps_the_contents) {
    if (support::emulated())
        GTEST_SKIP() << "an emulator ignores advice";
    const std::size_t page = platform::page_bytes();
    const reservation r{40 * page};
    ASSERT_TRUE(platform::commit(r.p, r.bytes));
    r.p[3 * page + 5] = std::byte{5};
    platform::prefault(r.p, r.bytes);
    EXPECT_EQ(platform::resident_bytes(r.p, r.bytes), r.bytes);
    EXPECT_EQ(r.p[3 * page + 5], std::byte{5});
}

TEST(platform, huge_page_advice_is_told_to_the_system) {
    if (platform::huge_page_bytes() == 0)
        GTEST_SKIP() << "this system has no huge pages";
    const std::size_t huge = platform::huge_page_bytes();
    const reservation r{2 * huge, huge};
    ASSERT_NE(r.p, nullptr);
    ASSERT_TRUE(platform::commit(r.p, r.bytes));
    if (support::emulated() || support::mapping_flags(r.p).empty())
        GTEST_SKIP() << "this system does not tell the advice it was given";
    platform::advise_huge(r.p, huge, true);
    platform::advise_huge(r.p + huge, huge, false);
    EXPECT_NE(support::mapping_flags(r.p).find(" hg "), std::string::npos);
    EXPECT_NE(support::mapping_flags(r.p + huge).find(" nh "), std::string::npos);
    platform::decommit(r.p, r.bytes);
    EXPECT_EQ(support::mapping_flags(r.p).find(" hg "), std::string::npos);
}

TEST(platform, memory_that_is_not_mapped_is_not_resident) {
    const std::size_t page = platform::page_bytes();
    std::byte* const p = static_cast<std::byte*>(platform::reserve(8 * page, page));
    ASSERT_NE(p, nullptr);
    ASSERT_TRUE(platform::commit(p, 8 * page));
    std::memset(p, 1, 8 * page);
    platform::release(p + 3 * page, 2 * page);
    EXPECT_GE(platform::resident_bytes(p, 8 * page), 6 * page);
    EXPECT_EQ(platform::resident_bytes(p, 3 * page), 3 * page);
    platform::release(p, 3 * page);
    platform::release(p + 5 * page, 3 * page);
    EXPECT_EQ(platform::resident_bytes(nullptr, 8 * page), 0u);
}

TEST(platform, errno_is_left_alone) {
    const std::size_t page = platform::page_bytes();
    errno = 4711;
    EXPECT_EQ(platform::reserve(support::beyond_memory, page), nullptr);
    {
        const reservation r{4 * page};
        EXPECT_TRUE(platform::commit(r.p, r.bytes));
        platform::prefault(r.p, r.bytes);
        platform::advise_huge(r.p, r.bytes, true);
        platform::purge(r.p, r.bytes);
        platform::decommit(r.p, r.bytes);
        EXPECT_EQ(platform::resident_bytes(r.p, r.bytes), 0u);
    }
    EXPECT_EQ(platform::resident_bytes(nullptr, page), 0u);
    EXPECT_EQ(errno, 4711);
}

} // namespace
