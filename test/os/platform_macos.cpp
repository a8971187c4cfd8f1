// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#if defined(__APPLE__)

#include <arenite/os/detail/platform.hpp>

#include <gtest/gtest.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

namespace {

using platform = arenite::detail::os::platform;

TEST(platform_macos, memory_that_is_purged_reads_as_zero) {
    const std::size_t bytes = 4 * platform::page_bytes();
    void* const p = platform::reserve(bytes, 1 << 20);
    ASSERT_NE(p, nullptr);
    ASSERT_TRUE(platform::commit(p, bytes));
    std::memset(p, 0xA5, bytes);
    EXPECT_EQ(platform::resident_bytes(p, bytes), bytes);
    platform::purge(p, bytes);
    EXPECT_EQ(static_cast<const unsigned char*>(p)[bytes - 1], 0u);
    platform::release(p, bytes);
}

TEST(platform_macos, errno_stays_as_it_was) {
    errno = 7;
    EXPECT_EQ(platform::reserve(~std::size_t{0} / 2, 1), nullptr);
    EXPECT_EQ(errno, 7);
}

} // namespace

#endif
