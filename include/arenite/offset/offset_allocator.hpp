// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/system_resource.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/offset/offset_allocation.hpp>
#include <arenite/offset/offset_space.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace arenite {
inline namespace ARENITE_ABI {

/// What an offset_allocator or offset_heap must know of the memory that others hold.
struct offset_options {
    /// Every offset and every size is a multiple of it: a power of two, 1 to 64 KiB. Take the
    /// device's minUniformBufferOffsetAlignment, or nonCoherentAtomSize, so that ranges that are
    /// flushed never meet.
    std::uint64_t granularity = 1;

    /// Two allocations of different kinds never touch one page of this size, a power of two:
    /// bufferImageGranularity. 0: all may lie side by side.
    std::uint64_t conflict_page = 0;

    bool user_data = false; ///< keep 64 bits of the user's with each allocation
};

/// Parts of one range of offsets: of a GPU buffer, device memory, a file. Never touches it.
///
///     offsets   0 | mesh | mesh |..hole..| index buffer |......... hole .........| capacity
///     outside   nodes of 32 bytes, one a stretch, and the holes in 64 x 64 bins by size
///
///     offset_allocator gpu{256_MiB};
///     if (const auto a = gpu.try_allocate(bytes, 36)) // an alignment of any kind: a vertex's
///         gpu.deallocate(*a);
///
/// A request looks at up to four holes of its size, or of the next size of which there are any,
/// and takes the lowest place that its alignment allows; after four such sizes it goes where
/// anything fits.
///
/// Use when:  the processor does not write there, or nothing may be written between what lies
///            there. For memory of one's own: freelist/tlsf_resource.hpp, ordered/ordered_heap.hpp.
///            For many blocks: offset/offset_heap.hpp.
/// Cost:      allocate, deallocate and try_resize O(1); some 150 to 400 instructions. Two things
///            are not bounded: a request for which only a hole of nearly its own size can do, while
///            its alignment rules most of these out, and one that fails, look through the holes of
///            up to its size with alignment; and the array of nodes is copied when it grows, by an
///            eighth: see reserve(). usage(), largest_free() and fragmentation() O(1).
/// Overhead:  32 bytes an allocation and 32 a hole, 16.5 KiB, all from the upstream; 8 more with
///            user data.
/// Limits:    2^47 granules; about 2^32 allocations and holes together. What fits is found: nothing
///            fails while a hole has room for it, with its alignment and away from other kinds. Of
///            a capacity that does not divide by the granularity the rest is unused.
/// Misuse:    in every build, in O(1), and nothing changes: an allocation that is freed already or
///            of another allocator, but for one chance in 65,536 that a later one has its
///            generation, offset and size; a granularity or page that is none, a capacity above
///            the limit.
/// Threads:   one at a time.
/// Failure:   nullopt / false; nothing changes: no hole has room, the alignment is 0, or the
///            upstream has no memory for the nodes.
/// Source:    Osfield, VSG (2024), on MemorySlots; Aaltonen, OffsetAllocator (2023).
///            (doc/sources.md)
class offset_allocator final {
public:
    /// Offsets 0 to `capacity`. Nodes come from `memory`, at the first request.
    explicit offset_allocator(std::uint64_t capacity, upstream memory = &system_resource())
        : offset_allocator{capacity, offset_options{}, memory} {}
    offset_allocator(std::uint64_t capacity, const offset_options& options,
                     upstream memory = &system_resource());

    offset_allocator(const offset_allocator&) = delete;
    offset_allocator& operator=(const offset_allocator&) = delete;
    ~offset_allocator() = default;

    /// A part of `bytes` (0 counts as 1), rounded up to the granularity, at a multiple of
    /// `alignment` and of the granularity.
    [[nodiscard]] std::optional<offset_allocation>
    try_allocate(std::uint64_t bytes, std::uint64_t alignment = 1,
                 const request_options& options = {}) noexcept;

    /// Takes it back. It, and every copy of it, is stale from now on.
    void deallocate(const offset_allocation& a);

    /// True if `a` has `bytes` (0 counts as 1) from now on, at its offset; other copies of it are
    /// stale then. False, and nothing has changed: there is no room behind it, no memory for a
    /// node, or a move of it is under way.
    [[nodiscard]] bool try_resize(offset_allocation& a, std::uint64_t bytes);

    /// True if deallocate() takes it: it was handed out and not taken back. See Misuse for how sure
    /// that is.
    [[nodiscard]] bool is_live(const offset_allocation& a) const noexcept {
        return space_.is_users(a);
    }

    /// No step moves it from now on; until unpin(). A move of it that is under way is not stopped.
    void pin(const offset_allocation& a) {
        space_.at(a, "pin").note |= detail::offset_node::pinned;
    }
    void unpin(const offset_allocation& a) {
        space_.at(a, "unpin").note &= ~detail::offset_node::pinned;
    }

    /// What the user keeps with it; 0 without offset_options::user_data.
    [[nodiscard]] std::uint64_t user_data(const offset_allocation& a) const {
        return space_.is_users(a) ? space_.nodes().data(a.node) : 0;
    }
    void set_user_data(const offset_allocation& a, std::uint64_t value) {
        static_cast<void>(space_.at(a, "set_user_data"));
        space_.nodes().set_data(a.node, value);
    }

    /// The range is longer by so many bytes; nothing moves. False, and nothing has changed: there
    /// would be more than the limit, or there is no memory for a node.
    [[nodiscard]] bool grow(std::uint64_t bytes) noexcept;

    /// Cuts off the hole at the end of the range, and returns the bytes that it had.
    std::uint64_t shrink() noexcept;

    /// All that was handed out is taken back. O(nodes).
    void clear() noexcept;

    /// Memory for so many allocations and holes: as long as there are no more, nothing is asked of
    /// the upstream. False, and nothing has changed: it has none.
    [[nodiscard]] bool reserve(std::size_t allocations_and_holes) noexcept;

    [[nodiscard]] std::uint64_t capacity() const noexcept { return capacity_; }
    [[nodiscard]] std::uint64_t free_bytes() const noexcept;

    /// The largest hole; where there are more than four within 1.6 % of it, one of these. At an
    /// alignment of 1 so much is sure to be had.
    [[nodiscard]] std::uint64_t largest_free() const noexcept;

    /// 1 - largest_free() / free_bytes(): 0 where all that is free lies in one piece.
    [[nodiscard]] double fragmentation() const noexcept;

    /// bytes_reserved is the capacity; the bookkeeping is in bookkeeping_bytes() alone.
    [[nodiscard]] arenite::usage usage() const noexcept;
    [[nodiscard]] std::size_t bookkeeping_bytes() const noexcept {
        return space_.bookkeeping_bytes();
    }

    /// Calls f(const offset_allocation&, std::uint64_t user_data) for all that is handed out, by
    /// offset; not for what a move has taken for itself. f may change nothing.
    template <class F>
    void for_each(F f) const {
        for_each_stretch([&](const detail::offset_node& n, detail::offset_node::index i) {
            if (n.in_use() && !n.has(detail::offset_node::destination))
                f(space_.allocation(i), space_.nodes().data(i));
        });
    }

    /// The range as memory at the addresses 0 to capacity.
    void list_regions(region_sink& sink) const;

private:
    template <class F>
    void for_each_stretch(F f) const {
        using detail::offset_node;
        for (auto i = space_.blocks()[0].first; i != offset_node::none;) {
            const offset_node& n = space_.nodes()[i];
            f(n, i);
            i = n.behind;
        }
    }

    /// True if there is memory for so many more nodes, and the first hole.
    [[nodiscard]] bool prepare(std::size_t nodes) noexcept;
    [[nodiscard]] std::uint64_t granules() const noexcept {
        return capacity_ >> space_.granule_shift();
    }

    detail::offset_space space_;
    std::uint64_t capacity_;
};

} // namespace ARENITE_ABI
} // namespace arenite
