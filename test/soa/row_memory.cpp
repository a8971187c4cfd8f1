// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/soa/detail/row_memory.hpp>
#include <arenite/soa/layout.hpp>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"
#include "support/fragile.hpp"

#include <cstdint>
#include <new>
#include <string>
#include <utility>

using namespace arenite;
using support::fragile_count;

namespace {

struct row {
    std::uint8_t small;
    support::fragile<false> first;
    support::fragile<false> second;
};
using columns = detail::row_memory<row, layout::soa>;

TEST(row_memory, takes_one_allocation_and_gives_it_back) {
    support::counting_resource up;
    {
        columns m{100, &up};
        EXPECT_EQ(up.live(), 1u);
        EXPECT_EQ(m.capacity(), 128u);
        EXPECT_EQ(m.bytes(), up.live_bytes());
        EXPECT_TRUE(is_aligned(m.at<1>(0), 64));
        EXPECT_TRUE(is_aligned(m.at<2>(0), 64));
        columns other = std::move(m);
        EXPECT_EQ(m.capacity(), 0u);
        other = columns{10, &up};
        EXPECT_EQ(up.live(), 1u);
    }
    EXPECT_EQ(up.live(), 0u);
    const columns none{0, &up};
    EXPECT_EQ(up.live(), 0u);
}

TEST(row_memory, refuses_what_has_no_size_and_what_there_is_no_memory_for) {
    support::counting_resource up;
    columns m{&up};
    EXPECT_FALSE(m.try_allocate(columns::max_rows + 1));
    EXPECT_FALSE(m.try_allocate(std::size_t(-1)));
    EXPECT_EQ(up.calls(), 0u);
    up.fail_after(0);
    EXPECT_FALSE(m.try_allocate(1));
#if ARENITE_EXCEPTIONS
    EXPECT_THROW((columns{1, &up}), out_of_memory);
    EXPECT_THROW((columns{std::size_t(-1), &up}), std::bad_array_new_length);
#endif
}

TEST(row_memory, moves_rows_about_in_itself) {
    support::counting_resource up;
    detail::row_memory<std::pair<int, std::string>, layout::aos> m{10, &up};
    for (std::size_t i = 0; i < 4; ++i)
        m.construct(i, std::pair{static_cast<int>(i), std::string(i, 'x')});
    m.relocate(2, m, 1, 3); // up by one
    m.construct(1, std::pair{7, std::string{"new"}});
    EXPECT_EQ(m.at<0>(1)->second, "new");
    EXPECT_EQ(m.at<0>(4)->second, "xxx");
    m.destroy(0, 1);
    m.relocate(0, m, 1, 4); // and down
    EXPECT_EQ(m.at<0>(0)->first, 7);
    EXPECT_EQ(m.at<0>(3)->second, "xxx");
    m.destroy(0, 4);
}

#if ARENITE_EXCEPTIONS
TEST(row_memory, a_member_that_throws_leaves_no_part_of_a_row) {
    support::counting_resource up;
    columns m{10, &up};
    const std::ptrdiff_t before = fragile_count::live;
    {
        const row r{1, 2, 3};
        for (int n = 0; n < 2; ++n) {
            fragile_count::throw_after(n);
            EXPECT_THROW(m.construct(0, r), std::runtime_error);
            EXPECT_EQ(fragile_count::live, before + 2);
        }
        fragile_count::never_throw();
    }
}

TEST(row_memory, a_copy_that_throws_leaves_no_rows) {
    support::counting_resource up;
    columns from{10, &up};
    columns to{10, &up};
    for (std::size_t i = 0; i < 3; ++i)
        from.construct(i, row{1, 2, 3});
    const std::ptrdiff_t before = fragile_count::live;
    for (int n = 0; n < 6; ++n) {
        fragile_count::throw_after(n);
        EXPECT_THROW(to.copy(0, from, 0, 3), std::runtime_error);
        EXPECT_EQ(fragile_count::live, before);
    }
    fragile_count::never_throw();
    to.copy(1, from, 0, 3);
    EXPECT_EQ(to.at<2>(3)->get(), 3);
    to.destroy(1, 3);
    from.destroy(0, 3);
    EXPECT_EQ(fragile_count::misplaced, 0);
}
#endif

} // namespace
