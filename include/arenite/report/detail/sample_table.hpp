// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/check/detail/sample_clock.hpp>
#include <arenite/core/config.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Bits for the hashes of addresses that are sampled and alive, and some more: what has none in it
/// is no sample. The small one is at a fixed place, so that a free asks it in a few instructions.
///
///     small   | word | word | ... 512 words |     of some 2,000 samples, one free in 16 has a bit
///     large   | word | word | ... ... ...   |     at least 16 bits a sample; asked after the small
struct sample_filter {
    static constexpr std::size_t words = 512;
    static constexpr unsigned bits_log2 = 15;

    std::atomic<std::uint64_t> small[words];

    [[nodiscard]] ARENITE_INLINE bool may_have(const void* p) const noexcept {
        const std::uint64_t bit = hash_of(p) >> (64 - bits_log2);
        return (small[bit / 64].load(std::memory_order_relaxed) >> (bit % 64) & 1) != 0;
    }
    [[nodiscard]] ARENITE_INLINE static std::uint64_t hash_of(const void* p) noexcept {
        return std::uint64_t{reinterpret_cast<std::uintptr_t>(p)} * 0x9E3779B97F4A7C15u;
    }
};

/// The samples of the process: which addresses, of which sampler, from which call stacks.
///
/// Cost:      a sample: a call stack, a lock, two hash tables; its free: a lock and one table.
/// Overhead:  80 to 160 bytes of the page source a live sample, 192 a call stack.
/// Limits:    a million call stacks; what comes after them, or has no memory, is not sampled.
/// Threads:   any.
struct sample_table {
    static constinit sample_filter filter;

    /// An allocation that the thread's clock was due for. `owner`: of the sampler; 0 is replaced by
    /// a number of its own.
    ARENITE_NOINLINE static void allocated(std::string_view tag, std::atomic<std::uint32_t>& owner,
                                           const void* p, std::size_t bytes) noexcept;

    /// Something that the filter has a bit for is freed, or resized.
    ARENITE_NOINLINE static void freed(const void* p) noexcept;
    ARENITE_NOINLINE static void resized(const void* p, std::size_t bytes) noexcept;

    /// All samples of an owner are freed. Not 0.
    static void freed_all(std::uint32_t owner) noexcept;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
