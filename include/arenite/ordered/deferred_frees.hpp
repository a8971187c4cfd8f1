// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/resource_base.hpp>
#include <arenite/ordered/ordered_heap.hpp>

#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {

/// An ordered_heap while many objects of it are freed: up to 64 frees wait, and are done in one
/// loop.
///
///     arenite::deferred_frees scope{heap};
///     for (node* n : doomed)
///         arenite::destroy(scope, n);
///
///     deallocate ->  | p | p | p | p | ...  64 |  -> heap, when it is full or the scope ends
///
/// A free waits for the memory of its object's slab. Where each object is read before it is freed,
/// as destructors do, that keeps the processor from reading the next one; here it goes on reading.
///
/// Use when:  thousands of objects that are not in the cache are read and freed in no order: a
///            large scene is deleted. Where they are in the cache, or are freed in the order of
///            their addresses, the heap itself is as fast or faster. If nothing of the heap is to
///            stay: ordered_heap::reset.
/// Cost:      a free: a store, and its share of the loop. Objects above 1 KiB are freed at once.
/// Overhead:  536 bytes, in the object; up to 64 objects more in use than were freed.
/// Misuse:    as of the heap, but found later: when what waits is freed, at the latest at the end
///            of the scope, by the address and not at the call. Checked builds free at once.
/// Threads:   one at a time, and the heap's rule. Meanwhile the heap may be used directly, except
///            that it must not be reset, destroyed, or told to free what waits here.
/// Failure:   that of the heap.
class deferred_frees final : public resource_base<deferred_frees> {
public:
    /// The heap must outlive the scope.
    explicit deferred_frees(ordered_heap& heap) noexcept : heap_{heap} {}
    ~deferred_frees() override { flush(); }

    /// From the heap.
    [[nodiscard]] ARENITE_INLINE void*
    try_allocate(std::size_t bytes, std::size_t alignment = default_alignment) noexcept {
        return heap_.try_allocate(bytes, alignment);
    }

    /// Frees memory of the heap, now or soon. p must not be nullptr.
    ARENITE_INLINE void deallocate(void* p, std::size_t bytes,
                                   std::size_t alignment = default_alignment) noexcept {
        if (!ordered_heap::may_wait(bytes)) [[unlikely]]
            return heap_.deallocate(p, bytes, alignment);
        waiting_[count_] = p;
        if (++count_ == most) [[unlikely]]
            flush();
    }

    /// Frees what waits.
    void flush() noexcept {
        const std::uint32_t count = count_;
        count_ = 0; // before: a handler of misuse may not come back
        heap_.deallocate_waiting(waiting_, count);
    }

    /// Frees that wait.
    [[nodiscard]] std::size_t waiting() const noexcept { return count_; }

    /// True if p points into memory of the heap, allocated or not.
    [[nodiscard]] bool owns(const void* p) const noexcept { return heap_.owns(p); }

    /// That of the heap, to which objects that wait are still in use.
    [[nodiscard]] arenite::usage usage() const noexcept { return heap_.usage(); }

    static constexpr std::size_t most = 64;

private:
    ordered_heap& heap_;
    std::uint32_t count_ = 0;
    void* waiting_[most];
};

} // namespace ARENITE_ABI
} // namespace arenite
