// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The heap of a thread in an affinity: where it lies and how it is used again; then its
// calls, by its thread or under its lock. Frees by other threads are remote_queue.
#include <arenite/affinity/detail/thread_heap.hpp>

#include <arenite/core/alignment.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/ordered/detail/slab_survey.hpp>
#include <arenite/os/detail/fork_lock.hpp>
#include <arenite/os/page_resource.hpp>
#include <arenite/predecessor/intrusive_resource.hpp>
#include <arenite/predecessor/slots_resource.hpp>

#include "heap_pages.hpp"
#include "immortal_pages.hpp"

#include <algorithm>
#include <memory>
#include <mutex>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

namespace {

struct of_places;
fork_lock<std::mutex>& places_lock() noexcept { return process_lock<std::mutex, of_places>(); }

// Retired ones, by next_of_affinity: those whose resource's pages are resident, and the others.
constinit thread_heap* retired = nullptr;
constinit thread_heap* retired_trimmed = nullptr;
constinit std::size_t retired_count = 0; ///< of those that are resident

/// More are not worth their memory: 11 KiB each, for a few page faults when they serve again.
constexpr std::size_t most_resident = 256;
constinit immortal_pages<thread_heap, 64_KiB> thread_heap_pages;
constinit immortal_pages<heap_pages, 256_KiB> all_heap_pages;

/// Under the lock; nullptr where there is none.
thread_heap* take_from(thread_heap*& list) noexcept {
    thread_heap* const heap = list;
    if (heap != nullptr)
        list = heap->next_of_affinity;
    return heap;
}
void put_on(thread_heap*& list, thread_heap& heap) noexcept {
    heap.next_of_affinity = list;
    list = &heap;
}
thread_heap* take_retired() noexcept {
    thread_heap* const heap = take_from(retired);
    retired_count -= heap != nullptr ? 1 : 0;
    return heap;
}

/// Returns the memory in which a heap lay, which is destroyed.
void purge_place(void* storage) noexcept {
    page_source().purge(&heap_pages::around(storage), sizeof(heap_pages));
}

/// The block size that a heap gets: below that of a block its blocks would be smaller ones, and
/// their heads not where remote_frees looks for them.
constexpr std::size_t span_bytes(std::size_t asked) noexcept {
    constexpr std::size_t most = max_object_bytes - remote_frees::mask_bytes;
    return align_up(std::min(asked, most), remote_frees::mask_bytes);
}

} // namespace

/// A retired or a new one; nullptr where there is no memory.
thread_heap* thread_heap::take_place() noexcept {
    const std::lock_guard lock{places_lock()};
    if (thread_heap* const heap = take_retired())
        return heap;
    if (thread_heap* const heap = take_from(retired_trimmed))
        return heap;
    void* const place = thread_heap_pages.next();
    void* const heap_place = all_heap_pages.next();
    if (place == nullptr || heap_place == nullptr)
        return nullptr;
    thread_heap_pages.take();
    all_heap_pages.take();
    auto* const heap = ::new (place) thread_heap;
    heap->storage_ = (::new (heap_place) heap_pages)->begin();
    return heap;
}

void thread_heap::begin(thread_heap_list& home, const heap_owner& owner, unsigned affinity,
                        const affinity_options& options, thread_heap_kind kind) noexcept {
    home_ = &home;
    owner_ = owner;
    owner_.holder = this;
    options_ = options;
    pages_.belong_to(*this, affinity);
    user_ = owner.heap;
    affinity_ = affinity;
    kind_ = kind;
    locked_ = slow_only || kind != thread_heap_kind::ordered;
    idle_ = {};
    owner_.gate = locked_ ? nullptr : &lock_;
    if (locked_)
        owner_.on_foreign_free = nullptr; // found before
    construct_heap();
    remote_.serve(owner_, locked_ ? nullptr : &heap());
}

void thread_heap::construct_heap() noexcept {
    void* const p = storage_;
    const std::size_t block_bytes = span_bytes(options_.block_bytes);
    switch (kind_) {
    case thread_heap_kind::intrusive:
        ::new (p) intrusive_resource{intrusive_options{.block_bytes = block_bytes,
                                                       .alignment = options_.alignment,
                                                       .policy = options_.policy},
                                     upstream{&pages_}};
        break;
    case thread_heap_kind::slots:
        ::new (p) slots_resource{slots_options{.block_bytes = block_bytes,
                                               .alignment = options_.alignment,
                                               .policy = options_.policy},
                                 upstream{&pages_}};
        break;
    default:
        ::new (p) slab_heap{
            {.block_bytes = block_bytes, .policy = options_.policy, .prefault = options_.prefault},
            upstream{&pages_},
            owner_};
        break;
    }
}

template <class F>
decltype(auto) thread_heap::with_resource(F f) noexcept {
    switch (kind_) {
    case thread_heap_kind::intrusive:
        return f(*std::launder(static_cast<intrusive_resource*>(storage_)));
    case thread_heap_kind::slots:
        return f(*std::launder(static_cast<slots_resource*>(storage_)));
    default:
        return f(heap());
    }
}

void thread_heap::destroy_heap() noexcept {
    with_resource([](auto& r) { std::destroy_at(&r); });
}

thread_heap* thread_heap::make(thread_heap_list& home, const heap_owner& owner, unsigned affinity,
                               const affinity_options& options, thread_heap_kind kind) noexcept {
    thread_heap* const heap = take_place();
    if (heap == nullptr)
        return nullptr;
    heap->begin(home, owner, affinity, options, kind);
    if (kind == thread_heap_kind::ordered && (options.eager || options.prefault))
        heap->heap().make_first_slab();
    return heap;
}

/// Who freed the last object may still be about to tell this heap of the block: what is pushed is
/// handed on by whoever has the heap next.
void thread_heap::retire(thread_heap& heap) noexcept {
    heap.destroy_heap();
    heap.remote_.forget_counts();
    heap.abandon();
    {
        const std::lock_guard lock{places_lock()};
        if (retired_count < most_resident) {
            ++retired_count;
            return put_on(retired, heap);
        }
    }
    purge_place(heap.storage_);
    const std::lock_guard lock{places_lock()};
    put_on(retired_trimmed, heap);
}

/// Without the lock while the system is called.
void thread_heap::trim_retired() noexcept {
    for (thread_heap* heap = nullptr;;) {
        {
            const std::lock_guard lock{places_lock()};
            if (heap != nullptr)
                put_on(retired_trimmed, *heap);
            heap = take_retired();
        }
        if (heap == nullptr)
            return;
        purge_place(heap->storage_);
    }
}

bool thread_heap::holds_nothing() noexcept {
    if (!locked_)
        return heap().usage_approximate().bytes_reserved == 0;
    const std::lock_guard lock{lock_};
    return usage().bytes_reserved == 0;
}

bool thread_heap::trim_if_empty() noexcept {
    if (locked_) {
        const std::lock_guard lock{lock_};
        if (usage().bytes_in_use != 0)
            return false;
        trim();
        return usage().bytes_reserved == 0;
    }
    if (!heap().nothing_lives())
        return false;
    heap().trim();
    return heap().usage_approximate().bytes_reserved == 0;
}

// ---- by its thread, or under the lock -----------------------------------------------------------

void* thread_heap::try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
    if (locked_ && !remote_.is_empty()) [[unlikely]] // it may stand where an unlocked one was
        remote_.forward_all();
    return with_resource([&](auto& r) { return r.try_allocate(bytes, alignment); });
}

void* thread_heap::try_allocate_near(const void* neighbour, std::size_t bytes,
                                     std::size_t alignment) noexcept {
    return kind_ == thread_heap_kind::ordered
               ? heap().try_allocate_near(neighbour, bytes, alignment)
               : nullptr;
}

void thread_heap::deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
    if (bytes == unknown_bytes)
        return deallocate(p);
    with_resource([&](auto& r) { r.deallocate(p, bytes, alignment); });
}

void thread_heap::deallocate(void* p) noexcept {
    with_resource([&](auto& r) { r.deallocate(p); });
}

bool thread_heap::deallocate_and_look(void* p, std::size_t bytes, std::size_t alignment) noexcept {
    const slab* const s = heap().slabs().find_slab(p);
    const unsigned slot_class = s == nullptr ? size_class::none : s->slot_class();
    deallocate(p, bytes, alignment); // p may be no object, and the slab gone
    return slot_class != size_class::none && heap().classes()[slot_class].live() == 0;
}

bool thread_heap::try_resize(void* p, std::size_t old_bytes, std::size_t new_bytes,
                             std::size_t alignment) noexcept {
    return (kind_ == thread_heap_kind::ordered || kind_ == thread_heap_kind::large) &&
           heap().try_resize(p, old_bytes, new_bytes, alignment);
}

std::size_t thread_heap::size_of(const void* p) noexcept {
    if (!locked_) { // of any thread: its slab stays as it is while the object lives
        const std::size_t room = slab_survey::room_at(heap().slabs(), p);
        if (room == 0) [[unlikely]]
            owner_.refuse_question(p);
        return room;
    }
    return with_resource([&](auto& r) { return r.size_of(p); });
}

void thread_heap::trim() noexcept {
    asked_.store(false, std::memory_order_relaxed);
    if (!locked_)
        remote_.drain(remote_queue::all_blocks);
    with_resource([](auto& r) { r.trim(); });
}

std::size_t thread_heap::trim_from_afar() noexcept {
    const std::lock_guard lock{lock_};
    heap().slabs().blocks().trim();
    return remote_.purge();
}

void thread_heap::set_block_bytes(std::size_t bytes) noexcept {
    if (bytes == options_.block_bytes)
        return;
    options_.block_bytes = bytes;
    with_resource([&](auto& r) {
        if constexpr (requires { r.slabs(); })
            r.slabs().blocks().set_block_bytes(span_bytes(bytes));
        else
            r.set_block_bytes(span_bytes(bytes));
    });
}

arenite::usage thread_heap::usage() noexcept {
    return remote_.deducted(with_resource([](auto& r) { return r.usage(); }));
}

std::size_t thread_heap::high_water_noted() noexcept {
    if (kind_ == thread_heap_kind::ordered || kind_ == thread_heap_kind::large)
        return heap().classes().high_water_approximate();
    const std::lock_guard lock{lock_};
    return usage().high_water_bytes;
}

void thread_heap::list_regions(region_sink& sink) noexcept {
    with_resource([&](auto& r) {
        if constexpr (requires { r.slabs(); })
            slab_survey::list_regions(r.slabs(), sink, slow_only || options_.sizes == sizes::kept);
        else
            r.list_regions(sink);
    });
}

void thread_heap::reset() noexcept {
    if (!locked_)
        remote_.drain_and_forget();
    const std::lock_guard lock{lock_};
    remote_.forget_counts();
    destroy_heap();
    construct_heap();
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
