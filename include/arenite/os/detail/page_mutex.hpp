// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/detail/spin_lock.hpp>
#include <arenite/core/detail/thread_exit.hpp>

#include <atomic>
#include <mutex>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {
namespace os {

#if defined(_WIN32)

/// A mutex that is there before any code has run, as std::mutex is by the standard. On Windows that
/// one is not: mingw-w64 makes it at run time, and so did Visual C++ before 17.10. This is the slim
/// lock of Windows itself, which is a word of zeros.
class page_mutex {
public:
    constexpr page_mutex() noexcept = default;
    page_mutex(const page_mutex&) = delete;
    page_mutex& operator=(const page_mutex&) = delete;

    void lock() noexcept;
    [[nodiscard]] bool try_lock() noexcept;
    void unlock() noexcept;
    void lock_for_fork() noexcept { lock(); }
    void unlock_after_fork() noexcept { unlock(); }

private:
    void* state_ = nullptr; // an SRWLOCK
};

#else

/// A mutex that is there before any code has run, and that the thread goes through which holds it
/// while the process forks: handlers of forks may need pages.
///
/// A signal's handler that forks may have interrupted a fork; or, in a process of one thread, the
/// holder: then there is none to wait for.
class page_mutex {
public:
    constexpr page_mutex() noexcept = default;
    page_mutex(const page_mutex&) = delete;
    page_mutex& operator=(const page_mutex&) = delete;

    void lock() noexcept {
        if (!is_held_for_fork())
            mutex_.lock();
    }
    [[nodiscard]] bool try_lock() noexcept { return is_held_for_fork() || mutex_.try_lock(); }
    void unlock() noexcept {
        if (!is_held_for_fork()) [[likely]]
            mutex_.unlock();
    }

    void lock_for_fork() noexcept {
        if (is_held_for_fork()) {
            ++forks_within_;
            return;
        }
        if (spin_lock::nobody_else())
            is_interrupted_ = !mutex_.try_lock();
        else
            mutex_.lock();
        forking_.store(detail::thread_exit::thread(), std::memory_order_relaxed);
    }
    void unlock_after_fork() noexcept {
        if (forks_within_ != 0) {
            --forks_within_;
            return;
        }
        forking_.store(nullptr, std::memory_order_relaxed);
        if (!std::exchange(is_interrupted_, false))
            mutex_.unlock();
    }

private:
    [[nodiscard]] bool is_held_for_fork() const noexcept {
        const void* const who = forking_.load(std::memory_order_relaxed);
        return who != nullptr && who == detail::thread_exit::thread();
    }

    std::mutex mutex_;
    std::atomic<const void*> forking_{nullptr}; ///< the thread that holds it so
    unsigned forks_within_ = 0;                 ///< by handlers of signals that interrupted a fork
    bool is_interrupted_ = false;               ///< the only thread was inside when it came to fork
};

#endif

} // namespace os
} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
