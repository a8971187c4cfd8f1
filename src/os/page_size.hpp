// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>

#include "../core/environment.hpp"

#include <atomic>
#include <cstddef>
#include <cstdio>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {
namespace os {

/// The size of a page, asked of the system once. ARENITE_PAGE_BYTES in the environment may name a
/// larger one (up to 64 KiB), so that what such pages mean can be tried where those of the system
/// are smaller. Any other number but 0 is said to standard error.
inline std::size_t page_size(std::size_t (*ask_system)() noexcept) noexcept {
    static constinit std::atomic<std::size_t> known{0};
    std::size_t bytes = known.load(std::memory_order_relaxed);
    if (bytes == 0) [[unlikely]] {
        bytes = ask_system();
        const std::size_t wanted = number_in_environment("ARENITE_PAGE_BYTES");
        constexpr std::size_t most = std::size_t{1} << 16;
        if (is_alignment(wanted) && wanted >= bytes && wanted <= most)
            bytes = wanted;
        else if (wanted != 0)
            std::fprintf(stderr,
                         "arenite: ARENITE_PAGE_BYTES=%zu is no size of pages from %zu to %zu; "
                         "not heeded\n",
                         wanted, bytes, most);
        known.store(bytes, std::memory_order_relaxed);
    }
    return bytes;
}

} // namespace os
} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
