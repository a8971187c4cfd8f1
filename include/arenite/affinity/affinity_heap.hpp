// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/affinity/affinity.hpp>
#include <arenite/affinity/affinity_pages.hpp>
#include <arenite/affinity/affinity_registry.hpp>
#include <arenite/affinity/affinity_share.hpp>
#include <arenite/affinity/affinity_shares.hpp>
#include <arenite/affinity/affinity_strategy.hpp>
#include <arenite/affinity/outside_memory.hpp>
#include <arenite/affinity/thread_heaps.hpp>
#include <arenite/check/call_sites.hpp>
#include <arenite/compose/resource_adaptor.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/strategy.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/ordered/slab_heap.hpp>
#include <arenite/os/page_resource.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <iosfwd>
#include <span>
#include <string_view>

// What a template adds for a tag belongs to the program or library that it is compiled into.
#if defined(__GNUC__)
#define ARENITE_OF_THIS_MODULE __attribute__((visibility("hidden")))
#else
#define ARENITE_OF_THIS_MODULE
#endif

namespace arenite {
inline namespace ARENITE_ABI {

class affinity_heap;

/// See affinity_heap::near.
using affinity_neighbourhood = detail::neighbourhood<affinity_heap>;

namespace detail {

/// What a tag's heap is; looked up once in each program or library.
template <AffinityTag A>
struct ARENITE_OF_THIS_MODULE tag_heap {
    static constinit std::atomic<affinity_heap*> known;
    static constinit std::atomic<thread_place> place; ///< 0 before it is known
};
template <AffinityTag A>
constinit std::atomic<affinity_heap*> tag_heap<A>::known{nullptr};
template <AffinityTag A>
constinit std::atomic<thread_place> tag_heap<A>::place{0};

} // namespace detail

/// The memory of one kind of objects: they lie together, in address order, whatever thread asks.
///
///     nodes    thread 1 | block | block | block |      a heap of its own for each thread
///              thread 2 | block | block |              (an ordered_heap, by default)
///              nobody   | block |                      of threads that ended: the next one's
///              large    | object |  | object |         above 63 KiB: for all
///
/// Who frees, and when: the slab that the pointer lies in tells whose it is. An object of the
/// thread's own is freed as in a one-thread heap; one of another thread's by setting a bit, which
/// that thread drains into its own bits before its heap grows. Only large objects (above 63 KiB)
/// are allocated under a lock that threads share. A thread's slow calls take its heap's own, which
/// is free but while others list, report or trim that heap. When a thread ends its heap stays with
/// all that lives in it, until another thread needs memory; empty ones serve any affinity's next
/// thread.
///
/// Use when:  objects are allocated one by one and walked together: nodes of a scene, their data.
///            Through affine<A> (affinity/affine.hpp) and affinity_allocator as a rule.
/// Cost:      that of ordered_heap and four loads; a free of another thread's object is two atomic
///            operations.
/// Overhead:  that of ordered_heap for each thread that allocates; 0.8 % more of blocks of which
///            another thread freed something.
/// Limits:    64 affinities; of heaps (threads times affinities) as many as memory has room for.
/// Returns:   as ordered_heap does: empty spans by return_policy, trim() all that is empty.
/// Misuse:    freeing twice, a pointer that is no affinity's, and one that is another affinity's
///            are found in every build: at the call, but where two threads free one object, the
///            owner and another one: there when the owner drains. Sizes as in ordered_heap. Checked
///            builds tell at the end of the process what is alive, by name, size and address.
/// Threads:   any; reset while no other thread uses this affinity. Works before main, after it,
///            after a thread's own end and in a forked child.
/// Failure:   out_of_memory / nullptr; nothing changes.
/// Source:    VulkanSceneGraph, vsg::Allocator.  (doc/sources.md)
class affinity_heap final : public strategy<affinity_heap> {
public:
    static constexpr bool is_concurrent = true;

    /// What trim() of an affinity did.
    struct trim_result {
        std::size_t bytes_returned = 0; ///< no longer reserved
        std::size_t bytes_purged = 0;   ///< whose addresses stay, of other threads' heaps
        std::size_t heaps_trimmed = 0;  ///< now: of this thread, of ended ones, for large objects
        std::size_t heaps_asked = 0;    ///< of other threads, which do so at their next slow call

        trim_result& operator+=(const trim_result& other) noexcept {
            bytes_returned += other.bytes_returned;
            bytes_purged += other.bytes_purged;
            heaps_trimmed += other.heaps_trimmed;
            heaps_asked += other.heaps_asked;
            return *this;
        }
    };

    /// The heap of a tag. Tags of one name have one, also across shared libraries.
    template <AffinityTag A>
    [[nodiscard]] ARENITE_INLINE static affinity_heap& of() noexcept {
        affinity_heap* const known = detail::tag_heap<A>::known.load(std::memory_order_acquire);
        if (known == nullptr) [[unlikely]]
            return first_of(detail::tag_heap<A>::known, detail::tag_heap<A>::place,
                            affinity_options::of<A>());
        return *known;
    }

    /// of<A>().try_allocate and deallocate, a load or two quicker: what affine and
    /// affinity_allocator use.
    template <AffinityTag A>
    [[nodiscard]] ARENITE_INLINE static void* try_allocate_in(std::size_t bytes,
                                                              std::size_t alignment) noexcept {
        const auto place = detail::tag_heap<A>::place.load(std::memory_order_relaxed);
        detail::slab_heap* const h = detail::thread_heaps::ready_at(place, alignment);
        if (h != nullptr) [[likely]] {
            if (void* const p = h->try_take(bytes, alignment)) [[likely]]
                return p;
        }
        void* const p = of<A>().allocate_slow(bytes, alignment);
        call_sites::allocated(p);
        return p;
    }
    template <AffinityTag A>
    ARENITE_INLINE static void deallocate_in(void* p, std::size_t bytes,
                                             std::size_t alignment) noexcept {
        call_sites::freed(p);
        const auto place = detail::tag_heap<A>::place.load(std::memory_order_relaxed);
        detail::slab_heap* const h = detail::thread_heaps::ready_at(place, alignment);
        if (h != nullptr) [[likely]]
            return h->deallocate(p, bytes, alignment);
        of<A>().deallocate_slow(p, bytes, alignment);
    }

    /// The affinity that is known by this name from now on, the one of a tag that has it. With
    /// options, which must be what the tag or an earlier call said: a name with others is a
    /// contract violation, as is one of 0 or more than 63 characters, an alignment that is no power
    /// of two, and the 65th name. Without options: as it is, or made with the usual ones; until
    /// something is allocated from it, it takes those of the first call with options.
    /// O(affinities).
    [[nodiscard]] static affinity_heap& named(std::string_view name,
                                              const affinity_options& options) noexcept;
    [[nodiscard]] static affinity_heap& named(std::string_view name) noexcept;

    /// nullptr where it has not been named yet.
    [[nodiscard]] static affinity_heap* find(std::string_view name) noexcept;

    /// Those there are, in the order in which they were named; none ever ends. `n` is below
    /// count().
    [[nodiscard]] static std::span<affinity_heap> all() noexcept;
    [[nodiscard]] static affinity_heap& by_index(std::size_t n) noexcept;
    [[nodiscard]] static std::size_t count() noexcept;

    /// The affinity whose memory p points into, handed out or not; nullptr where there is none:
    /// of null, of memory that went back, of malloc's and mapped memory, whatever lies there or
    /// before it. O(1), two loads, from any thread; what another thread allocated must have come
    /// here by a way that synchronises. Of what `standard` or a user's own strategy gave: of its
    /// begin only.
    [[nodiscard]] ARENITE_INLINE static affinity_heap* heap_of(const void* p) noexcept {
        const auto owner = detail::affinity_pages::of(p);
        return owner ? &detail::affinity_registry::at(owner.affinity()) : heap_of_outside(p);
    }

    /// Frees what any affinity gave: where the size is at hand, and the affinity is not. Quick for
    /// objects of the thread's own. nullptr is allowed; all else that is misuse of deallocate is so
    /// here.
    ARENITE_INLINE static void deallocate_any(void* p, std::size_t bytes,
                                              std::size_t alignment = default_alignment) noexcept {
        call_sites::freed(p);
        if (const auto owner = detail::affinity_pages::of(p)) [[likely]] {
            const auto place = detail::thread_heaps::place_of(owner.affinity());
            detail::slab_heap* const h = detail::thread_heaps::ready_at(place, alignment);
            if (h != nullptr && h == &owner.share().heap()) [[likely]]
                return h->deallocate(p, bytes, alignment);
        }
        deallocate_any_slow(p, bytes, alignment);
    }
    ARENITE_INLINE static void deallocate_any(void* p) noexcept {
        call_sites::freed(p);
        if (const auto owner = detail::affinity_pages::of(p)) [[likely]] {
            const auto place = detail::thread_heaps::place_of(owner.affinity());
            detail::slab_heap* const h = detail::thread_heaps::ready_at(place, default_alignment);
            if (h != nullptr && h == &owner.share().heap()) [[likely]]
                return h->deallocate(p);
        }
        deallocate_any_slow(p, detail::slab_heap::unknown_bytes, 1);
    }

    /// nullptr where there is no memory; also for an alignment that is no power of two. Where the
    /// affinity's own alignment is larger, that counts.
    [[nodiscard]] ARENITE_INLINE void*
    try_allocate(std::size_t bytes, std::size_t alignment = default_alignment) noexcept {
        detail::slab_heap* const h = detail::thread_heaps::ready_at(thread_place_, alignment);
        if (h != nullptr) [[likely]] {
            if (void* const p = h->try_take(bytes, alignment)) [[likely]]
                return p;
        }
        void* const p = allocate_slow(bytes, alignment);
        call_sites::allocated(p);
        return p;
    }

    /// Gives back what was allocated with the same size and alignment. Not nullptr.
    ARENITE_INLINE void deallocate(void* p, std::size_t bytes,
                                   std::size_t alignment = default_alignment) noexcept {
        call_sites::freed(p);
        detail::slab_heap* const h = detail::thread_heaps::ready_at(thread_place_, alignment);
        if (h != nullptr) [[likely]]
            return h->deallocate(p, bytes, alignment);
        deallocate_slow(p, bytes, alignment);
    }

    /// Gives back what was allocated here, without its size. Not nullptr.
    void deallocate(void* p) noexcept {
        call_sites::freed(p);
        deallocate_slow(p, detail::slab_heap::unknown_bytes, 1);
    }

    /// True if the object at p, of this affinity, can have `new_bytes` (not 0) where it lies: from
    /// now on that is its size. False, and nothing has changed: it can't, or another strategy than
    /// `ordered` gave it.
    [[nodiscard]] bool try_resize(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                  std::size_t alignment = default_alignment) noexcept;

    /// Bytes that may be used at p, an allocation of this affinity; what is none, or was freed in
    /// its own thread, is misuse that every build finds.
    [[nodiscard]] std::size_t size_of(const void* p) const noexcept;

    /// Places what is allocated beside an object: `h.near(parent).allocate(n, a)`. In the nearest
    /// free slot of its size in the object's block, if the block is the thread's own and has one;
    /// otherwise as usual.
    [[nodiscard]] affinity_neighbourhood near(const void* p) noexcept;
    [[nodiscard]] void* try_allocate_near(const void* p, std::size_t bytes,
                                          std::size_t alignment = default_alignment) noexcept;

    /// True if this affinity is the heap_of(p). O(1), from any thread.
    [[nodiscard]] bool owns(const void* p) const noexcept { return heap_of(p) == this; }

    /// Bytes to ask from the system at once, from now on: 0 starts small and grows with use; blocks
    /// have 256 KiB, to a multiple of which it is rounded. Other threads follow at their next slow
    /// call.
    void set_block_size(std::size_t bytes) noexcept {
        block_bytes_.store(bytes, std::memory_order_relaxed);
    }
    [[nodiscard]] std::size_t block_size() const noexcept {
        return block_bytes_.load(std::memory_order_relaxed);
    }

    /// Gives back all memory that holds nothing: of this thread, of threads that ended, of large
    /// objects; of other threads empty spans, and the memory (not the addresses) of whole pages
    /// that others than they freed. They give back the rest at their next slow call. O(blocks).
    /// Says what it did.
    trim_result trim() noexcept;
    static trim_result trim_all() noexcept;

    /// O(threads). Exact while no thread allocates or frees; else each thread's is one of a moment
    /// ago. The high water is the largest sum that the threads' own ever had; it never falls.
    [[nodiscard]] arenite::usage usage() const noexcept;

    /// The sum over all affinities.
    [[nodiscard]] static arenite::usage usage_all() noexcept;

    /// All its blocks in address order, thread by thread; while other threads work, each object
    /// that they allocate or free meanwhile as it was at some moment of the call, and a span that
    /// one of them gave back and another got perhaps twice. One of their slow calls may wait for as
    /// long as their heap is listed. The sink must not use this affinity.
    void list_regions(region_sink& sink) const;

    /// One affinity after the other: a memory map of all is `affinity_heap::list_regions_all(map)`.
    static void list_regions_all(region_sink& sink);

    /// Ends everything in this affinity at once, without destructors: O(blocks). No other thread
    /// may be using it; what `standard` or a user's own strategy gave stays.
    void reset() noexcept;

    /// Writes what lives where: totals, then block by block. The stream may use this affinity, and
    /// wait: all is collected before.
    void report(std::ostream& out) const;

    /// A line of totals for all affinities and for each one, then the report of each.
    static void report_all(std::ostream& out);

    void report_json(std::ostream& out) const;

    [[nodiscard]] std::string_view name() const noexcept { return name_; }
    [[nodiscard]] std::size_t alignment() const noexcept {
        return alignment_.load(std::memory_order_relaxed);
    }

private:
    friend class detail::affinity_registry;

    affinity_heap(const affinity_options& options, unsigned index) noexcept;
    ~affinity_heap() override = default;

    [[nodiscard]] ARENITE_COLD static affinity_heap&
    first_of(std::atomic<affinity_heap*>& known, std::atomic<detail::thread_place>& place,
             const affinity_options& options) noexcept;

    ARENITE_NOINLINE void* allocate_slow(std::size_t bytes, std::size_t alignment) noexcept;
    ARENITE_NOINLINE void deallocate_slow(void* p, std::size_t bytes,
                                          std::size_t alignment) noexcept;

    [[nodiscard]] static affinity_heap* heap_of_outside(const void* p) noexcept;
    ARENITE_NOINLINE static void deallocate_any_slow(void* p, std::size_t bytes,
                                                     std::size_t alignment) noexcept;
    void deallocate_to(detail::affinity_share& s, void* p, std::size_t bytes,
                       std::size_t alignment) noexcept;
    static bool deallocate_foreign(detail::slab_heap& here, void* p, std::size_t bytes,
                                   std::size_t alignment) noexcept;
    [[nodiscard]] detail::heap_owner as_owner() noexcept {
        return {.heap = this, .affinity = name_, .on_foreign_free = &deallocate_foreign};
    }
    [[nodiscard]] void* allocate_in(detail::share_kind kind, std::size_t bytes,
                                    std::size_t alignment) noexcept;
    [[nodiscard]] void* allocate_ordered(std::size_t bytes, std::size_t alignment) noexcept;
    [[nodiscard]] void* allocate_other(std::size_t bytes, std::size_t alignment) noexcept;
    [[nodiscard]] void* allocate_large(std::size_t bytes, std::size_t alignment) noexcept;
    [[nodiscard]] detail::affinity_share* share_of_thread(detail::share_kind kind) noexcept;
    [[nodiscard]] detail::affinity_share* adopt_another() noexcept;
    [[nodiscard]] detail::affinity_share* make_large() noexcept;
    [[nodiscard]] detail::slab_heap* current() const noexcept;
    void make_current(detail::affinity_share& share) noexcept;
    void make_first_block() noexcept;
    void adopt_options(const affinity_options& options) noexcept;
    [[nodiscard]] std::size_t at_least_own(std::size_t alignment) const noexcept {
        return std::max(alignment, this->alignment());
    }
    [[nodiscard]] affinity_options options_now() const noexcept {
        affinity_options now = options_;
        now.block_bytes = block_size();
        return now;
    }

    detail::thread_place thread_place_;
    unsigned index_;
    std::atomic<std::size_t> alignment_; ///< does not change once something is allocated
    std::atomic<std::size_t> block_bytes_;
    detail::affinity_shares shares_;
    std::atomic<detail::affinity_share*> large_{nullptr};
    affinity_options options_;
    char name_[detail::affinity_registry::most_name_bytes + 1] = {};
    detail::outside_count outside_;
    std::atomic<bool> may_adopt_options_{false}; ///< was made without any, and is unused
};

inline affinity_neighbourhood affinity_heap::near(const void* p) noexcept { return {*this, p}; }

/// Memory of an affinity as malloc gives it: `void* p = allocate(64, affinities::data{});`, then
/// `deallocate(p)`. Throws out_of_memory.
template <AffinityTag A>
[[nodiscard]] void* allocate(std::size_t bytes, A, std::size_t alignment = default_alignment) {
    affinity_heap& h = affinity_heap::of<A>();
    void* const p = h.try_allocate(bytes, alignment);
    if (p == nullptr) [[unlikely]]
        throw_out_of_memory(bytes, alignment, &h);
    return p;
}

/// Gives back what allocate(bytes, tag) returned; nullptr is allowed.
inline void deallocate(void* p) noexcept { affinity_heap::deallocate_any(p); }

} // namespace ARENITE_ABI
} // namespace arenite
