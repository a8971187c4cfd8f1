// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/thread_exit.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/resource_base.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/freelist/detail/handover_queue.hpp>
#include <arenite/freelist/tlsf_resource.hpp>
#include <arenite/os/page_resource.hpp>

#include <atomic>
#include <cstddef>
#include <span>

namespace arenite {
inline namespace ARENITE_ABI {

/// How a handover_resource behaves.
struct handover_options {
    tlsf_options region = {}; ///< kept sizes are not needed, and not used

    /// Allocations handed over that each allocate frees first. With 2 or more they cannot pile up,
    /// but behind a thread that is interrupted within its free, until that goes on.
    std::size_t freed_by_each = 2;

    /// So many more before it fails.
    std::size_t freed_before_failing = 32;
};

/// Two-level segregated fit for one thread, whose allocations any thread may free: they are handed
/// over without a lock, and no call loops or waits on any thread.
///
///     owner (audio, VR)   allocate --> | tlsf_resource |    frees up to 2 handed over, allocates
///                                            ^
///     other threads       deallocate --> a -> b -> c        one exchange: c is the last now
///
/// The thread that allocates first is the owner. A free by the owner is done at once; one by
/// another thread writes 16 bytes into the freed memory and links it: the next one, and the size,
/// mixed with the address, by which a second hand-over is known. Memory handed over is in use until
/// the owner frees it: by its next allocations, or by collect().
///
/// Use when:  a thread that must never wait allocates what others free: buffers of an audio
///            callback, messages to it, poses for a headset. All on one thread: tlsf_resource;
///            any thread allocates: affinity/affinity_heap.hpp.
/// Cost:      everything O(1), counted in instructions: lab/calls/run bounded, doc/free_list.md.
///            The owner's allocate is that of tlsf_resource, and `freed_by_each` of its frees; one
///            that fails, `freed_before_failing` more. A free by another thread: 53 instructions,
///            one of them an atomic exchange.
/// Overhead:  that of tlsf_resource; an allocation has 16 bytes at least.
/// Limits:    as of tlsf_resource. A request may fail while memory for it is handed over and not
///            freed yet: collect(), or a region with room for as much.
/// Threads:   deallocate: any. The rest: the owner; own() makes the calling thread the owner, while
///            no other thread allocates. Destruction: any, when all others are through with it.
/// Misuse:    as in tlsf_resource. What is not of this resource is found at the call; a wrong size
///            or address within when the owner frees what was handed over, so that the message
///            comes late. An allocation that is handed over twice is found at the second call, as
///            long as the owner has not freed it in between and its memory was not written to.
///            Checked builds find an allocate by another thread.
/// Failure:   out_of_memory / nullptr; nothing changes, but for what was handed over.
/// Source:    Masmano, TLSF (2004); Vyukov, MPSC queue (2010).  (doc/sources.md)
class handover_resource final : public resource_base<handover_resource> {
public:
    /// A region of `bytes` from upstream, bookkeeping included, allocated at the first request.
    explicit handover_resource(std::size_t bytes, upstream source = &page_source())
        : handover_resource{bytes, handover_options{}, source} {}
    handover_resource(std::size_t bytes, const handover_options& options,
                      upstream source = &page_source())
        : region_{bytes, without_sizes(options.region), source}, options_{options} {}

    /// The caller's memory, which must outlive the resource.
    explicit handover_resource(std::span<std::byte> buffer,
                               const handover_options& options = {}) noexcept
        : region_{buffer, without_sizes(options.region)}, options_{options} {}

    ~handover_resource() override;

    /// By the owner. nullptr if no hole is long enough, or the alignment is not a power of two.
    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = default_alignment) noexcept;

    /// Frees an allocation of this size, on any thread. Not nullptr.
    void deallocate(void* p, std::size_t bytes, std::size_t alignment = default_alignment) noexcept;

    /// Frees up to `most` of the allocations handed over; returns how many. By the owner.
    std::size_t collect(std::size_t most) noexcept;

    /// Makes the calling thread the owner, when no other thread allocates any more.
    void own() noexcept { owner_.store(this_thread(), std::memory_order_relaxed); }

    /// True on the owner's thread.
    [[nodiscard]] bool is_owner() const noexcept {
        return owner_.load(std::memory_order_relaxed) == this_thread();
    }

    /// These are tlsf_resource's, for the owner; memory handed over counts as in use.
    [[nodiscard]] bool try_resize(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                  std::size_t alignment = default_alignment) noexcept {
        return new_bytes != 0 &&
               region_.try_resize(p, at_least(old_bytes), at_least(new_bytes), alignment);
    }
    void trim() noexcept {
        static_cast<void>(collect(~std::size_t{0}));
        region_.trim();
    }
    [[nodiscard]] bool owns(const void* p) const noexcept { return region_.owns(p); }
    [[nodiscard]] arenite::usage usage() const noexcept { return region_.usage(); }
    void list_regions(region_sink& sink) const { region_.list_regions(sink); }
    [[nodiscard]] std::size_t capacity() const noexcept { return region_.capacity(); }

private:
    using entry = detail::handover_queue::entry;

    /// The second word of memory that was handed over: an object that lies there has it by accident
    /// only, as its address is part of it, and the owner clears it.
    [[nodiscard]] static std::size_t mark_of(const void* p, std::size_t bytes) noexcept {
        return bytes ^ address_of(p) * static_cast<std::size_t>(0x9E37'79B9'7F4A'7C15);
    }
    ARENITE_COLD void refuse_second(const void* p) const noexcept;

    [[nodiscard]] static const void* this_thread() noexcept {
        return detail::thread_exit::thread();
    }
    [[nodiscard]] static tlsf_options without_sizes(tlsf_options o) noexcept {
        o.sizes = sizes::given;
        return o;
    }
    /// Room for an entry.
    [[nodiscard]] static constexpr std::size_t at_least(std::size_t bytes) noexcept {
        return bytes < sizeof(entry) ? sizeof(entry) : bytes;
    }

    tlsf_resource region_;
    handover_options options_;
    std::atomic<const void*> owner_{nullptr};
    detail::handover_queue handed_over_;
};

} // namespace ARENITE_ABI
} // namespace arenite
