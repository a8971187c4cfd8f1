// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/literals.hpp>
#include <arenite/os/detail/platform.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <fstream>

#include "support/addresses.hpp"
#include "support/mappings.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace arenite;
using detail::os::platform;

// Properties of Linux alone; the promises of every system are tested in os/platform.cpp.
namespace {

TEST(platform_linux, the_page_size_is_the_one_of_the_running_kernel) {
    EXPECT_EQ(platform::page_bytes(), static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)));
}

TEST(platform_linux, the_huge_page_size_is_the_one_that_the_kernel_tells) {
    std::ifstream file{"/sys/kernel/mm/transparent_hugepage/hpage_pmd_size"};
    std::size_t told = 0;
    file >> told;
    if (told != 0) { // a kernel without them tells nothing
        EXPECT_EQ(platform::huge_page_bytes(), told);
    }
}

TEST(platform_linux, a_range_far_beyond_the_memory_of_the_machine_can_be_reserved) {
    const std::size_t bytes = support::gib_or(1024, 1_GiB);
    void* p = platform::reserve(bytes, bytes / 1024);
    if (p == nullptr)
        GTEST_SKIP() << "address space is limited here";
    platform::release(p, bytes);
}

TEST(platform_linux, locked_pages_are_dropped_too) {
    const std::size_t bytes = 1_MiB;
    void* const p = platform::reserve(bytes, bytes);
    ASSERT_NE(p, nullptr);
    ASSERT_TRUE(platform::commit(p, bytes));
    // The system's call: that of a sanitizer locks nothing.
    if (support::emulated() || ::syscall(SYS_mlock, p, bytes) != 0) {
        platform::release(p, bytes);
        GTEST_SKIP() << "no pages can be locked here";
    }
    EXPECT_EQ(platform::resident_bytes(p, bytes), bytes);
    constexpr int dontneed_locked = 24; // Linux 5.18; older headers do not name it
    const bool can = ::madvise(p, 0, dontneed_locked) == 0;
    EXPECT_EQ(platform::purge(p, bytes), can);
    EXPECT_EQ(platform::resident_bytes(p, bytes) == 0, can);
    platform::release(p, bytes);
}

} // namespace
