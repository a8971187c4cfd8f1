// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "next_function.hpp"
#include "recorder.hpp"

#include <atomic>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>

// The functions by which a program restricts its system calls (seccomp), libseccomp's too. The
// recorder learns it before, and makes none from then on: one that the program does not need could
// be its end. Instructions of the program that call the system themselves are not seen.
using arenite::preload::the_recorder;

namespace {

using word = unsigned long;
using prctl_function = int (*)(int, word, word, word, word);
using syscall_function = long (*)(long, word, word, word, word, word, word);

/// The next library's function of this name, found when it is called first, by any thread.
template <class F>
F next(std::atomic<F>& found, const char* name) noexcept {
    F function = found.load(std::memory_order_relaxed);
    if (function == nullptr) {
        function = arenite::preload::next_function<F>(name);
        found.store(function, std::memory_order_relaxed);
    }
    return function;
}

constinit std::atomic<prctl_function> next_prctl{nullptr};
constinit std::atomic<syscall_function> next_syscall{nullptr};

/// Before a call. One without a filter only asks whether there are such.
void note_prctl(word what, word first, word filter) noexcept {
    // With so few calls, the processor's clock may not be read, either.
    const bool strict = what == PR_SET_SECCOMP && first == SECCOMP_MODE_STRICT;
    const bool filters = what == PR_SET_SECCOMP && first == SECCOMP_MODE_FILTER && filter != 0;
    const bool clockless = what == PR_SET_TSC && first == PR_TSC_SIGSEGV;
    if (strict || filters || clockless)
        the_recorder.is_shut_in(strict || clockless);
}

} // namespace

// Their declarations end in dots; the words after the first are those of the registers.
extern "C" [[gnu::visibility("default")]] int arenite_prctl(int what, word a, word b, word c,
                                                            word d) __asm__("prctl");
extern "C" [[gnu::visibility("default")]] long
arenite_syscall(long what, word a, word b, word c, word d, word e, word f) __asm__("syscall");

int arenite_prctl(int what, word a, word b, word c, word d) {
    const auto function = next(next_prctl, "prctl");
    note_prctl(static_cast<word>(what), a, b);
    return function(what, a, b, c, d);
}

long arenite_syscall(long what, word a, word b, word c, word d, word e, word f) {
    const auto function = next(next_syscall, "syscall");
    if (what == SYS_prctl)
        note_prctl(a, b, c);
    else if (what == SYS_seccomp && a == SECCOMP_SET_MODE_STRICT)
        the_recorder.is_shut_in(true);
    else if (what == SYS_seccomp && a == SECCOMP_SET_MODE_FILTER && c != 0)
        the_recorder.is_shut_in(false);
    return function(what, a, b, c, d, e, f);
}
