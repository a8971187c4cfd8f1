// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <cstdlib> // __GLIBC__

#include "support/demands.hpp"

#if DEMANDS_CAN_BE_TESTED
#include <atomic>

#include <dlfcn.h>
#include <pthread.h>

namespace {
std::atomic<unsigned long> locked{0};
}

namespace support {
unsigned long locked_mutexes() noexcept { return locked.load(std::memory_order_relaxed); }
} // namespace support

/// Stands before the C library's own, in the whole program.
extern "C" int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
    using function = int (*)(pthread_mutex_t*);
    static std::atomic<function> own{nullptr};
    function f = own.load(std::memory_order_relaxed);
    if (f == nullptr) {
        f = reinterpret_cast<function>(::dlsym(RTLD_NEXT, "pthread_mutex_lock"));
        own.store(f, std::memory_order_relaxed);
    }
    locked.fetch_add(1, std::memory_order_relaxed);
    return f(mutex);
}
#endif
