// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Affinities that end while others, and those who walk over all of them, go on.

#include <arenite/affinity/affinity_heap.hpp>

#include <arenite/affinity/affinity_strategy.hpp>
#include <arenite/affinity/affinity_usage.hpp>
#include <arenite/affinity/detail/thread_table.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/report/memory_map.hpp>
#include <arenite/report/usage_node.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstddef>
#include <cstring>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#if defined(__unix__)
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace arenite;

namespace {

struct held_by_a_tag {
    static constexpr std::string_view name = "held by a tag";
};

struct late {
    static constexpr std::string_view name = "a tag comes later";
};

bool is_listed(const affinity_heap& h) {
    const auto all = affinity_heap::all();
    return std::any_of(all.begin(), all.end(), [&](const affinity_heap& a) { return &a == &h; });
}

/// Allocates and frees objects of several sizes, a large one among them.
void use(affinity_heap& h, int objects = 200) {
    std::vector<void*> all;
    const auto bytes = [](int i) {
        return i % 50 == 49 ? 100'000 : static_cast<std::size_t>(16 + i * 8 % 500);
    };
    for (int i = 0; i < objects; ++i) {
        all.push_back(h.allocate(bytes(i), 8));
        std::memset(all.back(), i, bytes(i));
    }
    for (int i = 0; i < objects; ++i)
        h.deallocate(all[static_cast<std::size_t>(i)], bytes(i), 8);
}

TEST(retired_affinities, name_and_place_are_free_for_another) {
    const std::size_t before = affinity_heap::count();
    for (int i = 0; i < 1000; ++i) { // four times as many as there are places
        const std::string name = "level " + std::to_string(i);
        affinity_heap& h = affinity_heap::named(name, {.alignment = i % 2 == 0 ? 8U : 64U});
        use(h, 60);
        EXPECT_EQ(affinity_heap::count(), before + 1);
        h.retire();
        EXPECT_EQ(affinity_heap::find(name), nullptr);
        EXPECT_EQ(affinity_heap::count(), before);
    }
    affinity_heap& h = affinity_heap::named("level 0", {.alignment = 32}); // which it had not
    EXPECT_EQ(h.alignment(), 32U);
    EXPECT_EQ(h.usage().high_water_bytes, 0U);
    use(h);
    h.retire();
}

TEST(retired_affinities, memory_goes_back) {
    affinity_heap& h =
        affinity_heap::named("to end", {.block_bytes = 4_MiB, .policy = return_policy::retain_all});
    const std::size_t before = affinity_heap::usage_all().bytes_reserved;
    use(h, 5000);
    if (!passthrough()) {
        EXPECT_GE(affinity_heap::usage_all().bytes_reserved, before + 4_MiB);
    }
    h.retire();
    EXPECT_LE(affinity_heap::usage_all().bytes_reserved, before);
}

TEST(retired_affinities, a_walk_passes_it_over_and_no_other_takes_its_place_meanwhile) {
    affinity_heap& a = affinity_heap::named("walked a");
    affinity_heap& b = affinity_heap::named("walked b");
    affinity_heap& c = affinity_heap::named("walked c");
    use(a);
    use(b);
    {
        std::vector<affinity_heap*> seen;
        for (affinity_heap& h : affinity_heap::all()) {
            seen.push_back(&h);
            if (&h != &a)
                continue;
            a.retire();
            b.retire();
            EXPECT_FALSE(is_listed(a));
            affinity_heap& other = affinity_heap::named("in the place of none");
            EXPECT_NE(&other, &a);
            EXPECT_NE(&other, &b);
        }
        EXPECT_EQ(std::count(seen.begin(), seen.end(), &b), 0);
        EXPECT_EQ(std::count(seen.begin(), seen.end(), &c), 1);
    }
    affinity_heap& other = affinity_heap::named("in the place of one");
    EXPECT_TRUE(&other == &a || &other == &b || &other < &a);
    EXPECT_TRUE(is_listed(other));
    c.retire();
    other.retire();
    affinity_heap::named("in the place of none").retire();
}

TEST(retired_affinities, every_strategy_ends_with_nothing_left) {
    const std::string_view usual = affinity_strategy_name();
    for (const affinity_strategy s : {affinity_strategy::intrusive, affinity_strategy::slots,
                                      affinity_strategy::standard, affinity_strategy::ordered}) {
        use_affinity_strategy(s);
        affinity_heap& h = affinity_heap::named("of each strategy", {.alignment = 32});
        use(h);
        h.retire();
        use(affinity_heap::named("of each strategy"));
        affinity_heap::named("of each strategy").retire();
    }
    if (passthrough() || usual != "ordered")
        use_affinity_strategy(usual == "intrusive" ? affinity_strategy::intrusive
                              : usual == "slots"   ? affinity_strategy::slots
                                                   : affinity_strategy::standard);
}

TEST(retired_affinities, leave_a_tree_of_usages) {
    affinity_heap& a = affinity_heap::named("in a tree a");
    affinity_usage tree{nullptr};
    const auto has = [&](std::string_view name) {
        for (const usage_node* n = tree.node().first_child(); n != nullptr; n = n->next_sibling())
            if (n->name() == name)
                return true;
        return false;
    };
    EXPECT_TRUE(has("in a tree a"));
    a.retire();
    EXPECT_EQ(tree.node().usage().bytes_in_use, affinity_heap::usage_all().bytes_in_use);
    affinity_heap& b = affinity_heap::named("in a tree b"); // in the same place
    tree.update();
    EXPECT_FALSE(has("in a tree a"));
    EXPECT_TRUE(has("in a tree b"));
    b.retire();
    tree.update();
    EXPECT_FALSE(has("in a tree b"));
}

// ---- refused ------------------------------------------------------------------------------------

TEST(retired_affinities_death, what_is_in_use_or_a_tags_is_refused) {
    affinity_heap& h = affinity_heap::named("in use");
    void* const p = h.allocate(48, 8);
    EXPECT_DEATH(h.retire(),
                 "affinity in use cannot be retired: 1 objects live in it, of 48 bytes");
    h.deallocate(p, 48, 8);
    affinity_heap& tagged = affinity_heap::of<held_by_a_tag>();
    EXPECT_DEATH(tagged.retire(), "affinity held by a tag cannot be retired: a tag has this name");
    EXPECT_DEATH(affinity_heap::named("held by a tag").retire(), "a tag has this name");
    h.retire();
    EXPECT_DEATH(h.retire(), "affinity in use cannot be retired: it has been retired before");
    EXPECT_DEATH(static_cast<void>(h.allocate(8, 8)),
                 "memory was asked from affinity in use, which has been retired");
    EXPECT_DEATH(h.deallocate(p, 48, 8), "freed into affinity in use, but");
}

TEST(retired_affinities_death, a_name_that_was_free_is_refused_once_a_tag_has_it) {
    affinity_heap::named("a tag comes later").retire();
    EXPECT_DEATH(
        {
            affinity_heap& h = affinity_heap::named("a tag comes later");
            static_cast<void>(affinity_heap::of<late>());
            h.retire();
        },
        "a tag has this name");
}

TEST(retired_affinities_death, the_last_place_is_given_again_and_one_too_many_is_refused) {
    EXPECT_EXIT(
        {
            std::vector<affinity_heap*> all;
            while (affinity_heap::count() < detail::most_affinities)
                all.push_back(&affinity_heap::named("filler " + std::to_string(all.size())));
            all[all.size() / 2]->retire();
            affinity_heap& last = affinity_heap::named("one more");
            _Exit(&last == all[all.size() / 2] ? 7 : 1);
        },
        testing::ExitedWithCode(7), "");
    EXPECT_DEATH(
        {
            for (unsigned i = 0; i <= detail::most_affinities; ++i)
                static_cast<void>(affinity_heap::named("filler " + std::to_string(i)));
        },
        "there are " + std::to_string(detail::most_affinities) +
            " affinities already, and filler .* is one too many");
}

TEST(retired_affinities_death, the_last_place_serves_threads_as_the_first_one_does) {
    EXPECT_EXIT(
        {
            std::vector<affinity_heap*> all;
            while (affinity_heap::count() < detail::most_affinities)
                all.push_back(&affinity_heap::named("filler " + std::to_string(all.size())));
            bool right = true;
            for (affinity_heap* const h : {all.front(), all[all.size() / 2], all.back()}) {
                void* const first = h->allocate(48, 16);
                std::thread{[&] { // which frees what is not its own before it has a heap
                    h->deallocate(first, 48, 16);
                    void* const p = h->allocate(48, 16);
                    right = right && h->owns(p) && h->usage().live_allocations == 1;
                    affinity_heap::deallocate_any(p, 48, 16);
                }}
                    .join();
                right = right && h->usage().live_allocations == 0;
            }
            all.back()->retire();
            _Exit(right ? 7 : 1);
        },
        testing::ExitedWithCode(7), "");
}

// ---- threads ------------------------------------------------------------------------------------

/// Some threads end with the affinity in their tables, some go on, and one walks over all.
TEST(retired_affinities_threads, end_while_threads_that_used_them_end_or_stay_and_others_walk) {
    constexpr int rounds = 40;
    constexpr int staying = 2;
    std::atomic<bool> stop{false};
    std::thread walker{[&] {
        while (!stop.load(std::memory_order_relaxed)) {
            std::ostringstream text;
            affinity_heap::report_all(text);
            static_cast<void>(affinity_heap::trim_all());
            static_cast<void>(affinity_heap::give_back_due());
            const usage now = affinity_heap::usage_all();
            EXPECT_LE(now.bytes_in_use, now.bytes_reserved);
            const memory_map map;
            for (affinity_heap& h : affinity_heap::all())
                static_cast<void>(h.usage());
        }
    }};
    std::atomic<affinity_heap*> now{nullptr};
    std::barrier begin{staying + 1};
    std::barrier used{staying + 1};
    std::vector<std::thread> stay;
    for (int t = 0; t < staying; ++t)
        stay.emplace_back([&] {
            affinity_heap& own = affinity_heap::named("of who stays");
            for (int i = 0; i < rounds; ++i) {
                begin.arrive_and_wait();
                use(*now.load());
                used.arrive_and_wait();
                use(own, 100); // while it ends
                static_cast<void>(affinity_heap::give_back_due());
            }
        });
    for (int i = 0; i < rounds; ++i) {
        affinity_heap& h = affinity_heap::named("round " + std::to_string(i));
        now = &h;
        std::atomic<int> done{0};
        std::vector<std::thread> end;
        void* handed = h.allocate(64, 8);
        for (int t = 0; t < 3; ++t)
            end.emplace_back([&, t] {
                use(h, 100);
                if (t == 0)
                    h.deallocate(handed, 64, 8);
                done.fetch_add(1);
                // and ends, while the affinity does
            });
        begin.arrive_and_wait();
        used.arrive_and_wait();
        while (done.load() != 3)
            std::this_thread::yield();
        h.retire();
        for (std::thread& t : end)
            t.join();
        EXPECT_FALSE(is_listed(h) && h.name() == "round " + std::to_string(i));
    }
    for (std::thread& t : stay)
        t.join();
    stop = true;
    walker.join();
    affinity_heap::named("of who stays").retire();
}

TEST(retired_affinities_threads, are_named_and_end_by_many_threads_at_once) {
    std::vector<std::thread> all;
    for (int t = 0; t < 4; ++t)
        all.emplace_back([t] {
            for (int i = 0; i < 100; ++i) {
                affinity_heap& h =
                    affinity_heap::named(std::to_string(t) + " of " + std::to_string(i));
                use(h, 20);
                h.retire();
            }
        });
    for (std::thread& t : all)
        t.join();
}

#if defined(__unix__)

TEST(retired_affinities_threads, a_forked_child_ends_what_was_retired_in_a_walk_of_the_parent) {
    affinity_heap& h = affinity_heap::named("retired before a fork");
    use(h);
    std::atomic<bool> in{false};
    std::atomic<bool> out{false};
    std::thread walker{[&] {
        const auto all = affinity_heap::all();
        in = true;
        while (!out)
            std::this_thread::yield();
    }};
    while (!in)
        std::this_thread::yield();
    h.retire(); // its place is kept for the walk
    const auto mine = affinity_heap::all();
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) { // the walk is not in it
        affinity_heap& first = affinity_heap::named("ends in the child");
        use(first);
        first.retire();
        static_cast<void>(affinity_heap::usage_all());
        const bool taken = &affinity_heap::named("in its place") == &h;
        _exit(taken ? 0 : 1);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    out = true;
    walker.join();
}

#endif

} // namespace
