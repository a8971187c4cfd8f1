// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "observer.hpp"

#include "caller.hpp"
#include "frame_rule.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace arenite::preload {

constinit observer the_observer;
thread_local constinit observed_thread observer::thread_{};

#if defined(__x86_64__)
namespace {

using record::unobserved;

constexpr std::uint64_t trap_flag = 0x100;
constexpr std::uint64_t page_bytes = 4096;
constexpr std::uint64_t step_ns_at_first = 20'000;
constexpr std::uint64_t usual_burst_ns = 100'000'000, longest_wait_ns = 2'000'000'000;

// A timer's number, which may be 0, as a word that is not.
void* as_word(timer_t timer) noexcept { return static_cast<char*>(timer) + 1; }
timer_t as_timer(void* word) noexcept { return static_cast<char*>(word) - 1; }

std::uint64_t ns_of(clockid_t clock) noexcept {
    timespec t{};
    ::clock_gettime(clock, &t);
    return static_cast<std::uint64_t>(t.tv_sec) * 1000000000u +
           static_cast<std::uint64_t>(t.tv_nsec);
}

const greg_t* registers_of(const void* context) noexcept {
    return static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
}

void copy(record::registers& to, const void* context) noexcept {
    constexpr int order[]{REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                          REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    const greg_t* const from = registers_of(context);
    to.pc = static_cast<std::uint64_t>(from[REG_RIP]);
    for (std::size_t i = 0; i < 16; ++i)
        to.general[i] = static_cast<std::uint64_t>(from[order[i]]);
}

void set_trap_flag(void* context, bool on) noexcept {
    greg_t& flags = static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL];
    flags = on ? flags | static_cast<greg_t>(trap_flag) : flags & ~static_cast<greg_t>(trap_flag);
}

/// Up to 16 bytes of code; no page is touched that may not be there.
void copy_code(std::uint8_t* to, std::uint64_t pc) noexcept {
    std::size_t n = 16;
    const std::size_t here = static_cast<std::size_t>(page_bytes - pc % page_bytes);
    if (here < n) {
        unsigned char there;
        if (::mincore(reinterpret_cast<void*>(pc + here), 1, &there) != 0)
            n = here;
    }
    std::memset(to, 0, 16);
    std::memcpy(to, reinterpret_cast<const void*>(pc), n);
}

/// System calls, and what would see or change the trap flag.
bool ends_a_burst(const std::uint8_t* code) noexcept {
    std::size_t i = 0;
    for (; i < 14; ++i) {
        const std::uint8_t c = code[i];
        const bool prefix = c == 0x66 || c == 0x67 || c == 0xF0 || c == 0xF2 || c == 0xF3 ||
                            c == 0x2E || c == 0x36 || c == 0x3E || c == 0x26 || c == 0x64 ||
                            c == 0x65 || (c & 0xF0) == 0x40;
        if (!prefix)
            break;
    }
    const std::uint8_t c = code[i];
    if (c == 0x0F) {
        const std::uint8_t second = code[i + 1];
        return second == 0x05 || second == 0x34 || second == 0x07 || second == 0x35 ||
               second == 0x0B; // syscall, sysenter, their returns, ud2
    }
    // pushf, popf, int3, int, iret, int1, a segment register, hlt, xbegin
    return c == 0x9C || c == 0x9D || (c >= 0xCC && c <= 0xCF) || c == 0xF1 || c == 0x8E ||
           c == 0xF4 || (c == 0xC7 && code[i + 1] == 0xF8);
}

/// Does to the program what it would have met without us.
void default_action(int signal) noexcept {
    struct sigaction usual {};
    usual.sa_handler = SIG_DFL;
    real_sigaction(signal, &usual, nullptr);
    ::syscall(SYS_tgkill, ::getpid(), ::syscall(SYS_gettid), signal);
}

/// All but that a trap is due: where it came unexpected, it would end the program.
void forget(observed_thread& t) noexcept {
    const bool leaving = t.leaving;
    t = {};
    t.leaving = leaving;
}

bool is_debugged() noexcept {
    char text[2048];
    const int file = ::open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    const ssize_t n = ::read(file, text, sizeof text - 1);
    ::close(file);
    text[n > 0 ? n : 0] = 0;
    const char* const at = std::strstr(text, "TracerPid:");
    return at != nullptr && at[11] != '0';
}

} // namespace

void observer::stop(unobserved why) noexcept {
    active_ = false;
    auto none = unobserved::none;
    if (process_ != nullptr)
        process_->observed.why_not.compare_exchange_strong(none, why);
}

void observer::start(record::control& area, record::process& process,
                     std::uint32_t number) noexcept {
    forked(); // by _Fork() or the bare call, perhaps
    area_ = &area;
    process_ = &process;
    number_ = number;
    active_ = false;
    loaded_object own{};
    if (area.look.period_ms == 0)
        return stop(unobserved::not_asked);
    if (is_debugged())
        return stop(unobserved::is_debugged);
    if (!find_object(reinterpret_cast<std::uint64_t>(&is_debugged), own))
        return stop(unobserved::no_timer);
    own_begin_ = own.begin;
    own_end_ = own.end;
    struct sigaction there {};
    for (const int signal : {SIGPROF, SIGTRAP}) {
        const bool ours = real_sigaction(signal, nullptr, &there) == 0 &&
                          (there.sa_sigaction == &observer::on_profile ||
                           there.sa_sigaction == &observer::on_trap); // of the forking process
        if (!ours && (there.sa_handler != SIG_DFL || (there.sa_flags & SA_SIGINFO) != 0))
            return stop(signal == SIGPROF ? unobserved::uses_sigprof : unobserved::uses_sigtrap);
    }
    struct sigaction mine {};
    mine.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    ::sigfillset(&mine.sa_mask);
    mine.sa_sigaction = &observer::on_trap;
    const bool traps = real_sigaction(SIGTRAP, &mine, nullptr) == 0;
    mine.sa_sigaction = &observer::on_profile;
    if (!traps || real_sigaction(SIGPROF, &mine, nullptr) != 0)
        return stop(unobserved::no_handler);
    active_ = true;
}

void observer::forked() noexcept {
    process_ = nullptr;
    gives_up_ = false;
    bursting_ = false;
    thread_.leaving |= thread_.into != nullptr; // a handler of the program forks within a burst
    forget(thread_);
    for (auto& t : timers_)
        t.store(nullptr, std::memory_order_relaxed);
}

void observer::thread_begins(std::uint32_t number, const std::uint32_t* busy) noexcept {
    if (!active_)
        return;
    observed_thread& t = thread_;
    forget(t);
    t.number = number;
    t.busy = busy;
    struct sigevent event {};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGPROF;
    event.sigev_value.sival_ptr = this;
    t.tid = static_cast<std::int32_t>(::syscall(SYS_gettid));
    event._sigev_un._tid = t.tid;
    timer_t timer;
    if (::timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) != 0)
        return give_up(unobserved::no_timer);
    for (auto& place : timers_) { // so that all can be ended by another thread
        void* none = nullptr;
        if (!place.compare_exchange_strong(none, as_word(timer)))
            continue;
        t.timer = &place;
        if (!active_) // another thread gives up, and may have ended all timers before
            return thread_ends();
        const timespec period{area_->look.period_ms / 1000,
                              static_cast<long>(area_->look.period_ms % 1000) * 1'000'000};
        const itimerspec each{period, period};
        if (::timer_settime(timer, 0, &each, nullptr) != 0 && active_)
            give_up(unobserved::no_timer);
        return;
    }
    ::timer_delete(timer);
}

void observer::thread_ends() noexcept {
    if (thread_.timer != nullptr)
        end_timer(*thread_.timer);
    thread_.timer = nullptr;
}

void observer::end_timer(std::atomic<void*>& place) noexcept {
    if (void* const word = place.exchange(nullptr))
        ::timer_delete(as_timer(word));
}

void observer::leave_to_the_program(int signal) noexcept {
    if (holds(signal))
        give_up(signal == SIGPROF ? unobserved::uses_sigprof : unobserved::uses_sigtrap);
}

void observer::give_up(unobserved why) noexcept {
    held_signals mine; // a jump from here would leave others waiting
    mine.hold();
    if (!gives_up_.exchange(true)) {
        if (active_)
            put_all_back(why);
        gives_up_ = false;
    } else {
        const std::uint64_t begin = ns_of(CLOCK_MONOTONIC);
        while (gives_up_ && ns_of(CLOCK_MONOTONIC) - begin < 2 * longest_wait_ns) {
            const timespec moment{0, 100'000};
            ::nanosleep(&moment, nullptr);
        }
    }
    mine.release();
}

void observer::put_all_back(unobserved why) noexcept {
    stop(why);
    const bool ended = bursts_have_ended();
    for (auto& place : timers_)
        end_timer(place);
    struct sigaction usual {};
    usual.sa_handler = SIG_IGN; // a timer's last signals, which wait, are gone by it
    real_sigaction(SIGPROF, &usual, nullptr);
    usual.sa_handler = SIG_DFL;
    real_sigaction(SIGPROF, &usual, nullptr);
    if (ended || why == unobserved::uses_sigtrap) // else the thread's next step ends its burst
        real_sigaction(SIGTRAP, &usual, nullptr);
}

/// A burst takes some milliseconds: it ends before any system call. But a handler of the program
/// may have jumped out of one, and its thread may sleep: then it is woken, and ends it. False: a
/// thread has not come so far.
bool observer::bursts_have_ended() noexcept {
    if (thread_.into != nullptr) // this thread's handler has jumped
        end_burst(thread_, trace::burst_end::other);
    const std::uint64_t begin = ns_of(CLOCK_MONOTONIC);
    bool called = false;
    while (bursting_) {
        const std::uint64_t waited = ns_of(CLOCK_MONOTONIC) - begin;
        if (waited > longest_wait_ns)
            return false;
        if (waited > usual_burst_ns && !called) {
            siginfo_t look{};
            look.si_code = SI_QUEUE;
            look.si_pid = ::getpid();
            look.si_value.sival_ptr = this;
            ::syscall(SYS_rt_tgsigqueueinfo, look.si_pid, bursting_tid_.load(), SIGPROF, &look);
            called = true;
        }
        const timespec moment{0, 100'000};
        ::nanosleep(&moment, nullptr);
    }
    return true;
}

void observer::on_profile(int signal, siginfo_t* info, void* context) noexcept {
    const int error = errno;
    if ((info->si_code == SI_TIMER || info->si_code == SI_QUEUE) &&
        info->si_value.sival_ptr == &the_observer)
        the_observer.look(context);
    else
        default_action(signal);
    errno = error;
}

void observer::on_trap(int signal, siginfo_t* info, void* context) noexcept {
    const int error = errno;
    // In some virtual machines the processor does not always say that it was a step (DR6 is 0), and
    // Linux takes it for a breakpoint. The program's own are not stepped over.
    const bool is_step = info->si_code == TRAP_TRACE ||
                         (info->si_code == TRAP_BRKPT &&
                          (registers_of(context)[REG_EFL] & static_cast<greg_t>(trap_flag)) != 0);
    if (is_step && (thread_.into != nullptr || thread_.leaving))
        the_observer.take_step(context);
    else
        default_action(signal);
    errno = error;
}

void observer::look(void* context) noexcept {
    observed_thread& t = thread_;
    if (!active_ || area_->stop.load(std::memory_order_relaxed) != 0) {
        thread_ends();
        if (t.into == nullptr)
            return;
    }
    if (t.into != nullptr) {
        if ((registers_of(context)[REG_EFL] & static_cast<greg_t>(trap_flag)) != 0)
            return;
        end_burst(t, trace::burst_end::other); // a handler of the program jumped out of it
        return;
    }
    t.left = 0;
    if (*t.busy != 0) {
        process_->observed.samples_of_ours.fetch_add(1, std::memory_order_relaxed);
        return;
    }
    if (t.calls != 0) {
        process_->observed.samples_in_calls.fetch_add(1, std::memory_order_relaxed);
        return;
    }
    record::sample& s =
        area_->look.sample_at[area_->look.next_sample.fetch_add(1) % record::most_samples];
    std::uint32_t expected = record::slot_free;
    if (s.state.compare_exchange_strong(expected, record::slot_taken)) {
        s.process = number_;
        s.thread = t.number;
        copy(s.at, context);
        s.time = __rdtsc();
        process_->observed.samples.fetch_add(1, std::memory_order_relaxed);
        s.state.store(record::slot_ready, std::memory_order_release);
    }
    const std::uint32_t steps = allowed_steps();
    if (steps == 0 || sigismember(&static_cast<ucontext_t*>(context)->uc_sigmask, SIGTRAP) != 0 ||
        !begin_burst(steps, false))
        return;
    set_trap_flag(context, true);
    t.leaving = false;
    note(t, context); // the next instruction is the first step
    if (t.into == nullptr)
        set_trap_flag(context, false);
}

/// Within the budget: a burst of how many instructions, 0: none yet.
std::uint32_t observer::allowed_steps() noexcept {
    const std::uint64_t all = ns_of(CLOCK_PROCESS_CPUTIME_ID);
    const std::uint64_t spent = process_->observed.burst_ns.load(std::memory_order_relaxed);
    const std::uint64_t taken = process_->observed.steps.load(std::memory_order_relaxed);
    const std::uint64_t budget = (all - spent) * area_->look.burst_percent / 100;
    const std::uint64_t a_step = taken < 100 ? step_ns_at_first : spent / taken + 1;
    if (budget < spent + record::least_steps * a_step)
        return 0;
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>((budget - spent) / a_step, record::most_steps));
}

bool observer::begin_burst(std::uint32_t steps, bool goes_on) noexcept {
    observed_thread& t = thread_;
    if (bursting_.exchange(true))
        return false;
    if (!active_) { // the program has just begun to use the signals
        bursting_ = false;
        return false;
    }
    for (record::burst& b : area_->look.burst_at) {
        std::uint32_t expected = record::slot_free;
        if (!b.state.compare_exchange_strong(expected, record::slot_taken))
            continue;
        b.process = number_;
        b.thread = t.number;
        b.count = 0;
        b.goes_on = goes_on ? 1 : 0;
        t.begin_ns = ns_of(CLOCK_THREAD_CPUTIME_ID);
        t.wanted = steps;
        t.left = 0;
        bursting_tid_ = t.tid;
        t.into = &b;
        return true;
    }
    bursting_ = false;
    return false;
}

void observer::end_burst(observed_thread& t, trace::burst_end why) noexcept {
    record::burst& b = *t.into;
    b.end = why;
    t.into = nullptr;
    if (!shut_in.load(std::memory_order_relaxed))
        process_->observed.burst_ns.fetch_add(ns_of(CLOCK_THREAD_CPUTIME_ID) - t.begin_ns,
                                              std::memory_order_relaxed);
    process_->observed.steps.fetch_add(b.count, std::memory_order_relaxed);
    process_->observed.bursts.fetch_add(b.count != 0, std::memory_order_relaxed);
    b.time = __rdtsc();
    b.state.store(b.count == 0 ? record::slot_free : record::slot_ready, std::memory_order_release);
    bursting_ = false;
}

/// Notes what the next instruction will find; where it must not be stepped over, the burst ends.
void observer::note(observed_thread& t, const void* context) noexcept {
    if (!active_) // the program is about to use the signals
        return end_burst(t, trace::burst_end::other);
    record::burst& b = *t.into;
    const auto pc = static_cast<std::uint64_t>(registers_of(context)[REG_RIP]);
    const bool ours = pc >= own_begin_ && pc < own_end_;
    if (ours && t.leaving)
        return;
    if (ours) {
        const std::uint32_t left = t.wanted - b.count;
        end_burst(t, trace::burst_end::call);
        t.left = left >= 16 ? left : 0;
        return;
    }
    t.leaving = false;
    record::step& s = b.steps[b.count];
    copy_code(s.code, pc);
    if (ends_a_burst(s.code))
        return end_burst(t, trace::burst_end::barred);
    copy(s.at, context);
    if (++b.count >= t.wanted)
        end_burst(t, trace::burst_end::whole);
}

void observer::take_step(void* context) noexcept {
    observed_thread& t = thread_;
    if (t.into != nullptr)
        note(t, context);
    if (t.into == nullptr) { // or it ended before its first step
        t.leaving = false;
        set_trap_flag(context, false);
    }
}

/// After a call that a burst came by.
void observer::go_on() noexcept {
    observed_thread& t = thread_;
    const std::uint32_t left = t.left;
    t.left = 0;
    if (!active_ || t.busy == nullptr || *t.busy != 0 || t.into != nullptr)
        return;
    // No handler of the program comes until the burst is noted as this thread's: it might jump, and
    // nobody would know whose it is.
    held_signals mine;
    mine.hold();
    if (!mine.holds())
        return;
    t.leaving = mine.took(SIGTRAP) && begin_burst(left, true);
    mine.release();
    if (t.into == nullptr) // or a look, which waited for its signal, has ended it
        t.leaving = false;
    else
        __asm__ volatile("pushfq\n\torq %0, (%%rsp)\n\tpopfq" : : "i"(0x100) : "memory", "cc");
}

#else

void observer::start(record::control& area, record::process& process, std::uint32_t) noexcept {
    process.observed.why_not = area.look.period_ms == 0 ? record::unobserved::not_asked
                                                        : record::unobserved::other_processor;
}
void observer::thread_begins(std::uint32_t, const std::uint32_t*) noexcept {}
void observer::thread_ends() noexcept {}
void observer::forked() noexcept {}
void observer::leave_to_the_program(int) noexcept {}
void observer::give_up(record::unobserved) noexcept {}
void observer::go_on() noexcept {}

#endif

} // namespace arenite::preload
