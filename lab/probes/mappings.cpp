// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "mappings.hpp"

#if defined(__linux__)
#include <algorithm>
#include <fcntl.h>
#include <unistd.h>
#endif

namespace arenite::lab {

std::size_t mappings() noexcept {
    std::size_t lines = 0;
#if defined(__linux__)
    // Read without a stream, which would allocate from the malloc that is measured.
    const int file = ::open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return 0;
    static char text[65536];
    for (ssize_t n = 0; (n = ::read(file, text, sizeof text)) > 0;)
        lines += static_cast<std::size_t>(std::count(text, text + n, '\n'));
    ::close(file);
#endif
    return lines;
}

} // namespace arenite::lab
