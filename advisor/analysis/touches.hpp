// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../trace/observation.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
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

/// The objects of each call stack by observations: which are used, and one after which.
///
/// Memory: what was seen: call stacks, and pairs of them, at most most_pairs.
class touches {
public:
    static constexpr std::size_t most_pairs = 1u << 16;

    using finder = std::function<touched_object(std::uint64_t)>;
    void take(const trace::observation& seen, const finder& find);

    /// Samples of registers, and those in which one pointed into an object.
    [[nodiscard]] std::uint64_t samples() const noexcept { return samples_; }
    [[nodiscard]] std::uint64_t samples_in_objects() const noexcept { return samples_in_objects_; }
    /// Calls f(stacks, samples) for each set of call stacks whose objects were met together.
    template <class F>
    void each_sample(F f) const {
        for (const auto& [stacks, count] : samples_by_stacks_)
            f(stacks, count);
    }

    [[nodiscard]] std::uint64_t bursts() const noexcept { return bursts_; }
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

    std::map<std::vector<std::uint32_t>, std::uint64_t> samples_by_stacks_;
    std::unordered_map<std::uint64_t, walked> pairs_; ///< from << 32 | to
    std::unordered_map<std::uint32_t, walked> within_;
    std::uint64_t samples_ = 0, samples_in_objects_ = 0;
    std::uint64_t bursts_ = 0, instructions_ = 0, accesses_ = 0, in_objects_ = 0;
    std::uint64_t objects_ = 0, lines_ = 0, pages_ = 0;
};

} // namespace arenite::advisor
