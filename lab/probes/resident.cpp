// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "resident.hpp"

#include <cstdlib>
#include <cstring>

#if defined(__linux__)
#include <fcntl.h>
#include <sys/resource.h>
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

struct file_text {
    char bytes[4096];
};

/// The beginning of a file; empty where it cannot be read.
file_text text_of(const char* path) noexcept {
    file_text text;
    std::size_t length = 0;
    const int file = ::open(path, O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        for (;;) {
            const ssize_t n = ::read(file, text.bytes + length, sizeof text.bytes - 1 - length);
            if (n <= 0)
                break;
            length += static_cast<std::size_t>(n);
        }
        ::close(file);
    }
    text.bytes[length] = '\0';
    return text;
}

bool peak_was_restarted = false;

} // namespace
#endif

std::optional<std::size_t> peak_resident() noexcept {
#if defined(__linux__)
    if (peak_was_restarted)
        return bytes_of(text_of("/proc/self/status").bytes, "\nVmHWM:");
#endif
    return std::nullopt;
}

void restart_peak() noexcept {
#if defined(__linux__)
    const int file = ::open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    if (file < 0)
        return;
    peak_was_restarted = ::write(file, "5", 1) == 1;
    ::close(file);
#endif
}

std::size_t page_faults() noexcept {
#if defined(__linux__)
    rusage used{};
    if (::getrusage(RUSAGE_SELF, &used) == 0)
        return static_cast<std::size_t>(used.ru_minflt);
#endif
    return 0;
}

std::optional<std::size_t> available_memory() noexcept {
#if defined(__linux__)
    return bytes_of(text_of("/proc/meminfo").bytes, "\nMemAvailable:");
#else
    return std::nullopt;
#endif
}

std::optional<resident_memory> resident() noexcept {
#if defined(__linux__)
    const file_text read = text_of("/proc/self/smaps_rollup");
    const char* const text = read.bytes;
    const auto all = bytes_of(text, "\nRss:");
    if (!all)
        return std::nullopt;
    return resident_memory{*all, bytes_of(text, "\nAnonHugePages:").value_or(0)};
#else
    return std::nullopt;
#endif
}

} // namespace arenite::lab
