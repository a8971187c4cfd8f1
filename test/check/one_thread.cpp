// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/detail/one_thread.hpp>

#include <arenite/core/contract.hpp>

#include <gtest/gtest.h>

#include <thread>
#include <type_traits>

using namespace arenite;

namespace {

TEST(one_thread, is_no_part_of_an_ordinary_build) {
    if (checks_enabled)
        GTEST_SKIP() << "a checked build";
    EXPECT_TRUE(std::is_empty_v<detail::one_thread>);
}

TEST(one_thread_threads, one_after_the_other_and_calls_within_calls_are_allowed) {
    detail::one_thread inside;
    {
        [[maybe_unused]] const auto outer = inside.enter("a resource", nullptr);
        [[maybe_unused]] const auto inner = inside.enter("a resource", nullptr);
    }
    std::thread other{[&] { [[maybe_unused]] const auto call = inside.enter("a", nullptr); }};
    other.join();
    [[maybe_unused]] const auto again = inside.enter("a resource", nullptr);
}

#if ARENITE_EXCEPTIONS
/// A handler may jump out of the call, or let other threads report.
TEST(one_thread_threads, a_call_ends_before_a_contract_handler_begins) {
    struct found {};
    detail::one_thread inside;
    [[maybe_unused]] const auto outer = inside.enter("a resource", nullptr);
    const contract_handler before =
        set_contract_handler([](const contract_violation_info&) { throw found{}; });
    EXPECT_THROW(contract_violation("a test"), found);
    std::thread other{[&] { [[maybe_unused]] const auto call = inside.enter("a", nullptr); }};
    other.join();
    set_contract_handler(before);
}
#endif

} // namespace
