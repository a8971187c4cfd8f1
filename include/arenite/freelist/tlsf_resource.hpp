// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/check/detail/one_thread.hpp>
#include <arenite/check/detail/passthrough_chain.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/resource_base.hpp>
#include <arenite/core/sizes.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/freelist/detail/tlsf_region.hpp>
#include <arenite/freelist/tlsf_load.hpp>
#include <arenite/os/page_resource.hpp>

#include <cstddef>
#include <span>
#include <string_view>

namespace arenite {
inline namespace ARENITE_ABI {

/// How a tlsf_resource behaves.
struct tlsf_options {
    /// Kept sizes cost 8 bytes per allocation.
    arenite::sizes sizes = arenite::sizes::given;

    /// If no region has room, ask the upstream for another: as large as the first, or a quarter of
    /// all regions. Such a call is not bounded, nor is a deallocate that empties a second region,
    /// which it returns to the upstream.
    bool grow = false;

    bool eager = false;    ///< get the first region at construction; it throws without one
    bool prefault = false; ///< and touch its pages: no page fault later

    /// For reports of leaks and misuse; the text must outlive the resource.
    const char* name = nullptr;
};

/// Two-level segregated fit: any size in any order, in bounded time.
///
///     region  | head | lists | bits | a |...hole...| b | c |.hole.| d |...... hole ......|
///     lists     one for each length below 1 KiB, 32 for each doubling above
///     rows      0 1 0 1   a bit a doubling; for each 32 bits that say which lists have holes
///
/// A request finds its list by two bit searches and takes its latest hole; the remainder goes into
/// another list. A free finds the holes on both sides by bits stored apart from the memory, and
/// joins them. There is no loop, whatever happened before.
///
/// Use when:  no call may take long: in a frame, an audio callback, a control loop. For the
///            least fragmentation and exact placement: freelist/free_list_resource.hpp.
///            Faster, without a bound: ordered/ordered_heap.hpp.
/// Cost:      allocate, deallocate and try_resize O(1): lab/calls/run counts the instructions of
///            the worst call, see doc/free_list.md. With several regions about 30 instructions for
///            each that has no room; there are at most 64. Creating a region clears 1.6 % of it.
///            With `grow` some calls ask the upstream for a region, or return one.
/// Overhead:  sizes round up to 16 bytes; no header, with sizes::kept one of 8 bytes. 1.6 % of a
///            region for bits, and 320 to 4000 bytes.
/// Limits:    a region has at most 64 GiB; a request for which no hole is long enough fails. Above
///            1 KiB a hole may be up to a 32nd longer than a request and not be found.
/// Bound:     a region of bytes_needed(load) serves every sequence of calls within the load:
///            between k allocations there are at most k + 1 holes, and when a request fails, each
///            of them is shorter than the request, rounded up.
/// Returns:   an empty region to the upstream, by trim(), and when another one is empty too; one of
///            the caller's by remove_region. Destruction returns everything; checked builds report
///            leaks.
/// Misuse:    found in every build, at the call: a double free, memory from elsewhere, the middle
///            of an allocation, a size that does not end where something else begins; with
///            sizes::kept any wrong size and an overwritten header. In checked builds also any
///            wrong size. Sizes are known rounded up to 16 bytes: one that rounds to the same is
///            found in no build. Checked builds fill memory with a pattern when it is allocated and
///            when it is freed, and find links that were overwritten when a call uses them.
/// Threads:   one at a time; wrap in synchronized_resource.
/// Failure:   out_of_memory / nullptr; nothing changes.
/// Source:    Masmano, TLSF (2004).  (doc/sources.md)
class tlsf_resource final : public resource_base<tlsf_resource> {
public:
    static constexpr std::size_t most_regions = 64;

    /// A region of `bytes` from upstream, bookkeeping included, allocated at the first request.
    explicit tlsf_resource(std::size_t bytes, upstream source = &page_source()) noexcept
        : tlsf_resource{tlsf_options{}, bytes, source} {}

    /// An eager one allocates it at once and throws out_of_memory if upstream has none.
    tlsf_resource(std::size_t bytes, const tlsf_options& options, upstream source = &page_source());

    /// The caller's memory, which must outlive the resource. If it is too small for its bookkeeping
    /// and 16 bytes, every request fails.
    explicit tlsf_resource(std::span<std::byte> buffer, const tlsf_options& options = {}) noexcept;

    ~tlsf_resource() override;

    /// Bytes of a region that serves any sequence of calls within the load; the largest size_t if
    /// that overflows. 0 allocations count as 1.
    [[nodiscard]] static std::size_t bytes_needed(const tlsf_load& load,
                                                  arenite::sizes kept = sizes::given) noexcept;

    /// nullptr if no hole is long enough, or the alignment is not a power of two.
    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = default_alignment) noexcept;

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

    /// Adds the caller's memory, which must outlive the resource or be removed. Returns false, and
    /// changes nothing, if it is too small for its bookkeeping, overlaps an existing region, or
    /// there are most_regions already.
    [[nodiscard]] bool add_region(std::span<std::byte> memory) noexcept;

    /// Removes memory that was added. Returns false, and changes nothing, if something is allocated
    /// in it, or it was not added.
    [[nodiscard]] bool remove_region(std::span<std::byte> memory) noexcept;

    /// Returns all empty regions to upstream; the next request gets a new one.
    void trim() noexcept;

    /// True if p points into a region, allocated or not. O(log regions).
    [[nodiscard]] bool owns(const void* p) const noexcept;

    /// O(regions). The largest hole is what a request is sure to get; all else is exact.
    [[nodiscard]] arenite::usage usage() const noexcept;

    /// All regions in address order, allocations one by one. O(bytes / 1 KiB + allocations).
    void list_regions(region_sink& sink) const;

    [[nodiscard]] std::size_t region_count() const noexcept { return count_; }

    /// Bytes of all regions, bookkeeping included; before there is one, of the region that the
    /// first request will allocate.
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

    /// The region that contains p, if any does; nullptr only if there is no region.
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
    detail::passthrough_chain singles_; ///< with ARENITE_PASSTHROUGH=1 all there is
    ARENITE_NO_UNIQUE_ADDRESS detail::one_thread threads_;
};

} // namespace ARENITE_ABI
} // namespace arenite
