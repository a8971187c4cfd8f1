// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Programs may include slots_resource from its former place.
#include <arenite/affinity/slots_resource.hpp>

#include <gtest/gtest.h>

#include <type_traits>

namespace {

TEST(slots_resource, is_found_at_its_former_place) {
    EXPECT_FALSE(std::is_copy_constructible_v<arenite::slots_resource>);
}

} // namespace
