// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "recording.hpp"

#include "../support/stepping.hpp"

#include <map>

// Recordings of programs whose signal handlers jump.
namespace arenite::advisor {
namespace {

TEST(record, goes_on_after_jumps_out_of_its_calls) {
    const recording r = record("jumps", "--accesses off");
    EXPECT_EQ(r.run.code, 0) << r.run.text;
    EXPECT_EQ(r.count(op::malloc, 54001), 1000);
    EXPECT_EQ(r.words("lost"), 0);
}

#if ARENITE_TEST_CAN_STEP
/// Programs that a signal meets at one instruction of the recorder after the other.
class record_jumps : public testing::Test {
protected:
    void SetUp() override {
        if (!support::stepping::traps())
            GTEST_SKIP() << "no trap at each instruction";
    }
    static recording record_of(const char* run) {
        recording r = record(run, "--accesses off", ARENITE_JUMPING);
        EXPECT_EQ(r.run.code, 0) << r.run.text;
        return r;
    }
    static void expect_all_was_right(const recording& r) {
        EXPECT_NE(r.run.text.find("all was right"), std::string::npos) << r.run.text;
    }
};

TEST_F(record_jumps, keep_its_rules_where_one_leaves_the_storing_of_a_rule) {
    const recording r = record_of("rules");
    ASSERT_EQ(r.run.code, 0);
    const auto names = [&](const event& e) {
        std::string all;
        for (const trace::frame& f : r.from->known().stack(e.stack))
            if (const auto n = r.from->known().names.find(f); n != r.from->known().names.end())
                all += n->second.function + ' ';
        return all.substr(0, all.find("main"));
    };
    std::map<std::uint64_t, std::map<std::string, int>> ways;
    for (const event& e : r.events)
        if (e.what == op::malloc && e.bytes >= 55000 && e.bytes <= 55003)
            ++ways[e.bytes][names(e)];
    for (const auto& [bytes, found] : ways) {
        EXPECT_EQ(found.size(), 1u)
            << bytes << ": " << found.begin()->first << "and " << found.rbegin()->first;
        EXPECT_NE(found.begin()->first.find(bytes % 3 == 1 ? "far(" : "near("), std::string::npos)
            << bytes << ": " << found.begin()->first;
    }
    EXPECT_EQ(ways.size(), 4u);
}

TEST_F(record_jumps, leave_a_note_that_nothing_waits_for) {
    expect_all_was_right(record_of("notes"));
}

TEST_F(record_jumps, go_to_another_stack) { expect_all_was_right(record_of("to_another_stack")); }

TEST_F(record_jumps, stay_within_a_handler_and_the_note_that_it_interrupts_ends) {
    const recording r = record_of("within");
    EXPECT_EQ(r.run.text.find("all was right"), 0u) << r.run.text;
    EXPECT_GT(r.words("lost"), 0); // what the handler asks for meanwhile is not noted, and counted
}
#endif

} // namespace
} // namespace arenite::advisor
