// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/block/detail/block_source.hpp>
#include <arenite/check/detail/build_mode.hpp>
#include <arenite/check/detail/poison.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/bits.hpp>
#include <arenite/core/detail/extremes.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/ordered/detail/joined_slots.hpp>
#include <arenite/ordered/detail/size_class.hpp>
#include <arenite/ordered/detail/slab_geometry.hpp>
#include <arenite/ordered/detail/slab_page.hpp>
#include <arenite/ordered/detail/slab_source.hpp>
#include <arenite/os/detail/fork_lock.hpp>

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

class region_joiner;

/// What the fast path of a slab_heap knows of a size class.
struct alignas(64) slot_class_state {
    bits::word* free = nullptr; ///< the word of bits that it allocates from
    std::byte* first = nullptr; ///< the slot of the word's lowest bit
    std::int64_t live = 0;      ///< objects of this heap that are handed out
    std::uint32_t slot_bytes = 0;
};

static_assert(sizeof(slot_class_state) == slab::class_state_bytes);

/// Holds the gate of a heap, if it has one, while its slabs and blocks change: at the outermost of
/// calls within calls.
class slow_call_guard {
public:
    slow_call_guard(bool& flag, fork_lock<std::mutex>* gate) noexcept
        : flag_{flag}, gate_{flag ? nullptr : gate}, before_{flag} {
        if (gate_ != nullptr)
            gate_->lock();
        flag_ = true;
    }
    ~slow_call_guard() {
        flag_ = before_;
        if (gate_ != nullptr)
            gate_->unlock();
    }
    slow_call_guard(const slow_call_guard&) = delete;
    slow_call_guard& operator=(const slow_call_guard&) = delete;

private:
    bool& flag_;
    fork_lock<std::mutex>* gate_;
    bool before_;
};

class slab_heap;

/// Who a slab_heap works for.
struct heap_owner {
    void* heap;                     ///< the ordered_heap or affinity_heap; also for messages
    const char* affinity = nullptr; ///< for messages: "affinity nodes", or null
    const char* name = nullptr;     ///< for messages: the name of an ordered_heap, or null

    /// Called with what can't be freed at once; true if it was not of this heap and has been seen
    /// to. null: what is not of this heap is misuse.
    bool (*on_foreign_free)(slab_heap& here, void* p, std::size_t bytes,
                            std::size_t alignment) noexcept = nullptr;

    /// Held while slabs and blocks change, or null: its holder may look at them from another
    /// thread, and at the bits by glances.
    fork_lock<std::mutex>* gate = nullptr;

    void* share = nullptr; ///< the affinity_share whose heap it is, or null
};

/// What an ordered_heap and each thread of an affinity allocate from: slots of 63 sizes in address
/// order, larger requests in units of 1 KiB, large ones from the upstream.
///
///     class 48     free --> | word of bits |     the word that it allocates from, and
///                  first -> the slot of its lowest bit
///     slabs of it  | 1 0 0 ... | 0 0 ... | 1 1 1 ... |      in address order, 1: free
///
/// Allocation, fast to slow; each is tried when the one above has nothing:
///
///     try_take          the lowest free slot of the word                        inline
///     next_word         the next word up of the slab with a free slot
///     enter             the lowest slab of the class of which enough is free
///     join              neighbouring slots of a sparse slab of a smaller class, one object at a
///                       time: only where the heap holds much more than it needs
///     slabs_.make_page  a new slab: a page, where the class has slabs and the heap is not small
///     slabs_.make       else units of the lowest block with room, or of a new block
///     any_slot          where the upstream refuses: any free slot of the class
///
/// Freeing:
///
///     try_give_to_page      page, owner, bit, from the address alone
///     try_give_to_units     block, slab, owner, size, bit
///     deallocate_rare       joined slots, large, another heap's, or misuse
///
/// Books. A bit says whether its slot is free, and nothing else does: it is cleared when the slot
/// is handed out and set when it comes back, so that what is freed twice is always found.
///
///     slab      slots == used + bits set                      (but see slab: the current one)
///     class     live  == objects handed out and not yet freed, or whose free is not yet seen
///     heap      bytes in use == sum of live * slot_bytes + single_bytes + large_bytes
///     joined    an object of n slots counts as n objects of the slab's class, and in `joined_` as
///               n - 1 less
///
/// Threads:   one at a time; what is approximate by any.
class slab_heap {
public:
    slab_heap(const block_options& options, upstream up, const heap_owner& owner) noexcept;
    slab_heap(const slab_heap&) = delete;
    slab_heap& operator=(const slab_heap&) = delete;

    /// What lives ends with it. O(blocks).
    ~slab_heap();

    /// A slot of a class; nullptr where the next one has to be looked for.
    [[nodiscard]] ARENITE_INLINE void* try_take(unsigned slot_class) noexcept;

    /// nullptr where there is no memory, or the alignment is no power of two.
    [[nodiscard]] ARENITE_INLINE void* try_allocate(std::size_t bytes,
                                                    std::size_t alignment) noexcept {
        void* const p = try_take(bytes, alignment);
        return p != nullptr ? p : allocate_slow(bytes, alignment);
    }

    /// A slot, where one lies ready; else nullptr.
    [[nodiscard]] ARENITE_INLINE void* try_take(std::size_t bytes, std::size_t alignment) noexcept;

    /// What was allocated with this size and alignment.
    ARENITE_NOINLINE void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept;
    /// Without its size.
    ARENITE_NOINLINE void deallocate(void* p) noexcept;

    /// Many, without their sizes, in one loop.
    void deallocate_all(void* const* objects, std::size_t count) noexcept;

    /// Frees all there is. O(blocks).
    void reset() noexcept;

    /// deallocate(p) where p lies in memory that this heap's upstream lent it, and in a page: else
    /// false, and nothing is done.
    [[nodiscard]] ARENITE_INLINE bool try_give_in_own(void* p) noexcept;

    /// try_allocate from what is there: the upstream is not asked.
    [[nodiscard]] void* try_allocate_within(std::size_t bytes, std::size_t alignment) noexcept;

    /// The free slot nearest to an object of this heap, in its block; nullptr where there is none.
    [[nodiscard]] void* try_allocate_near(const void* neighbour, std::size_t bytes,
                                          std::size_t alignment) noexcept;

    /// True if the object at p can serve `new_bytes` where it lies; then that is its size.
    [[nodiscard]] bool try_resize(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                  std::size_t alignment) noexcept;

    /// True if an object of this heap, in a slab, can have this size where it lies. Any thread.
    [[nodiscard]] bool fits_in_place(const void* p, std::size_t bytes,
                                     std::size_t alignment) const noexcept;

    [[nodiscard]] ARENITE_NOINLINE void* allocate_slow(std::size_t bytes,
                                                       std::size_t alignment) noexcept;

    /// True for a request with an alignment above size_class::largest_alignment that is served by a
    /// run of units; most: the bytes of a block by large_divisor. A checked build has room for
    /// notes behind a run, so that pages would take one more.
    [[nodiscard]] static constexpr bool fits_aligned_units(std::size_t bytes, std::size_t alignment,
                                                           std::size_t most) noexcept {
        return !slow_only && alignment > size_class::largest_alignment &&
               alignment <= most - unit_bytes && bytes <= most - unit_bytes - alignment;
    }

    /// Bytes that may be used at p, an object of this heap.
    [[nodiscard]] std::size_t size_of(const void* p) const noexcept;
    [[nodiscard]] bool owns(const void* p) const noexcept;

    /// True where all objects have been freed, and their frees have been seen.
    [[nodiscard]] bool nothing_lives() const noexcept;

    void trim() noexcept;

    /// Gives the whole pages of free slots of the lowest block at `from` or above it back. Returns
    /// where to go on, or null where there is no such block.
    [[nodiscard]] const void* return_pages_from(const void* from) noexcept;

    void set_block_bytes(std::size_t bytes) noexcept { slabs_.blocks().set_block_bytes(bytes); }

    /// Gets the first block, which stays if the policy keeps anything; false where there is none.
    bool make_first_slab() noexcept;

    [[nodiscard]] arenite::usage usage() noexcept;
    [[nodiscard]] arenite::usage usage_approximate() const noexcept;
    [[nodiscard]] std::size_t high_water_approximate() const noexcept {
        return glance(high_water_);
    }

    /// All memory, block by block; objects one by one, or joined where they are neighbours.
    void list_regions(region_sink& sink, bool one_by_one) const;

    /// Calls f(const void* p, std::size_t bytes) for each object, block by block.
    template <class F>
    void for_each_object(F f) const;

    // ---- for an affinity, whose other threads free into bits apart

    /// Frees the slots of a word of a block of this heap (see slab::first_word), which
    /// count_foreign_free() has counted elsewhere. False where the block may be gone then.
    bool release_word(block& b, std::size_t word, bits::word freed) noexcept;

    /// In a forked child, of a heap whose thread is not there: it may have been amid
    /// try_allocate_within.
    void recover_after_fork() noexcept;

    /// Counts an object of another heap that was freed here: for usage(), until release_word()
    /// there has taken it off that heap's own books.
    void count_foreign_free(std::size_t bytes) noexcept {
        --settled_;
        settled_bytes_ -= static_cast<std::int64_t>(bytes);
    }

    /// True if the slab is one of this heap. Any thread, while an object of the slab lives.
    [[nodiscard]] bool holds(const slab& s) const noexcept { return s.is_any_of(this); }

    /// The slab of this heap that p lies in, or nullptr; the memory around p must be readable. Any
    /// thread, while an object of the slab lives.
    [[nodiscard]] slab* find_slab(const void* p) const noexcept { return slabs_.find_slab(p); }

    /// True if p is where an object of one of its slabs begins. Any thread: of an object that
    /// another one frees meanwhile as it was a moment ago.
    [[nodiscard]] bool begins_object(const slab& s, const void* p) const noexcept;

    /// Bytes that may be used at p, where an object of one of its slabs begins; any thread. What is
    /// no such place is misuse.
    [[nodiscard]] std::size_t room_of(const slab* s, const void* p) const noexcept;

    /// Slots of an object in one of its slabs. Any thread, while the object lives.
    [[nodiscard]] std::size_t slots_at(const slab& s, std::size_t index) const noexcept {
        return is_joined(s) ? joined_slots{s}.slots_at(index) : 1;
    }

    /// True if an object of so many slots may have been asked for like this, or resized to it.
    [[nodiscard]] static bool may_have(const slab& s, std::size_t slots, std::size_t bytes,
                                       std::size_t alignment) noexcept;

    /// Size of a free that was made without one.
    static constexpr std::size_t unknown_bytes = ~std::size_t{0};
    /// A size that a caller gave: as it is, but never unknown_bytes.
    [[nodiscard]] static constexpr std::size_t given_bytes(std::size_t bytes) noexcept {
        return smaller(bytes, unknown_bytes - 1);
    }

    /// True where no object of a class, a number up to size_class::single, is handed out.
    [[nodiscard]] bool is_empty(unsigned slot_class) const noexcept {
        return classes_[slot_class].live == 0;
    }

    [[nodiscard]] const heap_owner& owner() const noexcept { return owner_; }
    [[nodiscard]] slab_source& slabs() noexcept { return slabs_; }
    [[nodiscard]] bool in_slow_call() const noexcept { return in_slow_call_; }
    [[nodiscard]] slow_call_guard begin_slow_call() noexcept {
        return slow_call_guard{in_slow_call_, owner_.gate};
    }

    /// Ends the call that found misuse, before the handler is called: that may use the heap, fork,
    /// and never come back. A lock that is held for whole calls is a held_lock.
    void give_up_locks() noexcept;

    /// What was asked for an object that has `room` bytes; 0 where that was not noted.
    [[nodiscard]] std::size_t requested_bytes(const void* p, std::size_t room) const noexcept;

    /// Reports a free that is misuse.
    ARENITE_COLD void refuse_free(const void* p, std::size_t bytes, const char* why) const noexcept;

    /// Reports a size_of() of what is no object.
    [[noreturn]] ARENITE_COLD void refuse_question(const void* p) const noexcept;
    /// Reports a free with a wrong size; `asked`: what for, or unknown_bytes.
    ARENITE_COLD void refuse_size(const void* p, std::size_t bytes, std::size_t room,
                                  std::size_t asked) const noexcept;

private:
    struct class_slabs {
        slab_list all;
        slab* current = nullptr; ///< the one that `free` points into
        std::size_t units = 0;   ///< of all of them
        std::size_t pages = 0;   ///< those that are pages

        slab* lender = nullptr; ///< of a smaller class, whose slots it joins
        std::size_t joined = 0; ///< its slots below this one have been looked at
    };

    ARENITE_COLD void refuse_own_free(const void* p, std::size_t bytes, const char* why) noexcept;
    ARENITE_COLD void refuse_own_size(const void* p, std::size_t bytes, std::size_t room,
                                      std::size_t asked) noexcept;
    [[nodiscard]] ARENITE_INLINE bool try_give_to_page(void* p) noexcept;
    template <bool sized>
    [[nodiscard]] ARENITE_INLINE bool try_give_to_units(void* p, std::size_t bytes) noexcept;
    ARENITE_NOINLINE void deallocate_elsewhere(void* p, std::size_t bytes,
                                               std::size_t alignment) noexcept;
    ARENITE_NOINLINE void deallocate_elsewhere(void* p) noexcept;
    ARENITE_COLD void deallocate_rare(void* p, std::size_t bytes, std::size_t alignment) noexcept;
    [[nodiscard]] bool try_resize_large(block& large, void* p, std::size_t new_bytes) noexcept;
    [[nodiscard]] static bool is_of_class(const slab& s, std::size_t bytes,
                                          std::size_t alignment) noexcept;
    void deallocate_slot(slab& s, void* p, std::size_t bytes, std::size_t alignment) noexcept;
    ARENITE_INLINE void count_free(slab& s) noexcept;
    ARENITE_NOINLINE void count_last_free(slab& s) noexcept;
    [[nodiscard]] ARENITE_INLINE slot_class_state& counts_of(const slab& s) noexcept {
        return *reinterpret_cast<slot_class_state*>(reinterpret_cast<std::byte*>(classes_) +
                                                    s.class_offset);
    }
    /// False for what can't lie in a slab: it is not of this heap. One test before anything is read
    /// where p points.
    [[nodiscard]] ARENITE_INLINE bool may_be_slot(const void* p) const noexcept {
        return !slow_only && slabs_.may_hold(p);
    }
    [[nodiscard]] std::int32_t count_used(const slab& s) const noexcept;

    [[nodiscard]] void* allocate_slot(unsigned slot_class, std::size_t bytes,
                                      std::size_t alignment) noexcept;
    [[nodiscard]] bool next_word(unsigned slot_class) noexcept;
    [[nodiscard]] bool next_slab(unsigned slot_class) noexcept;
    [[nodiscard]] bool new_slab(unsigned slot_class) noexcept;
    [[nodiscard]] bool may_have_page(unsigned slot_class) const noexcept;
    void count_page(unsigned slot_class, std::size_t now) noexcept;
    [[nodiscard]] void* any_slot(unsigned slot_class) noexcept;
    [[nodiscard]] void* allocate_single(std::size_t bytes, std::size_t aligned_units = 1) noexcept;
    [[nodiscard]] void* allocate_large(std::size_t bytes, std::size_t alignment) noexcept;

    // Slots that are joined: slab_heap_joined.cpp
    [[nodiscard]] bool is_joined(const slab& s) const noexcept {
        return s.tag_now() == s.tag_of_joined(this);
    }
    [[nodiscard]] void* join(unsigned slot_class, std::size_t bytes,
                             std::size_t alignment) noexcept;
    [[nodiscard]] bool next_lender(unsigned slot_class, std::size_t bytes,
                                   std::size_t alignment) noexcept;
    void mark_joined(slab& s) noexcept;
    void set_free_joined(slab& s, std::size_t first, std::size_t count) noexcept;
    void release_joined_word(slab& s, std::size_t word, bits::word freed) noexcept;
    void stop_lending(slab& s) noexcept;

    void enter(slab& s) noexcept;
    bool enter_word(const slab& s, std::size_t from) noexcept;
    void suspend(unsigned slot_class) noexcept;
    void set_alarm(slab& s) noexcept;
    ARENITE_NOINLINE void alarmed(slab& s) noexcept;
    void give_up_idle_slabs() noexcept;
    void leave_empty_slabs() noexcept;
    void remove(slab& s) noexcept;
    void release(slab& s) noexcept;
    void hand_out(slab& s, void* p, std::size_t bytes) noexcept;
    void note_size(slab& s, const void* p, std::size_t bytes) noexcept;

    template <class F>
    void list_block(block& b, region_joiner& to, F add_object) const;

    [[nodiscard]] std::size_t bytes_in_use() const noexcept;
    void note_high_water() noexcept;

    slot_class_state classes_[size_class::count + 1];
    slab_source slabs_;
    bool in_slow_call_ = false;
    bool blocks_came_free_ = false; ///< since idle slabs were looked for
    class_slabs lists_[size_class::count];
    std::size_t single_bytes_ = 0; ///< in use by slots of their own
    std::size_t most_single_bytes_ = 0;
    std::size_t high_water_ = 0;

    // What release_word() took off these books, less what was freed here of other heaps' objects:
    // over all heaps, minus what is free but still on its own heap's books.
    std::int64_t settled_ = 0;
    std::int64_t settled_bytes_ = 0;
    std::int64_t joined_ = 0; ///< slots that are not the first of their object
    bits::word no_slot_ = 0;  ///< what `free` of a class without a slab points to
    heap_owner owner_;
};

ARENITE_INLINE void* slab_heap::try_take(unsigned slot_class) noexcept {
    slot_class_state& c = classes_[slot_class];
    const bits::word free = *c.free;
    if (free == 0) [[unlikely]]
        return nullptr;
    *c.free = free & (free - 1);
    ++c.live;
    const auto index = static_cast<std::uint32_t>(std::countr_zero(free));
    const auto slot_bytes = ARENITE_IS_CONSTANT(slot_class)
                                ? static_cast<std::uint32_t>(size_class::slot_bytes(slot_class))
                                : c.slot_bytes;
    std::byte* const p = c.first + index * slot_bytes; // of 32 bits: less than a block
    ARENITE_ASSUME(p != nullptr);
    return p;
}

ARENITE_INLINE void* slab_heap::try_take(std::size_t bytes, std::size_t alignment) noexcept {
    if constexpr (slow_only)
        return nullptr;
    if (!size_class::is_listed(bytes, alignment)) [[unlikely]]
        return nullptr;
    return try_take(size_class::of_listed(bytes, alignment));
}

/// Counts a slot whose bit has just been set.
ARENITE_INLINE void slab_heap::count_free(slab& s) noexcept {
    if (--s.frees_left == 0) [[unlikely]] // each test on the flags of its subtraction
        count_last_free(s);
    else if (--counts_of(s).live == 0) [[unlikely]]
        alarmed(s);
}

/// From the address to the page, and to the slot's bit there. False, and nothing is done, for what
/// lies elsewhere, is rare, or misuse.
ARENITE_INLINE bool slab_heap::try_give_in_own(void* p) noexcept {
    if constexpr (slow_only)
        return false;
    slab& s = slab_page::of(p);
    if (!s.is_here<true>(this)) [[unlikely]]
        return false;
    const std::size_t index = s.index_in_page(p);
    auto* const words = reinterpret_cast<bits::word*>(&s + 1);
    if (bits::test_and_set(words[index / bits::word_bits], index)) [[unlikely]]
        return false;
    count_free(s);
    return true;
}

template <class F>
void slab_heap::for_each_object(F f) const {
    const block_list& all = slabs_.blocks().blocks();
    for (block* b = all.first(); b != nullptr; b = all.above(*b)) {
        if ((b->state & block_state::large) != 0) {
            f(block_source::large_object(*b), block_source::large_bytes(*b));
        } else if ((b->state & block_state::empty) == 0) {
            slabs_.for_each_slab(*b, [&](slab& s) {
                const bits::word* const words = s.bitmap();
                for (std::size_t i = 0; (i = bits::next_clear(words, i, s.slots)) != s.slots;) {
                    const std::size_t slots = slots_at(s, i);
                    f(slabs_.begin_of(s) + i * s.slot_bytes, slots * s.slot_bytes);
                    i += slots;
                }
            });
        }
    }
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
