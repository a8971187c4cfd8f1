// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/detail/build_mode.hpp>

#include <gtest/gtest.h>

using namespace arenite;

namespace {

TEST(build_mode, every_call_is_slow_where_something_looks_at_each) {
    static_assert(!checks_enabled || detail::slow_only);
    static_assert(!detail::poison::active || detail::slow_only);
    static_assert(checks_enabled || detail::poison::active || !detail::slow_only);
}

} // namespace
