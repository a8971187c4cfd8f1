// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "support/failing_calls.hpp"

#if CALLS_CAN_FAIL
#include <atomic>
#include <cerrno>
#include <cstddef>

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

std::atomic<bool> active{false};
std::atomic<long> made{0};
std::atomic<long> fails_from{0};
std::atomic<long> fails_to{0};

bool fails() noexcept {
    if (!active.load(std::memory_order_relaxed))
        return false;
    const long n = made.fetch_add(1, std::memory_order_relaxed);
    return n >= fails_from && n < fails_to;
}

} // namespace

namespace support {

failing_calls::failing_calls(long first, long count) noexcept {
    made = 0;
    fails_from = first;
    fails_to = count > LONG_MAX - first ? LONG_MAX : first + count;
    active = true;
}

failing_calls::~failing_calls() { active = false; }

long failing_calls::calls() const noexcept { return made; }

} // namespace support

// They stand before the C library's own, in the whole program.
extern "C" {

void* mmap(void* p, std::size_t bytes, int access, int flags, int file, off_t offset) noexcept {
    if (fails()) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return reinterpret_cast<void*>(::syscall(SYS_mmap, p, bytes, access, flags, file, offset));
}

int madvise(void* p, std::size_t bytes, int advice) noexcept {
    if (fails()) {
        errno = ENOMEM;
        return -1;
    }
    return static_cast<int>(::syscall(SYS_madvise, p, bytes, advice));
}

int mprotect(void* p, std::size_t bytes, int access) noexcept {
    if (fails()) {
        errno = ENOMEM;
        return -1;
    }
    return static_cast<int>(::syscall(SYS_mprotect, p, bytes, access));
}

} // extern "C"
#endif
