// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <atomic>
#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <malloc.h>
#include <new>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

// The program that the tests record. Each kind of call asks for a size of its own, so that a test
// finds it in the trace whatever the C library asks for besides. Built without optimisation: no
// call is left out.
namespace {

constexpr int times = 100;

[[gnu::noinline]] void deepest(std::size_t bytes) { std::free(std::malloc(bytes)); }
[[gnu::noinline]] void middle(std::size_t bytes) { deepest(bytes); }
[[gnu::noinline]] void left(std::size_t bytes) { middle(bytes); }
[[gnu::noinline]] void right(std::size_t bytes) { middle(bytes); }

void every_entry() {
    for (int i = 0; i < times; ++i) {
        std::free(std::malloc(10001));
        std::free(std::calloc(10, 1000));
        void* p = std::malloc(10003);
        p = std::realloc(p, 20003);
        std::free(p);
        p = ::reallocarray(nullptr, 2, 5002);
        std::free(p);
        std::free(std::realloc(nullptr, 10005));
        std::free(::memalign(256, 10006));
        std::free(std::aligned_alloc(64, 10048));
        if (::posix_memalign(&p, 128, 10008) == 0)
            std::free(p);
        std::free(::valloc(10009));
        ::operator delete(::operator new(10010));
        ::operator delete(::operator new(10011), std::size_t{10011});
        ::operator delete[](::operator new[](10012));
        ::operator delete[](::operator new[](10013), std::size_t{10013});
        ::operator delete(::operator new(10014, std::nothrow), std::nothrow);
        ::operator delete[](::operator new[](10015, std::nothrow), std::nothrow);
        constexpr std::align_val_t line{64};
        ::operator delete(::operator new(10016, line), line);
        ::operator delete(::operator new(10017, line), std::size_t{10017}, line);
        ::operator delete[](::operator new[](10018, line), line);
        ::operator delete[](::operator new[](10019, line), std::size_t{10019}, line);
        ::operator delete(::operator new(10020, line, std::nothrow), line, std::nothrow);
        ::operator delete[](::operator new[](10021, line, std::nothrow), line, std::nothrow);
    }
}

void threads() {
    std::vector<std::thread> all;
    for (std::size_t t = 0; t < 8; ++t)
        all.emplace_back([t] {
            std::vector<void*> kept;
            for (int i = 0; i < 20000; ++i) {
                kept.push_back(std::malloc(30000 + t));
                if (kept.size() == 10) {
                    for (void* p : kept)
                        std::free(p);
                    kept.clear();
                }
            }
        });
    for (std::thread& t : all)
        t.join();
}

/// Threads that hand their objects to one another: an order by time alone is right.
void handing_over() {
    void* volatile slot[64] = {};
    std::vector<std::thread> all;
    for (int t = 0; t < 4; ++t)
        all.emplace_back([&slot, t] {
            for (int i = 0; i < 20000; ++i) {
                void* mine = std::malloc(static_cast<std::size_t>(40 + i % 7 * 16));
                mine = __atomic_exchange_n(&slot[(i * 7 + t) % 64], mine, __ATOMIC_ACQ_REL);
                if (mine != nullptr && i % 3 == 0)
                    mine = std::realloc(mine, static_cast<std::size_t>(200 + i % 5 * 64));
                std::free(mine);
            }
        });
    for (std::thread& t : all)
        t.join();
    for (void* p : slot)
        std::free(p);
}

struct at_thread_end {
    void* p = nullptr;
    ~at_thread_end() {
        std::free(p);
        std::free(std::malloc(50002));
    }
};
thread_local at_thread_end ending;

struct before_main {
    void* p = std::malloc(50001);
    ~before_main() { std::free(p); }
} first;

void throws(int depth) {
    std::string much(50003, 'x');
    if (depth == 0)
        throw std::runtime_error(much);
    throws(depth - 1);
}

volatile std::sig_atomic_t handled = 0;

sigjmp_buf out_of_a_call;
void jump(int) { siglongjmp(out_of_a_call, 1); }

/// Leaves calls by a signal handler's jump, again and again. Marks are the recorder's own work, so
/// that a jump harms nothing but the recorder.
bool leave_calls() {
    void (*mark)() = nullptr;
    void* const symbol = ::dlsym(RTLD_DEFAULT, "arenite_mark_frame");
    std::memcpy(&mark, &symbol, sizeof mark);
    if (mark == nullptr || std::signal(SIGALRM, jump) == SIG_ERR)
        return false;
    volatile int jumps = 0;
    if (sigsetjmp(out_of_a_call, 1) != 0)
        jumps = jumps + 1;
    if (jumps < 300) {
        const itimerval once{{0, 0}, {0, 100}};
        ::setitimer(ITIMER_REAL, &once, nullptr);
        for (;;)
            mark();
    }
    for (int i = 0; i < 1000; ++i)
        std::free(std::malloc(54001));
    return true;
}

/// A thread that is to be cancelled asks for memory, more often than its ring has room, and in a
/// child, where the recorder begins anew. Neither is a place where it may be cancelled.
bool asks_while_cancelled() {
    static std::atomic<int> asked{0};
    static pid_t child = -1;
    pthread_t thread;
    const auto ask = [](void*) -> void* {
        ::pthread_cancel(::pthread_self());
        child = ::fork();
        std::free(std::malloc(60008));
        if (child == 0)
            ::_exit(8);
        for (int i = 0; i < 300'000; ++i, ++asked)
            std::free(std::malloc(60009));
        ::pthread_testcancel();
        return nullptr;
    };
    void* result = nullptr;
    int status = 0;
    return ::pthread_create(&thread, nullptr, ask, nullptr) == 0 &&
           ::pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED && asked == 300'000 &&
           ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 8;
}

/// Children are killed while they begin to be recorded, and then one makes more events than its
/// ring has room for.
bool outlives_dying_children() {
    for (int i = 0; i < 20; ++i) {
        const pid_t child = ::fork();
        if (child == 0)
            for (;;)
                std::free(std::malloc(60010));
        ::usleep(static_cast<useconds_t>(i * 60));
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
    }
    const pid_t child = ::fork();
    if (child == 0) {
        for (int i = 0; i < 300'000; ++i)
            std::free(std::malloc(60011));
        ::_exit(0);
    }
    int status = 0;
    return ::waitpid(child, &status, 0) == child && WIFEXITED(status);
}

[[gnu::noinline]] void* inner(std::size_t n) { return std::malloc(n); }
[[gnu::noinline]] void* with_alloca(std::size_t n) {
    volatile char* place = static_cast<char*>(__builtin_alloca(n % 128 + 16));
    place[0] = 1;
    return inner(n);
}
[[gnu::noinline]] void* aligned_frame(std::size_t n) {
    alignas(64) volatile char place[64];
    place[0] = 1;
    return with_alloca(n + static_cast<std::size_t>(place[0]));
}

} // namespace

int main(int count, char** words) {
    const std::string what = count > 1 ? words[1] : "";
    if (what == "entries") {
        every_entry();
    } else if (what == "threads") {
        threads();
    } else if (what == "handing_over") {
        handing_over();
    } else if (what == "fork") {
        std::free(std::malloc(60001));
        if (const pid_t child = ::fork(); child == 0) {
            std::free(std::malloc(60002));
            ::_exit(0);
        } else {
            ::waitpid(child, nullptr, 0);
        }
        std::free(std::malloc(60003));
    } else if (what == "many_forks") {
        for (int i = 0; i < 1000; ++i)
            if (const pid_t child = ::fork(); child == 0) {
                std::free(std::malloc(60002));
                ::_exit(0);
            } else {
                ::waitpid(child, nullptr, 0);
            }
        std::free(std::malloc(60003));
    } else if (what == "exec") {
        std::free(std::malloc(60004));
        ::execl(words[0], words[0], "entries", nullptr);
    } else if (what == "leave") {
        (void)!std::malloc(60005);
        ::_exit(3);
    } else if (what == "crash") {
        (void)!std::malloc(60006);
        std::abort();
    } else if (what == "kill") {
        (void)!std::malloc(60007);
        ::raise(SIGKILL);
    } else if (what == "thread_end") {
        std::thread([] { ending.p = std::malloc(50004); }).join();
    } else if (what == "throw") {
        for (int i = 0; i < 2000; ++i)
            try {
                throws(5);
            } catch (const std::runtime_error& e) {
                std::free(std::malloc(std::strlen(e.what())));
            }
    } else if (what == "signal") {
        std::signal(SIGUSR1, [](int) {
            std::free(std::malloc(50005));
            handled = 1;
        });
        for (int i = 0; i < 100; ++i)
            ::raise(SIGUSR1);
    } else if (what == "dying_children") {
        return outlives_dying_children() ? 0 : 1;
    } else if (what == "cancelled") {
        return asks_while_cancelled() ? 0 : 1;
    } else if (what == "jumps") {
        return leave_calls() ? 0 : 1;
    } else if (what == "two_ways") { // to the same place, at the same height of the stack
        for (std::size_t i = 0; i < 1000; ++i)
            i % 3 ? left(51001) : right(51002);
    } else if (what == "dense") { // from ways that differ: no stack is like the one before
        for (std::size_t i = 0; i < 1'500'000; ++i)
            i % 3 ? left(52001) : right(52001);
    } else if (what == "stacks") {
        for (std::size_t i = 0; i < 20000; ++i)
            std::free(aligned_frame(i % 500));
    } else if (what == "library") {
        for (int i = 0; i < 20; ++i) {
            void* library = ::dlopen(words[2], RTLD_NOW);
            if (library == nullptr)
                return 5;
            const auto make = reinterpret_cast<void* (*)()>(::dlsym(library, "make_70001"));
            std::free(make());
            ::dlclose(library);
        }
    } else if (what == "too_much") {
        try {
            void* p = ::operator new(~std::size_t{0} / 2 - 1);
            ::operator delete(p);
        } catch (const std::bad_alloc&) {
            return 7;
        }
    } else if (what == "resize_fails") {
        void* p = std::malloc(50006);
        void* volatile const same = p;
        if (std::realloc(p, ~std::size_t{0} / 2 - 1) == nullptr && errno == ENOMEM)
            std::free(same);
    }
    return 0;
}
