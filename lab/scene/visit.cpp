// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "visit.hpp"

#include <cmath>

namespace arenite::lab::scene {
namespace {

void count(const node& n, statistics& s) noexcept {
    s.extent += n.bound.radius;
    if (n.kind == kind::geometry) {
        ++s.geometries;
        s.indices += static_cast<const geometry&>(n).index_count;
        return;
    }
    if (n.kind == kind::transform) {
        const matrix& local = static_cast<const transform&>(n).local;
        ++s.transforms;
        s.shift += local.m[12] + local.m[13];
    } else {
        ++s.groups;
    }
    const auto& g = static_cast<const group&>(n);
    s.children += g.count;
    for (std::uint32_t i = 0; i < g.count; ++i)
        if (const node* child = g.children[i])
            count(*child, s);
}

struct culling {
    float sine, cosine, far;
    visible seen;

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
            seen.sort_sum += g.surface != nullptr ? g.surface->sort_key : 0u;
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

} // namespace

statistics traverse(const node& root) noexcept {
    statistics s;
    count(root, s);
    return s;
}

visible cull(const node& root, const camera& eye) noexcept {
    culling c{static_cast<float>(std::sin(eye.half_angle)),
              static_cast<float>(std::cos(eye.half_angle)), static_cast<float>(eye.far), {}};
    c.visit(root, eye.view());
    return c.seen;
}

} // namespace arenite::lab::scene
