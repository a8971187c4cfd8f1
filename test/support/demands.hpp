// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "support/limits.hpp"

// 1 where a test can see which locks and system calls some code makes.
#if LIMITS_CAN_BE_TESTED && defined(__linux__) && defined(__GLIBC__)
#define DEMANDS_CAN_BE_TESTED 1
#else
#define DEMANDS_CAN_BE_TESTED 0
#endif

#if DEMANDS_CAN_BE_TESTED
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace support {

/// Mutexes of the C library that this program has locked so far, std::mutex among them.
[[nodiscard]] unsigned long locked_mutexes() noexcept;

/// The demands of some code beside the processor.
enum class demands { nothing, lock, system_call, unknown };

/// Runs f in a child process, which the system ends at the first system call.
template <class F>
[[nodiscard]] demands demands_of(F f) {
    constexpr int locked = 1;
    constexpr int refused = 2;
    const pid_t child = ::fork();
    if (child == 0) {
        if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
            ::_exit(refused);
        const unsigned long before = locked_mutexes();
        f();
        ::syscall(SYS_exit, locked_mutexes() == before ? 0 : locked); // _exit() is not allowed
    }
    int status = 0;
    if (child < 0 || ::waitpid(child, &status, 0) != child)
        return demands::unknown;
    if (WIFSIGNALED(status))
        return WTERMSIG(status) == SIGKILL ? demands::system_call : demands::unknown;
    return WEXITSTATUS(status) == 0        ? demands::nothing
           : WEXITSTATUS(status) == locked ? demands::lock
                                           : demands::unknown;
}

} // namespace support
#endif
