// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// An affinity_share in a forked child: remote frees that were on their way.
#include <arenite/affinity/detail/affinity_share.hpp>

#include <arenite/block/detail/block_list.hpp>

#include <atomic>

// A thread that frees an object of another thread sets its bit, then `queued`, and then enters the
// block in the list of its share. A fork may come before the last step, and that thread is not in
// the child.

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Calls f for what others have ever freed in its open blocks.
template <class F>
void affinity_share::for_each_remote_frees(F f) noexcept {
    if (kind_ != share_kind::ordered || locked_ || heap().gate().entered())
        return; // it was changing at the fork: it is not used
    const block_list& all = heap().slabs().blocks().blocks();
    for (block* b = all.first(); b != nullptr; b = all.above(*b))
        if ((b->state & block_state::open) != 0)
            if (remote_frees* const r = remote_frees::find(*b))
                f(*r);
}

void affinity_share::forget_queued_blocks() noexcept {
    const auto forget = [](remote_frees& r) {
        if (r.queued.load(std::memory_order_relaxed)) // else its page stays the parent's too
            r.queued.store(false, std::memory_order_relaxed);
    };
    queue_.clear(forget);
    for_each_remote_frees(forget);
}

void affinity_share::queue_marked_blocks() noexcept {
    for_each_remote_frees([&](remote_frees& r) {
        if (r.has_any() && !r.queued.exchange(true, std::memory_order_relaxed))
            queue_.push(r);
    });
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
