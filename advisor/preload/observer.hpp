// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../record/area.hpp"

#include <atomic>
#include <cstdint>
#include <signal.h>

namespace arenite::preload {

/// A thread as it is observed. All of it is zero at first.
struct observed_thread {
    std::atomic<void*>* timer;
    const std::uint32_t* busy; ///< it is within the recorder
    record::burst* into;       ///< a burst goes on
    std::uint64_t begin_ns;    ///< CPU time
    std::uint32_t number;      ///< of its process
    std::uint32_t wanted;      ///< steps of this burst
    std::uint32_t left;        ///< after a call of malloc or free it goes on for these
    bool leaving; ///< it goes on, and is still in this library; or ended there, and a trap is due
    std::uint32_t calls; ///< it is within so many of malloc and free: objects are not used there
    std::int32_t tid;    ///< as the system knows it
};

/// Looks at what the program's threads touch: their registers, 250 times a second of CPU time
/// (SIGPROF), and now and then all accesses of 500 to 2000 instructions in a row (the trap flag, a
/// SIGTRAP each). Both go into the shared memory; the recorder decodes them.
///
///     SIGPROF ----> a sample; now and then: the trap flag is set
///     SIGTRAP ----> a step; ends before a system call, pushf, popf, and in this library
///
/// Cost:    bursts keep to a share of CPU time, which is measured.
/// Threads: any that has asked for memory; one burst at a time.
/// Failure: where the program itself uses these signals, it has them, and nothing is observed.
class observer {
public:
    void start(record::control& area, record::process& process, std::uint32_t number) noexcept;
    /// In a forked child, whose handlers are the parent's: the parent's other threads are not here
    /// to end what they had begun, and what this process does is not the parent's.
    void forked() noexcept;
    void thread_begins(std::uint32_t number, const std::uint32_t* busy) noexcept;
    void thread_ends() noexcept;

    /// The program is about to use this signal. Waits until no thread is within a burst, for two
    /// seconds at most.
    void leave_to_the_program(int signal) noexcept;
    /// Nothing is observed from here on, for this reason. Waits in the same way; where another
    /// thread is about it, until that one has done it: a handler that the program sets in between
    /// would be taken away again.
    void give_up(record::unobserved why) noexcept;
    [[nodiscard]] bool holds(int signal) const noexcept {
        return (active_ || gives_up_) && (signal == SIGPROF || signal == SIGTRAP);
    }

    /// Around each call: what malloc and free do with memory is no use of an object, and is not
    /// looked at.
    void call_begins() noexcept { ++thread_.calls; }
    /// A burst goes on that the call interrupted. A malloc may call another: the outermost counts.
    void call_ends() noexcept {
        if (thread_.calls != 0) // this may be the call in which its thread was first seen
            --thread_.calls;
        was_told();
    }
    /// The thread leaves what it is in, and that may be calls. A burst goes on with it.
    void jumps() noexcept {
        thread_.calls = 0;
        was_told();
    }
    /// After an event that is no call of malloc.
    void was_told() noexcept {
        if (thread_.left != 0 && thread_.calls == 0) [[unlikely]]
            go_on();
    }

private:
    static void on_profile(int signal, siginfo_t* info, void* context) noexcept;
    static void on_trap(int signal, siginfo_t* info, void* context) noexcept;

    void look(void* context) noexcept;
    void take_step(void* context) noexcept;
    [[nodiscard]] std::uint32_t allowed_steps() noexcept;
    [[nodiscard]] bool begin_burst(std::uint32_t steps, bool goes_on) noexcept;
    void end_burst(observed_thread& t, trace::burst_end why) noexcept;
    void note(observed_thread& t, const void* context) noexcept;
    void go_on() noexcept;
    void stop(record::unobserved why) noexcept;
    void put_all_back(record::unobserved why) noexcept;
    [[nodiscard]] bool bursts_have_ended() noexcept;
    static void end_timer(std::atomic<void*>& place) noexcept;

    [[gnu::tls_model("initial-exec")]] static thread_local constinit observed_thread thread_;

    record::control* area_ = nullptr;
    record::process* process_ = nullptr; ///< null: a forked child that has noted no event yet
    std::uint32_t number_ = 0;
    std::uint64_t own_begin_ = 0, own_end_ = 0; ///< the addresses of this library
    std::atomic<bool> active_{false};
    std::atomic<bool> gives_up_{false}; ///< a thread does
    std::atomic<bool> bursting_{false};
    std::atomic<std::int32_t> bursting_tid_{0};       ///< the thread
    std::atomic<void*> timers_[record::most_rings]{}; ///< of threads; their words are not null
};

extern observer the_observer;

/// The C library's function, past the one of this library.
int real_sigaction(int signal, const struct sigaction* wanted, struct sigaction* before) noexcept;

} // namespace arenite::preload
