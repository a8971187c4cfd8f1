// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "next_function.hpp"
#include "observer.hpp"

#include <initializer_list>
#include <sys/signalfd.h>

// The functions by which a program uses signals. Where it wants one that accesses are observed by,
// it gets it, and they are observed no more; asked for what is set, they answer as if nothing were.
using namespace arenite::preload;

namespace {

void leave_what_it_waits_for(const sigset_t* set) noexcept {
    for (const int signal : {SIGPROF, SIGTRAP})
        if (set != nullptr && ::sigismember(set, signal) == 1)
            the_observer.leave_to_the_program(signal);
}

using handler = void (*)(int);

/// Sets the default: the program does not use it, and ours may stay.
handler set_handler(const char* name, int signal, handler wanted) noexcept {
    if (the_observer.holds(signal)) {
        if (wanted == SIG_DFL)
            return SIG_DFL;
        the_observer.leave_to_the_program(signal);
    }
    const auto function = next_function<handler (*)(int, handler)>(name);
    return function == nullptr ? SIG_ERR : function(signal, wanted);
}

} // namespace

namespace arenite::preload {

int real_sigaction(int signal, const struct sigaction* wanted, struct sigaction* before) noexcept {
    static const auto function =
        next_function<int (*)(int, const struct sigaction*, struct sigaction*)>("sigaction");
    return function == nullptr ? -1 : function(signal, wanted, before);
}

} // namespace arenite::preload

#define ARENITE_SIGNAL_ENTRY extern "C" [[gnu::visibility("default")]]

ARENITE_SIGNAL_ENTRY int sigaction(int signal, const struct sigaction* wanted,
                                   struct sigaction* before) noexcept {
    if (the_observer.holds(signal)) {
        if (wanted == nullptr || wanted->sa_handler == SIG_DFL) {
            if (before != nullptr)
                *before = {};
            return 0;
        }
        the_observer.leave_to_the_program(signal);
    }
    return real_sigaction(signal, wanted, before);
}
ARENITE_SIGNAL_ENTRY handler signal(int number, handler wanted) noexcept {
    return set_handler("signal", number, wanted);
}
ARENITE_SIGNAL_ENTRY handler bsd_signal(int number, handler wanted) noexcept {
    return set_handler("bsd_signal", number, wanted);
}
ARENITE_SIGNAL_ENTRY handler sysv_signal(int number, handler wanted) noexcept {
    return set_handler("sysv_signal", number, wanted);
}
ARENITE_SIGNAL_ENTRY handler sigset(int number, handler wanted) noexcept {
    return set_handler("sigset", number, wanted);
}
ARENITE_SIGNAL_ENTRY int sigwait(const sigset_t* set, int* got) {
    leave_what_it_waits_for(set);
    return next_function<int (*)(const sigset_t*, int*)>("sigwait")(set, got);
}
ARENITE_SIGNAL_ENTRY int sigwaitinfo(const sigset_t* set, siginfo_t* got) {
    leave_what_it_waits_for(set);
    return next_function<int (*)(const sigset_t*, siginfo_t*)>("sigwaitinfo")(set, got);
}
ARENITE_SIGNAL_ENTRY int sigtimedwait(const sigset_t* set, siginfo_t* got,
                                      const struct timespec* time) {
    leave_what_it_waits_for(set);
    return next_function<int (*)(const sigset_t*, siginfo_t*, const struct timespec*)>(
        "sigtimedwait")(set, got, time);
}
ARENITE_SIGNAL_ENTRY int signalfd(int file, const sigset_t* set, int flags) noexcept {
    leave_what_it_waits_for(set);
    return next_function<int (*)(int, const sigset_t*, int)>("signalfd")(file, set, flags);
}
