// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#if defined(__APPLE__)

// platform_linux.cpp for another system, with pages of 16 KiB on ARM and no huge ones:
// memory leaves only with its mapping, since MADV_DONTNEED drops
// nothing there; a range is extended by a hint; there is no advice about huge pages.
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

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {
namespace os {

namespace {

std::size_t macos_page_bytes() noexcept { return static_cast<std::size_t>(::getpagesize()); }

constexpr int macos_flags = MAP_PRIVATE | MAP_ANON | MAP_NORESERVE;

/// A fresh mapping in place of what is there. Where the system refuses, its memory at least may go.
/// True if it is gone, and not only when it is needed.
bool map_anew(void* p, std::size_t bytes, int access) noexcept {
    const errno_kept keep;
    if (::mmap(p, bytes, access, macos_flags | MAP_FIXED, -1, 0) != MAP_FAILED)
        return true;
    ::madvise(p, bytes, MADV_FREE);
    return false;
}

} // namespace

std::size_t platform::page_bytes() noexcept { return page_size(&macos_page_bytes); }

std::size_t platform::huge_page_bytes() noexcept { return 0; }

void* platform::reserve(std::size_t bytes, std::size_t alignment) noexcept {
    const errno_kept keep;
    alignment = std::max(alignment, page_bytes());
    const std::size_t slack = alignment - macos_page_bytes();
    const auto asked = checked_add(bytes, slack);
    if (!asked || bytes == 0)
        return nullptr;
    void* const p = ::mmap(nullptr, *asked, PROT_NONE, macos_flags, -1, 0);
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
    void* const got = ::mmap(p, bytes, PROT_NONE, macos_flags, -1, 0); // an address is a hint
    if (got == p)
        return true;
    if (got != MAP_FAILED)
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
    return map_anew(p, bytes, PROT_NONE);
}

bool platform::purge(void* p, std::size_t bytes) noexcept {
    return map_anew(p, bytes, PROT_READ | PROT_WRITE);
}

bool platform::renew(void* p, std::size_t bytes) noexcept {
    return map_anew(p, bytes, PROT_READ | PROT_WRITE);
}

void platform::advise_huge(void*, std::size_t, bool) noexcept {}

void platform::prefault(void* p, std::size_t bytes) noexcept {
    const std::size_t page = macos_page_bytes();
    auto* const begin = static_cast<volatile std::byte*>(p);
    for (std::size_t i = 0; i < bytes; i += page)
        begin[i] = begin[i];
}

std::size_t platform::resident_bytes(const void* p, std::size_t bytes) noexcept {
    const errno_kept keep;
    const std::size_t page = macos_page_bytes();
    std::size_t found = 0;
    for (std::size_t offset = 0; offset < bytes; offset += page) {
        char in_memory = 0;
        // NOLINTNEXTLINE(performance-no-int-to-ptr): a number, there may be no object at p
        void* const at = reinterpret_cast<void*>(address_of(p) + offset);
        if (::mincore(at, page, &in_memory) == 0 && (in_memory & MINCORE_INCORE) != 0)
            found += page;
    }
    return found;
}

std::uint64_t platform::now_ms() noexcept {
    return ::clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW_APPROX) / 1'000'000;
}

void platform::at_fork(void (*before)(), void (*in_parent)(), void (*in_child)()) noexcept {
    static_cast<void>(::pthread_atfork(before, in_parent, in_child));
}

} // namespace os
} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite

#endif
