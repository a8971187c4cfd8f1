// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/linear/detail/linear_part.hpp>

#include <arenite/core/literals.hpp>

#include <gtest/gtest.h>

using namespace arenite;
using detail::linear_part;

namespace {

TEST(linear_part, renewed_it_is_empty_and_hands_out_memory_again) {
    linear_resource r{1_KiB};
    void* const p = r.allocate(100);
    linear_part::close(r);
    linear_part::renew(r);
    EXPECT_EQ(r.in_use(), 0u);
    EXPECT_EQ(r.try_allocate(100), p);
    EXPECT_FALSE(linear_part::has_open_scope(r));
}

TEST(linear_part_death, a_closed_one_hands_nothing_out) {
    if (!checks_enabled)
        GTEST_SKIP() << "found in checked builds";
    linear_resource r{1_KiB};
    linear_part::close(r);
    EXPECT_DEATH(static_cast<void>(r.try_allocate(8)), "frame in flight");
}

} // namespace
