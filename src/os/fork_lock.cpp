// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/os/detail/fork_lock.hpp>

#include <arenite/core/detail/process_object.hpp>
#include <arenite/core/detail/spin_lock.hpp>
#include <arenite/os/detail/platform.hpp>
#include <arenite/os/page_resource.hpp>

#include <mutex>
#include <thread>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// All that there are.
struct fork_chain {
    static constinit spin_lock adding;
    static constinit fork_link* first;

    static void see_to_forks() noexcept {
        process_pages::see_to_forks(); // the lock of the pages is the last to be taken
        os::platform::at_fork(lock_all, unlock_all, unlock_all_in_child);
    }

    static void unlock_until(const fork_link* end) noexcept {
        for (fork_link* l = first; l != end;) {
            fork_link& here = *l;
            l = here.next_;
            if (here.lock_ == nullptr)
                here.unlock_(here);
        }
    }

    static void lock_outermost() noexcept {
        for (fork_link* l = first; l != nullptr; l = l->next_)
            if (l->lock_ != nullptr)
                l->lock_(*l);
    }

    static void unlock_outermost() noexcept {
        for (fork_link* l = first; l != nullptr; l = l->next_)
            if (l->lock_ != nullptr)
                l->unlock_(*l);
    }

    /// True if it was to be had within a moment, in which its owner runs as a rule.
    static bool take(fork_link& l) noexcept {
        constexpr int patience = 500;
        for (int n = 0; n < patience; ++n) {
            if (l.try_lock_(l))
                return true;
            if (n % 16 == 15)
                std::this_thread::yield();
        }
        return false;
    }

    /// Who holds one of them may wait for another, in whatever order: so none is waited for long
    /// while others are held.
    static void lock_all() noexcept {
        fork_link::forking.store(true, std::memory_order_relaxed);
        for (;;) {
            adding.lock();
            lock_outermost();
            fork_link* l = first;
            while (l != nullptr && (l->lock_ != nullptr || take(*l)))
                l = l->next_;
            if (l == nullptr)
                return fork_link::forking.store(false, std::memory_order_relaxed);
            unlock_until(l);
            unlock_outermost();
            adding.unlock();
            std::this_thread::yield();
        }
    }

    static void unlock_all() noexcept {
        unlock_until(nullptr);
        unlock_outermost();
        adding.unlock();
    }

    static void unlock_all_in_child() noexcept {
        unlock_all();
        for (fork_link* l = first; l != nullptr; l = l->next_)
            if (l->in_child_ != nullptr)
                l->in_child_(l->owner_);
    }
};

namespace {

struct registration {
    registration() noexcept { fork_chain::see_to_forks(); }
};

} // namespace

constinit spin_lock fork_chain::adding;
constinit fork_link* fork_chain::first = nullptr;

constinit std::atomic<bool> fork_link::forking{false};

void fork_link::wait_a_little() noexcept {
    constexpr int patience = 100;
    for (int n = 0; n < patience && forking.load(std::memory_order_relaxed); ++n)
        std::this_thread::yield();
}

void fork_link::add() noexcept {
    static_cast<void>(process_object<registration>::get());
    const std::lock_guard lock{fork_chain::adding};
    next_ = fork_chain::first;
    if (next_ != nullptr)
        next_->previous_ = this;
    fork_chain::first = this;
}

void fork_link::remove() noexcept {
    const std::lock_guard lock{fork_chain::adding};
    (previous_ != nullptr ? previous_->next_ : fork_chain::first) = next_;
    if (next_ != nullptr)
        next_->previous_ = previous_;
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
