// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/block/detail/block.hpp>
#include <arenite/block/detail/block_source.hpp>
#include <arenite/block/return_policy.hpp>
#include <arenite/check/detail/one_thread.hpp>
#include <arenite/check/detail/passthrough_chain.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/extremes.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/resource_base.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/core/usage.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace arenite {
inline namespace ARENITE_ABI {

/// How an intrusive_resource behaves.
struct intrusive_options {
    /// Bytes to ask from the upstream at once; see block_source. 0: start small and grow with use.
    std::size_t block_bytes = 0;

    /// Least alignment of every object: a power of two; less than 4 counts as 4.
    std::size_t alignment = 4;

    return_policy policy = {};
};

/// Any size, any order, with a header of 4 bytes before each object.
///
///     block   | head, lists | h A | h B | h ~ free ~~~ | h C | h D | h .............. | h |
///                                   |     ^ ^ links of its list      ^ open, bumped
///             one word:  | status 2 | next 15 | previous 15 |   in elements of 4 bytes
///
/// Slots tile a block, and each knows the way to its neighbours: so a slot that is freed is merged
/// with both, up to 2^15 - 1 elements with its header. Allocation bumps a cursor through an open
/// slot: a whole new block, or a free slot of the block it came to, found in lists by size (four to
/// a doubling) that are linked inside the slots themselves. When a block has none it goes on to the
/// lowest block that may have one and of which an eighth is free, or to a new one; no list is
/// walked for more than a few steps. Neighbours that are freed one after the other are merged and
/// listed as one.
///
/// Use when:  objects of several sizes are freed by code that does not know their size, or the
///            memory shall lie as VulkanSceneGraph's does. Else ordered/ordered_heap.hpp: without
///            headers, and quicker.
/// Cost:      allocate and deallocate O(1), the most frequent part inlined; a slow call looks at
///            five blocks at most, finds blocks in O(log blocks), and may ask its upstream; only
///            where that refuses does it look at all blocks.
/// Overhead:  4 bytes an object, rounded up to its alignment (16 at most); 256 to 448 bytes a
///            block of 256 KiB; 64 to 512 bytes, or the alignment, a large request.
/// Limits:    none but its upstream's. Requests of more than 2^15 - 2 elements, or of more than an
///            eighth of a block that no free slot has room for, get a block of their own.
/// Returns:   empty spans and the memory of large objects by return_policy; trim() all that is
///            empty, down to single pages where the upstream lends pages. Destruction returns
///            everything; checked builds report what was alive.
/// Misuse:    a slot that is freed while its header says that it is free is found in every build;
///            so is most of another heap's. In checked builds also foreign pointers, those into the
///            middle of an object, and wrong sizes. Others read the word before the pointer, and
///            where it says "used" the begin of its block (256 KiB): where there is no memory, the
///            program ends without a word.
/// Threads:   one at a time; wrap in synchronized_resource.
/// Failure:   out_of_memory / nullptr; nothing changes.
/// Source:    VulkanSceneGraph, vsg::IntrusiveAllocator.  (doc/sources.md)
class intrusive_resource final : public resource_base<intrusive_resource> {
public:
    intrusive_resource() noexcept : intrusive_resource{intrusive_options{}} {}

    /// The default upstream is the process's page source.
    explicit intrusive_resource(const intrusive_options& options) noexcept;
    intrusive_resource(const intrusive_options& options, upstream up) noexcept;
    explicit intrusive_resource(upstream up) noexcept
        : intrusive_resource{intrusive_options{}, up} {}

    ~intrusive_resource() override;

    /// Returns nullptr if the upstream has no memory or the alignment is not a power of two (in
    /// checked builds that is a contract violation).
    [[nodiscard]] ARENITE_INLINE void*
    try_allocate(std::size_t bytes, std::size_t alignment = default_alignment) noexcept {
        const std::size_t aligned_to = detail::larger(alignment, floor_);
        const std::size_t length = slot_bytes(bytes, aligned_to);
        std::byte* const h = main_.cursor;
        if (bytes - 1 >= most_quick_ || length >= main_.bytes() || !is_alignment(alignment) ||
            !is_aligned(h + element_bytes, aligned_to)) [[unlikely]]
            return allocate_slow(bytes, alignment);
        // Its place among its neighbours, and a header for what is left of the open slot.
        store(h, header{load(h)}.with_next(length).word);
        store(h + length, header::of(length, 0, status::open).word);
        main_.cursor = h + length;
        ++live_;
        std::byte* const p = h + element_bytes;
        ARENITE_ASSUME(p != nullptr);
        return p;
    }

    /// Gives back what was allocated. Not nullptr.
    ARENITE_INLINE void deallocate(void* p) noexcept {
        std::byte* const h = static_cast<std::byte*>(p) - element_bytes;
        if (most_quick_ == 0) [[unlikely]]
            return deallocate_careful(p, any_size, 1);
        const header is{load(h)};
        if (is.state() != status::used) [[unlikely]]
            return deallocate_careful(p, any_size, 1);
        store(h, is.word | header::status_mask); // loose
        --live_;
        std::byte* const end = h + is.next();
        if (h == run_.end)
            run_.end = end;
        else if (end == run_.begin)
            run_.begin = h;
        else
            begin_run({h, end});
    }

    /// Gives back with its size, which checked builds see to be right.
    ARENITE_INLINE void deallocate(void* p, std::size_t bytes,
                                   std::size_t alignment = default_alignment) noexcept {
        if (most_quick_ == 0) [[unlikely]]
            return deallocate_careful(p, bytes, alignment);
        deallocate(p);
    }

    /// Bytes that may be used at p, an allocation of this resource: the request, rounded up.
    [[nodiscard]] std::size_t size_of(const void* p) const noexcept;

    /// True if p points into memory of this resource, handed out or not. O(log blocks).
    [[nodiscard]] bool owns(const void* p) const noexcept;

    /// Gives back all memory that holds nothing: empty spans, and where the upstream lends pages
    /// also every whole page of free slots. O(slots).
    void trim() noexcept;

    /// Bytes to ask from the upstream at once from now on; memory that is held stays as it is.
    void set_block_bytes(std::size_t bytes) noexcept { source_.set_block_bytes(bytes); }

    /// O(1). bytes_in_use counts no headers; live_allocations is exact.
    [[nodiscard]] arenite::usage usage() const noexcept;

    /// All its memory in address order, object by object. O(slots).
    void list_regions(region_sink& sink) const;

    /// A request of more bytes is no block's.
    static constexpr std::size_t largest_bytes = ((1 << 15) - 2) * 4;

private:
    static constexpr std::size_t element_bytes = 4;
    static constexpr std::size_t largest_slot = largest_bytes + element_bytes;
    /// Up to this size a slot has at most largest_slot, however it is aligned: see slot_bytes.
    static constexpr std::size_t largest_quick = align_down(largest_slot, 16) - element_bytes;
    static constexpr std::size_t large_divisor = 8; ///< share of a block: more wants no new one
    static constexpr std::size_t any_size = ~std::size_t{0};

    enum class status : std::uint32_t {
        free = 0, ///< linked in a list of its block
        used = 1,
        open = 2, ///< what is left of the slot being bumped
        loose = 3 ///< free but in no list: freed a moment ago, or one element, which holds no links
    };

    /// The word before each slot's memory. Distances here are in bytes.
    struct header {
        std::uint32_t word;

        static constexpr unsigned next_shift = 15;
        static constexpr unsigned status_shift = 30;
        static constexpr std::uint32_t distance_mask = (1u << 15) - 1;
        static constexpr std::uint32_t status_mask = 3u << status_shift;

        [[nodiscard]] static constexpr header of(std::size_t previous, std::size_t next,
                                                 status s) noexcept {
            return {static_cast<std::uint32_t>(previous / element_bytes) |
                    static_cast<std::uint32_t>(next / element_bytes) << next_shift |
                    static_cast<std::uint32_t>(s) << status_shift};
        }

        /// Back to the slot before; 0: there is none that may be merged with.
        [[nodiscard]] constexpr std::size_t previous() const noexcept {
            return (word & distance_mask) * element_bytes;
        }
        /// On to the slot after: this one's length.
        [[nodiscard]] constexpr std::size_t next() const noexcept {
            return (word >> next_shift & distance_mask) * element_bytes;
        }
        [[nodiscard]] constexpr status state() const noexcept {
            return static_cast<status>(word >> status_shift);
        }
        /// With another length, for an object.
        [[nodiscard]] constexpr header with_next(std::size_t next) const noexcept {
            return of(previous(), next, status::used);
        }
    };

    /// Slots from the header at begin up to the one at end.
    struct run {
        std::byte* begin = nullptr;
        std::byte* end = nullptr;

        [[nodiscard]] std::size_t bytes() const noexcept {
            return static_cast<std::size_t>(end - begin);
        }
    };

    /// A block that is allocated from, and its open slot, if any: the header at the cursor is the
    /// slot's, the one at the limit the next one's.
    struct lane {
        std::byte* cursor = nullptr;
        std::byte* limit = nullptr;
        detail::block* in = nullptr;

        [[nodiscard]] std::size_t bytes() const noexcept {
            return static_cast<std::size_t>(limit - cursor);
        }
    };

    struct lists;

    /// Bytes of an object with its header. Wraps only for sizes that no block has.
    [[nodiscard]] static constexpr std::size_t slot_bytes(std::size_t bytes,
                                                          std::size_t alignment) noexcept {
        const std::size_t step = detail::smaller<std::size_t>(alignment, 16);
        return align_up(bytes + (bytes == 0) + element_bytes, step);
    }

    [[nodiscard]] static std::uint32_t load(const std::byte* h) noexcept {
        std::uint32_t word = 0;
        std::memcpy(&word, h, sizeof(word));
        return word;
    }
    static void store(std::byte* h, std::uint32_t word) noexcept {
        std::memcpy(h, &word, sizeof(word));
    }

    // To be used where a memory checker may hide headers from the user.
    [[nodiscard]] static header peek(const std::byte* h) noexcept;
    static void poke(std::byte* h, header to) noexcept;
    static void set_previous(std::byte* h, std::size_t previous) noexcept;

    [[nodiscard]] detail::block* block_of(const void* p) const noexcept {
        return reinterpret_cast<detail::block*>(address_of(p) & mask_);
    }
    [[nodiscard]] std::byte* first_slot(const detail::block& b) const noexcept;
    [[nodiscard]] static std::byte* end_slot(const detail::block& b) noexcept;
    [[nodiscard]] std::int32_t room_of(const detail::block& b) const noexcept;
    [[nodiscard]] std::int32_t share_of(const detail::block& b) const noexcept;
    [[nodiscard]] std::size_t bytes_in_use() const noexcept;
    void note_high_water() const noexcept;

    ARENITE_NOINLINE void* allocate_slow(std::size_t bytes, std::size_t alignment) noexcept;
    void* allocate_large(std::size_t bytes, std::size_t alignment) noexcept;
    void* search(std::size_t length, std::size_t alignment) noexcept;
    void* from_lane(lane& from, std::size_t length, std::size_t alignment) noexcept;
    void* from_lists(lane& from, std::size_t length, std::size_t alignment) noexcept;
    void* advance(lane& from, std::size_t length, std::size_t alignment) noexcept;
    ARENITE_COLD void* from_anywhere(std::size_t length, std::size_t alignment) noexcept;
    [[nodiscard]] std::byte* find(detail::block& b, std::size_t length, std::size_t alignment,
                                  int looks) const noexcept;
    void link(detail::block& b, std::byte* slot, std::size_t length) noexcept;
    void unlink(detail::block& b, std::byte* slot, std::size_t length) noexcept;
    void enter(lane& l, detail::block& b) noexcept;
    void leave(lane& l) noexcept;
    void claim(lane& l, std::byte* slot) noexcept;
    void release(detail::block& b, std::byte* begin, std::size_t length) noexcept;
    [[nodiscard]] std::uint16_t holes_of(const detail::block& b) const noexcept;
    void freed(detail::block& b) noexcept;

    ARENITE_NOINLINE void begin_run(run fresh) noexcept;
    void publish(run noted) noexcept;
    void publish_all() noexcept;
    ARENITE_NOINLINE void deallocate_careful(void* p, std::size_t bytes,
                                             std::size_t alignment) noexcept;
    [[nodiscard]] detail::block* holder_of(const void* p) const noexcept;
    void check_free(const void* p, std::size_t bytes, std::size_t alignment) const noexcept;
    ARENITE_COLD void refuse_free(const void* p, const char* why) const noexcept;
    template <class F>
    void for_each_slot(const detail::block& b, F f) const;
    void report_leaks() noexcept;

    // The line of the fast path. A careful resource (a checked build, a memory checker) is quick
    // for no size, so that every call is a slow one and sees to more.
    lane main_;
    run run_; ///< neighbours that were freed one after the other: loose, not merged yet
    std::size_t floor_;
    std::size_t most_quick_;
    std::size_t live_ = 0;

    run before_;            ///< such a run noted before it
    lane beside_;           ///< for requests that the main one has no slot for while it has others
    std::uintptr_t mask_;   ///< clears the offset within a block
    std::size_t taken_ = 0; ///< bytes of blocks that are not free: open slots and loose ones too
    std::size_t deflected_ = 0; ///< bytes served by the second lane since it stood in
    mutable std::size_t high_water_ = 0;
    std::size_t large_bytes_ = 0;
    std::size_t large_count_ = 0;
    bool passes_through_;
    detail::block_source source_;
    detail::passthrough_chain singles_; ///< with ARENITE_PASSTHROUGH=1 all there is
    ARENITE_NO_UNIQUE_ADDRESS detail::one_thread threads_;
};

} // namespace ARENITE_ABI
} // namespace arenite
