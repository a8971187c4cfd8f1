// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/compose/budget_group.hpp>

#include <arenite/core/literals.hpp>
#include <arenite/report/usage_node.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

using namespace arenite;

namespace {

/// The calls of on_level, in words.
struct told {
    std::vector<std::string> lines;
    static void on_level(budget_group& group, budget_group& grower, budget_level level,
                         void* user) {
        const char* const word = level == budget_level::warning ? " warning by " : " critical by ";
        static_cast<told*>(user)->lines.push_back(std::string{group.name()} + word +
                                                  std::string{grower.name()} + " " +
                                                  std::to_string(group.in_use()));
    }
};
using lines = std::vector<std::string>;

TEST(budget_group, takes_in_all_groups_or_in_none) {
    budget_group all{1000};
    budget_group a{{.name = "a", .budget_bytes = 800}, &all};
    budget_group b{{.name = "b", .budget_bytes = 800}, &all};
    EXPECT_TRUE(a.try_take(700));
    EXPECT_FALSE(a.try_take(101));
    EXPECT_FALSE(b.try_take(301)); // it has room, but all has not
    EXPECT_EQ(b.in_use(), 0U);
    EXPECT_EQ(all.in_use(), 700U);
    EXPECT_EQ(b.left_bytes(), 300U);
    EXPECT_TRUE(b.try_take(300));
    EXPECT_EQ(all.in_use(), 1000U);
    EXPECT_EQ(a.left_bytes(), 0U);
    a.give(700);
    EXPECT_EQ(all.in_use(), 300U);
    EXPECT_EQ(all.high_water(), 1000U);
    EXPECT_EQ(a.refusals(), 1U);
    EXPECT_EQ(all.refusals(), 1U);
    EXPECT_FALSE(b.try_take(~std::uint64_t{0}));
    EXPECT_TRUE(b.try_take(0));
    EXPECT_EQ(b.parent(), &all);
}

TEST(budget_group, tells_who_made_which_level_rise) {
    told heard;
    budget_group all{{.name = "all",
                      .budget_bytes = 1000,
                      .warn_at = 0.5,
                      .critical_at = 0.9,
                      .on_level = &told::on_level,
                      .user = &heard}};
    budget_group a{{.name = "a", .budget_bytes = 600, .warn_at = 0.5, .critical_at = 1}, &all};
    budget_group b{{.name = "b", .budget_bytes = 1000, .warn_at = 1, .critical_at = 1}, &all};
    EXPECT_TRUE(a.try_take(300)); // at the mark, not above
    EXPECT_TRUE(heard.lines.empty());
    EXPECT_TRUE(a.try_take(1));
    EXPECT_EQ(heard.lines, lines{"a warning by a 301"}); // it has no function, its parent has
    EXPECT_TRUE(b.try_take(200));
    EXPECT_EQ(heard.lines.back(), "all warning by b 501");
    EXPECT_TRUE(b.try_take(1)); // told once
    EXPECT_EQ(heard.lines.size(), 2U);
    EXPECT_TRUE(b.try_take(400));
    EXPECT_EQ(heard.lines.back(), "all critical by b 902");
    EXPECT_EQ(all.level(), budget_level::critical);
    b.give(500);
    EXPECT_EQ(all.level(), budget_level::normal);
    EXPECT_TRUE(b.try_take(500)); // it fell: told anew, the higher one alone
    EXPECT_EQ(heard.lines.size(), 4U);
    EXPECT_EQ(heard.lines.back(), "all critical by b 902");
}

TEST(budget_group, tells_of_what_was_in_use_already) {
    told heard;
    budget_group all{{.name = "all",
                      .budget_bytes = 1000,
                      .warn_at = 0.5,
                      .critical_at = 0.9,
                      .on_level = &told::on_level,
                      .user = &heard}};
    budget_group a{{.name = "a", .budget_bytes = 5000, .warn_at = 1, .critical_at = 1}, &all};
    a.add(2000); // more than there is room for
    EXPECT_EQ(heard.lines, lines{"all critical by a 2000"});
    a.give(2000);
}

TEST(budget_group, may_be_set_below_what_is_in_use) {
    told heard;
    budget_group all{
        {.name = "all", .budget_bytes = 1000, .on_level = &told::on_level, .user = &heard}};
    EXPECT_TRUE(all.try_take(500));
    all.set_budget(400);
    EXPECT_EQ(heard.lines, lines{"all critical by all 500"});
    EXPECT_FALSE(all.try_take(1));
    EXPECT_FALSE(all.try_take(0));
    EXPECT_EQ(all.left_bytes(), 0U);
    all.set_budget(2000);
    EXPECT_EQ(all.level(), budget_level::normal);
    EXPECT_TRUE(all.try_take(1500));
    all.add(100); // in use already
    EXPECT_EQ(all.in_use(), 2100U);
    EXPECT_EQ(heard.lines.size(), 2U);
    all.give(100);
}

/// A cache that gives back what it holds.
struct cache {
    budget_group* group = nullptr;
    std::uint64_t held = 0;
    int calls = 0;
    static bool evict(budget_group& full, std::uint64_t bytes, void* user) {
        cache& self = *static_cast<cache*>(user);
        ++self.calls;
        EXPECT_FALSE(full.try_take(full.budget_bytes())); // evicts nothing meanwhile
        if (self.held < bytes)
            return false;
        self.group->give(bytes);
        self.held -= bytes;
        return true;
    }
};

TEST(budget_group, evicts_where_it_is_full_and_tries_again) {
    cache thumbnails;
    budget_group all{{.budget_bytes = 1000, .evict = &cache::evict, .user = &thumbnails}};
    budget_group cached{{.budget_bytes = 900}, &all};
    budget_group meshes{{.budget_bytes = 1000}, &all};
    thumbnails.group = &cached;
    EXPECT_TRUE(cached.try_take(600));
    thumbnails.held = 600;
    EXPECT_TRUE(meshes.try_take(500));
    EXPECT_EQ(thumbnails.held, 100U);
    EXPECT_EQ(thumbnails.calls, 1);
    EXPECT_FALSE(meshes.try_take(450)); // has not that much
    EXPECT_EQ(meshes.in_use(), 500U);
    EXPECT_FALSE(meshes.try_take(2000)); // would never fit: nobody is asked
    EXPECT_EQ(thumbnails.calls, 2);
}

TEST(budget_group, gives_its_rest_back_when_it_ends_and_stands_in_the_tree) {
    budget_group all{1_MiB};
    usage_node tree{"all", all};
    {
        budget_group part{{.budget_bytes = 1_MiB}, &all};
        EXPECT_TRUE(part.try_take(1000));
        EXPECT_EQ(tree.usage().bytes_in_use, 1000U);
    }
    EXPECT_EQ(tree.usage().bytes_in_use, 0U);
    EXPECT_EQ(tree.usage().high_water_bytes, 1000U);
    {
        budget_group part{{.budget_bytes = 1_MiB}, &all};
        EXPECT_TRUE(part.try_take(1)); // and the least rest, too
    }
    EXPECT_EQ(all.in_use(), 0U);
}

TEST(budget_group, what_a_parent_refuses_was_never_in_use) {
    budget_group all{100};
    budget_group middle{{.budget_bytes = 200}, &all};
    budget_group part{{.budget_bytes = 150}, &middle};
    EXPECT_FALSE(part.try_take(101));
    EXPECT_EQ(part.high_water(), 0U);
    EXPECT_EQ(middle.high_water(), 0U);
    EXPECT_EQ(all.refusals(), 1U);
    EXPECT_EQ(part.refusals(), 0U);
    EXPECT_TRUE(part.try_take(100));
    EXPECT_EQ(part.high_water(), 100U);
    part.give(100);
}

TEST(budget_group_threads, a_request_that_is_too_large_refuses_no_other) {
    budget_group all{1000};
    budget_group part{{.budget_bytes = 1200}, &all};
    std::atomic<bool> stop{false};
    std::atomic<bool> got{false};
    std::thread greedy{[&] {
        while (!stop.load())
            if (part.try_take(1100))
                got.store(true);
    }};
    std::size_t refused = 0;
    for (int i = 0; i < 100'000; ++i) {
        if (part.try_take(200))
            part.give(200);
        else
            ++refused;
    }
    stop.store(true);
    greedy.join();
    EXPECT_FALSE(got.load());
    EXPECT_EQ(refused, 0U);
    EXPECT_EQ(part.high_water(), 200U);
}

TEST(budget_group_threads, never_exceeds_a_budget) {
    budget_group all{10'000};
    budget_group parts[2] = {budget_group{{.budget_bytes = 7000}, &all},
                             budget_group{{.budget_bytes = 7000}, &all}};
    std::atomic<bool> exceeded{false};
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            budget_group& mine = parts[t % 2];
            for (std::uint64_t i = 0; i < 20'000; ++i) {
                const std::uint64_t bytes = 1 + i * 37 % 5000;
                if (!mine.try_take(bytes))
                    continue;
                if (all.in_use() > 10'000 || mine.in_use() > 7000)
                    exceeded.store(true);
                mine.give(bytes);
            }
        });
    for (std::thread& t : threads)
        t.join();
    EXPECT_FALSE(exceeded.load());
    EXPECT_EQ(all.in_use(), 0U);
    EXPECT_LE(all.high_water(), 10'000U);
    EXPECT_EQ(all.level(), budget_level::normal);
}

void ends_before_its_child() {
    auto* const all = new budget_group{1};
    const budget_group part{budget_group_options{}, all};
    delete all;
}

TEST(budget_group_death, misuse_is_named) {
    constexpr budget_group_options crossed{.budget_bytes = 1, .warn_at = 0.9, .critical_at = 0.5};
    EXPECT_DEATH(budget_group{crossed}, "warns at a share of 0 to 1");
    EXPECT_DEATH(ends_before_its_child(), "ends before its children");
    if constexpr (checks_enabled) {
        budget_group all{100};
        EXPECT_DEATH(all.give(1), "more was given back");
    }
}

} // namespace
