// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "math.hpp"

#include <cstddef>
#include <cstdint>

namespace arenite::lab::scene {

// A small scene graph with what an engine's has: intrusive reference counts, names, bounding
// spheres for culling, child arrays of their own, vertex arrays shared between the geometries of
// one load.
//
//     group 48 B ---> child array, 8 B a child         nodes: what traversing and culling touch
//       |  transform 176 B (group + 4x4 double)
//       |  geometry 80 B ---> material 88 B
//       |     |                  |
//     name    |                name                    data: what only drawing or a look-up touches
//             +--> array 24 B ---> elements (16 B to 100 KiB and more)
//
// Materials lie with the nodes because sorting what is seen reads them, as VulkanSceneGraph's state
// groups do.
// The sizes are those of VulkanSceneGraph's objects, or a little less: a kind instead of a
// virtual-table pointer.

enum class kind : std::uint16_t { group, transform, geometry };

struct node {
    std::uint32_t references = 0;
    scene::kind kind = scene::kind::group;
    std::uint16_t name_bytes = 0; ///< with the terminating zero
    char* name = nullptr;
    sphere bound; ///< in the parent's space
};

struct group : node {
    node** children = nullptr; ///< a child may be absent (nullptr): paged out
    std::uint32_t count = 0;
    std::uint32_t mask = ~0u; ///< which views show it
};

struct transform : group {
    matrix local;
};

/// Elements of one type, shared by reference count.
struct array {
    std::uint32_t references = 0;
    std::uint32_t element_bytes = 0;
    std::uint64_t count = 0;
    std::byte* elements = nullptr;

    [[nodiscard]] std::size_t bytes() const noexcept { return element_bytes * count; }
};

struct material {
    std::uint32_t references = 0;
    std::uint16_t name_bytes = 0;
    std::uint16_t sort_key = 0; ///< drawing sorts by it
    char* name = nullptr;
    float ambient[4] = {}, diffuse[4] = {}, specular[4] = {}, emissive[4] = {};
    float shininess = 0, opacity = 1;
};

struct geometry : node {
    array* positions = nullptr;
    array* normals = nullptr;
    array* texcoords = nullptr;
    array* indices = nullptr;
    material* surface = nullptr;
    std::uint32_t index_count = 0;
    std::uint32_t topology = 0; ///< the primitive types within
};

static_assert(sizeof(void*) != 8 ||
              (sizeof(node) == 32 && sizeof(group) == 48 && sizeof(transform) == 176 &&
               sizeof(geometry) == 80 && sizeof(array) == 24 && sizeof(material) == 88));

} // namespace arenite::lab::scene
