// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <atomic>
#include <cstddef>
#include <new>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// std::this_thread::yield(), without <thread> in headers that all include.
void give_way() noexcept;

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
/// Cost:      get: a load.
/// Limits:    the constructor runs when the library is loaded, whether the object is used or not:
///            it must not allocate, nor do anything that may fail.
/// Threads:   any.
template <class T, class Part = T, class Make = make_default<T>>
class process_object {
public:
    [[nodiscard]] static T& get() noexcept {
        static_cast<void>(&at_load); // so that there is one
        alignas(T) static std::byte place[sizeof(T)];
        static constinit std::atomic<state> now{state::absent};
        if (now.load(std::memory_order_acquire) != state::there) [[unlikely]]
            make(now, place);
        return *std::launder(reinterpret_cast<T*>(place));
    }

private:
    enum class state : unsigned char { absent, being_made, there };

    // By hand, as what the compiler adds to a static object belongs to the C++ library.
    ARENITE_COLD static void make(std::atomic<state>& now, void* place) noexcept {
        state before = state::absent;
        if (now.compare_exchange_strong(before, state::being_made, std::memory_order_acquire)) {
            ::new (place) T(Make{}());
            now.store(state::there, std::memory_order_release);
        }
        while (now.load(std::memory_order_acquire) != state::there)
            give_way();
    }

    static inline const T& at_load = get();
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
