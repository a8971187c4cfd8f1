// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/report/detail/usage_source.hpp>

#include <arenite/report/usage_snapshot.hpp>

#include <gtest/gtest.h>

using namespace arenite;

namespace {

constinit detail::usage_source ours{"sources of a test", [](detail::usage_source::sink& to) {
                                        to.add("one", {.bytes_in_use = 5, .bytes_reserved = 8});
                                        to.add("two", {.bytes_in_use = 6, .bytes_reserved = 8});
                                    }};

TEST(usage_source, is_in_every_snapshot_from_its_beginning_on) {
    EXPECT_EQ(take_usage_snapshot().find("sources of a test"), nullptr);
    ours.begin();
    ours.begin(); // once
    const usage_snapshot s = take_usage_snapshot();
    ASSERT_NE(s.find("sources of a test"), nullptr);
    EXPECT_EQ(s.find("sources of a test")->figures.bytes_in_use, 11U);
    EXPECT_EQ(s.find("sources of a test/two")->figures.bytes_in_use, 6U);
    EXPECT_EQ(s.find("sources of a test (2)"), nullptr);
}

} // namespace
