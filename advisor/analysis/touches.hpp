// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../trace/observation.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <unordered_map>
#include <vector>

namespace arenite::advisor {

/// The object that an address lies in.
struct touched_object {
    bool found = false;
    std::uint32_t stack = 0; ///< that allocated it
    std::uint32_t slot = 0;  ///< tells live objects apart
    std::uint64_t born = 0;
};

/// How often objects of one call stack were used directly after those of another (or its own).
struct walked {
    std::uint64_t steps = 0;
    std::uint64_t in_order = 0; ///< to one born later
    std::uint64_t near = 0;     ///< to within 256 bytes
};

/// Samples between marks of the program.
struct touched_phase {
    std::uint64_t first_mark = 1, last_mark = 1; ///< each ends a part of it; numbered from 1
    std::uint64_t samples = 0, samples_in_objects = 0;
    std::map<std::vector<std::uint32_t>, std::uint64_t> by_stacks;
};

/// The objects of each call stack by observations: which are used, and one after which.
///
/// Memory: what was seen: call stacks, pairs and sets of them, at most most_pairs of each; the
///         objects that the latest bursts of most_watched threads used, most_used of each and those
///         of one burst more.
class touches {
public:
    static constexpr std::size_t most_pairs = 1u << 16, most_phases = 16;
    static constexpr std::size_t most_watched = 256, most_used = 1u << 13;

    using finder = std::function<touched_object(std::uint64_t)>;
    void take(const trace::observation& seen, const finder& find);
    /// The program's next event: a free of this object, or another one. A burst that comes by a
    /// call ends there, and the next goes on behind it: so where one ended by a call, and that is a
    /// free, the object counts as used by these bursts or not. Older files do not say why bursts
    /// ended: they count for nothing here.
    void take_free(std::uint32_t thread, std::uint32_t slot, std::uint64_t born);
    void take_event(std::uint32_t thread);
    void take_mark();

    /// Threads whose next free may tell something.
    [[nodiscard]] std::size_t watched_threads() const noexcept { return watches_.size(); }
    /// Frees that bursts came by, and those of objects that the burst had used before.
    [[nodiscard]] std::uint64_t watched_frees() const noexcept { return watched_frees_; }
    [[nodiscard]] std::uint64_t frees_of_used() const noexcept { return frees_of_used_; }

    /// Samples of registers, and those in which one pointed into an object.
    [[nodiscard]] std::uint64_t samples() const noexcept { return samples_; }
    [[nodiscard]] std::uint64_t samples_in_objects() const noexcept { return samples_in_objects_; }
    /// Calls f(stacks, samples) for each set of call stacks whose objects were met together.
    template <class F>
    void each_sample(F f) const {
        for (const touched_phase& p : marked_.phases)
            for (const auto& [stacks, count] : p.by_stacks)
                f(stacks, count);
    }
    /// Samples by the marks that they lie between, most_phases at most: where there are more, some
    /// marks in a row are one phase, as many in each.
    [[nodiscard]] const std::vector<touched_phase>& phases() const noexcept {
        return marked_.phases;
    }

    [[nodiscard]] std::uint64_t bursts() const noexcept {
        return std::accumulate(ends_.begin(), ends_.end(), std::uint64_t{0});
    }
    [[nodiscard]] std::uint64_t bursts_of(trace::burst_end why) const noexcept {
        return ends_[static_cast<std::size_t>(why)];
    }
    [[nodiscard]] std::uint64_t instructions() const noexcept { return instructions_; }
    [[nodiscard]] std::uint64_t accesses() const noexcept { return accesses_; }
    [[nodiscard]] std::uint64_t accesses_in_objects() const noexcept { return in_objects_; }
    /// Summed over bursts: distinct objects, lines of 64 bytes and pages of 4 KiB that they used.
    [[nodiscard]] std::uint64_t objects() const noexcept { return objects_; }
    [[nodiscard]] std::uint64_t lines() const noexcept { return lines_; }
    [[nodiscard]] std::uint64_t pages() const noexcept { return pages_; }

    /// Calls f(from, to, walked) for each pair of stacks.
    template <class F>
    void each_pair(F f) const {
        for (const auto& [key, w] : pairs_)
            f(static_cast<std::uint32_t>(key >> 32), static_cast<std::uint32_t>(key), w);
    }
    /// From one object of a stack to the next of the same, whatever was used between them.
    [[nodiscard]] walked within(std::uint32_t stack) const {
        const auto found = within_.find(stack);
        return found == within_.end() ? walked{} : found->second;
    }

private:
    struct use {
        std::uint64_t address;
        touched_object object;
    };
    void take_sample(const trace::observation& seen, const finder& find);
    void take_burst(const std::vector<use>& uses);

    void watch_on(const trace::observation& seen, const std::vector<use>& uses);

    /// Bursts of a thread that went on, each where the call ended that the one before came by: what
    /// they have used.
    struct watch {
        bool told = false;      ///< the event of that call has come
        std::uint64_t last = 0; ///< burst, as they are counted
        std::uint64_t instructions = 0;
        std::unordered_map<std::uint32_t, std::uint64_t> used; ///< slots, and their births
    };
    static constexpr std::uint64_t least_watched = 64; ///< instructions: a destructor's, or more
    std::unordered_map<std::uint32_t, watch> watches_; ///< by thread
    std::uint64_t watched_frees_ = 0, frees_of_used_ = 0;

    void join_phases();

    struct by_marks {
        std::vector<touched_phase> phases{1};
        std::uint64_t marks = 0, each = 1; ///< of a phase
        std::size_t sets = 0;              ///< of stacks, in all phases
    };
    by_marks marked_;
    std::unordered_map<std::uint64_t, walked> pairs_; ///< from << 32 | to
    std::unordered_map<std::uint32_t, walked> within_;
    std::uint64_t samples_ = 0, samples_in_objects_ = 0;
    std::array<std::uint64_t, 5> ends_{}; ///< of bursts
    std::uint64_t instructions_ = 0, accesses_ = 0, in_objects_ = 0;
    std::uint64_t objects_ = 0, lines_ = 0, pages_ = 0;
};

} // namespace arenite::advisor
