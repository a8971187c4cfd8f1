// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <malloc.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

// The program whose accesses the tests observe, and which uses the same signals in some modes.
// Every mode computes for a while, and writes what it found: recorded or not, that is the same.
namespace {

struct node {
    node* next;
    long value[6];
};
struct other {
    long value[5];
};

[[gnu::noinline]] node* make_node(node* next) {
    auto* n = static_cast<node*>(std::malloc(sizeof(node)));
    *n = {next, {1, 2, 3, 4, 5, 6}};
    return n;
}
[[gnu::noinline]] other* make_other() { return static_cast<other*>(std::calloc(1, sizeof(other))); }

double cpu_seconds() {
    timespec t{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return double(t.tv_sec) + double(t.tv_nsec) * 1e-9;
}

/// Each node points to the one that was made after it: a walk goes in order of birth.
bool walk(double seconds, bool allocates) {
    constexpr long nodes = 20000;
    node* const first = make_node(nullptr);
    node* last = first;
    for (long i = 1; i < nodes; ++i) {
        last->next = make_node(nullptr);
        last = last->next;
        std::free(i % 2 ? make_other() : nullptr);
    }
    const double end = cpu_seconds() + seconds;
    bool right = true;
    while (cpu_seconds() < end) {
        long sum = 0;
        for (const node* n = first; n != nullptr; n = n->next) {
            sum += n->value[2];
            if (allocates)
                std::free(std::malloc(100));
        }
        right = right && sum == 3 * nodes;
    }
    for (node* n = first; n != nullptr;) {
        node* const next = n->next;
        std::free(n);
        n = next;
    }
    return right;
}

volatile std::sig_atomic_t handled = 0;
void handle(int) { handled = handled + 1; }

#if defined(__x86_64__)
sigjmp_buf out_of_the_walk;

/// Leaves what it interrupted, where that is within a burst: then the trap flag is set.
void jump(int, siginfo_t*, void* context) {
    if ((static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL] & 0x100) != 0)
        siglongjmp(out_of_the_walk, 1);
}

/// A forked child takes SIGPROF: it waits for no burst, and has SIGTRAP back with it.
bool child_takes_a_signal() {
    const pid_t child = ::fork();
    if (child == 0) {
        struct sigaction now {};
        const bool was_default = std::signal(SIGPROF, handle) == SIG_DFL;
        const bool asked = ::sigaction(SIGTRAP, nullptr, &now) == 0;
        ::_exit(was_default && asked && now.sa_handler == SIG_DFL ? 0 : 1);
    }
    int status = 1;
    return child > 0 && ::waitpid(child, &status, 0) == child && status == 0;
}

/// One thread leaves a burst by a jump and sleeps; another then takes SIGTRAP, or forks.
bool jumps_out(bool forks) {
    struct sigaction leave {};
    leave.sa_sigaction = jump;
    leave.sa_flags = SA_SIGINFO;
    ::sigaction(SIGUSR1, &leave, nullptr);
    int pipe[2];
    if (::pipe(pipe) != 0)
        return false;
    std::atomic<bool> begun{false}, jumped{false};
    volatile long sum = 0;
    std::thread walker{[&] {
        node* const first = make_node(nullptr);
        char woken = 0;
        if (sigsetjmp(out_of_the_walk, 1) == 0) {
            begun = true;
            for (;;)
                sum = sum + first->value[2];
        }
        jumped = true;
        while (::read(pipe[0], &woken, 1) != 1) {
        }
        std::free(first);
    }};
    while (!begun)
        ::usleep(1000);
    for (int i = 0; i < 40'000 && !jumped; ++i) {
        ::pthread_kill(walker.native_handle(), SIGUSR1);
        ::usleep(500);
    }
    std::puts(jumped ? "it jumped" : "it met no burst");
    std::fflush(stdout);
    if (!jumped)
        ::_exit(0);
    bool right = true;
    if (forks) {
        right = child_takes_a_signal();
    } else {
        struct sigaction mine {};
        mine.sa_handler = handle;
        ::sigaction(SIGTRAP, &mine, nullptr);
        ::raise(SIGTRAP);
        right = handled == 1;
    }
    right = ::write(pipe[1], "x", 1) == 1 && right;
    walker.join();
    return right;
}

sigjmp_buf out_of_malloc;
void leave_malloc(int) { siglongjmp(out_of_malloc, 1); }

/// Leaves calls of malloc and free by a signal handler's jump: large ones, which ask the system and
/// change nothing else, so that the C library lives with it.
void jumps_out_of_malloc() {
    ::mallopt(M_MMAP_THRESHOLD, 1 << 18);
    std::signal(SIGALRM, leave_malloc);
    volatile int jumps = 0;
    if (sigsetjmp(out_of_malloc, 1) != 0)
        jumps = jumps + 1;
    if (jumps == 100)
        return;
    const itimerval once{{0, 0}, {0, 100}};
    ::setitimer(ITIMER_REAL, &once, nullptr);
    for (;;)
        std::free(std::malloc(1 << 20));
}
#else
bool jumps_out(bool) { return true; }
void jumps_out_of_malloc() {}
#endif

} // namespace

int main(int count, char** words) {
    const char* const what = count > 1 ? words[1] : "walks";
    const auto is = [what](const char* mode) { return std::strcmp(what, mode) == 0; };
    bool right = true;
    if (is("walks")) {
        right = walk(0.3, false);
    } else if (is("walks_and_allocates")) {
        right = walk(0.3, true);
    } else if (is("walks_with_threads")) {
        std::vector<std::thread> threads;
        std::vector<int> results(3);
        for (int& result : results)
            threads.emplace_back([&result] { result = walk(0.2, true); });
        for (std::thread& t : threads)
            t.join();
        for (const int result : results)
            right = right && result != 0;
    } else if (is("profiles_itself")) {
        right = walk(0.15, false);
        if (std::signal(SIGPROF, handle) != SIG_DFL)
            return 3;
        const itimerval each{{0, 1000}, {0, 1000}};
        ::setitimer(ITIMER_PROF, &each, nullptr);
        right = walk(0.2, false) && right;
        const itimerval never{};
        ::setitimer(ITIMER_PROF, &never, nullptr);
        right = right && handled > 0;
    } else if (is("traps_itself")) {
        right = walk(0.15, false);
        struct sigaction mine {};
        struct sigaction before {};
        mine.sa_handler = handle;
        ::sigaction(SIGTRAP, &mine, &before);
        right = right && before.sa_handler == SIG_DFL;
        for (int i = 0; i < 10; ++i)
            ::raise(SIGTRAP);
        right = walk(0.1, false) && right && handled == 10;
    } else if (is("waits_for_all")) {
        right = walk(0.15, false);
        sigset_t all;
        sigfillset(&all);
        ::sigprocmask(SIG_BLOCK, &all, nullptr);
        right = walk(0.1, false) && right;
        ::raise(SIGUSR1);
        int got = 0;
        right = right && ::sigwait(&all, &got) == 0 && got == SIGUSR1;
    } else if (is("jumps_out")) {
        right = jumps_out(false);
    } else if (is("jumps_out_and_forks")) {
        right = jumps_out(true);
    } else if (is("jumps_out_of_malloc")) {
        jumps_out_of_malloc();
        right = walk(0.3, false);
    } else if (is("blocks_traps")) {
        sigset_t trap;
        sigemptyset(&trap);
        sigaddset(&trap, SIGTRAP);
        ::sigprocmask(SIG_BLOCK, &trap, nullptr);
        right = walk(0.3, true);
    } else if (is("asks")) {
        right = walk(0.1, false);
        for (const int signal : {SIGPROF, SIGTRAP}) {
            struct sigaction now {};
            right = right && ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_DFL;
            right = right && std::signal(signal, SIG_DFL) == SIG_DFL;
        }
        right = walk(0.1, false) && right;
    } else if (is("is_profiled")) { // by another: the default ends it
        right = walk(0.1, false);
        ::raise(SIGPROF);
    } else if (is("is_trapped")) {
        right = walk(0.1, false);
        ::raise(SIGTRAP);
    }
    std::puts(right ? "all was right" : "something was wrong");
    return right ? 0 : 1;
}
