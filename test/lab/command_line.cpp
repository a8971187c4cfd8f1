// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "program.hpp"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using testing::HasSubstr;
using testing::Not;

namespace {

/// Bad input: exit code 2, a message, no result.
void expect_refused(const std::string& arguments, const std::vector<std::string>& says) {
    const called c = lab(arguments);
    EXPECT_EQ(c.code, 2) << arguments << "\n" << c.errors;
    EXPECT_EQ(c.output, "") << arguments;
    for (const std::string& part : says)
        EXPECT_THAT(c.errors, HasSubstr(part)) << arguments;
}

TEST(lab_command_line, lists_workloads_parameters_and_subjects) {
    const called c = lab("list");
    EXPECT_EQ(c.code, 0);
    std::istringstream names{
        "scene/quadtree scene/churn order/refill scale/objects "
        "linear/thesis pool/thesis pool/iterate objects/pool frames/vr "
        "threads/false_sharing memory/vectors cache/levels cache/list "
        "cache/matrix soa/particles containers/forward_list containers/list "
        "containers/set containers/map containers/unordered_map "
        "containers/churn containers/many_small suballocator/raw "
        "suballocator/set threads/scaling threads/loaders threads/tasks "
        "threads/fork scene/objects memory/mappings trace/replay "
        "latency/heap order/pair heaps/many offset/churn offset/mix "
        "offset/streaming offset/defragment memory/phases memory/idle memory/buffers "
        "memory/fragmentation "
        "freelist/fragmentation seeds levels sizes holes arenite.ordered "
        "arenite.ordered.retain arenite.ordered.kept arenite.linear "
        "arenite.pool_allocator arenite.suballocator arenite.affinity "
        "arenite.affinity.intrusive std pmr.pool std.vector"};
    for (std::string name; names >> name;)
        EXPECT_THAT(c.output, HasSubstr(name));
}

TEST(lab_command_line, tells_of_each_peer_that_it_is_there_or_why_not) {
    const called c = lab("list");
    for (const char* library :
         {"mimalloc", "jemalloc", "tcmalloc", "boost", "foonathan", "plf.colony", "osg", "vma"})
        EXPECT_THAT(c.output, HasSubstr(library));
}

TEST(lab_command_line, names_the_known_workloads_for_an_unknown_one) {
    expect_refused("run scene/quadtre", {"did you mean 'scene/quadtree'?", "seeds"});
    expect_refused("lsit", {"'lsit'", "did you mean 'list'?", "replay"});
}

TEST(lab_command_line, names_the_known_subjects_for_an_unknown_one) {
    expect_refused("run scene/quadtree --subject malloc3",
                   {"malloc3", "did you mean 'malloc'?", "std", "arenite.ordered", "pmr.pool"});
}

TEST(lab_command_line, names_the_subjects_a_workload_takes_where_it_takes_none_of_these) {
    expect_refused("run scene/quadtree --subject arenite.linear",
                   {"scene/quadtree", "arenite.linear", "arenite.ordered"});
}

TEST(lab_command_line, names_the_known_parameters_for_an_unknown_one) {
    expect_refused("run scene/quadtree --set level=3", {"'level'", "mean 'levels'", "form"});
}

TEST(lab_command_line, names_the_choices_for_an_unknown_value) {
    expect_refused("run scene/quadtree --set form=oct", {"form='oct'", "group", "quad"});
}

TEST(lab_command_line, refuses_numbers_that_are_none_or_out_of_range) {
    expect_refused("run scene/quadtree --set levels=ten", {"levels='ten'", "whole number"});
    expect_refused("run scene/quadtree --set levels=3x", {"levels='3x'"});
    expect_refused("run scene/quadtree --set levels=", {"levels=''"});
    expect_refused("run scene/quadtree --set levels=-1", {"levels=-1", "0 to 13"});
    expect_refused("run scene/quadtree --set levels=99999999999999999999", {"out of range"});
}

TEST(lab_command_line, refuses_what_the_pools_workloads_cannot_do) {
    expect_refused("run pool/thesis --set write=all", {"write='all'", "no, word"});
    expect_refused("run pool/iterate --set holes=100", {"holes=100", "0 to 99"});
    expect_refused("run pool/iterate --set holes=-1", {"holes=-1", "0 to 99"});
    expect_refused("run pool/iterate --set count=99", {"count=99", "100 to"});
    expect_refused("run memory/vectors --set count=0", {"count=0", "1 to"});
    expect_refused("run memory/vectors --set form=lists", {"form='lists'", "pointers, objects"});
}

TEST(lab_command_line, refuses_what_the_containers_workloads_cannot_do) {
    expect_refused("run containers/list --set part=all", {"part='all'", "time, memory"});
    expect_refused("run containers/list --set end=middle", {"end='middle'", "back, front"});
    expect_refused("run containers/set --set end=front", {"'end'", "part, count"});
    expect_refused("run containers/set --set count=99", {"count=99", "100 to"});
    expect_refused("run containers/churn --set pattern=set",
                   {"pattern='set'", "list_random, list_fifo, unordered_map"});
    expect_refused("run containers/map --subject arenite.ordered",
                   {"containers/map", "arenite.pool_allocator", "arenite.suballocator"});
}

TEST(lab_command_line, refuses_what_churn_cannot_do) {
    expect_refused("run scene/churn --set grain=tree", {"grain='tree'", "leaf, subtree"});
    expect_refused("run scene/churn --set levels=2", {"levels=2", "3 to 8"});
    expect_refused("run scene/churn --set levels=9", {"levels=9", "3 to 8"});
    expect_refused("run scene/churn --set rounds=0", {"rounds=0", "1 to 1000"});
    expect_refused("run scene/churn --set readd=sorted", {"readd='sorted'", "scene, random"});
    expect_refused("run scene/churn --subject arenite.linear", {"arenite.linear", "std"});
}

TEST(lab_command_line, refuses_what_threads_cannot_do) {
    expect_refused("run threads/scaling --set pattern=alone", {"pattern='alone'", "own, handover"});
    expect_refused("run threads/scaling --set threads=0", {"threads=0", "1 to 16"});
    expect_refused("run threads/scaling --set batches=9", {"batches=9", "10 to"});
    expect_refused("run threads/scaling --subject arenite.ordered", {"arenite.affinity", "std"});
    expect_refused("run scene/quadtree --subject arenite.ordered-synchronized",
                   {"arenite.affinity", "std"});
}

TEST(lab_command_line, refuses_what_the_workloads_of_general_heaps_cannot_do) {
    expect_refused("run latency/heap --set live=15", {"live=15", "16 to"});
    expect_refused("run latency/heap --set calls=1", {"calls=1", "1000 to"});
    expect_refused("run order/pair --set slots=0", {"slots=0", "1 to"});
    expect_refused("run order/pair --set sizes=all", {"sizes='all'", "16-512, 24-80"});
    expect_refused("run offset/churn --set alignment=3", {"alignment='3'", "16, 256, mixed"});
    expect_refused("run offset/churn --subject std", {"std", "arenite.offset"});
    expect_refused("run memory/phases --set sizes=48", {"sizes='48'", "48-64, 48-200, mixed"});
    expect_refused("run memory/fragmentation --set pattern=small", {"large, halves, powers"});
    expect_refused("run memory/fragmentation --subject arenite.linear", {"arenite.linear", "std"});
}

TEST(lab_command_line, runs_each_pattern_of_threads) {
    const called c = lab(
        "run threads/scaling --set threads=2 --set levels=4 --set batches=10 --repeat 1 --warm 1 "
        "--subject std --subject arenite.affinity "
        "--subject arenite.ordered-synchronized");
    EXPECT_EQ(c.code, 0) << c.errors << c.output; // 1 where the work is not the same
    for (const char* metric : {"one_thread, warm", "all_threads, warm", "handover, warm",
                               "resident, cold", "passing, warm", "replace, warm"})
        EXPECT_THAT(c.output, HasSubstr(metric));
}

TEST(lab_command_line, runs_scenes_of_objects_that_free_themselves) {
    const std::string subjects = " --subject std --subject arenite.affinity "
                                 "--subject arenite.affinity.intrusive "
                                 "--subject arenite.affinity.slots --repeat 1 --warm 1";
    const called c = lab("run scene/objects --set levels=4 --set objects=2000" + subjects);
    EXPECT_EQ(c.code, 0) << c.errors << c.output;
    for (const char* metric : {"create, warm", "visit, warm", "churn, warm", "visit_aged, warm",
                               "add, warm", "delete, warm", "destroy, warm"})
        EXPECT_THAT(c.output, HasSubstr(metric));
    const called l = lab("run threads/loaders --set scenes=20 --set geometries=50" + subjects);
    EXPECT_EQ(l.code, 0) << l.errors << l.output;
    expect_refused("run scene/objects --subject arenite.ordered", {"arenite.affinity", "std"});
    expect_refused("run scene/objects --set form=list", {"tree, mixed"});
}

TEST(lab_command_line, runs_tasks_forks_and_many_mappings) {
    const std::string subjects = " --subject std --subject arenite.affinity --repeat 1";
    for (const char* run : {"threads/tasks --set tasks=200", "threads/fork --set times=3",
                            "memory/mappings --set objects=100"}) {
        const called c = lab(std::string{"run "} + run + subjects);
        EXPECT_EQ(c.code, 0) << c.errors << c.output;
    }
    expect_refused("run threads/fork --set times=0", {"times=0", "1 to"});
}

TEST(lab_command_line, runs_scenes_with_each_strategy_of_affinities) {
    const std::string subjects = " --subject std --subject arenite.affinity "
                                 "--subject arenite.affinity.near "
                                 "--subject arenite.affinity.intrusive "
                                 "--subject arenite.affinity.slots "
                                 "--subject arenite.affinity.standard --repeat 1 --warm 1";
    for (const char* work :
         {"run scene/churn --set levels=3", "run scene/quadtree --set levels=5"}) {
        const called c = lab(work + subjects);
        EXPECT_EQ(c.code, 0) << c.errors << c.output;
        EXPECT_THAT(c.output, Not(HasSubstr("FAILED")));
    }
}

TEST(lab_command_line, runs_a_pool_only_where_all_requests_are_of_one_size) {
    expect_refused(
        "run order/refill --set sizes=mixed --set pattern=random --subject arenite.pool",
        {"order/refill does not run on arenite.pool with sizes=mixed", "arenite.pool (one size)"});
    expect_refused("run scene/quadtree --subject arenite.pool", {"scene/quadtree", "std"});
    const called c =
        lab("run order/refill --subject arenite.pool --set count=1000 --repeat 1 --warm 0");
    EXPECT_EQ(c.code, 0) << c.errors;
    EXPECT_THAT(c.output, HasSubstr("sizes=uniform"));
    EXPECT_THAT(c.output, Not(HasSubstr("sizes=mixed")));
    EXPECT_THAT(c.output, Not(HasSubstr("pattern=holes")));
}

TEST(lab_command_line, refuses_a_setting_that_is_none_and_one_made_twice) {
    expect_refused("run scene/quadtree --set levels", {"'levels'", "KEY=VALUE"});
    expect_refused("run scene/quadtree --set levels=3 --set levels=4", {"levels", "twice"});
}

TEST(lab_command_line, refuses_repeats_and_options_it_does_not_know) {
    expect_refused("run scene/quadtree --repeat 0", {"--repeat"});
    expect_refused("run scene/quadtree --repeat many", {"--repeat"});
    expect_refused("run scene/quadtree --plots x.html", {"--plots"});
    expect_refused("run", {"WORKLOAD"});
    expect_refused("measure", {"knows no 'measure'", "known: list"});
    expect_refused("", {"subcommand"});
}

TEST(lab_command_line, refuses_to_mix_seeds_with_other_wishes) {
    expect_refused("run seeds scene/quadtree", {"seeds"});
    expect_refused("run seeds --subject std", {"seeds"});
    expect_refused("run seeds --set levels=3", {"seeds"});
}

TEST(lab_command_line, tells_at_once_that_a_json_path_cannot_be_written) {
    const auto start = std::chrono::steady_clock::now();
    expect_refused("run scene/quadtree order/refill --json /nowhere/at/all.json",
                   {"/nowhere/at/all.json", "No such file"});
    expect_refused("run scene/quadtree --json /", {"cannot write /"});
    expect_refused("short --json /nowhere/at/all.json", {"/nowhere/at/all.json"});
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds{30});
}

TEST(lab_command_line, leaves_an_older_json_file_alone_when_it_refuses) {
    const scratch_directory scratch;
    const std::string file = (scratch / "old.json").string();
    std::ofstream{file} << "old";
    expect_refused("run scene/quadtree --set form=oct --json " + file, {"oct"});
    EXPECT_EQ(contents_of(file), "old");
}

class lab_json : public testing::Test {
protected:
    static void SetUpTestSuite() {
        const scratch_directory scratch;
        const std::string file = (scratch / "results.json").string();
        run_ = lab("run scene/quadtree --set levels=3,4 --set form=group --subject std "
                   "--subject arenite.ordered --repeat 3 --json " +
                   file);
        json_ = nlohmann::json::parse(contents_of(file), nullptr, false);
    }
    void SetUp() override {
        ASSERT_EQ(run_.code, 0) << run_.errors;
        ASSERT_FALSE(json_.is_discarded());
    }
    static inline called run_;
    static inline nlohmann::json json_;
};

TEST_F(lab_json, describes_the_machine) {
    const auto& machine = json_.at("machine");
    for (const char* key : {"processor", "kernel", "compiler", "transparent_huge_pages", "arenite"})
        EXPECT_NE(machine.at(key).get<std::string>(), "") << key;
    EXPECT_GT(machine.at("cores").get<int>(), 0);
    EXPECT_GT(machine.at("memory_bytes").get<double>(), 1e6);
}

TEST_F(lab_json, has_each_metric_of_each_subject_and_parameter_once) {
    std::set<std::string> seen;
    for (const auto& r : json_.at("results")) {
        const std::string key =
            r.at("subject").get<std::string>() + " " + r.at("parameters").dump() + " " +
            r.at("metric").get<std::string>() + " " + r.at("state").get<std::string>();
        EXPECT_TRUE(seen.insert(key).second) << key;
    }
    for (const char* subject : {"std", "arenite.ordered"})
        for (const char* levels : {"3", "4"})
            for (const char* metric : {"create", "traverse", "destroy"})
                for (const char* state : {"cold", "warm"})
                    EXPECT_EQ(seen.count(std::string{subject} + R"( {"form":"group","levels":)" +
                                         levels + "} " + metric + " " + state),
                              1U);
}

TEST_F(lab_json, gives_median_and_spread_over_all_turns) {
    for (const auto& r : json_.at("results")) {
        EXPECT_EQ(r.at("workload"), "scene/quadtree");
        if (r.at("compared")) { // what is only noted may be missing where nothing became resident
            EXPECT_EQ(r.at("repeats"), 3) << r;
        }
        EXPECT_LE(r.at("min").get<double>(), r.at("median").get<double>());
        EXPECT_LE(r.at("median").get<double>(), r.at("max").get<double>());
        EXPECT_NE(r.at("unit"), "");
    }
}

TEST_F(lab_json, prints_a_table_for_each_experiment) {
    EXPECT_THAT(run_.output, HasSubstr("levels=3"));
    EXPECT_THAT(run_.output, HasSubstr("levels=4"));
    EXPECT_THAT(run_.output, HasSubstr("create, cold"));
    EXPECT_THAT(run_.output, HasSubstr("Machine"));
}

/// The rows of the seeds, as JSON tells them.
struct seed_rows_told {
    nlohmann::json rows;

    /// The documents whose name begins so.
    [[nodiscard]] std::vector<nlohmann::json> rows_of(const std::string& document) const {
        std::vector<nlohmann::json> found;
        for (const auto& row : rows)
            if (row.at("document").get<std::string>().starts_with(document))
                found.push_back(row);
        return found;
    }

    /// The numbers that the documents give for a quantity, in the order of the rows.
    [[nodiscard]] std::vector<double> given(const std::string& document,
                                            const std::string& quantity) const {
        std::vector<double> all;
        for (const auto& row : rows_of(document))
            if (row.at("quantity") == quantity && row.at("says").is_number())
                all.push_back(row.at("says").get<double>());
        return all;
    }

    [[nodiscard]] double cold(const std::string& document, const std::string& quantity) const {
        for (const auto& row : rows_of(document))
            if (row.at("quantity") == quantity)
                return row.at("cold").get<double>();
        return 0;
    }
};

void expect_third_with_some_ratios(const seed_rows_told& seeds) {
    std::vector<double> ratios;
    std::set<std::string> not_given;
    for (const auto& row : seeds.rows_of("seed 3"))
        if (const std::string quantity = row.at("quantity"); row.at("says").is_null())
            not_given.insert(quantity.substr(0, quantity.find(" of lines")));
        else if (quantity.find('/') != std::string::npos)
            ratios.push_back(row.at("says").get<double>());
    const std::set<std::string> without_a_number = {"ns, vector of pointers (P)",
                                                    "ns, vector of objects (O)",
                                                    "P/O, pointees by arenite",
                                                    "P/O, vectors reserved",
                                                    "P/O, both",
                                                    "M/L with construction",
                                                    "M/P, a word of each written",
                                                    "malloc / free list, first fit",
                                                    "cycles/node, linear",
                                                    "cycles/node, random",
                                                    "cycles, naive",
                                                    "cycles, transposed",
                                                    "naive/transposed",
                                                    "ns/particle, AoS",
                                                    "ns/particle, SoA",
                                                    "AoS/SoA",
                                                    "SoA/arrays by hand",
                                                    "-",
                                                    "%",
                                                    "speedup, all cores",
                                                    "blocks / would do",
                                                    "bytes copied / in use",
                                                    "walk before / after",
                                                    "% of frames over 11.1 ms",
                                                    "ms a frame, 99th percentile",
                                                    "us for memory, 99.9th",
                                                    "last level's misses a frame",
                                                    "L1 misses a frame"};
    EXPECT_EQ(not_given, without_a_number);
    EXPECT_EQ(ratios,
              (std::vector<double>{2.66, 2.08, 5.85, 20.14, 357.88, 494.48, 942'902.0 / 187'642}));
}

void expect_scene_graphs_with_their_figures(const seed_rows_told& seeds) {
    EXPECT_EQ(seeds.given("seed 1", "times, create: first/second"), std::vector<double>{6});
    EXPECT_EQ(seeds.given("seed 1", "times, destroy: first/second"), std::vector<double>{5.8});
    EXPECT_EQ(seeds.given("seed 1", "times, create: first/new"), std::vector<double>{5.76});
    EXPECT_EQ(seeds.given("seed 1", "times, destroy: first/new"), std::vector<double>{7.56});
    EXPECT_EQ(seeds.given("seed 1", "times, create: OSG/second"), std::vector<double>{8});
    EXPECT_EQ(seeds.given("seed 1", "times, traverse: OSG/second"), std::vector<double>{13.5});
    EXPECT_EQ(seeds.given("seed 1", "times, destroy: OSG/second"), std::vector<double>{2});
    EXPECT_EQ(seeds.given("seed 1", "times, memory: OSG/second"), std::vector<double>{6});
    EXPECT_EQ(seeds.given("seed 1", "times, new/second"), std::vector<double>{2.2});
    EXPECT_NEAR(seeds.given("seed 0", "times, new against default: +90 %").at(0), 1.9, 0.01);
    EXPECT_NEAR(seeds.given("seed 0", "times, new against default: +42 %").at(0), 1.42, 0.01);
    EXPECT_EQ(seeds.given("seed 0", "ms, new and delete"), std::vector<double>{0.00416});
    EXPECT_GT(seeds.cold("seed 1", "times, create: first/second"), 0);
    EXPECT_GT(seeds.cold("seed 1", "bytes a node of 38, ours"), 30);
    EXPECT_LT(seeds.cold("seed 1", "bytes a node of 38, ours"),
              seeds.cold("seed 1", "bytes a node of 38, new"));
}

void expect_second_with_five_rows(const seed_rows_told& seeds) {
    const std::vector<double> standard = seeds.given("seed 2", "ms, default allocator (D)");
    const std::vector<double> pool = seeds.given("seed 2", "ms, pool allocator (P)");
    const std::vector<double> ratio = seeds.given("seed 2", "D/P");
    ASSERT_EQ(standard.size(), 5U);
    ASSERT_EQ(pool.size(), 5U);
    ASSERT_EQ(ratio.size(), 5U);
    const double seconds[][2]{{0.010423, 0.001428},
                              {0.010404, 0.002038},
                              {0.010372, 0.001962},
                              {0.021393, 0.011792},
                              {0.030922, 0.021404}};
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_DOUBLE_EQ(standard[i], seconds[i][0] * 1e3);
        EXPECT_DOUBLE_EQ(pool[i], seconds[i][1] * 1e3);
        EXPECT_DOUBLE_EQ(ratio[i], seconds[i][0] / seconds[i][1]);
    }
    EXPECT_EQ(seeds.rows_of("seed 2").size(), 15U);
}

void expect_fourth_taken_apart(const seed_rows_told& seeds) {
    const std::string apart = "seed 4, 1.3, where it comes from";
    EXPECT_EQ(seeds.given(apart, "ns, insertion"), std::vector<double>{1005});
    EXPECT_EQ(seeds.given(apart, "ns, allocation"), std::vector<double>{13.6});
    EXPECT_EQ(seeds.given(apart, "ns, 1005 - 13.6 = 991.4: locality"), std::vector<double>{991.4});
    const std::string insertion = "seed 4, 1.3, insertion";
    const std::string allocation = "seed 4, 1.3, allocation";
    const double inserted =
        seeds.cold(insertion, "ns each, A") - seeds.cold(insertion, "ns each, S");
    const double allocated =
        seeds.cold(allocation, "ns each, A") - seeds.cold(allocation, "ns each, S");
    EXPECT_NEAR(seeds.cold(apart, "ns, insertion"), inserted, 1e-6);
    EXPECT_NEAR(seeds.cold(apart, "ns, allocation"), allocated, 1e-6);
    EXPECT_NEAR(seeds.cold(apart, "ns, 1005 - 13.6 = 991.4: locality"), inserted - allocated, 1e-6);
}

void expect_fourth_with_its_figures(const seed_rows_told& seeds) {
    EXPECT_EQ(seeds.given("seed 4", "s, std (A)"), (std::vector<double>{1.44, 69.78}));
    EXPECT_EQ(seeds.given("seed 4", "s, suballocator (S)"), (std::vector<double>{0.76, 39.65}));
    EXPECT_EQ(seeds.given("seed 4", "ns each, A"), (std::vector<double>{28.8, 2326}));
    EXPECT_EQ(seeds.given("seed 4", "ns each, S"), (std::vector<double>{15.2, 1321}));
    EXPECT_EQ(seeds.given("seed 4", "GB, std"), std::vector<double>{1.56});
    EXPECT_EQ(seeds.given("seed 4", "GB, boost::fast_pool"), std::vector<double>{0.52});
    const std::string allocation = "seed 4, 1.3, allocation";
    EXPECT_NEAR(seeds.cold(allocation, "s, std (A)"),
                seeds.cold(allocation, "ns each, A") * 5e7 * 1e-9, 1e-6);
}

TEST(lab_seeds, stand_beside_what_is_measured_here) {
    const scratch_directory scratch;
    const std::string file = (scratch / "seeds.json").string();
    const called run = lab("run seeds --tiny --repeat 1 --json " + file);
    ASSERT_EQ(run.code, 0) << run.errors;
    const seed_rows_told seeds{nlohmann::json::parse(contents_of(file)).at("seeds")};
    for (const char* table : {"figure 2.2", "table 6.1", "table 6.2", "seed 2, results",
                              "seed 4, 1.3, insertion", "figure 3.7: the prefetcher", "not given"})
        EXPECT_THAT(run.output, HasSubstr(table));
    for (const auto& row : seeds.rows) {
        const std::string document = row.at("document");
        if (document == "seed 0" || document == "seed 1" ||
            row.value("why", "").starts_with("the prefetcher") || row.at("quantity") == "-")
            continue; // want assimp and OpenSceneGraph; want what no program may do; are drawings
        bool done_once = document.starts_with("seed 4");
        for (const char* once : {"table 3.1", "table 3.2", "figure 3.5", "figure 3.6", "figure 3.9",
                                 "figure 3.10", "figure 6.9", "figure 6.11", "3.1.8"})
            done_once |= document == std::string{"seed 3, "} + once;
        const std::string quantity = row.at("quantity");
        done_once |= quantity.starts_with("bytes beside"); // of memory that is fresh
        const bool may_lack = quantity.ends_with("boost::fast_pool");
        const bool both_may_lack = quantity.ends_with("mimalloc.heaps");
        EXPECT_TRUE(may_lack || both_may_lack || row.at("cold").is_number()) << row;
        EXPECT_TRUE(done_once || both_may_lack || row.at("warm").is_number()) << row;
    }
    expect_scene_graphs_with_their_figures(seeds);
    EXPECT_EQ(seeds.rows_of("seed 1, MemorySlots").size(), 10U);
    EXPECT_GT(seeds.cold("beyond the seeds, heaps", "bytes of an empty one, arenite.shared_heap"),
              0);
    expect_second_with_five_rows(seeds);
    expect_third_with_some_ratios(seeds);
    EXPECT_NEAR(seeds.cold("seed 3, table 3.2", "L1 misses a read"), 0.125, 0.001);
    expect_fourth_with_its_figures(seeds);
    expect_fourth_taken_apart(seeds);
}

} // namespace
