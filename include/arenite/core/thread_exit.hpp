// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Tells what the library keeps for a thread that the thread ends.
///
///     thread:  first use ... await(f)      its own objects end ...   f()   objects made before
///     has_come():             false                                 true   true until the last
///
/// What is kept lies in thread-local memory that no destructor ends, so it can be asked until the
/// very last object of the thread is gone; once has_come() it must hold nothing back any more.
///
/// What a thread awaits first when its own objects have ended already, as in the destructor of a
/// key of POSIX threads, is called by a key of the library's, in the next round of such
/// destructors.
///
/// Use when:  a thread holds memory for itself that others are to have when it ends.
/// Cost:      await: a look at what is awaited already; has_come: one load.
/// Overhead:  8 bytes a thread.
/// Limits:    `most` functions in all.
/// Threads:   each for itself.
class thread_exit {
public:
    using function = void (*)() noexcept;

    static constexpr unsigned most = 8;

    /// True while and after the functions are called.
    [[nodiscard]] static bool has_come() noexcept { return come; }

    /// Has f called when this thread ends, after those of its objects that are made from now on;
    /// once, however often it is asked for. What is awaited first is called last. Not once
    /// has_come().
    static void await(function f) noexcept;

private:
    struct caller;
    struct key;

    static void call_all(caller& mine) noexcept;

    static constinit thread_local bool come;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
