// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <cstddef>
#include <new>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// How an object of the process is made, where it needs no arguments.
template <class T>
struct make_default {
    T operator()() const { return T(); }
};

/// The one object of a part of the library, named by `Part`, for all of the process:
/// `process_object<T, Part>::get()`.
///
/// Made when the library is loaded, before there are other threads, or by what asks for it earlier
/// still; never destroyed. A static of a function that is made at its first use would not do: a
/// child that is forked while another thread makes it waits for that thread for ever.
///
/// Use when:  it is used before main, after it, and in forked children.
/// Cost:      get: the check of a static of a function.
/// Limits:    what makes it runs when the library is loaded, whether it is asked for or not: no
///            memory is taken there, and nothing that may fail is done.
/// Threads:   any.
template <class T, class Part = T, class Make = make_default<T>>
class process_object {
public:
    [[nodiscard]] static T& get() noexcept {
        static_cast<void>(&at_load); // so that there is one
        alignas(T) static std::byte place[sizeof(T)];
        static T* const object = ::new (static_cast<void*>(place)) T(Make{}());
        return *object;
    }

private:
    static inline const T& at_load = get();
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
