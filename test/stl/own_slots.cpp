// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/stl/detail/own_slots.hpp>
#include <arenite/stl/resource_allocator.hpp>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"

#include <cstddef>

using namespace arenite;

namespace {

using base = resource_allocator<std::byte, support::counting_resource>;
using own_slots = detail::own_slots<base>;

TEST(own_slots, end_with_their_last_holder) {
    support::counting_resource up;
    own_slots* const slots = own_slots::make(base{up});
    slots->hold();
    void* const small = slots->allocate<24, 8>();
    void* const large = slots->allocate<40, 8>();
    EXPECT_EQ(slots->usage().live_allocations, 2u);
    EXPECT_TRUE(slots->owns(small) && slots->owns(large));
    slots->deallocate<24, 8>(small);
    slots->deallocate<40, 8>(large);
    slots->let_go();
    EXPECT_NE(up.live(), 0u);
    slots->let_go();
    EXPECT_EQ(up.live(), 0u);
}

TEST(own_slots, what_was_lent_to_a_node_handle_keeps_them) {
    support::counting_resource up;
    own_slots* const slots = own_slots::make(base{up});
    void* const node = slots->allocate<24, 8>();
    slots->lend();
    slots->let_go();
    EXPECT_NE(up.live(), 0u);
    slots->deallocate<24, 8>(node);
    slots->end_if_unused();
    EXPECT_EQ(up.live(), 0u);
}

} // namespace
