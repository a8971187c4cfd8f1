// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "repeated_input.hpp"

#include "../verb.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/core.h>
#include <poll.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace arenite::advisor {
namespace {

constexpr int silent_ms = 10'000;

/// Waits until standard input can be read, or has ended; false after so many ms, -1: never.
bool await_input(int ms) {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    int ready = 0;
    while ((ready = ::poll(&input, 1, ms)) < 0 && errno == EINTR)
        ;
    return ready != 0;
}

/// Copies what is left of standard input; false, with errno, where that fails.
bool copy_input(std::FILE* to) {
    char part[1 << 16];
    for (;;) {
        const ssize_t n = ::read(STDIN_FILENO, part, sizeof part);
        if (n == 0)
            return std::fflush(to) == 0;
        if (n < 0 && errno == EAGAIN)
            await_input(-1); // it does not block
        else if (n < 0 && errno != EINTR)
            return false;
        if (n > 0 && std::fwrite(part, 1, static_cast<std::size_t>(n), to) != std::size_t(n))
            return false;
    }
}

} // namespace

repeated_input::repeated_input() {
    struct stat s {};
    if (::fstat(STDIN_FILENO, &s) == 0 && (S_ISFIFO(s.st_mode) || S_ISSOCK(s.st_mode))) {
        if (!await_input(silent_ms))
            throw bad_input(fmt::format("standard input is a pipe that has given nothing for {} "
                                        "seconds, and several runs want all of it: give a file, "
                                        "or </dev/null",
                                        silent_ms / 1000));
        std::FILE* const kept = std::tmpfile();
        const bool good =
            kept != nullptr && copy_input(kept) && ::dup2(::fileno(kept), STDIN_FILENO) >= 0;
        const int why = errno;
        if (kept != nullptr)
            std::fclose(kept);
        if (!good)
            throw bad_input(std::string{"standard input cannot be kept for several runs: "} +
                            std::strerror(why));
    } else {
        begin_ = ::lseek(STDIN_FILENO, 0, SEEK_CUR);
    }
}

void repeated_input::begin_anew() const {
    if (begin_ >= 0)
        (void)::lseek(STDIN_FILENO, begin_, SEEK_SET);
}

} // namespace arenite::advisor
