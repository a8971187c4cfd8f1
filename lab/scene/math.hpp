// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>

// The geometry that loading, traversing and culling a scene needs, and no more.

namespace arenite::lab::scene {

struct vector3 {
    float x = 0, y = 0, z = 0;
};

struct vector2 {
    float x = 0, y = 0;
};

/// A sphere around something; a negative radius is a sphere around nothing.
struct sphere {
    vector3 center;
    float radius = -1;
};

/// The sphere around the box of these points: quick, and tight enough to cull by.
[[nodiscard]] inline sphere bound_of(std::span<const vector3> points) noexcept {
    if (points.empty())
        return {};
    vector3 low = points[0], high = points[0];
    for (const vector3& p : points) {
        low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
        high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
    const vector3 half{(high.x - low.x) / 2, (high.y - low.y) / 2, (high.z - low.z) / 2};
    return {{low.x + half.x, low.y + half.y, low.z + half.z},
            std::sqrt(half.x * half.x + half.y * half.y + half.z * half.z)};
}

/// The smallest sphere around two spheres.
[[nodiscard]] inline sphere unite(const sphere& a, const sphere& b) noexcept {
    if (a.radius < 0)
        return b;
    if (b.radius < 0)
        return a;
    const vector3 way{b.center.x - a.center.x, b.center.y - a.center.y, b.center.z - a.center.z};
    const float distance = std::sqrt(way.x * way.x + way.y * way.y + way.z * way.z);
    if (distance + b.radius <= a.radius)
        return a;
    if (distance + a.radius <= b.radius)
        return b;
    const float radius = (distance + a.radius + b.radius) / 2;
    const float share = (radius - a.radius) / distance;
    return {{a.center.x + way.x * share, a.center.y + way.y * share, a.center.z + way.z * share},
            radius};
}

/// An affine 4x4 matrix in double precision, column by column, as large worlds need.
struct matrix {
    std::array<double, 16> m{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

    [[nodiscard]] static matrix translation(double x, double y, double z) noexcept {
        matrix r;
        r.m[12] = x;
        r.m[13] = y;
        r.m[14] = z;
        return r;
    }
};

/// a then-applied-after b; both affine, so that the last row needs no work.
[[nodiscard]] inline matrix operator*(const matrix& a, const matrix& b) noexcept {
    matrix r;
    for (std::size_t column = 0; column < 4; ++column) {
        const double* v = &b.m[column * 4];
        for (std::size_t row = 0; row < 3; ++row)
            r.m[column * 4 + row] = a.m[row] * v[0] + a.m[4 + row] * v[1] + a.m[8 + row] * v[2] +
                                    (column == 3 ? a.m[12 + row] : 0.0);
    }
    return r;
}

/// How much a matrix can enlarge: the length of its longest axis.
[[nodiscard]] inline double scale_of(const matrix& a) noexcept {
    double longest = 0;
    for (std::size_t c = 0; c < 3; ++c) {
        const double* v = &a.m[c * 4];
        longest = std::max(longest, v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
    return std::sqrt(longest);
}

[[nodiscard]] inline sphere operator*(const matrix& a, const sphere& s) noexcept {
    if (s.radius < 0)
        return s;
    const double x = s.center.x, y = s.center.y, z = s.center.z;
    const auto row = [&](std::size_t i) {
        return static_cast<float>(a.m[i] * x + a.m[4 + i] * y + a.m[8 + i] * z + a.m[12 + i]);
    };
    return {{row(0), row(1), row(2)}, static_cast<float>(s.radius * scale_of(a))};
}

/// A camera over a flat world whose z points up: what it can see is a pyramid cut off at `far`.
struct camera {
    double x = 0, y = 0, z = 0; ///< where it stands
    double heading = 0;         ///< radians, counter-clockwise from the x axis
    double half_angle = std::numbers::pi / 6;
    double far = 1000;

    /// World to eye: x ahead, y left, z up.
    [[nodiscard]] matrix view() const noexcept {
        const double c = std::cos(heading), s = std::sin(heading);
        matrix turn;
        turn.m = {c, -s, 0, 0, s, c, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
        return turn * matrix::translation(-x, -y, -z);
    }
};

} // namespace arenite::lab::scene
