// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/resource.hpp>

#include <gtest/gtest.h>

#include <memory_resource>
#include <type_traits>
#include <vector>

namespace {

TEST(resource, is_the_standard_memory_resource) {
    static_assert(std::is_same_v<arenite::resource, std::pmr::memory_resource>);
    arenite::resource* r = std::pmr::new_delete_resource();
    std::pmr::vector<int> v{{1, 2, 3}, r};
    EXPECT_EQ(v.get_allocator().resource(), r);
}

} // namespace
