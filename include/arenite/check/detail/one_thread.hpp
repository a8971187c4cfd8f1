// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#if ARENITE_CHECKS
#include <atomic>
#endif

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// In checked builds, finds two threads inside a resource that is for one thread at a time.
///
///     one_thread threads;                                             // a member
///     [[maybe_unused]] const auto inside = threads.enter("my_resource", &my);  // in each call
///
/// Cost:      in checked builds two atomic operations a call, in others nothing.
/// Overhead:  in checked builds a pointer, in others nothing where it is [[no_unique_address]].
/// Limits:    threads that take turns without a lock, but never meet, are not found:
///            ThreadSanitizer finds those. A call that is left by longjmp never ends here: other
///            threads that use the resource later are reported, too.
/// Threads:   any.
class one_thread {
public:
#if ARENITE_CHECKS
    /// One call of the resource, for as long as this object lives; calls may be nested.
    class call {
    public:
        call(one_thread& of, const char* kind, const void* who) noexcept
            : inside_{of.inside_}, before_{inside_.exchange(&mark, std::memory_order_relaxed)} {
            if (before_ != nullptr && before_ != &mark) [[unlikely]]
                refuse(kind, who);
        }
        ~call() { inside_.store(before_, std::memory_order_relaxed); }
        call(const call&) = delete;
        call& operator=(const call&) = delete;

    private:
        std::atomic<const void*>& inside_;
        const void* before_;
    };

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
