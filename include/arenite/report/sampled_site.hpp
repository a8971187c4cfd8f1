// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace arenite {
inline namespace ARENITE_ABI {

/// How allocations are sampled; the defaults are right for shipped programs.
struct sampling_options {
    /// One allocation in so many bytes, on average. Above 0.
    std::size_t every_bytes = 512 * 1024;

    /// Return addresses kept of each; 16 at most.
    unsigned frames = 8;

    /// For the same samples in each run of a program of one thread; 0: others each time.
    std::uint64_t seed = 0;
};

/// Estimates for one call stack and one tag, from the samples that a sampled_resource took.
///
///     start_sampling();
///     ...
///     for (const sampled_site& s : sampled_sites())
///         std::cout << s.tag << ' ' << s.site() << ": " << s.bytes << " +- " << s.bytes_error;
///
/// An allocation of s bytes is taken with the probability p = 1 - exp(-s / every_bytes), and then
/// stands for 1 / p objects of s bytes. So sums are right on average, whatever the sizes, and the
/// error is known from the samples alone.
///
/// Use when:  memory of a program that is at its users' should be attributed to places in the code.
///            With names, in a usage_snapshot; before and after, in a usage_difference.
/// Cost:      see sampled_resource. sampled_sites() takes O(samples), and allocates.
/// Threads:   any.
struct sampled_site {
    std::string tag;                    ///< of the sampled_resource
    std::vector<std::uintptr_t> frames; ///< return addresses, innermost first
    std::size_t samples = 0;            ///< alive
    double bytes = 0;                   ///< alive, estimated
    double bytes_error = 0;             ///< standard error of that
    double objects = 0;                 ///< alive, estimated
    double objects_error = 0;
    double allocated_bytes = 0; ///< since sampling began, estimated; also those freed since

    /// The innermost function that is neither of this library nor of the standard one, as
    /// "load_level(int)+0x1f"; without symbols "game+0x5a12".
    [[nodiscard]] std::string site() const;

    /// All frames, innermost first: each as site() would name it.
    [[nodiscard]] std::vector<std::string> names() const;
};

/// Begins to sample, with these options; if it has begun already, they are for samples from now on.
/// Without a call of this, a program whose environment has ARENITE_SAMPLE=524288 begins to sample
/// one allocation in so many bytes when its first sampler allocates; any text there that is no
/// whole number is reported to standard error, and samples nothing. Any thread: others follow
/// within their next MiB, or when the sample comes that they have drawn already.
void start_sampling(const sampling_options& options = {}) noexcept;

/// Takes no more samples; those taken stay known until they are freed.
void stop_sampling() noexcept;

/// All sites with samples, the one with most bytes alive first.
[[nodiscard]] std::vector<sampled_site> sampled_sites();

/// Average bytes between samples as now chosen; 0: off.
[[nodiscard]] std::size_t sampling_interval() noexcept;

} // namespace ARENITE_ABI
} // namespace arenite
