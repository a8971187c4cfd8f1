// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#if defined(__linux__)

// Private anonymous mappings; any architecture and page size.
#include <arenite/core/alignment.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/os/detail/platform.hpp>

#include "errno_kept.hpp"
#include "page_size.hpp"

#include <algorithm>
#include <cstdint>
#include <ctime>

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MAP_FIXED_NOREPLACE // Linux 4.17
#define MAP_FIXED_NOREPLACE 0x100000
#endif
#ifndef MADV_POPULATE_WRITE // Linux 5.14
#define MADV_POPULATE_WRITE 23
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

} // namespace

std::size_t platform::page_bytes() noexcept { return page_size(&kernel_page_bytes); }

/// Bytes that a page of page-table entries maps, which is how the kernel makes huge pages on every
/// architecture that has them. Asking /sys instead costs 30 us, half of a program's first request.
std::size_t platform::huge_page_bytes() noexcept {
    return page_bytes() / sizeof(std::uint64_t) * page_bytes();
}

void* platform::reserve(std::size_t bytes, std::size_t alignment) noexcept {
    const errno_kept keep;
    alignment = std::max(alignment, page_bytes());
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
    if (before != 0)
        ::munmap(begin, before);
    if (slack != before)
        ::munmap(begin + before + bytes, slack - before);
    return begin + before;
}

bool platform::extend(void* p, std::size_t bytes) noexcept {
    const errno_kept keep;
    void* const got = ::mmap(p, bytes, PROT_NONE, lent_flags | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == p)
        return true;
    if (got != MAP_FAILED) // a kernel that takes it for a hint
        ::munmap(got, bytes);
    return false;
}

void platform::release(void* p, std::size_t bytes) noexcept {
    const errno_kept keep;
    ::munmap(p, bytes);
}

bool platform::commit(void* p, std::size_t bytes) noexcept {
    const errno_kept keep;
    return ::mprotect(p, bytes, PROT_READ | PROT_WRITE) == 0;
}

bool platform::decommit(void* p, std::size_t bytes) noexcept {
    const errno_kept keep;
    // A fresh mapping over the old one drops memory, access and advice in one call, and merges with
    // untouched neighbours. It fails where it would make one mapping too many; dropping does not.
    return ::mmap(p, bytes, PROT_NONE, lent_flags | MAP_FIXED, -1, 0) != MAP_FAILED ||
           ::madvise(p, bytes, MADV_DONTNEED) == 0;
}

bool platform::purge(void* p, std::size_t bytes) noexcept {
    const errno_kept keep;
    return ::madvise(p, bytes, MADV_DONTNEED) == 0; // not where pages are locked
}

bool platform::renew(void* p, std::size_t bytes) noexcept {
    const errno_kept keep;
    // Mapped anew, for the reason that decommit has.
    return ::mmap(p, bytes, PROT_READ | PROT_WRITE, lent_flags | MAP_FIXED, -1, 0) != MAP_FAILED ||
           ::madvise(p, bytes, MADV_DONTNEED) == 0;
}

void platform::advise_huge(void* p, std::size_t bytes, bool wanted) noexcept {
    const errno_kept keep;
    ::madvise(p, bytes, wanted ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
}

void platform::prefault(void* p, std::size_t bytes) noexcept {
    const errno_kept keep;
    if (::madvise(p, bytes, MADV_POPULATE_WRITE) == 0)
        return;
    const std::size_t page = page_bytes();
    auto* const begin = static_cast<volatile std::byte*>(p);
    for (std::size_t i = 0; i < bytes; i += page)
        begin[i] = begin[i];
}

std::size_t platform::resident_bytes(const void* p, std::size_t bytes) noexcept {
    const errno_kept keep;
    const std::size_t page = kernel_page_bytes();
    unsigned char in_memory[1024];
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
            found += (in_memory[i] & 1U) != 0 ? page : 0;
    }
    return found;
}

std::uint64_t platform::now_ms() noexcept {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now); // no system call, 5 ns
    return static_cast<std::uint64_t>(now.tv_sec) * 1000 +
           static_cast<std::uint64_t>(now.tv_nsec) / 1'000'000;
}

void platform::at_fork(void (*before)(), void (*in_parent)(), void (*in_child)()) noexcept {
    static_cast<void>(::pthread_atfork(before, in_parent, in_child));
}

} // namespace os
} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite

#endif
