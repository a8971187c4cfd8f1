// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../replay/runs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

namespace arenite::advisor {

/// The costs that a change is measured against.
struct program_costs {
    double cpu_ns = 0;     ///< of the whole program; 0: not known
    double peak_bytes = 0; ///< resident at most
    /// The share of samples that found it at work on objects, outside malloc and free, where these
    /// do not fit into a cache; 0: it was not observed.
    double share_in_objects = 0;
    bool observed = false; ///< so that nothing is guessed about what it walks
    /// The share of frees of what it had used just before, and how far off that may be: as bursts
    /// showed. Where they came by too few frees, it may be any.
    double reads_what_it_frees = 0.5, reads_spread = 0.5;
    bool knows_reads = false; ///< bursts came by enough frees
    /// The part of the trace that was replayed; below 1, cpu_ns is of this part, too.
    double replayed_share = 1;
    bool cpu_is_known = true; ///< else cpu_ns is what the replay takes: shares are of that
    const char* no_share_in_objects = ""; ///< why share_in_objects is 0

    /// The time that shares are of.
    [[nodiscard]] const char* whole() const noexcept {
        return cpu_is_known ? "the CPU time" : "the replay's time";
    }
    /// Takes the replay's time where the program's is not known.
    void take_replay_time_if_unknown(double replay_ns) noexcept {
        cpu_is_known = cpu_ns > 0;
        if (!cpu_is_known)
            cpu_ns = replay_ns;
    }
};

/// The effect of moving a group, by replays beside each other.
struct difference_made {
    double saved_ns = 0; ///< of all events; negative: it costs. Each object is read before its free
    double saved_unread_ns = 0; ///< the same where they are not read, if that was tried
    bool tried_unread = false;
    double spread_ns = 0;   ///< what turns differ by themselves
    bool one_turn = false;  ///< then that is not known
    double saved_bytes = 0; ///< of the resident peak
    double saved_faults = 0;
    double walk_before = 0, walk_after = 0; ///< ns an object
    double walk_spread = 0;
    double burst_before = 0, burst_after = 0; ///< ns an access of observed bursts; 0: none
    double burst_spread = 0;      ///< twice the standard error over bursts, or over turns
    bool live_bytes_agree = true; ///< both had the live bytes of the trace
};

[[nodiscard]] difference_made compare(const replayed& base, const replayed& moved);

/// The time that the program saves where it uses its objects, by observed bursts: what these take
/// less, of the share of time that samples found it at that. 0 within the spread.
[[nodiscard]] double saved_in_walks(const difference_made& d, const program_costs& of);

/// In calls: a program reads some of what it frees. Where both were tried, it lies between them by
/// the share that bursts showed, else halfway.
[[nodiscard]] inline double saved_in_calls(const difference_made& d, const program_costs& of) {
    return d.tried_unread ? std::lerp(d.saved_unread_ns, d.saved_ns, of.reads_what_it_frees)
                          : d.saved_ns;
}
/// In calls and walks together.
[[nodiscard]] inline double saved_in_all(const difference_made& d, const program_costs& of) {
    return saved_in_calls(d, of) + saved_in_walks(d, of);
}

/// The least and the most that it may be: turns differ, it is not known what the program reads, and
/// a change of bursts within their spread may be one.
struct saved_range {
    double least = 0, most = 0;

    /// A text tells no saving outside the range.
    [[nodiscard]] double within(double saved) const noexcept {
        return std::min(std::max(saved, least), most);
    }
};
[[nodiscard]] saved_range range_of(const difference_made& d, const program_costs& of);
/// All that is known of it, in a line: "-29.2 % CPU (turns differ by 0.2), 1.0 MB less, ...". The
/// smaller number of a range is first.
[[nodiscard]] std::string figures_of(const difference_made& d, const program_costs& of);
/// "49 % (43 to 54)", of the program's CPU time; of one turn it says that, too.
[[nodiscard]] std::string saved_text(const difference_made& d, const program_costs& of);

enum class worth {
    nothing, ///< too little, or within the spread
    time,    ///< at least 2 % of the program's CPU time
    memory,  ///< at least 5 % of its memory
    walks,   ///< no gain in the calls; the program gains where it walks its objects: by bursts, or
             ///< perhaps, where none were observed
};

/// The thresholds: doc/advisor.md.
[[nodiscard]] worth judge(const difference_made& d, const program_costs& of);

constexpr double least_share_of_time = 0.02, least_share_of_memory = 0.05;

} // namespace arenite::advisor
