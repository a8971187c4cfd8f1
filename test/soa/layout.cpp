// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/soa/layout.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

using namespace arenite;

namespace {

struct row {
    std::uint8_t small;
    double wide;
    std::uint16_t middle;
};

struct floats {
    float a, b;
};

struct alignas(128) over_aligned {
    int value;
};
struct holds_over_aligned {
    char flag;
    over_aligned large;
};

alignas(128) std::byte memory[1 << 16];

/// Distance of the part from the begin of the memory.
template <class Placement, std::size_t K>
std::size_t offset(std::size_t capacity, std::size_t index) {
    const auto* p =
        reinterpret_cast<const std::byte*>(Placement::template at<K>(memory, capacity, index));
    return static_cast<std::size_t>(p - memory);
}

TEST(layout, soa_has_aligned_columns_of_constant_place) {
    using p = layout::soa::placement<row>;
    static_assert(p::granule_rows == 64 && p::granule_bytes == 64 * 11);
    static_assert(p::alignment == 64);
    EXPECT_EQ((offset<p, 0>(128, 5)), 5u);
    EXPECT_EQ((offset<p, 1>(128, 5)), 128u + 5 * 8);
    EXPECT_EQ((offset<p, 2>(128, 5)), 128u * 9 + 5 * 2);
    static_assert(layout::soa::placement<floats>::granule_rows == 16, "no more than lines ask for");
}

TEST(layout, soa_aligns_columns_more_where_a_member_wants_it) {
    using p = layout::soa::placement<holds_over_aligned>;
    static_assert(p::alignment == 128 && p::granule_rows == 128);
    EXPECT_EQ((offset<p, 1>(128, 1)), 256u);
}

TEST(layout, aos_is_an_array_of_objects) {
    using p = layout::aos::placement<row>;
    static_assert(p::granule_rows == 1 && p::granule_bytes == sizeof(row));
    EXPECT_EQ((offset<p, 0>(10, 3)), 3 * sizeof(row));
    static_assert(layout::aos::placement<holds_over_aligned>::alignment == 128);
}

TEST(layout, aosoa_has_short_columns_in_each_block) {
    using p = layout::aosoa<4>::placement<row>;
    static_assert(p::granule_rows == 4);
    static_assert(p::granule_bytes == 64, "4 + 4 of padding + 32 + 8, on lines");
    EXPECT_EQ((offset<p, 0>(16, 6)), 64u + 2);
    EXPECT_EQ((offset<p, 1>(16, 6)), 64u + 8 + 2 * 8);
    EXPECT_EQ((offset<p, 2>(16, 6)), 64u + 40 + 2 * 2);
}

} // namespace
