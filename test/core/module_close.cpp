// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/detail/module_close.hpp>

#include <gtest/gtest.h>

#include <cstdlib>

// Modules that are closed: test/plugin/bare_host.cpp.

using arenite::detail::module_close;

namespace {

TEST(module_close, nothing_is_closed_while_the_program_runs) {
    EXPECT_FALSE(module_close::goes_on());
}

#if ARENITE_HAS_MODULE_CLOSE

bool end_is_looked_at = false;

ARENITE_AT_MODULE_CLOSE void look_at_the_end() noexcept {
    if (end_is_looked_at)
        std::_Exit(module_close::goes_on() ? 1 : 7);
}

TEST(module_close_death, a_process_that_ends_does_not_go_on) {
    EXPECT_EXIT(
        {
            end_is_looked_at = true;
            std::exit(0);
        },
        testing::ExitedWithCode(7), "");
}

#endif

} // namespace
