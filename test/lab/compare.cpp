// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "report/compare.hpp"
#include "report/grid.hpp"
#include "report/table.hpp"
#include "run/nearest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace arenite::lab;
using testing::HasSubstr;
using testing::Not;

namespace {

class lab_compare : public testing::Test {
protected:
    lab_compare() {
        workload_.name = "test/figures";
        workload_.ours = "arenite.ordered";
        for (const auto& [name, pages] : {std::pair{"arenite.ordered", "huge"},
                                          {"arenite.ordered-4k", "4k"},
                                          {"arenite.ordered.retain", "huge"},
                                          {"mimalloc-retain", "huge"},
                                          {"std", "4k"},
                                          {"mimalloc", "huge"},
                                          {"mimalloc-4k", "4k"},
                                          {"mimalloc-2", "huge"}}) {
            known_.push_back({{.name = name, .summary = "", .pages = pages}, {}, {}});
        }
        experiment_ = {&workload_, {}, {}, 3, 1};
        for (const known_subject& s : known_)
            experiment_.subjects.push_back(&s);
    }

    void figure(const std::string& subject, std::vector<double> values) {
        measured_.results.push_back(
            {&experiment_, subject, "create", "ns", "warm", true, std::move(values)});
    }

    workload_info workload_;
    std::vector<known_subject> known_;
    experiment experiment_{};
    outcome measured_;
};

TEST_F(lab_compare, takes_the_best_of_all_peers_and_names_it) {
    figure("arenite.ordered", {1, 1, 1});
    figure("mimalloc", {4, 4, 4});
    figure("mimalloc-4k", {2, 2, 2});
    figure("mimalloc-2", {0.5, 0.5, 0.5});
    figure("std", {3, 3, 3});
    const auto c = against_best(rows_of(measured_).front(), experiment_);
    ASSERT_TRUE(c);
    EXPECT_EQ(c->theirs, "mimalloc-2");
    EXPECT_DOUBLE_EQ(c->ratio, 2);
    EXPECT_FALSE(c->tie);
}

TEST_F(lab_compare, takes_no_floor_for_a_peer_and_none_of_ours) {
    figure("arenite.ordered", {4, 4, 4});
    figure("arenite.ordered.retain", {1, 1, 1});
    figure("std", {2, 2, 2});
    figure("mimalloc", {8, 8, 8});
    known_[4].info.floor = true; // std
    EXPECT_EQ(against_best(rows_of(measured_).front(), experiment_)->theirs, "mimalloc");
    workload_.ours = "std";
    EXPECT_FALSE(against_best(rows_of(measured_).front(), experiment_)) << "not ours to judge";
}

TEST_F(lab_compare, makes_no_ratio_of_counts_that_nobody_feels) {
    figure("arenite.ordered", {0.2, 0.2, 0.2});
    figure("mimalloc", {0.001, 0.001, 0.001});
    measured_.results[0].unit = measured_.results[1].unit = "faults/1000 events";
    EXPECT_FALSE(against_best(rows_of(measured_).front(), experiment_));
    measured_.results[0].values = {4, 4, 4};
    EXPECT_DOUBLE_EQ(against_best(rows_of(measured_).front(), experiment_)->ratio, 4)
        << "what is less than is felt counts as that much";
    measured_.results[0].unit = measured_.results[1].unit = "ns";
    measured_.results[1].values = {0, 0, 0};
    EXPECT_FALSE(against_best(rows_of(measured_).front(), experiment_)) << "no ratio to nothing";
}

TEST_F(lab_compare, shows_what_huge_pages_alone_give) {
    figure("arenite.ordered", {1, 1, 1});
    figure("arenite.ordered-4k", {4, 4, 4});
    figure("mimalloc", {2, 2, 2});
    figure("mimalloc-4k", {8, 8, 8});
    const row r = rows_of(measured_).front();
    EXPECT_DOUBLE_EQ(against_best(r, experiment_, pairing::huge_pages)->ratio, 0.5);
    EXPECT_DOUBLE_EQ(against_best(r, experiment_, pairing::small_pages)->ratio, 0.5);
    EXPECT_EQ(against_best(r, experiment_, pairing::small_pages)->theirs, "mimalloc-4k");
}

TEST_F(lab_compare, shows_beside_it_what_keeps_its_memory) {
    figure("arenite.ordered", {8, 8, 8});
    figure("arenite.ordered.retain", {3, 3, 3});
    figure("mimalloc", {4, 4, 4});
    figure("mimalloc-retain", {1, 1, 1});
    const row r = rows_of(measured_).front();
    EXPECT_DOUBLE_EQ(against_best(r, experiment_)->ratio, 8) << "the best peer is the best peer";
    EXPECT_EQ(against_best(r, experiment_, pairing::huge_pages)->theirs, "mimalloc");
    EXPECT_DOUBLE_EQ(against_best(r, experiment_, pairing::retaining)->ratio, 3);
    EXPECT_EQ(against_best(r, experiment_, pairing::retaining)->theirs, "mimalloc-retain");
    const std::string text = table(experiment_, measured_);
    EXPECT_THAT(text, HasSubstr("arenite.ordered 8.00 ns is 8.00x of mimalloc-retain, 2.00x of "
                                "mimalloc\n"));
    EXPECT_THAT(text, HasSubstr("arenite.ordered.retain 3.00 ns is 3.00x of mimalloc-retain\n"));
}

TEST_F(lab_compare, calls_a_ratio_inside_the_spread_a_tie) {
    figure("arenite.ordered", {1.0, 1.1, 1.2});
    figure("mimalloc", {1.05, 1.15, 1.3});
    EXPECT_TRUE(against_best(rows_of(measured_).front(), experiment_)->tie);
}

TEST_F(lab_compare, calls_figures_that_do_not_meet_no_tie) {
    figure("arenite.ordered", {1.0, 1.1, 1.2});
    figure("mimalloc", {1.3, 1.4, 1.5});
    EXPECT_FALSE(against_best(rows_of(measured_).front(), experiment_)->tie);
}

TEST_F(lab_compare, says_where_a_peer_wins) {
    figure("arenite.ordered", {2, 2, 2});
    figure("std", {1, 1, 1});
    figure("mimalloc", {3, 3, 3});
    const std::string text = table(experiment_, measured_);
    EXPECT_THAT(text, HasSubstr("Worse: create, warm: arenite.ordered 2.00 ns is 2.00x of std\n"));
}

TEST_F(lab_compare, does_not_call_our_own_twin_a_peer) {
    figure("arenite.ordered", {2, 2, 2});
    figure("arenite.ordered-4k", {1, 1, 1});
    EXPECT_THAT(table(experiment_, measured_), Not(HasSubstr("Worse")));
}

TEST_F(lab_compare, says_which_verdicts_are_within_the_spread) {
    figure("arenite.ordered", {1.5, 2, 2.5});
    figure("std", {1, 1, 1});
    figure("mimalloc", {1, 1.6, 3});
    EXPECT_THAT(table(experiment_, measured_),
                HasSubstr("is 2.00x of std, 1.25x of mimalloc (within the spread)\n"));
}

TEST_F(lab_compare, says_nothing_of_a_row_within_the_spread) {
    figure("arenite.ordered", {1.5, 2, 2.5});
    figure("mimalloc", {1, 1.6, 3});
    EXPECT_THAT(table(experiment_, measured_), Not(HasSubstr("Worse")));
}

TEST(lab_median, is_the_middle) {
    EXPECT_EQ(median_of({3, 1, 2}), 2);
    EXPECT_EQ(median_of({4, 1, 2, 3}), 2.5);
    EXPECT_EQ(median_of({5}), 5);
}

TEST(lab_grid, breaks_what_is_too_wide_into_blocks_that_repeat_the_first_column) {
    grid g;
    g.add({{"metric"}, {"first"}, {"second"}});
    g.add({{"create"}, {"1"}, {"2"}});
    EXPECT_EQ(g.text(), "metric  first  second\n---------------------\ncreate      1       2\n");
    EXPECT_EQ(g.text(16), "metric  first\n-------------\ncreate      1\n\n"
                          "metric  second\n--------------\ncreate       2\n");
}

TEST(lab_numbers, keep_three_digits) {
    EXPECT_EQ(short_number(0), "0");
    EXPECT_EQ(short_number(0.0123), "0.012");
    EXPECT_EQ(short_number(1.234), "1.23");
    EXPECT_EQ(short_number(12.34), "12.3");
    EXPECT_EQ(short_number(12345.6), "12346");
    EXPECT_EQ(short_number(0.000123), "0.00012") << "not 0.000";
    EXPECT_EQ(short_number(-0.02), "-0.020");
}

TEST(lab_numbers, of_ratios_are_never_nothing_and_never_endless) {
    EXPECT_EQ(ratio_text(0.25), "0.25x");
    EXPECT_EQ(ratio_text(1.234), "1.23x");
    EXPECT_EQ(ratio_text(23.4), "23x");
    EXPECT_EQ(ratio_text(0.0001), "<0.01x");
    EXPECT_EQ(ratio_text(12345), ">100x");
}

TEST(lab_nearest, is_what_was_meant) {
    const std::vector<std::string> names{"order/pair", "order/refill", "scene/churn", "list"};
    EXPECT_EQ(nearest("order/piar", names), "order/pair");
    EXPECT_EQ(nearest("pair", names), "order/pair");
    EXPECT_EQ(nearest("lsit", names), "list");
    EXPECT_EQ(nearest("threads/scaling", names), "");
    EXPECT_EQ(did_you_mean("order/refil", names), "; did you mean 'order/refill'?");
}

} // namespace
