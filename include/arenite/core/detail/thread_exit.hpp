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
///     thread:  first use ... await(f)      its own objects end ...   f()   objects made before
///     has_come():             false                                 true   true until the last
///
/// The state lies in thread-local memory without a destructor, so it can be used until the very
/// last object of the thread is gone; after has_come() it must not hold anything back any more.
///
/// A function that a thread first registers after its own objects were destroyed, as in the
/// destructor of a POSIX thread key, is called through a key of the library, one or two rounds of
/// such destructors later.
///
/// With musl and with mingw-w64, a thread's objects end through such a key too, in the first round.
/// With musl the library waits for the second one. With mingw-w64 thread-local memory is gone by
/// then: the library has the objects' key made when the program starts, before its own; hence those
/// of the main thread end after the program's static objects there.
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

    /// True while and after the functions are called.
    [[nodiscard]] static bool has_come() noexcept { return state.come; }

    /// Registers f to be called when all objects of this thread were destroyed: it may destroy what
    /// they used. Never called on systems without POSIX thread keys.
    static void await_last(function f) noexcept;

    /// Registers f to be called when this thread ends, after the destructors of its objects that
    /// are made from now on; once, however often it is registered. What is registered first is
    /// called last. Not after has_come().
    static void await(function f) noexcept;

private:
    /// What one thread has registered.
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

    static constinit thread_local awaited state;
    static thread_local ender at_the_end;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
