// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/affinity.hpp>

#include <arenite/core/literals.hpp>

#include <gtest/gtest.h>

using namespace arenite;

namespace {

struct plain {
    static constexpr std::string_view name = "plain";
};
struct full {
    static constexpr std::string_view name = "full";
    static constexpr std::size_t alignment = 32;
    static constexpr std::size_t block_bytes = 2_MiB;
    static constexpr arenite::sizes sizes = arenite::sizes::kept;
};
struct named_each {
    std::string_view name = "x";
};
struct nameless {};

static_assert(AffinityTag<plain> && AffinityTag<full> && !AffinityTag<nameless>);
static_assert(!AffinityTag<named_each>, "a tag has no objects, so its name is static");
static_assert(AffinityTag<affinities::objects> && AffinityTag<affinities::nodes> &&
              AffinityTag<affinities::data> && AffinityTag<affinities::physics>);

TEST(affinity, what_a_tag_leaves_open_is_filled_in) {
    constexpr auto options = affinity_options::of<plain>();
    EXPECT_EQ(options.name, "plain");
    EXPECT_EQ(options.alignment, 1u);
    EXPECT_EQ(options.block_bytes, 0u);
    EXPECT_EQ(options.sizes, sizes::given);
}

TEST(affinity, what_a_tag_says_counts) {
    constexpr auto options = affinity_options::of<full>();
    EXPECT_EQ(options.alignment, 32u);
    EXPECT_EQ(options.block_bytes, 2_MiB);
    EXPECT_EQ(options.sizes, sizes::kept);
    EXPECT_NE(options, affinity_options::of<plain>());
}

TEST(affinity, physics_is_aligned_as_engines_ask) {
    EXPECT_EQ(affinity_options::of<affinities::physics>().alignment, 16u);
}

} // namespace
