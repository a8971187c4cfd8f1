// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/affinity/affinity_usage.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <sstream>
#include <string>
#include <string_view>

using namespace arenite;

namespace {

const usage_node* below(const usage_node& all, std::string_view name) {
    for (const usage_node* n = all.first_child(); n != nullptr; n = n->next_sibling())
        if (n->name() == name)
            return n;
    return nullptr;
}

TEST(affinity_usage, shows_each_affinity_under_its_name_and_their_sum) {
    affinity_heap& here = affinity_heap::named("in the tree");
    usage_node game{"game"};
    affinity_usage affinities{&game};
    ASSERT_NE(below(affinities.node(), "in the tree"), nullptr);
    EXPECT_EQ(affinities.node().parent(), &game);

    affinity_heap& later = affinity_heap::named("named later");
    EXPECT_EQ(below(affinities.node(), "named later"), nullptr);
    affinities.update();
    affinities.update();
    std::size_t count = 0;
    for (const usage_node* n = affinities.node().first_child(); n != nullptr; n = n->next_sibling())
        EXPECT_EQ(n->name(), affinity_heap::by_index(count++).name());
    EXPECT_EQ(count, affinity_heap::count());

    const std::size_t before = game.usage().bytes_in_use;
    void* const p = here.allocate(500'000, 8);
    void* const q = later.allocate(300'000, 8);
    EXPECT_GE(below(affinities.node(), "in the tree")->usage().bytes_in_use, 500'000u);
    EXPECT_GE(below(affinities.node(), "named later")->usage().bytes_in_use, 300'000u);
    EXPECT_GE(game.usage().bytes_in_use, before + 800'000);
    EXPECT_EQ(game.usage().bytes_in_use, affinity_heap::usage_all().bytes_in_use);
    std::ostringstream text;
    game.write_text(text);
    EXPECT_NE(text.str().find("named later"), std::string::npos) << text.str();
    here.deallocate(p, 500'000, 8);
    later.deallocate(q, 300'000, 8);
}

TEST(affinity_usage, leaves_its_parent_when_it_ends) {
    usage_node game{"game"};
    {
        const affinity_usage affinities{&game, "all of them"};
        ASSERT_NE(game.first_child(), nullptr);
        EXPECT_EQ(game.first_child()->name(), "all of them");
    }
    EXPECT_EQ(game.first_child(), nullptr);
}

} // namespace
