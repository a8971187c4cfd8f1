// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/affinity/detail/thread_heap.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/held_lock.hpp>
#include <arenite/core/usage.hpp>

#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {

class region_sink;

namespace detail {

/// A thread_heap while this thread holds its lock: the calls of one that any thread uses, whatever
/// its resource.
///
///     locked_heap{h}.deallocate(p, bytes, alignment);
///
///     thread_heap | thread | lock | kind |
///                             |      +---> slab_heap, intrusive_resource or slots_resource
///                             held until the locked_heap ends, or a call finds misuse
///
/// Use when:  thread_heap::is_locked(). Of an unlocked one, by a thread that has it not: for
///            list_regions() alone.
/// Cost:      that of held_lock, and of the resource.
/// Threads:   any.
/// Misuse:    as the resource finds it; the lock is given up before a handler is called.
class locked_heap {
public:
    explicit locked_heap(thread_heap& heap) noexcept : lock_{heap.lock()}, heap_{heap} {}

    [[nodiscard]] void* try_allocate(std::size_t bytes, std::size_t alignment) noexcept;
    /// nullptr where the resource knows no neighbours.
    [[nodiscard]] void* try_allocate_near(const void* neighbour, std::size_t bytes,
                                          std::size_t alignment) noexcept;
    /// `bytes` may be unknown_bytes.
    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept;
    [[nodiscard]] bool try_resize(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                  std::size_t alignment) noexcept;
    [[nodiscard]] std::size_t size_of(const void* p) noexcept;
    void set_block_bytes(std::size_t bytes) noexcept;
    void trim() noexcept;
    [[nodiscard]] arenite::usage usage() noexcept;
    void list_regions(region_sink& sink);

private:
    held_lock lock_;
    thread_heap& heap_;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
