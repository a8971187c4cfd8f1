// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/ordered/detail/slab_front.hpp>
#include <arenite/os/detail/fork_lock.hpp>

#include <cstddef>
#include <cstdint>
#include <mutex>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

#if ARENITE_IS_MALLOC
/// heap_owner::on_many_frees of what is the process's malloc, which defines it: the calls that
/// follow look whether memory can go back.
void expect_idling(slab_heap& here, std::uint64_t now_ms) noexcept;
/// Called when a large object was freed or became shorter, by the thread that did it.
void expect_idling_after_large() noexcept;
#endif

/// Who a slab_heap works for, and the messages about misuse of it. The messages end the call by
/// contract_violation(); a heap gives up its locks first, see heap_gate.
struct heap_owner {
    void* heap;                     ///< the ordered_heap or affinity_heap; also for messages
    const char* affinity = nullptr; ///< for messages: "affinity nodes", or null
    const char* name = nullptr;     ///< for messages: the name of an ordered_heap, or null

    /// Called with what can't be freed at once, large objects of this heap and those over joined
    /// slots as well; true if it was not of this heap and has been seen to. null: what is not of
    /// this heap is misuse.
    bool (*on_foreign_free)(slab_heap& here, void* p, std::size_t bytes,
                            std::size_t alignment) noexcept = nullptr;

    /// Called after some frees of its thread, between two calls: every 4 ms at most, and when half
    /// of what the heap holds has come free. Gives a little back of what is idle, or sees to it
    /// that this is done; null: there is nothing.
    void (*on_many_frees)(slab_heap& here, std::uint64_t now_ms) noexcept = nullptr;

    /// Tells the bytes that count for the heap besides its own, see block_options; null: none.
    std::size_t (*bytes_elsewhere)(const slab_heap& here) noexcept = nullptr;

    /// Held while slabs and blocks change, or null: its holder may look at them from another
    /// thread, and at bits and sizes of slots by glances.
    fork_lock<std::mutex>* gate = nullptr;

    void* holder = nullptr; ///< the thread_heap that it is part of, or null

    /// A free that is misuse.
    ARENITE_COLD void refuse_free(const void* p, std::size_t bytes, const char* why) const noexcept;
    /// A free with a wrong size; `asked`: the size it was allocated with, or unknown_bytes.
    ARENITE_COLD void refuse_size(const void* p, std::size_t bytes, std::size_t room,
                                  std::size_t asked) const noexcept;
    /// A free of an object of `asked` bytes behind which somebody wrote.
    ARENITE_COLD void refuse_overrun(const void* p, std::size_t asked) const noexcept;
    /// A size_of() of what is no object.
    [[noreturn]] ARENITE_COLD void refuse_question(const void* p) const noexcept;
    /// A size_of() of what lies in no memory of the heap.
    [[noreturn]] ARENITE_COLD void refuse_foreign_question(const void* p) const noexcept;
};

/// The lock of a heap that is held while its slabs and blocks change, if it has one, and whether
/// such a call is under way.
///
/// Threads:   the heap's own; others hold the lock itself.
class heap_gate {
public:
    /// Holds it for a slow call: at the outermost of calls within calls.
    class [[nodiscard]] guard {
    public:
        explicit guard(heap_gate& of) noexcept : of_{of}, outermost_{!of.entered_} {
            if (outermost_ && of_.lock_ != nullptr)
                of_.lock_->lock();
            of_.entered_ = true;
        }
        ~guard() {
            if (outermost_)
                of_.leave();
        }
        guard(const guard&) = delete;
        guard& operator=(const guard&) = delete;

    private:
        heap_gate& of_;
        bool outermost_;
    };

    explicit heap_gate(fork_lock<std::mutex>* lock) noexcept : lock_{lock} {}

    guard enter() noexcept { return guard{*this}; }
    /// Enters until leave(). False within a call, or while another thread has the lock.
    [[nodiscard]] bool try_enter() noexcept {
        if (entered_ || (lock_ != nullptr && !lock_->try_lock()))
            return false;
        return entered_ = true;
    }
    [[nodiscard]] bool entered() const noexcept { return entered_; }

    /// Ends the call that found misuse, before the handler is called: that may use the heap, fork,
    /// and never come back.
    void leave() noexcept {
        if (!entered_)
            return;
        entered_ = false;
        if (lock_ != nullptr)
            lock_->unlock();
    }

    /// Leaves, and reports misuse.
    template <class Refuse>
    void refuse(Refuse message) noexcept {
        leave();
        message();
    }

private:
    fork_lock<std::mutex>* lock_;
    bool entered_ = false;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
