// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Memory that an affinity_heap gives back: trim and reset.
#include <arenite/affinity/affinity_heap.hpp>

#include <arenite/core/detail/held_lock.hpp>
#include <arenite/os/page_resource.hpp>

#include <algorithm>

namespace arenite {
inline namespace ARENITE_ABI {

using detail::affinity_share;

affinity_heap::trim_result affinity_heap::trim_shares() noexcept {
    trim_result done;
    shares_.for_each([&](affinity_share& s) {
        const auto trim = [&] {
            const std::size_t before = s.usage().bytes_reserved;
            s.trim();
            done.bytes_returned += before - std::min(before, s.usage().bytes_reserved);
            ++done.heaps_trimmed;
        };
        if (s.is_locked()) {
            const detail::held_lock lock{s.lock()};
            trim();
        } else if (s.is_mine(detail::thread_heaps::thread())) {
            trim();
        } else if (s.is_abandoned() && s.adopt(detail::thread_heaps::thread())) {
            trim();
            s.abandon();
        } else {
            const std::size_t before = s.usage_approximate().bytes_reserved;
            done.bytes_purged += s.trim_from_afar();
            done.bytes_returned += before - std::min(before, s.usage_approximate().bytes_reserved);
            s.ask_to_trim();
            ++done.heaps_asked;
        }
    });
    shares_.retire_empty();
    return done;
}

/// Memory that all affinities and other heaps have in common.
static void trim_what_is_shared() noexcept {
    affinity_share::trim_retired();
    page_source().trim();
}

affinity_heap::trim_result affinity_heap::trim() noexcept {
    const trim_result done = trim_shares();
    trim_what_is_shared();
    return done;
}

affinity_heap::trim_result affinity_heap::trim_all() noexcept {
    trim_result done;
    for (affinity_heap& h : all())
        done += h.trim_shares();
    trim_what_is_shared();
    return done;
}

/// A thread that used it may be about to end, and see to its share then.
void affinity_heap::reset() noexcept {
    const detail::held_lock lock = detail::thread_heaps::hold_ends();
    shares_.for_each([&](affinity_share& s) { s.reset(); });
    shares_.forget_balance();
}

} // namespace ARENITE_ABI
} // namespace arenite
