// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Freeing on behalf of all threads: from an address to the heap around it, its home, and there by
// the way that is open to this thread. A locked heap takes the free under its lock, its own thread
// frees at once, an abandoned one is borrowed for the call, and another thread's gets a remote
// free. Read deallocate_of() first, then deallocate_to(). An address that no heap is around lies
// outside: memory of `standard`, or of a user's own strategy.
#include <arenite/affinity/affinity_heap.hpp>

#include <arenite/affinity/detail/affinity_registry.hpp>
#include <arenite/affinity/detail/locked_heap.hpp>
#include <arenite/affinity/detail/outside_memory.hpp>
#include <arenite/affinity/detail/thread_heap.hpp>
#include <arenite/affinity/detail/thread_table.hpp>
#include <arenite/check/detail/resource_text.hpp>
#include <arenite/core/contract.hpp>

#include <algorithm>
#include <cstddef>
#include <source_location>

namespace arenite {
inline namespace ARENITE_ABI {

using detail::outside_memory;
using detail::thread_heap;
using detail::thread_table;

namespace {

/// Whose memory a pointer is not: a program on libarenite-malloc may know of no affinity.
constexpr const char* an_affinity = ARENITE_IS_MALLOC ? "this malloc" : "an affinity";
constexpr const char* any_of_these =
    ARENITE_IS_MALLOC ? "this malloc" : "an affinity or shared_heap";

[[noreturn]] ARENITE_COLD void refuse_foreign(const void* p, const char* title) {
    detail::refuse_if_null(p);
    call_sites::write_of_violation(p);
    contract_violation_f(std::source_location::current(),
                         "%p was freed into %s, but it is no memory of %s, or was freed before", p,
                         title, any_of_these);
}

[[noreturn]] ARENITE_COLD void refuse_other(const void* p, const char* title, const char* other) {
    call_sites::write_of_violation(p);
    contract_violation_f(std::source_location::current(),
                         "%p was freed into %s, but it is memory of %s", p, title, other);
}

} // namespace

/// Frees an object that the thread's heap can't free at once, if it is another heap's. Most that
/// come here are another thread's. A locked heap is asked for its own only, so `here` counts them.
bool affinity_heap::deallocate_foreign(detail::slab_heap& here, void* p, std::size_t bytes,
                                       std::size_t alignment) noexcept {
    thread_heap* const home = thread_heap::around(p);
    if (home == &thread_heap::of(here))
        return false;
    auto& its = *static_cast<affinity_heap*>(here.owner().heap);
    const bool is_in_this = home != nullptr && home->affinity() == its.index_;
    if (is_in_this && home->is_anothers()) [[likely]] {
        home->remote().free(p, bytes, its.at_least_own(alignment), &here);
        return true;
    }
    // A thread may have several heaps of an affinity: those that it adopted.
    const bool is_own = is_in_this && !home->is_locked() && home->is_mine_and_an_affinitys();
    if (!is_own || !home->heap().try_give_in_own(p))
        its.deallocate_of(home, p, bytes, alignment);
    return true;
}

void affinity_heap::deallocate_slow(void* p, std::size_t bytes, std::size_t alignment) noexcept {
    deallocate_of(thread_heap::around(p), p, bytes, alignment);
}

/// An object around which this heap is; null: none, so that it lies outside.
void affinity_heap::deallocate_of(thread_heap* home, void* p, std::size_t bytes,
                                  std::size_t alignment) noexcept {
    alignment = at_least_own(alignment);
    if (home == nullptr) {
        outside_memory::prefix* const before = outside_memory::of(p);
        if (before == nullptr)
            refuse_foreign(p, title_);
        if (before->affinity() != index_)
            refuse_other(p, title_, detail::affinity_registry::at(before->affinity()).title_);
        if (checks_enabled && bytes != detail::unknown_bytes &&
            before->size != std::max<std::size_t>(bytes, 1)) {
            call_sites::write_of_violation(p);
            contract_violation_f(std::source_location::current(),
                                 "%p was freed into %s as %zu bytes but allocated as %zu", p,
                                 title_, bytes, static_cast<std::size_t>(before->size));
        }
        return outside_memory::deallocate(p, *before, outside_);
    }
    if (home->affinity() != index_)
        refuse_other(p, title_, home->title());
    deallocate_to(*home, p, bytes, alignment);
}

/// Into a heap of this affinity, of whatever thread.
void affinity_heap::deallocate_to(thread_heap& home, void* p, std::size_t bytes,
                                  std::size_t alignment) noexcept {
    if (home.is_locked())
        return detail::locked_heap{home}.deallocate(p, bytes, alignment);
    if (home.is_mine(thread_table::thread()))
        return home.deallocate(p, bytes, alignment);
    // One that is abandoned is borrowed for this call: kept, it would be lost to the others.
    if (home.is_abandoned() && home.adopt(thread_table::thread())) {
        const bool was_last = home.deallocate_and_look(p, bytes, alignment);
        return heaps_.end_borrowing(home, was_last);
    }
    detail::slab_heap* const own = thread_table::current_of_thread(index_);
    // Memory of abandoned heaps is for threads that allocate. This free still counts in the queue:
    // else its counter would stay, and each thread that comes next would make a heap, too.
    if (own == nullptr && home.remote().wants_a_heap_to_count_in()) [[unlikely]]
        begin_thread(orphans::empty);
    home.remote().free(p, bytes, alignment, own);
}

void affinity_heap::deallocate_any_slow(void* p, std::size_t bytes,
                                        std::size_t alignment) noexcept {
    if (p == nullptr)
        return;
    thread_heap* const home = thread_heap::around(p); // once, for all that follows
    if (home != nullptr && home->is_mine_and_an_affinitys() && !home->is_locked()) [[likely]] {
        // An object in a page of it has been freed before this.
        const affinity_heap& its = *static_cast<affinity_heap*>(home->user());
        return home->heap().deallocate_elsewhere(p, bytes, its.at_least_own(alignment));
    }
    affinity_heap* const h = home != nullptr ? heap_of_front(*home) : heap_of_outside(p);
    if (h == nullptr)
        call_sites::write_of_violation(p);
    if (h == nullptr && home != nullptr)
        contract_violation_f(std::source_location::current(),
                             "%p was freed as memory of an affinity, but it is memory of %s", p,
                             home->title());
    if (h == nullptr)
        contract_violation_f(std::source_location::current(),
                             "%p was freed, but it is no memory of %s, or was freed before", p,
                             an_affinity);
    h->deallocate_of(home, p, bytes, alignment);
}

affinity_heap* affinity_heap::heap_of_outside(const void* p) noexcept {
    const outside_memory::prefix* const before = p == nullptr ? nullptr : outside_memory::of(p);
    return before == nullptr ? nullptr : &detail::affinity_registry::at(before->affinity());
}

} // namespace ARENITE_ABI
} // namespace arenite
