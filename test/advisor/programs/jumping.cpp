// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cstring>

#if defined(__x86_64__)
#include <preload/next_function.hpp>
#include <record/area.hpp>

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <thread>
#include <ucontext.h>
#include <unistd.h>

// Its signal handlers jump out of the recorder, or within themselves, at each instruction or at
// chosen ones; and its threads take the recorder's signals at chosen moments. An alarm ends a mode
// that would wait for ever.
using arenite::preload::next_function;

namespace {

constexpr unsigned guard_seconds = 100;
constexpr greg_t trap_flag = 0x100;

sigjmp_buf out;

// ---- one instruction at a time -------------------------------------------
std::uintptr_t library_begin, library_end; ///< the recorder's, in this process

int find_library(dl_phdr_info* info, std::size_t, void* address) {
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const auto& part = info->dlpi_phdr[i];
        const std::uintptr_t begin = info->dlpi_addr + part.p_vaddr;
        const auto sought = reinterpret_cast<std::uintptr_t>(address);
        if (part.p_type != PT_LOAD || sought < begin || sought >= begin + part.p_memsz)
            continue;
        library_begin = begin;
        library_end = begin + part.p_memsz;
        return 1;
    }
    return 0;
}

enum class at { before, the_call, malloc_itself, the_note, elsewhere };
volatile at place;
volatile long until_jump; ///< instructions of the recorder
bool (*counts)();         ///< whether this one is one of them
bool always() { return true; }
[[noreturn]] void jump_out() { siglongjmp(out, 1); }
void (*jump)() = jump_out;

/// The recorder calls malloc, or does not, and notes the event. Where it calls something else,
/// that may hold a lock: it is not left any more.
void on_trap(int, siginfo_t*, void* context) {
    auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    const auto pc = static_cast<std::uintptr_t>(registers[REG_RIP]);
    const bool inside = pc >= library_begin && pc < library_end;
    if (place == at::before && inside)
        place = at::the_call;
    else if (place == at::the_call && !inside)
        place = at::malloc_itself;
    else if (place == at::malloc_itself && inside)
        place = at::the_note;
    else if (place == at::the_note && !inside)
        place = at::elsewhere;
    if (place == at::elsewhere)
        registers[REG_EFL] &= ~trap_flag;
    if (place != at::the_note || !counts())
        return;
    if (until_jump == 0)
        jump();
    until_jump = until_jump - 1;
}

/// One instruction at a time from here on, or not.
[[gnu::always_inline]] inline void step(bool on) {
    __asm__ volatile("pushfq\n\tandq $~0x100, (%%rsp)\n\torq %0, (%%rsp)\n\tpopfq"
                     :
                     : "r"(on ? std::uint64_t{trap_flag} : 0)
                     : "memory", "cc");
}

bool can_step(void (*mark)()) {
    struct sigaction trap {};
    trap.sa_sigaction = on_trap;
    trap.sa_flags = SA_SIGINFO;
    return ::sigaction(SIGTRAP, &trap, nullptr) == 0 &&
           ::dl_iterate_phdr(find_library, reinterpret_cast<void*>(mark)) == 1;
}

// Two functions whose return addresses the recorder remembers at one place, with rules that differ.
template <int Room>
[[gnu::noinline]] void ask(std::size_t bytes, bool stepped) {
    char room[Room];
    __asm__ volatile("" : : "r"(room) : "memory");
    step(stepped);
    void* const p = std::malloc(bytes);
    step(false);
    std::free(p);
}
constexpr int little = 64, page = 4096;
[[gnu::noinline]] void near(std::size_t bytes, bool stepped = false) {
    ask<little>(bytes, stepped);
    __asm__ volatile("");
}
[[gnu::noinline]] void far(std::size_t bytes, bool stepped = false) {
    ask<little + page>(bytes, stepped);
    __asm__ volatile("");
}

/// Leaves the note of a request at each instruction, then asks from one or the other place.
bool leave_while_a_rule_is_stored() {
    char room[4 * page]; // what a wrong rule reads
    __asm__ volatile("" : : "r"(room) : "memory");
    counts = always;
    static int next; // not in a register when it jumps
    static long n;
    for (next = 0; next < 2; ++next)
        for (n = 0;; ++n) {
            far(55000);
            until_jump = n;
            place = at::before;
            const bool jumped = sigsetjmp(out, 1) != 0;
            if (!jumped)
                near(55001, true);
            next == 0 ? near(55002) : far(55003);
            if (!jumped && place == at::elsewhere && n > 20)
                break;
            if (n > 5000)
                return false;
        }
    return true;
}

// ---- what the recorder sees of a thread -----------------------------------
arenite::record::ring* own_ring;
bool is_noting() { return own_ring->busy.load() != 0; }

/// How many threads have one; the last of them is noted.
int taken_rings() {
    const char* const path = std::getenv(arenite::record::area_variable);
    const int file = path == nullptr ? -1 : ::open(path, O_RDWR | O_CLOEXEC);
    void* const p = ::mmap(nullptr, sizeof(arenite::record::control), PROT_READ | PROT_WRITE,
                           MAP_SHARED, file, 0);
    int count = 0;
    if (p == MAP_FAILED)
        return count;
    for (auto& ring : static_cast<arenite::record::control*>(p)->ring_at)
        if (ring.state.load() == arenite::record::ring_taken) {
            own_ring = &ring;
            ++count;
        }
    return count;
}

/// Leaves a mark's note at each instruction at which the recorder, which drains the ring, would
/// wait for its end. It must not: no end comes.
bool leave_what_is_waited_for(void (*mark)()) {
    mark(); // the thread gets its ring
    if (taken_rings() != 1)
        return false;
    counts = is_noting;
    static long n;
    for (n = 0; n < 1000; ++n) {
        until_jump = n;
        place = at::malloc_itself; // there is none
        const bool jumped = sigsetjmp(out, 1) != 0;
        if (!jumped) {
            step(true);
            mark();
            step(false);
        }
        if (own_ring->busy.load() != 0) {
            std::puts("the recorder still waits");
            return false;
        }
        mark();
        while (own_ring->tail.load() != own_ring->head.load())
            ::usleep(1000);
        if (!jumped)
            return n > 3;
    }
    return false;
}

alignas(64) char other_stack[1 << 16];

/// Within the handler, which then asks for memory itself.
void jump_within() {
    static sigjmp_buf within;
    const bool noted = is_noting();
    if (sigsetjmp(within, 1) == 0)
        siglongjmp(within, 1);
    if (is_noting() != noted)
        std::puts("the recorder would not wait for the note's end");
    std::free(std::malloc(58000));
}

int marks_since(std::uint64_t begin) {
    int marks = 0;
    for (std::uint64_t i = begin; i < own_ring->head.load(); ++i)
        marks += (own_ring->events[i % arenite::record::ring_events].place >> 48 & 15) ==
                 arenite::record::op_mark;
    return marks;
}

bool handle_traps_on(void* stack, std::size_t bytes) {
    const stack_t other{stack, 0, bytes};
    struct sigaction trap {};
    trap.sa_sigaction = on_trap;
    trap.sa_flags = SA_SIGINFO | SA_ONSTACK;
    return ::sigaltstack(&other, nullptr) == 0 && ::sigaction(SIGTRAP, &trap, nullptr) == 0;
}

/// Interrupts a mark's note at each instruction by a handler that jumps within itself, on the
/// same stack or another. The note comes to its end.
bool interrupt_notes(void (*mark)(), void* handlers_stack, std::size_t bytes) {
    if (handlers_stack != nullptr && !handle_traps_on(handlers_stack, bytes))
        return false;
    counts = always;
    jump = jump_within;
    for (long n = 0; n < 1000; ++n) {
        until_jump = n;
        place = at::malloc_itself;
        const std::uint64_t begin = own_ring->head.load();
        step(true);
        mark();
        step(false);
        if (marks_since(begin) != 1 || is_noting()) {
            std::printf("at instruction %ld: %d marks\n", n, marks_since(begin));
            return false;
        }
        if (until_jump >= 0)
            return n > 20;
    }
    return false;
}

bool interrupt_notes(void (*mark)()) {
    alignas(64) char above[sizeof other_stack]; // the note's stack is below, not that of its thread
    mark();
    return taken_rings() == 1 && interrupt_notes(mark, nullptr, 0) &&
           interrupt_notes(mark, other_stack, sizeof other_stack) &&
           interrupt_notes(mark, above, sizeof above);
}

ucontext_t outside, inside;
void wait_to_go_on() {
    if (sigsetjmp(out, 1) == 0)
        ::swapcontext(&inside, &outside);
}

/// Leaves a mark's note from the handler's own stack to a third, which lies between the two.
bool leave_to_another_stack(void (*mark)()) {
    mark();
    constexpr std::size_t bytes = 1 << 16;
    void* const stack =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (taken_rings() != 1 || stack == MAP_FAILED || ::getcontext(&inside) != 0 ||
        !handle_traps_on(other_stack, sizeof other_stack))
        return false;
    inside.uc_stack.ss_sp = stack;
    inside.uc_stack.ss_size = bytes;
    inside.uc_link = &outside;
    ::makecontext(&inside, wait_to_go_on, 0);
    counts = is_noting;
    until_jump = 0;
    place = at::malloc_itself;
    static int times = 0;
    ::swapcontext(&outside, &inside); // it comes back twice
    if (++times == 1) {
        step(true);
        mark();
        step(false);
        return false;
    }
    const std::uint64_t begin = own_ring->head.load();
    const bool noted = is_noting();
    mark();
    return times == 2 && !noted && marks_since(begin) == 1;
}

// ---- bursts ----------------------------------------------------------------
volatile bool leaves_bursts = false;

void leave(int) { siglongjmp(out, 1); }

/// Leaves the recorder's work at each burst that goes on after a call: it asks for the CPU time
/// when it has claimed the burst and before that is noted.
bool leave_new_bursts() {
    const stack_t other{other_stack, 0, sizeof other_stack};
    ::sigaltstack(&other, nullptr); // the observer's handlers work there
    std::signal(SIGUSR1, leave);
    std::free(std::malloc(100)); // the thread is known from here on
    static int jumps;
    volatile long sum[64] = {};
    if (sigsetjmp(out, 1) != 0)
        ++jumps;
    const bool enough = jumps == 3;
    leaves_bursts = !enough;
    while (!enough) {
        for (int i = 0; i < 64; ++i)
            sum[i] = sum[i] + i;
        std::free(std::malloc(100));
    }
    return true;
}

// ---- the first request of a thread ------------------------------------------
thread_local volatile bool leaves_its_first = false;
thread_local int timers;

/// Leaves the first request of a thread when it has its ring and no timer yet. It gets both all the
/// same, and gives the ring back.
bool leave_first_request() {
    std::free(std::malloc(100)); // the process is known from here on
    std::signal(SIGUSR1, leave);
    static bool jumped = false, has_timer = false;
    std::thread begins{[] {
        if (sigsetjmp(out, 1) == 0) {
            leaves_its_first = true;
            std::free(std::malloc(57000));
        } else {
            jumped = true;
        }
        std::free(std::malloc(57001));
        has_timer = timers == 1;
    }};
    begins.join();
    return jumped && has_timer && taken_rings() == 1;
}

// ---- the end of observation -------------------------------------------------
enum class during { nothing, making_a_timer, refusing_a_timer, ending_a_timer };
std::atomic<during> interrupted{during::nothing}; ///< what waits for the other thread, once
std::atomic<bool> is_interrupted{false}, goes_on{false};
std::atomic<int> timers_alive{0};

/// In the thread that does it: the other one acts meanwhile. Where that waits for this one, it
/// cannot come to an end before; so this one goes on after a moment.
void let_the_other(during what) {
    if (interrupted != what)
        return;
    interrupted = during::nothing;
    is_interrupted = true;
    for (int i = 0; i < 500 && !goes_on; ++i)
        ::usleep(1000);
}
void wait_for_the_other() {
    while (!is_interrupted)
        ::usleep(1000);
}

void handle(int) {}
void handle_too(int) {}
void (*handler_of(int signal))(int) {
    struct sigaction now {};
    ::sigaction(signal, nullptr, &now);
    return now.sa_handler;
}
bool nothing_is_left() {
    if (timers_alive != 0)
        std::printf("%d timers are left\n", timers_alive.load());
    return timers_alive == 0;
}

/// The program takes a signal while a thread has made its timer and has not begun to use it.
bool takes_it_from_a_new_thread() {
    interrupted = during::making_a_timer;
    static bool right = false;
    std::thread begins{[] {
        std::free(std::malloc(100));
        while (!goes_on)
            ::usleep(1000);
        right = nothing_is_left(); // while this thread lives
    }};
    wait_for_the_other();
    std::signal(SIGPROF, handle);
    goes_on = true;
    begins.join();
    return right && handler_of(SIGPROF) == handle;
}

/// Two threads take a signal each at the same time.
bool takes_both_at_once() {
    interrupted = during::ending_a_timer;
    std::thread one{[] { std::signal(SIGTRAP, handle); }};
    wait_for_the_other();
    std::signal(SIGPROF, handle_too);
    goes_on = true;
    one.join();
    return nothing_is_left() && handler_of(SIGTRAP) == handle && handler_of(SIGPROF) == handle_too;
}

/// The system gives one thread a timer, the next none: then nobody has one, nor the handlers.
bool gets_one_timer_only() {
    interrupted = during::refusing_a_timer;
    std::thread{[] { std::free(std::malloc(100)); }}.join();
    return nothing_is_left() && handler_of(SIGPROF) == SIG_DFL && handler_of(SIGTRAP) == SIG_DFL;
}

} // namespace

/// These stand before the C library's.
extern "C" [[gnu::visibility("default")]] int timer_create(clockid_t clock, sigevent* event,
                                                           timer_t* timer) noexcept {
    if (interrupted == during::refusing_a_timer)
        return -1;
    ++timers;
    const int result =
        next_function<int (*)(clockid_t, sigevent*, timer_t*)>("timer_create")(clock, event, timer);
    timers_alive += result == 0;
    let_the_other(during::making_a_timer);
    return result;
}
extern "C" [[gnu::visibility("default")]] int timer_delete(timer_t timer) noexcept {
    const int result = next_function<int (*)(timer_t)>("timer_delete")(timer);
    timers_alive -= result == 0;
    let_the_other(during::ending_a_timer);
    return result;
}
extern "C" [[gnu::visibility("default")]] int clock_gettime(clockid_t clock,
                                                            timespec* time) noexcept {
    const char here = 0;
    if (leaves_bursts && clock == CLOCK_THREAD_CPUTIME_ID &&
        (&here < other_stack || &here >= other_stack + sizeof other_stack))
        std::raise(SIGUSR1);
    if (leaves_its_first && clock == CLOCK_THREAD_CPUTIME_ID) {
        leaves_its_first = false;
        std::raise(SIGUSR1);
    }
    return static_cast<int>(::syscall(SYS_clock_gettime, clock, time));
}

int main(int count, char** words) {
    const char* const what = count > 1 ? words[1] : "";
    void (*mark)() = nullptr;
    void* const symbol = ::dlsym(RTLD_DEFAULT, "arenite_mark_frame");
    std::memcpy(&mark, &symbol, sizeof mark);
    ::alarm(guard_seconds);
    if (mark == nullptr)
        return 2;
    bool right = false;
    if (std::strcmp(what, "rules") == 0)
        right = can_step(mark) && leave_while_a_rule_is_stored();
    else if (std::strcmp(what, "notes") == 0)
        right = can_step(mark) && leave_what_is_waited_for(mark);
    else if (std::strcmp(what, "within") == 0)
        right = can_step(mark) && interrupt_notes(mark);
    else if (std::strcmp(what, "to_another_stack") == 0)
        right = can_step(mark) && leave_to_another_stack(mark);
    else if (std::strcmp(what, "bursts") == 0)
        right = leave_new_bursts();
    else if (std::strcmp(what, "first") == 0)
        right = leave_first_request();
    else if (std::strcmp(what, "new_thread") == 0)
        right = takes_it_from_a_new_thread();
    else if (std::strcmp(what, "both_at_once") == 0)
        right = takes_both_at_once();
    else if (std::strcmp(what, "one_timer") == 0)
        right = gets_one_timer_only();
    std::puts(right ? "all was right" : "something was wrong");
    return right ? 0 : 1;
}
#else
int main() { return 0; }
#endif
