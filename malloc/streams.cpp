// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Forks beside threads that read and flush streams: the order of the C library's lock and ours.
#include <arenite/core/detail/spin_lock.hpp>
#include <arenite/os/detail/fork_lock.hpp>
#include <arenite/os/detail/held_signals.hpp>
#include <arenite/os/detail/platform.hpp>

// The lock of glibc's list of all streams, which its owner may take again.
extern "C" {
[[gnu::weak]] void _IO_list_lock() noexcept;
[[gnu::weak]] void _IO_list_unlock() noexcept;
[[gnu::weak]] void _IO_list_resetlock() noexcept;
}

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {
namespace {

//     forks             holds malloc's locks       waits for the list
//     fflush(NULL)      holds the list             waits for a stream
//     getline           holds the stream           waits for malloc
//
// Each would wait for the next. So who forks takes the list before malloc's locks, as glibc does
// for its own malloc. The list's lock counts, and a child has only the thread that forked.

constinit unsigned taken = 0; // by forks under way: handlers of signals fork, too

void take_list() noexcept {
    // The child of the only thread goes on with the list as it is, also where a handler that forks
    // interrupted what holds it: glibc's fork does the same.
    if (spin_lock::nobody_else())
        return;
    const held_signals held;
    _IO_list_lock();
    ++taken;
}

void give_list() noexcept {
    const held_signals held;
    if (taken == 0) // this is a child of a handler's, which went on with what that had interrupted
        return;
    --taken;
    _IO_list_unlock();
}

void reset_list() noexcept {
    if (taken == 0)
        return;
    taken = 0;
    _IO_list_resetlock();
}

} // namespace

void see_to_forks_around() noexcept {
    if (&_IO_list_lock != nullptr && &_IO_list_unlock != nullptr && &_IO_list_resetlock != nullptr)
        os::platform::at_fork(take_list, give_list, reset_list);
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
