// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// 100,000 objects from one place, while it counts who blocks signals: a call of the system at each
// would cost more than any heap gains. Ends with 1 if there were so many.
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <sys/syscall.h>
#include <unistd.h>

namespace {
std::atomic<int> masks{0};
}

extern "C" int pthread_sigmask(int how, const sigset_t* set, sigset_t* before) noexcept {
    ++masks;
    return ::syscall(SYS_rt_sigprocmask, how, set, before, std::size_t{8}) == 0 ? 0 : errno;
}

int main() {
    for (int i = 0; i < 100'000; ++i) {
        void* volatile p = std::malloc(61001);
        std::free(p);
    }
    return masks > 10'000 ? 1 : 0;
}
