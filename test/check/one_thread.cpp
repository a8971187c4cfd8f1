// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/detail/one_thread.hpp>

#include <arenite/core/contract.hpp>
#include <arenite/core/resource_base.hpp>
#include <arenite/core/system_resource.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/pool/pool_resource.hpp>

#include <gtest/gtest.h>

#include "support/mappings.hpp"

#include <atomic>
#include <thread>
#include <type_traits>

using namespace arenite;

namespace {

/// Lends memory once another thread has gone on.
class waiting_resource final : public resource_base<waiting_resource> {
public:
    void* try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
        reached = true;
        while (!may_go_on)
            std::this_thread::yield();
        return system_resource().try_allocate(bytes, alignment);
    }
    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        system_resource().deallocate(p, bytes, alignment);
    }

    std::atomic<bool> reached{false};
    std::atomic<bool> may_go_on{false};
};

/// One thread is inside while it waits for the upstream, and another one comes.
template <class R, class... Args>
void use_by_two_threads(Args... args) {
    waiting_resource slow;
    R shared{args..., slow};
    std::thread first{[&] { static_cast<void>(shared.allocate(48, 8)); }};
    while (!slow.reached)
        std::this_thread::yield();
    static_cast<void>(shared.try_allocate(48, 8)); // waits as well, where nobody finds out
    slow.may_go_on = true;
    first.join();
}

class one_thread_death : public testing::Test {
protected:
    void SetUp() override {
        if (!checks_enabled)
            GTEST_SKIP() << "only checked builds find this";
        if (support::emulated())
            GTEST_SKIP() << "a fresh process would run without the emulator";
        GTEST_FLAG_SET(death_test_style, "threadsafe");
    }
};

TEST_F(one_thread_death, of_an_ordered_heap_two_threads_at_once_are_found) {
    EXPECT_DEATH(use_by_two_threads<ordered_heap>(), "ordered_heap .* is used by two threads");
}

TEST_F(one_thread_death, of_a_pool_two_threads_at_once_are_found) {
    EXPECT_DEATH(use_by_two_threads<pool_resource>(slot{48, 8}),
                 "pool_resource .* is used by two threads");
}

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
