// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "options.hpp"

#include <algorithm>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace arenite {
inline namespace ARENITE_ABI {
namespace drop_in {
namespace {

template <std::size_t N>
void copy_to(char (&to)[N], std::string_view text) noexcept {
    const std::size_t n = std::min(N - 1, text.size());
    std::copy_n(text.begin(), n, to);
    to[n] = '\0';
}

/// False if it is no number of a signal.
[[nodiscard]] bool number(std::string_view text, int& to) noexcept {
    int n = 0;
    for (const char c : text) {
        if (c < '0' || c > '9' || n >= NSIG)
            return false;
        n = n * 10 + (c - '0');
    }
    if (n <= 0 || n >= NSIG)
        return false;
    to = n;
    return true;
}

// A second standard error: programs close theirs before they end, as cat and ls do.
constinit int kept_error = -1;
constinit dev_t kept_device = 0;
constinit ino_t kept_file = 0;

/// False where the program closed it, too: something else may have its number.
[[nodiscard]] bool is_error_kept() noexcept {
    struct stat now {};
    return kept_error >= 0 && ::fstat(kept_error, &now) == 0 && now.st_dev == kept_device &&
           now.st_ino == kept_file;
}

void read_word(options& o, std::string_view word) noexcept {
    constexpr std::string_view map = "map=";
    constexpr std::string_view signal = "signal=";
    if (word == "report")
        o.report = true;
    else if (word == "leaks")
        o.report = o.leaks = true;
    else if (word == "returns=off")
        o.returns = false;
    else if (word == "returns=on")
        o.returns = true;
    else if (word.starts_with(map) && word.size() > map.size() && word.size() < sizeof o.map)
        copy_to(o.map, word.substr(map.size()));
    else if (word.starts_with(signal) && number(word.substr(signal.size()), o.signal))
        return;
    else if (!word.empty() && o.unknown[0] == '\0')
        copy_to(o.unknown, word);
}

} // namespace

options asked_options() noexcept {
    options o;
    const char* const text = std::getenv("ARENITE_MALLOC");
    for (std::string_view rest = text == nullptr ? "" : text; !rest.empty();) {
        const std::size_t end = std::min(rest.find(','), rest.size());
        read_word(o, rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return o;
}

void keep_standard_error() noexcept {
    constexpr int least = 200; // beyond those that programs have by number
    kept_error = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, least);
    struct stat now {};
    if (kept_error < 0 || ::fstat(kept_error, &now) != 0)
        return;
    kept_device = now.st_dev;
    kept_file = now.st_ino;
}

void say(const char* format, ...) noexcept {
    char line[512];
    std::va_list arguments;
    va_start(arguments, format);
    const int length = std::vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length <= 0)
        return;
    const std::size_t bytes = std::min(static_cast<std::size_t>(length), sizeof line - 1);
    // The program may have another file by that number now.
    static_cast<void>(!::write(is_error_kept() ? kept_error : STDERR_FILENO, line, bytes));
}

} // namespace drop_in
} // namespace ARENITE_ABI
} // namespace arenite
