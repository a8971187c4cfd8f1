// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/alignment.hpp>
#include <arenite/os/platform.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

// What the kernel says of this process's memory (Linux).
namespace support {

/// True if the byte at p may be read; asks the kernel to read it, so nothing is caught or thrown.
inline bool readable(const void* p) {
    int ends[2];
    if (::pipe(ends) != 0)
        return false;
    const bool read = ::write(ends[1], p, 1) == 1;
    ::close(ends[0]);
    ::close(ends[1]);
    return read;
}

/// True if p lies in any mapping, accessible or not.
inline bool mapped(const void* p) {
    unsigned char in_memory = 0;
    const std::size_t page = arenite::os::platform::page_bytes();
    const std::uintptr_t begin = arenite::align_down(arenite::address_of(p), page);
    return ::mincore(reinterpret_cast<void*>(begin), page, &in_memory) == 0;
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

} // namespace support
