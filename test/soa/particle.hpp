// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/soa/records.hpp>

#include <compare>
#include <string>

namespace soa_test {

struct vector3 {
    float x = 0, y = 0, z = 0;
    friend bool operator==(const vector3&, const vector3&) = default;
};

/// A few bytes, a text, and members of several alignments.
struct particle {
    char flag = 'f';
    vector3 position{};
    double mass = 1;
    std::string name = "no name";
    friend bool operator==(const particle&, const particle&) = default;
};

/// The i-th of many, all different.
inline particle nth(int i) {
    const auto f = static_cast<float>(i);
    return {static_cast<char>('a' + i % 26), {f, f + 0.25f, f + 0.5f}, i * 2.0, std::to_string(i)};
}

template <class Layout>
arenite::records<particle, Layout> numbered(int rows) {
    arenite::records<particle, Layout> r;
    for (int i = 0; i < rows; ++i)
        r.push_back(nth(i));
    return r;
}

} // namespace soa_test
