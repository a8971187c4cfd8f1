// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/offset/offset_allocation.hpp>
#include <arenite/offset/offset_allocator.hpp>

#include <gtest/gtest.h>

#include <type_traits>

using namespace arenite;

namespace {

static_assert(std::is_trivially_copyable_v<offset_allocation>);
static_assert(sizeof(offset_allocation) == 24);

TEST(offset_allocation, one_that_nobody_handed_out_is_alive_nowhere) {
    offset_allocator gpu{1000};
    EXPECT_FALSE(gpu.is_live({}));
    const auto a = gpu.try_allocate(10);
    EXPECT_FALSE(gpu.is_live({}));
    EXPECT_TRUE(gpu.is_live(*a));
    gpu.deallocate(*a);
}

} // namespace
