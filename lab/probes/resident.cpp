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

#if defined(__linux__)
namespace {

/// The figure after a key, "\nRss:      1234 kB", in bytes.
std::optional<std::size_t> bytes_of(const char* text, const char* key) noexcept {
    const char* found = std::strstr(text, key);
    if (found == nullptr)
        return std::nullopt;
    return std::strtoull(found + std::strlen(key), nullptr, 10) * 1024;
}

} // namespace
#endif

std::optional<resident_memory> resident() noexcept {
#if defined(__linux__)
    const int file = ::open("/proc/self/smaps_rollup", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return std::nullopt;
    char text[4096];
    std::size_t length = 0;
    for (;;) {
        const ssize_t n = ::read(file, text + length, sizeof text - 1 - length);
        if (n <= 0)
            break;
        length += static_cast<std::size_t>(n);
    }
    ::close(file);
    text[length] = '\0';
    const auto all = bytes_of(text, "\nRss:");
    if (!all)
        return std::nullopt;
    return resident_memory{*all, bytes_of(text, "\nAnonHugePages:").value_or(0)};
#else
    return std::nullopt;
#endif
}

} // namespace arenite::lab
