// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// An idle heap gives pages back. look_now() decides: it compares what is in use with what was at
// the last look, half a second or more before, and counts how often in a row they were about equal.
// step() then sees to a few blocks a call, each under the heap's gate, as others may be listing it.
// Last comes the part of slab_source that a step calls. Time is given by the caller: nothing here
// reads a clock.
#include <arenite/ordered/detail/idle_pages.hpp>

#include <arenite/ordered/detail/slab_heap.hpp>

#include <algorithm>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

namespace {

bool is_about(std::size_t a, std::size_t b) noexcept {
    // A heap in use is never quite still: a sixteenth, and 64 KiB for small heaps, pass as equal.
    constexpr std::size_t little = std::size_t{64} << 10;
    return (a > b ? a - b : b - a) <= b / 16 + little;
}

} // namespace

std::size_t idle_pages::in_use_in(const slab_heap& heap) noexcept {
    return heap.classes().bytes_in_use(heap.slabs().blocks());
}

std::size_t idle_pages::held_by(const slab_heap& heap) noexcept {
    return heap.slabs().blocks().bytes_reserved_approximate();
}

bool idle_pages::look_now(slab_heap& heap, std::uint64_t now_ms, who_asks who) noexcept {
    const bool unasked = who == who_asks::heap;
    if (unasked && (heap.slabs().blocks().keeps_all() || heap.slabs().blocks().prefaults()))
        return false;
    const std::size_t in_use = in_use_in(heap);
    if (returning_ && is_about(in_use, seen_bytes_))
        return step(heap);
    if (returning_) // what is free is wanted
        end_return();
    next_ms_ = now_ms + look_ms;
    const bool is_still = is_about(in_use, seen_bytes_);
    seen_bytes_ = in_use;
    if (!is_still) {
        still_looks_ = 0;
        // In use is half as much again as when the pages had gone back: the program came back for
        // them. Where it did not ask, any rise is taken for that.
        const std::size_t much = unasked ? in_use : in_use / 3 * 2;
        if (returned_bytes_ != 0 && much > returned_bytes_) {
            patience_ = std::min(patience_ * 2, most_patience); // it was wanted again
            returned_bytes_ = 0;
        }
        return false;
    }
    const std::size_t held = held_by(heap);
    if (++still_looks_ < patience_ || held < least_held_bytes ||
        in_use >= held / 4 * (unasked ? 1 : 3) ||
        (returned_bytes_ != 0 && is_about(in_use, returned_bytes_)))
        return false;
    returning_ = true;
    next_ms_ = now_ms;
    from_ = nullptr;
    return step(heap);
}

void idle_pages::end_return() noexcept {
    returning_ = false;
    // 0 would say that nothing was ever returned.
    returned_bytes_ = std::max<std::size_t>(seen_bytes_, 1);
}

/// Sees to no block where all were seen, or the upstream takes no pages back: false.
bool idle_pages::step(slab_heap& heap) noexcept {
    unsigned taken = 0;
    for (unsigned n = 0; n < step_blocks && taken < step_us; ++n) {
        const heap_gate::guard mark = heap.gate().enter();
        from_ = heap.slabs().purge_from(from_, taken);
        if (from_ == nullptr) {
            end_return();
            return n != 0;
        }
    }
    return true;
}

/// In this file, as trim() does it for all blocks.
const void* slab_source::purge_from(const void* from, unsigned& taken) noexcept {
    constexpr std::uint16_t any = 0xffff;
    block* const b = blocks_.purges() ? blocks_.blocks().lowest(any, from) : nullptr;
    if (b == nullptr)
        return nullptr;
    if ((b->state & block_state::large) == 0)
        taken += purge_free(*b);
    // The next block is the lowest one above this address; the block itself may be gone by then.
    return reinterpret_cast<const std::byte*>(b) + 1;
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
