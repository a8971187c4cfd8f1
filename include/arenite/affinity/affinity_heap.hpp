// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/affinity/affinity.hpp>
#include <arenite/affinity/detail/affinity_list.hpp>
#include <arenite/affinity/detail/outside_memory.hpp>
#include <arenite/affinity/detail/thread_heap_front.hpp>
#include <arenite/affinity/detail/thread_heap_list.hpp>
#include <arenite/affinity/detail/thread_table.hpp>
#include <arenite/check/call_sites.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/extremes.hpp>
#include <arenite/core/detail/neighbourhood.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/resource_base.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/ordered/detail/own_frees.hpp>
#include <arenite/ordered/detail/size_class.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string_view>

// Code that a template adds for a tag belongs to the program or library that it is compiled into.
#if defined(__GNUC__)
#define ARENITE_OF_THIS_MODULE __attribute__((visibility("hidden")))
#else
#define ARENITE_OF_THIS_MODULE
#endif

namespace arenite {
inline namespace ARENITE_ABI {

class affinity_heap;
class shared_heap;

/// See affinity_heap::near.
using affinity_neighbourhood = detail::neighbourhood<affinity_heap>;

namespace detail {

class affinity_door;
class affinity_registry;
enum class who_asks : unsigned char;

/// The heap of a tag; looked up once in each program or library.
template <AffinityTag A>
struct ARENITE_OF_THIS_MODULE tag_heap {
    static constinit std::atomic<affinity_heap*> known;
    static constinit std::atomic<thread_place> place; ///< 0 before it is known

    /// thread_table::ready_at() of its place.
    [[nodiscard]] ARENITE_INLINE static slab_front* ready(std::size_t alignment) noexcept {
        return thread_table::ready_at(place.load(std::memory_order_relaxed), alignment);
    }
};
template <AffinityTag A>
constinit std::atomic<affinity_heap*> tag_heap<A>::known{nullptr};
template <AffinityTag A>
constinit std::atomic<thread_place> tag_heap<A>::place{0};

} // namespace detail

/// The memory of one kind of objects, in address order, whichever threads allocate and free them.
///
///     nodes    thread 1 | block | block | block |      a heap of its own for each thread
///              thread 2 | block | block |              (an ordered_heap, by default)
///              nobody   | block |                      of ended threads, for adoption
///              large    | object |  | object |         above 63 KiB: shared by all threads
///
/// Freeing: the owner is found from the slab that the pointer lies in. An object of the calling
/// thread is freed as in a single-threaded heap. A remote free, of another thread's object, sets a
/// bit, which the owner drains into its own bitmap before its heap grows. Only large objects (above
/// 63 KiB) are allocated under a lock shared by threads. A thread's slow calls take the lock of its
/// own heap, which is uncontended unless another thread lists, reports or trims that heap. When a
/// thread ends, its heap stays, with everything alive in it, until another thread needs memory and
/// adopts it; an empty one serves the next thread of any affinity.
///
/// Use when:  objects are allocated one by one and traversed together: nodes of a scene, their
///            data. Usually used through affine<A> (affinity/affine.hpp) and affinity_allocator.
/// Cost:      that of ordered_heap plus four loads; a remote free is two atomic operations, or four
///            from a thread without a heap here, until it has freed about a thousand objects of
///            one other thread. The worst request spends about two million instructions on what
///            others freed (doc/affinity.md).
/// Overhead:  that of ordered_heap for each thread that allocates; 10 KiB for one that only frees
///            much; 0.8 % more for blocks in which another thread freed something.
/// Limits:    4,096 affinities at once (256 with addresses of 32 bits); retire() makes room. Heaps
///            without number: shared_heap. Threads times affinities: as memory has room for.
/// Returns:   as ordered_heap does: empty spans by return_policy, trim() all that is empty;
///            give_back_due() whole pages, where a program idles; so do some frees, where less than
///            a quarter of what this thread holds is in use.
/// Misuse:    double frees, pointers that belong to no affinity, and pointers of another affinity
///            are found in every build. All are found at the call, except an object that another
///            thread frees and then its owner, or others twice with a drain of the owner's in
///            between: those are found when the owner drains, unless it has handed the slot out
///            again by then. Wrong sizes as in ordered_heap. Checked builds report objects still
///            alive at the end of the process, by name, size and address.
/// Threads:   any; reset only while no other thread uses this affinity. Works before main, after
///            it, while a thread ends, and in a forked child: there usage() may be wrong by one
///            object or its bytes, which may stay taken, for each thread in a call at the fork.
/// Failure:   out_of_memory / nullptr; nothing changes.
/// Source:    VulkanSceneGraph, vsg::Allocator.  (doc/sources.md)
class affinity_heap final : public resource_base<affinity_heap> {
public:
    static constexpr bool is_concurrent = true;

    /// The result of trim() of an affinity.
    struct trim_result {
        std::size_t bytes_returned = 0; ///< no longer reserved
        std::size_t bytes_purged = 0;   ///< of other threads' heaps; their addresses stay
        std::size_t heaps_trimmed = 0;  ///< at once: own, ended threads', large objects
        std::size_t heaps_asked = 0;    ///< of other threads, which trim at their next slow call

        trim_result& operator+=(const trim_result& other) noexcept {
            bytes_returned += other.bytes_returned;
            bytes_purged += other.bytes_purged;
            heaps_trimmed += other.heaps_trimmed;
            heaps_asked += other.heaps_asked;
            return *this;
        }
    };

    /// The heap of a tag. Tags with one name share one heap, also across shared libraries.
    template <AffinityTag A>
    [[nodiscard]] ARENITE_INLINE static affinity_heap& of() noexcept {
        affinity_heap* const known = detail::tag_heap<A>::known.load(std::memory_order_acquire);
        if (known == nullptr) [[unlikely]]
            return first_of(detail::tag_heap<A>::known, detail::tag_heap<A>::place,
                            affinity_options::of<A>());
        return *known;
    }

    /// of<A>().try_allocate and deallocate, a load or two faster; used by affine and
    /// affinity_allocator.
    template <AffinityTag A>
    [[nodiscard]] ARENITE_INLINE static void* try_allocate_in(std::size_t bytes,
                                                              std::size_t alignment) noexcept {
        void* p =
            detail::thread_table::try_take(detail::tag_heap<A>::ready(alignment), bytes, alignment);
        if (p == nullptr) [[unlikely]]
            p = of<A>().allocate_slow(bytes, alignment);
        call_sites::allocated(p, bytes);
        return p;
    }
    template <AffinityTag A>
    ARENITE_INLINE static void deallocate_in(void* p, std::size_t bytes,
                                             std::size_t alignment) noexcept {
        call_sites::freed(p);
        detail::slab_front* const mine = detail::tag_heap<A>::ready(alignment);
        if (!detail::thread_table::try_free(mine, p, bytes, alignment)) [[unlikely]]
            of<A>().deallocate_slow(p, detail::slab_front::given_bytes(bytes), alignment);
    }

    /// The affinity of this name, made if there is none; a tag of that name refers to the same one.
    /// Options must equal those of the tag or of an earlier call: others are a contract violation,
    /// as are a name of 0 or more than 63 characters or with a character of value 0, an alignment
    /// that is not a power of two, and one affinity too many. Without options: the affinity as it
    /// is, or made with the defaults; until something is allocated from it, it takes the options of
    /// the first call that has some. O(affinities).
    [[nodiscard]] static affinity_heap& named(std::string_view name,
                                              const affinity_options& options) noexcept;
    [[nodiscard]] static affinity_heap& named(std::string_view name) noexcept;

    /// Returns nullptr if no affinity of this name has been made yet.
    [[nodiscard]] static affinity_heap* find(std::string_view name) noexcept;

    /// Ends this affinity: its memory goes back, and its name and place are free for another. A
    /// contract violation while objects live in it, and where a tag has its name. No thread may be
    /// using it or come to; threads that did may go on or end meanwhile. A walk over all affinities
    /// may be under way: memory and place go when the last one has ended; one that a handler left
    /// by longjmp never ends. O(blocks + threads).
    void retire() noexcept;

    /// All affinities, in the order in which they were named (one that came after another was
    /// retired may stand in its place): a range of affinity_heap&, with size() and [n], to be kept
    /// no longer than it is walked over. `n` is less than count().
    [[nodiscard]] static detail::affinity_list all() noexcept;
    [[nodiscard]] static affinity_heap& by_index(std::size_t n) noexcept;
    [[nodiscard]] static std::size_t count() noexcept;

    /// The affinity whose memory p points into, allocated or not; nullptr for any other pointer:
    /// null, memory that was returned to the system, memory of malloc, mapped memory, whatever lies
    /// there or before it. O(1), two loads, from any thread; a pointer that another thread
    /// allocated must have been passed on with synchronisation. For memory of the `standard`
    /// strategy or a user's own, p must be the start of an allocation.
    [[nodiscard]] ARENITE_INLINE static affinity_heap* heap_of(const void* p) noexcept {
        detail::thread_heap_front* const home = detail::thread_heap_front::around(p);
        return home != nullptr ? heap_of_front(*home) : heap_of_outside(p);
    }

    /// Frees memory of any affinity, if the size is known but the affinity is not. Fast for objects
    /// of the calling thread. nullptr is allowed; any other misuse of deallocate is misuse here.
    ARENITE_INLINE static void deallocate_any(void* p, std::size_t bytes,
                                              std::size_t alignment = default_alignment) noexcept {
        call_sites::freed(p);
        if (!try_deallocate_own(p)) [[unlikely]]
            deallocate_any_slow(p, detail::slab_front::given_bytes(bytes), alignment);
    }
    ARENITE_INLINE static void deallocate_any(void* p) noexcept {
        call_sites::freed(p);
        if (!try_deallocate_own(p)) [[unlikely]]
            deallocate_any_slow(p, detail::unknown_bytes, 1);
    }

    /// Frees an object of up to 1,792 bytes of any affinity, if it lies in a page of a heap of the
    /// calling thread. For anything else, nullptr too, and all in checked builds, returns false and
    /// does nothing: the short way of a hook that is given memory of others as well.
    [[nodiscard]] ARENITE_INLINE static bool try_deallocate_own(void* p) noexcept {
        if (ARENITE_IS_CONSTANT(p == nullptr) && p == nullptr)
            return false; // g++ would warn of what it then sees behind this
        detail::thread_heap_front* const own = detail::thread_heap_front::around(p);
        // A heap of another kind has no pages.
        return own != nullptr && own->is_mine_and_an_affinitys() && own->heap().try_give_in_own(p);
    }

    /// Returns nullptr if there is no memory or the alignment is no power of two (in checked builds
    /// a contract violation). The larger of `alignment` and the affinity's own applies.
    [[nodiscard]] ARENITE_INLINE void*
    try_allocate(std::size_t bytes, std::size_t alignment = default_alignment) noexcept {
        void* p = take_ready(bytes, alignment);
        if (p == nullptr) [[unlikely]]
            p = allocate_slow(bytes, alignment);
        call_sites::allocated(p, bytes);
        return p;
    }

    /// try_allocate(bytes, natural_alignment(bytes)), for callers that know no alignment; faster.
    [[nodiscard]] ARENITE_INLINE void* try_allocate_object(std::size_t bytes) noexcept {
        // A slot whose size is divisible by 16 is aligned to 16.
        void* const p = take_ready(bytes, detail::size_class::least_alignment);
        return p != nullptr ? p : allocate_object_slow(bytes);
    }

    /// Frees memory that was allocated with the same size and alignment. p must not be nullptr.
    ARENITE_INLINE void deallocate(void* p, std::size_t bytes,
                                   std::size_t alignment = default_alignment) noexcept {
        call_sites::freed(p);
        auto* const mine = detail::thread_table::ready_at(thread_place_, alignment);
        if (!detail::thread_table::try_free(mine, p, bytes, alignment)) [[unlikely]]
            deallocate_slow(p, detail::slab_front::given_bytes(bytes), alignment);
    }

    /// Frees memory that was allocated here, without its size. p must not be nullptr.
    ARENITE_INLINE void deallocate(void* p) noexcept {
        call_sites::freed(p);
        auto* const mine = detail::thread_table::ready_at(thread_place_, default_alignment);
        if (!detail::thread_table::try_free(mine, p)) [[unlikely]]
            deallocate_slow(p, detail::unknown_bytes, 1);
    }

    /// Resizes the object at p, of this affinity, in place to `new_bytes` (not 0) and returns true
    /// if that is possible. Otherwise, or if another strategy than `ordered` allocated it, returns
    /// false and changes nothing.
    [[nodiscard]] bool try_resize(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                  std::size_t alignment = default_alignment) noexcept;

    /// Usable bytes at p, an allocation of this affinity; for any other pointer, or an object that
    /// was freed by its own thread, this is misuse, found in every build; of the `intrusive` and
    /// `slots` strategies it may not be.
    [[nodiscard]] std::size_t size_of(const void* p) const noexcept;

    /// Allocates beside an existing object: `h.near(parent).allocate(n, a)`. Takes the nearest free
    /// slot of its size in the object's block, if the block belongs to the calling thread and has
    /// one; otherwise allocates as usual.
    [[nodiscard]] affinity_neighbourhood near(const void* p) noexcept;
    [[nodiscard]] ARENITE_INLINE void*
    try_allocate_near(const void* p, std::size_t bytes,
                      std::size_t alignment = default_alignment) noexcept {
        void* const near = take_near(p, bytes, alignment);
        if (near == nullptr)
            return try_allocate(bytes, alignment);
        call_sites::allocated(near, bytes);
        return near;
    }

    /// True if this affinity is heap_of(p). O(1), from any thread.
    [[nodiscard]] bool owns(const void* p) const noexcept { return heap_of(p) == this; }

    /// Bytes to request from the system at once, from now on: 0 starts small and grows with use;
    /// rounded up to a multiple of 256 KiB, the size of a block. Other threads follow at their next
    /// slow call.
    void set_block_bytes(std::size_t bytes) noexcept {
        block_bytes_.store(bytes, std::memory_order_relaxed);
    }
    [[nodiscard]] std::size_t block_bytes() const noexcept {
        return block_bytes_.load(std::memory_order_relaxed);
    }
    /// set_block_bytes() and block_bytes() by their former names.
    void set_block_size(std::size_t bytes) noexcept { set_block_bytes(bytes); }
    [[nodiscard]] std::size_t block_size() const noexcept { return block_bytes(); }

    /// Returns all unused memory: of this thread, of threads that ended, of large objects; of other
    /// threads empty spans, and the memory (not the addresses) of whole pages that other threads
    /// freed. They return the rest at their next slow call. Memory that waits at the process's page
    /// source goes too. O(blocks). Returns what was done.
    trim_result trim() noexcept;
    static trim_result trim_all() noexcept;

    /// Returns the memory of whole pages of free objects to the system, of all affinities, where
    /// what is in use has kept still for a second or more and is less than three quarters of what
    /// is held, 1 MiB or more: of this thread's heaps, and of threads that ended. Free memory
    /// between large objects goes where it exceeds what return_policy keeps and an eighth of what
    /// is in use there and was not wanted for a second; at the process's page source, what has
    /// waited long enough. A shared_heap has a call of its own. For the loop of a program, each
    /// frame or from a timer: nothing as a rule, else a few blocks of one heap, about 200 us, or
    /// what others freed in 8 of its blocks, or up to 8 MiB of the large objects of one affinity,
    /// about 300 us each; and up to 1 ms of the page source. A program that soon wants the memory
    /// again is waited for longer. True if it took a step in an affinity: more may follow, at once
    /// or whenever there is time. False: it found none to take; another thread may be at it.
    static bool give_back_due() noexcept;

    /// O(threads). Exact while no thread allocates or frees, except the high-water mark; otherwise
    /// the figure of each thread may be slightly out of date. Each thread notes its own mark at
    /// some of its slow calls, so a peak that came and went between two of them is missed. The
    /// affinity's mark is the largest sum of the threads' marks that a call of usage(), or the
    /// retirement of an empty heap, has seen; it never falls.
    [[nodiscard]] arenite::usage usage() const noexcept;

    /// The sum over all affinities.
    [[nodiscard]] static arenite::usage usage_all() noexcept;

    /// Lists all its blocks in address order, thread by thread. An object that another thread freed
    /// is listed as used until its owner has drained it; usage() does not count it. While other
    /// threads work, an object that they allocate or free meanwhile is listed as it was at some
    /// moment during the call, and a span that moves from one thread to another may be listed
    /// twice. A slow call of another thread may wait while that thread's heap is listed. The sink
    /// must not use any affinity.
    void list_regions(region_sink& sink) const;

    /// Lists one affinity after another: `affinity_heap::list_regions_all(map)` maps them all. The
    /// sink must not use any of them.
    static void list_regions_all(region_sink& sink);

    /// Frees everything in this affinity at once, without running destructors: O(blocks). No other
    /// thread may be using it; memory of `standard` or a user's own strategy stays.
    void reset() noexcept;

    /// Writes what lives where: totals, then block by block. The stream may use this affinity, and
    /// may block: everything is collected before writing.
    void report(std::ostream& out) const;

    /// Writes a line of totals for all affinities and for each one, then the report of each.
    static void report_all(std::ostream& out);

    void report_json(std::ostream& out) const;

    /// The short way of a hook to its objects.
    [[nodiscard]] detail::affinity_door door() const noexcept;

    [[nodiscard]] std::string_view name() const noexcept { return name_; }
    [[nodiscard]] std::size_t alignment() const noexcept {
        return alignment_.load(std::memory_order_relaxed);
    }

private:
    friend class detail::affinity_registry;
    friend class shared_heap; // which is one without a tag
    friend class resource_base<affinity_heap>;

    /// A slot of this thread's heap, where one lies ready; else nullptr.
    [[nodiscard]] ARENITE_INLINE void* take_ready(std::size_t bytes,
                                                  std::size_t alignment) noexcept {
        return detail::thread_table::try_take(
            detail::thread_table::ready_at(thread_place_, alignment), bytes, alignment);
    }

    /// `kind` is "affinity" or "shared_heap".
    affinity_heap(const affinity_options& options, unsigned index, const char* kind) noexcept;
    ~affinity_heap() override = default;

    [[nodiscard]] ARENITE_COLD static affinity_heap&
    first_of(std::atomic<affinity_heap*>& known, std::atomic<detail::thread_place>& place,
             const affinity_options& options) noexcept;

    [[nodiscard]] void* take_near(const void* p, std::size_t bytes, std::size_t alignment) noexcept;
    ARENITE_NOINLINE void* allocate_slow(std::size_t bytes, std::size_t alignment) noexcept;
    ARENITE_NOINLINE void* allocate_slower(std::size_t bytes, std::size_t alignment) noexcept;
    ARENITE_NOINLINE void* allocate_object_slow(std::size_t bytes) noexcept {
        return try_allocate(bytes, natural_alignment(bytes));
    }
    ARENITE_NOINLINE void deallocate_slow(void* p, std::size_t bytes,
                                          std::size_t alignment) noexcept;

    trim_result trim_heaps() noexcept;
    [[nodiscard]] bool give_back_idle(std::uint64_t now_ms, detail::who_asks who) noexcept;
    /// It is a shared_heap's, and always of the strategy `ordered`.
    [[nodiscard]] bool is_shared() const noexcept { return index_ >= detail::most_affinities; }
    /// nullptr where it is a shared_heap's.
    [[nodiscard]] static affinity_heap* heap_of_front(detail::thread_heap_front& home) noexcept {
        auto* const heap = static_cast<affinity_heap*>(home.user());
        return heap->is_shared() ? nullptr : heap;
    }
    [[nodiscard]] static affinity_heap* heap_of_outside(const void* p) noexcept;
    ARENITE_NOINLINE static void deallocate_any_slow(void* p, std::size_t bytes,
                                                     std::size_t alignment) noexcept;
    void deallocate_of(detail::thread_heap* home, void* p, std::size_t bytes,
                       std::size_t alignment) noexcept;
    void deallocate_to(detail::thread_heap& home, void* p, std::size_t bytes,
                       std::size_t alignment) noexcept;
    static bool deallocate_foreign(detail::slab_heap& here, void* p, std::size_t bytes,
                                   std::size_t alignment) noexcept;
    [[nodiscard]] detail::heap_owner as_owner() noexcept;
    [[nodiscard]] void* allocate_in(detail::thread_heap_kind kind, std::size_t bytes,
                                    std::size_t alignment) noexcept;
    [[nodiscard]] void* allocate_ordered(std::size_t bytes, std::size_t alignment) noexcept;
    [[nodiscard]] void* allocate_other(std::size_t bytes, std::size_t alignment) noexcept;
    [[nodiscard]] void* allocate_large(std::size_t bytes, std::size_t alignment) noexcept;
    using orphans = detail::thread_heap_list::orphans;
    [[nodiscard]] detail::thread_heap* heap_of_thread(detail::thread_heap_kind kind,
                                                      orphans others) noexcept;
    void begin_thread(orphans others) noexcept;
    [[nodiscard]] detail::thread_heap* adopt_another() noexcept;
    [[nodiscard]] detail::thread_heap* make_large() noexcept;
    void make_current(detail::thread_heap& heap) noexcept;
    void adopt_options(const affinity_options& options) noexcept;
    [[nodiscard]] std::size_t at_least_own(std::size_t alignment) const noexcept {
        return detail::larger(alignment, this->alignment());
    }
    [[nodiscard]] affinity_options options_now() const noexcept {
        affinity_options now = options_;
        now.block_bytes = block_bytes();
        return now;
    }

    detail::thread_place thread_place_;
    unsigned index_;
    std::atomic<std::size_t> alignment_; ///< fixed once something is allocated
    std::atomic<std::size_t> block_bytes_;
    detail::thread_heap_list heaps_;
    std::atomic<detail::thread_heap*> large_{nullptr};
    std::atomic<std::uint64_t> next_look_ms_{0}; ///< at what no thread has, whether it is idle
    affinity_options options_;
    char title_[16 + detail::most_affinity_name_bytes + 1] = {}; ///< "affinity nodes"
    const char* name_;                                           ///< its second part
    detail::outside_count outside_;
    std::atomic<bool> may_adopt_options_{false}; ///< made without any and unused; or retired
    bool of_tag_ = false;                        ///< a tag refers to it, and will
    affinity_heap* next_shared_ = nullptr;       ///< among those of all shared heaps
    affinity_heap* previous_shared_ = nullptr;
};

inline affinity_neighbourhood affinity_heap::near(const void* p) noexcept { return {*this, p}; }

/// Memory of an affinity, used as from malloc: `void* p = allocate(64, affinities::data{});`, then
/// `deallocate(p)`. Throws out_of_memory.
template <AffinityTag A>
[[nodiscard]] void* allocate(std::size_t bytes, A, std::size_t alignment = default_alignment) {
    return affinity_heap::of<A>().allocate(bytes, alignment);
}

/// Frees what allocate(bytes, tag) returned; nullptr is allowed.
inline void deallocate(void* p) noexcept { affinity_heap::deallocate_any(p); }

} // namespace ARENITE_ABI
} // namespace arenite
