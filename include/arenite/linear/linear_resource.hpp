// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/check/passthrough_chain.hpp>
#include <arenite/check/poison.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/size.hpp>
#include <arenite/core/strategy.hpp>
#include <arenite/core/system_resource.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/linear/marker_order.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace arenite::inline ARENITE_ABI {

/// When a linear_resource gets its memory; without a word at the first request.
struct linear_options {
    bool eager = false;    ///< at construction, which then throws out_of_memory where there is none
    bool prefault = false; ///< at construction, and its pages are touched: no page fault later
};

/// Bump allocator over one region; frees everything at once, or back to a marker.
///
///     begin                          top                           limit
///       | a | pad | b | freed | latest |........... free ............|
///                     ^ hole: comes back together with the latest
///
/// Use when:  all objects die together (a frame, a load), or in the reverse order of their birth.
///            Objects that die in any order want ordered/ordered_heap.hpp.
/// Cost:      allocate O(1), at most 3 ticks; mark, rewind, reset O(1). One upstream call ever.
///            deallocate O(1): gives back the latest allocation and the freed ones directly below
///            it; of all others the memory stays until a rewind or reset.
/// Overhead:  0 bytes an allocation; padding < alignment.
/// Limits:    one region of `capacity` bytes; a request that does not fit fails.
/// Threads:   one at a time; wrap in synchronized_resource.
/// Failure:   out_of_memory / nullptr; nothing changes.
/// Source:    Kaltenbrunn, Modern Memory Management (2018), 6.1.1.
///
/// The region comes from upstream at the first request and goes back at destruction, or by trim()
/// while it is empty. Destructors of objects are the user's affair: rewind and reset run none.
///
/// A growing std::vector allocates the larger block before it frees the smaller one, which leaves a
/// hole under the latest block. That hole is remembered and comes back with the block above it: a
/// vector grown alone here, by doubling, needs at most twice its final capacity while it lives and
/// leaves nothing behind. Who can, calls try_resize and needs no second block at all.
/// Padding comes back with the latest allocation only: where allocations of several alignments die
/// in reverse order, the second of them may leave its padding, and then those below it stay.
class linear_resource final : public strategy<linear_resource> {
public:
    /// A moment of one resource, as mark() took it; a default one belongs to none.
    class marker {
    public:
        marker() = default;

    private:
        friend class linear_resource;
        const linear_resource* owner_ = nullptr;
        std::size_t position_ = 0; // bytes in use; with passthrough the number of the latest block
#if ARENITE_CHECKS
        std::size_t number_ = 0;
#endif
    };

    /// `capacity` bytes of upstream, asked for at the first request.
    explicit linear_resource(std::size_t capacity, upstream source = &system_resource()) noexcept
        : capacity_{capacity}, source_{source} {}

    /// As above, or at once: then it throws out_of_memory where upstream has none.
    linear_resource(std::size_t capacity, linear_options options,
                    upstream source = &system_resource());

    /// Memory of the user's, of any size and alignment; it must outlive the resource.
    explicit linear_resource(std::span<std::byte> buffer) noexcept;

    ~linear_resource() override;

    [[nodiscard]] ARENITE_INLINE void*
    try_allocate(std::size_t bytes, std::size_t alignment = default_alignment) noexcept {
        ARENITE_ASSERT(is_alignment(alignment), "the alignment must be a power of two");
        const std::size_t count = bytes + (bytes == 0 ? 1 : 0);
        if (count <= max_object_bytes && is_alignment(alignment)) [[likely]] {
            // As numbers, since that is the shortest way from one top to the next. The room is
            // negative where alignment passes the limit, and where it wraps past the last address.
            const std::uintptr_t aligned = align_up(address_of(top_), alignment);
            const auto room = static_cast<std::ptrdiff_t>(address_of(limit_) - aligned);
            if (room >= static_cast<std::ptrdiff_t>(count)) [[likely]] {
                // NOLINTNEXTLINE(performance-no-int-to-ptr)
                auto* const p = reinterpret_cast<std::byte*>(aligned);
                before_latest_ = top_;
                top_ = p + count;
                begin_life(p, count);
                return p;
            }
        }
        return try_allocate_slow(count, alignment);
    }

    /// Gives the latest allocation back, and what was freed directly below it; all else stays until
    /// a rewind or reset.
    ARENITE_INLINE void
    deallocate(void* p, std::size_t bytes,
               [[maybe_unused]] std::size_t alignment = default_alignment) noexcept {
        auto* const first = static_cast<std::byte*>(p);
        std::byte* const last = first + (bytes + (bytes == 0 ? 1 : 0));
        if (top_ == nullptr) [[unlikely]] {
            deallocate_single(first);
            return;
        }
        ARENITE_ASSERT(
            owns(p) && last <= top_,
            "this memory is not allocated here, or no longer: it was freed by a rewind or "
            "reset, or has another size");
        if (last == top_) {
            lower_top(before_latest_ != nullptr ? before_latest_ : first);
            if (top_ == hole_end_)
                lower_top(hole_begin_);
        } else {
            end_life(first, last);
            if (first == hole_end_) {
                hole_end_ = last;
            } else {
                if (last != hole_begin_)
                    hole_end_ = last;
                hole_begin_ = first;
            }
        }
    }

    /// Makes the latest allocation larger or smaller where it lies. True: it has new_bytes now and
    /// is given back with that size. False, where it is not the latest or there is no room: nothing
    /// changed.
    [[nodiscard]] ARENITE_INLINE bool try_resize(void* p, std::size_t old_bytes,
                                                 std::size_t new_bytes) noexcept {
        auto* const first = static_cast<std::byte*>(p);
        const std::size_t old_count = old_bytes + (old_bytes == 0 ? 1 : 0);
        const std::size_t count = new_bytes + (new_bytes == 0 ? 1 : 0);
        if (top_ == nullptr || first + old_count != top_ || count > max_object_bytes ||
            count > static_cast<std::size_t>(limit_ - first))
            return false;
        if (count <= old_count) {
            std::byte* const before = before_latest_;
            lower_top(first + count);
            before_latest_ = before;
        } else {
            top_ = first + count;
            begin_life(first + old_count, count - old_count);
        }
        return true;
    }

    /// Remembers this moment, for rewind. May be taken before the first allocation.
    [[nodiscard]] ARENITE_INLINE marker mark() noexcept {
        marker m;
        m.owner_ = this;
        m.position_ = top_ != nullptr ? in_use() : singles_.latest();
#if ARENITE_CHECKS
        m.number_ = order_.take();
#endif
        return m;
    }

    /// Frees all that was allocated since m was taken, and takes the growth of what was resized in
    /// place; m stays good, markers taken after it do not. What was freed in between stays free.
    /// Requires a marker of this resource that no rewind or reset has passed; elsewhere than in
    /// checked builds a wrong one frees at most what is above it.
    ARENITE_INLINE void rewind(const marker& m) {
        ARENITE_ASSERT(m.owner_ != nullptr, "this marker was never taken: it is a default one");
        ARENITE_ASSERT(m.owner_ == this, "this marker was taken of another resource");
#if ARENITE_CHECKS
        // A marker of the empty resource is older than everything in it.
        ARENITE_ASSERT(m.position_ == 0 || order_.is_good(m.number_),
                       "this marker is newer than the state: a rewind or reset has passed it");
        order_.rewound_to(order_.is_good(m.number_) ? m.number_ : 0);
#endif
        if (m.owner_ != this) [[unlikely]]
            return;
        if (top_ == nullptr) [[unlikely]]
            rewind_singles(m.position_);
        else if (m.position_ < in_use())
            lower_top(begin_ + m.position_);
    }

    /// Frees everything; the region stays. Only markers of the empty resource stay good.
    ARENITE_INLINE void reset() noexcept {
#if ARENITE_CHECKS
        order_.rewound_to(0);
#endif
        if (top_ == nullptr) [[unlikely]]
            rewind_singles(0);
        else
            lower_top(begin_);
    }

    /// Gives the region back to upstream if nothing is allocated; the next request gets a new one.
    void trim() noexcept;

    /// True if p lies in what is allocated (or padding or freed between it). O(1).
    [[nodiscard]] bool owns(const void* p) const noexcept {
        if (top_ == nullptr) [[unlikely]]
            return singles_.owns(p);
        return address_of(p) - address_of(begin_) < in_use();
    }

    /// Bytes from the begin to the top: what is allocated, padding, and what was freed between.
    [[nodiscard]] std::size_t in_use() const noexcept {
        return static_cast<std::size_t>(top_ - begin_) + singles_.bytes();
    }

    /// Largest in_use() there ever was. Exact; costs the allocation nothing.
    [[nodiscard]] std::size_t high_water() const noexcept {
        return in_use() > high_water_ ? in_use() : high_water_;
    }

    /// As given at construction.
    [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

    /// What is allocated, as one run but for the hole under the latest allocation; what is free,
    /// and above the high water untouched. O(1).
    void list_regions(region_sink& sink) const;

    /// O(1); live allocations are not counted.
    [[nodiscard]] arenite::usage usage() const noexcept {
        return {.bytes_in_use = in_use(),
                .bytes_reserved = static_cast<std::size_t>(limit_ - begin_) + singles_.bytes(),
                .high_water_bytes = high_water(),
                .largest_hole_bytes = static_cast<std::size_t>(limit_ - top_)};
    }

private:
    // Everything unusual is told by an empty free range, so that the fast path asks one question.
    // Before the first request, and always with ARENITE_PASSTHROUGH=1, begin, top and limit are
    // null. A mode that grows downward (the high end of a double-ended resource) is to be one more
    // case of the slow path: top == limit keeps it off the fast path, and the low end's limit is
    // where the high end begins. Both ends then are objects of this class and the low end costs
    // nothing more.

    ARENITE_COLD void* try_allocate_slow(std::size_t count, std::size_t alignment) noexcept;
    bool get_region(std::size_t count, std::size_t alignment) noexcept;
    void set_region(std::byte* memory) noexcept;
    void give_region_back() noexcept;

    ARENITE_COLD void deallocate_single(void* p) noexcept;
    ARENITE_COLD void rewind_singles(std::size_t number) noexcept;

    static void fill(std::byte* p, std::size_t count, int value) noexcept;

    ARENITE_INLINE void begin_life(std::byte* p, std::size_t count) noexcept {
        poison::undefined(p, count);
        if constexpr (checks_enabled) {
            fill(p, count, 0xCD); // never written by the user
            poison::undefined(p, count);
        }
    }

    ARENITE_INLINE void end_life(std::byte* first, std::byte* last) noexcept {
        const auto count = static_cast<std::size_t>(last - first);
        if constexpr (checks_enabled) {
            poison::undefined(first, count);
            fill(first, count, 0xDD); // no longer the user's
        }
        poison::no_access(first, count);
    }

    ARENITE_INLINE void lower_top(std::byte* top) noexcept {
        high_water_ = high_water();
        end_life(top, top_);
        top_ = top;
        before_latest_ = nullptr;
        if (hole_end_ > top_)
            hole_begin_ = hole_end_ = nullptr;
    }

    std::byte* top_ = nullptr;
    std::byte* limit_ = nullptr;
    std::byte* begin_ = nullptr;
    std::byte* before_latest_ = nullptr; // the top before the latest allocation; null: not known
    std::byte* hole_begin_ = nullptr;    // freed, below the latest allocation
    std::byte* hole_end_ = nullptr;
    std::size_t capacity_;
    std::size_t high_water_ = 0;       // as of the last time that the top went down
    std::size_t region_alignment_ = 0; // 0: there is no region of upstream
    passthrough_chain singles_;        // with ARENITE_PASSTHROUGH=1 all there is
    upstream source_;                  // null over a buffer
#if ARENITE_CHECKS
    marker_order order_;
#endif
};

} // namespace arenite::inline ARENITE_ABI
