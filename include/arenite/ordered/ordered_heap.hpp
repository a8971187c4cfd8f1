// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/block/block.hpp>
#include <arenite/block/block_source.hpp>
#include <arenite/block/magazine.hpp>
#include <arenite/check/passthrough_chain.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/bits.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/strategy.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/core/usage.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {

namespace detail {

class affinity_share;

/// Marks a heap while its bookkeeping is not in order: a forked child does not use it then.
class amid_change {
public:
    explicit amid_change(bool& busy) noexcept : busy_{busy}, before_{busy} {
        busy_ = true;
        std::atomic_signal_fence(std::memory_order_seq_cst);
    }
    ~amid_change() {
        std::atomic_signal_fence(std::memory_order_seq_cst);
        busy_ = before_;
    }
    amid_change(const amid_change&) = delete;
    amid_change& operator=(const amid_change&) = delete;

private:
    bool& busy_;
    bool before_;
};

} // namespace detail

/// Who knows how long an allocation is: its user, who says so when freeing it, or the heap.
enum class sizes {
    known, ///< the caller passes the size to deallocate (sized delete, std::pmr, STL allocators)
    kept   ///< the heap keeps it: size_of(p) and deallocate(p) work; 1.6 % more memory
};

/// How an ordered_heap behaves; the defaults are right for a heap that may become large.
struct ordered_options {
    arenite::sizes sizes = arenite::sizes::known;

    /// Bytes to ask from the upstream at once, cut into blocks of at most 256 KiB; rounded up to a
    /// power of two below that, to a multiple of it above. 0: start small and grow to 2 MiB with
    /// use. Requests above an eighth of a block that do not fit the open hole go to the upstream by
    /// themselves.
    std::size_t block_bytes = 0;

    return_policy policy = {};

    /// Hand objects of up to 512 bytes out again that were freed a moment ago, before the next
    /// hole: quicker where single objects are freed and allocated in turn, at the cost of the
    /// order; not for scene nodes. Every call then goes out of line, and of an object freed twice
    /// only the case in turn is found. Without effect where sizes are kept and in checked builds.
    bool magazine = false;

    bool eager = false; ///< get the first memory at construction
    bool prefault =
        false; ///< touch all pages when memory is got, and get the first at construction
};

/// Any size, any order, without headers: memory is always handed out in address order.
///
///     block  | head, 1 bit a granule | A | B |....| C |..| D |..................|
///                                            ^ cursor
///                                            | hole | limit
///
/// Allocation bumps a cursor through the current hole, a run of free granules of 8 bytes; the hole
/// was claimed whole when it was entered, and its unused tail is given back when it is left for the
/// next one up. Freeing masks the pointer to its block and clears the object's bits. A block in
/// which an eighth was freed is swept again, lowest address first, so that what is allocated
/// together lies together, whatever was freed before. A request that finds no hole in the block
/// being swept while smaller ones still would is served beside it: from a long hole of a block that
/// waits, or from an empty block. What is freed a little below the cursor, as the temporaries of a
/// loader are, is offered to the very next request, so that they do not each leave a hole behind.
///
/// Use when:  objects of several sizes live and die in any order and are walked often: scene
///            graphs, trees, entities. All die together: linear/linear_resource.hpp.
/// Cost:      allocate and deallocate O(1), about 10 instructions inlined. A slow call looks at six
///            blocks at most (512 words of bits each), finds blocks in O(log blocks), and may ask
///            its upstream; only where that refuses does it look at all blocks.
/// Overhead:  sizes round up to 8 bytes (to 16 where alignment is 16 or more); 1/64 of the memory
///            for bits, 1/32 with sizes::kept; 64 to 512 bytes, or the alignment, a large request.
/// Limits:    none but its upstream's. Memory starts at one block of 64 KiB of which the pages used
///            are resident, and grows by spans of 2 MiB (huge pages) once the heap holds as much.
/// Returns:   empty spans and the memory of large objects by return_policy; trim() all that is
///            empty, down to single pages where the upstream lends pages. Destruction returns
///            everything; checked builds report what was alive.
/// Misuse:    freeing twice or into another heap is found in every build, at the latest when the
///            bits are cleared; wrong sizes and foreign pointers in checked builds.
/// Threads:   one at a time; wrap in synchronized_resource.
/// Failure:   out_of_memory / nullptr; nothing changes.
/// Source:    VulkanSceneGraph; Tapia, Suballocator.  (doc/sources.md)
class ordered_heap final : public strategy<ordered_heap> {
public:
    ordered_heap() noexcept : ordered_heap{ordered_options{}} {}

    /// The default upstream is the process's page source.
    explicit ordered_heap(const ordered_options& options) noexcept;

    /// On an upstream of the user's: blocks of 64 KiB and spans of 512 KiB by default, aligned to
    /// 64 KiB. It must outlive the heap. If the upstream fails to serve a span, smaller ones are
    /// tried.
    ordered_heap(const ordered_options& options, upstream up) noexcept;
    explicit ordered_heap(upstream up) noexcept : ordered_heap{ordered_options{}, up} {}

    ~ordered_heap() override;

    /// nullptr where the upstream has no memory; also for an alignment that is no power of two.
    [[nodiscard]] ARENITE_INLINE void*
    try_allocate(std::size_t bytes, std::size_t alignment = default_alignment) noexcept;

    /// Gives back what was allocated with the same size and alignment. Not nullptr.
    ARENITE_INLINE void deallocate(void* p, std::size_t bytes,
                                   std::size_t alignment = default_alignment) noexcept;

    /// Gives an allocation back without its size. Requires sizes::kept, in every build.
    void deallocate(void* p) noexcept;

    /// Bytes that may be used at p, an allocation of this heap: the request, rounded up.
    /// Requires sizes::kept, in every build.
    [[nodiscard]] std::size_t size_of(const void* p) const noexcept;

    /// True if p points into memory of this heap, handed out or not. O(log blocks).
    [[nodiscard]] bool owns(const void* p) const noexcept;

    /// Gives back all memory that holds nothing: empty spans, and where the upstream lends pages
    /// also every whole page between objects. O(blocks).
    void trim() noexcept;

    /// Bytes to ask from the upstream at once from now on, as ordered_options::block_bytes says;
    /// the size of blocks stays.
    void set_block_bytes(std::size_t bytes) noexcept { source_.set_block_bytes(bytes); }

    /// O(1). live_allocations is known with sizes::kept and in checked builds.
    [[nodiscard]] arenite::usage usage() const noexcept;

    /// All its memory, blocks and large allocations in address order: objects one by one with
    /// sizes::kept and in checked builds, else runs of neighbours. What was freed counts as free
    /// whether its bits are cleared or not. O(bytes reserved / 512).
    void list_regions(region_sink& sink) const;

private:
    // An affinity gives each thread such a heap, and adds what comes from other threads.
    friend class detail::affinity_share;

    /// An open hole: what is left of it is [cursor, limit).
    struct window {
        std::byte* cursor = nullptr;
        std::byte* limit = nullptr;

        [[nodiscard]] std::size_t bytes() const noexcept {
            return static_cast<std::size_t>(limit - cursor);
        }
    };

    /// Runs of fewer bytes are cleared at once; longer ones wait for their neighbours. 16 granules
    /// at most, so that a mask needs no second thought.
    static constexpr std::size_t smallest_joined = 16 * granule_bytes;

    /// What is freed within this many bytes below the cursor, as temporaries are, is used again
    /// first.
    static constexpr std::size_t near_bytes = 32 * 1024;

    /// What an allocation takes: whole granules, and pairs of them from alignment 16 on, so that a
    /// run of such requests never leaves a gap. 0 for a size of 0 and for one that does not fit a
    /// size.
    [[nodiscard]] static constexpr std::size_t rounded(std::size_t bytes,
                                                       std::size_t alignment) noexcept {
        const std::size_t step = alignment >= 16 ? 16 : granule_bytes;
        return (bytes + (step - 1)) & ~(step - 1);
    }

    [[nodiscard]] block* block_of(const void* p) const noexcept {
        return reinterpret_cast<block*>(address_of(p) & mask_);
    }

    [[nodiscard]] std::int64_t balance() const noexcept;
    [[nodiscard]] std::size_t bytes_in_use() const noexcept;

    // For an affinity, which has such a heap for each thread.
    [[nodiscard]] void* try_allocate_within(std::size_t bytes, std::size_t alignment) noexcept;
    [[nodiscard]] void* try_allocate_near(const void* neighbour, std::size_t bytes,
                                          std::size_t alignment) noexcept;
    void clear_for_others(block& b, std::size_t word, bits::word freed) noexcept;
    void cleared_for_others(block& b) noexcept;
    [[nodiscard]] arenite::usage usage_seen_from_afar() const noexcept;

    ARENITE_INLINE void* take_open(std::size_t bytes, std::size_t alignment) noexcept;
    ARENITE_NOINLINE void* allocate_slow(std::size_t bytes, std::size_t alignment) noexcept;
    ARENITE_COLD void deallocate_rare(void* p, std::size_t bytes, std::size_t alignment) noexcept;
    ARENITE_COLD void* allocate_rare(std::size_t bytes, std::size_t alignment) noexcept;
    bool next_hole(std::size_t granules) noexcept;
    ARENITE_NOINLINE void deallocate_slow(void* p, std::size_t bytes,
                                          std::size_t alignment) noexcept;

    ARENITE_INLINE bool clear_within_word(window run, std::size_t granules) noexcept;
    ARENITE_NOINLINE void clear_or_join(window run) noexcept;
    ARENITE_NOINLINE void begin_run(window run) noexcept;
    ARENITE_NOINLINE void clear(window run) noexcept;
    void clear_noted() noexcept;
    ARENITE_COLD void refuse_free(window run) const noexcept;
    void* from_window(window& from, std::size_t size, std::size_t alignment) noexcept;
    void* search(std::size_t size, std::size_t alignment) noexcept;
    void* advance(std::size_t size, std::size_t alignment) noexcept;
    void* from_clean(std::size_t size, std::size_t alignment, bool grow) noexcept;
    void* from_anywhere(std::size_t size, std::size_t alignment) noexcept;
    void* allocate_large(std::size_t bytes, std::size_t size, std::size_t alignment) noexcept;

    void enter(block& entered) noexcept;
    void leave(bool at_end) noexcept;
    ARENITE_NOINLINE bool step_back(window hole) noexcept;
    void* step_forward(std::size_t size, std::size_t alignment) noexcept;
    void close(block& in, window& tail) noexcept;
    void claim(block& in, hole found, window& into) noexcept;
    void claim_all(block& in, window& into) noexcept;
    void release(block& in, std::size_t first, std::size_t granules) noexcept;
    void retire(block& retired, std::int64_t skipped, std::size_t passed) noexcept;
    ARENITE_COLD void freed(block& b) noexcept;
    void close_all() noexcept;
    [[nodiscard]] bool load_magazine() noexcept;
    void unload_magazine() noexcept;
    void note_high_water() const noexcept;
    [[nodiscard]] bool fits_ahead() noexcept;
    [[nodiscard]] block& head_of(const void* p) const noexcept;
    [[nodiscard]] std::size_t kept_size(const block& b, const void* p) const noexcept;
    void check_free(block& b, const void* p, std::size_t size) const noexcept;
    [[nodiscard]] bool in_open_hole(const void* p) const noexcept;
    void report_leaks() noexcept;

    // The line of the fast path. A careful heap (sizes kept, a checked build, a memory checker) and
    // one with a magazine keep their open hole in hidden_, so that every call is a slow one and
    // sees to more.
    window inline_;
    window freed_;            ///< neighbours that were freed last and have their bits still set
    std::size_t noted_limit_; ///< above this many bytes a free is seen to at once; 0 for all
    std::uintptr_t mask_;     ///< clears the offset within a block

    std::int64_t taken_ = 0; ///< granules taken in all blocks, tails of open holes included
    window freed_before_;    ///< a run like freed_, noted before it and not next to it
    window hidden_;
    window* open_; ///< inline_ or hidden_: the hole in the block being swept

    // The sweep: of one block, upward.
    block* swept_ = nullptr;
    std::size_t position_ = 0;    ///< granule from which it goes on
    std::size_t count_again_ = 0; ///< position from which to count what is free ahead
    std::size_t no_fit_ = 0;      ///< granules known not to be found from position_ on
    std::size_t smallest_ = 0;    ///< granules of the smallest request that it was asked for
    std::size_t passed_ = 0;      ///< granules of the largest request that it passed over holes for
    std::int64_t unclaimed_ = 0;  ///< granules free when it began that it has not taken
    std::size_t deflected_ = 0;   ///< bytes served beside it since it last served any

    // A hole a little below the cursor, which the next request may have; the window that it will go
    // on with is ahead_ as long, so that this request is a slow one.
    window below_;
    window ahead_;
    int trust_ = 1;   ///< in such holes; 0: they were of no use for a while
    int refused_ = 0; ///< such holes left alone since

    // Beside the sweep: a second hole, for what the sweep can't serve.
    window clean_;
    block* clean_block_ = nullptr;
    void* look_from_ = nullptr; ///< address from which to look for the next

    arenite::magazine* magazine_ = nullptr;
    std::size_t in_magazine_ = 0; ///< bytes, itself included, as others may see them

    block_source source_;
    passthrough_chain singles_;   ///< with ARENITE_PASSTHROUGH=1 all there is
    std::size_t large_bytes_ = 0; ///< in use by large allocations
    mutable std::size_t high_water_ = 0;
    std::size_t live_ = 0;           ///< allocations, where careful_
    const char* affinity_ = nullptr; ///< whose heap it is, for messages

    /// Sees to a run of whole objects that are not of this heap; else they are misuse.
    void (*elsewhere_)(ordered_heap& here, void* p, std::size_t bytes) noexcept = nullptr;
    bool busy_ = false; ///< its thread is amid a slow call: not to be used by a forked child
    bool leaks_ = true; ///< what is alive at the end is reported
    bool kept_;
    bool careful_;
    bool passes_through_;
    bool wants_magazine_;
};

/// From the open hole; nullptr where it does not fit.
ARENITE_INLINE void* ordered_heap::take_open(std::size_t bytes, std::size_t alignment) noexcept {
    const std::size_t size = rounded(bytes, alignment);
    std::byte* const p = inline_.cursor;
    // size - 1: a size of 0, also of an overflowing request, is the largest and goes the slow way.
    const bool fits = size - 1 < inline_.bytes();
    const bool aligned =
        is_alignment(alignment) && (alignment <= granule_bytes || is_aligned(p, alignment));
    if (!fits || !aligned) [[unlikely]]
        return nullptr;
    inline_.cursor = p + size;
    ARENITE_ASSUME(p != nullptr); // allocate needs no second question
    return p;
}

ARENITE_INLINE void* ordered_heap::try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
    void* const p = take_open(bytes, alignment);
    if (p == nullptr) [[unlikely]]
        return allocate_slow(bytes, alignment);
    return p;
}

ARENITE_INLINE void ordered_heap::deallocate(void* p, std::size_t bytes,
                                             std::size_t alignment) noexcept {
    const std::size_t size = rounded(bytes + (bytes == 0), alignment);
    std::byte* const begin = static_cast<std::byte*>(p);
    std::byte* const end = begin + size;
    // What is freed together mostly lies together: the run is noted here, its bits are cleared at
    // once.
    if (begin == freed_.limit) {
        freed_.limit = end;
        return;
    }
    if (end == freed_.cursor) {
        freed_.cursor = begin;
        return;
    }
    // The latest allocation, or memory of a moment ago that the next request may have.
    const std::size_t below = address_of(inline_.cursor) - address_of(end);
    if (below < near_bytes) [[unlikely]] {
        if (below == 0) {
            inline_.cursor = begin;
            return;
        }
        if (step_back({begin, end}))
            return;
    }
    if (size > noted_limit_ || (alignment > 256 && alignment > noted_limit_ / 2)) [[unlikely]]
        return deallocate_slow(p, bytes, alignment);
    // Frees in no order come here each time: one small object is cleared without a call.
    const window before = freed_;
    freed_ = {begin, end};
    const bool small =
        ARENITE_IS_CONSTANT(size) ? before.bytes() == size : before.bytes() - 1 < smallest_joined;
    const std::size_t granules =
        (ARENITE_IS_CONSTANT(size) ? size : before.bytes()) / granule_bytes;
    if (!small || !clear_within_word(before, granules)) [[unlikely]]
        clear_or_join(before);
}

/// Clears the bits of one run where that is all there is to do: they lie in one word, and nobody
/// waits for its block to become emptier.
ARENITE_INLINE bool ordered_heap::clear_within_word(window run, std::size_t granules) noexcept {
    const std::size_t first = (address_of(run.cursor) & ~mask_) / granule_bytes;
    const std::size_t shift = first % bits::word_bits;
    if (shift + granules > bits::word_bits) [[unlikely]]
        return false;
    block* const b = block_of(run.cursor);
    if (b->owner != this) [[unlikely]] // another thread's, perhaps
        return false;
    bits::word& word = b->occupancy()[first / bits::word_bits];
    const bits::word mask = bits::low_mask(granules) << shift;
    const std::int32_t live = b->live - static_cast<std::int32_t>(granules);
    if (live <= b->alarm || (~word & mask) != 0) [[unlikely]]
        return false;
    b->live = live;
    taken_ -= static_cast<std::int64_t>(granules);
    word ^= mask;
    return true;
}

} // namespace ARENITE_ABI
} // namespace arenite
