// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/handle/compaction_step.hpp>

#include <gtest/gtest.h>

namespace {

using namespace arenite;

TEST(compaction_step, is_finished_unless_something_ended_it) {
    EXPECT_TRUE(compaction_step{}.finished());
    EXPECT_FALSE(compaction_step{.why = compaction_step::end::budget_spent}.finished());
    EXPECT_FALSE(compaction_step{.why = compaction_step::end::no_memory}.finished());
}

} // namespace
