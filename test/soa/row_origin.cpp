// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/soa/detail/row_origin.hpp>

#include <gtest/gtest.h>

#include <cstddef>

using namespace arenite;

namespace {

TEST(row_origin, tells_where_rows_lie) {
    std::byte memory[4];
    const detail::row_origin::state s{};
    const detail::row_origin o{memory, 4, s};
    EXPECT_EQ(o.memory(), memory);
    EXPECT_EQ(o.capacity(), 4u);
    static_assert(checks_enabled || sizeof(detail::row_origin) == 2 * sizeof(void*));
}

TEST(row_origin_death, checked_builds_find_what_is_too_old_or_not_there) {
    if constexpr (!checks_enabled) {
        GTEST_SKIP() << "only checked builds count generations";
    } else {
        std::byte memory[4];
        detail::row_origin::state s{.size = 2};
        const detail::row_origin o{memory, 4, s};
        o.check("row", 1);
        EXPECT_DEATH(o.check("row", 2), "there is no row 2 in records of 2 rows");
        EXPECT_DEATH(detail::row_origin{}.check("column", 0), "this column is of no records");
        const detail::row_origin::state others{};
        EXPECT_DEATH(o.check("iterator", detail::row_origin{memory, 4, others}),
                     "of other records");
        s.invalidate();
        EXPECT_DEATH(o.check("row", 1), "this row was taken before the records grew or lost rows");
    }
}

} // namespace
