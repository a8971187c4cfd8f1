// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "system_calls.hpp"

#include <cerrno>
#include <cstdint>
#include <cstdlib>

#if defined(__linux__) && defined(__GLIBC__)
#define CALLS_ARE_COUNTED 1
#else
#define CALLS_ARE_COUNTED 0
#endif

#if CALLS_ARE_COUNTED
#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdarg>

namespace {

constinit std::atomic<std::size_t> calls{0};
constinit std::atomic<const char*> last{nullptr};

void note(const char* name) noexcept {
    calls.fetch_add(1, std::memory_order_relaxed);
    last.store(name, std::memory_order_relaxed);
}

template <class... Arguments>
long ask_kernel(long number, Arguments... arguments) noexcept {
    return syscall(number, arguments...);
}

} // namespace

// Called by the C library itself, and by the program's malloc and free everywhere.
extern "C" {

void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);

void* malloc(std::size_t bytes) noexcept {
    note("malloc");
    return __libc_malloc(bytes);
}
void* calloc(std::size_t count, std::size_t bytes) noexcept {
    note("calloc");
    return __libc_calloc(count, bytes);
}
void* realloc(void* p, std::size_t bytes) noexcept {
    note("realloc");
    return __libc_realloc(p, bytes);
}
void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
    note("memalign");
    return __libc_memalign(alignment, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
    note("aligned_alloc");
    return __libc_memalign(alignment, bytes);
}
int posix_memalign(void** result, std::size_t alignment, std::size_t bytes) noexcept {
    note("posix_memalign");
    void* const p = __libc_memalign(alignment, bytes);
    if (p == nullptr)
        return ENOMEM;
    *result = p;
    return 0;
}
void free(void* p) noexcept {
    if (p != nullptr)
        note("free");
    __libc_free(p);
}

void* mmap(void* at, std::size_t bytes, int protection, int flags, int file, off_t from) noexcept {
    note("mmap");
    return reinterpret_cast<void*>(
        ask_kernel(SYS_mmap, at, bytes, protection, flags, file, from)); // NOLINT
}
int munmap(void* p, std::size_t bytes) noexcept {
    note("munmap");
    return static_cast<int>(ask_kernel(SYS_munmap, p, bytes));
}
void* mremap(void* p, std::size_t bytes, std::size_t new_bytes, int flags, ...) noexcept {
    note("mremap");
    va_list rest;
    va_start(rest, flags);
    void* const at = (flags & MREMAP_FIXED) != 0 ? va_arg(rest, void*) : nullptr;
    va_end(rest);
    return reinterpret_cast<void*>(
        ask_kernel(SYS_mremap, p, bytes, new_bytes, flags, at)); // NOLINT
}
int mprotect(void* p, std::size_t bytes, int protection) noexcept {
    note("mprotect");
    return static_cast<int>(ask_kernel(SYS_mprotect, p, bytes, protection));
}
int madvise(void* p, std::size_t bytes, int advice) noexcept {
    note("madvise");
    return static_cast<int>(ask_kernel(SYS_madvise, p, bytes, advice));
}

} // extern "C"

namespace system_calls {

bool are_counted() noexcept { return true; }
std::size_t count() noexcept { return calls.load(std::memory_order_relaxed); }
const char* latest() noexcept { return last.load(std::memory_order_relaxed); }

std::size_t page_faults() noexcept {
    rusage now{};
    getrusage(RUSAGE_SELF, &now);
    return static_cast<std::size_t>(now.ru_minflt + now.ru_majflt);
}

} // namespace system_calls

#else

namespace system_calls {

bool are_counted() noexcept { return false; }
std::size_t count() noexcept { return 0; }
const char* latest() noexcept { return nullptr; }
std::size_t page_faults() noexcept { return 0; }

} // namespace system_calls

#endif
