// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "program.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <replay/runs.hpp>
#include <trace/reader.hpp>
#include <trace/writer.hpp>
#include <unistd.h>

// Ends of frames that the program tells, from its call until what is made of them.
namespace arenite::advisor {
namespace {

using replay::outcome;
using replay::strategy;
using trace::event;
using trace::op;

constexpr std::uint64_t frames = 20; // of programs/marked.cpp

std::string temporary(const std::string& end) {
    return std::filesystem::temp_directory_path() /
           ("arenite-marks-test-" + std::to_string(::getpid()) + end);
}

std::vector<event> events_of(const std::string& file) {
    std::vector<event> all;
    const auto from = trace::open(file);
    for (auto part = from->next(); !part.empty(); part = from->next())
        all.insert(all.end(), part.begin(), part.end());
    return all;
}

std::vector<event> recorded(const std::string& mode) {
    const std::string file = temporary(".trace");
    const finished r =
        shell("$A record --accesses off -o " + file + " -- " ARENITE_MARKED " " + mode);
    EXPECT_EQ(r.code, 0) << r.text;
    std::vector<event> all = events_of(file);
    std::filesystem::remove(file);
    return all;
}

/// The marks are numbered from 1, and frame n's allocation lies between marks n and n + 1.
void expect_frames(const std::vector<event>& events) {
    std::uint64_t marks = 0, found = 0, time = 0;
    for (const event& e : events) {
        EXPECT_GE(e.time, time);
        time = e.time;
        if (e.what == op::mark) {
            EXPECT_EQ(e.address, ++marks);
        } else if (is_allocation(e.what) && e.bytes >= 40000 && e.bytes < 40000 + frames) {
            EXPECT_EQ(e.bytes, 40000 + marks);
            ++found;
        }
    }
    EXPECT_EQ(marks, frames);
    EXPECT_EQ(found, frames);
}

TEST(marks, of_the_program_are_in_the_trace_of_the_recorder) { expect_frames(recorded("")); }

TEST(marks, are_found_by_the_name_of_the_function_alone) { expect_frames(recorded("by_name")); }

TEST(marks, of_all_threads_are_numbered_in_the_order_of_the_trace) {
    std::uint64_t marks = 0;
    std::vector<std::uint64_t> by_thread(64, 0);
    for (const event& e : recorded("threads"))
        if (e.what == op::mark) {
            EXPECT_EQ(e.address, ++marks);
            ++by_thread[e.thread % 64];
        }
    EXPECT_EQ(marks, 4 * frames);
    EXPECT_EQ(std::count(by_thread.begin(), by_thread.end(), frames), 4);
}

TEST(marks, go_to_recorder_and_recording_resource_at_once) {
    const std::string file = temporary(".ev");
    expect_frames(recorded("recorded " + file));
    expect_frames(events_of(file));
    std::filesystem::remove(file);
}

TEST(marks, are_nothing_where_nothing_records) {
    EXPECT_EQ(shell(ARENITE_MARKED).code, 0);
    EXPECT_EQ(shell(ARENITE_MARKED " by_name").code, 0);
}

TEST(marks, are_shown_exported_and_named_in_replays) {
    const std::string file = temporary(".trace");
    ASSERT_EQ(shell("$A record --accesses off -o " + file + " -- " ARENITE_MARKED).code, 0);
    const finished shown = shell("$A show " + file);
    EXPECT_NE(shown.text.find("\n20 marks of the program; "), std::string::npos) << shown.text;
    EXPECT_NE(shown.text.find("frame: before the mark after their birth"), std::string::npos);
    const finished replayed = shell("$A replay --turns 1 --what-if all=frame " + file);
    EXPECT_EQ(replayed.code, 0);
    EXPECT_NE(replayed.text.find(", 20 of them marks, "), std::string::npos) << replayed.text;
    EXPECT_NE(replayed.text.find("at eight marks"), std::string::npos) << replayed.text;
    const std::string exported = temporary(".json");
    const finished r = shell("$A export --perfetto -o " + exported + " " + file +
                             " && grep -c '\"mark ' " + exported);
    EXPECT_NE(r.text.find("\n20\n"), std::string::npos) << r.text;
    const std::string page = temporary(".html");
    ASSERT_EQ(shell("$A advise --turns 1 --report " + page + " --json " + exported + " " + file +
                    " > /dev/null")
                  .code,
              0);
    EXPECT_EQ(shell("grep -q '\"mark_count\":20,' " + page).code, 0);
    const auto told = nlohmann::json::parse(std::ifstream{exported});
    EXPECT_EQ(told["marks"], 20);
    std::size_t sites = 0;
    for (const char* list : {"advice", "leave_alone"})
        for (const auto& advice : told[list])
            for (const auto& site : advice["sites"]) {
                EXPECT_TRUE(site["died_in_frame"].is_number());
                ++sites;
            }
    EXPECT_GT(sites, 0u);
    std::filesystem::remove(page);
    std::filesystem::remove(exported);
    std::filesystem::remove(file);
}

TEST(marks, part_what_samples_tell_in_show_and_in_advice) {
    const std::string file = temporary(".phases"), exported = temporary(".json"),
                      page = temporary(".html");
    {
        trace::writer to{file};
        to.put_modules(std::vector<trace::module>{{"program", ""}});
        to.put_stacks(std::vector<std::vector<trace::frame>>{{{1, 100}}, {{1, 200}}});
        const auto sample = [&](std::uint64_t address) {
            trace::observation seen;
            seen.accesses.push_back({address, false});
            to.put(std::move(seen));
        };
        to.put({.address = 1 << 20, .bytes = 64, .stack = 1});
        to.put({.address = 2 << 20, .bytes = 64, .stack = 2});
        sample(1 << 20);
        to.put({.address = 1, .what = op::mark});
        sample(2 << 20);
        sample(2 << 20);
        sample(9 << 20); // in no object
        to.put({.address = 2, .what = op::mark});
        sample(1 << 20);
        to.put({.address = 1 << 20, .what = op::free});
        to.put({.address = 2 << 20, .what = op::free});
        const std::pair<trace::frame, trace::name> names[]{{{1, 100}, {"first", "", 0}},
                                                           {{1, 200}, {"second", "", 0}}};
        to.put_names(names);
    }
    const finished shown = shell("$A show " + file);
    for (const char* line : {"20.0%       100%  1               100% first",
                             "60.0%        67%  2               67% second",
                             "20.0%       100%  behind the last 100% first"})
        EXPECT_NE(shown.text.find(line), std::string::npos) << line << '\n' << shown.text;
    const finished advised =
        shell("$A advise --turns 1 --json " + exported + " --report " + page + " " + file);
    ASSERT_EQ(advised.code, 0) << advised.text;
    const auto phases = nlohmann::json::parse(std::ifstream{exported})["phases"];
    ASSERT_EQ(phases.size(), 3u);
    EXPECT_EQ(phases[0]["from_mark"], 1);
    EXPECT_EQ(phases[0]["to_mark"], 1);
    EXPECT_EQ(phases[1]["to_mark"], 2);
    EXPECT_EQ(phases[1]["samples"], 3);
    EXPECT_EQ(phases[1]["samples_in_objects"], 2);
    EXPECT_EQ(phases[1]["sites"][0]["name"], "second");
    EXPECT_EQ(phases[1]["sites"][0]["samples"], 2);
    EXPECT_EQ(phases[2]["from_mark"], 3);
    EXPECT_TRUE(phases[2]["to_mark"].is_null()); // no mark ended it
    EXPECT_EQ(phases[2]["samples"], 1);
    EXPECT_EQ(shell("grep -q '<table id=\"phases\">' " + page).code, 0);
    for (const std::string& written : {file, exported, page})
        std::filesystem::remove(written);
}

/// Frames of 100 objects each, one of which may live on for a frame, besides objects that stay.
class framed_trace {
public:
    explicit framed_trace(bool marked, bool outlives) {
        trace::writer to{path_};
        std::uint64_t mark = 0;
        for (std::uint64_t f = 0; f < frames; ++f) {
            to.put({.address = kept_at + f * 4096, .bytes = 1000, .stack = 2});
            for (std::uint64_t i = 1; i <= objects; ++i)
                to.put({.address = place(f, i), .bytes = 64, .stack = 1});
            for (std::uint64_t i = outlives ? 2 : 1; i <= objects; ++i)
                to.put({.address = place(f, i), .what = op::free});
            if (outlives && f != 0)
                to.put({.address = place(f - 1, 1), .what = op::free});
            if (marked)
                to.put({.address = ++mark, .what = op::mark});
        }
    }
    ~framed_trace() { std::filesystem::remove(path_); }
    framed_trace(const framed_trace&) = delete;
    framed_trace& operator=(const framed_trace&) = delete;

    static constexpr std::uint64_t objects = 100;

    [[nodiscard]] std::unique_ptr<prepared_trace> prepared() const {
        const auto from = trace::open(path_);
        return std::make_unique<prepared_trace>(*from);
    }
    [[nodiscard]] const std::string& path() const noexcept { return path_; }

private:
    static constexpr std::uint64_t kept_at = 1u << 30;
    static std::uint64_t place(std::uint64_t f, std::uint64_t i) {
        return (f * (objects + 1) + i) * 64;
    }
    std::string path_ = temporary(".framed");
};

outcome with_frames(const framed_trace& t) {
    replay_subject s;
    s.name = "test";
    s.groups = {strategy::malloc, strategy::frame};
    s.group_of_site = {0, 1, 0};
    return replay_in_turns(*t.prepared(), {s}, 1)[0].turns[0];
}

TEST(marks, end_the_memory_of_a_frame_in_a_replay) {
    const outcome o = with_frames(framed_trace{true, false});
    EXPECT_EQ(o.planned, double(frames * framed_trace::objects));
    EXPECT_EQ(o.held_bytes, 64.0 * framed_trace::objects); // of one frame
    EXPECT_EQ(o.live_checks, double(replay::points));
}

TEST(marks, do_not_end_the_memory_of_what_lives_on) {
    const outcome o = with_frames(framed_trace{true, true});
    EXPECT_EQ(o.held_bytes, 64.0 * framed_trace::objects * frames);
    EXPECT_EQ(o.live_checks, double(replay::points));
}

TEST(marks, are_the_points_at_which_live_bytes_are_compared) {
    const framed_trace t{true, false};
    const auto prepared = t.prepared();
    EXPECT_EQ(prepared->head().marks, frames);
    for (std::size_t i = 0; i < replay::points; ++i) {
        EXPECT_EQ(prepared->head().point_at[i] % (2 + 2 * framed_trace::objects), 0u);
        EXPECT_EQ(prepared->head().live_bytes[i] % 1000, 0u); // what stays, and nothing of a frame
    }
    const framed_trace unmarked{false, false};
    EXPECT_EQ(unmarked.prepared()->head().marks, 0u);
}

TEST(marks, are_what_a_strategy_of_frames_needs) {
    const framed_trace unmarked{false, false};
    const finished r = shell("$A replay --turns 1 --what-if all=frame " + unmarked.path());
    EXPECT_EQ(r.code, 2);
    EXPECT_NE(r.text.find("ARENITE_FRAME() does"), std::string::npos) << r.text;
}

TEST(marks, leave_a_device_that_advice_is_written_to) {
    const framed_trace t{true, false};
    const std::string device = temporary(".device");
    std::filesystem::create_symlink("/dev/full", device);
    const finished r = shell("$A advise --turns 1 --json " + device + " " + t.path());
    EXPECT_EQ(r.code, 2);
    EXPECT_NE(r.text.find(device + " cannot be written: No space left"), std::string::npos)
        << r.text;
    EXPECT_TRUE(std::filesystem::is_symlink(device));
    std::filesystem::remove(device);
}

} // namespace
} // namespace arenite::advisor
