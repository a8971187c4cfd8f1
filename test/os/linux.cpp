// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/literals.hpp>
#include <arenite/os/detail/linux.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <fstream>

#include "support/addresses.hpp"

#include <unistd.h>

using namespace arenite;
using detail::os::linux_platform;

// What is Linux's own; the promises of every system are tested in os/platform.cpp.
namespace {

TEST(linux_platform, the_page_size_is_the_one_of_the_running_kernel) {
    EXPECT_EQ(linux_platform::page_bytes(), static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)));
}

TEST(linux_platform, the_huge_page_size_is_the_one_that_the_kernel_tells) {
    std::ifstream file{"/sys/kernel/mm/transparent_hugepage/hpage_pmd_size"};
    std::size_t told = 0;
    file >> told;
    if (told != 0) { // a kernel without them tells nothing
        EXPECT_EQ(linux_platform::huge_page_bytes(), told);
    }
}

TEST(linux_platform, a_range_far_beyond_the_memory_of_the_machine_can_be_reserved) {
    const std::size_t bytes = support::gib_or(1024, 1_GiB);
    void* p = linux_platform::reserve(bytes, bytes / 1024);
    if (p == nullptr)
        GTEST_SKIP() << "address space is limited here";
    linux_platform::release(p, bytes);
}

} // namespace
