// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The locks that a thread holds, innermost first, linked through the guards themselves. A handler
// that leaves by longjmp leaves guards behind: give_up_all() has emptied the list by then. The
// class is for locks under which a violation may be found; a plain lock_guard would stay locked
// when a handler jumps out.
#include <arenite/core/detail/held_lock.hpp>

#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

namespace {

thread_local constinit held_lock* innermost = nullptr;

} // namespace

void held_lock::enter() noexcept { outer_ = std::exchange(innermost, this); }

void held_lock::leave() noexcept {
    if (lock_ != nullptr) // else the list is empty, or that of later calls
        innermost = outer_;
}

void held_lock::give_up_all() noexcept {
    for (held_lock* l = std::exchange(innermost, nullptr); l != nullptr; l = l->outer_)
        // Its lock_ is null from now on: the guard's own end, if it comes, does nothing.
        l->unlock_(std::exchange(l->lock_, nullptr));
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
