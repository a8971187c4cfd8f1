// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/stl/detail/shared_pool.hpp>

#include <gtest/gtest.h>

#include <memory>

using namespace arenite;
using detail::shared_pool;

namespace {

TEST(shared_pool, is_one_for_each_size_alignment_and_base) {
    using base = page_allocator<std::byte>;
    const base b;
    auto& a = shared_pool<24, 8, base, suballocator_options{}>::instance(b);
    EXPECT_EQ(&a, &(shared_pool<24, 8, base, suballocator_options{}>::instance(base{})));
    EXPECT_NE(&a, &(shared_pool<32, 8, base, suballocator_options{}>::instance(b)));
    EXPECT_NE(&a, &(shared_pool<24, 4, base, suballocator_options{}>::instance(b)));
    using other = std::allocator<std::byte>;
    EXPECT_NE(&a, &(shared_pool<24, 8, other, suballocator_options{}>::instance(other{})));
}

} // namespace
