// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace support {

/// A thread that does what it is given, while who gives it waits: a program of several threads does
/// the same each time.
class helper_thread {
public:
    void run(const std::function<void()>& work) {
        if (!thread_.joinable())
            thread_ = std::thread{[this] { serve(); }};
        std::unique_lock lock{mutex_};
        work_ = &work;
        changed_.notify_all();
        changed_.wait(lock, [this] { return work_ == nullptr; });
    }
    /// The thread ends; the next work has another one.
    void end() {
        if (!thread_.joinable())
            return;
        {
            const std::lock_guard lock{mutex_};
            over_ = true;
        }
        changed_.notify_all();
        thread_.join();
        over_ = false;
    }
    ~helper_thread() { end(); }

private:
    void serve() {
        std::unique_lock lock{mutex_};
        for (;;) {
            changed_.wait(lock, [this] { return work_ != nullptr || over_; });
            if (work_ == nullptr)
                return;
            (*work_)();
            work_ = nullptr;
            changed_.notify_all();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    const std::function<void()>* work_ = nullptr;
    bool over_ = false;
    std::thread thread_;
};

/// This thread and two others, of which one works at a time.
class three_threads {
public:
    void on(std::size_t which, const std::function<void()>& work) {
        which % 3 == 0 ? work() : helpers_[which % 3 - 1].run(work);
        if (to_end_ != nullptr) // by this thread, when none of them works
            std::exchange(to_end_, nullptr)->end();
    }
    /// The first or the second of the others ends after this work; the next has another one.
    void end_after_this(std::size_t which) { to_end_ = &helpers_[which % 2]; }
    void end() {
        for (helper_thread& t : helpers_)
            t.end();
    }

private:
    helper_thread helpers_[2];
    helper_thread* to_end_ = nullptr;
};

} // namespace support
