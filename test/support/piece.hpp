// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/alignment.hpp>

#include <gtest/gtest.h>

#include "support/pattern.hpp"

#include <cstddef>
#include <vector>

namespace support {

/// Memory that a test was handed, and what must be said to give it back.
struct piece {
    void* p;
    std::size_t bytes;
    std::size_t alignment = arenite::default_alignment;
};

/// A request that must succeed; the memory is filled with a pattern that no other piece has.
template <class R>
[[nodiscard]] piece take(R& r, std::size_t bytes,
                         std::size_t alignment = arenite::default_alignment) {
    void* const p = r.try_allocate(bytes, alignment);
    EXPECT_NE(p, nullptr) << bytes << " bytes, alignment " << alignment;
    EXPECT_TRUE(arenite::is_aligned(p, alignment)) << p << ", alignment " << alignment;
    pattern{arenite::address_of(p)}.write(p, p == nullptr ? 0 : bytes);
    return {p, bytes, alignment};
}

inline void expect_intact(const piece& x) {
    EXPECT_TRUE(pattern{arenite::address_of(x.p)}.holds(x.p, x.bytes))
        << x.bytes << " bytes at " << x.p << " were overwritten";
}

/// Gives back a piece that take() returned and nobody wrote into.
template <class R>
void give(R& r, const piece& x) {
    expect_intact(x);
    r.deallocate(x.p, x.bytes, x.alignment);
}

template <class R>
void give(R& r, const std::vector<piece>& all) {
    for (const piece& x : all)
        give(r, x);
}

} // namespace support
