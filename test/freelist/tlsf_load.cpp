// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/alignment.hpp>
#include <arenite/freelist/tlsf_load.hpp>

#include <gtest/gtest.h>

namespace {

TEST(tlsf_load, has_the_default_alignment) {
    constexpr arenite::tlsf_load load{.bytes = 100, .allocations = 2, .largest_bytes = 50};
    static_assert(load.largest_alignment == arenite::default_alignment);
    EXPECT_EQ(load.bytes, 100u);
}

} // namespace
