// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/system_resource.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/offset/offset_allocation.hpp>
#include <arenite/offset/offset_parts.hpp>

#include <cstdint>
#include <optional>

namespace arenite {
inline namespace ARENITE_ABI {

/// Parts of one range of offsets: of a GPU buffer, device memory, a file. Never touches it.
///
///     offsets   0 | mesh | mesh |..hole..| index buffer |......... hole .........| capacity
///     outside   nodes of 32 bytes, one per part or hole, and the holes in 64 x 64 bins by size
///
///     offset_allocator gpu{256_MiB};
///     if (const auto a = gpu.try_allocate(bytes, 36)) // any alignment: a vertex's size
///         gpu.deallocate(*a);
///
/// A request examines up to three holes of its size, or of the next size that has any, and takes
/// the lowest place that its alignment allows; after four such sizes it goes to a size where every
/// hole fits.
///
/// Use when:  the CPU does not write there, or nothing may be written between the parts. For the
///            program's own memory: freelist/tlsf_resource.hpp, ordered/ordered_heap.hpp. For many
///            blocks: offset/offset_heap.hpp.
/// Cost:      allocate, deallocate and try_resize O(1): of 3,000 requests after churn the middle
///            one takes 340 instructions and the worst 520, with mixed alignments 500 and 950;
///            a free 140 to 270. Unbounded: (1) a request that only holes of nearly its size could
///            serve, most of which fail on alignment; (2) a request that fails: both search the
///            holes from its size up to that with alignment; (3) growth of the array of nodes, by
///            an eighth, which copies it: reserve() avoids that. usage(), largest_free() and
///            fragmentation() O(1).
/// Overhead:  32 bytes per allocation, 32 per hole, 32 per 65,535 frees, which are kept until
///            destruction, and 16.5 KiB, all from the upstream; 8 more with user data.
/// Limits:    2^47 granules; about 2^32 allocations and holes together. A request never fails while
///            a hole has room for it, with its alignment and away from other kinds. If the capacity
///            is not a multiple of the granularity, the remainder is unused.
/// Misuse:    found in every build, in O(1), and nothing changes: an allocation that was already
///            freed, or is from another allocator; an invalid granularity or page, a capacity above
///            the limit. A stale allocation is never mistaken for a live one: a node whose
///            generations are used up is retired. Of another allocator's, one in 65,536 is mistaken
///            for a live one, if node, offset and size are the same.
/// Threads:   one at a time.
/// Failure:   nullopt / false; nothing changes: no hole has room, the alignment is 0, or the
///            upstream has no memory for the nodes.
/// Source:    Osfield, VSG (2024), on MemorySlots; Aaltonen, OffsetAllocator (2023).
///            (doc/sources.md)
class offset_allocator final : public offset_parts {
public:
    /// Offsets 0 to `capacity`. Nodes come from `memory`, at the first request.
    explicit offset_allocator(std::uint64_t capacity, upstream memory = &system_resource())
        : offset_allocator{capacity, offset_options{}, memory} {}
    offset_allocator(std::uint64_t capacity, const offset_options& options,
                     upstream memory = &system_resource());

    /// A part of `bytes` (0 counts as 1), rounded up to the granularity, at a multiple of
    /// `alignment` and of the granularity.
    [[nodiscard]] std::optional<offset_allocation>
    try_allocate(std::uint64_t bytes, std::uint64_t alignment = 1,
                 const request_options& options = {}) noexcept;

    /// Lengthens the range by `by` bytes; nothing moves. Returns false, and changes nothing, if it
    /// would exceed the limit, or there is no memory for a node.
    [[nodiscard]] bool grow(std::uint64_t by) noexcept;

    /// The least growth of the range for a request to fit at its end: 0 if it fits there. nullopt
    /// if no growth helps: the alignment is 0, or the limit would be exceeded.
    [[nodiscard]] std::optional<std::uint64_t>
    growth_for(std::uint64_t bytes, std::uint64_t alignment = 1,
               const request_options& options = {}) const noexcept;

    /// Cuts off the hole at the end of the range, and returns its bytes.
    std::uint64_t shrink() noexcept;

    /// Frees everything and drops all moves. O(nodes).
    void clear() noexcept;

    [[nodiscard]] std::uint64_t capacity() const noexcept { return capacity_; }

private:
    friend class memory_slots; // whose calls are told apart by its own name

    std::uint64_t capacity_;
};

} // namespace ARENITE_ABI
} // namespace arenite
