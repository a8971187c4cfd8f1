// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../record/area.hpp"
#include "observer.hpp"
#include "stacks.hpp"
#include "ticks.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <pthread.h>

extern "C" char __libc_single_threaded; // NOLINT: glibc's

namespace arenite::preload {

/// The state that a thread needs for an event. All of it is zero at first.
struct thread_state {
    record::ring* ring;
    std::uint64_t head;
    std::uint64_t looks_at;   ///< the lesser of the next two
    std::uint64_t room_until; ///< head may reach it before tail is looked at
    std::uint64_t timed_at;   ///< head where an event is timed
    std::uint32_t busy;       ///< within the recorder: what it does is not the program's
    const void* frame;        ///< of its function that is busy
    std::uint32_t stacks;     ///< taken; one of 1024 is checked, one of 64 timed
    std::uint64_t timed;      ///< ticks that the timed ones took since cpu_ns
    std::uint64_t cpu_ns;     ///< of the thread, when it was judged
    recent_rules* rules;      ///< null: without memory for them
    std::uint32_t without;    ///< events for which there was no ring; one of 256 looks for one
};

/// Writes the events of this process into the memory shared with the recorder.
///
/// Threads: any. An event takes no lock and allocates nothing; a thread's first event, a new stack,
///          a fork and a full ring are slow.
/// Failure: where it cannot record, the program runs on without. In a program that has restricted
///          its system calls, a thread whose ring is full spins until there is room, thirty seconds
///          at most; new threads have no recent rules, and forked children are not recorded.
class recorder {
public:
    /// Writes an event: of an allocation, after it, with its caller; of a free before it, without.
    void note(record::op what, const void* place, std::size_t bytes, unsigned log2_alignment,
              const caller* from) noexcept {
        thread_state& t = thread_;
        if (guard_->mode != recording || t.ring == nullptr || t.busy != 0) [[unlikely]] {
            if (!enter(t))
                return;
        }
        if (t.head >= t.looks_at) [[unlikely]]
            look_and_write(t, what, place, bytes, log2_alignment, from);
        else
            write(t, what, place, bytes, log2_alignment, from);
    }

    void closed_a_library() noexcept;
    /// In a forked child, before the program goes on there.
    void forked() noexcept;
    /// The thread goes on where the stack pointer was `to`; it may leave what it is in: a signal
    /// handler may have come within the recorder, too. That event is lost, but no further one; and
    /// none where that handler jumps within itself. Where it has a stack of its own and jumps to a
    /// handler that came before it, on the thread's stack, it counts as leaving all: an event that
    /// the first one interrupted may then be noted wrongly, or not at all.
    void jumps(std::uint64_t to) noexcept;
    /// The program is about to restrict its system calls. Nothing is observed then, and no call of
    /// the system is made any more; where not even the processor's clock may be read, recording
    /// ends.
    void is_shut_in(bool without_clock) noexcept;
    void asked_for_a_usable_size() noexcept {
        if (guard_->mode == recording)
            process_->usable_size_calls.fetch_add(1, std::memory_order_relaxed);
    }

private:
    enum mode_kind : std::uint32_t { unknown = 0, recording = 1, off = 2 };
    struct alignas(64) guard {
        std::uint32_t mode; ///< a forked child finds 0 here
    };

    /// Into the thread's ring, where there is room.
    [[gnu::always_inline]] void write(thread_state& t, record::op what, const void* place,
                                      std::size_t bytes, unsigned log2_alignment,
                                      const caller* from) noexcept {
        t.frame = __builtin_frame_address(0);
        t.busy = 1;
        std::uint64_t stack = 0;
        if (from != nullptr)
            stack = (++t.stacks & 63) != 0 ? stacks_.number_of(*from, false, t.rules)
                                           : number_of_some(*from, t);
        record::ring& r = *t.ring;
        r.busy.store(1, std::memory_order_relaxed);
        std::atomic_signal_fence(std::memory_order_seq_cst);
        record::raw_event& e = r.events[t.head % record::ring_events];
        e.time = now(from != nullptr);
        e.place = (reinterpret_cast<std::uint64_t>(place) & ((std::uint64_t{1} << 48) - 1)) |
                  std::uint64_t{what} << 48 | std::uint64_t{log2_alignment} << 52;
        e.what = (bytes < record::most_bytes ? bytes : record::most_bytes) | stack << 40;
        r.head.store(++t.head, std::memory_order_release);
        r.busy.store(0, std::memory_order_release);
        t.busy = 0;
    }
    void look_and_write(thread_state& t, record::op what, const void* place, std::size_t bytes,
                        unsigned log2_alignment, const caller* from) noexcept;

    [[nodiscard]] bool enter(thread_state& t) noexcept;
    [[nodiscard]] bool start() noexcept;
    [[nodiscard]] bool map_area() noexcept;
    [[nodiscard]] bool take_ring(thread_state& t) noexcept;
    [[nodiscard]] bool wait_for_room(thread_state& t) noexcept;
    [[nodiscard]] std::uint32_t number_of_some(const caller& from, thread_state& t) noexcept;
    void judge_cost(thread_state& t) noexcept;
    void count_rare_ns(std::uint64_t began) noexcept; ///< CPU time of the thread
    static void thread_ends(void* ring) noexcept;
    [[nodiscard]] static bool leaves(const void* frame, std::uint64_t to) noexcept;

    /// A stamp. Where there are threads it is taken once all that comes before has been read: what
    /// an allocation got, and who handed over what is freed. The processor would else read its
    /// counter early, and a free might seem to come before the allocation that it waited for.
    static std::uint64_t now(bool after) noexcept {
#if defined(__x86_64__)
        if (__libc_single_threaded)
            return __rdtsc();
        unsigned unused;
        if (after)
            return __rdtscp(&unused);
        _mm_lfence();
        return __rdtsc();
#else
        (void)after;
        return ticks();
#endif
    }

    [[gnu::tls_model("initial-exec")]] static thread_local constinit thread_state thread_;
    static constinit guard without_guard_;

    guard* guard_ = &without_guard_;
    record::control* area_ = nullptr;
    record::process* process_ = nullptr;
    std::uint32_t number_ = 0; ///< of the process in the area
    std::uint64_t start_ns_ = 0;
    pthread_key_t key_{};
    bool has_key_ = false, meets_forks_ = false;
    stack_table stacks_;
    slow_lock lock_;
};

extern recorder the_recorder;

} // namespace arenite::preload
