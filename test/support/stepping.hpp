// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/check/detail/poison.hpp>
#include <arenite/core/config.hpp>

#if defined(__linux__) && defined(__x86_64__) && !ARENITE_HAS_TSAN
#define ARENITE_TEST_CAN_STEP 1

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <thread>

#include <sched.h>

namespace support {

/// Runs a function one instruction at a time, and lets another thread do something at many of them.
///
///     stepped thread   call ....|....|....|....|....  -> the processor traps at each instruction
///     watching thread           f    f    f    f         while the other one stands still
///
/// The watcher may wait for a lock that the stepped thread holds: after two milliseconds that
/// one goes on, and the watcher goes through as soon as it can. Before it began, it gets longer: on
/// a loaded machine it may have to wait for a processor. The moment is a time and no number of
/// turns: on such a machine each turn that is given away may last for many milliseconds.
class stepping {
public:
    /// False under a sanitizer or Valgrind, whose own code would be stepped, too.
    [[nodiscard]] static bool is_possible() noexcept { return !arenite::detail::poison::active; }

    /// False where the processor, or what imitates it, does not trap at each instruction.
    [[nodiscard]] static bool traps() {
        steps = 0;
        next_stop = 0; // none
        auto little = [] { __asm__ volatile("nop\n\tnop\n\tnop"); };
        run(little);
        return steps != 0;
    }

    /// Calls `watch` at each stop of `work`: at instructions `first`, `first + stride` ... of it.
    /// Returns how many times.
    template <class F, class W>
    static std::size_t stop_at(std::uint64_t first, std::uint64_t stride, F work, W watch) {
        steps = 0;
        next_stop = first + 1;
        distance = stride;
        state = idle;
        std::atomic<bool> ended{false};
        std::thread stepped{[&] {
            run(work);
            ended = true;
        }};
        std::size_t stops = 0;
        while (!ended.load() || state.load() == asked) {
            if (state.load() != asked) {
                std::this_thread::yield();
                continue;
            }
            state = watching;
            watch([] { state = done; });
            state = idle;
            ++stops;
        }
        stepped.join();
        return stops;
    }

private:
    enum what { idle, asked, watching, done };
    static constexpr std::uint64_t trap_flag = 0x100;

    template <class F>
    static void run(F& work) {
        struct sigaction now = {};
        struct sigaction before = {};
        now.sa_handler = &trapped;
        ::sigaction(SIGTRAP, &now, &before);
        __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() | trap_flag);
        work();
        __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() & ~trap_flag);
        ::sigaction(SIGTRAP, &before, nullptr);
    }

    static void trapped(int) {
        if (++steps != next_stop)
            return;
        next_stop += distance;
        while (state.load() == done) // its child is still at work
            ::sched_yield();
        int expected = idle;
        if (!state.compare_exchange_strong(expected, asked))
            return; // it waits for what this thread holds
        using clock = std::chrono::steady_clock;
        for (int n = 0; n < 300'000 && state.load() == asked; ++n) // ends when the watcher runs
            ::sched_yield();
        const clock::time_point end = clock::now() + std::chrono::milliseconds{2};
        while (state.load() == watching && clock::now() < end)
            ::sched_yield();
    }

    inline static std::uint64_t steps = 0;
    inline static std::uint64_t next_stop = 0;
    inline static std::uint64_t distance = 0;
    inline static std::atomic<int> state{idle};
};

} // namespace support

#else
#define ARENITE_TEST_CAN_STEP 0
#endif
