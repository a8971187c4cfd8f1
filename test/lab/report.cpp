// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "program.hpp"

#include "probes/address_map.hpp"
#include "report/drift.hpp"
#include "report/html.hpp"
#include "report/json.hpp"
#include "report/picture.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <tuple>
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
        {"workloads", {{"order/refill", {{"summary", "s"}, {"ours", "arenite.ordered"}}}}},
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

/// The data that the page's tables are made of.
nlohmann::json data_in(const std::string& html) {
    const std::string begin = "id=\"data\">";
    const std::size_t at = html.find(begin) + begin.size();
    return nlohmann::json::parse(html.substr(at, html.find("</script>", at) - at));
}

TEST(lab_report, begins_with_a_verdict_beside_the_best_peer_and_names_it) {
    nlohmann::json results = example();
    results["results"].push_back(figure("arenite.ordered", "fill", "cold", 90));
    results["results"].push_back(figure("mimalloc", "fill", "cold", 60));
    results["results"].push_back(figure("std", "fill", "cold", 30));
    results["results"].push_back(figure("arenite.ordered", "release", "cold", 10));
    results["results"].push_back(figure("mimalloc", "release", "cold", 40));
    const std::string html = html_report(results);
    EXPECT_THAT(html, HasSubstr("Of 3 figures, each beside the best of all peers measured with it, "
                                "ours is better in 1, within the spread in 1, worse in 1."))
        << "warm is what counts where there is one";
    EXPECT_THAT(html, HasSubstr("Times: the median of 3 ratios is 0.98x. Below 1x"));
    EXPECT_THAT(html, HasSubstr("Furthest ahead: order/refill, release, cold: 10.0 "
                                "ns, mimalloc 40.0 (0.25x)."));
    EXPECT_THAT(html, HasSubstr("Furthest behind: order/refill, fill, cold: 90.0 "
                                "ns, std 30.0 (3.00x)."))
        << "not mimalloc, by which it was 1.5x";
    EXPECT_THAT(html, HasSubstr("The best peer, how often: mimalloc 2, std 1."));
    for (const char* bar : {"walk after churn", "create", "destroy"})
        EXPECT_THAT(html, HasSubstr("<span>" + std::string{bar} + "</span>"));
    EXPECT_THAT(html, Not(HasSubstr("<span>memory</span>"))) << "none was measured";
}

TEST(lab_report, colours_no_bar_as_better_on_the_side_of_the_worse) {
    nlohmann::json results = example();
    for (const auto& [metric, ours, theirs] : {std::tuple{"fill", 10, 90},
                                               {"make", 10, 90},
                                               {"add", 21, 20},
                                               {"insert", 21, 20},
                                               {"build", 21, 20}}) {
        results["results"].push_back(figure("arenite.ordered", metric, "cold", ours));
        results["results"].push_back(figure("mimalloc", metric, "cold", theirs));
    }
    std::string bar = html_report(results);
    bar = bar.substr(bar.find("<span>create</span>"));
    bar = bar.substr(0, bar.find("(best"));
    EXPECT_THAT(bar, HasSubstr("1.05x"));
    EXPECT_THAT(bar, HasSubstr("class=\"tie\""));
    EXPECT_THAT(bar, HasSubstr("2 better, 3 within the spread, 0 worse"));
}

/// The verdicts once more, by other means, from the figures that the page shows.
TEST(lab_report, has_no_verdict_that_its_own_tables_do_not_bear_out) {
    nlohmann::json results = example();
    results["subjects"]["std.vector"] = {{"summary", "v"}, {"floor", true}};
    std::uint64_t state = 1;
    const auto random = [&] {
        state = state * 6364136223846793005U + 1442695040888963407U;
        return 1 + static_cast<double>(state >> 40) / 1000;
    };
    for (const char* subject : {"std.vector", "arenite.ordered-4k", "mimalloc", "jemalloc-retain",
                                "std", "arenite.ordered", "tcmalloc"})
        for (const char* metric : {"fill", "pair", "free", "steady"})
            for (const char* pass : {"cold", "warm"})
                if (metric != std::string{"free"} || pass == std::string{"cold"})
                    results["results"].push_back(figure(subject, metric, pass, random()));
    const nlohmann::json data = data_in(html_report(results));
    ASSERT_EQ(data["verdicts"].size(), 5u);
    for (const nlohmann::json& v : data["verdicts"]) {
        double least = 1e300;
        for (const nlohmann::json& r : data["results"]) {
            const std::string subject = r["subject"];
            if (r["metric"] != v["metric"] || r["state"] != v["state"] ||
                subject.starts_with("arenite") || subject == "std.vector")
                continue;
            least = std::min(least, r["median"].get<double>());
            if (subject == v["theirs"]) {
                EXPECT_EQ(r["median"], v["peer"]);
            }
        }
        EXPECT_EQ(v["peer"].get<double>(), least) << v;
        EXPECT_DOUBLE_EQ(v["ratio"].get<double>(), v["ours"].get<double>() / least) << v;
        EXPECT_EQ(v["state"], v["metric"] == "free" ? "cold" : "warm");
    }
}

TEST(lab_report, shows_the_walk_of_ours_beside_that_of_malloc) {
    nlohmann::json results = example();
    EXPECT_THAT(html_report(results), Not(HasSubstr("<figure"))) << "malloc's alone says nothing";
    nlohmann::json ours = results["maps"][0];
    ours["subject"] = "arenite.ordered";
    ours["maps"][0]["pages"] = 1;
    results["maps"].push_back(ours);
    const std::string html = html_report(results);
    EXPECT_THAT(html, HasSubstr("With Arenite the walk touches 4.0 KiB."));
    EXPECT_THAT(html, HasSubstr("With malloc it touches 8.0 KiB."));
    EXPECT_THAT(html, HasSubstr("M85.3 156.0h.1M256.0 105.4h.1M426.7 4.2h.1"));
    EXPECT_THAT(picture_svg(results), HasSubstr("the walk touches 4.0 KiB"));
    EXPECT_THROW(static_cast<void>(picture_svg(example())), bad_request);
}

TEST(lab_report, tells_machine_warnings_and_failures_and_lets_no_markup_through) {
    const std::string html = html_report(example());
    EXPECT_THAT(html, HasSubstr("a &lt;quick&gt; one"));
    EXPECT_THAT(html, HasSubstr("load &amp; noise"));
    EXPECT_THAT(html, HasSubstr("jemalloc: it &lt;/script&gt; broke"));
    EXPECT_EQ(data_in(html)["failures"][0]["what"], "it </script> broke");
}

TEST(lab_report, refuses_a_part_that_lies_in_no_block) {
    nlohmann::json results = example();
    results["maps"][0]["maps"] = {{{"name", "before and after"},
                                   {"kinds", nlohmann::json::array()},
                                   {"block_bytes", 1024},
                                   {"blocks", 2},
                                   {"blocks_later", 1},
                                   {"parts", {{512, 0, 0, 0, 0, 0}, {256, 0, 1, 512, 0, 512}}}}};
    EXPECT_NO_THROW(static_cast<void>(html_report(results)));
    for (const auto& [place, value] : {std::pair{2, 9}, {3, 1000}, {4, 2}, {5, -1}}) {
        nlohmann::json wrong = results;
        wrong["maps"][0]["maps"][0]["parts"][1][place] = value;
        EXPECT_THROW(static_cast<void>(html_report(wrong)), bad_request) << place;
    }
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
    EXPECT_THAT(c.output, HasSubstr("Of 1 figures"));
    EXPECT_THAT(c.output, HasSubstr("file://" + page));
    expect_refused("report " + results + " --report /nowhere/at/all.html",
                   {"/nowhere/at/all.html"});
    EXPECT_THAT(lab("report " + results).output, HasSubstr("Of 1 figures")) << "without a page";
    expect_refused("report " + results + " --picture " + page, {"no maps"});
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
    EXPECT_EQ(data_in(html)["results"][0]["workload"], "scene/quadtree");
    EXPECT_EQ(data_in(html)["results"][0]["parameters"]["levels"], 3);
    EXPECT_THAT(html, HasSubstr("</html>"));
}

TEST(lab_drift, tells_what_became_better_and_whether_the_machine_is_the_same) {
    const nlohmann::json before = example();
    nlohmann::json after = before;
    const auto now = [&](std::size_t i, double median) {
        after["results"][i]["median"] = median;
        after["results"][i]["min"] = median - 1;
        after["results"][i]["max"] = median + 1;
    };
    now(0, 5);
    now(4, 90);
    now(1, 44);
    const std::string told = drift_of(before, after);
    EXPECT_THAT(told, HasSubstr("Of 2 figures of Arenite 1 became better, 1 worse; 0 are within"));
    EXPECT_THAT(told, HasSubstr("0.50x"));
    EXPECT_THAT(told, HasSubstr("3.00x"));
    EXPECT_THAT(told, HasSubstr("the median of 4 is 1.00x"));
    EXPECT_THAT(drift_of(before, before), HasSubstr("0 became better, 0 worse; 2 are within"));
    for (nlohmann::json& r : after["results"])
        r["metric"] = "another";
    EXPECT_THROW(static_cast<void>(drift_of(before, after)), bad_request);
    const scratch_directory scratch;
    const std::string file = (scratch / "results.json").string();
    std::ofstream{file} << before.dump();
    EXPECT_THAT(lab("compare " + file + " " + file).output, HasSubstr("0 worse"));
    expect_refused("compare " + file + " /nowhere.json", {"/nowhere.json"});
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
