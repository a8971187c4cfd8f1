// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/affinity/affinity_share.hpp>

#include <arenite/block/address_table.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/size.hpp>
#include <arenite/os/page_resource.hpp>

#include <algorithm>
#include <bit>
#include <cstring>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

namespace {

constexpr std::size_t most_shares = 4096;

// Untouched parts of it cost nothing.
alignas(affinity_share) constinit std::byte places[most_shares * sizeof(affinity_share)] = {};
constinit std::atomic<std::size_t> made{0};
constinit spin_lock making;

affinity_share& place(std::size_t i) noexcept {
    return *std::launder(reinterpret_cast<affinity_share*>(places + i * sizeof(affinity_share)));
}

/// What was freed by others is folded once it is this share of what is in use.
constexpr std::size_t fold_divisor = 16;
constexpr std::size_t least_bytes = 32 * 1024;

/// What a heap is told of a block size: below that of a block its blocks would be smaller ones, and
/// their heads not where remote_frees looks for them.
constexpr std::size_t span_bytes(std::size_t asked) noexcept {
    constexpr std::size_t most = max_object_bytes - remote_frees::mask_bytes;
    return align_up(std::min(asked, most), remote_frees::mask_bytes);
}

} // namespace

affinity_share::affinity_share(affinity_heap& heap, unsigned affinity,
                               const affinity_options& options, share_kind kind) noexcept
    : heap_{&heap}, options_{options}, affinity_{affinity}, kind_{kind},
      locked_{shares_are_locked || kind != share_kind::ordered} {
    begin();
}

void affinity_share::begin() noexcept {
    void* const p = place_;
    switch (kind_) {
    case share_kind::intrusive:
        ::new (p) intrusive_resource{intrusive_options{
            .block_bytes = span_bytes(options_.block_bytes), .alignment = options_.alignment}};
        break;
    case share_kind::slots:
        // As ordered_heap rounds: what is noted of an object there never reaches beyond it.
        ::new (p)
            slots_resource{slots_options{.block_bytes = span_bytes(options_.block_bytes),
                                         .alignment = std::max(options_.alignment, granule_bytes)}};
        break;
    default:
        auto* const h = ::new (p) ordered_heap{
            ordered_options{.sizes = kind_ == share_kind::kept ? sizes::kept : sizes::known,
                            .block_bytes = span_bytes(options_.block_bytes),
                            .magazine = options_.magazine && kind_ == share_kind::ordered}};
        h->affinity_ = name();
        if (!locked_)
            h->elsewhere_ = [](ordered_heap& here, void* p, std::size_t bytes_of_run) noexcept {
                of(here).heap_->deallocate_run(p, bytes_of_run);
            };
        break;
    }
}

affinity_share* affinity_share::make(affinity_heap& heap, unsigned affinity,
                                     const affinity_options& options, share_kind kind) noexcept {
    const std::lock_guard lock{making};
    const std::size_t i = made.load(std::memory_order_relaxed);
    if (i == most_shares)
        return nullptr;
    auto* const share = ::new (static_cast<void*>(places + i * sizeof(affinity_share)))
        affinity_share{heap, affinity, options, kind};
    made.store(i + 1, std::memory_order_release);
    return share;
}

std::size_t affinity_share::count() noexcept { return made.load(std::memory_order_acquire); }

affinity_share& affinity_share::at(std::size_t i) noexcept { return place(i); }

affinity_share* affinity_share::with_heap(const void* heap) noexcept {
    const std::uintptr_t offset = address_of(heap) - address_of(places);
    const std::size_t i = offset / sizeof(affinity_share);
    if (i >= count())
        return nullptr;
    affinity_share& share = place(i);
    return heap == share.place_ ? &share : nullptr;
}

void affinity_share::lock_all() noexcept {
    making.lock();
    for (std::size_t i = 0; i < count(); ++i)
        if (place(i).is_locked())
            place(i).lock_.lock();
}

void affinity_share::unlock_all() noexcept {
    for (std::size_t i = 0; i < count(); ++i)
        if (place(i).is_locked())
            place(i).lock_.unlock();
    making.unlock();
}

bool affinity_share::abandon_after_fork(const void* me) noexcept {
    const void* const thread = thread_.load(std::memory_order_relaxed);
    if (thread == nullptr || thread == me)
        return false;
    if (!locked_ && ordered().busy_) {
        // It was amid a change when the process forked: nobody can use it any more, nor a new
        // thread that lies where its own did.
        thread_.store(this, std::memory_order_relaxed);
        return false;
    }
    if (!locked_)
        ordered().freed_ = {}; // half written, perhaps: what was noted is lost to the child
    thread_.store(nullptr, std::memory_order_relaxed);
    return true;
}

// ---- by its thread, or under the lock -----------------------------------------------------------

void* affinity_share::try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
    if (!shares_are_locked && kind_ == share_kind::intrusive && options_.magazine) {
        // A magazine that it is noted in hands it out again as what an ordered_heap gives.
        alignment = std::max(alignment, granule_bytes);
        bytes = ordered_heap::rounded(bytes + (bytes == 0), alignment);
    }
    return with_resource([&](auto& r) { return r.try_allocate(bytes, alignment); });
}

void* affinity_share::try_allocate_near(const void* neighbour, std::size_t bytes,
                                        std::size_t alignment) noexcept {
    if (kind_ != share_kind::ordered && kind_ != share_kind::kept)
        return nullptr;
    return ordered().try_allocate_near(neighbour, bytes, alignment);
}

void affinity_share::deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
    if (kind_ == share_kind::kept && !checks_enabled)
        return ordered().deallocate(p);
    if (kind_ == share_kind::large) // of whatever size and alignment it was
        return ordered().deallocate_slow(p, bytes, alignment);
    with_resource([&](auto& r) { r.deallocate(p, bytes, alignment); });
}

void affinity_share::deallocate(void* p) noexcept {
    with_resource([&](auto& r) { r.deallocate(p); });
}

std::size_t affinity_share::size_of(const void* p) noexcept {
    return with_resource([&](auto& r) { return r.size_of(p); });
}

void affinity_share::clear_noted() noexcept {
    if (locked_)
        return;
    const amid_change mark{ordered().busy_};
    ordered().clear_noted();
}

void affinity_share::trim() noexcept {
    asked_.store(false, std::memory_order_relaxed);
    if (!locked_)
        fold();
    with_resource([](auto& r) { r.trim(); });
    set_fold_at();
}

void affinity_share::set_block_bytes(std::size_t bytes) noexcept {
    if (bytes == options_.block_bytes)
        return;
    options_.block_bytes = bytes;
    with_resource([&](auto& r) { r.set_block_bytes(span_bytes(bytes)); });
}

arenite::usage affinity_share::usage() noexcept {
    arenite::usage own = with_resource([](auto& r) { return r.usage(); });
    if (!locked_)
        own.bytes_in_use = static_cast<std::size_t>(ordered().balance());
    return without_remote_frees(own);
}

arenite::usage affinity_share::without_remote_frees(arenite::usage seen) const noexcept {
    // What this one has noted of others' counts as freed here: the sum over all shares is right.
    seen.bytes_in_use -= static_cast<std::size_t>(remote_granules_.load(std::memory_order_relaxed) *
                                                  static_cast<std::int64_t>(granule_bytes));
    return seen;
}

void affinity_share::list_regions(region_sink& sink) noexcept {
    with_resource([&](auto& r) { r.list_regions(sink); });
}

bool affinity_share::owns(const void* p) noexcept {
    return with_resource([&](auto& r) { return r.owns(p); });
}

void affinity_share::reset() noexcept {
    if (!locked_) {
        // No bit is left for who has these addresses next, nor where another share is to be told.
        fold();
        block_list& blocks = ordered().source_.blocks();
        for (block* b = blocks.first(); b != nullptr; b = blocks.above(*b)) {
            const std::uintptr_t found = address_table::find(b);
            if (found == 0 || (b->state & block_state::large) != 0)
                continue;
            for (auto& word : reinterpret_cast<remote_frees*>(found)->freed)
                word.store(0, std::memory_order_relaxed);
        }
        remote_granules_.store(0, std::memory_order_relaxed);
    }
    with_resource([](auto& r) {
        if constexpr (requires { r.leaks_ = false; })
            r.leaks_ = false;
        std::destroy_at(&r);
    });
    begin();
}

// ---- what other threads free --------------------------------------------------------------------

void affinity_share::deallocate_remotely(block& b, void* p, std::size_t bytes,
                                         std::size_t alignment) noexcept {
    const std::size_t count =
        ordered_heap::rounded(bytes + (bytes == 0), alignment) / granule_bytes;
    remote_frees* const r = remote_frees::of(b);
    if (r == nullptr) [[unlikely]]
        return push_unwritten(p, count);
    r->heap.store(this, std::memory_order_relaxed);
    const bool once = r->mark(b.index_of(p), count);
    // The block may be gone from here on.
    if (!once) [[unlikely]]
        contract_violation_f(std::source_location::current(),
                             "%p was freed, %zu bytes, in block %p of affinity %s: freed twice", p,
                             bytes, static_cast<void*>(r->where), name());
    remote_granules_.fetch_add(static_cast<std::int64_t>(count), std::memory_order_relaxed);
    if (!r->queued.load(std::memory_order_seq_cst) &&
        !r->queued.exchange(true, std::memory_order_seq_cst))
        push(*r);
}

void affinity_share::push(remote_frees& r) noexcept {
    remote_frees* head = remote_.load(std::memory_order_relaxed);
    do
        r.next = head;
    while (!remote_.compare_exchange_weak(head, &r, std::memory_order_release,
                                          std::memory_order_relaxed));
}

// Where there is no memory for bits, objects hang on each other: their first word is the next one's
// address, with its granules above the 48 bits of it.
constexpr unsigned address_bits = 48;

void affinity_share::push_unwritten(void* p, std::size_t granules) noexcept {
    const std::uintptr_t mine = address_of(p) | std::uintptr_t{granules} << address_bits;
    std::uintptr_t head = unwritten_.load(std::memory_order_relaxed);
    do
        std::memcpy(p, &head, sizeof head);
    while (!unwritten_.compare_exchange_weak(head, mine, std::memory_order_release,
                                             std::memory_order_relaxed));
    remote_granules_.fetch_add(static_cast<std::int64_t>(granules), std::memory_order_relaxed);
}

void affinity_share::fold_unwritten() noexcept {
    std::uintptr_t next = unwritten_.exchange(0, std::memory_order_acquire);
    while (next != 0) {
        const std::size_t bytes = (next >> address_bits) * granule_bytes;
        auto* const p =
            reinterpret_cast<std::byte*>(next & ((std::uintptr_t{1} << address_bits) - 1));
        std::memcpy(&next, p, sizeof next);
        remote_granules_.fetch_sub(static_cast<std::int64_t>(bytes / granule_bytes),
                                   std::memory_order_relaxed);
        ordered().deallocate(p, bytes, granule_bytes);
    }
}

/// The block was another heap's by the time somebody told this one: tells the other one.
void affinity_share::hand_over(remote_frees& r) noexcept {
    const bool any = std::any_of(std::begin(r.freed), std::end(r.freed), [](const auto& word) {
        return word.load(std::memory_order_seq_cst) != 0;
    });
    // After the bits: who set one named its heap before.
    auto* const other = static_cast<affinity_share*>(r.heap.load(std::memory_order_relaxed));
    if (other == this || other == nullptr)
        return;
    if (any && !r.queued.exchange(true, std::memory_order_seq_cst))
        other->push(r);
}

bool affinity_share::fold() noexcept {
    if (asked_.load(std::memory_order_relaxed)) {
        trim(); // folds
        return true;
    }
    if (unwritten_.load(std::memory_order_relaxed) != 0) [[unlikely]]
        fold_unwritten();
    remote_frees* next = remote_.exchange(nullptr, std::memory_order_acquire);
    if (next == nullptr)
        return false;
    ordered_heap& h = ordered();
    const amid_change mark{h.busy_};
    h.clear_noted();
    h.note_high_water();
    std::int64_t granules = 0;
    while (next != nullptr) {
        remote_frees& r = *next;
        next = r.next;
        r.queued.exchange(false, std::memory_order_seq_cst);
        block* const b = h.source_.find(r.where);
        if (b != r.where || (b->state & block_state::large) != 0) {
            hand_over(r);
            continue;
        }
        const std::size_t words = b->words();
        bool here = false;
        for (std::size_t i = 0; i < words; ++i) {
            if (r.freed[i].load(std::memory_order_seq_cst) == 0)
                continue;
            const bits::word freed = r.freed[i].exchange(0, std::memory_order_seq_cst);
            h.clear_for_others(*b, i, freed);
            granules += std::popcount(freed);
            here = true;
        }
        if (here)
            h.cleared_for_others(*b);
    }
    remote_granules_.fetch_sub(granules, std::memory_order_relaxed);
    set_fold_at();
    return granules != 0;
}

void affinity_share::set_fold_at() noexcept {
    if (!locked_)
        fold_at_ = static_cast<std::int64_t>(
            std::max(ordered().bytes_in_use() / fold_divisor, least_bytes) / granule_bytes);
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
