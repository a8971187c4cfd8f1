// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/os/detail/fork_lock.hpp>
#include <arenite/pool/suballocator_resource.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Slots that a thread holds back for itself, of one shared pool. Lives in thread-local memory.
struct thread_slots {
    static constexpr std::uint32_t most = 64;

    std::atomic<std::uint32_t> count{0}; ///< written by this thread, read by usage()
    std::uint32_t room = 0;              ///< 0 before the first use and after the thread's end
    void* slots[most] = {};
    thread_slots* next = nullptr; ///< of all threads' that use the pool
    thread_slots* previous = nullptr;
    thread_slots* next_of_thread = nullptr;
    class shared_slots* owner = nullptr;
    struct thread_rows* rows = nullptr; ///< those that this thread takes slots from
};

/// Rows that one thread takes slots from at a time.
struct thread_rows {
    suballocator_resource slots;
    const thread_slots* owner; ///< nullptr: of no thread, or of one that has ended
    thread_rows* next;
};

/// A pool that all threads use: each takes and gives 32 slots at a time. Never destroyed. In the
/// child of a fork it has what the other threads held back.
///
///     thread 1  | 32 free slots |  <->  rows of thread 1   | row | row |      one lock for all
///     thread 2  | 32 free slots |  <->  rows of thread 2   | row |
///                                       of no thread       | row |            the next one's
///
/// Each thread takes slots from rows of its own, so no line of the cache holds slots that two
/// threads took. A slot goes back to the rows it is of, whoever frees it. Rows of a thread that has
/// ended are taken over by the next, and by threads that would else need more memory.
///
/// When only a few elements are left of many, a thread that frees holds nothing back until its next
/// request: the last slots would keep the largest rows.
class shared_slots {
public:
    shared_slots(slot s, const suballocator_options& options, upstream up) noexcept;

    /// Held while one is made.
    [[nodiscard]] static fork_lock<std::mutex>& making() noexcept;

    /// Over all of the process, one after the other.
    [[nodiscard]] static arenite::usage usage_all() noexcept;
    static void trim_all() noexcept;

    ARENITE_NOINLINE void* refill(thread_slots& mine) noexcept;
    ARENITE_NOINLINE void spill(thread_slots& mine, void* p) noexcept;

    [[nodiscard]] arenite::usage usage() noexcept;
    void trim(thread_slots& mine) noexcept;
    [[nodiscard]] bool owns(const void* p) noexcept;

private:
    friend struct thread_end;
    /// Below so many elements a pool of more than this many bytes is emptied slot by slot.
    static constexpr std::size_t few = thread_slots::most;
    static constexpr std::size_t small_pool_bytes = std::size_t{64} << 10;

    /// Rows of a further thread begin with this much: their ends are few beside what lies within.
    static constexpr std::size_t first_bytes_of_others = std::size_t{16} << 10;

    [[nodiscard]] static bool keeps_rows_for_few(const suballocator_resource& slots,
                                                 std::size_t held) noexcept;
    [[nodiscard]] static bool is_to_join(const thread_slots& mine) noexcept;
    static void await_end(const thread_slots& mine) noexcept;
    void join(thread_slots& mine) noexcept;
    void leave(thread_slots& mine) noexcept;
    void give(thread_slots& mine, std::uint32_t count) noexcept;
    void adopt_after_fork() noexcept;

    [[nodiscard]] thread_rows& rows_with_a_slot(thread_slots& mine) noexcept;
    [[nodiscard]] thread_rows& rows_to_join() noexcept;
    [[nodiscard]] thread_rows& rows_of(const void* p, thread_rows& likely) noexcept;
    [[nodiscard]] void* take_from_any() noexcept;
    void leave_rows(const thread_slots& mine) noexcept;
    void return_if_unused(thread_rows& rows) const noexcept;

    fork_lock<std::mutex> mutex_; // guards what follows
    const slot slot_;
    const suballocator_options options_;
    const upstream upstream_;
    thread_rows first_;
    thread_slots* threads_ = nullptr;
    shared_slots* next_pool_ = nullptr; ///< of all in the process; set once
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
