// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "program.hpp"

#include "probes/address_map.hpp"
#include "report/html.hpp"
#include "report/json.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

using namespace arenite::lab;
using testing::HasSubstr;
using testing::Not;

namespace {

nlohmann::json figure(const char* subject, const char* metric, const char* state, double median) {
    return {{"workload", "order/refill"}, {"subject", subject}, {"parameters", {{"count", 1000}}},
            {"metric", metric},           {"unit", "ns"},       {"state", state},
            {"compared", true},           {"median", median},   {"min", median - 1},
            {"max", median + 1},          {"repeats", 3}};
}

/// A report as `--json` writes it, of one workload, with a map.
nlohmann::json example() {
    const nlohmann::json map{{"name", "loaded"},   {"objects", 3},      {"object_bytes", 300},
                             {"pages", 2},         {"near_steps", 0.5}, {"upward_steps", 1.0},
                             {"cell_bytes", 4096}, {"cells", "04/v1"},  {"places", {0, 333, 999}}};
    return {
        {"machine", {{"processor", "a <quick> one"}, {"cores", 2}, {"warnings", {"load & noise"}}}},
        {"subjects", {{"arenite.ordered", {{"summary", "ours"}, {"pages", "huge"}}}}},
        {"workloads",
         {{"order/refill",
           {{"summary", "s"}, {"ours", "arenite.ordered"}, {"against", {"mimalloc"}}}}}},
        {"results",
         {figure("arenite.ordered", "walk", "cold", 10), figure("mimalloc-thp", "walk", "cold", 40),
          figure("mimalloc", "walk", "cold", 50), figure("std", "walk", "cold", 60),
          figure("arenite.ordered", "walk", "warm", 30), figure("mimalloc", "walk", "warm", 30.5)}},
        {"maps",
         {{{"workload", "order/refill"},
           {"subject", "std"},
           {"parameters", {{"count", 1000}}},
           {"maps", {map}}}}},
        {"failures",
         {{{"workload", "order/refill"},
           {"subject", "jemalloc"},
           {"what", "it </script> broke"}}}}};
}

void expect_refused(const std::string& arguments, const std::vector<std::string>& says) {
    const called c = lab(arguments);
    EXPECT_EQ(c.code, 2) << arguments << "\n" << c.errors;
    EXPECT_EQ(c.output, "") << arguments;
    for (const std::string& part : says)
        EXPECT_THAT(c.errors, HasSubstr(part)) << arguments;
}

TEST(lab_report, draws_a_curve_over_metrics_and_over_a_parameter) {
    nlohmann::json results = example();
    results["results"] = nlohmann::json::array();
    const auto add = [&](const char* workload, nlohmann::json parameters, const char* metric,
                         double median) {
        nlohmann::json one = figure("malloc", metric, "cold", median);
        one["workload"] = workload;
        one["parameters"] = std::move(parameters);
        results["results"].push_back(one);
        results["workloads"][workload] = results["workloads"]["order/refill"];
    };
    for (const char* pad : {"0", "7"})
        for (const char* place : {"2^9", "2^10"})
            add("cache/list", {{"order", "random"}, {"pad", pad}}, place, 3);
    for (const char* rows : {"1000", "200"}) { // as they were asked for; drawn by size
        add("cache/matrix", {{"form", "naive"}, {"rows", rows}}, "multiply_ticks", 700);
        add("cache/matrix", {{"form", "transposed"}, {"rows", rows}}, "multiply_ticks", 200);
    }

    const std::string html = html_report(results);
    EXPECT_THAT(html, HasSubstr("order = random, malloc"));
    EXPECT_THAT(html, HasSubstr("<th>2^9</th><th>2^10</th>"));
    EXPECT_THAT(html, HasSubstr("<td>pad = 7</td><td>3.00</td><td>3.00</td>"));
    EXPECT_THAT(html, Not(HasSubstr("<h4>2^9"))) << "has a plot of its own besides";
    EXPECT_THAT(html, HasSubstr("<th>200</th><th>1000</th>"));
    EXPECT_THAT(html, HasSubstr("<td>naive / transposed</td><td>3.50</td><td>3.50</td>"));
    EXPECT_THAT(html, HasSubstr("<h4>multiply ticks"));
}

TEST(lab_report, draws_no_curve_of_a_single_place) {
    nlohmann::json results = example();
    for (nlohmann::json& r : results["results"]) {
        r["workload"] = "cache/list";
        r["parameters"] = {{"order", "random"}, {"pad", "7"}};
        r["metric"] = "2^10";
    }
    results["workloads"]["cache/list"] = results["workloads"]["order/refill"];
    const std::string html = html_report(results);
    EXPECT_THAT(html, Not(HasSubstr("working set")));
    EXPECT_THAT(html, HasSubstr("<h4>2^10")) << "the figure is shown in any case";
}

TEST(lab_report, names_the_ratio_to_the_fastest_it_is_measured_by) {
    const std::string html = html_report(example());
    EXPECT_THAT(html, HasSubstr("0.25x</span> of mimalloc-thp cold"));
    EXPECT_THAT(html, HasSubstr("0.98x</span> of mimalloc warm (within the spread)"));
    EXPECT_THAT(html, HasSubstr("Of 1 figures <b>0 are better</b> than the fastest peer's, 1 are "
                                "within the spread, <b>0 are worse</b>"))
        << "warm is what counts";
}

TEST(lab_report, begins_with_a_summary) {
    nlohmann::json results = example();
    results["results"].push_back(figure("arenite.ordered", "page_faults", "cold", 90));
    results["results"].push_back(figure("mimalloc", "page_faults", "cold", 30));
    results["results"].push_back(figure("arenite.ordered", "make", "cold", 10));
    results["results"].push_back(figure("mimalloc", "make", "cold", 40));
    const std::string html = html_report(results);
    EXPECT_THAT(html, HasSubstr("Of 3 figures <b>1 are better</b>"));
    EXPECT_THAT(html, HasSubstr("Times: the median ratio of 3 figures is 0.98x."));
    EXPECT_THAT(html, HasSubstr("Furthest ahead: order/refill, make: 0.25x of mimalloc."));
    EXPECT_THAT(html, HasSubstr("Furthest behind: order/refill, page faults: 3.00x of mimalloc."));
    EXPECT_THAT(html, Not(HasSubstr("Memory:"))) << "none was measured";
}

TEST(lab_report, explains_its_words_before_it_uses_them) {
    const std::string html = html_report(example());
    const std::size_t first_section = html.find("<main>");
    for (const char* word : {"subject", "turn", "twins", "seeds", "thesis"})
        EXPECT_LT(html.find("<b>" + std::string{word} + "</b>"), first_section) << word;
}

TEST(lab_report, sorts_and_marks_ours) {
    nlohmann::json results = example();
    results["results"].erase(4);
    results["results"].erase(4);
    const std::string html = html_report(results);
    const std::size_t table = html.find("<table><thead><tr><th>subject</th><th>cold");
    std::size_t last = table;
    for (const char* subject :
         {"arenite.ordered</td>", "mimalloc-thp</td>", "mimalloc</td>", "std</td>"}) {
        const std::size_t at = html.find(subject, table);
        ASSERT_NE(at, std::string::npos) << subject;
        EXPECT_GT(at, last) << subject;
        last = at;
    }
    EXPECT_THAT(html, HasSubstr("<tr class=\"ours\"><td>"));
}

TEST(lab_report, tells_machine_warnings_and_failures_and_lets_no_markup_through) {
    const std::string html = html_report(example());
    EXPECT_THAT(html, HasSubstr("a &lt;quick&gt; one"));
    EXPECT_THAT(html, HasSubstr("load &amp; noise"));
    EXPECT_THAT(html, HasSubstr("jemalloc: it &lt;/script&gt; broke"));
}

TEST(lab_report, shows_the_maps) {
    const std::string html = html_report(example());
    EXPECT_THAT(html, HasSubstr("Memory map: std, loaded"));
    EXPECT_THAT(html, HasSubstr("50 % of steps stay within a page"));
    EXPECT_THAT(html, HasSubstr("M0 0h7v7h-7z"));
    EXPECT_THAT(html, HasSubstr("M8 0h7v7h-7z"));
}

TEST(lab_report, shows_what_moved_between_two_moments) {
    nlohmann::json results = example();
    results["maps"][0]["maps"] = {{{"name", "before <and> after"},
                                   {"kinds", nlohmann::json::array()},
                                   {"block_bytes", 1024},
                                   {"blocks", 2},
                                   {"blocks_later", 1},
                                   {"parts", {{512, 0, 0, 0, 0, 0}, {256, 0, 1, 512, 0, 512}}}}};
    const std::string html = html_report(results);
    EXPECT_THAT(html, Not(HasSubstr("id=\"maps\""))) << "there are no maps of nodes";
    EXPECT_THAT(html, HasSubstr("before &lt;and&gt; after"));
    EXPECT_THAT(html, HasSubstr("2 blocks of 1.0 KiB before, 1 after; 1 of 2 parts moved, 256 B of "
                                "768 B"));
    EXPECT_THAT(html, HasSubstr("class=\"gone\"")) << "the block that is given back";
    EXPECT_THAT(html, HasSubstr("M751.50 54C")) << "from the middle of the second block";
    results["maps"][0]["maps"][0]["parts"][1][2] = 9;
    EXPECT_THROW(static_cast<void>(html_report(results)), bad_request) << "of no block";
}

TEST(lab_report, shows_one_moment_of_a_range_line_by_line) {
    nlohmann::json results = example();
    results["maps"][0]["maps"] = {{{"name", "one moment"},
                                   {"kinds", {"buffers", "textures"}},
                                   {"block_bytes", 32768},
                                   {"blocks", 1},
                                   {"parts", {{1024, 1, 0, 512}}}}};
    const std::string html = html_report(results);
    EXPECT_THAT(html, HasSubstr("1 parts, 1.0 KiB of 32.0 KiB in use up to 1.5 KiB; the largest "
                                "hole has 30.5 KiB"));
    EXPECT_THAT(html, HasSubstr("M256.00 0h256.00v9h-256.00zM0.00 11h256.00v9h-256.00z"));
    EXPECT_THAT(html, HasSubstr("</span>textures"));
    EXPECT_THAT(html, Not(HasSubstr("</span>buffers"))) << "there are none";
}

TEST(lab_report, needs_nothing_from_elsewhere) {
    const std::string html = html_report(example());
    for (const char* loads : {"src=", "@import", "url(", "<link rel=\"stylesheet"})
        EXPECT_THAT(html.substr(0, html.find("<script")), Not(HasSubstr(loads)));
    EXPECT_THAT(html, Not(HasSubstr("<script src")));
    EXPECT_LT(html.size(), 5'000'000u);
}

TEST(lab_report, of_results_that_lack_something_is_refused_in_a_sentence) {
    for (const char* part : {"workloads", "results", "subjects", "machine", "failures"}) {
        nlohmann::json results = example();
        results.erase(part);
        EXPECT_THROW(static_cast<void>(html_report(results)), bad_request) << part;
    }
    nlohmann::json results = example();
    results["results"][0]["median"] = "many";
    EXPECT_THROW(static_cast<void>(html_report(results)), bad_request);
}

TEST(lab_report, path_that_cannot_be_written_is_told_before_anything_is_measured) {
    const auto start = std::chrono::steady_clock::now();
    expect_refused("run scene/quadtree order/refill --report /nowhere/at/all.html",
                   {"/nowhere/at/all.html", "No such file"});
    expect_refused("run scene/quadtree --report /", {"cannot write /"});
    expect_refused("short --report /nowhere/at/all.html", {"/nowhere/at/all.html"});
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds{30});
}

TEST(lab_report, is_made_of_a_results_file) {
    const scratch_directory scratch;
    const std::string results = (scratch / "results.json").string();
    const std::string page = (scratch / "report.html").string();
    std::ofstream{results} << example().dump();
    const called c = lab("report " + results + " --report " + page);
    EXPECT_EQ(c.code, 0) << c.errors;
    EXPECT_THAT(c.output, HasSubstr(page)) << "it says where";
    EXPECT_EQ(contents_of(page), html_report(example()));
    expect_refused("report " + results + " --report /nowhere/at/all.html",
                   {"/nowhere/at/all.html"});
    expect_refused("report " + results, {"--report"});
}

TEST(lab_report, of_a_results_file_that_is_cut_off_or_none_is_refused) {
    const scratch_directory scratch;
    const std::string page = (scratch / "report.html").string();
    const std::string whole = example().dump(2);
    const auto refuse = [&](const std::string& contents, const char* says) {
        const std::string file = (scratch / "results.json").string();
        std::ofstream{file} << contents;
        expect_refused("report " + file + " --report " + page, {file, says});
        EXPECT_FALSE(std::filesystem::exists(page));
    };
    for (const std::size_t length : {std::size_t{1}, whole.size() / 3, whole.size() - 1})
        refuse(whole.substr(0, length), "cut off");
    refuse("", "empty");
    refuse(" \n", "empty");
    refuse("workload,subject\n", "not JSON");
    refuse("[1, 2]", "has no 'machine'");
    refuse("{\"machine\": {}}", "has no 'subjects'");
    refuse("{\"machine\":{},\"subjects\":{},\"workloads\":{},\"results\":[1],\"failures\":[]}",
           "not as arenite-lab writes");
    expect_refused("report " + (scratch / "none.json").string() + " --report " + page,
                   {"none.json", "No such file"});
    expect_refused("report / --report " + page, {"cannot read /"});
}

TEST(lab_report, of_a_run_has_plots_tables_and_maps_where_there_are_some) {
    const scratch_directory scratch;
    const std::string page = (scratch / "report.html").string();
    const called c = lab("run scene/quadtree --set levels=3 --set form=group --subject std "
                         "--subject arenite.ordered --repeat 1 --report " +
                         page);
    ASSERT_EQ(c.code, 0) << c.errors;
    const std::string html = contents_of(page);
    EXPECT_THAT(html, HasSubstr("id=\"scene-quadtree\""));
    EXPECT_THAT(html, HasSubstr("levels = 3"));
    EXPECT_THAT(html, HasSubstr("</html>"));
}

// ---- the probe that the maps are made by

constexpr std::uintptr_t page_bytes = 4096;

void* at(std::uintptr_t address) {
    return reinterpret_cast<void*>(address); // NOLINT(performance-no-int-to-ptr): never followed
}

TEST(lab_address_map, of_nothing_is_empty) {
    const address_sample s = address_map{10}.sample("none");
    EXPECT_EQ(s.objects, 0u);
    EXPECT_TRUE(s.cells.empty());
}

TEST(lab_address_map, tells_order_from_disorder) {
    address_map up{1000}, mixed{1000};
    for (std::uintptr_t i = 0; i < 1000; ++i) {
        up.add(at(0x10000 + i * 64), 64);
        mixed.add(at(0x10000 + i * 617 % 1000 * 64), 64);
    }
    const address_sample order = up.sample("up"), disorder = mixed.sample("mixed");
    EXPECT_EQ(order.pages, disorder.pages);
    EXPECT_EQ(order.upward_steps, 1.0);
    EXPECT_EQ(order.near_steps, 1.0);
    EXPECT_LT(disorder.near_steps, 0.1);
    EXPECT_TRUE(std::is_sorted(order.places.begin(), order.places.end()));
    EXPECT_FALSE(std::is_sorted(disorder.places.begin(), disorder.places.end()));
    for (std::size_t i = 1; i < order.cells.size(); ++i)
        EXPECT_GE(order.cells[i].position, order.cells[i - 1].position);
}

TEST(lab_address_map, counts_pages_and_marks_gaps) {
    address_map map{3};
    map.add(at(10 * page_bytes), 16);
    map.add(at(11 * page_bytes - 8), 16); // across the edge
    map.add(at(900 * page_bytes), 16);
    map.add(at(5 * page_bytes), 16); // one more than was said
    const address_sample s = map.sample("m");
    EXPECT_EQ(s.objects, 3u);
    EXPECT_EQ(s.pages, 3u);
    ASSERT_EQ(s.cells.size(), 3u);
    EXPECT_FALSE(s.cells[0].after_gap || s.cells[1].after_gap);
    EXPECT_TRUE(s.cells[2].after_gap);
}

TEST(lab_address_map, is_of_bounded_size) {
    constexpr std::uintptr_t count = 200'000;
    address_map map{count};
    for (std::uintptr_t i = 0; i < count; ++i)
        map.add(at((i * 7919 % count) * 3 * page_bytes), 32);
    const address_sample s = map.sample("m");
    EXPECT_LE(s.cells.size(), 6144u);
    EXPECT_LE(s.places.size(), 600u);
    EXPECT_EQ(s.pages, count);
}

} // namespace
