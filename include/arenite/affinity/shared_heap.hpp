// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/block/return_policy.hpp>
#include <arenite/check/call_sites.hpp>
#include <arenite/check/detail/passthrough_chain.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/resource_base.hpp>
#include <arenite/core/sizes.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/os/detail/fork_lock.hpp>

#include <cstddef>
#include <iosfwd>
#include <mutex>
#include <string_view>

namespace arenite {
inline namespace ARENITE_ABI {

/// How a shared_heap behaves.
struct shared_heap_options {
    std::string_view name = {};  ///< for messages and reports; its first 63 characters are copied
    std::size_t block_bytes = 0; ///< requested at once; 0: start small and grow
    /// Sizes are always known. With `kept` reports and memory maps list objects one by one.
    arenite::sizes sizes = arenite::sizes::given;
    return_policy policy = {}; ///< of each thread's heap
};

/// A heap for many threads that ends as one: an affinity as an object, without tag and name.
///
///     shared_heap level{};
///     void* p = level.allocate(48, 8);            // any thread
///     level.deallocate(p, 48, 8);                 // any thread
///     level.reset();                              // all of it, at once
///
///     level     thread 1 | block | block |        a heap for each thread that allocates, or frees
///               thread 2 | block |                much that others allocated
///     document  thread 1 | block |
///
/// Use when:  what a level, a document, a plug-in or a request allocates is used by several threads
///            and goes as a whole, while others live on: 100,000 of them at once. For one thread:
///            ordered_heap. For objects of a kind that live as long as the program: affine.
/// Cost:      that of an affinity_heap and a comparison; it is the same mechanism. The first
///            allocation of a thread O(threads), reset O(blocks), the end O(blocks + threads).
/// Overhead:  empty about 550 bytes, and 32 bytes for each thread that used it, in pages of 128.
///            For each thread that allocates, a heap: some pages, and a block of 256 KiB of
///            addresses.
/// Limits:    131,072 at once (2,048 where addresses have 32 bits).
/// Returns:   as ordered_heap; give_back_due() sees to the parts of this thread and of ended ones.
///            Reset and destruction return everything, whatever lives in it, to page_source(),
///            which keeps it for a second.
/// Misuse:    found in every build, as in affinity_heap, and named: memory of another shared_heap,
///            of an affinity, of a heap that is gone (until another one hands its
///            address out again), or of malloc; double frees.
/// Threads:   any; reset and destruction only when no other thread uses it any more, which a
///            thread's end needs not wait for. Works while a thread ends and in a forked child,
///            whose usage() is as exact as an affinity's there.
/// Failure:   out_of_memory / nullptr; nothing changes.
class shared_heap final : public resource_base<shared_heap> {
public:
    static constexpr bool is_concurrent = true;
    using trim_result = affinity_heap::trim_result;

    /// Allocates nothing.
    shared_heap() noexcept : shared_heap{shared_heap_options{}} {}
    explicit shared_heap(const shared_heap_options& options) noexcept;
    ~shared_heap() override;

    /// Returns nullptr if there is no memory or the alignment is not a power of two (in checked
    /// builds that is a contract violation).
    [[nodiscard]] ARENITE_INLINE void*
    try_allocate(std::size_t bytes, std::size_t alignment = default_alignment) noexcept {
        if (void* const ready = take_ready(bytes, alignment)) [[likely]]
            return ready;
        void* const p = allocate_slow(bytes, alignment);
        call_sites::allocated(p, bytes);
        return p;
    }

    /// Frees memory that was allocated with the same size and alignment. p must not be nullptr.
    ARENITE_INLINE void deallocate(void* p, std::size_t bytes,
                                   std::size_t alignment = default_alignment) noexcept {
        call_sites::freed(p);
        auto* const mine = detail::thread_table::ready_within(core_.thread_place_, alignment);
        if (!detail::thread_table::try_free(mine, p, bytes, alignment)) [[unlikely]]
            deallocate_slow(p, detail::slab_front::given_bytes(bytes), alignment);
    }

    /// Frees memory that was allocated here, without its size. p must not be nullptr.
    ARENITE_INLINE void deallocate(void* p) noexcept {
        call_sites::freed(p);
        auto* const mine =
            detail::thread_table::ready_within(core_.thread_place_, default_alignment);
        if (!detail::thread_table::try_free(mine, p)) [[unlikely]]
            deallocate_slow(p, detail::unknown_bytes, 1);
    }

    /// Resizes the object at p in place to `new_bytes` (not 0) and returns true if that is
    /// possible. Otherwise returns false and changes nothing.
    [[nodiscard]] bool try_resize(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                  std::size_t alignment = default_alignment) noexcept;

    /// Usable bytes at p, an allocation of this heap; for any other pointer this is misuse, found
    /// in every build.
    [[nodiscard]] std::size_t size_of(const void* p) const noexcept;

    /// True if p points into memory of this heap, allocated or not. O(1), from any thread.
    [[nodiscard]] bool owns(const void* p) const noexcept;

    /// Frees everything at once, without running destructors: O(blocks). No other thread may be
    /// using the heap; all may go on to use it afterwards.
    void reset() noexcept;

    /// Returns all unused memory; see affinity_heap::trim.
    trim_result trim() noexcept;

    /// Returns a little of the memory that has been idle for a second or more, where some is due;
    /// for the loop of a program. True if it took a step. See affinity_heap::give_back_due, which
    /// leaves this heap alone.
    bool give_back_due() noexcept;

    /// O(threads); see affinity_heap::usage.
    [[nodiscard]] arenite::usage usage() const noexcept;

    /// Lists all its memory; see affinity_heap::list_regions.
    void list_regions(region_sink& sink) const;

    /// Writes what lives where; see affinity_heap::report.
    void report(std::ostream& out) const { core_.report(out); }
    void report_json(std::ostream& out) const { core_.report_json(out); }

    /// The name that was given, or "at 0x7ffd0010".
    [[nodiscard]] std::string_view name() const noexcept { return core_.name(); }

private:
    friend class resource_base<shared_heap>;

    /// A slot of this thread's part, where one lies ready; else nullptr, and allocate_slow is to be
    /// called.
    [[nodiscard]] ARENITE_INLINE void* take_ready(std::size_t bytes,
                                                  std::size_t alignment) noexcept {
        return detail::thread_table::try_take(
            detail::thread_table::ready_within(core_.thread_place_, alignment), bytes, alignment);
    }

    ARENITE_NOINLINE void* allocate_slow(std::size_t bytes, std::size_t alignment) noexcept;
    ARENITE_NOINLINE void deallocate_slow(void* p, std::size_t bytes,
                                          std::size_t alignment) noexcept;

    affinity_heap core_;
    bool passes_through_;
    mutable detail::fork_lock<std::mutex> singles_lock_;
    detail::passthrough_chain singles_; ///< every allocation, with ARENITE_PASSTHROUGH=1
};

} // namespace ARENITE_ABI
} // namespace arenite
