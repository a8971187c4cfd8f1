// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/os/detail/held_signals.hpp>

#include <gtest/gtest.h>

#include <csignal>

#if defined(__unix__) || defined(__APPLE__)

using namespace arenite;

namespace {

volatile std::sig_atomic_t signals_that_came = 0;

extern "C" void one_came(int) { signals_that_came = signals_that_came + 1; }

TEST(held_signals, come_when_the_last_that_holds_them_ends) {
    using handler = void (*)(int);
    const handler before = std::signal(SIGUSR1, &one_came);
    signals_that_came = 0;
    {
        const detail::held_signals held;
        pthread_kill(pthread_self(), SIGUSR1);
        {
            const detail::held_signals within;
            EXPECT_EQ(signals_that_came, 0);
        }
        EXPECT_EQ(signals_that_came, 0);
    }
    EXPECT_EQ(signals_that_came, 1);
    std::signal(SIGUSR1, before);
}

} // namespace

#endif
