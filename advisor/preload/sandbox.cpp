// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "recorder.hpp"

#include <cstring>
#include <dlfcn.h>
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

template <class F>
F next(const char* name) noexcept {
    void* const p = ::dlsym(RTLD_NEXT, name);
    F function;
    std::memcpy(&function, &p, sizeof p);
    return function;
}

void note_prctl(word what, word first) noexcept {
    // With so few calls, the processor's clock may not be read, either.
    const bool strict = what == PR_SET_SECCOMP && first == SECCOMP_MODE_STRICT;
    const bool clockless = what == PR_SET_TSC && first == PR_TSC_SIGSEGV;
    if (what == PR_SET_SECCOMP || clockless)
        the_recorder.is_shut_in(strict || clockless);
}

} // namespace

// Their declarations end in dots; the words after the first are those of the registers.
extern "C" [[gnu::visibility("default")]] int arenite_prctl(int what, word a, word b, word c,
                                                            word d) __asm__("prctl");
extern "C" [[gnu::visibility("default")]] long
arenite_syscall(long what, word a, word b, word c, word d, word e, word f) __asm__("syscall");

int arenite_prctl(int what, word a, word b, word c, word d) {
    static const auto function = next<prctl_function>("prctl");
    note_prctl(static_cast<word>(what), a);
    return function(what, a, b, c, d);
}

long arenite_syscall(long what, word a, word b, word c, word d, word e, word f) {
    static const auto function = next<syscall_function>("syscall");
    if (what == SYS_prctl)
        note_prctl(a, b);
    else if (what == SYS_seccomp && a != SECCOMP_GET_ACTION_AVAIL && a != SECCOMP_GET_NOTIF_SIZES)
        the_recorder.is_shut_in(a == SECCOMP_SET_MODE_STRICT);
    return function(what, a, b, c, d, e, f);
}
