// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/ordered/detail/heap_owner.hpp>
#include <arenite/ordered/detail/own_frees.hpp>
#include <arenite/ordered/detail/size_class.hpp>
#include <arenite/ordered/detail/slab_front.hpp>
#include <arenite/ordered/detail/slab_source.hpp>
#include <arenite/ordered/detail/slot_donors.hpp>

#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// When a heap that is not asked to gives idle memory back: after some of its thread's frees. It
/// looks after fewer of them where half of what it holds is free, or it is asked to, since its
/// thread may hardly make calls any more.
struct return_clock {
    std::uint64_t next_ms = 0;
    std::uint8_t singles_freed = 0;
    std::uint8_t alarms_noted = 0;
    bool half_is_free = false;
    bool fell = false;     ///< half came free since it gave the last back
    bool is_asked = false; ///< see slab_heap::watch_frees

    /// True for one of 32 frees of objects that have units of their own.
    [[nodiscard]] bool counts_single() noexcept { return ++singles_freed % 32 == 0; }

    /// Counts an alarm of a slab; true for one of 16.
    [[nodiscard]] bool counts_alarm() noexcept { return ++alarms_noted % 16 == 0; }

    /// Frees after which a slab that is allocated from is looked at again.
    [[nodiscard]] std::int32_t frees_a_look() const noexcept {
        return half_is_free || is_asked ? 64 : 4096;
    }
};

/// The heap of an ordered_heap, and of each thread of an affinity: slots of 63 sizes in address
/// order, larger requests in units of 1 KiB, large ones from the upstream.
///
///     slab_classes   a slab_class for each size, and the books
///     slot_donors    objects over neighbouring slots of a smaller class
///     slab_source    blocks, cut into slabs; large objects
///     slab_survey    questions and reports, apart from it
///
/// Allocation, fast to slow; each is tried when the one above has nothing:
///
///     try_take            the next slot of the word: the lowest that was free when
///                         the one before was taken                                inline
///     try_take_any        the lowest free slot of the word
///     class: next_word    the next open word with a free slot, or the first one again
///     next_slab           the lowest slab of the class of which enough is free
///     donors: try_take    neighbouring slots of a sparse slab of a smaller class, one object at a
///                         time: only where the heap holds much more than it needs
///     source: make_page   a new slab: a page, where the class has slabs and the heap is not small
///     source: make        else units that are kept, of about the length
///                         else units of the lowest block with room, or of a new block
///     any_slot            where the upstream refuses: any free slot of the class
///
/// Freeing:
///
///     try_give_in_own       page, owner, bit, from the address alone              inline
///     deallocate_elsewhere  block, slab, owner, size, bit; or the only slot of its slab
///     deallocate_beyond_units  one slot of a page where others are joined; another heap's
///     deallocate_rare       joined slots, large, or misuse
///
/// A bit says whether its slot is free, and nothing else does: it is cleared when the slot is
/// handed out and set when it comes back, so that a second free of a slot before it is handed out
/// again is always found. The books stand at slab, slab_class and slab_classes.
///
/// Threads:   one at a time; what is approximate by any.
class slab_heap final : public slab_front {
public:
    slab_heap(const block_options& options, upstream up, const heap_owner& owner) noexcept;
    slab_heap(const slab_heap&) = delete;
    slab_heap& operator=(const slab_heap&) = delete;

    /// Live objects end with it. O(blocks).
    ~slab_heap();

    /// try_allocate from what is there: the upstream is not asked.
    [[nodiscard]] void* try_allocate_within(std::size_t bytes, std::size_t alignment) noexcept;

    /// The free slot nearest to an object of this heap, in its block; nullptr where there is none.
    [[nodiscard]] void* try_allocate_near(const void* neighbour, std::size_t bytes,
                                          std::size_t alignment) noexcept;

    /// Gets the first block, which stays if the policy keeps anything; false where there is none.
    bool make_first_slab() noexcept;

    /// deallocate(p, bytes, alignment) after try_give_in_own() has refused p.
    ARENITE_NOINLINE void deallocate_elsewhere(void* p, std::size_t bytes,
                                               std::size_t alignment) noexcept;

    /// Many, without their sizes, in one loop.
    void deallocate_all(void* const* objects, std::size_t count) noexcept;

    /// True if the object at p can serve `new_bytes` where it lies; then that is its size.
    [[nodiscard]] bool try_resize(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                  std::size_t alignment) noexcept;

    /// True if the object at p, in a slab of this heap, can have this size where it lies; false
    /// where no slab is. Any thread, while the object lives.
    [[nodiscard]] bool fits_in_place(const void* p, std::size_t bytes,
                                     std::size_t alignment) const noexcept;

    /// Bytes that may be used at p, an object of this heap. What is none is misuse.
    [[nodiscard]] std::size_t size_of(const void* p) const noexcept;

    /// True if the object at p, which was handed out just now, is known to hold zeros, in memory
    /// that served nothing before. Of requests above 8 KiB; those of slots are never known.
    [[nodiscard]] bool is_zero(const void* p) const noexcept;

    /// True where all objects have been freed, and their frees have been seen.
    [[nodiscard]] bool nothing_lives() noexcept;

    /// Frees all there is. O(blocks).
    void reset() noexcept;

    /// Gives back what holds nothing. O(blocks).
    void trim() noexcept;

    [[nodiscard]] arenite::usage usage() noexcept;
    [[nodiscard]] arenite::usage usage_approximate() const noexcept {
        return classes_.usage_approximate(slabs_.blocks());
    }

    /// Looks at what may go back after 64 frees of a size that it allocates; not closely: after
    /// 4,096, as before, unless half is free.
    void watch_frees(bool closely) noexcept;

    /// For an affinity, whose other threads free into bits apart: frees the slots of a word of a
    /// block of this heap (see slab::first_word), which classes().count_foreign_free() has counted
    /// elsewhere. False where the block may be gone then.
    bool release_word(block& b, std::size_t word, bits::word freed) noexcept;

    [[nodiscard]] const heap_owner& owner() const noexcept { return owner_; }
    [[nodiscard]] slab_classes& classes() noexcept { return classes_; }
    [[nodiscard]] const slab_classes& classes() const noexcept { return classes_; }
    [[nodiscard]] slab_source& slabs() noexcept { return slabs_; }
    [[nodiscard]] const slab_source& slabs() const noexcept { return slabs_; }
    [[nodiscard]] heap_gate& gate() noexcept { return gate_; }

private:
    friend class slab_front; // whose calls go on here

    // ---- allocate: slab_heap.cpp
    [[nodiscard]] ARENITE_NOINLINE void* allocate_rest(std::size_t bytes,
                                                       std::size_t alignment) noexcept;
    [[nodiscard]] ARENITE_INLINE void* take_single(std::size_t bytes,
                                                   std::size_t alignment) noexcept;
    [[nodiscard]] void* allocate_slot(unsigned slot_class, std::size_t bytes,
                                      std::size_t alignment) noexcept;
    [[nodiscard]] void* allocate_single(std::size_t bytes, std::size_t aligned_units = 1) noexcept;
    [[nodiscard]] void* allocate_large(std::size_t bytes, std::size_t alignment) noexcept;
    [[nodiscard]] bool next_slab(unsigned slot_class) noexcept;
    [[nodiscard]] bool new_slab(unsigned slot_class) noexcept;
    [[nodiscard]] void* any_slot(unsigned slot_class) noexcept;
    void enter(slab& s) noexcept;

    // ---- free: slab_heap_free.cpp
    ARENITE_COLD void deallocate_rare(void* p, std::size_t bytes, std::size_t alignment) noexcept;
    void deallocate_slot(slab& s, void* p, std::size_t bytes, std::size_t alignment) noexcept;
    ARENITE_NOINLINE void deallocate_single(slab& s, slab_block& head, void* p, std::size_t bytes,
                                            std::size_t alignment) noexcept;
    ARENITE_NOINLINE void deallocate_beyond_units(void* p, std::size_t bytes,
                                                  std::size_t alignment) noexcept;
    ARENITE_NOINLINE void answer_alarm(slab& s) noexcept;
    void many_frees_in_current(slab_class& its) noexcept;
    void remove(slab& s) noexcept;
    void release(slab& s) noexcept;
    [[nodiscard]] ARENITE_INLINE bool may_have_idle_slabs() noexcept;
    void give_up_idle_slabs() noexcept;
    void leave_empty_slabs() noexcept;

    /// False for what can't lie in a slab: it is not of this heap. One test before anything is read
    /// where p points.
    [[nodiscard]] ARENITE_INLINE bool may_be_slot(const void* p) const noexcept {
        return !slow_only && slabs_.may_hold(p);
    }

    /// Whether it is worth while to look for empty slabs that classes keep.
    enum class idle_slabs : unsigned char {
        none,       ///< little was held since nothing lived in the heap
        looked_for, ///< much was held; no block has come free since the last look
        likely,     ///< much was held, and blocks came free
    };

    slab_source slabs_;
    slot_donors donors_;
    heap_owner owner_;
    heap_gate gate_;
    idle_slabs idle_ = idle_slabs::none;
    return_clock returns_;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
