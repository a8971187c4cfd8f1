// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "program.hpp"

#include "workload.hpp"
#include "workloads/trace/recording.hpp"

#include <arenite/compose/recording_resource.hpp>
#include <arenite/core/system_resource.hpp>

#include <array>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <vector>

using namespace arenite::lab;
using kind = trace_event::kind;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

enum op : std::uint8_t {
    op_malloc = 1,
    op_calloc,
    op_moved,
    op_realloc,
    op_memalign,
    op_free,
    op_new
};

struct file_event {
    std::uint32_t slot, bytes;
    std::uint16_t site;
    std::uint8_t op, log2_alignment;
    std::uint32_t thread;
};

class lab_trace : public testing::Test {
protected:
    /// A file as a recorder writes it.
    std::string file(const std::vector<file_event>& events, std::uint64_t slots) {
        std::string text(64, '\0');
        const std::array<std::uint64_t, 2> head{events.size(), slots};
        std::memcpy(text.data(), head.data(), sizeof head);
        text.append(reinterpret_cast<const char*>(events.data()), events.size() * 16);
        return file_of(text);
    }
    std::string file_of(const std::string& bytes) {
        const std::string path = (scratch_ / "x.ev").string();
        std::ofstream{path, std::ios::binary} << bytes;
        return path;
    }
    /// The message instead of reading this.
    static std::string refusal(const std::string& path) {
        try {
            static_cast<void>(recording{path});
        } catch (const cannot_run& e) {
            return e.what();
        }
        return "it was read";
    }

    scratch_directory scratch_;
};

TEST_F(lab_trace, reads_what_a_recording_resource_writes) {
    const std::string path = file_of("");
    {
        arenite::recording_resource<arenite::malloc_resource> r{path.c_str()};
        void* const a = r.allocate(24, 8);
        void* const b = r.allocate(100, 64);
        r.mark(); // which no subject sees
        r.deallocate(a, 24, 8);
        r.deallocate(b, 100, 64);
        static_cast<void>(r.allocate(0, 1)); // lives at the end
    }
    const recording told{path};
    std::vector<std::array<std::uint32_t, 3>> events;
    for (const trace_event& e : told.events())
        events.push_back({e.slot, e.bytes, 1U << e.log2_alignment});
    EXPECT_THAT(events, ElementsAre(std::array{0U, 24U, 8U}, std::array{1U, 100U, 64U},
                                    std::array{0U, 24U, 8U}, std::array{1U, 100U, 64U},
                                    std::array{0U, 1U, 1U}, std::array{0U, 1U, 1U}));
    EXPECT_EQ(told.peak_live_bytes(), 124U);
}

TEST_F(lab_trace, knows_of_each_event_what_a_sized_free_asks) {
    const recording r{file({{0, 24, 1, op_malloc, 0, 0},
                            {1, 32, 1, op_new, 0, 1},
                            {2, 100, 1, op_memalign, 6, 0},
                            {0, 4096, 1, op_realloc, 0, 0},
                            {0, 0, 1, op_free, 0, 1},
                            {0, 7, 1, op_calloc, 0, 0},
                            {1, 0, 1, op_moved, 0, 0}},
                           3)};
    std::vector<std::array<std::uint32_t, 4>> told;
    std::vector<kind> what;
    for (const trace_event& e : r.events()) {
        told.push_back({e.slot, e.bytes, e.old_bytes, 1U << e.log2_alignment});
        what.push_back(e.what);
    }
    using event = std::array<std::uint32_t, 4>;
    EXPECT_THAT(told, ElementsAre(event{0, 24, 0, 8}, event{1, 32, 0, 16}, event{2, 100, 0, 64},
                                  event{0, 4096, 24, 8}, // stays as it was aligned
                                  event{0, 4096, 4096, 8}, event{0, 7, 0, 1}, event{1, 32, 32, 16},
                                  event{0, 7, 7, 1}, event{2, 100, 100, 64})); // freed at the end
    EXPECT_THAT(what,
                ElementsAre(kind::allocate, kind::allocate, kind::allocate, kind::resize,
                            kind::free, kind::allocate_zeroed, kind::free, kind::free, kind::free));
    EXPECT_EQ(r.peak_live_bytes(), 32U + 100 + 4096);
    EXPECT_EQ(r.largest_bytes(), 4096U);
}

TEST_F(lab_trace, lists_what_lives_in_order_of_birth) {
    // 9 events before the frees at the end: the points are after 1, 2 ... 8 of them, or about.
    const recording r{file({{3, 8, 0, op_malloc, 0, 0},
                            {1, 8, 0, op_malloc, 0, 0},
                            {2, 8, 0, op_malloc, 0, 0},
                            {3, 0, 0, op_free, 0, 0},
                            {3, 8, 0, op_malloc, 0, 0},
                            {1, 80, 0, op_realloc, 0, 0},
                            {2, 0, 0, op_free, 0, 0},
                            {0, 8, 0, op_malloc, 0, 0},
                            {1, 0, 0, op_free, 0, 0},
                            {0, 0, 0, op_free, 0, 0},
                            {3, 0, 0, op_free, 0, 0}},
                           4)};
    const births b{r};
    const auto live_after = [&](std::size_t events) {
        for (std::size_t i = 0; i < births::points; ++i)
            if (b.events_before(i) == events)
                return std::vector<std::uint32_t>{b.live_at(i).begin(), b.live_at(i).end()};
        return std::vector<std::uint32_t>{99};
    };
    EXPECT_THAT(live_after(3), ElementsAre(3, 1, 2));
    EXPECT_THAT(live_after(6), ElementsAre(1, 2, 3)) << "3 was born again, 1 only resized";
    EXPECT_THAT(live_after(8), ElementsAre(1, 3, 0));
    EXPECT_EQ(b.most_live(), 3U);
}

TEST_F(lab_trace, reads_what_the_head_counts_of_a_program_that_was_killed) {
    const std::string path = file({{0, 8, 0, op_malloc, 0, 0}}, 1);
    std::filesystem::resize_file(path, 80 + 4096 * 16);
    EXPECT_EQ(recording{path}.events().size(), 2U); // and its free
    std::filesystem::resize_file(path, 81 + 4096 * 16);
    EXPECT_THAT(refusal(path), HasSubstr("are not what 1 events take"));
}

TEST_F(lab_trace, refuses_what_is_no_recording) {
    EXPECT_THAT(refusal("/nowhere/x.ev"), HasSubstr("/nowhere/x.ev cannot be read: No such file"));
    EXPECT_THAT(refusal("/tmp"), HasSubstr("is no file"));
    EXPECT_THAT(refusal(file_of("")), HasSubstr("shorter than the head"));
    EXPECT_THAT(refusal(file_of(std::string(64, '\0'))), HasSubstr("a recording of nothing"));
    EXPECT_THAT(refusal(file_of(std::string(80, '\xff'))), HasSubstr("is no recording: 80 bytes"));
    const std::string path = file({{0, 8, 0, op_malloc, 0, 0}, {0, 0, 0, op_free, 0, 0}}, 1);
    std::filesystem::resize_file(path, 95);
    EXPECT_THAT(refusal(path), HasSubstr("95 bytes are not what 2 events take"));
}

TEST_F(lab_trace, refuses_events_that_cannot_be) {
    const file_event born{0, 8, 0, op_malloc, 0, 0};
    EXPECT_THAT(refusal(file({born, {1, 8, 0, op_malloc, 0, 0}}, 1)),
                HasSubstr("event 1 names slot 1 of 1"));
    EXPECT_THAT(refusal(file({born, born}, 1)), HasSubstr("event 1 finds a live object in slot 0"));
    EXPECT_THAT(refusal(file({{0, 0, 0, op_free, 0, 0}}, 1)), HasSubstr("finds nothing in slot 0"));
    EXPECT_THAT(refusal(file({{0, 8, 0, op_realloc, 0, 0}}, 1)), HasSubstr("finds nothing"));
    EXPECT_THAT(refusal(file({{0, 8, 0, 12, 0, 0}}, 1)), HasSubstr("of the unknown kind 12"));
    EXPECT_THAT(refusal(file({{0, 1, 0, 11, 0, 0}}, 1)), HasSubstr("a recording of nothing"));
    EXPECT_THAT(refusal(file({{0, 8, 0, op_memalign, 63, 0}}, 1)), HasSubstr("2^63"));
    EXPECT_THAT(refusal(file({{0, 8, 0, op_malloc, 0, 0}}, 2)), HasSubstr("is no recording"));
}

TEST_F(lab_trace, replays_a_file_with_each_kind_of_subject) {
    std::vector<file_event> events;
    for (std::uint32_t i = 0; i < 200; ++i)
        events.push_back({i, 1 + i * i % 5000, 0, i % 7 == 0 ? op_calloc : op_malloc, 0, 0});
    for (std::uint32_t i = 0; i < 200; i += 2)
        events.push_back({i, 1 + i * 37 % 9000, 0, op_realloc, 0, 0});
    for (std::uint32_t i = 0; i < 200; i += 3)
        events.push_back({i, 0, 0, op_free, 0, 0});
    const std::string json = (scratch_ / "results.json").string();
    const called c = lab("run trace/replay --repeat 1 --set file=" + file(events, 200) +
                         " --subject arenite.ordered --subject arenite.ordered.kept "
                         "--subject arenite.affinity --subject std --subject malloc --json " +
                         json);
    ASSERT_EQ(c.code, 0) << c.errors << c.output; // 1 where they do not come to the same
    std::size_t subjects_with_all = 0;
    const nlohmann::json results = nlohmann::json::parse(contents_of(json)).at("results");
    for (const char* metric : {"replay", "walk", "page_faults", "resident_after", "resident_later"})
        for (const auto& r : results)
            subjects_with_all += r.at("metric") == metric && r.at("state") == "cold";
    EXPECT_EQ(subjects_with_all, 5U * 5U);
}

TEST_F(lab_trace, is_replayed_by_a_command_of_its_own_with_a_verdict) {
    std::vector<file_event> events;
    for (std::uint32_t i = 0; i < 500; ++i)
        events.push_back({i, 16 + i % 200, 1, op_malloc, 0, 1});
    for (std::uint32_t i = 0; i < 500; ++i)
        events.push_back({i, 0, 1, op_free, 0, 1});
    const std::string path = file(events, 500);
    const std::string page = (scratch_ / "page.html").string();
    const called c = lab("replay " + path + " --repeat 1 --report " + page);
    EXPECT_EQ(c.code, 0) << c.errors;
    EXPECT_THAT(c.output, HasSubstr("replay, cold")) << "the table is small enough to be seen";
    EXPECT_THAT(c.output, HasSubstr("each beside the best of all peers"));
    EXPECT_THAT(c.output, HasSubstr("The best peer, how often: "));
    EXPECT_THAT(c.output, HasSubstr("file://" + page));
    EXPECT_THAT(c.errors, HasSubstr("1/1 trace/replay")) << "a line a turn where no terminal is";
    EXPECT_EQ(lab("replay /nowhere.ev").code, 2);
}

TEST_F(lab_trace, tells_in_the_parent_what_cannot_be_replayed) {
    const called c = lab("run trace/replay --set file=" + file_of("not one"));
    EXPECT_EQ(c.code, 2);
    EXPECT_THAT(c.errors, HasSubstr("is no recording"));
    EXPECT_EQ(c.output, "");
}

TEST(lab_trace_importer, is_the_same_each_time_and_does_what_importers_do) {
    const recording first{recording::importer}, second{recording::importer};
    ASSERT_EQ(first.events().size(), second.events().size());
    std::size_t allocations = 0, resizes = 0, gone_at_once = 0, frees = 0;
    std::vector<std::size_t> born(first.slots());
    for (std::size_t i = 0; i < first.events().size(); ++i) {
        const trace_event& e = first.events()[i];
        ASSERT_EQ(e.bytes, second.events()[i].bytes);
        ASSERT_EQ(e.slot, second.events()[i].slot);
        allocations += e.what == kind::allocate;
        resizes += e.what == kind::resize;
        frees += e.what == kind::free;
        if (e.what == kind::allocate)
            born[e.slot] = i;
        else if (e.what == kind::free)
            gone_at_once += i - born[e.slot] < 8;
    }
    EXPECT_EQ(allocations, frees);
    EXPECT_GT(allocations, 100'000U);
    EXPECT_GT(resizes, 30U);
    EXPECT_GT(gone_at_once, allocations / 3);
    EXPECT_GT(first.peak_live_bytes(), std::size_t{4} << 20);
}

TEST(lab_programs, run_where_their_libraries_are_installed) {
    const std::string subjects = " --subject malloc --subject arenite.affinity --repeat 1 --warm 1";
    const std::string listed = lab("list").output;
    std::size_t ran = 0;
    for (const std::string program : {"programs/lua", "programs/sqlite"}) {
        if (listed.find(program) == std::string::npos)
            continue; // CMake says that it is left out
        ++ran;
        const called c = lab("run " + program + " --set rounds=1" + subjects);
        EXPECT_EQ(c.code, 0) << c.errors << c.output;
        EXPECT_THAT(c.output, HasSubstr("close, warm"));
    }
    if (ran == 0)
        GTEST_SKIP() << "neither Lua nor SQLite is installed";
}

} // namespace
