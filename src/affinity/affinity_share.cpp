// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The heap of a thread in an affinity: where shares lie and how they are used again; then its
// calls, by its thread or under its lock. Frees by other threads are remote_queue.
#include <arenite/affinity/detail/affinity_share.hpp>

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

// Retired shares, by next_of_affinity: those whose heap's pages are resident, and the others.
constinit affinity_share* retired = nullptr;
constinit affinity_share* retired_trimmed = nullptr;
constinit std::size_t retired_count = 0; ///< of those that are resident

/// More are not worth their memory: 11 KiB each, for a few page faults when they serve again.
constexpr std::size_t most_resident = 256;
constinit immortal_pages<affinity_share, 64_KiB> share_pages;
constinit immortal_pages<heap_pages, 256_KiB> all_heap_pages;

/// Under the lock; nullptr where there is none.
affinity_share* take_from(affinity_share*& list) noexcept {
    affinity_share* const share = list;
    if (share != nullptr)
        list = share->next_of_affinity;
    return share;
}
void put_on(affinity_share*& list, affinity_share& share) noexcept {
    share.next_of_affinity = list;
    list = &share;
}
affinity_share* take_retired() noexcept {
    affinity_share* const share = take_from(retired);
    retired_count -= share != nullptr ? 1 : 0;
    return share;
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
affinity_share* affinity_share::take_place() noexcept {
    const std::lock_guard lock{places_lock()};
    if (affinity_share* const share = take_retired())
        return share;
    if (affinity_share* const share = take_from(retired_trimmed))
        return share;
    void* const place = share_pages.next();
    void* const heap_place = all_heap_pages.next();
    if (place == nullptr || heap_place == nullptr)
        return nullptr;
    share_pages.take();
    all_heap_pages.take();
    auto* const share = ::new (place) affinity_share;
    share->storage_ = (::new (heap_place) heap_pages)->begin();
    return share;
}

void affinity_share::begin(affinity_shares& home, const heap_owner& owner, unsigned affinity,
                           const affinity_options& options, share_kind kind) noexcept {
    home_ = &home;
    owner_ = owner;
    owner_.share = this;
    options_ = options;
    pages_.belong_to(*this, affinity);
    user_ = owner.heap;
    affinity_ = affinity;
    kind_ = kind;
    locked_ = slow_only || kind != share_kind::ordered;
    idle_ = {};
    owner_.gate = locked_ ? nullptr : &lock_;
    if (locked_)
        owner_.on_foreign_free = nullptr; // found before
    construct_heap();
    remote_.serve(owner_, locked_ ? nullptr : &heap());
}

void affinity_share::construct_heap() noexcept {
    void* const p = storage_;
    const std::size_t block_bytes = span_bytes(options_.block_bytes);
    switch (kind_) {
    case share_kind::intrusive:
        ::new (p) intrusive_resource{intrusive_options{.block_bytes = block_bytes,
                                                       .alignment = options_.alignment,
                                                       .policy = options_.policy},
                                     upstream{&pages_}};
        break;
    case share_kind::slots:
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
decltype(auto) affinity_share::with_resource(F f) noexcept {
    switch (kind_) {
    case share_kind::intrusive:
        return f(*std::launder(static_cast<intrusive_resource*>(storage_)));
    case share_kind::slots:
        return f(*std::launder(static_cast<slots_resource*>(storage_)));
    default:
        return f(heap());
    }
}

void affinity_share::destroy_heap() noexcept {
    with_resource([](auto& r) { std::destroy_at(&r); });
}

affinity_share* affinity_share::make(affinity_shares& home, const heap_owner& owner,
                                     unsigned affinity, const affinity_options& options,
                                     share_kind kind) noexcept {
    affinity_share* const share = take_place();
    if (share == nullptr)
        return nullptr;
    share->begin(home, owner, affinity, options, kind);
    if (kind == share_kind::ordered && (options.eager || options.prefault))
        share->heap().make_first_slab();
    return share;
}

/// Who freed the last object may still be about to tell this share of the block: what is pushed is
/// handed on by whoever has the share next.
void affinity_share::retire(affinity_share& share) noexcept {
    share.destroy_heap();
    share.remote_.forget_counts();
    share.abandon();
    {
        const std::lock_guard lock{places_lock()};
        if (retired_count < most_resident) {
            ++retired_count;
            return put_on(retired, share);
        }
    }
    purge_place(share.storage_);
    const std::lock_guard lock{places_lock()};
    put_on(retired_trimmed, share);
}

/// Without the lock while the system is called.
void affinity_share::trim_retired() noexcept {
    for (affinity_share* share = nullptr;;) {
        {
            const std::lock_guard lock{places_lock()};
            if (share != nullptr)
                put_on(retired_trimmed, *share);
            share = take_retired();
        }
        if (share == nullptr)
            return;
        purge_place(share->storage_);
    }
}

bool affinity_share::holds_nothing() noexcept {
    if (!locked_)
        return heap().usage_approximate().bytes_reserved == 0;
    const std::lock_guard lock{lock_};
    return usage().bytes_reserved == 0;
}

bool affinity_share::trim_if_empty() noexcept {
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

void* affinity_share::try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
    if (locked_ && !remote_.is_empty()) [[unlikely]] // it may stand where an unlocked one was
        remote_.forward_all();
    return with_resource([&](auto& r) { return r.try_allocate(bytes, alignment); });
}

void* affinity_share::try_allocate_near(const void* neighbour, std::size_t bytes,
                                        std::size_t alignment) noexcept {
    return kind_ == share_kind::ordered ? heap().try_allocate_near(neighbour, bytes, alignment)
                                        : nullptr;
}

void affinity_share::deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
    if (bytes == unknown_bytes)
        return deallocate(p);
    with_resource([&](auto& r) { r.deallocate(p, bytes, alignment); });
}

void affinity_share::deallocate(void* p) noexcept {
    with_resource([&](auto& r) { r.deallocate(p); });
}

bool affinity_share::deallocate_and_look(void* p, std::size_t bytes,
                                         std::size_t alignment) noexcept {
    const slab* const s = heap().slabs().find_slab(p);
    const unsigned slot_class = s == nullptr ? size_class::none : s->slot_class();
    deallocate(p, bytes, alignment); // p may be no object, and the slab gone
    return slot_class != size_class::none && heap().classes()[slot_class].live() == 0;
}

bool affinity_share::try_resize(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                std::size_t alignment) noexcept {
    return (kind_ == share_kind::ordered || kind_ == share_kind::large) &&
           heap().try_resize(p, old_bytes, new_bytes, alignment);
}

std::size_t affinity_share::size_of(const void* p) noexcept {
    if (!locked_) { // of any thread: its slab stays as it is while the object lives
        const std::size_t room = slab_survey::room_at(heap().slabs(), p);
        if (room == 0) [[unlikely]]
            owner_.refuse_question(p);
        return room;
    }
    return with_resource([&](auto& r) { return r.size_of(p); });
}

void affinity_share::trim() noexcept {
    asked_.store(false, std::memory_order_relaxed);
    if (!locked_)
        remote_.drain(remote_queue::all_blocks);
    with_resource([](auto& r) { r.trim(); });
}

std::size_t affinity_share::trim_from_afar() noexcept {
    const std::lock_guard lock{lock_};
    heap().slabs().blocks().trim();
    return remote_.purge();
}

void affinity_share::set_block_bytes(std::size_t bytes) noexcept {
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

arenite::usage affinity_share::usage() noexcept {
    return remote_.deducted(with_resource([](auto& r) { return r.usage(); }));
}

std::size_t affinity_share::high_water_noted() noexcept {
    if (kind_ == share_kind::ordered || kind_ == share_kind::large)
        return heap().classes().high_water_approximate();
    const std::lock_guard lock{lock_};
    return usage().high_water_bytes;
}

void affinity_share::list_regions(region_sink& sink) noexcept {
    with_resource([&](auto& r) {
        if constexpr (requires { r.slabs(); })
            slab_survey::list_regions(r.slabs(), sink, slow_only || options_.sizes == sizes::kept);
        else
            r.list_regions(sink);
    });
}

void affinity_share::reset() noexcept {
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
