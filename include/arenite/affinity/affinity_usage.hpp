// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/report/usage_node.hpp>

#include <list>
#include <string_view>

namespace arenite {
inline namespace ARENITE_ABI {

class affinity_heap;

/// All affinities in a tree of usage_nodes, each under its name.
///
///     usage_node game{"game"};
///     affinity_usage affinities{&game};      // those there are
///     affinities.update();                   // and those named since, without those retired
///     game.write_text(std::cout);
///
///     |                 in use  reserved  high water  objects  ...
///     | game           1.5 MiB   4.0 MiB     1.5 MiB
///     | `- affinities  1.5 MiB   4.0 MiB     1.5 MiB
///     |    |- nodes    1.0 MiB   3.0 MiB     1.1 MiB    20000
///     |    `- sounds   512 KiB   1.0 MiB     512 KiB     4096
///
/// Use when:  a program's report shows its affinities beside its other resources. A single one:
///            `usage_node{"nodes", affinity_heap::of<nodes>(), &game}`.
/// Cost:      O(affinities) to make and end; update O(affinities squared), which are few.
/// Overhead:  a usage_node an affinity.
/// Threads:   one at a time for the whole tree, as usage_node has it; others may use affinities and
///            name new ones meanwhile. From the end of one until update() its line shows nothing,
///            or the affinity that took its place, which is not to be named while the tree is read.
/// Failure:   std::bad_alloc from the C++ library; what is in the tree stays.
class affinity_usage {
public:
    explicit affinity_usage(usage_node* parent = nullptr, std::string_view name = "affinities")
        : all_{name, parent} {
        update();
    }

    /// Adds the affinities that were named since, and takes out those that were retired.
    void update();

    /// The sum, with a node an affinity below it.
    [[nodiscard]] const usage_node& node() const noexcept { return all_; }

private:
    struct affinity {
        affinity(const affinity_heap& h, usage_node* parent);
        const affinity_heap* heap;
        usage_node node;
    };

    usage_node all_;
    std::list<affinity> each_; ///< in the order in which they were found
};

} // namespace ARENITE_ABI
} // namespace arenite
