// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "timed_bursts.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <pthread.h>
#include <sched.h>
#include <time.h>

namespace arenite::replay {

/// The sums of a thread's events.
struct alignas(line_bytes) tally {
    double ns = 0, planned = 0, copied_bytes = 0;
    std::uint64_t live_bytes = 0; ///< of one thread it may be below zero: the sum of all is right
    long read = 0;                ///< the sum of all that is read
};

/// Replays each event by a thread of its own, as it was recorded.
///
///     thread 0:   birth of 7 ... birth of 9 ..........
///     thread 1:   ............ free of 7 (once born) .
///
/// An event waits until the one before that named the same object is done, where that is another
/// thread's. Nothing else is ordered between two calls of play_until, which waits for all.
///
/// Cost:    the time of a thread is that of its CPU, without waiting.
/// Memory:  4 bytes an event, 12 a wait, 8 an object, of the system.
template <class Player>
class recorded_threads {
public:
    recorded_threads(const prepared_head& head, const prepared_event* events, Player& player)
        : events_{events}, player_{player}, count_{head.threads} {
        threads_ = static_cast<thread*>(fresh(count_ * sizeof(thread)));
        for (std::uint64_t i = 0; i < count_; ++i)
            ::new (static_cast<void*>(threads_ + i)) thread{};
        each_event(
            head, [&](std::uint64_t, thread& t) { ++t.count; },
            [&](thread& t, const wait&) { ++t.wait_count; });
        for (std::uint64_t i = 0; i < count_; ++i) {
            thread& t = threads_[i];
            t.of = this;
            t.events = static_cast<std::uint32_t*>(fresh(t.count * sizeof(std::uint32_t)));
            t.waits = static_cast<wait*>(fresh(t.wait_count * sizeof(wait)));
            t.count = t.wait_count = 0;
        }
        each_event(
            head,
            [&](std::uint64_t e, thread& t) {
                t.events[t.count++] = static_cast<std::uint32_t>(e);
            },
            [&](thread& t, const wait& w) { t.waits[t.wait_count++] = w; });
        for (std::uint64_t i = 0; i < count_; ++i) {
            pthread_t started;
            if (::pthread_create(&started, nullptr, &recorded_threads::run, threads_ + i) != 0)
                give_up("no more threads");
        }
    }

    /// All events before this one; those before the end of the last call are done.
    void play_until(std::uint64_t end) {
        end_ = end;
        finished_.store(0, std::memory_order_relaxed);
        turn_.fetch_add(1, std::memory_order_release);
        turn_.notify_all();
        for (std::uint32_t n = 0; (n = finished_.load(std::memory_order_acquire)) != count_;)
            finished_.wait(n, std::memory_order_acquire);
    }

    /// Calls f with the sums of each thread.
    template <class F>
    void each_tally(F f) const {
        for (std::uint64_t i = 0; i < count_; ++i)
            f(threads_[i].sums);
    }

private:
    /// Before a thread's event number `at`, another must have done so many.
    struct wait {
        std::uint32_t at, thread, done;
    };
    struct alignas(line_bytes) thread {
        recorded_threads* of = nullptr;
        std::uint32_t* events = nullptr; ///< their numbers in the trace
        wait* waits = nullptr;
        std::uint64_t count = 0, wait_count = 0, next_wait = 0;
        tally sums;
        alignas(line_bytes) std::atomic<std::uint32_t> done = 0;
    };

    /// Calls `event` with each event and its thread, and `waits` for what it has to wait for.
    template <class Event, class Waits>
    void each_event(const prepared_head& head, Event event, Waits waits) {
        struct user {
            std::uint32_t thread, done; ///< the last that named an object, from 1
        };
        const std::size_t bytes = (head.slots + std::size_t{1}) * sizeof(user);
        auto* const last = static_cast<user*>(fresh(bytes));
        auto* const done = static_cast<std::uint32_t*>(fresh(count_ * sizeof(std::uint32_t)));
        for (std::uint64_t i = 0; i < head.events; ++i) {
            const prepared_event& e = events_[i];
            thread& t = threads_[e.thread];
            const std::uint32_t at = done[e.thread]++;
            const auto name = [&](std::uint32_t object) {
                user& before = last[object];
                if (before.done != 0 && before.thread != e.thread)
                    waits(t, wait{at, before.thread, before.done});
                before = {e.thread, at + 1};
            };
            if (e.what != action::mark)
                name(e.slot);
            if (e.copied_of != 0 && e.copied_of - 1 != e.slot)
                name(e.copied_of - 1);
            event(i, t);
        }
        ::munmap(last, bytes);
        ::munmap(done, count_ * sizeof(std::uint32_t));
    }

    static double thread_ns() {
        timespec t{};
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
        return double(t.tv_sec) * 1e9 + double(t.tv_nsec);
    }

    static void* run(void* mine) {
        thread& t = *static_cast<thread*>(mine);
        for (std::uint32_t turn = 0;; ++turn) {
            t.of->turn_.wait(turn, std::memory_order_acquire);
            t.of->play(t);
            if (t.of->finished_.fetch_add(1, std::memory_order_release) + 1 == t.of->count_)
                t.of->finished_.notify_one();
        }
    }

    void play(thread& t) {
        std::uint32_t at = t.done.load(std::memory_order_relaxed);
        const double before = thread_ns();
        for (; at < t.count && t.events[at] < end_; ++at) {
            for (; t.next_wait < t.wait_count && t.waits[t.next_wait].at == at; ++t.next_wait)
                wait_for(t, t.waits[t.next_wait]);
            player_.play(events_[t.events[at]], t.sums);
            t.done.store(at + 1, std::memory_order_release);
        }
        t.sums.ns += thread_ns() - before;
    }

    void wait_for(thread& t, const wait& w) {
        const std::atomic<std::uint32_t>& done = threads_[w.thread].done;
        if (done.load(std::memory_order_acquire) >= w.done)
            return;
        const double before = thread_ns();
        while (done.load(std::memory_order_acquire) < w.done)
            ::sched_yield();
        t.sums.ns -= thread_ns() - before;
    }

    const prepared_event* events_;
    Player& player_;
    std::uint64_t count_;
    thread* threads_;
    std::uint64_t end_ = 0; ///< of this turn
    std::atomic<std::uint32_t> turn_ = 0, finished_ = 0;
};

} // namespace arenite::replay
