// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Types that compacting heaps hold, by number, so that an entry of the handle_table names one in 16
// bits. A number is given once, when its type is first used, and never taken back.
#include <arenite/handle/relocation.hpp>

#include <arenite/core/contract.hpp>

#include <atomic>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

namespace {

constexpr std::uint16_t most_kinds = 1 << 14;

/// Plain reads would do for one thread; types of several threads are numbered at the same time.
constinit std::atomic<const object_kind*> kinds[most_kinds] = {};
constinit std::atomic<std::uint32_t> kind_count{1};

} // namespace

std::uint16_t number_kind(const object_kind* kind) {
    const std::uint32_t number = kind_count.fetch_add(1, std::memory_order_relaxed);
    if (number >= most_kinds)
        contract_violation("compacting heaps hold objects of at most 16,383 types");
    // Stored before the number is known to anybody, so kind_numbered() never sees null.
    kinds[number].store(kind, std::memory_order_release);
    return static_cast<std::uint16_t>(number);
}

const object_kind& kind_numbered(std::uint16_t number) noexcept {
    return *kinds[number].load(std::memory_order_acquire);
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
