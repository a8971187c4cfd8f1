// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/freelist/restorable_heap.hpp>

#include <cstddef>

#if !defined(_WIN32)
#include <sys/mman.h>
#endif

namespace support {

/// Where heaps of tests lie that come back at the same address; nullptr where the system has no
/// memory there: on Windows, where addresses have fewer bits, and under memory checkers that keep
/// it for themselves. The system is asked at the first call, before any heap lies there.
[[nodiscard]] inline void* snapshot_address() {
#if defined(_WIN32)
    return nullptr;
#else
    static void* const found = [] {
        void* const wanted = arenite::restorable_heap::usual_address;
        constexpr std::size_t bytes = std::size_t{4} << 20; // more than tests use
        void* const got = ::mmap(wanted, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (got != MAP_FAILED)
            ::munmap(got, bytes);
        return got == wanted ? wanted : static_cast<void*>(nullptr);
    }();
    return found;
#endif
}

} // namespace support
