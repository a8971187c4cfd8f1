// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/report/usage_difference.hpp>

#include <arenite/compose/budget_group.hpp>
#include <arenite/compose/sampled_resource.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/report/sampled_site.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <sstream>
#include <string>
#include <vector>

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

ARENITE_NOINLINE void make_decal(resource& r, std::vector<void*>& to) {
    to.push_back(r.allocate(1000, 8));
}

TEST(usage_difference, tells_which_call_sites_grew) {
    usage_node root{"difference of sites"};
    sampled_resource<ordered_heap> heap{site_sampler{"decals"}};
    std::vector<void*> all;
    start_sampling({.every_bytes = 1, .seed = 1});
    void* const once = heap.allocate(5000, 8);
    make_decal(heap, all);
    const usage_snapshot before = take_usage_snapshot(root);
    heap.deallocate(once, 5000, 8);
    for (int i = 0; i < 3; ++i)
        make_decal(heap, all);
    const usage_snapshot after = take_usage_snapshot(root);
    stop_sampling();
    const auto of_decals = [](const usage_difference& d) {
        std::vector<usage_difference::site_change> found;
        for (const auto& c : d.sites())
            if (c.after.tag == "decals")
                found.push_back(c);
        return found;
    };
    EXPECT_TRUE(of_decals(difference(after, after)).empty());
    const usage_difference d = difference(before, after);
    const auto changes = of_decals(d);
    ASSERT_GE(changes.size(), 2u); // a loop's call may be several: it may be unrolled
    double grown = 0;
    for (const auto& c : changes)
        grown += c.growth() > 0 ? c.growth() : 0;
    EXPECT_NEAR(grown, 3000, 1);
    EXPECT_NEAR(changes.back().growth(), -5000, 1);
    EXPECT_EQ(changes.back().after.samples, 0u);
    std::ostringstream text;
    d.write_text(text);
    EXPECT_EQ(text.str().find("call site"), 0u) << text.str();
    EXPECT_NE(text.str().find("decals"), std::string::npos) << text.str();
    EXPECT_NE(text.str().find("-4.9 KiB"), std::string::npos) << text.str();
    std::ostringstream json;
    d.write_json(json);
    EXPECT_NE(json.str().find("{\"tag\": \"decals\", \"bytes\": {\"before\": 5000, "
                              "\"after\": 0}"),
              std::string::npos)
        << json.str();
    std::ostringstream stacks;
    d.write_collapsed(stacks);
    EXPECT_EQ(stacks.str().find("decals;"), 0u) << stacks.str();
    EXPECT_EQ(stacks.str().find("5000"), std::string::npos) << stacks.str();
    std::ostringstream profile;
    d.write_pprof(profile);
    EXPECT_NE(profile.str().find("inuse_space"), std::string::npos);
    std::ostringstream snapshot;
    before.write_text(snapshot);
    EXPECT_NE(snapshot.str().find("4.9 KiB"), std::string::npos) << snapshot.str();
    for (void* p : all)
        heap.deallocate(p, 1000, 8);
}

} // namespace
