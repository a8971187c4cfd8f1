// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/thread_exit.hpp>

#include <arenite/core/contract.hpp>

#include <atomic>
#include <cstdint>

#if __has_include(<pthread.h>)
#include <pthread.h>
#define ARENITE_HAS_THREAD_KEYS 1
#else
#define ARENITE_HAS_THREAD_KEYS 0
#endif

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

constinit thread_local bool thread_exit::come = false;

namespace {

// All functions that any thread awaits; a thread notes their numbers.
constinit std::atomic<thread_exit::function> functions[thread_exit::most] = {};

unsigned number_of(thread_exit::function f) noexcept {
    for (unsigned i = 0; i < thread_exit::most; ++i) {
        thread_exit::function there = nullptr;
        if (functions[i].compare_exchange_strong(there, f) || there == f)
            return i;
    }
    contract_violation("thread_exit: more functions are awaited than there is room for");
}

} // namespace

/// What one thread awaits. Its destructor is what the language offers to see a thread end.
struct thread_exit::caller {
    static constexpr unsigned number_bits = 4;
    static_assert(most < 1 << number_bits && most * number_bits <= 32);

    std::uint32_t awaited = 0; ///< numbers plus one, the latest in the lowest bits

    ~caller();
};

#if ARENITE_HAS_THREAD_KEYS

/// Calls what a thread awaits whose objects had ended before it awaited anything.
struct thread_exit::key {
    pthread_key_t number{};
    bool there;

    key() noexcept
        : there{pthread_key_create(
                    &number, [](void* mine) { call_all(*static_cast<caller*>(mine)); }) == 0} {}
    ~key() { // this library is closed, or the process ends
        if (there)
            pthread_key_delete(number);
        there = false;
    }

    static key& of_the_process() noexcept {
        static key one;
        return one;
    }

    static void set(caller* mine) noexcept {
        key& one = of_the_process();
        if (one.there)
            static_cast<void>(pthread_setspecific(one.number, mine));
    }
};

#else

struct thread_exit::key {
    static void set(caller*) noexcept {}
};

#endif

thread_exit::caller::~caller() {
    key::set(nullptr); // what it would call may be gone by then
    call_all(*this);
}

void thread_exit::call_all(caller& mine) noexcept {
    come = true;
    while (mine.awaited != 0) {
        const unsigned number = mine.awaited % (1 << caller::number_bits) - 1;
        mine.awaited >>= caller::number_bits;
        functions[number].load()();
    }
}

void thread_exit::await(function f) noexcept {
    ARENITE_ASSERT(!has_come(), "the thread is at its end, and nothing is awaited any more");
    static thread_local caller mine;
    const std::uint32_t number = number_of(f) + 1;
    if (mine.awaited == 0)
        key::set(&mine);
    for (std::uint32_t rest = mine.awaited; rest != 0; rest >>= caller::number_bits)
        if (rest % (1 << caller::number_bits) == number)
            return;
    mine.awaited = mine.awaited << caller::number_bits | number;
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
