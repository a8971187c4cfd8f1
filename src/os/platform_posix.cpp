// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#if defined(__linux__) || defined(__APPLE__)

// Linux and macOS: private anonymous mappings; any architecture and page size. First the names in
// which the two differ, then the reservation, which is the same on both, then its pages. On macOS
// memory leaves only with its mapping, since MADV_DONTNEED drops nothing there; a range is extended
// by a hint; there are no huge pages to advise about, and pages have 16 KiB on ARM.
#include <arenite/core/alignment.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/os/detail/platform.hpp>

#include "errno_kept.hpp"
#include "page_size.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <ctime>

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__linux__)
#ifndef MAP_FIXED_NOREPLACE // Linux 4.17
#define MAP_FIXED_NOREPLACE 0x100000
#endif
#ifndef MADV_POPULATE_WRITE // Linux 5.14
#define MADV_POPULATE_WRITE 23
#endif
#endif

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {
namespace os {

namespace {

std::size_t kernel_page_bytes() noexcept {
    return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

constexpr int lent_flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

#if defined(__linux__)

#if ARENITE_HAS_TSAN // it maps address 0 where it does not allow the one that was asked for
constexpr int exactly_there = 0;
#else
constexpr int exactly_there = MAP_FIXED_NOREPLACE;
#endif
using in_memory_byte = unsigned char;
constexpr in_memory_byte in_memory_mask = 1;

/// MADV_DONTNEED for pages that are locked, too (mlockall): Linux 5.18 has it, older ones refuse.
constexpr int drop_locked = 24;

/// Drops the memory behind p, which stays mapped and reads as zero.
bool drop(void* p, std::size_t bytes) noexcept {
    return ::madvise(p, bytes, MADV_DONTNEED) == 0 ||
           (errno == EINVAL && ::madvise(p, bytes, drop_locked) == 0);
}

/// Makes pages resident in one call; false where the kernel cannot.
bool populate(void* p, std::size_t bytes) noexcept {
    return ::madvise(p, bytes, MADV_POPULATE_WRITE) == 0;
}

#else

constexpr int exactly_there = 0; // an address is a hint, and nothing there is replaced
using in_memory_byte = char;
constexpr in_memory_byte in_memory_mask = MINCORE_INCORE;

/// Lets the memory behind p go when the system needs it: it may be read as it was.
bool drop(void* p, std::size_t bytes) noexcept {
    ::madvise(p, bytes, MADV_FREE);
    return false;
}

bool populate(void*, std::size_t) noexcept { return false; }

#endif

/// A fresh mapping over the old one drops memory, access and advice in one call, and merges with
/// untouched neighbours. It fails where it would make one mapping too many; dropping does not.
/// True if the memory is gone now.
bool map_anew(void* p, std::size_t bytes, int access) noexcept {
    return ::mmap(p, bytes, access, lent_flags | MAP_FIXED, -1, 0) != MAP_FAILED || drop(p, bytes);
}

} // namespace

std::size_t platform::page_bytes() noexcept { return page_size(&kernel_page_bytes); }

/// Bytes that a page of page-table entries maps, which is how Linux makes huge pages on every
/// architecture that has them. Asking /sys instead costs 30 us, half of a program's first request.
std::size_t platform::huge_page_bytes() noexcept {
#if defined(__linux__)
    return page_bytes() / sizeof(std::uint64_t) * page_bytes();
#else
    return 0;
#endif
}

void* platform::reserve(std::size_t bytes, std::size_t alignment) noexcept {
    const errno_kept keep;
    alignment = std::max(alignment, page_bytes());
    // So much of the mapping is cut off again, at one end or at both.
    const std::size_t slack = alignment - kernel_page_bytes();
    const auto asked = checked_add(bytes, slack);
    if (!asked || bytes == 0)
        return nullptr;
    void* p = ::mmap(nullptr, *asked, PROT_NONE, lent_flags, -1, 0);
    if (p == MAP_FAILED)
        return nullptr;
    // Cut the range that is aligned out of the larger one.
    auto* const begin = static_cast<std::byte*>(p);
    const std::size_t before = padding_for(p, alignment);
    // A part that the system refuses to take back stays reserved, which costs addresses alone.
    if (before != 0)
        ::munmap(begin, before);
    if (slack != before)
        ::munmap(begin + before + bytes, slack - before);
    return begin + before;
}

bool platform::extend(void* p, std::size_t bytes) noexcept {
    const errno_kept keep;
    void* const got = ::mmap(p, bytes, PROT_NONE, lent_flags | exactly_there, -1, 0);
    if (got == p)
        return true;
    if (got != MAP_FAILED) // taken for a hint
        ::munmap(got, bytes);
    return false;
}

bool platform::release(void* p, std::size_t bytes) noexcept {
    const errno_kept keep;
    if (::munmap(p, bytes) == 0)
        return true;
    drop(p, bytes);
    return false;
}

bool platform::commit(void* p, std::size_t bytes) noexcept {
    const errno_kept keep;
    return ::mprotect(p, bytes, PROT_READ | PROT_WRITE) == 0;
}

bool platform::decommit(void* p, std::size_t bytes) noexcept {
    const errno_kept keep;
    return map_anew(p, bytes, PROT_NONE);
}

bool platform::purge(void* p, std::size_t bytes) noexcept {
    const errno_kept keep;
#if defined(__linux__)
    return drop(p, bytes);
#else
    return map_anew(p, bytes, PROT_READ | PROT_WRITE);
#endif
}

bool platform::renew(void* p, std::size_t bytes) noexcept {
    const errno_kept keep;
    return map_anew(p, bytes, PROT_READ | PROT_WRITE);
}

void platform::advise_huge([[maybe_unused]] void* p, [[maybe_unused]] std::size_t bytes,
                           [[maybe_unused]] bool wanted) noexcept {
#if defined(__linux__)
    const errno_kept keep;
    ::madvise(p, bytes, wanted ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
#endif
}

void platform::prefault(void* p, std::size_t bytes) noexcept {
    const errno_kept keep;
    if (populate(p, bytes))
        return;
    const std::size_t page = page_bytes();
    auto* const begin = static_cast<volatile std::byte*>(p);
    for (std::size_t i = 0; i < bytes; i += page)
        // Read and written back: pages may hold something already.
        begin[i] = begin[i];
}

std::size_t platform::resident_bytes(const void* p, std::size_t bytes) noexcept {
    const errno_kept keep;
    const std::size_t page = kernel_page_bytes();
    in_memory_byte in_memory[1024];
    std::size_t found = 0;
    std::size_t pages = 0;
    std::size_t offset = 0; // a number, since p may point to no object
    const auto ask = [&] {
        // NOLINTNEXTLINE(performance-no-int-to-ptr)
        return ::mincore(reinterpret_cast<void*>(address_of(p) + offset), pages * page, in_memory);
    };
    for (std::size_t left = bytes / page; left != 0; left -= pages, offset += pages * page) {
        pages = left < sizeof in_memory ? left : sizeof in_memory;
        if (ask() != 0) {
            pages = 1; // some of them are not mapped: one by one
            if (ask() != 0)
                continue;
        }
        for (std::size_t i = 0; i < pages; ++i)
            found += (in_memory[i] & in_memory_mask) != 0 ? page : 0;
    }
    return found;
}

std::uint64_t platform::now_ms() noexcept {
#if defined(__linux__)
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now); // no system call, 5 ns
    return static_cast<std::uint64_t>(now.tv_sec) * 1000 +
           static_cast<std::uint64_t>(now.tv_nsec) / 1'000'000;
#else
    return ::clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW_APPROX) / 1'000'000;
#endif
}

void platform::at_fork(void (*before)(), void (*in_parent)(), void (*in_child)()) noexcept {
    static_cast<void>(::pthread_atfork(before, in_parent, in_child));
}

} // namespace os
} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite

#endif
