// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Notifies the library when a thread ends, for state that it keeps for that thread.
///
///     thread:      first use ... await(f) ...   its own objects end   f()   other keys' objects
///     has_come():                       false                         true  until the last
///
/// The state lies in thread-local memory without a destructor, so it can be used until the very
/// last object of the thread is gone; after has_come() it must not hold anything back any more.
///
/// The library has a key of POSIX threads, whose destructor is called after the thread's objects
/// ended; it waits one round of such destructors, so that objects of other keys, too, have ended by
/// then as a rule, and where a thread's objects end through a key themselves (musl). It takes no
/// lock of the loader: a thread may use memory for the first time while another one loads a library
/// and waits for it. The main thread of a process that exits does not end: nothing is called there.
///
/// With mingw-w64 thread-local memory is gone by then, and Visual C++ has no keys: the functions
/// are called by an object of the thread, between those made after the first await and those made
/// before it. With mingw-w64 the library has the objects' key made when the program starts, before
/// its own; hence those of the main thread end after the program's static objects there.
///
/// Use when:  a thread holds memory for itself that others should get when it ends.
/// Cost:      await: a check of what is registered already; has_come: one load.
/// Overhead:  16 bytes a thread.
/// Limits:    `most` functions in total.
/// Threads:   each for itself.
class thread_exit {
public:
    using function = void (*)() noexcept;

    static constexpr unsigned most = 8;

    /// True where the functions are called after all of a thread's objects have ended.
#if defined(_WIN32)
    static constexpr bool ends_after_objects = false;
#else
    static constexpr bool ends_after_objects = true;
#endif

    /// An address that no other living thread has.
    [[nodiscard]] static const void* thread() noexcept { return &state; }

    /// True while and after the functions are called.
    [[nodiscard]] static bool has_come() noexcept { return state.come; }

    /// Registers f to be called when all objects of this thread were destroyed: it may destroy what
    /// they used. Never called on systems without POSIX thread keys.
    static void await_last(function f) noexcept;

    /// Registers f to be called when this thread ends, after the destructors of its objects that
    /// are made from now on, and as a rule of all; once, however often it is registered. What is
    /// registered first is called last. Not after has_come().
    static void await(function f) noexcept;

private:
    /// The registrations of one thread.
    struct awaited {
        std::uint32_t functions; ///< their numbers plus one, 4 bits each, the latest lowest
        std::uint8_t last;       ///< a bit for each number
        bool come;
        bool waited; ///< for a round of the destructors of keys
    };
    struct ender;
    struct key;

    static void call(awaited& mine) noexcept;
    static void call_last(awaited& mine) noexcept;

    static constinit thread_local awaited state ARENITE_THREAD_FAST;
    static thread_local ender at_the_end;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
