// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/affinity/detail/thread_heap_front.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/module_close.hpp>
#include <arenite/core/lent_memory.hpp>
#include <arenite/core/resource_base.hpp>

#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

class thread_heap;

/// Pages of page_source() that tell whose they are: the upstream of one thread heap.
///
///     address  ->  table, by units of 64 KiB  ->  thread_heap
///
/// Memory of a heap is entered with its address before anybody can have a pointer into it, and
/// taken out before it goes back. So whether an address is an affinity's, and which one's, is known
/// without a look at what lies there: thread_heap_front::around().
///
/// Use when:  for thread_heap alone.
/// Cost:      that of page_source(), and a store for each 64 KiB; find: two loads.
/// Threads:   any.
/// Failure:   nullptr; nothing changes.
class affinity_pages final : public resource_base<affinity_pages> {
public:
    /// They belong to no heap until belong_to(), which comes before the first request.
    affinity_pages() noexcept = default;
    void belong_to(thread_heap& heap, unsigned affinity) noexcept {
        index_ = affinity;
        word_ = address_of(&heap);
    }
    /// The index that they were told.
    [[nodiscard]] unsigned index() const noexcept { return index_; }

    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = default_alignment) noexcept {
        return lend(bytes, alignment, page_use::sparse).p;
    }
    [[nodiscard]] lent_memory lend(std::size_t bytes, std::size_t alignment, page_use use) noexcept;
    void deallocate(void* p, std::size_t bytes, std::size_t alignment = default_alignment) noexcept;

    /// deallocate, without the delay of page_source().
    void release(void* p, std::size_t bytes, std::size_t alignment = default_alignment) noexcept;
    void purge(void* p, std::size_t bytes) noexcept;
    bool give_back_due() noexcept;

private:
#if ARENITE_HAS_MODULE_CLOSE
    ARENITE_AT_MODULE_CLOSE static void closed() noexcept;
#endif
    std::uintptr_t word_ = 0;
    unsigned index_ = 0;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
