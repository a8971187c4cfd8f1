// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/check/detail/one_thread.hpp>
#include <arenite/check/detail/passthrough_chain.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/bits.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/resource_base.hpp>
#include <arenite/core/sizes.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/freelist/detail/hole_tree.hpp>
#include <arenite/freelist/detail/kind_sets.hpp>
#include <arenite/freelist/detail/place_maxima.hpp>
#include <arenite/freelist/detail/unit_map.hpp>
#include <arenite/os/page_resource.hpp>

#include <cstddef>
#include <span>
#include <string_view>

namespace arenite {
inline namespace ARENITE_ABI {

/// Which hole a request takes.
enum class fit : unsigned char {
    first, ///< the lowest that is large enough: long-lived memory gathers at the low end
    best   ///< the smallest that is large enough, the lowest among equals: keeps large holes large
};

/// How a free_list_resource behaves.
struct free_list_options {
    arenite::fit fit = arenite::fit::first;

    /// Kept sizes cost 8 bytes per allocation.
    arenite::sizes sizes = arenite::sizes::given;

    bool eager = false;    ///< get the region at construction, which throws if there is none
    bool prefault = false; ///< and touch its pages: no page fault later

    /// For reports of leaks and misuse; the text must outlive the resource.
    const char* name = nullptr;
};

/// A free list without its walk: any size in any order from one region, by first or best fit.
///
///     region  | bits | places | a |...hole...| b | c |.hole.| d |............ top ............|
///     bits      2 for each 16 bytes: what begins, what ends
///     places    of 1 KiB. First fit: the longest hole that begins in each, and in each eight of
///               these, and so on. Best fit: for each length below 1 KiB the places where such
///               holes begin, as trees of bits
///
/// First fit goes down to the lowest place whose longest hole is long enough. Best fit finds a hole
/// below 1 KiB by its length in a tree of bits, a longer one by trees through the long holes alone.
/// Freed memory joins the holes beside it at once. Alignment padding before an allocation remains a
/// hole.
///
/// Use when:  one region of known size must serve everything: a console's budget, the upstream of
///            pools and frames. Without a region: ordered/ordered_heap.hpp. All freed together:
///            linear/linear_resource.hpp.
/// Cost:      allocate and deallocate O(log region); inlined, about 25 instructions, if no hole
///            below the top is large enough. Only an alignment above 16 for which neither the top
///            nor any hole has room wherever it lies makes a request search all holes.
///            Construction: nothing; the first request clears the bits and places.
/// Overhead:  sizes round up to 16 bytes; no header, with sizes::kept one of 8 bytes. For bits and
///            places 2.1 % of the region at most, with fit::best 2.4 %.
/// Limits:    one region, at most 64 GiB; a request that fits no hole fails.
/// Fit:       first and best exactly, counted in units of 16 bytes, for alignments up to 16. Above,
///            a hole below the top counts as large enough if it has room wherever it lies (bytes +
///            alignment - 16); if neither such a hole nor the top has room, the lowest hole is
///            taken that has room at its address.
/// Returns:   the region by trim() while nothing is allocated, and at destruction; checked builds
///            report leaks.
/// Misuse:    found in every build, at the call: a double free, memory from elsewhere, the middle
///            of an allocation, a size that does not end where something else begins; with
///            sizes::kept any wrong size and an overwritten header. In checked builds also any
///            wrong size. Sizes are known rounded up to 16 bytes: one that rounds to the same is
///            found in no build. Checked builds fill memory with a pattern when it is allocated and
///            when it is freed, and find links that were overwritten when a call uses them.
/// Threads:   one at a time; wrap in synchronized_resource.
/// Failure:   out_of_memory / nullptr; nothing changes.
/// Source:    Kaltenbrunn, Modern Memory Management (2018), 6.1.4.
class free_list_resource final : public resource_base<free_list_resource> {
public:
    /// A region of `bytes` from upstream, bookkeeping included, allocated at the first request.
    explicit free_list_resource(std::size_t bytes, arenite::fit f = arenite::fit::first,
                                upstream source = &page_source()) noexcept;
    free_list_resource(std::size_t bytes, upstream source) noexcept
        : free_list_resource{bytes, arenite::fit::first, source} {}

    /// An eager one allocates it at once and throws out_of_memory if upstream has none.
    free_list_resource(std::size_t bytes, const free_list_options& options,
                       upstream source = &page_source());

    /// The caller's memory, which must outlive the resource. If it is too small for its bookkeeping
    /// and 16 bytes, every request fails.
    explicit free_list_resource(std::span<std::byte> buffer,
                                arenite::fit f = arenite::fit::first) noexcept
        : free_list_resource{buffer, free_list_options{.fit = f}} {}
    free_list_resource(std::span<std::byte> buffer, const free_list_options& options) noexcept;

    ~free_list_resource() override;

    /// nullptr if no hole is large enough, or the alignment is not a power of two.
    [[nodiscard]] ARENITE_INLINE void*
    try_allocate(std::size_t bytes, std::size_t alignment = default_alignment) noexcept {
        [[maybe_unused]] const auto inside = threads_.enter("free_list_resource", this);
        // A small request, and all holes below the top are smaller still.
        if (bytes - 1 < most_inlined && alignment <= detail::unit_map::unit_bytes &&
            is_alignment(alignment)) [[likely]] {
            const std::size_t n = map_.units_for(bytes);
            if (n <= map_.count() - top_ && !has_listed(n))
                return take_top(static_cast<index>(n), bytes);
        }
        return allocate_slow(bytes, alignment);
    }

    /// Frees an allocation of this size. Not nullptr.
    void deallocate(void* p, std::size_t bytes, std::size_t alignment = default_alignment) noexcept;

    /// Frees an allocation without its size. Requires sizes::kept; checked in every build.
    void deallocate(void* p) noexcept;

    /// Resizes the allocation at p to `new_bytes` (not 0) in place: it shrinks, or grows into the
    /// hole behind it. Returns false, and changes nothing, if there is no room or p is not an
    /// allocation of `old_bytes` from this resource.
    [[nodiscard]] bool try_resize(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                  std::size_t alignment = default_alignment) noexcept;

    /// Usable bytes at p, an allocation of this resource: the request, rounded up. Requires
    /// sizes::kept; checked in every build.
    [[nodiscard]] std::size_t size_of(const void* p) const noexcept;

    /// The name given in the options; empty if there is none.
    [[nodiscard]] std::string_view name() const noexcept {
        return label_.name != nullptr ? std::string_view{label_.name} : std::string_view{};
    }

    /// True with sizes::kept.
    [[nodiscard]] bool keeps_sizes() const noexcept { return options_.sizes == sizes::kept; }

    /// True if p points into the region, allocated or not, except its bookkeeping. O(1).
    [[nodiscard]] bool owns(const void* p) const noexcept {
        return map_.contains(p) || singles_.owns(p);
    }

    /// Returns the region to upstream if nothing is allocated; the next request gets a new one.
    void trim() noexcept;

    /// O(1), with fit::best O(log long holes). All figures are exact.
    [[nodiscard]] arenite::usage usage() const noexcept;

    /// The share of free memory outside the largest hole: 0 if there is one hole, or none.
    [[nodiscard]] double fragmentation() const noexcept;

    /// All of the region in address order, allocations one by one. O(region / 1 KiB +
    /// allocations).
    void list_regions(region_sink& sink) const;

    /// Bytes of the region, as passed at construction.
    [[nodiscard]] std::size_t capacity() const noexcept { return region_.size(); }

private:
    using index = detail::unit_map::index;
    static constexpr index none = detail::unit_map::none;

    /// Requests that the sizes alone decide about, sizes kept or not.
    static constexpr std::size_t most_inlined = 63 * detail::unit_map::unit_bytes;
    /// Holes of so many units are in the tree.
    static constexpr index long_hole = detail::hole_tree::shortest_units;

    /// True if there is a hole of at least n units, 64 or fewer, besides the top.
    [[nodiscard]] ARENITE_INLINE bool has_listed(std::size_t n) const noexcept {
        return options_.fit == fit::first ? longest_.top() >= n
                                          : (sizes_.all() & ~detail::bits::low_mask(n - 1)) != 0;
    }
    ARENITE_INLINE void* take_top(index n, std::size_t bytes) noexcept {
        const index i = top_; // where a start is noted already
        top_ += n;
        map_.set_start(top_);
        return hand_out(i, n, bytes);
    }
    ARENITE_INLINE void* hand_out(index i, index n, std::size_t bytes) noexcept {
        in_use_ += n * detail::unit_map::unit_bytes - map_.lead();
        ++live_;
        if (map_.keeps_sizes())
            map_.note_size(i, n);
        std::byte* const p = map_.address(i);
        detail::unit_map::begin_life(p, bytes);
        return p;
    }

    ARENITE_NOINLINE void* allocate_slow(std::size_t bytes, std::size_t alignment) noexcept;
    [[nodiscard]] bool get_region() noexcept;
    [[nodiscard]] bool set_region(std::byte* memory) noexcept;
    void give_region_back() noexcept;
    [[nodiscard]] std::size_t units_in(std::size_t bytes) const noexcept;
    [[nodiscard]] std::size_t bytes_for_places(std::size_t units) const noexcept;

    [[nodiscard]] index find(std::size_t n) const noexcept;
    [[nodiscard]] index find_as_it_lies(std::size_t n, std::size_t alignment) const noexcept;
    void enter(index hole, index n) noexcept;
    void remove(index hole, index n) noexcept;
    void list(index hole, index n) noexcept;
    void unlink(index hole, index n) noexcept;
    void unmark(index hole, index n) noexcept;
    void set_top(index top) noexcept;
    void release(index i, index n) noexcept;
    void report_leaks() const noexcept;
    [[noreturn]] ARENITE_COLD void refuse(const void* p, std::size_t bytes) const;

    detail::resource_label label_;
    detail::unit_map map_;
    detail::place_maxima longest_; ///< first fit: units of the longest hole that begins in a KiB
    detail::kind_sets sizes_;      ///< best fit: which KiB has holes of 1, 2 ... 63, more units
    detail::hole_tree long_holes_; ///< best fit: those of more
    index top_ = 0;                ///< all above is free; in none of these
    std::size_t in_use_ = 0;       ///< bytes
    std::size_t most_ = 0;         ///< of them, until the latest free
    std::size_t live_ = 0;
    std::span<std::byte> region_; ///< no memory before the first request
    upstream source_;
    detail::passthrough_chain singles_; ///< with ARENITE_PASSTHROUGH=1 all there is
    free_list_options options_;
    ARENITE_NO_UNIQUE_ADDRESS detail::one_thread threads_;
};

} // namespace ARENITE_ABI
} // namespace arenite
