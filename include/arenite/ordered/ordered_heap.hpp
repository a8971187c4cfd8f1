// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/block/return_policy.hpp>
#include <arenite/check/call_sites.hpp>
#include <arenite/check/detail/one_thread.hpp>
#include <arenite/check/detail/passthrough_chain.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/resource_base.hpp>
#include <arenite/core/sizes.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/ordered/detail/idle_pages.hpp>
#include <arenite/ordered/detail/slab_front.hpp>

#include <cstddef>
#include <string_view>

namespace arenite {
inline namespace ARENITE_ABI {

class deferred_frees;

/// How an ordered_heap behaves; the defaults are right for a heap that may become large.
struct ordered_options {
    arenite::sizes sizes = arenite::sizes::given; ///< `kept` costs nothing extra

    /// Bytes to request from the upstream at once, cut into blocks of at most 256 KiB; rounded up
    /// to a power of two below that (4 KiB at least), to a multiple of it above. 0: start small and
    /// grow to 2 MiB with use. Requests above a quarter of a block go to the upstream individually.
    std::size_t block_bytes = 0;

    return_policy policy = {};

    bool eager = false; ///< get the first memory at construction, which throws where there is none
    bool prefault = false; ///< touch all pages as memory arrives, the first at construction

    /// Name in reports of leaks and misuse; the text must outlive the heap.
    const char* name = nullptr;
};

/// Any size, any order, without headers: slots of 63 sizes, each size handed out in address order.
///
///     block   | slab of 48-byte slots          | slab of 80 | 5 KiB | slab of 32 |......|
///     bits    | 0 0 1 0 1 1 1 1 0 0 1 1 1 1 .. | 0 0 0 1 1  |   0   | 1 1 1 1 1  |   1: free
///                   ^ next of this size
///     block   | bits | page of 48-byte slots | bits | page of 48-byte slots | bits | ...
///
/// A request takes the lowest free slot of the slab that its size currently allocates from, chosen
/// when the one before was taken: a slot that has come free since, further down, is the one after.
/// Where what is open of that slab has been walked through (64 slots at first, more as they fill),
/// allocation begins it anew if a quarter of that is free and no other slab has room; else it moves
/// to the lowest slab of which an eighth is free (a quarter or half for slabs of less than 64 KiB).
/// So objects allocated together lie together, whatever was freed before. Freeing sets one bit,
/// stored apart from the object, which is not touched; free neighbours need no merging. Requests
/// above 8 KiB take whole units of 1 KiB, and the next one of about that length takes those that
/// were freed last, not the lowest. Requests above 63 KiB (a quarter of a block) get memory of
/// their own.
///
/// Use when:  objects of several sizes live and die in any order and are traversed often: scene
///            graphs, trees, entities. If all die together: linear/linear_resource.hpp. If all have
///            one size: pool/pool_resource.hpp. While thousands are deleted in no order:
///            ordered/deferred_frees.hpp.
/// Cost:      up to 1024 bytes, aligned to 16 at most: allocate O(1), 13 instructions inlined if
///            the size is a constant; deallocate O(1), a call of about 32, or 60 in a heap of up to
///            64 KiB, and for sizes of which few objects live in one below 8 MiB. Larger objects
///            take a call each way. A slow call, at most one in 64 of a size while memory is in
///            order and slabs have as many slots (a slab has at most 64 KiB, of slots above 1,792
///            bytes 192), and one in 16 where few objects come and go, reads the bits of one slab,
///            finds slabs and blocks in O(log n), and may ask the upstream. Only if that refuses
///            does it search all slabs of the size. Where 64 neighbouring slots are in use but for
///            one that comes and goes, each request for it is a call, of about 60 instructions. On
///            an upstream that may unmap returned memory, a free that is a call finds its block in
///            O(log n). Some frees, one in 30 to 4,096, look at the clock; every 4 ms at most, and
///            where half of what is held has come free, one of them gives memory back that is due,
///            and takes up to about 1 ms: see Returns.
/// Overhead:  sizes round up to the next slot: by less than 8 bytes up to 128 (16 if the alignment
///            is 16), by less than an eighth above; the smallest slot has 16 bytes. 2 % of the
///            memory for bookkeeping, 4 % where most objects have more than 1 KiB. Freed units that
///            wait for a request of their length: 512 KiB, and 24 KiB for each of its blocks, at
///            most. A large object: 64 to 512 bytes, or its alignment.
/// Limits:    only those of its upstream. A slab serves one size until all its slots are free; if
///            much memory is sparse, also larger objects that span several slots. Memory starts as
///            one block of 64 KiB, of which only the used pages are resident, and grows by spans of
///            up to 2 MiB. While it holds 1 MiB or more and uses 512 KiB and a quarter of that,
///            these lie in huge pages, if the upstream has them.
/// Returns:   empty spans and the memory of large objects by return_policy; trim() returns all that
///            is empty, down to single pages if the upstream lends pages, give_back_due() a little
///            of it at a time, where it is idle. So do some frees, but not in checked builds, where
///            less than a quarter of what is held has been in use for a second, and memory that
///            waits at the upstream goes then, too. Not of heaps with `prefault` or retain_all.
///            Destruction returns everything; checked builds report objects still alive, by name,
///            address and size.
/// Misuse:    found at the call in every build: an object that is already free; memory of another
///            heap, of malloc or of the stack; a wrong size of an object above 8 KiB. Checked
///            builds also find a write into the slack behind an object, when it is freed, any wrong
///            size (above 63 KiB, or a quarter of a block that is
///            smaller, one that rounds to another multiple of 8), pointers into the middle of an
///            object, and two threads inside at once.
/// Threads:   one at a time; wrap in synchronized_resource.
/// Failure:   out_of_memory / nullptr; nothing changes.
/// Source:    VulkanSceneGraph; Tapia, Suballocator.  (doc/sources.md)
class ordered_heap final : public resource_base<ordered_heap> {
public:
    ordered_heap() noexcept : ordered_heap{ordered_options{}} {}

    /// The default upstream is the process's page source. With `eager` or `prefault` the first
    /// memory is requested here: throws out_of_memory if there is none.
    explicit ordered_heap(const ordered_options& options);

    /// On an upstream of your own, which must outlive the heap: spans of 16 KiB, then 64 to 512 KiB
    /// by default, aligned to 1 KiB. If the upstream cannot serve a span, smaller ones are tried,
    /// down to 4 KiB: of a region of 64 KiB, objects of 48 bytes can have 85 %, of 1 MiB 95 %.
    ordered_heap(const ordered_options& options, upstream up);
    explicit ordered_heap(upstream up) noexcept : ordered_heap{ordered_options{}, up} {}

    ~ordered_heap() override;

    /// Returns nullptr if the upstream has no memory or the alignment is not a power of two.
    [[nodiscard]] ARENITE_INLINE void*
    try_allocate(std::size_t bytes, std::size_t alignment = default_alignment) noexcept {
        [[maybe_unused]] const auto inside = threads_.enter("ordered_heap", this);
        void* p = take_ready(bytes, alignment);
        if (p == nullptr)
            p = allocate_slow(bytes, alignment);
        call_sites::allocated(p, bytes);
        return p;
    }

    /// Frees memory that was allocated with the same size and alignment. p must not be nullptr.
    ARENITE_INLINE void deallocate(void* p, std::size_t bytes,
                                   std::size_t alignment = default_alignment) noexcept {
        [[maybe_unused]] const auto inside = threads_.enter("ordered_heap", this);
        call_sites::freed(p);
        core_.front().deallocate(p, bytes, alignment);
    }

    /// Frees an allocation without its size. Requires sizes::kept, in every build.
    void deallocate(void* p) noexcept {
        call_sites::freed(p);
        deallocate_unsized(p);
    }

    /// Resizes the object at p in place to `new_bytes` (not 0) and returns true if that is
    /// possible; otherwise, or if p is not an object of this heap, returns false and changes
    /// nothing. O(log blocks).
    [[nodiscard]] bool try_resize(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                  std::size_t alignment = default_alignment) noexcept;

    /// Usable bytes at p, an allocation of this heap: the requested size, rounded up. Requires
    /// sizes::kept; without it, or if p is not a live allocation, this is misuse, found in every
    /// build.
    [[nodiscard]] std::size_t size_of(const void* p) const noexcept;

    /// How many bytes a request of `bytes` takes anyway: asking for them costs no more memory.
    /// Up to 63 KiB the slot's; at least `bytes`, whatever the alignment.
    [[nodiscard]] static std::size_t good_bytes(std::size_t bytes,
                                                std::size_t alignment = default_alignment) noexcept;

    /// The name given in the options; empty if there is none.
    [[nodiscard]] std::string_view name() const noexcept;

    /// True if constructed with sizes::kept.
    [[nodiscard]] bool keeps_sizes() const noexcept { return kept_; }

    /// True if p points into memory of this heap, allocated or not, but for what is free between
    /// large objects. O(log blocks).
    [[nodiscard]] bool owns(const void* p) const noexcept;

    /// Frees everything at once, whatever lives. Memory is kept or returned by return_policy, as
    /// after the last free. Invalidates all pointers into the heap. O(blocks).
    void reset() noexcept;

    /// Returns all unused memory to the upstream: empty spans, and if the upstream lends pages also
    /// every whole page between objects. O(blocks).
    void trim() noexcept;

    /// Returns the memory of whole pages between objects, whatever the policy, where what is in use
    /// has kept still for a second or more and is less than three quarters of what is held, 1 MiB
    /// or more. Free memory between large objects goes where it exceeds what the policy keeps and
    /// an eighth of what is in use there and was not wanted for a second; spans that large objects
    /// have left, where none was wanted for a second, but with return_policy::retain_all. For the
    /// loop of a program: nothing as a rule, else a few blocks, about 200 us, or up to 8 MiB of
    /// large objects; and what is due at the upstream. True if it took such a step in this heap:
    /// more may follow, at once or whenever there is time.
    bool give_back_due() noexcept;

    /// Sets how many bytes to request from the upstream at once from now on, as
    /// ordered_options::block_bytes does; the size of blocks stays.
    void set_block_bytes(std::size_t bytes) noexcept;

    /// O(1). bytes_in_use and live_allocations are exact; the high-water mark is updated here, at 1
    /// MiB or more, above 8 KiB if it is a new one with as much in smaller objects as when it was
    /// last, and when slabs of a quarter of what was in use then, or of 32 KiB, were made since.
    [[nodiscard]] arenite::usage usage() const noexcept;

    /// Lists all its memory: empty blocks that are kept, then blocks and large allocations in
    /// address order. Objects are listed one by one with sizes::kept and in checked builds,
    /// otherwise as runs of neighbours. O(bytes reserved / 512).
    void list_regions(region_sink& sink) const;

private:
    friend class deferred_frees;
    friend class resource_base<ordered_heap>;

    /// A slot, where one lies ready; else nullptr, and allocate_slow is to be called.
    [[nodiscard]] ARENITE_INLINE void* take_ready(std::size_t bytes,
                                                  std::size_t alignment) noexcept {
        return core_.front().try_take(bytes, alignment);
    }

    /// True if a free of this size may wait: its object lies in a slot.
    [[nodiscard]] static constexpr bool may_wait(std::size_t bytes) noexcept {
        return !detail::slow_only && bytes <= detail::size_class::largest_listed_bytes;
    }
    void deallocate_waiting(void* const* objects, std::size_t count) noexcept;

    ARENITE_NOINLINE void* allocate_slow(std::size_t bytes, std::size_t alignment) noexcept;
    void deallocate_unsized(void* p) noexcept;
    static bool deallocate_passed_through(detail::slab_heap& core, void* p, std::size_t bytes,
                                          std::size_t alignment) noexcept;
    void report_leaks() const noexcept;

    detail::slab_heap_room core_;
    detail::passthrough_chain singles_; ///< every allocation, with ARENITE_PASSTHROUGH=1
    bool kept_;
    bool passes_through_;
    detail::idle_pages idle_;
    ARENITE_NO_UNIQUE_ADDRESS detail::one_thread threads_;
};

} // namespace ARENITE_ABI
} // namespace arenite
