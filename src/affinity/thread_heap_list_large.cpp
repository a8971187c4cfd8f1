// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Which heap a thread allocates its large objects from: lock_one() tries those that there are,
// makes one more if all are locked, and waits if there can be no more.
#include <arenite/affinity/detail/thread_heap_list.hpp>

#include <arenite/affinity/detail/thread_heap.hpp>
#include <arenite/core/config.hpp>
#include <arenite/os/detail/process_lock.hpp>

#include <mutex>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

namespace {

/// The number of the heap that this thread allocates from, in whichever affinity; where there are
/// not so many, it counts from the first one again.
constinit thread_local unsigned char usual_number ARENITE_THREAD_FAST = 0;

} // namespace

std::size_t large_heaps::count() const noexcept {
    std::size_t n = 0;
    for_each([&](const thread_heap&) { ++n; });
    return n;
}

thread_heap& large_heaps::at(std::size_t number) const noexcept {
    return *heaps_[number].load(std::memory_order_acquire);
}

/// The usual one first, then those behind it, then those before it.
thread_heap* large_heaps::try_lock_any() noexcept {
    const std::size_t among = count();
    for (std::size_t n = 0; n < among; ++n) {
        const std::size_t number = (usual_number + n) % among;
        if (!at(number).lock().try_lock())
            continue;
        if (n != 0)
            usual_number = static_cast<unsigned char>(number);
        return &at(number);
    }
    return nullptr;
}

thread_heap* large_heaps::lock_one(thread_heap* (*make)(void* owner) noexcept,
                                   void* owner) noexcept {
    if (thread_heap* const heap = try_lock_any())
        return heap;
    {
        struct of_large_heaps;
        const std::lock_guard lock{process_lock<std::mutex, of_large_heaps>()};
        // Others may have left one meanwhile: all of them, if what held the locks was a fork.
        if (thread_heap* const heap = try_lock_any())
            return heap;
        const std::size_t number = count();
        if (thread_heap* const heap = number != most ? make(owner) : nullptr) {
            heaps_[number].store(heap, std::memory_order_release);
            usual_number = static_cast<unsigned char>(number);
        }
    }
    // No lock is held here, where it may have to wait: for a fork, or for whoever took the new one.
    const std::size_t among = count();
    if (among == 0)
        return nullptr;
    thread_heap& heap = at(usual_number % among);
    heap.lock().lock();
    return &heap;
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
