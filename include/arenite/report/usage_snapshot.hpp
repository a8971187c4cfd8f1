// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/report/sampled_site.hpp>
#include <arenite/report/usage_node.hpp>

#include <cstddef>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace arenite {
inline namespace ARENITE_ABI {

/// Memory of each named part of the program at one moment: all usage trees, all affinities,
/// all shared heaps.
///
///     const usage_snapshot before = take_usage_snapshot();
///     play_a_level();
///     const usage_snapshot now = take_usage_snapshot();
///     now.write_text(std::cout);            // or difference(before, now): usage_difference.hpp
///
///     | name               in use  reserved  objects
///     | game              1.5 MiB   4.0 MiB        -
///     | game/level 1      1.0 MiB   2.0 MiB        -
///     | affinities/nodes  512 KiB   2.0 MiB     4096
///
/// With sampling on (sampled_resource.hpp) it also has the call stacks that hold the memory:
///
///     | call site                       tag    in use   +- error  objects
///     | load_mesh < load_level < main   scene  1.0 MiB   0.7 MiB    16384
///
/// A name is the path from the root of its tree; parts with one path are numbered: "sounds" and
/// "sounds (2)". What stands in a tree and is an affinity as well is listed twice.
///
/// Use when:  it is to be known later who held how much, and what has grown since; also in release
///            builds.
/// Cost:      O(1) for each part, O(threads) for an affinity, O(1) for each sample; nothing is
///            walked. Functions get their names when something is written.
/// Overhead:  a name and 40 bytes for each part, some 200 for each call stack, from the C++
///            library's heap.
/// Threads:   one at a time, as for the usage trees of the program; affinities and shared heaps may
///            be used by all meanwhile.
/// Failure:   std::bad_alloc from the C++ library.
class usage_snapshot {
public:
    struct part {
        std::string name; ///< path: "game/level 1"
        arenite::usage figures;
    };

    /// In the order of the trees, a parent before its children.
    [[nodiscard]] std::span<const part> parts() const noexcept;
    /// nullptr where there is none of this path.
    [[nodiscard]] const part* find(std::string_view name) const noexcept;

    /// The call stacks of which samples are alive, or were since sampling began; that with most
    /// bytes first. Of all tags, also where the snapshot is of one tree.
    [[nodiscard]] std::span<const sampled_site> sites() const noexcept;
    /// Average bytes between samples; 0: none are taken.
    [[nodiscard]] std::size_t sampling_interval() const noexcept { return interval_; }

    /// The parts, and the 20 call stacks that hold most.
    void write_text(std::ostream& out) const;
    /// All of it: functions innermost first, with their full names.
    void write_json(std::ostream& out) const;
    /// The call stacks for `go tool pprof FILE`, with tags as labels.
    void write_pprof(std::ostream& out) const;
    /// The call stacks for flame graphs, a line each, the tag as the outermost frame.
    void write_collapsed(std::ostream& out) const;

private:
    friend usage_snapshot take_usage_snapshot();
    friend usage_snapshot take_usage_snapshot(const usage_node& root);
    void add(std::string_view path, const arenite::usage& figures);
    void add_tree(std::string_view path, const usage_node& node);
    void add_sites();

    std::vector<part> parts_;
    std::vector<sampled_site> sites_;
    std::size_t interval_ = 0;
};

/// Takes one of the whole process.
[[nodiscard]] usage_snapshot take_usage_snapshot();
/// Takes one of one tree.
[[nodiscard]] usage_snapshot take_usage_snapshot(const usage_node& root);

} // namespace ARENITE_ABI
} // namespace arenite
