// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <atomic>
#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// A queue of allocations that many threads put in and one thread takes out, without a lock and
/// without a loop on either side; the entries lie in the allocations themselves.
///
///     first (the taker's) --> a --> b --> c <-- last (exchanged by those who put in)
///
/// An entry that is being put in ends the queue for the taker until it is linked: nothing is lost,
/// it is found by a later call.
///
/// Cost:      put: one exchange and two stores; take: four loads at most, one exchange at most.
/// Threads:   put: any; take: one.
/// Source:    Vyukov, MPSC queue (2010).  (doc/sources.md)
class handover_queue {
public:
    struct entry {
        std::atomic<entry*> next;
        std::size_t mark; ///< of whoever puts it in
    };

    handover_queue() noexcept : first_{&stub_}, last_{&stub_} {}
    handover_queue(const handover_queue&) = delete;
    handover_queue& operator=(const handover_queue&) = delete;

    /// The last one may be put in and taken again and again.
    ARENITE_INLINE void put(entry& e) noexcept {
        e.next.store(nullptr, std::memory_order_relaxed);
        entry* const before = last_.exchange(&e, std::memory_order_acq_rel);
        before->next.store(&e, std::memory_order_release);
    }

    /// The entry that was put in first; nullptr if there is none, or it is not linked yet.
    [[nodiscard]] ARENITE_INLINE entry* take() noexcept {
        entry* first = first_;
        entry* next = first->next.load(std::memory_order_acquire);
        if (first == &stub_) {
            if (next == nullptr)
                return nullptr;
            first_ = first = next;
            next = next->next.load(std::memory_order_acquire);
        }
        if (next == nullptr) {
            if (last_.load(std::memory_order_acquire) != first)
                return nullptr; // another one is being linked behind it
            put(stub_);
            next = first->next.load(std::memory_order_acquire);
            if (next == nullptr)
                return nullptr;
        }
        first_ = next;
        return first;
    }

    /// True for what stands between the entries, and is none.
    [[nodiscard]] bool is_own(const entry* e) const noexcept { return e == &stub_; }

    /// False only if nothing is in it, and nothing is being put in. By the taker.
    [[nodiscard]] bool may_have() const noexcept {
        return first_ != &stub_ || last_.load(std::memory_order_acquire) != &stub_;
    }

private:
    entry* first_;                         // the taker's
    entry stub_{nullptr, 0};               // so that the queue is never empty
    alignas(64) std::atomic<entry*> last_; // written by all others
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
