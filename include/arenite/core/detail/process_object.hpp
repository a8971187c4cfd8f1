// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <cstddef>
#include <new>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// How an object of the process is made, if it needs no arguments.
template <class T>
struct make_default {
    T operator()() const { return T(); }
};

/// The one instance, for the whole process, of a part of the library that `Part` names:
/// `process_object<T, Part>::get()`.
///
/// Made when the library is loaded, before there are other threads, or by an even earlier first
/// use; never destroyed. A function-local static that is made at its first use would not do: a
/// child that is forked while another thread makes it would wait for that thread for ever.
///
/// Use when:  it is used before main, after it, and in forked children.
/// Cost:      get: the check of a function-local static.
/// Limits:    the constructor runs when the library is loaded, whether the object is used or not:
///            it must not allocate, nor do anything that may fail.
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
