// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The heaps of a container_pool: for each slot size a list with a heap for each thread, up to a
// number of threads, entered without a lock. First these lists, then slots, then trim() and the
// reports, which go through all heaps. Lists of heaps only grow while the pool lives, so that they
// are walked without a lock; every call into a heap takes the heap's own lock, as several threads
// may share one.
#include <arenite/stl/container_pool.hpp>

#include <arenite/check/passthrough.hpp>
#include <arenite/core/detail/thread_exit.hpp>

#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {

container_pool::container_pool(return_policy policy, upstream up) noexcept
    : upstream_{up}, policy_{policy}, arrays_{ordered_options{.policy = policy}, up} {}

container_pool::container_pool(std::span<std::byte> buffer) noexcept
    : region_{buffer}, upstream_{&region_}, policy_{return_policy::return_all},
      arrays_{ordered_options{.policy = policy_}, upstream_} {}

container_pool::~container_pool() {
    for_each_heap([](detail::container_heap& heap) { heap.end(); });
}

template <class F>
void container_pool::for_each_heap(F f) const {
    for (const auto& entry : heaps_) {
        detail::container_heap* heap = entry.load(std::memory_order_acquire);
        while (heap != nullptr) {
            // Read before f, by which the heap may end.
            detail::container_heap* const next = heap->next().load(std::memory_order_acquire);
            f(*heap); // which may end it
            heap = next;
        }
    }
}

/// A heap that has no memory yet, for this thread; nullptr where there is none for the heap itself.
detail::container_heap* container_pool::make_heap(std::size_t kind,
                                                  std::size_t expected) const noexcept {
    using detail::container_heap;
    container_heap* const made =
        container_heap::make(kind, container_heap::state::unattended, expected, policy_, upstream_,
                             nullptr, region_.is_open() ? &region_ : nullptr);
    if (made != nullptr)
        made->set_thread(detail::thread_exit::thread());
    return made;
}

/// This thread's heap, which may be new; another's where there are many, or no memory for more.
detail::container_heap& container_pool::heap_of_thread(detail::container_heap& first,
                                                       std::size_t kind,
                                                       std::size_t expected) const noexcept {
    using detail::container_heap;
    const void* const thread = detail::thread_exit::thread();
    if (first.thread() == thread)
        return first;
    std::size_t count = 1;
    for (container_heap* heap = first.next().load(std::memory_order_acquire); heap != nullptr;
         heap = heap->next().load(std::memory_order_acquire)) {
        if (heap->thread() == thread)
            return *heap;
        ++count;
    }
    container_heap* const made = count < most_threads ? make_heap(kind, expected) : nullptr;
    if (made != nullptr) {
        container_heap* after = first.next().load(std::memory_order_relaxed);
        do {
            // Behind the first, which never changes: relaxed, as the exchange publishes it.
            made->next().store(after, std::memory_order_relaxed);
        } while (!first.next().compare_exchange_weak(after, made, std::memory_order_acq_rel,
                                                     std::memory_order_relaxed));
        return *made;
    }
    // Threads lie some KiB apart.
    container_heap* heap = &first;
    for (std::size_t n = reinterpret_cast<std::uintptr_t>(thread) / 4096 % count; n > 0; --n)
        if (container_heap* const next = heap->next().load(std::memory_order_acquire))
            heap = next;
    return *heap;
}

void* container_pool::try_allocate_slot(std::size_t kind, std::size_t expected) noexcept {
    detail::container_heap* const heap = heaps_[kind].load(std::memory_order_acquire);
    if (heap != nullptr && heap->thread() == detail::thread_exit::thread()) [[likely]] {
        if (void* const p = heap->try_allocate_locked(); p != nullptr) [[likely]]
            return p;
    }
    return allocate_slot_slow(kind, expected);
}

void* container_pool::allocate_slot_slow(std::size_t kind, std::size_t expected) noexcept {
    using detail::container_heap;
    if (passthrough()) {
        const slot s = detail::container_slot(kind);
        return arrays_.try_allocate(s.bytes, s.alignment);
    }
    container_heap* heap = heaps_[kind].load(std::memory_order_acquire);
    if (heap == nullptr) {
        container_heap* const made = make_heap(kind, expected);
        if (made == nullptr)
            return nullptr;
        if (heaps_[kind].compare_exchange_strong(heap, made, std::memory_order_acq_rel,
                                                 std::memory_order_acquire))
            heap = made;
        else
            made->end(); // another thread was faster
    }
    // Its own heap; then any heap with a free slot; in a region at last after a trim of all sizes,
    // since memory there can't grow.
    if (void* const p = heap_of_thread(*heap, kind, expected).try_allocate_locked(); p != nullptr)
        return p;
    for (; heap != nullptr; heap = heap->next().load(std::memory_order_acquire))
        if (void* const p = heap->try_allocate_locked(); p != nullptr) // it may have a free slot
            return p;
    // Elsewhere the upstream was asked already: giving memory back to it would bring nothing.
    if (!region_.is_open())
        return nullptr;
    trim(); // slots of other sizes hold memory while they are hot
    return heap_of_thread(*heaps_[kind].load(std::memory_order_acquire), kind, expected)
        .try_allocate_locked();
}

void* container_pool::allocate_array_slow(std::size_t bytes, std::size_t alignment) noexcept {
    if (!region_.is_open())
        return nullptr;
    trim();
    return arrays_.try_allocate(bytes, alignment);
}

void container_pool::trim() noexcept {
    for_each_heap([](detail::container_heap& heap) { heap.trim(); });
    arrays_.trim();
}

arenite::usage container_pool::usage() const noexcept {
    arenite::usage sum = arrays_.usage();
    for_each_heap([&sum](const detail::container_heap& heap) { sum += heap.usage(); });
    return sum;
}

bool container_pool::owns(const void* p) const noexcept {
    bool found = arrays_.owns(p);
    for_each_heap([&](const detail::container_heap& heap) { found = found || heap.owns(p); });
    return found;
}

void container_pool::list_regions(region_sink& sink) const {
    for_each_heap([&sink](const detail::container_heap& heap) { heap.list_regions(sink); });
    arrays_.list_regions(sink);
}

} // namespace ARENITE_ABI
} // namespace arenite
