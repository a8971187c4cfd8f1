// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A fork at every instruction of an allocation: another thread forks while one is stepped through
// it by the processor's trap flag, and the child uses the heap that it left.
#include <arenite/affinity/affinity_heap.hpp>

#include "support/build_mode.hpp"
#include "support/limits.hpp"

#include <gtest/gtest.h>

#if LIMITS_CAN_BE_TESTED && defined(__linux__) && defined(__x86_64__)
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

using namespace arenite;

namespace {

// The stepped thread asks, the other one forks. It waits a while only: the fork may wait for a lock
// that it holds itself.
std::atomic<int> asked{0}, done{0};

void ask_for_a_fork(int) noexcept {
    if (done.load() != asked.load())
        return;
    asked.fetch_add(1);
    for (int i = 0; i < 60 && done.load() != asked.load(); ++i) {
        const timespec a_moment{.tv_sec = 0, .tv_nsec = 100'000};
        ::nanosleep(&a_moment, nullptr);
    }
}

/// An allocation of which each instruction is followed by a signal. The flags are changed below
/// the 128 bytes that a function may use without moving the stack's pointer.
void* allocate_in_steps(affinity_heap& h, std::size_t bytes) noexcept {
    __asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; orq $0x100, (%%rsp); popfq;"
                     "lea 128(%%rsp), %%rsp" ::
                         : "memory", "cc");
    void* const p = h.try_allocate(bytes);
    __asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; andq $~0x100, (%%rsp); popfq;"
                     "lea 128(%%rsp), %%rsp" ::
                         : "memory", "cc");
    return p;
}

/// Where objects of one thread live: as many as are there, whoever reads it.
class living {
public:
    explicit living(std::size_t bytes) : bytes_{bytes} {}
    void add(void* p) noexcept {
        all_[count_.load(std::memory_order_relaxed)] = static_cast<std::byte*>(p);
        count_.fetch_add(1, std::memory_order_release);
    }
    [[nodiscard]] bool meets(const std::byte* p) const noexcept {
        return std::any_of(all_, all_ + count_.load(std::memory_order_acquire),
                           [&](const std::byte* q) { return p < q + bytes_ && q < p + bytes_; });
    }

private:
    std::size_t bytes_;
    std::byte* all_[1000] = {};
    std::atomic<std::size_t> count_{0};
};

class fork_anywhere_threads : public testing::TestWithParam<std::size_t> {};

TEST_P(fork_anywhere_threads, the_child_gets_no_memory_in_which_an_object_lives) {
    if (support::every_call_is_careful)
        GTEST_SKIP() << "every call holds the heap's lock, and the fork waits for it";
    const std::size_t bytes = GetParam();
    affinity_heap& h = affinity_heap::named("stepped " + std::to_string(bytes));
    struct sigaction before = {};
    struct sigaction by_step = {};
    by_step.sa_handler = ask_for_a_fork;
    ASSERT_EQ(::sigaction(SIGTRAP, &by_step, &before), 0);
    living all{bytes};
    std::vector<void*> others; // which this thread frees: they wait to be drained
    std::atomic<bool> made{false}, freed{false}, ended{false};
    std::thread stepped{[&] {
        for (int i = 0; i < 10; ++i)
            others.push_back(h.try_allocate(200));
        made = true;
        while (!freed)
            std::this_thread::yield();
        const int whole = bytes < 1000 ? 640 : 20; // at full speed
        const int steps = bytes < 1000 ? 66 : 12;  // of small ones one begins a word of bits
        for (int i = 0; i < whole + steps; ++i)
            all.add(i < whole ? h.try_allocate(bytes) : allocate_in_steps(h, bytes));
        ended = true;
    }};
    while (!made)
        std::this_thread::yield();
    for (void* const p : others)
        h.deallocate(p);
    freed = true;
    int wrong = 0;
    while (!ended) {
        if (done.load() == asked.load()) {
            std::this_thread::yield();
            continue;
        }
        const pid_t child = ::fork();
        if (child == 0) {
            ::alarm(60);
            for (int i = 0; i < 63; ++i)
                if (auto* const p = static_cast<std::byte*>(h.try_allocate(bytes)); all.meets(p))
                    ::_exit(1);
            ::_exit(0);
        }
        int status = 0;
        EXPECT_EQ(::waitpid(child, &status, 0), child);
        wrong += status == 0 ? 0 : 1;
        done.store(asked.load());
    }
    stepped.join();
    ASSERT_EQ(::sigaction(SIGTRAP, &before, nullptr), 0);
    EXPECT_EQ(wrong, 0) << "of " << done << " forks";
    h.reset();
    if (done == 0)
        GTEST_SKIP() << "this processor does not step, or it is an emulator's";
}

INSTANTIATE_TEST_SUITE_P(, fork_anywhere_threads, testing::Values(64, 200, 3'000, 20'000));

} // namespace
#endif
