// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "made_up_program.hpp"

#include <analysis/candidates.hpp>
#include <analysis/verdict.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <random>

namespace arenite::advisor {
namespace {

using replay::outcome;
using trace::op;

TEST(advise, finds_a_buffer_that_grows_by_copies) {
    made_up_program p;
    const auto grow = p.called({"Buffer::Grow", "write_vertices"});
    const auto grow_too = p.called({"Buffer::Grow", "write_faces"});
    std::uint64_t bytes = 1000, last = p.make(grow, bytes);
    for (int i = 0; i < 200; ++i) {
        bytes += 1000;
        const std::uint64_t longer = p.make(i % 2 ? grow : grow_too, bytes);
        p.end(last);
        last = longer;
    }
    const auto found = p.propose();
    ASSERT_FALSE(found.all.empty());
    EXPECT_EQ(found.all[0].what, remedy::grow_by_doubling);
    EXPECT_TRUE(found.names(remedy::grow_by_doubling).starts_with("Buffer::Grow"));
}

TEST(advise, finds_a_buffer_that_grows_by_realloc) {
    made_up_program p;
    const auto grow = p.called({"append"});
    const std::uint64_t o = p.make(grow, 1000);
    for (std::uint64_t i = 2; i < 300; ++i)
        p.resize(o, i * 1000, grow);
    EXPECT_EQ(p.propose().names(remedy::grow_by_doubling), "append");
}

TEST(advise, counts_as_copied_what_a_growing_buffer_may_have_copied) {
    made_up_program p;
    const auto by_hand = p.called({"lengthen"}), moving = p.called({"append"});
    const auto staying = p.called({"extend"});
    constexpr std::uint64_t steps = 200;
    std::uint64_t last = p.make(by_hand, 1000), moved = p.make(moving, 1000);
    const std::uint64_t stays = p.make(staying, 1000);
    for (std::uint64_t i = 2; i <= steps; ++i) {
        const std::uint64_t longer = p.make(by_hand, i * 1000);
        p.end(last);
        last = longer;
    }
    for (std::uint64_t i = 2; i <= steps; ++i) {
        if (i % 2 != 0)
            p.resize(moved, i * 1000, moving);
        else
            p.move(moved, i * 1000, moving);
        p.resize(stays, i * 1000, staying);
    }
    const auto found = p.propose();
    std::string titles;
    for (const candidate& c : found.all)
        if (c.what == remedy::grow_by_doubling)
            titles += title_of(c, found.sites) + "\n";
    // The steps of 4,000 and more bytes add up to 19.9 MB, each second of them to half of it.
    for (const char* part : {"lengthen program.cpp:1: one buffer grows in 196 small steps up to "
                             "200.0 KB and copies 19.9 MB on",
                             "append program.cpp:2: one buffer grows in 196 small steps up to "
                             "200.0 KB and copies up to 10.0 MB on",
                             "extend program.cpp:3: one buffer grows in 196 small steps up to "
                             "200.0 KB, each time in its place;"})
        EXPECT_NE(titles.find(part), std::string::npos) << part << "\n" << titles;
}

TEST(advise, leaves_a_buffer_alone_that_doubles) {
    made_up_program p;
    const auto grow = p.called({"std::vector<int>::push_back(int)", "fill"});
    for (int round = 0; round < 100; ++round) {
        std::uint64_t bytes = 1024, last = p.make(grow, bytes);
        for (int i = 0; i < 12; ++i) {
            bytes *= 2;
            const std::uint64_t longer = p.make(grow, bytes);
            p.end(last);
            last = longer;
        }
        p.end(last);
    }
    EXPECT_EQ(p.propose().find(remedy::grow_by_doubling), nullptr);
}

TEST(advise, finds_temporaries) {
    made_up_program p;
    const auto text = p.called({"format_label"}), kept = p.called({"load"});
    for (int i = 0; i < 1000; ++i) {
        p.make(kept, 5000);
        p.end(p.make(text, 40 + static_cast<std::uint64_t>(i % 5) * 8));
    }
    EXPECT_EQ(p.propose().names(remedy::scratch), "format_label");
}

TEST(advise, finds_no_temporaries_where_another_thread_frees) {
    made_up_program p;
    const auto message = p.called({"send"});
    for (int i = 0; i < 1000; ++i)
        p.end(p.make(message, 40 + static_cast<std::uint64_t>(i % 5) * 8, 0), 1);
    EXPECT_EQ(p.propose().find(remedy::scratch), nullptr);
}

TEST(advise, finds_what_dies_together) {
    made_up_program p;
    const auto node = p.called({"parse_value"});
    for (int document = 0; document < 5; ++document) {
        std::vector<std::uint64_t> all;
        for (int i = 0; i < 500; ++i)
            all.push_back(p.make(node, 24 + static_cast<std::uint64_t>(i % 7) * 8));
        for (const std::uint64_t o : all)
            p.end(o);
    }
    EXPECT_EQ(p.propose().names(remedy::linear), "parse_value");
}

TEST(advise, finds_a_pool_where_all_have_one_size) {
    made_up_program p;
    const auto particle = p.called({"emit"});
    const auto other = p.called({"load_texture"});
    churn(p, [&](std::mt19937& random) {
        if (random() % 300 == 0)
            p.make(other, 100000 + random() % 1000);
        return p.make(particle, 96);
    });
    const auto found = p.propose();
    EXPECT_EQ(found.names(remedy::pool), "emit");
    EXPECT_EQ(found.find(remedy::scratch), nullptr);
    EXPECT_EQ(found.find(remedy::linear), nullptr);
}

TEST(advise, finds_one_heap_for_several_sizes_that_live_long) {
    made_up_program p;
    const auto entity = p.called({"spawn"}), name = p.called({"set_name"});
    churn(p, [&](std::mt19937& random) {
        return random() % 2 ? p.make(entity, 48) : p.make(name, 17 + random() % 40);
    });
    const auto found = p.propose();
    const std::string names = found.names(remedy::ordered);
    EXPECT_NE(names.find("spawn"), std::string::npos) << names;
    EXPECT_NE(names.find("set_name"), std::string::npos) << names;
}

TEST(advise, knows_containers_by_their_nodes) {
    made_up_program p;
    const auto node = p.called({"std::_Rb_tree<int, std::pair<int const, int> >::_M_create_node()",
                                "std::map<int, int>::operator[](int const&)", "Index::add"});
    churn(p, [&](std::mt19937&) { return p.make(node, 48); });
    const auto found = p.propose();
    EXPECT_EQ(found.names(remedy::pooled_container), "Index::add");
    EXPECT_EQ(found.find(remedy::pool), nullptr);
    const std::string code = code_of(*found.find(remedy::pooled_container), found.sites);
    EXPECT_NE(code.find("pooled::map"), std::string::npos) << code;
}

TEST(advise, knows_the_nodes_of_another_library) {
    // Functions of libc++ that make them: of the container, or of its allocator alone.
    const std::pair<const char*, const char*> nodes[]{
        {"std::__1::allocator<std::__1::__tree_node<int, void*> >::allocate(unsigned long)",
         "std::map or std::set"},
        {"std::__1::unique_ptr<std::__1::__tree_node<int, void*>, int> std::__1::__tree<int, "
         "int>::__construct_node<int const&>(int const&)",
         "std::map or std::set"},
        {"std::__1::allocator<std::__1::__list_node<int, void*> >::allocate(unsigned long)",
         "std::list"},
        {"std::__1::allocator<std::__1::__forward_list_node<int, void*> >::allocate(unsigned long)",
         "std::forward_list"},
        {"std::__1::allocator<std::__1::__hash_node<int, void*> >::allocate(unsigned long)",
         "std::unordered_map"},
        {"std::__1::vector<std::__1::__tree_node<int, void*> >::reserve(unsigned long)",
         "std::vector"}, // of nodes is none itself
    };
    for (const auto& [function, container] : nodes) {
        const auto found = for_nodes_of(function);
        EXPECT_EQ(found.sites[0].container, container) << function;
        EXPECT_EQ(found.sites[0].name, "Index::add") << function;
    }
}

TEST(advise, takes_the_caller_of_a_wrapper_for_the_site) {
    made_up_program p;
    std::vector<std::uint32_t> callers;
    for (const char* name : {"a", "b", "c", "d", "e", "f", "g"})
        callers.push_back(p.called({"my_alloc", name}));
    // One function allocates for all: its callers are told apart by their places.
    std::vector<std::uint32_t> same;
    churn(p, [&](std::mt19937& random) {
        const std::size_t i = random() % callers.size();
        return p.make(callers[i], 32 + 16 * i);
    });
    const auto found = p.propose();
    std::set<std::string> names;
    for (const site& s : found.sites)
        names.insert(s.name);
    EXPECT_TRUE(names.contains("a (through my_alloc)")) << found.sites[0].name;
    EXPECT_EQ(names.size(), 7u);
}

TEST(advise, proposes_one_heap_for_what_is_walked_together) {
    made_up_program p;
    const auto entity = p.called({"spawn"}), part = p.called({"attach"});
    const auto noise = p.called({"stream"});
    std::vector<std::uint64_t> live;
    for (int i = 0; i < 50; ++i) {
        live.push_back(p.make(entity, 48));
        live.push_back(p.make(part, 32));
    }
    churn(p, [&](std::mt19937& random) { return p.make(noise, 16 + random() % 4000); });
    p.walk(live);
    const auto found = p.propose();
    bool alone = false;
    for (const candidate& c : found.all)
        if (c.what == remedy::ordered && c.sites.size() == 2)
            alone = found.sites[c.sites[0]].name != "stream" &&
                    found.sites[c.sites[1]].name != "stream";
    EXPECT_TRUE(alone);
}

TEST(advise, names_the_nearest_caller_of_a_function_without_a_symbol) {
    made_up_program p;
    const auto hidden = p.called({"", "", "Exporter::write", "main"});
    const auto bare = p.called({"", ""});
    const std::uint64_t o = p.make(hidden, 1000);
    for (std::uint64_t i = 2; i < 300; ++i)
        p.resize(o, i * 1000, hidden);
    p.make(bare, 8);
    const auto found = p.propose();
    ASSERT_NE(found.find(remedy::grow_by_doubling), nullptr);
    const std::string title = title_of(*found.find(remedy::grow_by_doubling), found.sites);
    EXPECT_TRUE(title.starts_with("program+0x")) << title;
    EXPECT_NE(title.find(" under Exporter::write: one buffer grows"), std::string::npos) << title;
    for (const site& s : found.sites)
        EXPECT_EQ(s.under.empty(), s.sum.largest == 8) << s.label();
}

TEST(advise, proposes_nothing_for_a_handful_of_allocations_among_many) {
    made_up_program p;
    const auto few = p.called({"options"}), many = p.called({"stream"});
    for (int i = 0; i < 10; ++i)
        p.make(few, 64);
    for (int i = 0; i < 5000; ++i)
        p.end(p.make(many, 100000 + static_cast<std::uint64_t>(i)));
    for (const candidate& c : p.propose().all)
        EXPECT_EQ(c.what, remedy::scratch); // of the stream alone
}

// ---- what is worth it
// ----------------------------------------------------------------------------

replayed turns(std::vector<double> ns, double peak = 1e6, double walk = 10) {
    replayed r;
    for (const double n : ns) {
        outcome o;
        o.ns = n;
        o.peak_bytes = peak;
        o.walk_ns = walk;
        o.live_checks = double(replay::points);
        r.turns.push_back(o);
    }
    return r;
}

TEST(advise, asks_for_two_percent_of_the_time) {
    const program_costs program{1e9, 1e8};
    const replayed base = turns({100e6, 100e6, 100e6});
    EXPECT_EQ(judge(compare(base, turns({79e6, 79e6, 79e6})), program), worth::time);
    EXPECT_EQ(judge(compare(base, turns({81e6, 81e6, 81e6})), program), worth::nothing);
}

TEST(advise, does_not_believe_a_gain_within_the_spread) {
    const program_costs program{1e9, 1e8};
    EXPECT_EQ(judge(compare(turns({100e6, 140e6, 60e6, 130e6, 100e6}),
                            turns({70e6, 110e6, 40e6, 70e6, 100e6})),
                    program),
              worth::nothing);
    // One turn in which another program ran says nothing against it.
    EXPECT_EQ(judge(compare(turns({100e6, 100e6, 100e6, 101e6, 190e6}),
                            turns({70e6, 70e6, 70e6, 71e6, 70e6})),
                    program),
              worth::time);
}

TEST(advise, knows_no_spread_of_one_turn_and_says_so) {
    const difference_made once = compare(turns({100e6}), turns({70e6}));
    EXPECT_EQ(saved_text(once, {1e9, 1e8}), "3 % (3 to 3; one turn: no spread known)");
    EXPECT_FALSE(compare(turns({1, 1}), turns({1, 1})).one_turn);
}

TEST(advise, asks_for_five_percent_of_the_memory) {
    const program_costs program{1e9, 1e8};
    const replayed base = turns({1e6, 1e6, 1e6}, 50e6);
    EXPECT_EQ(judge(compare(base, turns({1e6, 1e6, 1e6}, 44.9e6)), program), worth::memory);
    EXPECT_EQ(judge(compare(base, turns({1e6, 1e6, 1e6}, 45.1e6)), program), worth::nothing);
    EXPECT_EQ(judge(compare(base, turns({30e6, 30e6, 30e6}, 40e6)), program), worth::nothing);
}

TEST(advise, speaks_of_walks_apart) {
    const program_costs program{1e9, 1e8};
    const replayed base = turns({1e6, 1e6, 1e6}, 50e6, 20);
    EXPECT_EQ(judge(compare(base, turns({1e6, 1e6, 1e6}, 50e6, 14)), program), worth::walks);
    EXPECT_EQ(judge(compare(base, turns({1e6, 1e6, 1e6}, 50e6, 16)), program), worth::nothing);
    // It was observed, and walked nothing.
    EXPECT_EQ(judge(compare(base, turns({1e6, 1e6, 1e6}, 50e6, 14)), {1e9, 1e8, 0.5, true}),
              worth::nothing);
}

replayed bursts_of(double ns, std::vector<double> access_ns) {
    replayed r = turns({ns, ns, ns});
    for (std::size_t i = 0; i < 3; ++i)
        r.turns[i].burst_ns = access_ns[i];
    return r;
}

TEST(advise, counts_what_walks_save_by_the_share_of_time_spent_there) {
    const program_costs program{1e9, 1e8, 0.5};
    const replayed base = bursts_of(1e6, {20, 20, 20});
    const difference_made d = compare(base, bursts_of(1e6, {16, 16, 16}));
    EXPECT_DOUBLE_EQ(saved_in_walks(d, program), 0.1e9); // a fifth of half the time
    EXPECT_EQ(judge(d, program), worth::walks);
    const difference_made tenth = compare(base, bursts_of(1e6, {17.9, 17.9, 17.9}));
    EXPECT_EQ(judge(tenth, program), worth::walks);
    EXPECT_EQ(judge(tenth, {1e9, 1e8, 0.2}), worth::walks);    // 2.1 % of the time
    EXPECT_EQ(judge(tenth, {1e9, 1e8, 0.18}), worth::nothing); // 1.9 %
    EXPECT_EQ(judge(compare(base, bursts_of(1e6, {18.1, 18.1, 18.1})), program), worth::nothing);
    EXPECT_EQ(judge(d, {1e9, 1e8, 0.0}), worth::nothing); // all lies in the cache
}

TEST(advise, leaves_alone_what_bursts_do_not_confirm) {
    const program_costs program{1e9, 1e8, 0.5};
    // Walks in order of birth would gain; the program does not walk so.
    replayed base = bursts_of(1e6, {20, 20, 20}), moved = bursts_of(1e6, {20, 20, 20});
    for (outcome& o : base.turns)
        o.walk_ns = 40;
    EXPECT_EQ(judge(compare(base, moved), program), worth::nothing);
    // Within what turns differ by.
    EXPECT_EQ(judge(compare(bursts_of(1e6, {20, 24, 16}), bursts_of(1e6, {19, 16, 13})), program),
              worth::nothing);
}

TEST(advise, sets_dearer_walks_against_cheaper_calls) {
    const program_costs program{1e9, 1e8, 0.5};
    const replayed base = bursts_of(100e6, {20, 20, 20});
    EXPECT_EQ(judge(compare(base, bursts_of(70e6, {20, 20, 20})), program), worth::time);
    // 30 ms less in calls; in walks 9 more, or 11.
    EXPECT_EQ(judge(compare(base, bursts_of(70e6, {20.36, 20.36, 20.36})), program), worth::time);
    EXPECT_EQ(judge(compare(base, bursts_of(70e6, {20.44, 20.44, 20.44})), program),
              worth::nothing);
}

TEST(advise, trusts_no_replay_whose_live_bytes_are_wrong) {
    replayed wrong = turns({1, 1, 1});
    wrong.turns[1].live_checks = 7;
    EXPECT_EQ(judge(compare(turns({1e9, 1e9, 1e9}), wrong), {1e9, 1e8}), worth::nothing);
}

TEST(advise, promises_what_lies_between_both_kinds_of_frees) {
    const program_costs program{1e9, 1e8};
    difference_made d = compare(turns({500e6, 500e6, 500e6}), turns({400e6, 400e6, 400e6}));
    EXPECT_EQ(saved_text(d, program), "10 % (10 to 10)");
    d.tried_unread = true;
    d.saved_unread_ns = 200e6;
    EXPECT_EQ(saved_text(d, program), "15 % (10 to 20)");
    d.spread_ns = 30e6;
    EXPECT_EQ(saved_text(d, program), "15 % (7 to 23)");
    // Bursts got 8 % cheaper, and differ by nothing: it is promised.
    d.burst_before = 100;
    d.burst_after = 92;
    EXPECT_EQ(saved_text(d, {1e9, 1e8, 0.5}), "19 % (11 to 27)");
    // They differ by more than that: it is none, but it may be one.
    d.burst_spread = 10;
    EXPECT_EQ(saved_text(d, {1e9, 1e8, 0.5}), "15 % (6 to 32)");
}

TEST(advise, tells_the_smaller_number_of_a_range_first) {
    difference_made d = compare(turns({500e6, 500e6, 500e6}), turns({400e6, 400e6, 400e6}));
    d.spread_ns = 30e6;
    d.burst_before = 100;
    d.burst_after = 92;
    const std::string less = figures_of(d, {1e9, 1e8, 0.5});
    EXPECT_TRUE(less.starts_with("-14.0 % CPU in all (-17 to -11): ")) << less;
    EXPECT_NE(less.find("-4.0 % by what it touches (100.0 -> 92.0 ns an access)"),
              std::string::npos)
        << less;
    d.saved_ns = -100e6;
    d.burst_after = 108;
    const std::string more = figures_of(d, {1e9, 1e8, 0.5});
    EXPECT_TRUE(more.starts_with("+14.0 % CPU in all (+11 to +17): ")) << more;
}

TEST(advise, says_why_a_change_of_bursts_counts_for_nothing) {
    difference_made d = compare(turns({500e6, 500e6, 500e6}), turns({400e6, 400e6, 400e6}));
    d.burst_before = 12.5;
    d.burst_after = 7;
    program_costs program{1e9, 1e8};
    program.no_share_in_objects = "all objects fit into a cache";
    const auto says = [&](const char* words) {
        const std::string text = figures_of(d, program);
        EXPECT_NE(text.find(std::string{"12.5 -> 7.0 ns an access of what it touches, which counts "
                                        "for nothing: "} +
                            words),
                  std::string::npos)
            << text;
        EXPECT_EQ(text.find("0.0 % by what"), std::string::npos) << text;
    };
    says("all objects fit into a cache");
    program.share_in_objects = 0.5;
    d.burst_spread = 6;
    says("bursts differ by more");
}

TEST(advise, promises_by_the_share_of_frees_that_had_been_read) {
    program_costs program{1e9, 1e8};
    difference_made d = compare(turns({500e6, 500e6, 500e6}), turns({400e6, 400e6, 400e6}));
    d.tried_unread = true;
    d.saved_unread_ns = 300e6;
    EXPECT_EQ(saved_text(d, program), "20 % (10 to 30)"); // it is not known
    program.reads_what_it_frees = 0.25;
    program.reads_spread = 0.1;
    EXPECT_EQ(saved_text(d, program), "25 % (23 to 27)");
    program.reads_what_it_frees = 0.05; // no fewer than none
    EXPECT_EQ(saved_text(d, program), "29 % (27 to 30)");
}

TEST(advise, counts_a_change_of_bursts_beyond_what_turns_differ_by_however_small) {
    const program_costs program{1e9, 1e8, 0.5};
    const replayed base = bursts_of(100e6, {20, 20, 20.5});
    const auto saved = [&](std::vector<double> after) {
        return saved_in_walks(compare(base, bursts_of(100e6, std::move(after))), program);
    };
    EXPECT_NEAR(saved({19, 19.2, 19.2}), 0.5e9 * 0.8 / 20, 1);
    EXPECT_NEAR(saved({20.8, 21, 20.8}), -0.5e9 * 0.8 / 20, 1);
    EXPECT_NEAR(saved({19.9, 19.7, 19.8}), 0.5e9 * 0.2 / 20, 1);
    EXPECT_EQ(saved({19.8, 19.5, 20.1}), 0);
    EXPECT_EQ(saved({20.2, 20.6, 19.7}), 0);
}

TEST(advise, does_not_believe_a_change_that_two_of_the_bursts_show) {
    const program_costs program{1e9, 1e8, 0.5};
    replayed base = bursts_of(1e6, {20, 20, 20}), all = bursts_of(1e6, {18.4, 18.4, 18.4});
    replayed two = all;
    // 16 bursts of 100 accesses: each 8 % less, or all of it in two.
    base.bursts.assign(3, std::vector<double>(16, 2000));
    all.bursts.assign(3, std::vector<double>(16, 1840));
    two.bursts = base.bursts;
    for (std::vector<double>& turn : two.bursts)
        turn[7] = turn[9] = 720;
    EXPECT_NEAR(saved_in_walks(compare(base, all), program), 0.5e9 * 0.08, 1);
    EXPECT_EQ(saved_in_walks(compare(base, two), program), 0);
}

} // namespace
} // namespace arenite::advisor
