// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/region.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <type_traits>
#include <vector>

using namespace arenite;

namespace {

struct list final : region_sink {
    std::vector<region> all;
    void add(const region& r) override { all.push_back(r); }
};

TEST(region, is_one_object_only_where_that_is_said) {
    constexpr region run{nullptr, 8, region_state::used};
    static_assert(!run.one_object);
    static_assert(std::is_trivially_copyable_v<region>);
}

TEST(region, reaches_whoever_listens) {
    std::byte memory[16];
    list l;
    region_sink& sink = l;
    sink.add({memory, sizeof memory, region_state::used, true});
    ASSERT_EQ(l.all.size(), 1u);
    EXPECT_EQ(l.all[0].address, memory);
    EXPECT_EQ(l.all[0].bytes, 16u);
    EXPECT_EQ(l.all[0].state, region_state::used);
    EXPECT_TRUE(l.all[0].one_object);
}

TEST(region, a_sink_is_not_deleted_through_its_base) {
    static_assert(!std::is_destructible_v<region_sink>);
}

} // namespace
