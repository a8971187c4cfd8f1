// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../support/contents_of.hpp"
#include "program.hpp"

#include <run/compare.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace arenite::advisor {
namespace {

bool has(const finished& r, const char* text) { return r.text.find(text) != std::string::npos; }

std::string scratch_file(const char* name) {
    return testing::TempDir() + "arenite_run_" + std::to_string(::getpid()) + name;
}

using support::contents_of;

TEST(arenite_run, runs_a_program_on_the_library_and_tells_what_it_took) {
    const finished r = shell("$A run -- sh -c 'grep -c libarenite-malloc /proc/self/maps; exit 3'");
    EXPECT_EQ(r.code, 3) << r.text;
    EXPECT_FALSE(r.text.starts_with("0\n")) << "it is not loaded: " << r.text;
    for (const char* line : {"ended with 3", "time ", "CPU ", "peak resident", "page faults"})
        EXPECT_TRUE(has(r, line)) << line << r.text;
}

TEST(arenite_run, passes_its_input_and_the_signal_that_killed_it_on) {
    EXPECT_TRUE(has(shell("echo 'a line' | $A run -- cat"), "a line\n"));
    const finished r = shell("$A run -- sh -c 'kill -SEGV $$'");
    EXPECT_EQ(r.code, 128 + SIGSEGV);
    EXPECT_TRUE(has(r, "killed by signal 11")) << r.text;
}

TEST(arenite_run, says_in_a_sentence_why_a_program_cannot_be_run) {
    for (const auto& [program, sentence] :
         {std::pair{"no-such-program", "was not found in PATH"},
          std::pair{ARENITE_STATIC_PROGRAM, "is statically linked"},
          std::pair{"/etc/passwd", "is no program that can be run"},
          std::pair{"", "no program is given"}}) {
        const finished r = shell("$A run -- " + std::string{program});
        EXPECT_EQ(r.code, 2) << r.text;
        EXPECT_TRUE(has(r, sentence)) << r.text;
    }
    EXPECT_TRUE(has(shell("$A run --compare --map x.svg -- true"), "--map draws one run"));
    EXPECT_TRUE(has(shell("$A run --compare-output x -- true"), "go with --compare"));
    EXPECT_TRUE(has(shell("$A run --compare --rounds 0 -- true"), "--rounds 0"));
    EXPECT_TRUE(has(shell("$A run --with a=b -- true"), "go with --compare"));
    for (const auto& [wish, sentence] :
         {std::pair{"no-file", "it is NAME=FILE"}, std::pair{"=x", "it is NAME=FILE"},
          std::pair{"other=no-such-file", "no such file"},
          std::pair{"arenite=/etc/passwd", "is compared anyway"}}) {
        const finished r = shell("$A run --compare --with " + std::string{wish} + " -- true");
        EXPECT_EQ(r.code, 2) << r.text;
        EXPECT_TRUE(has(r, sentence)) << r.text;
    }
}

TEST(arenite_run, tells_a_program_with_a_malloc_of_its_own_from_one_that_knows_the_word) {
    const std::string program = scratch_file("program");
    const std::string build = "cc -rdynamic -x c -o " + program + " - && $A run -- " + program;
    EXPECT_TRUE(has(shell("echo 'void* malloc(unsigned long n) { static char m[1 << 20]; static "
                          "unsigned long at; return m + (at += n + 64); } void free(void* p) {} "
                          "int main(void) { return 0; }' | " +
                          build),
                    "has a malloc of its own"));
    const finished r = shell("echo 'const char* word = \"__asan_init\"; int main(void) { return "
                             "*word != 95; }' | " +
                             build);
    EXPECT_EQ(r.code, 0) << r.text;
    EXPECT_FALSE(has(r, "of its own")) << r.text;
    std::filesystem::remove(program);
}

TEST(arenite_run, compares_with_the_c_librarys_malloc) {
    const std::string json = scratch_file(".json");
    const finished r = shell("$A run --compare --rounds 2 --json " + json + " -- echo same 2>&1");
    EXPECT_EQ(r.code, 0) << r.text;
    EXPECT_EQ(r.text.find("same\n"), r.text.rfind("same\n")) << "more than one output: " << r.text;
    EXPECT_TRUE(has(r, "output and exit status: equal")) << r.text;
    const nlohmann::json all = nlohmann::json::parse(contents_of(json));
    EXPECT_EQ(all["mallocs"][0]["malloc"], "the C library");
    EXPECT_EQ(all["mallocs"][1]["malloc"], "arenite");
    EXPECT_EQ(all["mallocs"][1]["runs"].size(), 2u);
    std::filesystem::remove(json);
    EXPECT_TRUE(
        has(shell("$A run --compare --rounds 2 -- sh -c 'echo $$'"), "differs from run to"));
}

TEST(arenite_run, compares_runs_that_read_the_same_pipe) {
    const finished r = shell("printf 12345 | $A run --compare --rounds 1 -- wc -c");
    EXPECT_TRUE(r.text.starts_with("5\n")) << r.text;
    EXPECT_TRUE(has(r, "output and exit status: equal")) << r.text;
}

TEST(arenite_run, does_not_wait_for_the_end_of_a_pipe_that_gives_nothing) {
    const std::string pipe = scratch_file(".pipe"); // which this shell could write to
    const finished r = shell("mkfifo " + pipe + "; exec 3<>" + pipe +
                             "; $A run --compare --rounds 1 -- wc -c <&3");
    EXPECT_TRUE(has(r, "a pipe that has given nothing for 10 seconds")) << r.text;
    EXPECT_EQ(r.code, 2);
    EXPECT_TRUE(has(shell("(sleep 3; echo 12345) | $A run --compare --rounds 1 -- wc -c"), "6\n"));
    std::filesystem::remove(pipe);
}

TEST(arenite_run, compares_with_a_library_of_the_users_choice) {
    const std::string json = scratch_file(".json");
    const std::string library = scratch_file(".so");
    const std::string build =
        "echo 'void* malloc(unsigned long n) { static char m[1 << 20]; static "
        "unsigned long at; return m + (at += n + 64); }' | cc -shared -fPIC -x c -o " +
        library + " - && ";
    const finished r =
        shell(build + "$A run --compare --rounds 1 --with own=" + library + " --json " + json +
              " -- sh -c 'case $LD_PRELOAD in libc.so.6*) echo theirs;; *.so*) echo other;; esac'");
    EXPECT_TRUE(has(r, "theirs")) << r.text;
    const nlohmann::json all = nlohmann::json::parse(contents_of(json));
    EXPECT_EQ(all["mallocs"].back()["malloc"], "own");
    EXPECT_EQ(all["mallocs"].back()["library"], library);
    EXPECT_TRUE(has(r, ("  own            " + library + "\n").c_str())) << r.text;
    for (const char* part : {"libc.so.6, version 2.", "/libarenite-malloc.so."})
        EXPECT_TRUE(has(r, part)) << part << r.text;
    EXPECT_FALSE(all["mallocs"].back()["same_output"].get<bool>());
    std::filesystem::remove(json);
    std::filesystem::remove(library);
}

TEST(arenite_run, sees_that_an_output_is_not_equal) {
    const finished r =
        shell("$A run --compare --rounds 2 -- sh -c 'case $LD_PRELOAD in *arenite*) echo ours;; "
              "*) echo theirs;; esac'");
    EXPECT_TRUE(has(r, "NOT equal with arenite")) << r.text;
    const std::string file = scratch_file(".out");
    const finished f = shell("$A run --compare --rounds 2 --compare-output " + file +
                             " -- sh -c 'case $LD_PRELOAD in *arenite*) echo a > " + file +
                             ";; *) echo b > " + file + ";; esac'");
    EXPECT_TRUE(has(f, "NOT equal with arenite")) << f.text;
    std::filesystem::remove(file);
}

TEST(arenite_run, draws_a_map_of_what_lives_at_the_end) {
    const std::string map = scratch_file(".svg");
    const finished r = shell("$A run --map " + map + " -- sort /etc/passwd > /dev/null");
    EXPECT_EQ(r.code, 0) << r.text;
    EXPECT_TRUE(contents_of(map).starts_with("<svg")) << r.text;
    std::filesystem::remove(map);
    EXPECT_TRUE(has(shell("$A run --map " + map + " -- sh -c 'kill -9 $$'"), "left no map"));
}

/// A program whose run is seen, and outputs that cannot be written: it must not run.
TEST(answers, that_cannot_be_written_are_refused_before_the_program_runs) {
    const std::string seen = scratch_file(".seen"), folder = testing::TempDir();
    const std::string no_file = folder + "no/such/folder/file";
    for (const std::string& words :
         {"run --json " + no_file, "run --json " + folder, "run --map " + no_file,
          "run --compare --rounds 1 --json " + no_file, "advise --turns 1 --json " + no_file,
          "advise --turns 1 --report " + folder, "advise --turns 1 --keep " + no_file}) {
        const finished r = shell("$A " + words + " -- touch " + seen);
        EXPECT_EQ(r.code, 2) << words << r.text;
        EXPECT_TRUE(has(r, "cannot be written")) << words << r.text;
        EXPECT_FALSE(std::filesystem::exists(seen)) << words;
        std::filesystem::remove(seen);
    }
    // A run of this number that was killed may have left its part.
    const std::string out = scratch_file(".json");
    const finished r =
        shell("echo left > " + out + ".part$$; exec $A run --json " + out + " -- true");
    EXPECT_EQ(r.code, 0) << r.text;
    std::filesystem::remove(out);
}

TEST(run, knows_the_numbers_that_versions_of_mimalloc_have) {
    EXPECT_EQ(mimalloc_version(209), "2.0.9");
    EXPECT_EQ(mimalloc_version(217), "2.1.7");
    EXPECT_EQ(mimalloc_version(20405), "2.4.5");
    EXPECT_EQ(mimalloc_version(30600), "3.6.0");
}

} // namespace
} // namespace arenite::advisor
