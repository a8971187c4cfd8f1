// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "recorder.hpp"

#include "observer.hpp"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <linux/futex.h>
#include <new>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

namespace arenite::preload {

constinit recorder the_recorder;
thread_local constinit thread_state recorder::thread_{};
constinit recorder::guard recorder::without_guard_{};

namespace {

/// errno stays what the program knows.
struct kept_errno {
    int value = errno;
    ~kept_errno() { errno = value; }
};

std::uint64_t ns_of(clockid_t clock) noexcept {
    timespec t{};
    ::clock_gettime(clock, &t);
    return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u +
           static_cast<std::uint64_t>(t.tv_nsec);
}

long futex(void* at, int what, std::uint32_t value, const timespec* time) noexcept {
    return ::syscall(SYS_futex, at, what, value, time, nullptr, 0);
}

} // namespace

bool recorder::map_area() noexcept {
    const char* const path = ::getenv(record::area_variable);
    if (path == nullptr)
        return false;
    const int file = ::open(path, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return false;
    void* const p =
        ::mmap(nullptr, sizeof(record::control), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ::close(file);
    if (p == MAP_FAILED)
        return false;
    auto* const area = static_cast<record::control*>(p);
    if (area->magic != record::area_magic || area->version != record::area_version) {
        ::munmap(p, sizeof(record::control));
        return false;
    }
    area_ = area;
    return true;
}

/// Once a process: at its first event, and in a forked child again.
bool recorder::start() noexcept {
    if (area_ == nullptr && !map_area())
        return false;
    const pid_t self = ::getpid();
    if (self != area_->root && area_->children == 0) {
        area_->others.fetch_add(1, std::memory_order_relaxed);
        return false;
    }
    const std::uint32_t number = area_->processes.fetch_add(1, std::memory_order_relaxed);
    if (number >= record::most_processes) {
        area_->others.fetch_add(1, std::memory_order_relaxed);
        return false;
    }
    number_ = number;
    process_ = &area_->process_at[number];
    process_->pid = self;
    process_->start_time = now(false);
    start_ns_ = ns_of(CLOCK_MONOTONIC);
    if (!stacks_.start(*process_, area_->frames))
        return false;
    process_->costs.frames.store(stacks_.frames(), std::memory_order_relaxed);
    if (!has_key_)
        has_key_ = ::pthread_key_create(&key_, &recorder::thread_ends) == 0;
    the_observer.start(*area_, *process_, number);
    process_->state.store(1, std::memory_order_release);
    return true;
}

bool recorder::enter(thread_state& t) noexcept {
    if (guard_->mode == off)
        return false;
    if (t.busy != 0) {
        if (guard_->mode == recording && t.ring != nullptr && t.busy == 1)
            process_->lost.fetch_add(1, std::memory_order_relaxed);
        return false;
    }
    constexpr std::uint32_t looks_again = 256; // all rings are taken: it takes long to see it
    if (guard_->mode == recording && t.ring == nullptr && t.without % looks_again != 0) {
        ++t.without;
        process_->lost.fetch_add(1, std::memory_order_relaxed);
        return false;
    }
    const kept_errno kept;
    const std::uint64_t began = thread_cpu_ns();
    held_signals mine; // a jump from here would leave the thread with half of what it needs
    mine.hold();
    t.frame = __builtin_frame_address(0);
    t.busy = 2; // what happens until then is ours
    if (guard_->mode == unknown && shut_in.load(std::memory_order_relaxed)) {
        guard_->mode = off; // a child of a program that has restricted its system calls
        if (area_ != nullptr)
            area_->others.fetch_add(1, std::memory_order_relaxed);
    } else if (guard_->mode == unknown) {
        lock_.lock();
        if (guard_->mode == unknown) {
            t.ring = nullptr;
            if (t.rules != nullptr) // of the process that this one was forked from
                std::memset(static_cast<void*>(t.rules), 0, sizeof(recent_rules));
            if (!meets_forks_) // all but those by _Fork() or the bare call
                meets_forks_ =
                    ::pthread_atfork(nullptr, nullptr, [] { the_recorder.forked(); }) == 0;
            if (guard_ == &without_guard_) {
                void* p = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                                 -1, 0);
                if (p != MAP_FAILED && ::madvise(p, 4096, MADV_WIPEONFORK) == 0)
                    guard_ = ::new (p) guard{};
            }
            guard_->mode = start() ? recording : off;
        }
        lock_.unlock();
    }
    const bool can = guard_->mode == recording && (t.ring != nullptr || take_ring(t));
    if (guard_->mode == recording)
        count_rare_ns(began);
    t.busy = 0;
    mine.release();
    return can;
}

void recorder::count_rare_ns(std::uint64_t began) noexcept {
    if (const std::uint64_t now = thread_cpu_ns(); now > began && began != 0)
        process_->costs.own.rare_ns.fetch_add(now - began, std::memory_order_relaxed);
}

bool recorder::take_ring(thread_state& t) noexcept {
    for (std::uint32_t i = 0; i < record::most_rings; ++i) {
        record::ring& r = area_->ring_at[i];
        std::uint32_t free = record::ring_free;
        if (r.state.load(std::memory_order_relaxed) != free ||
            !r.state.compare_exchange_strong(free, record::ring_taken))
            continue;
        r.process = number_;
        r.thread = process_->threads.fetch_add(1, std::memory_order_relaxed);
        t.head = r.head.load(std::memory_order_relaxed);
        t.looks_at = t.room_until = t.head; // looked at anew at once
        t.timed_at = t.head + 37;
        t.ring = &r;
        t.without = 0;
        t.timed = 0;
        if (has_key_)
            ::pthread_setspecific(key_, &r);
        if (shut_in.load(std::memory_order_relaxed))
            return true;
        t.cpu_ns = ns_of(CLOCK_THREAD_CPUTIME_ID);
        if (t.rules == nullptr) {
            void* const p = ::mmap(nullptr, sizeof(recent_rules), PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            t.rules = p == MAP_FAILED ? nullptr : static_cast<recent_rules*>(p);
        }
        the_observer.thread_begins(r.thread, &t.busy);
        return true;
    }
    ++t.without;
    process_->lost.fetch_add(1, std::memory_order_relaxed);
    return false;
}

void recorder::forked() noexcept {
    guard_->mode = unknown; // where the system does not do it
    lock_.forget_owner();
    the_observer.forked();
}

void recorder::thread_ends(void* ring) noexcept {
    if (the_recorder.guard_->mode != recording || thread_.ring != ring)
        return; // a forked child: it is its parent's
    thread_.ring = nullptr;
    the_observer.thread_ends();
    if (thread_.rules != nullptr && !shut_in.load(std::memory_order_relaxed))
        ::munmap(thread_.rules, sizeof(recent_rules));
    thread_.rules = nullptr;
    static_cast<record::ring*>(ring)->state.store(record::ring_ended, std::memory_order_release);
}

/// Now and then: is there room, and how long does an event take?
void recorder::look_and_write(thread_state& t, record::op what, const void* place,
                              std::size_t bytes, unsigned log2_alignment,
                              const caller* from) noexcept {
    if (t.head >= t.room_until && !wait_for_room(t))
        return;
    const bool is_timed = t.head >= t.timed_at;
    if (!is_timed) {
        t.looks_at = t.room_until < t.timed_at ? t.room_until : t.timed_at;
        return write(t, what, place, bytes, log2_alignment, from);
    }
    record::own_costs& own = process_->costs.own;
    const std::uint64_t rare = own.rare_ticks.load(std::memory_order_relaxed);
    // Reading the counter takes time, too. What is begun before does not run beside it: so it is
    // measured how long an event takes alone.
    const std::uint64_t before = ticks_when_done(), begin = ticks_when_done();
    write(t, what, place, bytes, log2_alignment, from);
    const std::uint64_t end = ticks_when_done();
    const std::uint64_t taken = end - begin, reading = begin - before;
    constexpr std::uint64_t displaced = 1u << 16; // another program ran
    if (taken < displaced && own.rare_ticks.load(std::memory_order_relaxed) == rare) {
        own.timed_ticks.fetch_add(taken > reading ? taken - reading : 0, std::memory_order_relaxed);
        own.timed_events.fetch_add(1, std::memory_order_relaxed);
    }
    // At no steady distance: what programs do comes in rounds.
    constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;
    t.timed_at = t.head + 33 + (end * odd >> 58);
    t.looks_at = t.room_until < t.timed_at ? t.room_until : t.timed_at;
}

/// A stack that is compared with the unwind tables, or timed.
std::uint32_t recorder::number_of_some(const caller& from, thread_state& t) noexcept {
    if ((t.stacks & 1023) == 0)
        return stacks_.number_of(from, true, t.rules);
    const std::uint64_t begin = now(false);
    const std::uint32_t number = stacks_.number_of(from, false, t.rules);
    const std::uint64_t ticks = now(false) - begin;
    constexpr std::uint64_t displaced = 1u << 16; // another program ran, or a rule was read
    if (ticks < displaced)
        t.timed += ticks;
    return number;
}

/// Each half ring: do stacks take more of the CPU time than they may?
void recorder::judge_cost(thread_state& t) noexcept {
    const unsigned frames = stacks_.frames();
    if (area_->stack_percent == 0 || frames == 1 || shut_in.load(std::memory_order_relaxed))
        return;
    const std::uint64_t ticks = now(false) - process_->start_time;
    const std::uint64_t cpu = ns_of(CLOCK_THREAD_CPUTIME_ID);
    const double ns_a_tick =
        ticks == 0 ? 0 : double(ns_of(CLOCK_MONOTONIC) - start_ns_) / double(ticks);
    const auto stacks_ns = static_cast<std::uint64_t>(double(t.timed) * 64 * ns_a_tick);
    const std::uint64_t all_stacks = process_->costs.stacks_ns.fetch_add(stacks_ns) + stacks_ns;
    const std::uint64_t all_cpu = process_->costs.cpu_ns.fetch_add(cpu - t.cpu_ns) + cpu - t.cpu_ns;
    t.timed = 0;
    t.cpu_ns = cpu;
    const std::uint64_t percent = area_->stack_percent;
    if (all_stacks * 100 <
        (all_cpu > record::least_judged_ns ? all_cpu : record::least_judged_ns) * percent)
        return;
    std::uint32_t before = frames;
    const std::uint32_t fewer = frames > record::fewer_frames ? record::fewer_frames : 1;
    if (!process_->costs.frames.compare_exchange_strong(before, fewer))
        return; // another thread was first
    stacks_.take_fewer_frames(fewer);
    process_->costs.stacks_ns.store(0);
    process_->costs.cpu_ns.store(0);
}

/// The recorder wakes when half of a ring is full; a thread that is faster waits for it.
bool recorder::wait_for_room(thread_state& t) noexcept {
    const kept_errno kept;
    const std::uint64_t began = thread_cpu_ns();
    record::ring& r = *t.ring;
    const std::uint64_t begin = now(false);
    for (unsigned waits = 0;; ++waits) {
        const bool alone = shut_in.load(std::memory_order_relaxed); // no system call, then
        if (area_->stop.load(std::memory_order_relaxed) != 0) {
            guard_->mode = off;
            return false;
        }
        if (!alone && area_->sleeping.exchange(0, std::memory_order_acq_rel) != 0)
            futex(&area_->sleeping, FUTEX_WAKE, 1, nullptr);
        const std::uint64_t tail = r.tail.load(std::memory_order_acquire);
        const std::uint64_t used = t.head - tail;
        if (used < record::ring_events) {
            const std::uint64_t room = record::ring_events - used;
            const std::uint64_t half = record::ring_events / 2;
            t.room_until = t.head + (room < half ? room : half);
            judge_cost(t);
            count_rare_ns(began);
            return true;
        }
        if (alone) {
            constexpr std::uint64_t long_time = 90'000'000'000; // ticks, thirty seconds or so
            if (now(false) - begin < long_time)
                continue;
            guard_->mode = off; // the recorder is gone
            return false;
        }
        if (waits % 1000 == 999 && ::kill(area_->recorder, 0) != 0 && errno == ESRCH) {
            guard_->mode = off; // the recorder is gone
            return false;
        }
        const timespec moment{0, 200000}; // past the C library: its sleep may be cancelled
        ::syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &moment, nullptr);
    }
}

void recorder::is_shut_in(bool without_clock) noexcept {
    if (guard_->mode == unknown)
        (void)enter(thread_); // while it can still begin
    if (guard_->mode != recording)
        return;
    const kept_errno kept;
    the_observer.give_up(record::unobserved::shut_in);
    shut_in.store(true);
    if (!without_clock)
        return;
    guard_->mode = off;
    process_->observed.without_clock.store(1, std::memory_order_relaxed);
}

/// Does a jump leave the function of this frame? Not where it stays on the stack that the handler
/// works on, between the two or, where the handler has a stack of its own, anywhere there. From
/// such a stack to another is leaving, wherever: it may be a coroutine's that lies just below.
bool recorder::leaves(const void* frame, std::uint64_t to) noexcept {
    const auto left = reinterpret_cast<std::uint64_t>(frame);
    const auto here = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
    stack_t own{};
    if (!shut_in.load(std::memory_order_relaxed) && ::sigaltstack(nullptr, &own) == 0 &&
        (own.ss_flags & SS_ONSTACK) != 0) {
        const auto begin = reinterpret_cast<std::uint64_t>(own.ss_sp);
        const auto is_there = [&](std::uint64_t p) { return p - begin < own.ss_size; };
        if (!is_there(to) || !is_there(left))
            return !is_there(to);
    }
    return to < here || to >= left;
}

void recorder::jumps(std::uint64_t to) noexcept {
    if (thread_.busy == 0 || leaves(thread_.frame, to)) {
        thread_.busy = 0;
        if (guard_->mode == recording && thread_.ring != nullptr) // or who drains would wait for it
            thread_.ring->busy.store(0, std::memory_order_release);
    }
    the_observer.jumps();
}

void recorder::closed_a_library() noexcept {
    if (guard_->mode != recording)
        return;
    const kept_errno kept;
    const std::uint32_t busy = thread_.busy; // a handler may have come within the recorder
    const void* const frame = thread_.frame;
    thread_.frame = __builtin_frame_address(0);
    thread_.busy = 2;
    stacks_.closed_a_library();
    thread_.frame = frame;
    thread_.busy = busy;
}

} // namespace arenite::preload
