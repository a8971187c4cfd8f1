// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// mallinfo2 and malloc_info: what programs ask that print how much they use.
#include "entry.hpp"
#include "memory.hpp"

#include <cerrno>
#include <cstdio>

#include <malloc.h>

using namespace arenite;

#if defined(__GLIBC__)
MALLOC_ENTRY struct mallinfo2 mallinfo2() MALLOC_NOEXCEPT {
    const usage u = affinity_heap::usage_all();
    struct mallinfo2 all {};
    all.arena = u.bytes_reserved;
    all.uordblks = u.bytes_in_use;
    all.fordblks = u.bytes_reserved > u.bytes_in_use ? u.bytes_reserved - u.bytes_in_use : 0;
    all.usmblks = u.high_water_bytes;
    return all;
}
#endif

MALLOC_ENTRY int malloc_info(int options, std::FILE* to) MALLOC_NOEXCEPT {
    if (options != 0 || to == nullptr)
        return EINVAL;
    const usage u = affinity_heap::usage_all();
    const int written =
        std::fprintf(to,
                     "<malloc version=\"arenite\">\n"
                     "<total type=\"in use\" count=\"%zu\" size=\"%zu\"/>\n"
                     "<total type=\"most in use\" size=\"%zu\"/>\n"
                     "<system type=\"current\" size=\"%zu\"/>\n"
                     "</malloc>\n",
                     u.live_allocations, u.bytes_in_use, u.high_water_bytes, u.bytes_reserved);
    return written < 0 ? errno : 0;
}
