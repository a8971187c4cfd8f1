// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "visit.hpp"

#include <cmath>
#include <cstring>
#include <span>
#include <utility>

namespace arenite::lab::scene {
namespace {

/// Counts what stands below g and g itself. A geometry ends a branch and needs no call.
void count(const group& g, statistics& s) noexcept {
    double extent = g.bound.radius;
    std::uint64_t geometries = 0, indices = 0;
    if (g.kind == kind::transform) {
        const matrix& local = static_cast<const transform&>(g).local;
        ++s.transforms;
        s.shift += local.m[12] + local.m[13];
    } else {
        ++s.groups;
    }
    for (std::uint32_t i = 0; i < g.count; ++i) {
        const node* child = g.children[i];
        if (child == nullptr)
            continue;
        if (child->kind == kind::geometry) {
            ++geometries;
            indices += static_cast<const geometry*>(child)->index_count;
            extent += child->bound.radius;
        } else {
            count(static_cast<const group&>(*child), s);
        }
    }
    s.children += g.count;
    s.geometries += geometries;
    s.indices += indices;
    s.extent += extent;
}

template <bool Recording>
struct culling {
    float sine, cosine, far;
    visible seen = {};
    command* next = nullptr;

    explicit culling(const camera& eye) noexcept
        : sine{static_cast<float>(std::sin(eye.half_angle))},
          cosine{static_cast<float>(std::cos(eye.half_angle))}, far{static_cast<float>(eye.far)} {}

    /// In eye space (x ahead): before the camera, not behind `far`, inside the four sides.
    [[nodiscard]] bool outside(const sphere& s) const noexcept {
        const vector3& c = s.center;
        return s.radius < 0 || c.x < -s.radius || c.x - s.radius > far ||
               std::abs(c.y) * cosine - c.x * sine > s.radius ||
               std::abs(c.z) * cosine - c.x * sine > s.radius;
    }

    void visit(const node& n, const matrix& to_eye) noexcept {
        ++seen.tested;
        if (outside(to_eye * n.bound))
            return;
        if (n.kind == kind::geometry) {
            const auto& g = static_cast<const geometry&>(n);
            ++seen.draws;
            seen.indices += g.index_count;
            const std::uint32_t sort_key = g.surface != nullptr ? g.surface->sort_key : 0u;
            seen.sort_sum += sort_key;
            if constexpr (Recording)
                *next++ = {g.positions, g.indices, g.surface, g.index_count, sort_key};
            return;
        }
        const auto& g = static_cast<const group&>(n);
        if (n.kind == kind::transform)
            children(g, to_eye * static_cast<const transform&>(n).local);
        else
            children(g, to_eye);
    }

    void children(const group& g, const matrix& to_eye) noexcept {
        for (std::uint32_t i = 0; i < g.count; ++i)
            if (const node* child = g.children[i])
                visit(*child, to_eye);
    }
};

template <class Shared>
double share(const Shared* object, std::size_t bytes_beside) noexcept {
    if (object == nullptr)
        return 0;
    return static_cast<double>(sizeof(Shared) + bytes_beside) / object->references;
}

double share(const array* a) noexcept { return share(a, a != nullptr ? a->bytes() : 0); }

/// Fowler, Noll and Vo's sum, eight bytes a step.
std::uint64_t add(std::uint64_t sum, const void* p, std::size_t bytes) noexcept {
    const auto* next = static_cast<const std::byte*>(p);
    for (; bytes >= 8; bytes -= 8, next += 8) {
        std::uint64_t word;
        std::memcpy(&word, next, 8);
        sum = (sum ^ word) * 0x100000001b3;
    }
    for (; bytes > 0; --bytes, ++next)
        sum = (sum ^ std::to_integer<std::uint64_t>(*next)) * 0x100000001b3;
    return sum;
}

std::uint64_t add(std::uint64_t sum, const array* a) noexcept {
    return a != nullptr ? add(sum, a->elements, a->bytes()) : sum;
}

std::uint64_t contents(const node& n, std::uint64_t sum) noexcept {
    sum = add(sum, n.name, n.name_bytes);
    if (n.kind == kind::geometry) {
        const auto& g = static_cast<const geometry&>(n);
        for (const array* a : {g.positions, g.normals, g.texcoords, g.indices})
            sum = add(sum, a);
        return g.surface != nullptr ? add(sum, g.surface->name, g.surface->name_bytes) : sum;
    }
    const auto& g = static_cast<const group&>(n);
    for (const node* child : std::span{g.children, g.count})
        if (child != nullptr)
            sum = contents(*child, sum);
    return sum;
}

} // namespace

double payload(const node& n) noexcept {
    double bytes = n.name_bytes;
    if (n.kind == kind::geometry) {
        const auto& g = static_cast<const geometry&>(n);
        for (const array* a : {g.positions, g.normals, g.texcoords, g.indices})
            bytes += share(a);
        return bytes + sizeof(geometry) +
               share(g.surface, g.surface != nullptr ? g.surface->name_bytes : 0);
    }
    const auto& g = static_cast<const group&>(n);
    bytes += n.kind == kind::transform ? sizeof(transform) : sizeof(group);
    bytes += static_cast<double>(g.count * sizeof(node*));
    for (const node* child : std::span{g.children, g.count})
        if (child != nullptr)
            bytes += payload(*child);
    return bytes;
}

std::uint64_t contents(const node& root) noexcept { return contents(root, 0xcbf29ce484222325); }

statistics traverse(const group& root) noexcept {
    statistics s;
    count(root, s);
    return s;
}

visible cull(const node& root, const camera& eye) noexcept {
    culling<false> c{eye};
    c.visit(root, eye.view());
    return c.seen;
}

visible record(const node& root, const camera& eye, std::span<command> to) noexcept {
    culling<true> c{eye};
    c.next = to.data();
    c.visit(root, eye.view());
    return c.seen;
}

address_sample map_of(const node& root, std::size_t most, std::string name) {
    address_map map{most};
    const auto add_below = [&](const auto& self, const node& n) -> void {
        map.add(&n, n.kind == kind::geometry    ? sizeof(geometry)
                    : n.kind == kind::transform ? sizeof(transform)
                                                : sizeof(group));
        if (n.kind == kind::geometry)
            return;
        const auto& g = static_cast<const group&>(n);
        for (std::uint32_t i = 0; i < g.count; ++i)
            if (g.children[i] != nullptr)
                self(self, *g.children[i]);
    };
    add_below(add_below, root);
    return map.sample(std::move(name));
}

} // namespace arenite::lab::scene
