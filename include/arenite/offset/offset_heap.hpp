// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/system_resource.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/offset/offset_allocation.hpp>
#include <arenite/offset/offset_parts.hpp>
#include <arenite/offset/offset_requirement.hpp>
#include <arenite/offset/offset_source.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

namespace arenite {
inline namespace ARENITE_ABI {

/// How an offset_heap behaves.
struct offset_heap_options {
    offset_options parts = {};

    /// The first block; each further one is twice as large, up to the largest.
    std::uint64_t first_block_bytes = std::uint64_t{1} << 20;
    std::uint64_t largest_block_bytes = std::uint64_t{64} << 20;

    /// Empty blocks that are kept for the next request; more are returned at once. A block made for
    /// one large request is never kept.
    std::uint32_t keep_empty_blocks = 1;

    /// Bytes of all blocks together: a request that would need more fails.
    std::uint64_t budget_bytes = std::numeric_limits<std::uint64_t>::max();

    /// From this share of the budget on, on_budget is called with each new block, when the request
    /// that it was made for has been served. It may use the heap, but not commit moves: the caller
    /// has not received the new allocation yet, and would not learn of its move. What it allocates
    /// may lead to further calls of it.
    double warn_at = 0.9;
    void (*on_budget)(std::uint64_t used, std::uint64_t limit, void* user) noexcept = nullptr;
    void* user = nullptr;
};

/// Parts of many blocks of memory that a source provides, such as device memory.
///
///     blocks   |a|b|..|   |c|....d....|.....|   |........ large: its own ........|
///     bins     one set for the holes of all of them
///
///     offset_heap textures{source};
///     if (const auto t = textures.try_allocate(bytes, 4096))
///         bind(textures.block_of(*t), t->offset);
///
/// A request is served from the holes of all blocks as by one offset_allocator; if none fits, a new
/// block is requested. A block is at least twice as large as the request that it was made for; a
/// request above half of the largest block gets a block of just its size. If the source or the
/// budget refuses, smaller blocks are tried, down to the request.
///
/// Use when:  memory comes in blocks, from a device, and is returned. For one range:
///            offset/offset_allocator.hpp.
/// Cost:      that of offset_allocator, and a call to the source for a new block. Deallocate
///            returns a block that became empty, unless it is kept.
/// Overhead:  that of offset_allocator; 56 bytes per block and 4 per unit, the largest block's size
///            rounded up to a power of two.
/// Limits:    2^47 granules per block, 2^48 in total, including unused ends of units.
/// Returns:   empty blocks except keep_empty_blocks, at once; all empty ones by trim(), and all
///            blocks by the destructor.
/// Misuse:    that of offset_allocator; block sizes that are 0 or in the wrong order; a source that
///            changes the heap it serves, found in every build.
/// Threads:   one at a time.
/// Failure:   nullopt; no allocation changes, but the kept empty blocks may have been returned: if
///            the budget or the source refuses, they are, to make room there; why_refused() gives
///            the reason.
class offset_heap final : public offset_parts {
public:
    /// Why the last request failed.
    enum class refusal : unsigned char {
        none,
        request,     ///< alignment 0, or more than a block may have
        bookkeeping, ///< the upstream had no memory for nodes
        budget,      ///< a new block would exceed it
        source       ///< the source provided none
    };

    explicit offset_heap(const offset_source& source, upstream memory = &system_resource())
        : offset_heap{source, offset_heap_options{}, memory} {}
    offset_heap(const offset_source& source, const offset_heap_options& options,
                upstream memory = &system_resource());

    ~offset_heap();

    /// A part of `bytes` (0 counts as 1), rounded up to the granularity, at a multiple of
    /// `alignment` and of the granularity from the start of its block.
    [[nodiscard]] std::optional<offset_allocation>
    try_allocate(std::uint64_t bytes, std::uint64_t alignment = 1,
                 const request_options& options = {}) noexcept;

    /// Makes sure that all of these can be allocated, in any order, without another block: one hole
    /// is long enough for them together. It may be a new block, of just that size if it is above
    /// half of the largest. Returns false, and no block is made, where there is none;
    /// why_refused() says why. Such a block is as empty as others: it goes when they do.
    /// O(requirements).
    [[nodiscard]] bool reserve(std::span<const offset_requirement> list) noexcept;
    using offset_parts::reserve; ///< bookkeeping for so many parts

    [[nodiscard]] refusal why_refused() const noexcept { return refused_; }

    /// The source's name of the block that contains it; nullptr if it is not allocated.
    [[nodiscard]] void* block_of(const offset_allocation& a) const noexcept;

    [[nodiscard]] std::size_t block_count() const noexcept { return count_; }

    /// Returns all empty blocks.
    void trim() noexcept;

    /// Sets another budget; blocks held beyond it stay.
    void set_budget(std::uint64_t bytes) noexcept {
        const change guard{*this};
        options_.budget_bytes = bytes;
    }
    [[nodiscard]] std::uint64_t budget_bytes() const noexcept { return options_.budget_bytes; }

private:
    void block_emptied(detail::offset_block::index b) override;
    void give_back(detail::offset_block::index b) noexcept;
    [[nodiscard]] void* ask_source(std::uint64_t bytes) noexcept;
    void give_to_source(void* block, std::uint64_t bytes) noexcept;
    void tell_budget() noexcept;
    [[nodiscard]] bool add_block(const detail::offset_request& r) noexcept;
    [[nodiscard]] void* get(std::uint64_t& bytes, std::uint64_t least) noexcept;
    [[nodiscard]] std::uint64_t held() const noexcept {
        return space().total() << space().granule_shift();
    }

    offset_source source_;
    offset_heap_options options_;
    std::size_t count_ = 0;
    std::size_t singles_ = 0; ///< blocks made for one large request
    refusal refused_ = refusal::none;
};

} // namespace ARENITE_ABI
} // namespace arenite
