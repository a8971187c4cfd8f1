// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#if defined(_WIN32)

// VirtualAlloc, on Windows 7 and newer. Where it differs from platform.hpp's other systems:
//
//     addresses    are reserved in units of 64 KiB, and a reservation ends as a whole: an upper
//                  part given to release() loses its memory at once, its addresses with the rest
//     commit       counts against memory and page file, touched or not
//     huge pages   none: a large page is locked in memory, wants a privilege, and comes and goes
//                  only with a reservation of its own, which is not what advice can do
//     fork         there is none
#include <arenite/core/alignment.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/os/detail/page_mutex.hpp>
#include <arenite/os/detail/platform.hpp>

#include "page_size.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>

#include <psapi.h>
#undef near // sources that follow may be in this file

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {
namespace os {

namespace {

/// Every call here leaves both errors as it found them: an allocator must not change them.
struct errors_kept {
    int before = errno;
    DWORD last_before = ::GetLastError();
    ~errors_kept() {
        errno = before;
        ::SetLastError(last_before);
    }
};

/// Calls f(p, n) for each part of [p, p + bytes) that is reserved or committed, by reservation and
/// state: no call of the system's takes parts of several.
template <class F>
void for_each_region(const void* p, std::size_t bytes, F f) noexcept {
    const auto* at = static_cast<const char*>(p);
    const char* const end = at + bytes;
    MEMORY_BASIC_INFORMATION region;
    while (at < end && ::VirtualQuery(at, &region, sizeof region) == sizeof region) {
        const char* const region_end = static_cast<char*>(region.BaseAddress) + region.RegionSize;
        const char* const next = std::min(end, region_end);
        f(region, const_cast<char*>(at), static_cast<std::size_t>(next - at));
        at = next;
    }
}

} // namespace

std::size_t platform::page_bytes() noexcept {
    return page_size([]() noexcept -> std::size_t {
        SYSTEM_INFO system;
        ::GetSystemInfo(&system);
        return system.dwPageSize;
    });
}

std::size_t platform::huge_page_bytes() noexcept { return 0; }

void* platform::reserve(std::size_t bytes, std::size_t alignment) noexcept {
    const errors_kept keep;
    constexpr std::size_t granularity = 64 * 1024;
    if (bytes == 0)
        return nullptr;
    if (alignment <= granularity)
        return ::VirtualAlloc(nullptr, bytes, MEM_RESERVE, PAGE_NOACCESS);
    // A part cannot be cut out of a reservation: see where a larger one would lie, and take the
    // aligned part of that. Another thread may be faster.
    const auto asked = checked_add(bytes, alignment);
    for (int tries = 0; asked && tries < 16; ++tries) {
        void* const larger = ::VirtualAlloc(nullptr, *asked, MEM_RESERVE, PAGE_NOACCESS);
        if (larger == nullptr)
            return nullptr;
        ::VirtualFree(larger, 0, MEM_RELEASE);
        char* const aligned = static_cast<char*>(larger) + padding_for(larger, alignment);
        void* const p = ::VirtualAlloc(aligned, bytes, MEM_RESERVE, PAGE_NOACCESS);
        if (p != nullptr)
            return p;
    }
    return nullptr;
}

bool platform::extend(void*, std::size_t) noexcept { return false; }

bool platform::release(void* p, std::size_t bytes) noexcept {
    const errors_kept keep;
    MEMORY_BASIC_INFORMATION region;
    if (::VirtualQuery(p, &region, sizeof region) == sizeof region && region.AllocationBase == p)
        return ::VirtualFree(p, 0, MEM_RELEASE) != 0;
    return ::VirtualFree(p, bytes, MEM_DECOMMIT) != 0;
}

bool platform::commit(void* p, std::size_t bytes) noexcept {
    const errors_kept keep;
    return ::VirtualAlloc(p, bytes, MEM_COMMIT, PAGE_READWRITE) != nullptr;
}

bool platform::decommit(void* p, std::size_t bytes) noexcept {
    const errors_kept keep;
    return ::VirtualFree(p, bytes, MEM_DECOMMIT) != 0;
}

bool platform::purge(void* p, std::size_t bytes) noexcept {
    const errors_kept keep;
    // It stays committed, so that it can be used again whatever the system has by then.
    for_each_region(
        p, bytes, [](const MEMORY_BASIC_INFORMATION& region, void* part, std::size_t n) {
            if (region.State != MEM_COMMIT)
                return;
            ::VirtualAlloc(part, n, MEM_RESET, PAGE_NOACCESS);
            ::VirtualUnlock(part,
                            n); // of what is not locked: takes it out of the working set at once
        });
    return false; // until the system needs the pages
}

bool platform::renew(void* p, std::size_t bytes) noexcept { return purge(p, bytes); }

void platform::advise_huge(void*, std::size_t, bool) noexcept {}

void platform::prefault(void* p, std::size_t bytes) noexcept {
    const std::size_t page = page_bytes();
    auto* const begin = static_cast<volatile std::byte*>(p);
    for (std::size_t i = 0; i < bytes; i += page)
        begin[i] = begin[i];
}

std::size_t platform::resident_bytes(const void* p, std::size_t bytes) noexcept {
    const errors_kept keep;
    SYSTEM_INFO system;
    ::GetSystemInfo(&system);
    const std::size_t page = system.dwPageSize;
    std::size_t found = 0;
    for_each_region(p, bytes,
                    [&](const MEMORY_BASIC_INFORMATION& region, char* part, std::size_t n) {
                        if (region.State != MEM_COMMIT)
                            return;
                        PSAPI_WORKING_SET_EX_INFORMATION pages[256];
                        std::size_t asked = 0;
                        for (std::size_t offset = 0; offset < n; offset += asked * page) {
                            asked = std::min(std::size(pages), (n - offset) / page);
                            if (asked == 0)
                                return;
                            for (std::size_t i = 0; i < asked; ++i)
                                pages[i] = {.VirtualAddress = part + offset + i * page,
                                            .VirtualAttributes = {}};
                            const auto size = static_cast<DWORD>(asked * sizeof pages[0]);
                            if (::K32QueryWorkingSetEx(::GetCurrentProcess(), pages, size) == 0)
                                continue;
                            for (std::size_t i = 0; i < asked; ++i)
                                found += pages[i].VirtualAttributes.Valid != 0 ? page : 0;
                        }
                    });
    return found;
}

std::uint64_t platform::now_ms() noexcept { return ::GetTickCount64(); }

void platform::at_fork(void (*)(), void (*)(), void (*)()) noexcept {}

// ---- the mutex ----------------------------------------------------------------------------------

static_assert(sizeof(SRWLOCK) == sizeof(void*));

void page_mutex::lock() noexcept { ::AcquireSRWLockExclusive(reinterpret_cast<SRWLOCK*>(&state_)); }

bool page_mutex::try_lock() noexcept {
    return ::TryAcquireSRWLockExclusive(reinterpret_cast<SRWLOCK*>(&state_)) != 0;
}

void page_mutex::unlock() noexcept {
    ::ReleaseSRWLockExclusive(reinterpret_cast<SRWLOCK*>(&state_));
}

} // namespace os
} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite

#endif
