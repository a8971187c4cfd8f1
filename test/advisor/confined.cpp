// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "recording.hpp"

#include <sys/syscall.h>
#include <utility>

// Recordings of programs/confined.cpp.
namespace arenite::advisor {
namespace {

TEST(record, makes_no_system_call_in_a_program_that_restricts_them) {
    for (const char* mode : {"filters", "filters_by_syscall"}) {
        const recording r = record(mode, "", ARENITE_CONFINED);
        EXPECT_EQ(r.run.code, 4) << mode << r.run.text;
        EXPECT_EQ(r.count(op::malloc, 53002), 100'000) << mode;
        EXPECT_EQ(r.from->known().word("recording_ended"), "");
#if defined(__x86_64__)
        if (r.from->known().word("accesses") != "off: the system gives no timer") {
            EXPECT_NE(r.run.text.find("restricts its system calls"), std::string::npos)
                << r.run.text;
        }
#endif
    }
}

/// The words that make a program run without a system call.
std::string without(long call) { return "without " + std::to_string(call) + " "; }

TEST(record, observes_nothing_where_the_system_refuses_what_it_takes) {
    for (const auto& [call, why] :
         {std::pair{SYS_rt_sigaction, "the system lets no signal handler be set"},
          std::pair{SYS_timer_create, "the system gives no timer"},
          std::pair{SYS_timer_settime, "the system gives no timer"}}) {
        const recording r =
            record(without(call) + ARENITE_TOUCHING + " walks", "", ARENITE_CONFINED);
        EXPECT_EQ(r.run.code, 0) << call << r.run.text;
        EXPECT_NE(r.run.text.find("all was right"), std::string::npos) << call << r.run.text;
        EXPECT_EQ(r.count(op::malloc, 56), 20000) << call;
#if defined(__x86_64__)
        EXPECT_NE(r.run.text.find(why), std::string::npos) << call << r.run.text;
#endif
    }
}

TEST(record, tells_children_apart_where_the_system_refuses_to_mark_memory) {
    const recording r =
        record(without(SYS_madvise) + ARENITE_RECORDED + " fork", "", ARENITE_CONFINED);
    EXPECT_EQ(r.run.code, 0) << r.run.text;
    EXPECT_EQ(r.count(op::malloc, 60001), 1);
    EXPECT_EQ(r.count(op::malloc, 60002), 0); // of the child
    EXPECT_EQ(r.count(op::malloc, 60003), 1);
    EXPECT_NE(r.run.text.find("1 other processes were not recorded"), std::string::npos)
        << r.run.text;
}

TEST(record, says_that_no_memory_can_be_shared) {
    const std::string file = temporary(".none");
    const std::string recorder = "$A record -o " + file + " -- ";
    const finished shut_off =
        shell(recorder + ARENITE_CONFINED " " + without(SYS_mmap) + ARENITE_TOUCHING " walks");
    EXPECT_EQ(shut_off.code, 2) << shut_off.text;
    EXPECT_NE(shut_off.text.find("all was right"), std::string::npos) << shut_off.text;
    EXPECT_NE(shut_off.text.find("no allocation was seen"), std::string::npos) << shut_off.text;
    EXPECT_NE(shut_off.text.find("seccomp"), std::string::npos) << shut_off.text;
    EXPECT_FALSE(std::filesystem::exists(file));
    for (const long call : {SYS_memfd_create, SYS_ftruncate, SYS_mmap}) {
        const finished refused =
            shell(ARENITE_CONFINED " " + without(call) + recorder + ARENITE_TOUCHING " walks");
        EXPECT_EQ(refused.code, 2) << call << refused.text;
        EXPECT_NE(refused.text.find("no memory to share"), std::string::npos) << refused.text;
        EXPECT_EQ(refused.text.find("all was right"), std::string::npos) << refused.text;
        EXPECT_FALSE(std::filesystem::exists(file));
    }
}

TEST(record, ends_where_no_clock_may_be_read) {
    const recording r = record("reads_and_writes", "", ARENITE_CONFINED);
    EXPECT_EQ(r.run.code, 5) << r.run.text;
    EXPECT_EQ(r.count(op::malloc, 53001), 1);
    EXPECT_EQ(r.count(op::malloc, 53), 0);
    EXPECT_NE(r.run.text.find("recording ended before the program did"), std::string::npos)
        << r.run.text;
    EXPECT_NE(r.from->known().word("recording_ended"), "");
}

TEST(record, needs_little_of_a_coroutines_stack) {
    const recording r = record("small_stack", "--accesses off", ARENITE_CONFINED);
    EXPECT_EQ(r.run.code, 6) << r.run.text;
    EXPECT_EQ(r.count(op::malloc, 53003), 100'000);
}

} // namespace
} // namespace arenite::advisor
