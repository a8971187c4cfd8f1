// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Sampling of allocations: when the next sample is due, drawn at random; then what an allocation, a
// free or a resize of a sample does; then starting and stopping. An allocation counts its bytes off
// the thread's clock (inlined) and comes here when that falls below 0. The distance to the next
// sample is drawn from an exponential distribution, so that each byte has the same chance and no
// pattern of the program can hide from it. The clock is the thread's own; the books are behind one
// lock, taken once a sample.
#include <arenite/report/detail/sample_table.hpp>

#include <arenite/check/detail/call_stack.hpp>
#include <arenite/check/no_allocation_scope.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/os/detail/platform.hpp>
#include <arenite/report/sampled_site.hpp>

#include "../core/environment.hpp"
#include "sample_books.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <mutex>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

namespace {

// ---- when the next sample is due ----------------------------------------------------------------

constexpr std::size_t unasked = std::numeric_limits<std::size_t>::max();
/// While sampling is off a thread asks again after so many bytes whether it is on: start_sampling()
/// reaches each thread within a MiB of allocations, without a write to its memory.
constexpr std::int64_t look_again_bytes = std::int64_t{1} << 20;
/// While a sample is made.
constexpr std::int64_t never_due = std::numeric_limits<std::int64_t>::max();

constinit std::atomic<std::size_t> interval_of_samples{
    unasked}; ///< 0: off; unasked: see the environment
constinit std::atomic<unsigned> frames_of_sample{sampling_options{}.frames};
constinit std::atomic<std::uint64_t> seed_of_draws{0};
constinit std::atomic<std::uint64_t> threads_that_draw{0};
constinit std::atomic<unsigned> beginnings{0}; ///< of sampling: each draws anew

struct draw_state {
    std::uint64_t random;
    unsigned beginning; ///< that this thread has followed
};
constinit thread_local draw_state draws_of_thread{0, 0};

/// The environment is asked once; start_sampling() before that is not overwritten, as the exchange
/// fails then.
std::size_t interval_now() noexcept {
    std::size_t now = interval_of_samples.load(std::memory_order_acquire);
    if (now == unasked) {
        const std::size_t asked = std::min(number_in_environment("ARENITE_SAMPLE"), unasked - 1);
        if (asked != 0)
            beginnings.fetch_add(1, std::memory_order_relaxed);
        if (interval_of_samples.compare_exchange_strong(now, asked))
            return asked;
    }
    return now;
}

std::uint64_t mixed(std::uint64_t n) noexcept {
    n = (n ^ n >> 33) * 0xff51afd7ed558ccd;
    n = (n ^ n >> 33) * 0xc4ceb9fe1a85ec53;
    return n ^ n >> 33;
}

/// -ln(u) for a u drawn evenly from (0, 1), with an error below 1e-6: without the C library's
/// functions, so that nobody has to link them.
double draw_exponential(std::uint64_t random) noexcept {
    const std::uint64_t n = random >> 11 | 1; // u = n / 2^53
    const auto bits_of_n = static_cast<int>(std::bit_width(n));
    const double m = static_cast<double>(n) / static_cast<double>(std::uint64_t{1} << bits_of_n);
    const double z = (m - 1) / (m + 1); // from -1/3 to 0
    const double z2 = z * z;
    const double ln_m =
        2 * z * (1 + z2 * (1. / 3 + z2 * (1. / 5 + z2 * (1. / 7 + z2 * (1. / 9 + z2 / 11)))));
    return (53 - bits_of_n) * 0.693147180559945309 - ln_m;
}

std::int64_t draw_bytes(draw_state& state, std::size_t every) noexcept {
    // A counter, mixed, as in splitmix64: one word of state a thread.
    state.random += 0x9E3779B97F4A7C15u;
    const double bytes = draw_exponential(mixed(state.random)) * static_cast<double>(every);
    // The conversion of a larger number would be undefined.
    return bytes < 4e18 ? static_cast<std::int64_t>(bytes) : std::int64_t{1} << 61;
}

} // namespace

constinit sample_filter sample_table::filter{};

double chance_of_sample(std::size_t bytes, std::size_t every) noexcept {
    double x = static_cast<double>(bytes) / static_cast<double>(every);
    if (x > 40)
        return 1;
    int doublings = 0;
    for (; x > 1. / 16; x /= 2)
        ++doublings;
    // 1 - exp(-x) by its series, for x up to 1/16, where six terms leave an error of about 1e-11;
    // then doubled up.
    double p = x * (1 - x / 2 * (1 - x / 3 * (1 - x / 4 * (1 - x / 5 * (1 - x / 6)))));
    for (; doublings != 0; --doublings)
        p *= 2 - p; // 1 - exp(-2 x) of 1 - exp(-x)
    return p;
}

/// The slow path of an allocation: whatever is due is done, and the clock wound again.
void sample_table::allocated(std::string_view tag, std::atomic<std::uint32_t>& owner, const void* p,
                             std::size_t bytes) noexcept {
    const auto size = static_cast<std::int64_t>(bytes);
    const std::int64_t before = sample_clock;
    no_allocation_scope::note(p, bytes, 1);
    if (sample_clock != before) { // a scope that was to hear of this has put it back
        sample_clock -= size;
        if (sample_clock >= 0)
            return;
    }
    draw_state& mine = draws_of_thread;
    const std::size_t every = interval_now();
    if (every == 0) {
        sample_clock = look_again_bytes;
        return;
    }
    const unsigned beginning = beginnings.load(std::memory_order_relaxed);
    if (mine.beginning != beginning) {
        const std::uint64_t seed = seed_of_draws.load(std::memory_order_relaxed);
        // Given a seed, threads draw the same series in every run, in the order in which they come
        // here.
        const std::uint64_t number = threads_that_draw.fetch_add(1, std::memory_order_relaxed);
        mine.random = mixed(number + (seed != 0 ? seed
                                                : reinterpret_cast<std::uintptr_t>(&mine) ^
                                                      os::platform::now_ms() << 20));
        mine.beginning = beginning;
        sample_clock = draw_bytes(mine, every) - size;
        if (sample_clock >= 0)
            return;
    }
    sample_clock = never_due; // what is called here may allocate
    const call_stack stack = call_stack::here(frames_of_sample.load(std::memory_order_relaxed), 1);
    {
        const std::lock_guard lock{sample_books::lock()};
        sample_books::of_process().add(tag, owner, p, bytes, 1 / chance_of_sample(bytes, every),
                                       stack);
    }
    sample_clock = draw_bytes(mine, every);
}

void sample_table::freed(const void* p) noexcept {
    // Nearly all frees end at this filter, without the lock.
    if (!sample_books::may_have(p))
        return;
    const std::lock_guard lock{sample_books::lock()};
    sample_books::of_process().remove(p);
}

void sample_table::resized(const void* p, std::size_t bytes) noexcept {
    const std::lock_guard lock{sample_books::lock()};
    if (live_sample* const s = sample_books::of_process().find(p); s != nullptr)
        s->bytes = bytes;
}

void sample_table::freed_all(std::uint32_t owner) noexcept {
    const std::lock_guard lock{sample_books::lock()};
    sample_books::of_process().remove_all(owner);
}

} // namespace detail

void start_sampling(const sampling_options& options) noexcept {
    if (options.every_bytes == 0)
        contract_violation(
            "sampling_options::every_bytes must be above 0; stop_sampling() ends it");
    detail::frames_of_sample.store(options.frames, std::memory_order_relaxed);
    detail::seed_of_draws.store(options.seed, std::memory_order_relaxed);
    detail::threads_that_draw.store(0, std::memory_order_relaxed);
    // Each thread sees the number rise and begins a new series; the interval's release makes
    // options visible with it.
    detail::beginnings.fetch_add(1, std::memory_order_relaxed);
    detail::interval_of_samples.store(options.every_bytes, std::memory_order_release);
    if (detail::sample_clock > 0) // not due for a scope: this thread begins at once
        detail::sample_clock = 0;
}

void stop_sampling() noexcept { detail::interval_of_samples.store(0, std::memory_order_release); }

std::size_t sampling_interval() noexcept { return detail::interval_now(); }

} // namespace ARENITE_ABI
} // namespace arenite
