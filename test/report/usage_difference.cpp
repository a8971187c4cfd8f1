// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/report/usage_difference.hpp>

#include <arenite/compose/budget_group.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <sstream>
#include <string>

using namespace arenite;

namespace {

TEST(usage_difference, tells_what_grew_most_first_and_what_is_new_or_gone) {
    budget_group a{100'000};
    budget_group b{100'000};
    usage_node game{"game"};
    const usage_node still{"still", &game};
    const usage_node part_a{"a", a, &game};
    std::optional<usage_node> part_b{std::in_place, "b", b, &game};
    ASSERT_TRUE(b.try_take(300));
    const usage_snapshot before = take_usage_snapshot(game);
    EXPECT_TRUE(difference(before, before).changes().empty());
    ASSERT_TRUE(a.try_take(1024));
    part_b.reset();
    budget_group c{100'000};
    ASSERT_TRUE(c.try_take(2048));
    const usage_node part_c{"c", c, &game};
    const usage_difference d = difference(before, take_usage_snapshot(game));
    ASSERT_EQ(d.changes().size(), 4U);
    EXPECT_EQ(d.changes()[0].name, "game");
    EXPECT_EQ(d.changes()[0].growth(), 1024 + 2048 - 300);
    EXPECT_EQ(d.changes()[1].name, "game/c");
    EXPECT_TRUE(d.changes()[1].is_new);
    EXPECT_EQ(d.changes()[2].name, "game/a");
    EXPECT_EQ(d.changes()[2].growth(), 1024);
    EXPECT_EQ(d.changes()[3].name, "game/b");
    EXPECT_TRUE(d.changes()[3].is_gone);
    EXPECT_EQ(d.changes()[3].growth(), -300);
    std::ostringstream text;
    d.write_text(text);
    EXPECT_EQ(text.str(), "name    before    after    change  objects\n"
                          "game     300 B  3.0 KiB  +2.7 KiB        -\n"
                          "game/c       -  2.0 KiB  +2.0 KiB        -   new\n"
                          "game/a     0 B  1.0 KiB  +1.0 KiB        -\n"
                          "game/b   300 B        -    -300 B        -  gone\n");
    std::ostringstream json;
    d.write_json(json);
    EXPECT_NE(json.str().find("{\"name\": \"game/c\", \"state\": \"new\", \"bytes_in_use\": "
                              "{\"before\": 0, \"after\": 2048}"),
              std::string::npos)
        << json.str();
    std::ostringstream nothing;
    difference(before, before).write_text(nothing);
    EXPECT_EQ(nothing.str(), "nothing has changed\n");
}

} // namespace
