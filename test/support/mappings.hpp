// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/check/detail/poison.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/os/detail/platform.hpp>

#include <cstddef>
#include <cstdio>
#include <fstream>
#include <string>

#if defined(_WIN32)
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN // else it defines `small`
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>

#include <psapi.h>
#else
#include <sys/mman.h>
#include <unistd.h>
#endif

// This process's memory, as the kernel describes it.
namespace support {

#if defined(_WIN32)

/// Wine follows such requests, as Windows does.
inline bool emulated() { return false; }

/// The pages around p, as Windows describes them.
inline MEMORY_BASIC_INFORMATION region_of(const void* p) {
    MEMORY_BASIC_INFORMATION region{};
    ::VirtualQuery(p, &region, sizeof region);
    return region;
}

inline bool readable(const void* p) {
    const MEMORY_BASIC_INFORMATION region = region_of(p);
    return region.State == MEM_COMMIT && (region.Protect & (PAGE_NOACCESS | PAGE_GUARD)) == 0;
}

inline bool mapped(const void* p) { return region_of(p).State != MEM_FREE; }

inline std::size_t address_space_in_use() {
    MEMORYSTATUSEX memory{};
    memory.dwLength = sizeof memory;
    ::GlobalMemoryStatusEx(&memory);
    return static_cast<std::size_t>(memory.ullTotalVirtual - memory.ullAvailVirtual);
}

inline std::size_t writable_bytes() {
    PROCESS_MEMORY_COUNTERS counters{};
    ::K32GetProcessMemoryInfo(::GetCurrentProcess(), &counters, sizeof counters);
    return counters.PagefileUsage;
}

/// Reservations with their parts of one state each.
inline std::size_t mapping_count() {
    std::size_t count = 0;
    MEMORY_BASIC_INFORMATION region{};
    for (const char* at = nullptr; ::VirtualQuery(at, &region, sizeof region) == sizeof region;
         at = static_cast<const char*>(region.BaseAddress) + region.RegionSize)
        count += region.State != MEM_FREE ? 1 : 0;
    return count;
}

inline std::string mapping_flags(const void*) { return {}; }

#else

/// True under an emulator of the system (qemu-user), which takes advice, limits and questions about
/// memory without heeding them: the kernel itself refuses an advice that it does not know.
inline bool emulated() {
    const std::size_t page = arenite::detail::os::platform::page_bytes();
    void* p = ::mmap(nullptr, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const bool taken = p != MAP_FAILED && ::madvise(p, page, 4711) == 0;
    ::munmap(p, page);
    return taken;
}

/// True if the byte at p may be read; asks the kernel to read it, so nothing is caught or thrown.
inline bool readable(const void* p) {
    int ends[2];
    if (::pipe(ends) != 0)
        return false;
#if ARENITE_HAS_VALGRIND
    VALGRIND_DISABLE_ERROR_REPORTING; // it would report what is asked here
#endif
    const bool read = ::write(ends[1], p, 1) == 1;
#if ARENITE_HAS_VALGRIND
    VALGRIND_ENABLE_ERROR_REPORTING;
#endif
    ::close(ends[0]);
    ::close(ends[1]);
    return read;
}

/// True if p lies in any mapping, accessible or not. (An emulator tells of accessible ones only.)
inline bool mapped(const void* p) {
    std::ifstream maps{"/proc/self/maps"};
    for (std::string line; std::getline(maps, line);) {
        unsigned long long begin = 0;
        unsigned long long end = 0;
        if (std::sscanf(line.c_str(), "%llx-%llx ", &begin, &end) == 2 &&
            begin <= arenite::address_of(p) && arenite::address_of(p) < end)
            return true;
    }
    return false;
}

/// Bytes of addresses that the process has mapped.
inline std::size_t address_space_in_use() {
    std::ifstream statm{"/proc/self/statm"};
    std::size_t pages = 0;
    statm >> pages;
    return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

/// Bytes that the process may write, touched or not, and no other has: what RLIMIT_DATA limits.
inline std::size_t writable_bytes() {
    std::ifstream statm{"/proc/self/statm"};
    std::size_t pages = 0;
    for (int field = 0; field < 6; ++field)
        statm >> pages;
    return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

/// Mappings of the process; the kernel allows 65530 by default.
inline std::size_t mapping_count() {
    std::ifstream maps{"/proc/self/maps"};
    std::size_t count = 0;
    for (std::string line; std::getline(maps, line);)
        ++count;
    return count;
}

/// The flags of the mapping that p lies in, as " rd wr ... hg "; empty where they are not told.
inline std::string mapping_flags(const void* p) {
    std::ifstream maps{"/proc/self/smaps"};
    bool here = false;
    for (std::string line; std::getline(maps, line);) {
        unsigned long long begin = 0;
        unsigned long long end = 0;
        if (std::sscanf(line.c_str(), "%llx-%llx ", &begin, &end) == 2)
            here = begin <= arenite::address_of(p) && arenite::address_of(p) < end;
        else if (here && line.starts_with("VmFlags:"))
            return line.substr(8) + " ";
    }
    return {};
}

#endif

} // namespace support
