// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <cstdint>

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
/// Built by mingw-w64, thread-local memory goes by such a key too: there all are called before any
/// object of the thread ends, and once more for what those objects await.
///
/// Use when:  a thread holds memory for itself that others are to have when it ends.
/// Cost:      await: a look at what is awaited already; has_come: one load.
/// Overhead:  16 bytes a thread.
/// Limits:    `most` functions in all.
/// Threads:   each for itself.
class thread_exit {
public:
    using function = void (*)() noexcept;

    static constexpr unsigned most = 8;

    /// True while and after the functions are called.
    [[nodiscard]] static bool has_come() noexcept { return state.come; }

    /// Has f called when all objects of this thread have ended: it may end what they may have used.
    /// Never where there are no keys of POSIX threads.
    static void await_last(function f) noexcept;

    /// Has f called when this thread ends, after those of its objects that are made from now on;
    /// once, however often it is asked for. What is awaited first is called last. Not once
    /// has_come().
    static void await(function f) noexcept;

private:
    /// What one thread awaits.
    struct awaited {
        std::uint32_t functions; ///< their numbers plus one, 4 bits each, the latest lowest
        std::uint8_t last;       ///< a bit for each number
        bool come;
    };
    struct ender;
    struct key;

    static void call(awaited& mine) noexcept;
    static void call_last(awaited& mine) noexcept;

    static constinit thread_local awaited state;
    static thread_local ender at_the_end;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
