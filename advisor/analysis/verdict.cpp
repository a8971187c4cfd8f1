// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "verdict.hpp"

#include "../record/program.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/core.h>
#include <vector>

namespace arenite::advisor {
namespace {

using replay::outcome;

constexpr double least_walk_gain = 0.25;
constexpr double least_change_of_bursts = 0.1; ///< of an advice that rests on walks alone

/// How far turns lie from their median, without the one that lies farthest: another program ran.
double spread_of(const replayed& r, replayed::member what) {
    std::vector<double> off;
    const double middle = r.median(what);
    for (const outcome& o : r.turns)
        off.push_back(o.*what > middle ? o.*what - middle : middle - o.*what);
    std::sort(off.begin(), off.end());
    if (off.size() > 2)
        off.pop_back();
    return off.empty() ? 0 : off.back();
}

/// Takes the times of bursts one by one: of each the median of its turns, so that what disturbs a
/// turn here and there is left out. The spread is twice the standard error of what all save: bursts
/// differ in what they gain, and others might have been observed.
void compare_bursts(const replayed& base, const replayed& moved, difference_made& d) {
    const auto median_of = [](const replayed& r, std::size_t burst) {
        std::vector<double> all;
        for (const std::vector<double>& turn : r.bursts)
            all.push_back(turn[burst]);
        std::sort(all.begin(), all.end());
        return all[all.size() / 2];
    };
    std::size_t n = SIZE_MAX;
    for (const replayed* r : {&base, &moved})
        for (const std::vector<double>& turn : r->bursts)
            n = std::min(n, turn.size());
    if (base.bursts.empty() || moved.bursts.empty() || n < 2 || d.burst_before <= 0)
        return;
    std::vector<double> before(n), less(n);
    double all_before = 0, all_less = 0, all_of_first = 0;
    for (std::size_t i = 0; i < n; ++i) {
        before[i] = median_of(base, i);
        less[i] = before[i] - median_of(moved, i);
        all_before += before[i];
        all_less += less[i];
        all_of_first += base.bursts[0][i];
    }
    if (all_before <= 0 || base.turns[0].burst_ns <= 0)
        return;
    double squares = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const double off = less[i] - all_less / all_before * before[i];
        squares += off * off;
    }
    const double accesses = all_of_first / base.turns[0].burst_ns;
    d.burst_before = all_before / accesses;
    d.burst_after = (all_before - all_less) / accesses;
    d.burst_spread = 2 * std::sqrt(squares * double(n) / double(n - 1)) / accesses;
}

/// For a difference of which saved_in_walks is 0.
const char* why_walks_count_for_nothing(const difference_made& d, const program_costs& of) {
    if (of.share_in_objects <= 0 && *of.no_share_in_objects != 0)
        return of.no_share_in_objects;
    return of.cpu_ns <= 0 || of.share_in_objects <= 0 ? "it is not known how often it does that"
           : d.burst_before == d.burst_after          ? "it is the same"
                                                      : "bursts differ by more";
}

} // namespace

difference_made compare(const replayed& base, const replayed& moved) {
    difference_made d;
    d.saved_ns = base.median(&outcome::ns) - moved.median(&outcome::ns);
    d.spread_ns = spread_of(base, &outcome::ns) + spread_of(moved, &outcome::ns);
    d.one_turn = base.turns.size() < 2 || moved.turns.size() < 2;
    d.saved_bytes = base.median(&outcome::peak_bytes) - moved.median(&outcome::peak_bytes);
    d.saved_faults = base.median(&outcome::faults) - moved.median(&outcome::faults);
    d.walk_before = base.median(&outcome::walk_ns);
    d.walk_after = moved.median(&outcome::walk_ns);
    d.walk_spread = spread_of(base, &outcome::walk_ns) + spread_of(moved, &outcome::walk_ns);
    d.burst_before = base.median(&outcome::burst_ns);
    d.burst_after = moved.median(&outcome::burst_ns);
    d.burst_spread = spread_of(base, &outcome::burst_ns) + spread_of(moved, &outcome::burst_ns);
    compare_bursts(base, moved, d);
    d.live_bytes_agree = base.least(&outcome::live_checks) == double(replay::points) &&
                         moved.least(&outcome::live_checks) == double(replay::points);
    return d;
}

double saved_in_walks(const difference_made& d, const program_costs& of) {
    const double less = d.burst_before - d.burst_after;
    if (d.burst_before <= 0 || std::abs(less) <= d.burst_spread)
        return 0;
    return of.cpu_ns * of.share_in_objects * less / d.burst_before;
}

saved_range range_of(const difference_made& d, const program_costs& of) {
    const double unread = d.tried_unread ? d.saved_unread_ns : d.saved_ns;
    const auto in_calls = [&](double read) {
        return std::lerp(unread, d.saved_ns, std::clamp(read, 0.0, 1.0));
    };
    const double least_read = in_calls(of.reads_what_it_frees - of.reads_spread);
    const double most_read = in_calls(of.reads_what_it_frees + of.reads_spread);
    const double walks = saved_in_walks(d, of);
    double least = walks, most = walks;
    if (d.burst_before > 0) {
        const double whole = of.cpu_ns * of.share_in_objects / d.burst_before;
        const double less = d.burst_before - d.burst_after;
        least = std::min(least, whole * (less - d.burst_spread));
        most = std::max(most, whole * (less + d.burst_spread));
    }
    least += std::min(least_read, most_read) - d.spread_ns;
    most += std::max(least_read, most_read) + d.spread_ns;
    if (of.cpu_ns > 0) { // no more than all can be saved
        least = std::min(least, of.cpu_ns);
        most = std::min(most, of.cpu_ns);
    }
    return {least, most};
}

std::string saved_text(const difference_made& d, const program_costs& of) {
    if (of.cpu_ns <= 0)
        return "0 %";
    const saved_range range = range_of(d, of);
    return fmt::format("{:.0f} % ({:.0f} to {:.0f}{})",
                       100 * range.within(saved_in_all(d, of)) / of.cpu_ns,
                       100 * range.least / of.cpu_ns, 100 * range.most / of.cpu_ns,
                       d.one_turn ? "; one turn: no spread known" : "");
}

std::string figures_of(const difference_made& d, const program_costs& of) {
    const double walks = saved_in_walks(d, of);
    std::string text;
    const double percent = of.cpu_ns > 0 ? -100 / of.cpu_ns : 0;
    if (of.cpu_ns > 0 && walks != 0) {
        const saved_range range = range_of(d, of);
        text = fmt::format("{:+.1f} % {} in all ({:+.0f} to {:+.0f}): ",
                           percent * range.within(saved_in_all(d, of)),
                           of.cpu_is_known ? "CPU" : "of the replay", percent * range.most,
                           percent * range.least);
    }
    text += fmt::format("{:+.1f} % {}", percent * saved_in_calls(d, of),
                        walks != 0        ? "in calls"
                        : of.cpu_is_known ? "CPU"
                                          : "of the replay");
    const std::string spread = d.one_turn
                                   ? std::string{"one turn: no spread known"}
                                   : fmt::format("turns differ by {:.1f}", -percent * d.spread_ns);
    if (d.tried_unread)
        text += fmt::format(" ({:+.1f} if it reads what it frees, {:+.1f} if not; {})",
                            percent * d.saved_ns, percent * d.saved_unread_ns, spread);
    else if (of.cpu_ns > 0)
        text += fmt::format(" ({})", spread);
    text += fmt::format(", {} {}", bytes_text(std::abs(d.saved_bytes)),
                        d.saved_bytes >= 0 ? "less" : "more");
    if (d.burst_before > 0 && walks != 0)
        text += fmt::format(", {:+.1f} % by what it touches ({:.1f} -> {:.1f} ns an access)",
                            percent * walks, d.burst_before, d.burst_after);
    else if (d.burst_before > 0)
        text += fmt::format(", {:.1f} -> {:.1f} ns an access of what it touches, which counts for "
                            "nothing: {}",
                            d.burst_before, d.burst_after, why_walks_count_for_nothing(d, of));
    else if (d.walk_before > 0)
        text += fmt::format(", walk {:.1f} -> {:.1f} ns", d.walk_before, d.walk_after);
    return text;
}

worth judge(const difference_made& d, const program_costs& of) {
    if (!d.live_bytes_agree)
        return worth::nothing;
    const bool dearer_in_time = of.cpu_ns > 0 && -d.saved_ns > least_share_of_time * of.cpu_ns;
    const bool dearer_in_memory =
        of.peak_bytes > 0 && -d.saved_bytes > 2 * least_share_of_memory * of.peak_bytes;
    // Its costs in walks count against what it saves in calls.
    const bool saves =
        of.cpu_ns > 0 && d.saved_ns + saved_in_walks(d, of) >= least_share_of_time * of.cpu_ns;
    if (saves && d.saved_ns > d.spread_ns && d.saved_ns >= least_share_of_time * of.cpu_ns)
        return worth::time;
    if (of.peak_bytes > 0 && d.saved_bytes >= least_share_of_memory * of.peak_bytes &&
        !dearer_in_time)
        return worth::memory;
    if (d.burst_before > 0) // it is known what the program walks, and how
        return saves && saved_in_walks(d, of) > 0 && !dearer_in_memory &&
                       d.burst_before - d.burst_after > least_change_of_bursts * d.burst_before
                   ? worth::walks
                   : worth::nothing;
    if (!of.observed &&
        d.walk_before - d.walk_after > std::max(d.walk_spread, least_walk_gain * d.walk_before) &&
        !dearer_in_time && !dearer_in_memory)
        return worth::walks;
    return worth::nothing;
}

} // namespace arenite::advisor
