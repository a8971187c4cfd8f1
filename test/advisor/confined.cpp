// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "recording.hpp"

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
