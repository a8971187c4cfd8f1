// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/check/detail/one_thread.hpp>
#include <arenite/check/detail/passthrough_chain.hpp>
#include <arenite/check/detail/poison.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/resource_base.hpp>
#include <arenite/core/system_resource.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/linear/detail/allocation_log.hpp>
#include <arenite/linear/detail/marker_order.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace arenite {
inline namespace ARENITE_ABI {

class double_ended_resource;
class growing_linear_resource;
template <Markable R>
class scope;

namespace detail {

class linear_part;
class thread_scratches;

inline constexpr const char* scratch_changed =
    "memory of a scratch from before its innermost scope is given back or changes its size inside "
    "it: a container of the caller's grows here, and what it gets ends with the scope. Take "
    "scratch(conflict), with the resource that the caller's memory comes from";
inline constexpr const char* scratch_rewound =
    "a scratch was rewound past an open scope: memory that a caller still holds would be gone. "
    "Rewind only what this function allocated: open a scope of its own";

} // namespace detail

/// When a linear_resource gets its memory; by default at the first request.
struct linear_options {
    bool eager = false;    ///< at construction, which throws out_of_memory on failure
    bool prefault = false; ///< at construction, touching all pages: no page faults later

    /// Name in messages: of out_of_memory, and of misuse; the text must outlive the resource.
    const char* name = nullptr;
};

/// Bump allocator over one region; frees everything at once, or back to a marker.
///
///     begin                          top                           limit
///       | a | pad | b | freed | latest |........... free ............|
///                     ^ hole: recovered together with the latest
///
/// Use when:  all objects die together (a frame, a load), or in reverse order of allocation. For
///            objects that die in any order: ordered/ordered_heap.hpp.
/// Cost:      allocate O(1), at most 3 cycles; mark, rewind, reset O(1). A single upstream call.
///            deallocate O(1): recovers the latest allocation and freed ones directly below it;
///            the memory of all others stays taken until a rewind or reset.
/// Overhead:  0 bytes an allocation; padding < alignment.
/// Limits:    one region of `capacity` bytes; a request that does not fit fails.
/// Misuse:    checked builds find at the call what is freed twice, with a wrong size, not at the
///            start of an allocation, or after a rewind; other builds a free where nothing is
///            allocated yet.
/// Threads:   one at a time; wrap in synchronized_resource.
/// Failure:   out_of_memory / nullptr; nothing changes.
/// Source:    Kaltenbrunn, Modern Memory Management (2018), 6.1.1.
///
/// The region comes from upstream at the first request and is returned at destruction, or by trim()
/// while it is empty. Running destructors is up to the user: rewind and reset run none. The ends,
/// buffers, frames and scratches in the rest of this folder are objects of this class.
///
/// A growing std::vector allocates the larger block before it frees the smaller one, which leaves a
/// hole under the latest block. That hole is remembered and recovered with the block above it: a
/// vector that grows alone here, by doubling, needs at most twice its final capacity while it lives
/// and leaves nothing behind. Code that can call try_resize needs no second block at all.
/// Padding is recovered with the latest allocation only: if allocations of several alignments are
/// freed in reverse order, the second may leave its padding behind, and then those below it stay.
class linear_resource final : public resource_base<linear_resource> {
public:
    /// A position in one resource, as mark() returns it; a default one belongs to none.
    class marker {
    public:
        marker() = default;

    private:
        friend class linear_resource;
        const linear_resource* owner_ = nullptr;
        std::size_t position_ = 0; // bytes in use; with passthrough the number of the latest block
#if ARENITE_CHECKS
        std::size_t number_ = 0;
        std::size_t era_ = 0;
#endif
    };

    /// `capacity` bytes of upstream, asked for at the first request.
    explicit linear_resource(std::size_t capacity, upstream source = &system_resource()) noexcept
        : capacity_{capacity}, source_{source} {}

    /// With options: `eager` and `prefault` request the region here; throws out_of_memory then.
    linear_resource(std::size_t capacity, linear_options options,
                    upstream source = &system_resource());

    /// On the user's buffer, of any size and alignment, which must outlive the resource.
    explicit linear_resource(std::span<std::byte> buffer) noexcept;

    ~linear_resource() override;

    [[nodiscard]] ARENITE_INLINE void*
    try_allocate(std::size_t bytes, std::size_t alignment = default_alignment) noexcept {
        [[maybe_unused]] const auto inside = enter();
        ARENITE_ASSERT(is_alignment(alignment), "the alignment must be a power of two");
        ARENITE_ASSERT(!is_closed(), "memory of a frame in flight was to be allocated: only the "
                                     "current frame hands memory out");
        const std::size_t count = bytes + (bytes == 0 ? 1 : 0);
        if (count <= largest_request && is_alignment(alignment)) [[likely]] {
            // By numbers: the shortest way from one top to the next. The room is negative where
            // alignment passes the limit, and where it wraps past the last address.
            const std::uintptr_t aligned = align_up(address_of(top_), alignment);
            const auto room = static_cast<std::ptrdiff_t>(address_of(limit_) - aligned);
            if (room >= static_cast<std::ptrdiff_t>(count)) [[likely]] {
                // NOLINTNEXTLINE(performance-no-int-to-ptr)
                auto* const p = reinterpret_cast<std::byte*>(aligned);
                before_latest_ = top_;
                top_ = p + count;
                begin_life(p, count);
                log_allocation(p, count);
                return p;
            }
            // Downward, for the high end of a region; for others floor_ is begin_ and
            // nothing fits. The difference does not wrap, as size and alignment are not the
            // largest.
            const std::uintptr_t lower = align_down(address_of(begin_) - count, alignment);
            if (static_cast<std::ptrdiff_t>(lower - address_of(floor_)) >= 0 &&
                alignment <= largest_alignment)
                return take_down(lower, count);
        }
        return try_allocate_slow(count, alignment);
    }

    /// Recovers the latest allocation, and what was freed directly below it; all else stays taken
    /// until a rewind or reset.
    ARENITE_INLINE void
    deallocate(void* p, std::size_t bytes,
               [[maybe_unused]] std::size_t alignment = default_alignment) noexcept {
        [[maybe_unused]] const auto inside = enter();
        auto* const first = static_cast<std::byte*>(p);
        std::byte* const last = first + (bytes + (bytes == 0 ? 1 : 0));
        if (top_ == limit_) [[unlikely]]
            deallocate_slow(first, last);
        else
            deallocate_up(first, last);
    }

    /// Resizes the latest allocation in place and returns true: it has new_bytes now and is freed
    /// with that size. Returns false and changes nothing if it is not the latest, there is no room,
    /// or the resource grows downward.
    [[nodiscard]] ARENITE_INLINE bool try_resize(void* p, std::size_t old_bytes,
                                                 std::size_t new_bytes,
                                                 std::size_t = default_alignment) noexcept {
        [[maybe_unused]] const auto inside = enter();
        auto* const first = static_cast<std::byte*>(p);
        const std::size_t old_count = old_bytes + (old_bytes == 0 ? 1 : 0);
        const std::size_t count = new_bytes + (new_bytes == 0 ? 1 : 0);
        if (top_ == nullptr || old_count > in_use() || first + old_count != top_ ||
            low_ != nullptr || count > detail::max_object_bytes ||
            (count > static_cast<std::size_t>(limit_ - first) && !extend(count - old_count)))
            return false;
        ARENITE_ASSERT(!is_closed(), "memory of a frame in flight was to change its size");
        ARENITE_ASSERT(!is_older_than_scope(first), detail::scratch_changed);
        if (count <= old_count) {
            std::byte* const before = before_latest_;
            lower_top(first + count);
            before_latest_ = before;
        } else {
            top_ = first + count;
            begin_life(first + old_count, count - old_count);
        }
#if ARENITE_CHECKS
        log_.resize_latest(first, count);
#endif
        return true;
    }

    /// The current position, for rewind. May be taken before the first allocation.
    [[nodiscard]] ARENITE_INLINE marker mark() noexcept {
        [[maybe_unused]] const auto inside = enter();
        marker m;
        m.owner_ = this;
        m.position_ = top_ != nullptr ? in_use() : singles_.latest();
#if ARENITE_CHECKS
        m.number_ = order_.take();
        m.era_ = era_;
#endif
        return m;
    }

    /// Frees all that was allocated since m was taken, including the growth of what was resized in
    /// place; m stays valid, markers taken after it do not. What was freed in between stays free;
    /// if that was older than m, its place may hold something newer, which stays.
    /// Requires a marker of this resource that no rewind or reset has passed; in unchecked builds a
    /// wrong one frees at most what lies above it.
    ARENITE_INLINE void rewind(const marker& m) {
        [[maybe_unused]] const auto inside = enter();
        ARENITE_ASSERT(m.owner_ != nullptr, "this marker was never taken: it is a default one");
        ARENITE_ASSERT(m.owner_ == this, "this marker was taken of another resource");
        ARENITE_ASSERT(!is_closed(), "memory of a frame in flight was to be rewound");
#if ARENITE_CHECKS
        ARENITE_ASSERT(m.era_ == era_, "this marker is of an older frame or buffer: the resource "
                                       "was reset for another one since it was taken");
        ARENITE_ASSERT(!passes_scope(m.position_), detail::scratch_rewound);
        // A marker of the empty resource is older than everything in it.
        ARENITE_ASSERT(m.position_ == 0 || order_.is_good(m.number_),
                       "this marker is newer than the state: a rewind or reset has passed it");
        order_.rewound_to(order_.is_good(m.number_) ? m.number_ : 0);
#endif
        if (m.owner_ != this) [[unlikely]]
            return;
        if (top_ == limit_) [[unlikely]]
            rewind_slow(m.position_);
        else if (m.position_ < in_use())
            lower_top(begin_ + m.position_);
        if (grower_ != nullptr && m.position_ == 0) [[unlikely]]
            emptied();
    }

    /// Frees everything; the region stays. Only markers of the empty resource stay valid.
    ARENITE_INLINE void reset() noexcept {
        [[maybe_unused]] const auto inside = enter();
        ARENITE_ASSERT(!is_closed(), "a frame in flight was to be reset");
        ARENITE_ASSERT(!passes_scope(0), detail::scratch_rewound);
#if ARENITE_CHECKS
        order_.rewound_to(0);
#endif
        if (top_ == limit_) [[unlikely]]
            rewind_slow(0);
        else
            lower_top(begin_);
        if (grower_ != nullptr) [[unlikely]]
            emptied();
    }

    /// Returns the region to upstream if nothing is allocated; the next request gets a new one. The
    /// ends of a double-ended resource return theirs when both are empty.
    void trim() noexcept;

    /// True if p lies below the top: in an allocation, padding, or freed memory. O(1).
    [[nodiscard]] bool owns(const void* p) const noexcept {
        if (top_ == nullptr) [[unlikely]]
            return singles_.owns(p);
        return address_of(p) - address_of(begin_) < in_use();
    }

    /// Bytes below the top: allocations, padding, and what was freed between them.
    [[nodiscard]] std::size_t in_use() const noexcept {
        return static_cast<std::size_t>(top_ - begin_) + singles_.bytes();
    }

    /// Largest in_use() so far. Exact; costs allocations nothing.
    [[nodiscard]] std::size_t high_water() const noexcept {
        const std::size_t recent = recent_high_water();
        return recent > earlier_high_water_ ? recent : earlier_high_water_;
    }

    /// The name given at construction, or none; bytes in all; and those left for requests. O(1).
    [[nodiscard]] std::string_view name() const noexcept { return region_.name; }
    [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
    [[nodiscard]] std::size_t remaining() const noexcept;

    /// Lists allocated memory as one run, apart from the hole under the latest allocation, then
    /// what is free, above the high-water mark as untouched. O(1).
    void list_regions(region_sink& sink) const;

    /// O(1); live allocations are not counted.
    [[nodiscard]] arenite::usage usage() const noexcept {
        return {.bytes_in_use = in_use(),
                .bytes_reserved = static_cast<std::size_t>(end() - begin_) + singles_.bytes(),
                .high_water_bytes = high_water(),
                .largest_hole_bytes =
                    static_cast<std::size_t>(low_ != nullptr ? begin_ - low_->top_ : end() - top_)};
    }

private:
    friend class double_ended_resource;
    friend class growing_linear_resource;
    friend class detail::linear_part;
    template <Markable R>
    friend class scope;

    // Every unusual state shows as an empty free range, so that the fast path makes one comparison.
    // Behind it, in this order:
    //
    //   the high end      top = limit = end of the region, begin is the lowest byte allocated; so
    //                     in_use() and owns() are the same code. It goes down to its floor.
    //   not yet begun     begin, top, limit and floor are null; always with ARENITE_PASSTHROUGH=1.
    //   full              a grower moves the limit. Of two ends one has room left, perhaps:
    //
    //       begin       top      limit = floor        begin         top = limit
    //         |  low     |..........|....................|    high     |
    //
    //                     The one that is full takes half of what is over into its part. So
    //                     neither looks at the other while it has room.

    // The largest that the fast path takes; a region in which more would fit does not exist.
    static constexpr std::size_t largest_alignment = 4096;
    static constexpr std::size_t largest_request = detail::max_object_bytes - largest_alignment;

    /// The high end of the region of `low`.
    struct high_end_of {
        linear_resource& low;
    };
    explicit linear_resource(high_end_of other) noexcept;

    /// On what the grower reserves and commits.
    struct grown_by {
        growing_linear_resource& grower;
    };
    linear_resource(std::size_t capacity, grown_by by) noexcept
        : capacity_{capacity}, source_{static_cast<resource*>(nullptr)}, grower_{&by.grower} {}

    ARENITE_INLINE void* take_down(std::uintptr_t lower, std::size_t count) noexcept {
        // NOLINTNEXTLINE(performance-no-int-to-ptr)
        auto* const p = reinterpret_cast<std::byte*>(lower);
        ARENITE_ASSUME(p != nullptr);
        before_latest_ = begin_;
        begin_ = p;
        begin_life(p, count);
        log_allocation(p, count);
        return p;
    }

    ARENITE_COLD void* try_allocate_slow(std::size_t count, std::size_t alignment) noexcept;
    ARENITE_NOINLINE bool extend(std::size_t needed) noexcept;
    void* try_allocate_down(std::size_t count, std::size_t alignment) noexcept;
    bool get_region(std::size_t count, std::size_t alignment) noexcept;
    void set_region(std::byte* memory) noexcept;
    void give_region_back() noexcept;

    /// Where the region ends, or the other end of it begins.
    [[nodiscard]] const std::byte* end() const noexcept {
        return high_ != nullptr ? high_->begin_ : limit_;
    }

    [[nodiscard]] ARENITE_INLINE std::size_t recent_high_water() const noexcept {
        return in_use() > high_water_ ? in_use() : high_water_;
    }

    ARENITE_INLINE void deallocate_up(std::byte* first, std::byte* last) noexcept {
        if constexpr (checks_enabled)
            check_free(first, last);
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

    ARENITE_NOINLINE void deallocate_slow(std::byte* first, std::byte* last) noexcept;
    void deallocate_down(std::byte* first, std::byte* last) noexcept;
    ARENITE_NOINLINE void rewind_slow(std::size_t position) noexcept;
    ARENITE_NOINLINE void emptied() noexcept;

    ARENITE_INLINE void begin_life(std::byte* p, std::size_t count) noexcept {
        detail::poison::undefined(p, count);
        if constexpr (checks_enabled) {
            detail::fill_lent(p, count, 0xCD); // never written by the user
            detail::poison::undefined(p, count);
        }
    }

    ARENITE_INLINE void end_life(std::byte* first, std::byte* last) noexcept {
        const auto count = static_cast<std::size_t>(last - first);
        if (is_closed())
            return; // somebody may still read it
        if constexpr (checks_enabled) {
            detail::poison::undefined(first, count);
            detail::fill_lent(first, count, 0xDD); // no longer the user's
        }
        detail::poison::no_access(first, count);
    }

    ARENITE_INLINE void lower_top(std::byte* top) noexcept {
        high_water_ = recent_high_water();
        end_life(top, top_);
        top_ = top;
        before_latest_ = nullptr;
        if (hole_end_ > top_)
            hole_begin_ = hole_end_ = nullptr;
    }

    void raise_begin(std::byte* begin) noexcept;

    // Data that only checked builds have.

    ARENITE_INLINE void log_allocation([[maybe_unused]] const std::byte* p,
                                       [[maybe_unused]] std::size_t bytes) noexcept {
#if ARENITE_CHECKS
        if (low_ != nullptr)
            log_.add_below(before_latest_, p, bytes);
        else
            log_.add_above(before_latest_, p, bytes);
#endif
    }

    void check_free(const std::byte* first, const std::byte* last) noexcept;
    [[noreturn]] ARENITE_COLD void refuse_free(const std::byte* p, std::size_t bytes,
                                               const char* why) const noexcept;

    /// True for a frame in flight: nothing is handed out, and what comes back is left as it is.
    [[nodiscard]] ARENITE_INLINE bool is_closed() const noexcept {
#if ARENITE_CHECKS
        return closed_;
#else
        return false;
#endif
    }

    /// True for memory of a scratch from before its innermost scope.
    [[nodiscard]] bool is_older_than_scope(const std::byte* p) const noexcept;
    /// True where a rewind of a scratch to this position frees what is older than an open scope.
    [[nodiscard]] bool passes_scope(std::size_t position) const noexcept;

    /// Begins each call that changes something; the two ends of a region are one resource.
    [[nodiscard]] ARENITE_INLINE detail::one_thread::call enter() noexcept {
        return (checks_enabled && low_ != nullptr ? low_ : this)
            ->threads_.enter("linear_resource", this);
    }

#if ARENITE_CHECKS
    /// A scope begins at this marker; returns where the one around it began.
    std::size_t open_scope(const marker& m) noexcept {
        ++scopes_.open;
        const std::size_t outer = scopes_.innermost;
        scopes_.innermost = m.position_;
        return outer;
    }
    void close_scope(std::size_t outer) noexcept {
        --scopes_.open;
        scopes_.innermost = outer;
    }
#endif

    std::byte* top_ = nullptr;
    std::byte* limit_ = nullptr;
    std::byte* begin_ = nullptr;
    std::byte* floor_ = nullptr;      // begin_, but in a high end
    std::byte* hole_begin_ = nullptr; // freed, next to the latest allocation
    std::byte* hole_end_ = nullptr;
    // The top (or begin) before the latest allocation; null: not known. Not beside begin_, or a
    // compiler writes the two as one vector, and the next allocation waits for it.
    std::byte* before_latest_ = nullptr;
    std::size_t capacity_;
    std::size_t high_water_ = 0;         // as of the last time that the top went down
    std::size_t earlier_high_water_ = 0; // that of earlier rounds, where a grower looks at each
    struct lent_region {
        std::size_t alignment = 0; // 0: there is none of upstream
        const char* name = "";
    } region_;
    detail::passthrough_chain singles_; // with ARENITE_PASSTHROUGH=1 all there is
    upstream source_;                   // null over a buffer
    linear_resource* low_ = nullptr;    // of a high end: the other one
    linear_resource* high_ = nullptr;   // of a low end: the other one
    growing_linear_resource* grower_ = nullptr;
    ARENITE_NO_UNIQUE_ADDRESS detail::one_thread threads_;
#if ARENITE_CHECKS
    detail::allocation_log log_;
    detail::marker_order order_;
    std::size_t era_ = 0; // no marker of an older one is good, not even of the empty resource
    struct scope_books {
        std::size_t open = 0;
        std::size_t innermost = 0; // bytes in use when it began
    } scopes_;
    bool closed_ = false;
    bool is_scratch_ = false;
#endif
};

} // namespace ARENITE_ABI
} // namespace arenite
