// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../probes/address_map.hpp"
#include "scene.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace arenite::lab::scene {

/// The counts of a traversal over the whole graph.
struct statistics {
    std::uint64_t groups = 0, transforms = 0, geometries = 0;
    std::uint64_t children = 0; ///< places for children, also the empty ones
    std::uint64_t indices = 0;  ///< of all geometries, those that share arrays too
    double extent = 0;          ///< sum of all radii
    double shift = 0;           ///< sum of all translations along x and y

    [[nodiscard]] std::uint64_t nodes() const noexcept { return groups + transforms + geometries; }
    friend bool operator==(const statistics&, const statistics&) = default;
};

/// Node statistics, depth first: touches every node and child array, no name and no vertex.
[[nodiscard]] statistics traverse(const group& root) noexcept;

/// The view of a camera.
struct visible {
    std::uint64_t tested = 0;   ///< nodes whose sphere was looked at
    std::uint64_t draws = 0;    ///< geometries within the frustum
    std::uint64_t indices = 0;  ///< of those
    std::uint64_t sort_sum = 0; ///< of their materials' sort keys
    friend bool operator==(const visible&, const visible&) = default;
    visible& operator+=(const visible& other) noexcept {
        tested += other.tested;
        draws += other.draws;
        indices += other.indices;
        sort_sum += other.sort_sum;
        return *this;
    }
};

/// Frustum culling, depth first, transforms accumulated in double precision: skips a subtree whose
/// sphere lies outside; looks up the material of what is seen.
[[nodiscard]] visible cull(const node& root, const camera& eye) noexcept;

/// The part of a visible geometry that a renderer takes.
struct command {
    const array* positions;
    const array* indices;
    const material* surface;
    std::uint32_t index_count;
    std::uint32_t sort_key;
};

/// Culls, and writes a command for each geometry that is seen; there is room for all.
[[nodiscard]] visible record(const node& root, const camera& eye, std::span<command> to) noexcept;

/// Bytes of all objects, names, child arrays and arrays; what is shared counts by its share.
[[nodiscard]] double payload(const node& root) noexcept;

/// Where the nodes lie, in the order in which they are traversed; there are no more than `most`.
[[nodiscard]] address_sample map_of(const node& root, std::size_t most, std::string name);

/// A sum over all names and array elements: what traversing and culling do not read.
[[nodiscard]] std::uint64_t contents(const node& root) noexcept;

} // namespace arenite::lab::scene
