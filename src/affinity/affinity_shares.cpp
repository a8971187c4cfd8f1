// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The list of an affinity's shares: those of its threads, abandoned ones, and the one for large
// objects.
#include <arenite/affinity/detail/affinity_shares.hpp>

#include <arenite/affinity/detail/affinity_share.hpp>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

affinity_shares::pin::pin(const affinity_shares& shares) noexcept : shares_{shares} {
    const std::lock_guard lock{shares_.lock_};
    ++shares_.walkers_;
}
affinity_shares::pin::~pin() {
    const std::lock_guard lock{shares_.lock_};
    --shares_.walkers_;
}
affinity_share* affinity_shares::next(const affinity_share& share) noexcept {
    return share.next_of_affinity;
}

/// Readers follow the list without the lock: the new share is linked before first_ leads to it.
void affinity_shares::add(affinity_share& share) noexcept {
    const std::lock_guard lock{lock_};
    share.next_of_affinity = first_.load(std::memory_order_relaxed);
    first_.store(&share, std::memory_order_release);
}

/// The lock keeps shares from being retired. Who gets one is decided by the share's own word, since
/// another thread may be taking it for a call.
affinity_share* affinity_shares::adopt(share_kind kind, const void* me) noexcept {
    if (!has_orphans())
        return nullptr;
    const std::lock_guard lock{lock_};
    for (affinity_share* s = first_.load(std::memory_order_relaxed); s != nullptr;
         s = s->next_of_affinity) {
        if (s->kind() != kind || !s->is_abandoned() || !s->adopt(me))
            continue;
        orphans_.fetch_sub(1, std::memory_order_relaxed);
        return s;
    }
    return nullptr;
}

/// Counted before the share can be found, as whoever adopts it counts it off.
void affinity_shares::abandon(affinity_share& share) noexcept {
    orphans_.fetch_add(1, std::memory_order_relaxed);
    end_borrowing(share, true);
}

void affinity_shares::end_borrowing(affinity_share& share, bool is_empty) noexcept {
    // Two abandoned ones may be empty and wait, with warm memory; further ones go.
    if (is_empty && orphans_.load(std::memory_order_relaxed) > most_empty &&
        share.trim_if_empty() && try_retire(share))
        return;
    share.abandon();
}

/// Takes a share that holds nothing, and is the calling thread's or borrowed by it, to where the
/// next one comes from.
bool affinity_shares::try_retire(affinity_share& share) noexcept {
    {
        const std::lock_guard lock{lock_};
        // A walker may stand on it, or is about to follow its link: another time, then.
        if (walkers_ != 0)
            return false;
        take_out(share);
    }
    affinity_share::retire(share);
    return true;
}

/// Under the lock, without walkers. Its books outlive it here: the sum of high waters that it was
/// part of, and what its thread freed of other shares.
void affinity_shares::take_out(affinity_share& share) noexcept {
    std::size_t high_water = 0;
    affinity_share* before = nullptr;
    for (affinity_share* s = first_.load(std::memory_order_relaxed); s != nullptr;
         s = s->next_of_affinity) {
        high_water += s->high_water_noted();
        if (s->next_of_affinity == &share)
            before = s;
    }
    note_high_water(high_water);
    if (before == nullptr)
        first_.store(share.next_of_affinity, std::memory_order_relaxed);
    else
        before->next_of_affinity = share.next_of_affinity;
    orphans_.fetch_sub(1, std::memory_order_relaxed);
    const arenite::usage left = share.balance();
    bytes_.fetch_add(left.bytes_in_use, std::memory_order_relaxed);
    objects_.fetch_add(left.live_allocations, std::memory_order_relaxed);
}

void affinity_shares::retire_empty() noexcept {
    affinity_share* retired = nullptr;
    {
        const std::lock_guard lock{lock_};
        affinity_share* next = walkers_ != 0 ? nullptr : first_.load(std::memory_order_relaxed);
        while (next != nullptr) {
            affinity_share& s = *next;
            next = s.next_of_affinity;
            // Taken by a mark that no thread has, so that none adopts it meanwhile.
            if (s.kind() == share_kind::large || !s.is_abandoned() || !s.adopt(&s))
                continue;
            if (!s.holds_nothing()) {
                s.abandon();
                continue;
            }
            take_out(s);
            s.next_of_thread = retired;
            retired = &s;
        }
    }
    // Without the lock, since memory goes back here.
    while (retired != nullptr) {
        affinity_share& s = *retired;
        retired = s.next_of_thread;
        s.next_of_thread = nullptr;
        affinity_share::retire(s);
    }
}

void affinity_shares::end() noexcept {
    affinity_share* next = first_.exchange(nullptr, std::memory_order_acquire);
    while (next != nullptr) {
        affinity_share& s = *next;
        next = s.next_of_affinity;
        s.next_of_thread = nullptr;
        s.reset();
        affinity_share::retire(s);
    }
    orphans_.store(0, std::memory_order_relaxed);
}

/// One thread is left, and no walker: the threads that are gone may have been anywhere, so shares
/// without one are counted anew.
void affinity_shares::after_fork_in_child(const void* me) noexcept {
    walkers_ = 0;
    int orphans = 0;
    for (affinity_share* s = first_.load(std::memory_order_relaxed); s != nullptr;
         s = s->next_of_affinity) {
        s->abandon_after_fork(me);
        s->remote().forget_queued_blocks();
        if (s->is_abandoned() && s->kind() != share_kind::large)
            ++orphans;
    }
    orphans_.store(orphans, std::memory_order_relaxed);
}

void affinity_shares::queue_marked_blocks() noexcept {
    for (affinity_share* s = first_.load(std::memory_order_relaxed); s != nullptr;
         s = s->next_of_affinity)
        s->remote().queue_marked_blocks();
}

std::size_t affinity_shares::count() const noexcept {
    std::size_t n = 0;
    for_each([&](const affinity_share&) { ++n; });
    return n;
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
