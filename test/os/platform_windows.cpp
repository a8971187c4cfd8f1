// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/literals.hpp>
#include <arenite/os/detail/platform.hpp>

#include <gtest/gtest.h>

#include <cstddef>

#if defined(_WIN32)
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
#endif

using namespace arenite;

// Properties of Windows alone; the promises of every system are tested in os/platform.cpp.
namespace {

#if defined(_WIN32)

using detail::os::platform;

TEST(platform_windows, the_last_error_is_left_alone) {
    ::SetLastError(4711);
    EXPECT_EQ(platform::reserve(std::size_t{1} << 62, 4_KiB), nullptr);
    EXPECT_EQ(::GetLastError(), 4711u);
    void* const p = platform::reserve(1_MiB, 16_MiB);
    EXPECT_FALSE(platform::commit(nullptr, 0));
    platform::release(p, 1_MiB);
    EXPECT_EQ(::GetLastError(), 4711u);
}

TEST(platform_windows,
     a_part_that_is_released_loses_its_memory_and_the_rest_takes_its_addresses_along) {
    auto* const p = static_cast<std::byte*>(platform::reserve(4_MiB, 64_KiB));
    ASSERT_TRUE(platform::commit(p, 4_MiB));
    p[3_MiB] = std::byte{1};
    platform::release(p + 2_MiB, 2_MiB);
    MEMORY_BASIC_INFORMATION region{};
    ::VirtualQuery(p + 3_MiB, &region, sizeof region);
    EXPECT_EQ(region.State, static_cast<DWORD>(MEM_RESERVE));
    platform::release(p, 2_MiB);
    ::VirtualQuery(p + 3_MiB, &region, sizeof region);
    EXPECT_EQ(region.State, static_cast<DWORD>(MEM_FREE));
}

#else

TEST(platform_windows, is_no_platform_of_this_system) { GTEST_SKIP() << "this is not Windows"; }

#endif

} // namespace
