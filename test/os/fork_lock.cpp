// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/spin_lock.hpp>
#include <arenite/os/detail/fork_lock.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace arenite;
using detail::fork_lock;

namespace {

/// The result of f in a child: 0 as a rule; 99 where it hangs.
template <class F>
int in_child(F f) {
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(60);
        ::_exit(f());
    }
    int status = 0;
    if (::waitpid(child, &status, 0) != child)
        return 98;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

// A handler of forks that was registered before the library's: called while that holds its locks.
using fork_call = void (*)();
constinit fork_call at_fork = nullptr;
void call_at_fork() {
    if (at_fork != nullptr)
        at_fork();
}
struct earlier {
    earlier() { ::pthread_atfork(&call_at_fork, &call_at_fork, &call_at_fork); }
};
[[gnu::init_priority(101)]] const earlier handler;

/// Two numbers that are equal whenever the lock is free.
template <class Mutex>
struct guarded {
    fork_lock<Mutex> lock;
    volatile int a = 0;
    volatile int b = 0;

    void change() {
        const std::lock_guard guard{lock};
        a = a + 1;
        for (int i = 0; i < 100; ++i)
            static_cast<void>(a);
        b = b + 1;
    }
};

template <class Mutex>
void fork_amid_changes() {
    guarded<Mutex> shared;
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
        threads.emplace_back([&] {
            while (!stop.load()) {
                shared.change();
                std::this_thread::yield();
            }
        });
    }
    for (int i = 0; i < 50; ++i) {
        ASSERT_EQ(in_child([&] {
                      const std::lock_guard guard{shared.lock};
                      return shared.a == shared.b ? 0 : 1;
                  }),
                  0);
    }
    stop = true;
    for (std::thread& t : threads)
        t.join();
    EXPECT_EQ(shared.a, shared.b);
}

TEST(fork_lock_threads, a_mutex_is_free_in_the_child_and_what_it_guards_whole) {
    fork_amid_changes<std::mutex>();
}

TEST(fork_lock_threads, so_is_a_spin_lock) { fork_amid_changes<detail::spin_lock>(); }

TEST(fork_lock_threads, threads_that_hold_one_may_wait_for_another_in_any_order) {
    guarded<std::mutex> first;
    guarded<detail::spin_lock> second;
    guarded<std::mutex> third;
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    threads.emplace_back([&] {
        while (!stop.load()) {
            {
                const std::lock_guard guard{first.lock};
                second.change();
            }
            std::this_thread::yield();
        }
    });
    threads.emplace_back([&] {
        while (!stop.load()) {
            {
                const std::lock_guard guard{third.lock};
                first.change();
            }
            std::this_thread::yield();
        }
    });
    for (int i = 0; i < 30; ++i) {
        ASSERT_EQ(in_child([&] {
                      first.change();
                      second.change();
                      third.change();
                      return first.a == first.b && second.a == second.b ? 0 : 1;
                  }),
                  0);
    }
    stop = true;
    for (std::thread& t : threads)
        t.join();
}

#if !ARENITE_HAS_TSAN // which lets a thread hold 64 locks, and ends in its own lock here
TEST(fork_lock, hundreds_are_taken) {
    std::array<guarded<std::mutex>, 200> many;
    struct outer {
        fork_lock<std::mutex> lock{detail::outermost};
    };
    std::array<outer, 100> outermost_ones;
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(in_child([&] {
                      for (guarded<std::mutex>& one : many)
                          one.change();
                      return 0;
                  }),
                  0);
        for (guarded<std::mutex>& one : many)
            one.change();
        for (outer& one : outermost_ones)
            const std::lock_guard guard{one.lock};
    }
}
#endif

TEST(fork_lock, tells_its_owner_in_the_child_alone) {
    struct told {
        fork_lock<detail::spin_lock> lock{[](void* owner) noexcept {
                                              told& me = *static_cast<told*>(owner);
                                              const std::lock_guard guard{
                                                  me.lock}; // all are free by then
                                              ++me.times;
                                          },
                                          this};
        int times = 0;
    } owner;
    {
        const told gone; // no more to be told
    }
    EXPECT_EQ(in_child([&] { return owner.times; }), 1);
    EXPECT_EQ(owner.times, 0);
}

struct of_handlers {
    static constexpr std::string_view name = "of handlers of forks";
};
constinit guarded<std::mutex>* changed_at_fork = nullptr;

TEST(fork_lock, a_handler_that_comes_earlier_takes_what_the_fork_holds) {
    // Within a child, that one ends in time if it hangs.
    EXPECT_EQ(in_child([] {
                  guarded<std::mutex> shared;
                  changed_at_fork = &shared;
                  at_fork = [] {
                      guarded<detail::spin_lock> own; // begins and ends under the fork
                      own.change();
                      changed_at_fork->change();
                      affinity_heap& heap = affinity_heap::of<of_handlers>();
                      std::array<void*, 400> pieces{};
                      for (std::size_t i = 0; i < pieces.size(); ++i)
                          pieces[i] = heap.allocate(64 + i * 400);
                      for (std::size_t i = 0; i < pieces.size(); ++i)
                          heap.deallocate(pieces[i], 64 + i * 400);
                      static guarded<std::mutex>* made = nullptr;
                      if (made == nullptr)
                          made = new guarded<std::mutex>; // that lives on
                      made->change();
                  };
                  const int in_grandchild = in_child([&] {
                      at_fork = nullptr;
                      std::thread{[&] { shared.change(); }}.join();
                      return shared.a == shared.b && shared.a == 3 ? 0 : 1;
                  });
                  at_fork = nullptr;
                  std::thread{[&] { shared.change(); }}.join();
                  const bool whole = shared.a == shared.b && shared.a == 3;
                  return whole ? in_grandchild : 2;
              }),
              0);
}

TEST(fork_lock, is_a_lock) {
    fork_lock<std::mutex> lock;
    lock.lock();
    EXPECT_FALSE(lock.try_lock());
    lock.unlock();
    EXPECT_TRUE(lock.try_lock());
    lock.unlock();
}

} // namespace

#endif
