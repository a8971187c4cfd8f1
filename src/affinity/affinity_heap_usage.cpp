// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The figures of an affinity_heap, of one object and of all, and the list of its memory. Read
// usage() last: it adds up heaps of which other threads may be changing the figures at that moment,
// so that a sum may be off until they are idle. An object that a thread frees and another one owns
// is counted off in the heap of the thread that frees it, so a single heap's figures may be below 0
// (as unsigned numbers, very large); only the sum of all heaps is meaningful.
#include <arenite/affinity/affinity_heap.hpp>

#include <arenite/affinity/detail/affinity_registry.hpp>
#include <arenite/affinity/detail/locked_heap.hpp>
#include <arenite/affinity/detail/thread_heap.hpp>
#include <arenite/check/detail/poison.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/core/region.hpp>

#include <algorithm>
#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {

using detail::thread_heap;

namespace {

[[noreturn]] ARENITE_COLD void refuse_question(const void* p, const char* title) {
    contract_violation_f(std::source_location::current(),
                         "size_of(%p): no allocation of %s begins there, or it was freed", p,
                         title);
}

} // namespace

std::size_t affinity_heap::size_of(const void* p) const noexcept {
    thread_heap* const home = thread_heap::around(p);
    if (home == nullptr) {
        const detail::outside_memory::prefix* const before = detail::outside_memory::of(p);
        if (before == nullptr || before->affinity() != index_)
            refuse_question(p, title_);
        return static_cast<std::size_t>(before->size);
    }
    if (home->affinity() != index_)
        refuse_question(p, title_);
    const std::size_t bytes =
        home->is_locked() ? detail::locked_heap{*home}.size_of(p) : home->size_of(p);
    // A caller who asks for the size means to use all of it.
    detail::poison::defined(p, bytes);
    return bytes;
}

arenite::usage affinity_heap::usage_all() noexcept {
    arenite::usage sum;
    for (const affinity_heap& h : all())
        sum += h.usage();
    return sum;
}

void affinity_heap::list_regions_all(region_sink& sink) {
    for (const affinity_heap& h : all())
        h.list_regions(sink);
}

arenite::usage affinity_heap::usage() const noexcept {
    // Heaps that were retired leave their part of the sum in the list: it may well be negative,
    // where their threads freed objects of others.
    arenite::usage sum = heaps_.sum([](thread_heap& each) {
        return each.is_locked()                               ? detail::locked_heap{each}.usage()
               : each.is_mine(detail::thread_table::thread()) ? each.usage()
                                                              : each.usage_approximate();
    });
    const std::size_t outside = outside_.bytes.load(std::memory_order_relaxed);
    sum.bytes_in_use += outside;
    sum.bytes_reserved += outside;
    sum.live_allocations += outside_.allocations.load(std::memory_order_relaxed);
    // While others work these are of several moments: never more than there is.
    if (sum.bytes_in_use > sum.bytes_reserved)
        sum.bytes_in_use = sum.bytes_in_use > detail::max_object_bytes ? 0 : sum.bytes_reserved;
    if (sum.live_allocations >
        detail::max_object_bytes) // freed here before, allocated there after the look
        sum.live_allocations = 0;
    const std::size_t inside = sum.bytes_in_use - std::min(outside, sum.bytes_in_use);
    sum.high_water_bytes = heaps_.note_high_water(std::max(sum.high_water_bytes, inside)) +
                           outside_.high_water.load(std::memory_order_relaxed);
    return sum;
}

void affinity_heap::list_regions(region_sink& sink) const {
    heaps_.for_each([&](thread_heap& each) {
        if (each.is_locked() || !each.is_mine(detail::thread_table::thread()))
            detail::locked_heap{each}.list_regions(sink);
        else
            each.list_regions(sink);
    });
}

} // namespace ARENITE_ABI
} // namespace arenite
