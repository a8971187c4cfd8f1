// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// mallinfo, malloc_info and malloc_stats: what programs ask that print how much they use.
#include "entry.hpp"
#include "memory.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>

#include <malloc.h>
#include <pthread.h>

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

/// INT_MAX where a number is larger.
MALLOC_ENTRY struct mallinfo mallinfo() MALLOC_NOEXCEPT {
    const auto narrow = [](std::size_t n) {
        return static_cast<int>(std::min<std::size_t>(n, INT_MAX));
    };
    const struct mallinfo2 wide = mallinfo2();
    struct mallinfo all {};
    all.arena = narrow(wide.arena);
    all.uordblks = narrow(wide.uordblks);
    all.fordblks = narrow(wide.fordblks);
    all.usmblks = narrow(wide.usmblks);
    return all;
}

/// No point of cancellation, as with glibc.
MALLOC_ENTRY void malloc_stats() MALLOC_NOEXCEPT {
    const usage u = affinity_heap::usage_all();
    int before = 0;
    ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    std::fprintf(stderr, "arenite malloc: %zu bytes in use by %zu objects, %zu at most, %zu held\n",
                 u.bytes_in_use, u.live_allocations, u.high_water_bytes, u.bytes_reserved);
    ::pthread_setcancelstate(before, nullptr);
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
