// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/detail/held_lock.hpp>

#if ARENITE_CHECKS
#include <atomic>
#include <optional>
#endif

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// In checked builds, finds two threads inside a resource that is for one thread at a time.
///
///     one_thread threads;                                             // a member
///     [[maybe_unused]] const auto inside = threads.enter("my_resource", &my);  // in each call
///
/// Cost:      in checked builds two atomic operations and held_lock, in others nothing.
/// Overhead:  in checked builds a pointer, in others nothing where it is [[no_unique_address]].
/// Limits:    threads that take turns without a lock, but never meet, are not found:
///            ThreadSanitizer finds those. After a contract handler threw, and that was caught
///            within the call, the rest of the call is not looked at.
/// Threads:   any.
class one_thread {
public:
#if ARENITE_CHECKS
    /// One call of the resource, for as long as this object lives; calls may be nested. Ends before
    /// a contract handler is called, as locks do: it may jump out, and other threads may go on.
    class call {
    public:
        call(one_thread& of, const char* kind, const void* who) noexcept {
            const void* inside = nullptr;
            if (of.inside_.compare_exchange_strong(inside, &mark, std::memory_order_relaxed))
                held_.emplace(of);
            else if (inside != &mark) [[unlikely]]
                refuse(kind, who);
        }

    private:
        std::optional<held_lock> held_; ///< by the outermost one
    };

    // For held_lock.
    void lock() noexcept {}
    void unlock() noexcept { inside_.store(nullptr, std::memory_order_relaxed); }

    [[nodiscard]] call enter(const char* kind, const void* who) noexcept {
        return call{*this, kind, who};
    }

private:
    ARENITE_COLD static void refuse(const char* kind, const void* resource) noexcept;

    static constinit thread_local char mark; ///< its address names the thread

    std::atomic<const void*> inside_{nullptr}; ///< the mark of the thread that is inside
#else
    struct call {};

    [[nodiscard]] ARENITE_INLINE call enter(const char*, const void*) const noexcept { return {}; }
#endif
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
