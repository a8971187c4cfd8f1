// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// One vertex buffer and one index buffer for all meshes. Offsets are whole vertices, whatever their
// stride; the buffers start small and grow without moving anything; when many meshes are gone, what
// is left is moved down a little each frame, and the end is given back.

#include <arenite/core/literals.hpp>
#include <arenite/offset/offset_allocator.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <vector>

using namespace arenite::literals;

namespace {

/// A buffer of the device's; here it is memory of ours.
struct buffer {
    std::vector<unsigned char> bytes;
    void resize(std::uint64_t n) { bytes.resize(n); }
    void copy(std::uint64_t from, std::uint64_t to, std::uint64_t n) {
        std::memcpy(bytes.data() + to, bytes.data() + from, n);
    }
};

struct mesh {
    arenite::offset_allocation vertices;
    arenite::offset_allocation indices;
    std::uint64_t stride;
    unsigned char contents;
};

/// All of one kind, in one buffer. Who a part is of stands in its user data.
struct part_of_all {
    arenite::offset_allocator parts{64_KiB, {.granularity = 4, .user_data = true}};
    buffer device;

    part_of_all() { device.resize(parts.capacity()); }

    arenite::offset_allocation add(std::uint64_t bytes, std::uint64_t alignment, std::uint64_t of,
                                   unsigned char contents) {
        auto a = parts.try_allocate(bytes, alignment, {.user_data = of});
        if (!a && parts.grow(std::max(parts.capacity(), *parts.growth_for(bytes, alignment))))
            a = parts.try_allocate(bytes, alignment, {.user_data = of}); // nothing has moved
        device.resize(parts.capacity());
        std::memset(device.bytes.data() + a->offset, contents, bytes);
        return *a;
    }

    /// A frame's share of the work. `moved(mesh, to)` learns where a part lies from now on.
    template <class F>
    bool defragment(F moved) {
        const arenite::offset_moves todo = parts.step(arenite::budget{.bytes = 16_KiB, .moves = 8});
        for (const arenite::offset_move& m : todo)
            device.copy(m.from.offset, m.to.offset, m.bytes()); // vkCmdCopyBuffer
        parts.commit(todo);                                     // once the fence is passed
        for (const arenite::offset_move& m : todo)
            moved(m.user_data, m.to);
        return !todo.done();
    }
};

} // namespace

int main() {
    part_of_all vertices;
    part_of_all indices;
    std::vector<std::optional<mesh>> meshes;
    for (std::uint64_t i = 0; i < 500; ++i) {
        constexpr std::uint64_t strides[] = {12, 20, 36, 48};
        const std::uint64_t stride = strides[i % 4];
        const auto contents = static_cast<unsigned char>(i);
        meshes.push_back(mesh{vertices.add(stride * (20 + i % 90), stride, i, contents),
                              indices.add(2 * (60 + i % 270), 4, i, contents), stride, contents});
    }
    const std::uint64_t full = vertices.parts.capacity();

    for (std::size_t i = 0; i < meshes.size(); ++i) { // a level is left
        if (i % 5 != 0) {
            vertices.parts.deallocate(meshes[i]->vertices);
            indices.parts.deallocate(meshes[i]->indices);
            meshes[i].reset();
        }
    }
    const double before = vertices.parts.fragmentation();

    const auto vertices_moved = [&](std::uint64_t i, const arenite::offset_allocation& to) {
        meshes[i]->vertices = to;
    };
    const auto indices_moved = [&](std::uint64_t i, const arenite::offset_allocation& to) {
        meshes[i]->indices = to;
    };
    int frames = 0;
    for (bool more = true; more; ++frames) {
        const bool more_vertices = vertices.defragment(vertices_moved);
        const bool more_indices = indices.defragment(indices_moved);
        more = more_vertices || more_indices;
    }
    const double after = vertices.parts.fragmentation();
    vertices.parts.shrink();
    vertices.device.resize(vertices.parts.capacity());
    std::printf("vertices: %llu bytes, in pieces %.2f; after %d frames %llu bytes, %.2f\n",
                static_cast<unsigned long long>(full), before, frames,
                static_cast<unsigned long long>(vertices.parts.capacity()), after);

    for (const std::optional<mesh>& m : meshes) {
        if (!m)
            continue;
        if (m->vertices.offset % m->stride != 0) // vkCmdDrawIndexed's vertexOffset is whole
            return 1;
        for (std::uint64_t i = 0; i < m->vertices.bytes; ++i) {
            if (vertices.device.bytes[m->vertices.offset + i] != m->contents)
                return 1;
        }
    }
    return after < before && vertices.parts.capacity() < full / 2 ? 0 : 1;
}
