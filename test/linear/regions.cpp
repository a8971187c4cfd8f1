// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/passthrough.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/linear/linear_resource.hpp>

#include <gtest/gtest.h>

#include "support/region_list.hpp"

#include <cstddef>
#include <span>

using namespace arenite;
using support::region_list;

namespace {

static_assert(Mappable<linear_resource>);

// These tests are of the region, also where the environment says that all goes to malloc.
class linear_resource_list : public testing::Test {
protected:
    ~linear_resource_list() override { detail::set_passthrough_for_test(passthrough_before_); }

private:
    bool passthrough_before_ = detail::set_passthrough_for_test(false);

protected:
    alignas(16) std::byte buffer_[1000];
    linear_resource a_{std::span{buffer_}};
};

TEST_F(linear_resource_list, is_empty_before_the_first_request) {
    const linear_resource never_used{1000};
    EXPECT_TRUE(region_list{never_used}.all().empty());
}

TEST_F(linear_resource_list, is_one_run_and_what_was_never_touched) {
    void* const p = a_.allocate(100);
    static_cast<void>(a_.allocate(60));
    const region_list l{a_};
    ASSERT_EQ(l.all().size(), 2u);
    EXPECT_EQ(l.all()[0].address, p);
    EXPECT_EQ(l.all()[0].state, region_state::used);
    EXPECT_EQ(l.all()[0].bytes, a_.in_use());
    EXPECT_FALSE(l.all()[0].one_object) << "no sizes are kept";
    EXPECT_EQ(l.all()[1].state, region_state::untouched);
    EXPECT_EQ(l.bytes(), 1000u);
}

TEST_F(linear_resource_list, tells_what_was_in_use_once_from_what_never_was) {
    static_cast<void>(a_.allocate(100));
    const auto m = a_.mark();
    static_cast<void>(a_.allocate(300));
    a_.rewind(m);
    const region_list l{a_};
    EXPECT_EQ(l.bytes(region_state::used), 100u);
    EXPECT_EQ(l.bytes(region_state::free), a_.high_water() - 100);
    EXPECT_EQ(l.bytes(region_state::untouched), 1000u - a_.high_water());
}

TEST_F(linear_resource_list, has_a_hole_where_what_lies_below_the_latest_was_freed) {
    static_cast<void>(a_.allocate(64));
    void* const p = a_.allocate(64);
    static_cast<void>(a_.allocate(64));
    a_.deallocate(p, 64);
    const region_list l{a_};
    ASSERT_EQ(l.all().size(), 4u);
    EXPECT_EQ(l.all()[1].address, p);
    EXPECT_EQ(l.all()[1].bytes, 64u);
    EXPECT_EQ(l.all()[1].state, region_state::free);
    EXPECT_EQ(l.bytes(region_state::used), 128u);
    EXPECT_EQ(l.bytes(), 1000u);
}

TEST_F(linear_resource_list, of_a_full_one_is_all_used) {
    static_cast<void>(a_.allocate(1000, 1));
    const region_list l{a_};
    ASSERT_EQ(l.all().size(), 1u);
    EXPECT_EQ(l.bytes(region_state::used), 1000u);
}

TEST_F(linear_resource_list, has_each_allocation_by_itself_on_passthrough) {
    detail::set_passthrough_for_test(true);
    linear_resource a{1000};
    void* const p = a.allocate(100);
    void* const q = a.allocate(50);
    const region_list l{a};
    ASSERT_EQ(l.all().size(), 2u);
    for (void* const at : {p, q})
        ASSERT_NE(l.at(at), nullptr);
    EXPECT_EQ(l.at(p)->bytes, 100u);
    EXPECT_TRUE(l.at(q)->one_object);
}

} // namespace
