// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/contract.hpp>

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>

using namespace arenite;

namespace {

[[noreturn]] void exit_with_7(const contract_violation_info&) { std::_Exit(7); }
[[noreturn]] void exit_with_8(const contract_violation_info&) { std::_Exit(8); }
void return_at_once(const contract_violation_info&) {}

// Restores the default handler at the end of a test.
struct contract : ::testing::Test {
    ~contract() override { set_contract_handler(nullptr); }
};
using contract_death = contract;

TEST_F(contract, setting_a_handler_returns_the_one_before) {
    const contract_handler initial = set_contract_handler(&exit_with_7);
    EXPECT_NE(initial, nullptr);
    EXPECT_EQ(set_contract_handler(&exit_with_8), &exit_with_7);
    EXPECT_EQ(set_contract_handler(nullptr), &exit_with_8);
    EXPECT_EQ(set_contract_handler(nullptr), initial);
}

TEST_F(contract, what_was_returned_can_be_set_again) {
    const contract_handler initial = set_contract_handler(&exit_with_7);
    set_contract_handler(initial);
    EXPECT_DEATH(contract_violation("the default is back"), "the default is back");
}

#if defined(_WIN32)
constexpr int exit_code_of_abort = 3;
const ::testing::ExitedWithCode aborted{exit_code_of_abort};
#else
const ::testing::KilledBySignal aborted{SIGABRT};
#endif

TEST_F(contract_death, the_default_names_sentence_file_and_line_and_aborts) {
    EXPECT_EXIT(contract_violation("the moon must be full"), aborted,
                "contract violated: the moon must be full\n.*contract\\.cpp:[0-9]+");
}

TEST_F(contract_death, the_handler_is_called) {
    set_contract_handler(&exit_with_7);
    EXPECT_EXIT(contract_violation("x"), ::testing::ExitedWithCode(7), "");
}

TEST_F(contract_death, the_program_is_aborted_when_the_handler_returns) {
    set_contract_handler(&return_at_once);
    EXPECT_EXIT(contract_violation("x"), aborted, "");
}

TEST_F(contract_death, messages_are_formatted) {
    EXPECT_DEATH(contract_violation_f(std::source_location::current(), "%d of %s", 3, "four"),
                 "3 of four");
}

#if ARENITE_EXCEPTIONS
struct caught {
    std::string message;
    std::source_location location;
};

[[noreturn]] void throw_it(const contract_violation_info& info) {
    throw caught{info.message, info.location};
}

TEST_F(contract, a_handler_may_throw) {
    set_contract_handler(&throw_it);
    const auto here = std::source_location::current();
    try {
        contract_violation("thrown");
    } catch (const caught& c) {
        EXPECT_EQ(c.message, "thrown");
        EXPECT_EQ(c.location.line(), here.line() + 2);
        EXPECT_STREQ(c.location.file_name(), here.file_name());
    }
}

TEST_F(contract, long_messages_are_cut_at_511_characters) {
    set_contract_handler(&throw_it);
    const std::string text(600, 'x');
    try {
        contract_violation_f(std::source_location::current(), "%s", text.c_str());
    } catch (const caught& c) {
        EXPECT_EQ(c.message, text.substr(0, 511));
    }
}

TEST_F(contract, an_assertion_that_fails_is_a_violation_in_checked_builds) {
    set_contract_handler(&throw_it);
    if constexpr (checks_enabled) {
        const auto here = std::source_location::current();
        try {
            ARENITE_ASSERT(1 == 2, "one is not two");
            FAIL() << "the assertion let it pass";
        } catch (const caught& c) {
            EXPECT_EQ(c.message, "one is not two");
            EXPECT_EQ(c.location.line(), here.line() + 2);
        }
    } else {
        EXPECT_NO_THROW(ARENITE_ASSERT(1 == 2, "one is not two"));
    }
}
#endif

TEST_F(contract, an_assertion_evaluates_its_condition_once_or_not_at_all) {
    int evaluations = 0;
    ARENITE_ASSERT(++evaluations != 0, "counted");
    EXPECT_EQ(evaluations, checks_enabled ? 1 : 0);
}

TEST_F(contract, an_assertion_is_an_expression) {
    int x = 1;
    x = (ARENITE_ASSERT(x == 1, "x is one"), x + 1);
    EXPECT_EQ(x, 2);
}

TEST(contract_threads, handlers_may_be_set_from_any_thread) {
    const auto work = [] {
        for (int i = 0; i < 1000; ++i) {
            const contract_handler before = set_contract_handler(&exit_with_7);
            EXPECT_NE(before, nullptr);
        }
    };
    std::thread other{work};
    work();
    other.join();
    EXPECT_EQ(set_contract_handler(nullptr), &exit_with_7);
}

} // namespace
