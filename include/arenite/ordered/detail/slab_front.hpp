// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/check/detail/poison.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/ordered/detail/size_class.hpp>
#include <arenite/ordered/detail/slab_classes.hpp>

#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {

class upstream;

namespace detail {

struct block_options;
struct heap_owner;
class slab_heap;

/// Size of a free that was made without one.
inline constexpr std::size_t unknown_bytes = ~std::size_t{0};

/// The addresses among which blocks of a heap lie, or lay: from the lowest to the end of the
/// highest that was ever added.
///
/// Cost:      may_hold: one test, before anything is read where an address points.
/// Limits:    foreign memory may lie between two blocks.
/// Threads:   one at a time, as its heap.
class block_range {
public:
    [[nodiscard]] ARENITE_INLINE bool may_hold(const void* p) const noexcept {
        return address_of(p) - lowest_ < extent_;
    }

    /// A block of `bytes` lies here.
    void add(const void* block, std::size_t bytes) noexcept {
        const std::uintptr_t begin = address_of(block);
        const std::uintptr_t end = begin + bytes;
        const std::uintptr_t end_before = lowest_ + extent_;
        if (extent_ == 0 || begin < lowest_)
            lowest_ = begin;
        extent_ = (end_before < end ? end : end_before) - lowest_;
    }

private:
    std::uintptr_t lowest_ = 0;
    std::uintptr_t extent_ = 0; ///< 0: there are none
};

/// The part of a slab_heap that inlined calls know: its classes, and the calls that they go on to
/// when they can't be served there.
///
///     slab_heap   | slab_front: a slab_class for each size | slabs, blocks, donors, owner |
///                   all that headers of users include        known to sources alone
///
/// So a program that includes a heap compiles none of what stands behind it.
///
/// Threads:   one at a time, as slab_heap.
class slab_front {
public:
    slab_front(const slab_front&) = delete;
    slab_front& operator=(const slab_front&) = delete;

#if ARENITE_IS_MALLOC
    /// One of no heap, without slots and pages: where a thread has none, so that no call asks
    /// whether it has one.
    static slab_front nobody;
#endif

    /// A slot of a class; nullptr where the next one has to be looked for.
    [[nodiscard]] ARENITE_INLINE void* try_take(unsigned slot_class) noexcept {
        return classes_[slot_class].try_take(slot_class);
    }

    /// A slot, where one lies ready; else nullptr.
    [[nodiscard]] ARENITE_INLINE void* try_take(std::size_t bytes, std::size_t alignment) noexcept {
        if constexpr (slow_only)
            return nullptr;
        if (!size_class::is_listed(bytes, alignment)) [[unlikely]]
            return nullptr;
        return try_take_at(size_class::offset_of_listed(bytes, alignment));
    }
    /// try_take of a class at an offset, see size_class::offset_of_listed.
    [[nodiscard]] ARENITE_INLINE void* try_take_at(std::size_t offset) noexcept {
        return classes_.try_take_at(offset);
    }

    /// A slot of any size up to 8 KiB, where its word has one; else nullptr. For slow calls, after
    /// try_take has found none: it is too long to be inlined at each place that allocates.
    [[nodiscard]] ARENITE_INLINE void* try_take_any(std::size_t bytes,
                                                    std::size_t alignment) noexcept {
        using namespace size_class;
        if (slow_only || bytes > largest_bytes || alignment > 16 || !is_alignment(alignment))
            return nullptr;
        // All slots above those that are listed are so aligned, and none has been tried yet.
        const bool is_tried = bytes <= largest_listed_bytes;
        const unsigned number = is_tried ? of_listed(bytes, alignment) : computed(bytes);
        void* const p = is_tried ? nullptr : try_take(number);
        return p != nullptr ? p : classes_[number].try_take_lowest(number);
    }

    /// nullptr where there is no memory, or the alignment is no power of two.
    [[nodiscard]] ARENITE_INLINE void* try_allocate(std::size_t bytes,
                                                    std::size_t alignment) noexcept {
        void* const p = try_take(bytes, alignment);
        return p != nullptr ? p : allocate_slow(bytes, alignment);
    }
    [[nodiscard]] ARENITE_NOINLINE void* allocate_slow(std::size_t bytes,
                                                       std::size_t alignment) noexcept;

    /// Frees an object that was allocated with this size and alignment.
    ARENITE_NOINLINE void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept;
    /// Without its size.
    ARENITE_NOINLINE void deallocate(void* p) noexcept;

    /// deallocate(p) where p lies in a page: else false, and nothing is done. Inlined: see
    /// own_frees.hpp.
    [[nodiscard]] ARENITE_INLINE bool try_give(void* p) noexcept;

    /// deallocate(p) where p lies in memory that this heap's upstream lent it, and in a page: else
    /// false, and nothing is done. Inlined: see own_frees.hpp.
    [[nodiscard]] ARENITE_INLINE bool try_give_in_own(void* p) noexcept;

    /// The page of this heap in which p is the begin of a slot in use; nullptr where it is anything
    /// else, has joined slots, or notes of a checked build. The memory around p must be readable.
    /// Any thread, while the object lives. Inlined: see own_frees.hpp.
    [[nodiscard]] ARENITE_INLINE const slab* page_of_slot(const void* p) const noexcept;

    /// A size that a caller gave: as it is, but never unknown_bytes.
    [[nodiscard]] static constexpr std::size_t given_bytes(std::size_t bytes) noexcept {
        return bytes < unknown_bytes ? bytes : unknown_bytes - 1;
    }

protected:
    constexpr slab_front() noexcept = default;
    ~slab_front() = default;

    /// Frees a slot; false, and nothing is done, if it is free.
    [[nodiscard]] ARENITE_INLINE bool set_free(slab& s, std::size_t index) noexcept;
    ARENITE_NOINLINE void count_last_free(slab& s) noexcept;

    /// So much of a slab is free that it is to be allocated from again, or all of it; or no object
    /// of its class lives any more.
    ARENITE_NOINLINE void alarmed(slab& s) noexcept;
    /// Both for the page that p lies in.
    ARENITE_NOINLINE void count_last_free_of_page(void* p) noexcept;
    ARENITE_NOINLINE void alarmed_page(void* p) noexcept;

    slab_classes classes_;
    block_range pages_; ///< of blocks that have pages, see slab_page; read by each free
};

/// Room for a slab_heap, by value, in a class of which users include the header.
class slab_heap_room {
public:
    slab_heap_room(const block_options& options, upstream up, const heap_owner& owner) noexcept;
    ~slab_heap_room();
    slab_heap_room(const slab_heap_room&) = delete;
    slab_heap_room& operator=(const slab_heap_room&) = delete;

    [[nodiscard]] ARENITE_INLINE slab_front& front() const noexcept { return front_; }
    [[nodiscard]] slab_heap& heap() const noexcept { return *reinterpret_cast<slab_heap*>(place_); }

private:
    /// Pointers and sizes behind the front: as many as there are, see slab_heap.cpp.
    static constexpr std::size_t words_behind = sizeof(void*) == 8 ? 264 : 312;

    union {
        mutable slab_front front_; ///< of the heap
        mutable std::byte place_[sizeof(slab_front) + words_behind * sizeof(std::size_t)];
    };
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
