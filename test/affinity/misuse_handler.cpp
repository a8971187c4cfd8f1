// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A contract handler may do all this while an affinity waits for it: report, allocate, fork, and
// never come back.
#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/affinity/affinity_strategy.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/ordered/detail/slab_heap.hpp>

#include <gtest/gtest.h>

#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

using namespace arenite;

namespace {

struct misused {
    static constexpr std::string_view name = "misused";
};

constexpr unsigned patience = 60; // seconds, after which a call is taken to wait for ever
std::jmp_buf back;

/// All that a call of another thread may want of an affinity.
void use_everything() {
    affinity_heap& h = affinity_heap::of<misused>();
    const auto use = [&h] {
        std::vector<void*> all;
        for (std::size_t bytes : {24u, 100u, 5'000u, 20'000u, 200'000u})
            all.push_back(h.allocate(bytes));
        for (void* p : all)
            affinity_heap::deallocate_any(p);
        std::ostringstream report;
        affinity_heap::report_all(report);
        static_cast<void>(affinity_heap::usage_all());
        static_cast<void>(affinity_heap::trim_all());
        static_cast<void>(affinity_heap::named("another"));
    };
    use();
    std::thread{use}.join();
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(patience);
        use();
        ::_exit(0);
    }
    int status = 1;
    ::waitpid(child, &status, 0);
    if (status != 0)
        ::_exit(3);
}

/// In a process that ends when a call waits for ever: `misuse`, what a handler does then, and what
/// `after` finds.
template <class F, class G>
[[noreturn]] void found_and(F misuse, G after) {
    ::alarm(patience);
    set_contract_handler([](const contract_violation_info&) {
        use_everything();
        std::longjmp(back, 1);
    });
    if (setjmp(back) == 0) {
        misuse();
        ::_exit(2); // it was not found
    }
    use_everything();
    after();
    ::_exit(0);
}
template <class F>
[[noreturn]] void found(F misuse) {
    found_and(misuse, [] {});
}

class misuse_handler_threads : public testing::Test {
protected:
    void SetUp() override {
        if (passthrough())
            GTEST_SKIP() << "malloc finds it, and calls no handler";
    }
    affinity_heap& heap = affinity_heap::of<misused>();
};

} // namespace

TEST_F(misuse_handler_threads, uses_the_affinity_in_which_an_object_was_freed_twice) {
    EXPECT_EXIT(found([this] {
                    void* const p = heap.allocate(48);
                    static_cast<void>(heap.allocate(48));
                    heap.deallocate(p, 48);
                    heap.deallocate(p, 48);
                }),
                testing::ExitedWithCode(0), "");
}

TEST_F(misuse_handler_threads, uses_the_affinity_in_which_a_large_object_was_freed_wrongly) {
    EXPECT_EXIT(found([this] { heap.deallocate(heap.allocate(200'000), 5); }),
                testing::ExitedWithCode(0), "");
    EXPECT_EXIT(found([this] {
                    auto* const p = static_cast<std::byte*>(heap.allocate(200'000));
                    heap.deallocate(p + 64);
                }),
                testing::ExitedWithCode(0), "");
    EXPECT_EXIT(found([this] {
                    auto* const p = static_cast<std::byte*>(heap.allocate(200'000));
                    static_cast<void>(heap.size_of(p + 64));
                }),
                testing::ExitedWithCode(0), "");
}

TEST_F(misuse_handler_threads, uses_the_affinity_in_which_two_threads_freed_an_object) {
    EXPECT_EXIT(found([this] {
                    std::vector<void*> all;
                    for (int i = 0; i < 200; ++i)
                        all.push_back(heap.allocate(56));
                    std::thread{[&] { heap.deallocate(all[100], 56); }}.join();
                    heap.deallocate(all[100], 56);
                    static_cast<void>(heap.trim());
                }),
                testing::ExitedWithCode(0), "");
}

/// Its block has gone when the other free is seen.
TEST_F(misuse_handler_threads, uses_the_affinity_of_whose_block_all_was_freed_and_one_twice) {
    if (detail::slow_only)
        GTEST_SKIP() << "found at the call";
    EXPECT_EXIT(found([this] {
                    std::vector<void*> all;
                    for (int i = 0; i < 40'000; ++i)
                        all.push_back(heap.allocate(56));
                    std::thread{[&] { heap.deallocate(all[20'000], 56); }}.join();
                    for (void* const p : all)
                        heap.deallocate(p, 56);
                    static_cast<void>(heap.trim());
                }),
                testing::ExitedWithCode(0), "");
}

/// The bits that were taken with a bad one go back, and the blocks that were not drained yet stay.
TEST_F(misuse_handler_threads, never_comes_back_to_a_drain_and_loses_nothing) {
    if (detail::slow_only)
        GTEST_SKIP() << "frees are found at the call, and hang in no list";
    EXPECT_EXIT(found_and(
                    [this] {
                        std::vector<void*> all;
                        for (int i = 0; i < 40'000; ++i)
                            all.push_back(heap.allocate(256));
                        std::thread{[&] {
                            for (void* const p : all)
                                heap.deallocate(p, 256);
                        }}.join();
                        heap.deallocate(all[20'000], 256);
                        static_cast<void>(heap.trim());
                    },
                    [this] {
                        static_cast<void>(heap.trim());
                        // One object was freed twice, and counts as given back twice.
                        const std::size_t left = heap.usage().bytes_reserved;
                        if (left > 1'000'000) {
                            std::fprintf(stderr, "%zu bytes are left\n", left);
                            ::_exit(4);
                        }
                    }),
                testing::ExitedWithCode(0), "");
}

class misuse_of_a_predecessor_threads : public testing::TestWithParam<affinity_strategy> {};

TEST_P(misuse_of_a_predecessor_threads, is_handled_without_its_lock) {
    if (passthrough())
        GTEST_SKIP() << "malloc finds it, and calls no handler";
    use_affinity_strategy(GetParam());
    affinity_heap& heap = affinity_heap::of<misused>();
    EXPECT_EXIT(found([&] {
                    void* const p = heap.allocate(48);
                    static_cast<void>(heap.allocate(48));
                    heap.deallocate(p, 48);
                    heap.deallocate(p, 48);
                }),
                testing::ExitedWithCode(0), "");
    use_affinity_strategy(affinity_strategy::ordered);
}

INSTANTIATE_TEST_SUITE_P(all, misuse_of_a_predecessor_threads,
                         testing::Values(affinity_strategy::intrusive, affinity_strategy::slots));

TEST_F(misuse_handler_threads, names_affinities_after_one_was_named_with_other_options) {
    EXPECT_EXIT(
        found([] { static_cast<void>(affinity_heap::named("misused", {.alignment = 64})); }),
        testing::ExitedWithCode(0), "");
    EXPECT_EXIT(found([] { static_cast<void>(affinity_heap::named("odd", {.alignment = 24})); }),
                testing::ExitedWithCode(0), "");
}
