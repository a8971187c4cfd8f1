// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Memory that goes back while the program runs.
#include "memory.hpp"
#include "options.hpp"

#include <arenite/core/config.hpp>
#include <arenite/ordered/detail/idle_pages.hpp>
#include <arenite/os/detail/platform.hpp>

#include <atomic>

namespace arenite {
inline namespace ARENITE_ABI {
namespace drop_in {
namespace {

constinit thread_local detail::idle_pages pages_of_thread ARENITE_THREAD_FAST;

/// By ARENITE_MALLOC, which is read at the first call: half a second after the program began.
[[nodiscard]] bool is_wanted() noexcept {
    enum answer : unsigned char { unknown, no, yes };
    static constinit std::atomic<answer> known{unknown};
    answer now = known.load(std::memory_order_relaxed);
    if (now == unknown) {
        now = asked_options().returns ? yes : no;
        known.store(now, std::memory_order_relaxed);
    }
    return now == yes;
}

constinit std::atomic<std::uint64_t> begin_ms{0};

} // namespace

void look() noexcept {
    const std::uint64_t now = detail::os::platform::now_ms();
    const std::uint64_t begin = begin_ms.load(std::memory_order_relaxed);
    if (begin == 0)
        return begin_ms.store(now, std::memory_order_relaxed);
    if (now - begin < detail::idle_pages::look_ms)
        return;
    detail::slab_heap* const h = ready();
    if (h != nullptr && is_wanted())
        pages_of_thread.look(*h, now);
}

} // namespace drop_in
} // namespace ARENITE_ABI
} // namespace arenite
