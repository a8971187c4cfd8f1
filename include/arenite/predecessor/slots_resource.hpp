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
#include <arenite/core/region.hpp>
#include <arenite/core/resource_base.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/core/usage.hpp>

#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {

/// How a slots_resource behaves.
struct slots_options {
    /// Bytes to ask from the upstream at once; see block_source. 0: start small and grow with use.
    std::size_t block_bytes = 0;

    /// Least alignment of every object: a power of two; less than 4 counts as 4.
    std::size_t alignment = 4;

    return_policy policy = {};
};

/// Any size, any order, best fit, with all bookkeeping outside the memory it hands out.
///
///     block         | head | A | B |~~ free ~~| C |~~~~~~~~~ free ~~~~~~~~~|
///     its slots             A - B - ~~~~~~~~~~ - C - ~~~~~~~~~~~~~~~~~~~~~~~   by address
///     free slots    4: | 8: ~ ~ | ... | 1024: ~ |  longer: ~ < ~~ < ~~~~       by length
///
/// An allocation takes the shortest free slot that has room, of whatever block, and leaves the rest
/// of it free. A slot that is freed is merged with its free neighbours. The map by address is a
/// chain of all slots of a block with an index, each 256 bytes; the map by length has a list for
/// each short one and a search tree, which balances itself by chance (a treap), of those above 1024
/// bytes. Their nodes come from a pool; a slot keeps its node when it is freed, so that only
/// allocate can need memory.
///
/// Use when:  memory may not be touched by its manager, or space counts more than time: best fit
///            leaves the least behind. Else ordered/ordered_heap.hpp: many times quicker, in less
///            memory, and in address order.
/// Cost:      allocate O(log n) expected, n free slots above 1024 bytes, and O(1) where a short one
///            fits; deallocate looks at 64 neighbours at most, mostly at four, and then the same;
///            blocks are found in O(log blocks); may ask its upstream.
/// Overhead:  48 bytes a slot in the maps, and 1/32 of each block; sizes round up to their
///            alignment, 4 to 16; 64 to 512 bytes, or the alignment, a large request.
/// Limits:    none but its upstream's. Requests of more than an eighth of a block that no free slot
///            has room for get a block of their own.
/// Returns:   empty spans and the memory of large objects by return_policy; trim() all that is
///            empty, down to single pages where the upstream lends pages. Destruction returns
///            everything; checked builds report what was alive.
/// Misuse:    freeing twice, into another heap, or a pointer to no begin of an object is found in
///            every build while the 256 KiB (its block) that it points into are memory; in checked
///            builds always, as are pointers to no heap at all and wrong sizes. In others a pointer
///            to what went back to the system, or to no memory, ends the program without a word.
/// Threads:   one at a time; wrap in synchronized_resource.
/// Failure:   out_of_memory / nullptr; nothing changes, but what the first request has got of its
///            bookkeeping stays until trim().
/// Source:    VulkanSceneGraph, vsg::MemorySlots.  (doc/sources.md)
class slots_resource final : public resource_base<slots_resource> {
public:
    slots_resource() noexcept : slots_resource{slots_options{}} {}

    /// The default upstream is the process's page source.
    explicit slots_resource(const slots_options& options) noexcept;
    slots_resource(const slots_options& options, upstream up) noexcept;
    explicit slots_resource(upstream up) noexcept : slots_resource{slots_options{}, up} {}

    ~slots_resource() override;

    /// Returns nullptr if the upstream has no memory or the alignment is not a power of two (in
    /// checked builds that is a contract violation).
    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = default_alignment) noexcept;

    /// Gives back what was allocated. Not nullptr.
    void deallocate(void* p) noexcept { give_back(p, any_size, 1); }

    /// Gives back with its size, which checked builds see to be right.
    void deallocate(void* p, std::size_t bytes,
                    std::size_t alignment = default_alignment) noexcept {
        give_back(p, bytes, alignment);
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

    /// O(log n), for the largest hole. live_allocations is exact.
    [[nodiscard]] arenite::usage usage() const noexcept;

    /// All its memory in address order, object by object; not that of its maps. O(slots).
    void list_regions(region_sink& sink) const;

private:
    static constexpr std::size_t least_alignment = 4;
    static constexpr std::size_t large_divisor = 8; ///< share of a block: more wants no new one
    static constexpr std::size_t any_size = ~std::size_t{0};

    struct node;
    struct free_slots;
    struct maps;
    struct slots;

    /// A free slot for a request.
    struct fit {
        node* slot = nullptr;
        bool is_first = false; ///< all shorter ones are shorter than the request
    };

    [[nodiscard]] static constexpr std::size_t rounded(std::size_t bytes,
                                                       std::size_t alignment) noexcept;
    [[nodiscard]] std::byte* first_of(const detail::block& b) const noexcept;
    [[nodiscard]] static std::byte* end_of(const detail::block& b) noexcept;

    [[nodiscard]] void* allocate_large(std::size_t bytes, std::size_t size,
                                       std::size_t alignment) noexcept;
    [[nodiscard]] fit best_fit(std::size_t length, std::size_t alignment) const noexcept;
    [[nodiscard]] node* open_block() noexcept;
    void close_block(node& whole) noexcept;
    [[nodiscard]] std::byte* take(fit found, std::size_t length, std::size_t alignment) noexcept;
    void give_back(void* p, std::size_t bytes, std::size_t alignment) noexcept;
    [[nodiscard]] node* make_node() noexcept;
    void drop_node(node* gone) noexcept;
    void drop_maps() noexcept;
    void check_free(const void* p, std::size_t bytes, std::size_t alignment) const noexcept;
    ARENITE_COLD void refuse_free(const void* p, const char* why) const noexcept;
    void report_leaks() noexcept;

    std::size_t floor_;
    std::size_t bytes_in_use_ = 0;
    std::size_t live_ = 0;
    std::size_t high_water_ = 0;
    maps* maps_ = nullptr;
    return_policy policy_;
    bool passes_through_;
    upstream upstream_;
    detail::block_source source_;
    detail::passthrough_chain singles_; ///< with ARENITE_PASSTHROUGH=1 all there is
    ARENITE_NO_UNIQUE_ADDRESS detail::one_thread threads_;
};

} // namespace ARENITE_ABI
} // namespace arenite
