// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/check/passthrough_chain.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/sizes.hpp>
#include <arenite/core/strategy.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/freelist/tlsf_load.hpp>
#include <arenite/freelist/tlsf_region.hpp>
#include <arenite/os/page_resource.hpp>

#include <cstddef>
#include <span>

namespace arenite {
inline namespace ARENITE_ABI {

/// How a tlsf_resource behaves.
struct tlsf_options {
    /// Kept ones cost 8 bytes an allocation.
    arenite::sizes sizes = arenite::sizes::known;

    /// Where no region has room, ask the upstream for another: as large as the first, or a quarter
    /// of all that is held. Such a call is not bounded, nor is a deallocate that empties a second
    /// region, which it gives back to the upstream.
    bool grow = false;

    bool eager = false;    ///< get the first region at construction; it throws without one
    bool prefault = false; ///< and touch its pages: no page fault later

    /// For reports of leaks and misuse; the text must outlive the resource.
    const char* name = nullptr;
};

/// Two-level segregated fit: any size in any order, in a time with a bound.
///
///     region  | head | lists | bits | a |...hole...| b | c |.hole.| d |...... hole ......|
///     lists     one for each length below 1 KiB, 32 for each doubling above
///     rows      0 1 0 1   a bit a doubling; for each 32 bits that say which lists have holes
///
/// A request finds its list by two searches for a bit and takes the latest hole of it; what is left
/// goes into another list. A free finds the holes on both sides by bits that lie apart from the
/// memory, and joins them. There is no loop, whatever has happened before.
///
/// Use when:  a call may never take long, as in a frame, for a sound, in a control loop. For the
///            least fragmentation and exact placement: freelist/free_list_resource.hpp.
///            Without a bound, quicker: ordered/ordered_heap.hpp.
/// Cost:      allocate, deallocate and try_resize O(1): the worst call in instructions is counted
///            by lab/calls/run and stands in doc/free_list.md. With several regions some 30
///            instructions for each that has no room; there are at most 64. Making a region clears
///            1.6 % of it. With `grow` some calls ask the upstream, or give it a region back.
/// Overhead:  sizes round up to 16 bytes; no header, with sizes::kept one of 8 bytes. 1.6 % of a
///            region for bits, and 320 to 4000 bytes.
/// Limits:    a region has at most 64 GiB; what no hole is long enough for fails. Of lengths above
///            1 KiB a hole may be up to a 32nd longer than a request and not be found.
/// Bound:     a region of bytes_needed(load) serves whatever stays within the load, in any order:
///            between k allocations there are at most k + 1 holes, and while a request fails each
///            of them is shorter than it, rounded up.
/// Returns:   a region of the upstream that became empty by trim(), and when another one is empty
///            too; one of the user's by remove_region. Destruction returns everything; checked
///            builds report what was alive.
/// Misuse:    in every build, at the call: what is free already, memory of others, the middle of
///            an allocation, a size that does not end where something else begins; with
///            sizes::kept any wrong size and an overwritten header. In checked builds besides: any
///            wrong size; memory is filled with a pattern when it is handed out and when it is
///            freed, and what was written over the links in it is found where a call comes by.
/// Threads:   one at a time; wrap in synchronized_resource.
/// Failure:   out_of_memory / nullptr; nothing changes.
/// Source:    Masmano, TLSF (2004).  (doc/sources.md)
class tlsf_resource final : public strategy<tlsf_resource> {
public:
    static constexpr std::size_t most_regions = 64;

    /// A region of `bytes` of upstream, bookkeeping included, asked for at the first request.
    explicit tlsf_resource(std::size_t bytes, upstream source = &page_source()) noexcept
        : tlsf_resource{tlsf_options{}, bytes, source} {}

    /// An eager one asks at once and throws out_of_memory where upstream has none.
    tlsf_resource(std::size_t bytes, const tlsf_options& options, upstream source = &page_source());

    /// Memory of the user's; it must outlive the resource. One too small for its bookkeeping and 16
    /// bytes serves nothing.
    explicit tlsf_resource(std::span<std::byte> buffer, const tlsf_options& options = {}) noexcept;

    ~tlsf_resource() override;

    /// Bytes of a region that serves any sequence of calls within the load. The largest size where
    /// that does not fit; what counts as one allocation of less than 1 byte counts as 1.
    [[nodiscard]] static std::size_t bytes_needed(const tlsf_load& load,
                                                  arenite::sizes kept = sizes::known) noexcept;

    /// nullptr where no hole is long enough; also for an alignment that is no power of two.
    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = default_alignment) noexcept;

    /// Gives back what was allocated with this size. Not nullptr.
    void deallocate(void* p, std::size_t bytes, std::size_t alignment = default_alignment) noexcept;

    /// Gives an allocation back without its size. Requires sizes::kept, in every build.
    void deallocate(void* p) noexcept;

    /// True if the allocation at p has `new_bytes` (not 0) from now on, where it lies: it shrank,
    /// or grew into the hole behind it. False, and nothing has changed: there is no room, or p is
    /// no allocation of `old_bytes` of this resource.
    [[nodiscard]] bool try_resize(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                  std::size_t alignment = default_alignment) noexcept;

    /// Bytes that may be used at p, an allocation of this resource: the request, rounded up.
    /// Requires sizes::kept, in every build.
    [[nodiscard]] std::size_t size_of(const void* p) const noexcept;

    /// True with sizes::kept.
    [[nodiscard]] bool keeps_sizes() const noexcept { return options_.sizes == sizes::kept; }

    /// Memory of the user's serves too from now on; it must outlive the resource or be removed.
    /// False, and nothing has changed: it is too small for its bookkeeping, lies in part in a
    /// region that is there, or there are most_regions.
    [[nodiscard]] bool add_region(std::span<std::byte> memory) noexcept;

    /// Memory that was added is the user's again. False, and nothing has changed: something lives
    /// in it, or it is none that was added.
    [[nodiscard]] bool remove_region(std::span<std::byte> memory) noexcept;

    /// Gives all empty regions back to upstream; the next request gets a new one.
    void trim() noexcept;

    /// True if p points into a region, handed out or not. O(log regions).
    [[nodiscard]] bool owns(const void* p) const noexcept;

    /// O(regions). Of the largest hole is told what a request is sure to get; all else is exact.
    [[nodiscard]] arenite::usage usage() const noexcept;

    /// All regions in address order, allocations one by one. O(bytes / 1 KiB + allocations).
    void list_regions(region_sink& sink) const;

    [[nodiscard]] std::size_t region_count() const noexcept { return count_; }

    /// Bytes of all regions, bookkeeping included; before there is one, of that which the first
    /// request asks for.
    [[nodiscard]] std::size_t capacity() const noexcept {
        return count_ != 0 ? reserved_ : region_bytes_;
    }

private:
    tlsf_resource(const tlsf_options& options, std::size_t bytes, upstream source) noexcept
        : label_{"tlsf_resource", this, options.name}, source_{source}, region_bytes_{bytes},
          options_{options} {}

    using index = detail::unit_map::index;
    struct added_span;
    using region_type = detail::tlsf_region;
    static constexpr index none = detail::unit_map::none;

    /// The region that p lies in if it lies in any; nullptr only where there is none.
    [[nodiscard]] region_type* nearest(const void* p) const noexcept;
    [[nodiscard]] region_type* region_of(const void* p) const noexcept;
    ARENITE_NOINLINE void* allocate_elsewhere(std::size_t bytes, std::size_t alignment) noexcept;
    [[nodiscard]] void* allocate_in(region_type& r, std::size_t bytes,
                                    std::size_t alignment) noexcept;
    void release(region_type& r, void* p, index n) noexcept;
    void emptied(region_type& r) noexcept;
    [[nodiscard]] region_type* get_region(std::size_t bytes) noexcept;
    [[nodiscard]] region_type* enter(std::span<std::byte> memory, bool from_upstream) noexcept;
    void leave(region_type& r) noexcept;
    [[nodiscard]] bool remember(std::span<std::byte> memory) noexcept;
    [[nodiscard]] bool forget(std::span<std::byte> memory) noexcept;
    [[nodiscard]] std::size_t lead() const noexcept {
        return options_.sizes == sizes::kept ? detail::unit_map::header_bytes : 0;
    }
    [[noreturn]] ARENITE_COLD void refuse(const void* p, std::size_t bytes) const noexcept;

    detail::resource_label label_;
    region_type* regions_[most_regions] = {}; ///< in address order
    std::size_t count_ = 0;
    std::size_t in_use_ = 0; ///< bytes
    std::size_t most_ = 0;   ///< of them, until the latest free
    std::size_t live_ = 0;
    std::size_t reserved_ = 0;
    upstream source_;
    std::size_t region_bytes_;
    added_span* added_ = nullptr; ///< with ARENITE_PASSTHROUGH=1 the user's memory
    tlsf_options options_;
    passthrough_chain singles_; ///< with ARENITE_PASSTHROUGH=1 all there is
};

} // namespace ARENITE_ABI
} // namespace arenite
