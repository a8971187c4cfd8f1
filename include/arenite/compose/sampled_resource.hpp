// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/check/detail/sample_clock.hpp>
#include <arenite/compose/observed_resource.hpp>
#include <arenite/core/config.hpp>
#include <arenite/report/detail/sample_table.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace arenite {
inline namespace ARENITE_ABI {

/// An Observer that notes the call stack of one allocation in 512 KiB, in release builds too: who
/// holds the memory, by tag and by place in the code.
///
///     sampled_resource<ordered_heap> scene{site_sampler{"scene"}};   // and arguments of the heap
///     sampled_resource<affinity_heap&> nodes{site_sampler{"nodes"}, nodes_of_all};
///     start_sampling();                               // report/sampled_site.hpp
///     ...
///     take_usage_snapshot().write_text(std::cout);    // or difference(before, now)
///
///     clock of the thread     512,311 -> 512,263 -> 512,215 -> ... -> 24 -> -24: this one
///                                  48        48                        48
///
/// A thread counts the bytes that its samplers allocate down from a number that is drawn so that
/// every byte has the same chance, once in `every_bytes`, independent of all others. So a large
/// object is more likely in the sample than a small one, and each site's bytes and objects are
/// estimated without bias, with their error (sampled_site).
///
/// Use when:  a program at its users' grows, and it should tell where. For a log of single objects:
///            sampled_callbacks. For all of a program's calls: `arenite record`.
/// Cost:      an allocation: one subtraction in memory and a branch on its flags, also while
///            sampling is off. A free: 9 instructions that look whether it may be in the sample. A
///            sample: 1 to 3 us.
/// Overhead:  0 bytes an allocation; 0.03 % of the memory that is sampled.
/// Limits:    an allocation of size 0 is not seen. What is freed in another way than through its
///            sampler is counted until its address is in the sample again.
/// Threads:   any, if the resource is Concurrent. Move one only while no other thread uses it.
/// Failure:   where there is no memory for a sample, it is not taken.
/// Lifetime:  the name must outlive it; the figures of what was sampled end with the sampler.
/// Source:    tcmalloc's and jemalloc's heap profiles; Horvitz and Thompson (1952).
class site_sampler {
public:
    explicit constexpr site_sampler(std::string_view tag) noexcept : tag_{tag} {}
    site_sampler(site_sampler&& other) noexcept
        : tag_{other.tag_}, owner_{other.owner_.exchange(0, std::memory_order_relaxed)} {}
    ~site_sampler() { on_reset(); }

    site_sampler(const site_sampler&) = delete;
    site_sampler& operator=(const site_sampler&) = delete;
    site_sampler& operator=(site_sampler&&) = delete;

    ARENITE_INLINE void on_allocate(const void* p, std::size_t bytes,
                                    std::size_t = default_alignment) noexcept {
        if ((detail::sample_clock -= static_cast<std::int64_t>(bytes)) < 0) [[unlikely]]
            detail::sample_table::allocated(tag_, owner_, p, bytes);
    }
    ARENITE_INLINE void on_free(const void* p) noexcept {
        if (detail::sample_table::filter.may_have(p)) [[unlikely]]
            detail::sample_table::freed(p);
    }
    ARENITE_INLINE void on_resize(const void* p, std::size_t bytes) noexcept {
        if (detail::sample_table::filter.may_have(p)) [[unlikely]]
            detail::sample_table::resized(p, bytes);
    }

    /// All that it has sampled is freed. O(samples of the process).
    void on_reset() noexcept {
        if (const std::uint32_t owner = owner_.load(std::memory_order_relaxed); owner != 0)
            detail::sample_table::freed_all(owner);
    }

    [[nodiscard]] std::string_view tag() const noexcept { return tag_; }

private:
    std::string_view tag_;
    std::atomic<std::uint32_t> owner_{0}; ///< its number among all; 0: has sampled nothing yet
};

/// An R, or R&, of whose allocations a few are noted with their call stacks.
template <class R>
using sampled_resource = observed_resource<R, site_sampler>;

} // namespace ARENITE_ABI
} // namespace arenite
