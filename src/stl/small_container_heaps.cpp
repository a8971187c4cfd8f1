// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The heaps that small containers of a thread share, one for each slot size: found by the thread,
// left at its end, and taken over by the next thread that needs one. Read try_allocate_slow():
// after the thread's end has come, objects that end later are served by one set of heaps for the
// whole process, under its lock; before that a set is taken over or made, and the thread's end
// awaited.
#include <arenite/stl/detail/small_container_heaps.hpp>

#include <arenite/core/detail/process_object.hpp>
#include <arenite/core/detail/thread_exit.hpp>
#include <arenite/os/detail/fork_lock.hpp>
#include <arenite/os/page_resource.hpp>
#include <arenite/stl/detail/container_arrays.hpp>

#include <cstddef>
#include <mutex>
#include <new>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

constinit thread_local small_container_heaps* small_container_heaps::current = nullptr;

// Shared by all threads.
struct small_container_heaps::shared {
    fork_lock<std::mutex> mutex;
    small_container_heaps* idle = nullptr; // of threads that have ended
    small_container_heaps* late = nullptr; // for objects that end after their thread's own

    [[nodiscard]] static shared& get() noexcept {
        return process_object<shared>::get(); // static containers end late
    }
};

/// The thread ends, and the next one may have what it leaves.
void small_container_heaps::leave() noexcept {
    small_container_heaps* const mine = std::exchange(current, nullptr);
    if (mine == nullptr)
        return;
    // Before it is in the list: the next thread may take it at once.
    mine->attend(false);
    shared& s = shared::get();
    const std::lock_guard guard{s.mutex};
    mine->next_ = s.idle;
    s.idle = mine;
}

void small_container_heaps::attend(bool attended) noexcept {
    for (container_heap* const heap : heaps_)
        if (heap != nullptr)
            heap->set_attended(attended);
}

/// One that a thread has left behind, or a new one.
small_container_heaps* small_container_heaps::take() noexcept {
    shared& s = shared::get();
    {
        const std::lock_guard guard{s.mutex};
        if (s.idle != nullptr)
            return std::exchange(s.idle, s.idle->next_);
    }
    void* const p = container_arrays::of_process().try_allocate(sizeof(small_container_heaps),
                                                                alignof(small_container_heaps));
    return p == nullptr ? nullptr : ::new (p) small_container_heaps;
}

container_heap* small_container_heaps::make_heap(std::size_t kind,
                                                 container_heap::state s) noexcept {
    if (heaps_[kind] == nullptr)
        heaps_[kind] = container_heap::make(kind, s, 0, container_policy, &page_source(), this);
    return heaps_[kind];
}

void* small_container_heaps::try_allocate_slow(std::size_t kind) noexcept {
    if (thread_exit::has_come()) {
        shared& s = shared::get();
        container_heap* heap = nullptr;
        {
            const std::lock_guard guard{s.mutex};
            if (s.late == nullptr) {
                void* const p = container_arrays::of_process().try_allocate(
                    sizeof(small_container_heaps), alignof(small_container_heaps));
                s.late = p == nullptr ? nullptr : ::new (p) small_container_heaps;
            }
            if (s.late != nullptr)
                heap = s.late->make_heap(kind, container_heap::state::unattended);
        }
        return heap == nullptr ? nullptr : heap->try_allocate_locked();
    }
    if (current == nullptr) {
        small_container_heaps* const mine = take();
        if (mine == nullptr)
            return nullptr;
        mine->attend(true);
        // Outside the lock, since it may wait for a library that another thread loads.
        thread_exit::await(&leave);
        current = mine;
    }
    container_heap* const heap = current->make_heap(kind, container_heap::state::attended);
    return heap == nullptr ? nullptr : heap->try_allocate(kind);
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
