// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../trace/burst_end.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

/// The memory that a recorded program shares with the program that records it.
///
///     | control | process 0: counts, modules, stacks | process 1 | ... | ring 0 | ring 1 | ...
///
/// It is a file without a name (memfd), reached as /proc/<recorder>/fd/<n>, and sparse: what is not
/// used takes no memory. A thread of the program has a ring to itself and writes an event there
/// with a few stores; the recorder reads all rings and merges them by time. So nothing is lost when
/// the program crashes, calls _exit or is killed.
namespace arenite::record {

constexpr std::uint32_t area_magic = 0x41524541, area_version = 7;
constexpr std::size_t most_processes = 32, most_rings = 256, most_modules = 4096;
constexpr std::size_t ring_events = 16384;
constexpr std::size_t stack_words = std::size_t{4} << 20; ///< of all stacks of a process
constexpr std::uint32_t most_stacks = 1u << 18;
constexpr unsigned most_frames = 8;
/// Where call stacks take too long they get this many, and if that does not help, one.
constexpr unsigned fewer_frames = 3;
/// Nothing is judged until stacks have taken what they may of so much CPU time: a program that
/// builds something when it begins is dense there.
constexpr std::uint64_t least_judged_ns = 400'000'000;
constexpr std::uint32_t not_removed = UINT32_MAX;

/// The kind of an event. The numbers are those of recordings of recording_resource, too.
enum op : std::uint8_t {
    op_malloc = 1,
    op_calloc = 2,
    op_resize_begins = 3, ///< realloc: from here on the old place may be another's
    op_realloc = 4,       ///< its end: the new place
    op_memalign = 5,
    op_free = 6,
    op_new = 7,
    op_new_array = 8,
    op_delete = 9,
    op_delete_array = 10,
    op_mark = 11,
};

/// An event as a thread writes it.
struct raw_event {
    std::uint64_t place; ///< address 48 | op 4 | log2 of the alignment 6, 0: natural
    std::uint64_t time;  ///< after an allocation, before a free: merging by it is safe
    std::uint64_t what;  ///< bytes 40 | stack 24
};

constexpr std::uint64_t most_bytes = (std::uint64_t{1} << 40) - 1;

/// A thread's registers before an instruction, in the processor's order: rax, rcx, rdx, rbx, rsp,
/// rbp, rsi, rdi, r8 to r15.
struct registers {
    std::uint64_t pc;
    std::uint64_t general[16];
};
enum : std::uint32_t { slot_free = 0, slot_taken = 1, slot_ready = 2 };

/// The registers of a moment, by SIGPROF.
struct sample {
    std::atomic<std::uint32_t> state;
    std::uint32_t process, thread;
    std::uint64_t time;
    registers at;
};
constexpr std::size_t most_samples = 1024, most_bursts = 16;
constexpr std::uint32_t least_steps = 500, most_steps = 2000;

/// Instructions in a row, by the trap flag: each with the registers before it.
struct step {
    registers at;
    std::uint8_t code[16]; ///< zeros where it ends earlier
};
struct burst {
    std::atomic<std::uint32_t> state;
    std::uint32_t process, thread, count;
    trace::burst_end end;
    std::uint32_t goes_on; ///< 1: it began where a call ended that the one before came by
    std::uint64_t time;    ///< of its end
    step steps[most_steps];
};

/// Why accesses are not observed.
enum class unobserved : std::uint32_t {
    none = 0,
    not_asked,
    other_processor, ///< than x86-64
    uses_sigprof,    ///< the program does, or waits for it
    uses_sigtrap,    ///< the same
    is_debugged,     ///< by another program
    no_timer,        ///< the system gives none
    shut_in,         ///< the program restricts its system calls
    no_handler,      ///< the system lets no handler be set
};

struct ring {
    // The thread's.
    alignas(64) std::atomic<std::uint64_t> head;
    std::atomic<std::uint32_t> busy; ///< an event is between its stamp and its being published
    // The recorder's.
    alignas(64) std::atomic<std::uint64_t> tail;
    // Whose it is.
    alignas(64) std::atomic<std::uint32_t> state; ///< ring_free, ring_taken, ring_ended
    std::uint32_t process;
    std::uint32_t thread; ///< the n-th of its process
    alignas(64) raw_event events[ring_events];
};
enum : std::uint32_t { ring_free = 0, ring_taken = 1, ring_ended = 2 };

/// A loaded program or library. Its addresses mean it from its addition to its removal.
struct module {
    std::uint64_t begin, end, bias;
    std::atomic<std::uint32_t> added, removed; ///< counts of library closings
    char name[472];
};

/// How far a process was observed.
struct observing {
    std::atomic<unobserved> why_not;
    std::atomic<std::uint64_t> samples, bursts, steps, burst_ns;
    std::atomic<std::uint64_t> samples_of_ours;  ///< a thread was within the recorder
    std::atomic<std::uint64_t> samples_in_calls; ///< ... within malloc or free
    std::atomic<std::uint32_t> without_clock;    ///< 1: recording ended, for no clock may be read
};

/// Samples and bursts, until the recorder has taken them.
struct looks {
    std::uint32_t period_ms;     ///< of CPU time between looks at a thread; 0: off
    std::uint32_t burst_percent; ///< of the program's own CPU time for bursts at most
    std::atomic<std::uint32_t> next_sample;
    sample sample_at[most_samples];
    burst burst_at[most_bursts];
};

/// The recorder's part of the program's CPU time, without bursts, of all threads. One event of 64
/// is timed; what happens seldom always.
struct alignas(64) own_costs {
    std::atomic<std::uint64_t> timed_ticks, timed_events;
    std::atomic<std::uint64_t>
        rare_ticks; ///< for stacks and addresses that are met for the first time
    std::atomic<std::uint64_t> rare_ns; ///< for beginning, and for rings that were half full
};

/// The costs of recording, of all threads; of call stacks by themselves, too.
struct recording_costs {
    std::atomic<std::uint32_t> frames;            ///< of a stack, now
    std::atomic<std::uint64_t> stacks_ns, cpu_ns; ///< since it changed: for stacks, and in all
    std::atomic<std::uint64_t> unwound_slowly;
    own_costs own;
};

/// A stack is a word, frames 8 | generation 32, and its return addresses, innermost first.
struct process {
    std::atomic<std::uint32_t> state; ///< 0: none, 1: it records
    std::int32_t pid;
    std::uint64_t start_time;
    std::atomic<std::uint32_t> threads, modules, stacks, words;
    std::atomic<std::uint64_t> lost, checked, differing, usable_size_calls;
    recording_costs costs;
    observing observed;
    module module_at[most_modules];
    std::uint64_t stack_at[stack_words];
};

struct control {
    std::uint32_t magic, version;
    std::int32_t root, recorder; ///< process ids
    std::uint32_t frames;        ///< of a stack, 1 to most_frames
    std::uint32_t stack_percent; ///< of CPU time: stacks that take more get fewer frames; 0: never
    std::uint32_t children;      ///< other processes record, too
    std::atomic<std::uint32_t> stop;
    std::atomic<std::uint32_t> sleeping; ///< a futex: the recorder waits for events
    std::atomic<std::uint32_t> processes, others;
    looks look;
    process process_at[most_processes];
    ring ring_at[most_rings];
};

constexpr const char* area_variable = "ARENITE_RECORD_AREA";

} // namespace arenite::record
