// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "program.hpp"

#include <algorithm>
#include <analysis/advise.hpp>
#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <report/advice_json.hpp>
#include <trace/writer.hpp>
#include <unistd.h>

// Programs are recorded, and what replays of them count decides; each is a mode of
// programs/advised.cpp.
namespace arenite::advisor {
namespace {

using replay::outcome;

std::string temporary(const std::string& end) {
    return std::filesystem::temp_directory_path() /
           ("arenite-advised-test-" + std::to_string(::getpid()) + end);
}

/// Costs of a replay by its counts, so that each run of a test says the same: a call of malloc or
/// free is 20 ns, by heaps less; a byte that is copied is a tenth.
double counted_ns(const outcome& o, const replay_subject& s, double births) {
    if (s.groups[0] == replay::strategy::nothing)
        return 0;
    constexpr std::array of_heap{20.0, 14.0, 10.0, 6.0, 5.0, 20.0, 0.0}; // by strategy
    const double moved = s.groups.size() > 1 ? of_heap[static_cast<std::size_t>(s.groups[1])] : 20;
    return 2 * (births - o.planned) * 20 + 2 * o.planned * moved + o.copied_bytes * 0.1;
}

/// Replays once, and counts.
std::vector<replayed> replay_and_count(const prepared_trace& trace,
                                       const std::vector<replay_subject>& subjects, unsigned,
                                       const std::function<void()>& told) {
    std::vector<replayed> results = replay_in_turns(trace, subjects, 1, told);
    for (std::size_t i = 0; i < results.size(); ++i)
        for (outcome& o : results[i].turns) {
            o.ns = counted_ns(o, subjects[i], double(trace.head().events) / 2);
            o.peak_bytes = 1e6;
            o.walk_ns = o.burst_ns = 0;
        }
    return results;
}
/// `cpu_ns` is what the program takes, copies and all.
advise_options counting(double cpu_ns = 20e6) {
    advise_options how;
    how.turns = 1;
    how.native_cpu_ns = cpu_ns;
    how.replay = replay_and_count;
    return how;
}

/// A program of programs/advised.cpp that was recorded, until the end of the test.
class recorded_program {
public:
    explicit recorded_program(const std::string& mode)
        : path_{temporary("." + mode + std::to_string(++made_))} {
        const finished r =
            shell("$A record --accesses off -o " + path_ + " -- " ARENITE_ADVISED " " + mode);
        EXPECT_EQ(r.code, 0) << r.text;
    }
    ~recorded_program() { std::filesystem::remove(path_); }
    recorded_program(const recorded_program&) = delete;
    recorded_program& operator=(const recorded_program&) = delete;

    [[nodiscard]] const std::string& path() const noexcept { return path_; }

private:
    static inline int made_ = 0; ///< so that each has a file of its own
    std::string path_;
};

struct deserved {
    const char* mode;
    const char* remedy; ///< "": none
    const char* site;   ///< a part of the name of the first
};
void PrintTo(const deserved& d, std::ostream* to) { *to << d.mode; }

class advised_program : public testing::TestWithParam<deserved> {};

TEST_P(advised_program, gets_the_advice_that_it_deserves_and_no_other) {
    const deserved& wanted = GetParam();
    const recorded_program program{wanted.mode};
    // Two of them copy so much that malloc would else take more time than there is.
    const bool copies = std::string_view{wanted.remedy} == "grow_by_doubling";
    const advice_report r = advise_on(program.path(), counting(copies ? 1e9 : 20e6));
    std::string all;
    for (const advice& a : r.advised)
        all += title_of(a.proposed, r.sites) + "\n";
    if (*wanted.remedy == 0) {
        EXPECT_EQ(all, "");
        EXPECT_EQ(r.first_line, "nothing here is worth your time");
        return;
    }
    ASSERT_EQ(r.advised.size(), 1u) << all;
    const candidate& got = r.advised[0].proposed;
#if defined(__clang__) // its debugging information does not lead out of every inlined function
    const bool is_pool = got.how() == replay::strategy::pools &&
                         std::string_view{wanted.remedy} == word_of(remedy::pooled_container);
    EXPECT_TRUE(is_pool || word_of(got.what) == wanted.remedy) << all;
#else
    EXPECT_EQ(word_of(got.what), wanted.remedy) << all;
#endif
    const site& first = r.sites[got.sites[0]];
    EXPECT_NE(first.label().find(wanted.site), std::string::npos) << all;
    EXPECT_TRUE(r.first_line.starts_with("worth it: ")) << r.first_line;
    EXPECT_FALSE(code_of(got, r.sites).empty());
}

INSTANTIATE_TEST_SUITE_P(
    advised, advised_program,
    testing::Values(deserved{"grows", "grow_by_doubling", "buffer::grow"},
                    deserved{"appends", "grow_by_doubling", "lengthen"},
                    deserved{"temporaries", "scratch", "format_label"},
                    deserved{"documents", "linear", "parse_value"},
                    deserved{"frames", "frame", "draw_command"},
                    deserved{"particles", "pool", "emit"}, deserved{"scene", "ordered", "spawn"},
                    deserved{"indexes", "pooled_container", "put"},
                    deserved{"tasks", "pooled_container", "queue_up"},
                    deserved{"wrapped", "pool", "make_wheel (through my_alloc)"},
                    deserved{"messages", "", ""}, deserved{"doubles", "", ""},
                    deserved{"calculates", "", ""}),
    [](const auto& which) { return std::string{which.param.mode}; });

TEST(advised, writes_what_it_prints_as_json_and_as_a_page) {
    const std::string json = temporary(".json"), page = temporary(".html");
    const finished r = shell("$A advise --turns 1 --json " + json + " --report " + page +
                             " -- " ARENITE_ADVISED " grows");
    ASSERT_EQ(r.code, 0) << r.text;
    const auto told = nlohmann::json::parse(std::ifstream{json});
    EXPECT_EQ(told["schema"], 1);
    EXPECT_NE(r.text.find("\n" + told["verdict"].get<std::string>() + "\n"), std::string::npos)
        << r.text;
    EXPECT_EQ(told["replayed_share"], 1);
    EXPECT_EQ(told["marks"], 0);
    EXPECT_TRUE(told["advice"][0]["sites"][0]["died_in_frame"].is_null()); // there is no frame
    EXPECT_TRUE(told["advice"][0]["difference"]["spread_ns"].is_null());   // of one turn
    EXPECT_EQ(r.text.find("turns differ by"), std::string::npos) << r.text;
    EXPECT_NE(r.text.find("one turn: no spread known"), std::string::npos) << r.text;
    std::ifstream in{page};
    const std::string html{std::istreambuf_iterator<char>{in}, {}};
    EXPECT_NE(html.find("grow_by_doubling"), std::string::npos);
    EXPECT_NE(html.find("one turn: no spread known"), std::string::npos);
    EXPECT_EQ(html.find("src=\"http"), std::string::npos); // it needs nothing else
    for (const char* data : {"\"walked\":[", "\"matrix\":[", "\"before\":[", "\"after\":["})
        EXPECT_NE(html.find(data), std::string::npos) << data;
    std::filesystem::remove(json);
    std::filesystem::remove(page);
}

TEST(advised, tries_the_advice_of_one_recording_on_another) {
    const recorded_program trained{"grows"}, same{"grows"}, other{"calculates"};
    ASSERT_NE(trained.path(), same.path());
    advice_report r = advise_on(trained.path(), counting());
    ASSERT_EQ(r.advised.size(), 1u);
    test_on(r, same.path(), counting());
    ASSERT_TRUE(r.advised[0].tested.has_value());
    EXPECT_EQ(r.advised[0].tested->sites_found, r.advised[0].proposed.sites.size());
    // Counted: all copies of 2,000 steps of 1 KB are gone.
    EXPECT_GT(r.advised[0].tested->difference.saved_ns, 0.1 * 1024 * 2000 * 1999 / 2 * 0.9);
    test_on(r, other.path(), counting());
    EXPECT_EQ(r.advised[0].tested->sites_found, 0u);
    EXPECT_EQ(r.advised[0].tested->difference.saved_ns, 0);
    const finished told = shell("$A advise --turns 1 --test " + same.path() + " " + trained.path());
    EXPECT_EQ(told.code, 0) << told.text;
    EXPECT_EQ(shell("$A advise --test /nowhere " + trained.path()).code, 2);
}

TEST(advised, judges_the_beginning_of_a_long_trace_by_its_share_of_the_time) {
    const recorded_program program{"temporaries"};
    const auto from = trace::open(program.path());
    const prepared_trace part{*from, 1000};
    EXPECT_FALSE(part.is_whole());
    EXPECT_EQ(part.head().events, 1000u);
    const auto results = replay_in_turns(part, {replay_subject{}}, 1);
    EXPECT_EQ(results[0].turns[0].live_checks, double(replay::points));
    const auto again = trace::open(program.path());
    EXPECT_TRUE(prepared_trace{*again}.is_whole());
}

TEST(advised, says_first_that_nothing_is_worth_it) {
    const finished r = shell("$A advise --turns 3 -- " ARENITE_ADVISED " calculates");
    EXPECT_EQ(r.code, 0);
    // The program wrote to the same place before.
    EXPECT_NE(r.text.find("\narenite advise:\nnothing here is worth your time\n"),
              std::string::npos)
        << r.text;
}

TEST(advised, gives_every_run_of_the_program_the_same_input) {
    const std::string seen = temporary(".seen"), file = temporary(".in");
    const std::string program = " -- sh -c 'wc -c >> " + seen + "; exit 3'";
    const auto every_line_is = [&](const std::string& line) {
        std::ifstream in{seen};
        int lines = 0;
        for (std::string word; in >> word; ++lines)
            EXPECT_EQ(word, line);
        EXPECT_EQ(lines, 4); // three times as it is, and while it was recorded
        std::filesystem::remove(seen);
    };
    const finished piped = shell("printf 12345 | $A advise --turns 1" + program);
    every_line_is("5");
    EXPECT_NE(piped.text.find("the recorded run did not end with 0: exit 3"), std::string::npos)
        << piped.text;
    std::ofstream{file} << "1\n2345";
    (void)shell("(read line; $A advise --turns 1" + program + ") < " + file);
    every_line_is("4"); // from where it stood
    std::filesystem::remove(file);
}

TEST(advised, refuses_bad_input) {
    EXPECT_EQ(shell("$A advise").code, 2);
    EXPECT_EQ(shell("$A advise a-trace -- /bin/true").code, 2);
    EXPECT_EQ(shell("$A advise /nowhere").code, 2);
    EXPECT_EQ(shell("$A advise --turns 0 -- /bin/true").code, 2);
    EXPECT_EQ(shell("$A advise --json /nowhere/x --turns 1 -- " ARENITE_ADVISED " calculates").code,
              2);
}

TEST(first_line, gives_no_verdict_on_what_cannot_be) {
    advice_report r;
    r.costs.cpu_ns = 1e9;
    r.malloc_ns = 74e9;
    const auto says = [&](const char* words) {
        EXPECT_NE(first_line_of(r).find(words), std::string::npos) << first_line_of(r);
    };
    says("no verdict: in replays malloc and free take 7400 % of the CPU time");
    r.malloc_ns = 0.9e9;
    r.mallocs.push_back({"quick", {.saved_ns = 1.2e9}, worth::time});
    says("no verdict: replays save 120 % of the CPU time");
    r.mallocs[0].difference.saved_ns = 0.5e9;
    says("quick");
    r.malloc_ns = -0.1e9;
    says("no verdict: in replays malloc and free take -10 %");
    r.mallocs.clear(); // nothing is worth it, and so little that it is lost among what turns differ
    says("nothing here is worth your time");
}

TEST(first_line, gives_no_verdict_where_noise_hides_a_gain) {
    advice_report r;
    r.costs.cpu_ns = 1e9;
    r.mallocs.push_back({"quick", {.saved_ns = 0.1e9, .spread_ns = 0.26e9}});
    EXPECT_NE(first_line_of(r).find("no verdict: replays differ by 26 % of the CPU time, more than "
                                    "a change might save"),
              std::string::npos)
        << first_line_of(r);
    for (const difference_made& d : {difference_made{.saved_ns = 0.01e9, .spread_ns = 0.26e9},
                                     difference_made{.saved_ns = 0.03e9, .spread_ns = 0.04e9}}) {
        r.mallocs[0].difference = d;
        EXPECT_EQ(first_line_of(r), "nothing here is worth your time");
    }
}

TEST(first_line, names_a_malloc_that_may_save_as_much_as_the_advice) {
    advice_report r;
    r.costs.cpu_ns = 1e9;
    r.advised.resize(1);
    r.advised[0].proposed.what = remedy::pool;
    r.advised[0].difference = r.all_advised = {.saved_ns = 0.16e9, .spread_ns = 0.01e9};
    r.advised[0].is_worth = worth::time;
    r.mallocs.push_back({"quick", {.saved_ns = 0.18e9, .spread_ns = 0.2e9}});
    EXPECT_EQ(first_line_of(r), "worth it: 16 % (15 to 17) of the CPU time; to preload quick may "
                                "save as much without a change, but replays differ by more: 18 % "
                                "(-2 to 38)");
    r.mallocs[0].difference.saved_ns = 0.1e9;
    EXPECT_EQ(first_line_of(r), "worth it: 16 % (15 to 17) of the CPU time");
}

TEST(first_line, tells_a_range_whose_ends_are_in_order) {
    const program_costs costs{.cpu_ns = 1e9};
    const difference_made d{.saved_ns = 1.5e9, .spread_ns = 0.1e9};
    EXPECT_EQ(saved_text(d, costs), "100 % (100 to 100)");
}

TEST(advised, says_where_call_sites_have_another_advice) {
    advice_report r;
    r.advised.resize(2);
    r.advised[0].proposed.sites = {5};
    r.advised[1].proposed.sites = {1, 2, 3};
    advice left;
    const auto says = [&](std::vector<std::size_t> sites) {
        left.proposed.sites = std::move(sites);
        return overlap_text(r, left);
    };
    EXPECT_EQ(says({3, 1}), "part of advice 2");
    EXPECT_EQ(says({3, 4}), "it shares call sites with advice 2");
    EXPECT_EQ(says({4}), "");
}

TEST(advised, is_in_the_order_of_what_it_saves) {
    const auto advice_of = [](remedy what, double saved_ns) {
        advice a;
        a.proposed.what = what;
        a.difference.saved_ns = saved_ns;
        a.is_worth = worth::time;
        return a;
    };
    const program_costs known{.cpu_ns = 1e9}, unknown;
    const advice grows = advice_of(remedy::grow_by_doubling, 32e6);
    const advice more = advice_of(remedy::ordered, 373e6), as_much = advice_of(remedy::pool, 32e6);
    EXPECT_TRUE(comes_before(more, grows, known));
    EXPECT_FALSE(comes_before(grows, more, known));
    EXPECT_TRUE(comes_before(grows, as_much, known)); // it needs no allocator
    EXPECT_FALSE(comes_before(as_much, grows, known));
    EXPECT_TRUE(comes_before(grows, more, unknown));
    advice guess = advice_of(remedy::ordered, 400e6);
    guess.is_worth = worth::walks; // without bursts
    EXPECT_TRUE(comes_before(grows, guess, known));
}

/// A trace of some allocations whose words are these.
std::string trace_that_says(const std::map<std::string, std::string>& words) {
    const std::string path = temporary(".words");
    trace::writer to{path};
    for (std::uint64_t i = 1; i <= 100; ++i)
        to.put({.address = i * 64, .bytes = 48, .stack = 0});
    to.flush();
    to.put_about(words);
    return path;
}

TEST(advised, shares_are_of_the_time_without_what_recording_took) {
    std::map<std::string, std::string> words{
        {"cpu_ms", "100"}, {"bursts_ms", "10"}, {"end", "exit 0"}};
    const advise_options by_recording = counting(0);
    const advice_report before = advise_on(trace_that_says(words), by_recording);
    EXPECT_EQ(before.costs.cpu_ns, 100e6); // a trace of before, with too few samples to tell
    words["recorder_us"] = "60000";
    const std::string path = trace_that_says(words);
    const advice_report now = advise_on(path, by_recording);
    EXPECT_EQ(now.costs.cpu_ns, 30e6);
    for (const advice_report* r : {&before, &now})
        EXPECT_NE(r->first_line.find("; the recording slowed the program, so true shares are "
                                     "larger as a rule: `arenite advise -- program` tells them"),
                  std::string::npos)
            << r->first_line;
    EXPECT_EQ(advise_on(path, counting()).first_line, "nothing here is worth your time");
    std::filesystem::remove(path);
}

TEST(first_line, comes_with_a_line_that_runs_the_program_with_the_malloc_it_names) {
    advice_report r;
    r.costs.cpu_ns = 1e9;
    r.program = "scene";
    EXPECT_EQ(preload_line_of(r, {}), "");
    r.mallocs.push_back({"quick", {.saved_ns = 1e8}, worth::time, "/usr/lib/libquick.so"});
    EXPECT_EQ(preload_line_of(r, {}), "LD_PRELOAD=/usr/lib/libquick.so scene");
    EXPECT_EQ(preload_line_of(r, {"./scene", "it's", "3"}),
              "LD_PRELOAD=/usr/lib/libquick.so ./scene 'it'\\''s' 3");
    r.mallocs[0].is_worth = worth::nothing;
    EXPECT_EQ(preload_line_of(r, {}), "");
}

// By chance the sum of advice may seem to save time where each by itself is worth nothing.
TEST(first_line, names_another_malloc_where_nothing_is_advised) {
    advice_report r;
    r.costs.cpu_ns = 1e9;
    r.mallocs.push_back({"quick", {.saved_ns = 1e8}, worth::time});
    r.all_advised.saved_ns = 9e8;
    EXPECT_NE(first_line_of(r).find("quick"), std::string::npos) << first_line_of(r);
    r.mallocs.clear();
    EXPECT_EQ(first_line_of(r), "nothing here is worth your time");
}

} // namespace
} // namespace arenite::advisor
