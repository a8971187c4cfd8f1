// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "resident.hpp"

#include <cstdlib>
#include <cstring>

#if defined(__linux__)
#include <fcntl.h>
#include <unistd.h>
#endif

namespace arenite::lab {

std::optional<std::size_t> resident_bytes() noexcept {
#if defined(__linux__)
    const int file = ::open("/proc/self/smaps_rollup", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return std::nullopt;
    char text[2048];
    std::size_t length = 0;
    for (;;) {
        const ssize_t n = ::read(file, text + length, sizeof text - 1 - length);
        if (n <= 0)
            break;
        length += static_cast<std::size_t>(n);
    }
    ::close(file);
    text[length] = '\0';
    const char* rss = std::strstr(text, "\nRss:");
    if (rss == nullptr)
        return std::nullopt;
    return std::strtoull(rss + 5, nullptr, 10) * 1024;
#else
    return std::nullopt;
#endif
}

} // namespace arenite::lab
