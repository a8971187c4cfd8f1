// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The end of a thread. First the functions that any thread awaits, by their numbers; then the key
// of POSIX threads, or, where there is none, the object of a thread that stands for it; then
// calling what a thread awaits, and registering. A thread notes in one word of its own which
// functions it awaits; nothing is allocated, so that an allocator can use this from its first
// request on. has_come() tells objects that end later to keep nothing for the thread.
#include <arenite/core/detail/thread_exit.hpp>

#include <arenite/core/contract.hpp>
#include <arenite/core/detail/module_close.hpp>
#include <arenite/core/detail/process_object.hpp>

#include <atomic>
#include <cstdint>
#include <utility>

#if defined(__MINGW32__)
#include <cxxabi.h>
#endif
#if __has_include(<pthread.h>)
#include <pthread.h>
#define ARENITE_HAS_THREAD_KEYS 1
#else
#define ARENITE_HAS_THREAD_KEYS 0
#endif

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

constinit thread_local thread_exit::awaited thread_exit::state ARENITE_THREAD_FAST{};

namespace {

// All functions that any thread awaits; a thread notes their numbers.
constinit std::atomic<thread_exit::function> functions[thread_exit::most] = {};
constexpr unsigned number_bits = 4;
static_assert(thread_exit::most < 1 << number_bits && thread_exit::most * number_bits <= 32);
// One bit each in `last`.
static_assert(thread_exit::most <= 8);

unsigned number_of(thread_exit::function f) noexcept {
    for (unsigned i = 0; i < thread_exit::most; ++i) {
        thread_exit::function there = nullptr;
        if (functions[i].compare_exchange_strong(there, f) || there == f)
            return i;
    }
    contract_violation("thread_exit: more functions are awaited than there is room for");
}

} // namespace

#if ARENITE_HAS_THREAD_KEYS

/// The key of POSIX threads by which the library sees a thread end.
struct thread_exit::key {
    pthread_key_t number{};
    bool there;

    key() noexcept : there{pthread_key_create(&number, &thread_ends) == 0} {}

    // It has no destructor: that would be registered under a lock of the C library, and under this
    // lock malloc may be called for the first time, and so this.
    static key& one() noexcept { return process_object<key>::get(); }

    static void thread_ends(void* p) noexcept {
        if (p == nullptr) // Windows' own threads of POSIX call it all the same
            return;
        awaited& mine = *static_cast<awaited*>(p);
#if !defined(__MINGW32__)
        // The thread's objects may end by a key that is called after this one, and other keys have
        // objects too.
        if (!std::exchange(mine.waited, true))
            return static_cast<void>(set(&mine));
#endif
        call(mine);
        call_last(mine);
    }

    /// False where the process has used up its keys.
    static bool set(awaited* mine) noexcept {
        return one().there && pthread_setspecific(one().number, mine) == 0;
    }

    // A child that is forked while another thread makes it would wait for that one for ever.
    struct maker {
        maker() noexcept {
#if defined(__MINGW32__) && defined(__GLIBCXX__)
            // The key by which libstdc++ ends a thread's objects, before ours.
            abi::__cxa_thread_atexit([](void*) {}, nullptr, nullptr);
#endif
            one();
        }
    };
    static maker at_load;

#if !ARENITE_IS_MALLOC // which is never closed
    /// After the destructors of the module's objects, which may await the end of their thread.
    ARENITE_AT_MODULE_CLOSE static void closed() noexcept {
        if (std::exchange(one().there, false))
            pthread_key_delete(one().number);
    }
#endif
};

#if defined(__MINGW32__)
// There, a thread's objects are ended, and their memory is freed, by keys of POSIX threads in the
// order in which these were made at first use. As a rule the memory comes first: objects are then
// ended in freed memory. So the other keys are made here, before any code can use such memory.
__attribute__((init_priority(101))) //
#endif
thread_exit::key::maker thread_exit::key::at_load;

#else

struct thread_exit::key {
    static bool set(awaited*) noexcept { return false; }
};

#endif

#if !ARENITE_IS_MALLOC

/// Its destructor sees a thread end where no key does. It is registered with the loader, so that
/// would wait, under the loader's lock, for whoever loads a library meanwhile.
struct thread_exit::ender {
    bool awaits = false;

    ~ender() {
        if (state.last == 0)
            static_cast<void>(key::set(nullptr)); // what it would call may be gone by then
        call(state);
    }
};

thread_local thread_exit::ender thread_exit::at_the_end; // in a function it would take more

#endif

void thread_exit::call(awaited& mine) noexcept {
    mine.come = true;
    // The latest awaited first; a function that is called may await nothing more.
    while (mine.functions != 0) {
        const unsigned number = mine.functions % (1 << number_bits) - 1;
        mine.functions >>= number_bits;
        functions[number].load()();
    }
}

void thread_exit::call_last(awaited& mine) noexcept {
    for (unsigned number = 0; number < most; ++number) {
        if ((mine.last >> number & 1) == 0)
            continue;
        mine.last = static_cast<std::uint8_t>(mine.last & ~(1u << number));
        functions[number].load()();
    }
}

void thread_exit::await(function f) noexcept {
    ARENITE_ASSERT(!has_come(), "the thread is at its end, and nothing is awaited any more");
    const std::uint32_t number = number_of(f) + 1;
    const bool by_key = state.functions != 0 || key::set(&state);
#if ARENITE_IS_MALLOC // what malloc keeps for a thread is lost where the process has no key left
    static_cast<void>(by_key);
#else
    if (state.functions == 0 && (!by_key || !ends_after_objects))
        at_the_end.awaits = true;
#endif
    for (std::uint32_t rest = state.functions; rest != 0; rest >>= number_bits)
        // Awaited already: once is enough.
        if (rest % (1 << number_bits) == number)
            return;
    state.functions = state.functions << number_bits | number;
}

void thread_exit::await_last(function f) noexcept {
    static_cast<void>(key::set(&state));
    state.last = static_cast<std::uint8_t>(state.last | 1u << number_of(f));
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
