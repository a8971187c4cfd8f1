// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "program.hpp"

#include "report/table.hpp"
#include "run/experiment.hpp"
#include "run/process.hpp"

#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace arenite::lab;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// Subjects whose runners are shell scripts: they answer as a runner would, or do not.
class lab_measure : public testing::Test {
protected:
    known_subject& subject(const std::string& name, const std::string& script) {
        const std::filesystem::path file = scratch_ / name;
        std::ofstream{file} << "#!/bin/sh\necho " << name << " >>" << (scratch_ / "log").string()
                            << "\n"
                            << script << "\n";
        std::filesystem::permissions(file, std::filesystem::perms::owner_all);
        subjects_.push_back(std::make_unique<known_subject>());
        subjects_.back()->info.name = name;
        subjects_.back()->runner = file;
        return *subjects_.back();
    }

    static std::string answer(double value, int checksum) {
        return "echo '{\"figures\":[{\"metric\":\"create\",\"unit\":\"ns\",\"state\":\"warm\","
               "\"compared\":true,\"value\":" +
               std::to_string(value) + "}],\"checksums\":[" + std::to_string(checksum) + "]}'";
    }

    outcome run(int repeats) {
        workload_.name = "test/scripts";
        workload_.ours = "arenite.ordered";
        workload_.touches = [](const parameter_values&) { return std::size_t{1} << 20; };
        experiment_ = {&workload_, {}, {}, repeats, 1};
        for (const auto& s : subjects_)
            experiment_.subjects.push_back(s.get());
        return measure(experiment_);
    }

    scratch_directory scratch_;
    workload_info workload_;
    experiment experiment_{};
    std::vector<std::unique_ptr<known_subject>> subjects_;
};

TEST_F(lab_measure, takes_turns_to_and_fro) {
    subject("a", answer(1, 7));
    subject("b", answer(2, 7));
    run(3);
    EXPECT_EQ(contents_of(scratch_ / "log"), "a\nb\nb\na\na\nb\n");
}

TEST_F(lab_measure, gives_one_value_a_turn) {
    subject("a", answer(1, 7));
    const outcome o = run(3);
    ASSERT_EQ(o.results.size(), 1U);
    EXPECT_THAT(o.results[0].values, ElementsAre(1, 1, 1));
    EXPECT_EQ(o.results[0].metric, "create");
}

TEST_F(lab_measure, finds_a_subject_that_skips_the_work) {
    subject("honest", answer(2, 7));
    subject("cheat", answer(1, 8));
    const outcome o = run(2);
    ASSERT_EQ(o.failures.size(), 1U);
    EXPECT_EQ(o.failures[0].subject, "cheat");
    EXPECT_THAT(o.failures[0].what, HasSubstr("checksum"));
    ASSERT_EQ(o.results.size(), 1U) << "a cheat has no figures";
    EXPECT_EQ(o.results[0].subject, "honest");
    EXPECT_THAT(table(experiment_, o), HasSubstr("FAILED: cheat"));
}

TEST_F(lab_measure, tells_how_a_subject_failed_and_goes_on) {
    subject("crashes", "kill -SEGV $$");
    subject("refuses", "echo 'no such luck' >&2; exit 3");
    subject("babbles", "echo hello");
    subject("cannot", "echo '{\"cannot_run\":\"too little memory\"}'");
    subject("works", answer(1, 7));
    const outcome o = run(2);
    ASSERT_EQ(o.failures.size(), 4U);
    EXPECT_THAT(o.failures[0].what, HasSubstr("signal 11"));
    EXPECT_THAT(o.failures[1].what, HasSubstr("no such luck"));
    EXPECT_THAT(o.failures[1].what, HasSubstr("exit code 3"));
    EXPECT_THAT(o.failures[2].what, HasSubstr("hello"));
    EXPECT_THAT(o.failures[3].what, HasSubstr("too little memory"));
    ASSERT_EQ(o.results.size(), 1U);
    EXPECT_EQ(o.results[0].values.size(), 2U);
}

TEST_F(lab_measure, gives_a_subject_its_environment_and_not_the_users) {
    ::setenv("MALLOC_CONF", "the user's", 1);
    subject("twin", "echo \"$MALLOC_CONF,$ARENITE_HUGE_PAGES\" >" + (scratch_ / "seen").string() +
                        "\n" + answer(1, 7))
        .info.environment = {{"ARENITE_HUGE_PAGES", "never"}};
    run(1);
    ::unsetenv("MALLOC_CONF");
    EXPECT_EQ(contents_of(scratch_ / "seen"), ",never\n");
}

TEST(lab_process, that_cannot_start_is_told) {
    const finished_process p = run_process("/nowhere/at/all", {});
    EXPECT_FALSE(p.ok);
    EXPECT_THAT(p.errors, HasSubstr("/nowhere/at/all"));
}

} // namespace
