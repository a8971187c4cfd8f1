// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/alignment.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/os/detail/platform.hpp>
#include <arenite/os/page_resource.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

// Shared by the tests of page_resource.
namespace page_test {

using namespace arenite;
using detail::os::platform;

inline constexpr std::size_t unit = page_resource::unit_bytes;

/// Small ranges: quick to make, also where an emulator counts every page of them.
inline constexpr page_options small{.reserve_bytes = 64_MiB};

inline std::byte* bytes_at(void* p) { return static_cast<std::byte*>(p); }

/// Page-rounded bytes, as they are counted.
inline std::size_t in_pages(std::size_t bytes) { return align_up(bytes, platform::page_bytes()); }

inline std::uint64_t the_time = 0; // of the resources below

/// Small ranges, and a clock that tests advance.
inline page_options slowly(std::uint32_t delay_ms = 1000) {
    the_time = 5000;
    page_options options = small;
    options.delay_ms = delay_ms;
    options.now_ms = []() noexcept { return the_time; };
    return options;
}

/// Memory handed out and touched.
inline std::byte* touched(page_resource& pages, std::size_t bytes) {
    std::byte* p = bytes_at(pages.allocate(bytes));
    std::memset(p, 1, bytes);
    return p;
}

} // namespace page_test
