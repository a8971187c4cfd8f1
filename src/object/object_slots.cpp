// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The untyped part of object_pool, over a pool that keeps contents. In this order: ending idle
// objects, refusing what is no object in use, and going through all of them by parts. Read the
// header's table of marks first. A bit of the pool says taken or free, and only a mark tells an
// object in use from an idle one or from a slot that the pool holds in its cache; so each walk here
// looks at both.
#include <arenite/object/detail/object_slots.hpp>

#include <arenite/check/detail/poison.hpp>
#include <arenite/core/contract.hpp>

#include <algorithm>
#include <limits>
#include <source_location>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

namespace {

/// Bytes that a pool with a limit requests at first, at most: a limit may be far beyond what
/// there is.
constexpr std::size_t ahead_bytes = std::size_t{2} << 20;

pool_options options_of(const object_slots::geometry& g, const object_pool_options& o) noexcept {
    const bool fixed = o.capacity != object_pool_options{}.capacity;
    const std::size_t ahead =
        std::min(o.capacity, g.slots.slots_in(g.block_bytes - g.first) *
                                 std::max<std::size_t>(1, ahead_bytes / g.block_bytes));
    return {.policy = return_policy::retain_all,
            .eager = o.eager,
            .prefault = o.prefault,
            .expected = fixed ? std::max(o.expected, ahead) : o.expected,
            .mask_bytes = g.block_bytes};
}

} // namespace

object_slots::object_slots(slot s, const geometry& g, const object_pool_options& options,
                           bool keep_contents, void* holder, upstream up)
    : pool_{s, options_of(g, options), options.capacity, keep_contents, holder, up} {
    // The header computes addresses with constants of the compiler's; both sides must have computed
    // the same.
    if (pool_.layout_.block_bytes != g.block_bytes || pool_.layout_.first != g.first)
        contract_violation("an object_pool and its pool_resource see different slots");
}

// ---- ending -------------------------------------------------------------------------------------

void object_slots::end_idle(end_function ending) noexcept {
    [[maybe_unused]] const auto inside = enter();
    // Until a walk finds none: ends may release further objects behind the place where the walk is.
    while (end_some_idle(ending)) {
    }
}

/// An object's end may release others, below it as well, and acquire: its slot is taken meanwhile.
bool object_slots::end_some_idle(end_function ending) noexcept {
    bool any = false;
    pool_.begin_visit();
    for (block* b = pool_.first_block(); b != nullptr; b = pool_.block_above(*b)) {
        mark* const marks = pool_.marks_of(*b);
        for (std::size_t i = 0; i < b->note * bits::word_bits; ++i) {
            if (!is_idle(marks[i]) || bits::all_set(b->occupancy(), i, 1))
                continue;
            any = true;
            std::byte* const p = pool_.slot_at(*b, i);
            // Taken while its end runs, so that an acquire within it does not get this slot.
            pool_.take_at(*b, i);
            ending(p);
            poison::no_access(p, pool_.slot_bytes());
            forget(marks[i]);
            pool_.clear_run(p, 1);
        }
    }
    pool_.end_visit();
    return any;
}

void object_slots::trim(end_function ending) noexcept {
    [[maybe_unused]] const auto inside = enter();
    if (ending != nullptr)
        end_idle(ending);
    if (returns_ == std::numeric_limits<std::uint32_t>::max())
        return; // a later block could not be told from an earlier one
    ++returns_;
    pool_.settle();
    renew_unused_blocks();
    pool_.trim();
}

/// Lets the blocks that hold nothing but retired slots begin anew.
void object_slots::renew_unused_blocks() noexcept {
    for (block* b = pool_.first_block(); b != nullptr; b = pool_.block_above(*b)) {
        mark* const marks = pool_.marks_of(*b);
        const std::size_t slots = b->note * bits::word_bits;
        const auto retired =
            b->live == 0 || retired_ == 0 ? 0 : std::count(marks, marks + slots, worn - 1);
        if (b->live != retired)
            continue;
        for (std::size_t i = 0; i < slots; ++i) {
            if (marks[i] == worn - 1) {
                pool_.clear_run(pool_.slot_at(*b, i), 1);
                --retired_;
            }
            marks[i] = 0;
        }
        // The block's own mark: the round in which it began.
        marks[-1] = 0;
    }
}

// ---- misuse -------------------------------------------------------------------------------------

void object_slots::end(const char* kind) noexcept {
    if (in_use() == 0)
        // Slots that were retired would else look alive to the pool's report of leaks.
        return renew_unused_blocks();
    for (block* b = pool_.first_block(); b != nullptr; b = pool_.block_above(*b))
        for (std::size_t i = 0; i < b->note * bits::word_bits; ++i)
            if (is_in_use(pool_.marks_of(*b)[i]))
                contract_violation_f(std::source_location::current(),
                                     "%s %p ends while objects of it are in use: %zu, the first of "
                                     "them %p in slot %zu",
                                     kind, pool_.holder_, in_use(),
                                     static_cast<const void*>(pool_.slot_at(*b, i)),
                                     number_of(pool_.slot_at(*b, i)));
}

void object_slots::refuse(const void* p, const char* why) const {
    contract_violation_f(std::source_location::current(),
                         "%p, slot %zu, was given back to object_pool %p: %s", p, number_of(p),
                         pool_.holder_, why);
}

/// Slots are numbered from 0 in address order.
std::size_t object_slots::number_of(const void* p) const noexcept {
    std::size_t before = 0;
    for (block* b = pool_.first_block(); b != nullptr; b = pool_.block_above(*b)) {
        if (pool_.block_of(p) == b)
            // O(blocks): for messages only.
            return before + pool_.index_of(*b, p);
        before += pool_.slots_of(*b);
    }
    return 0;
}

bool object_slots::has(const void* p, mark m, std::uint32_t then) const noexcept {
    return contains(p) && pool_.marks_of(*pool_.block_of(p))[-1] <= then && mark_at(p) == m;
}

bool object_slots::contains(const void* p) const noexcept {
    const pool_resource::location at = pool_.locate(static_cast<const std::byte*>(p));
    return at.what == pool_resource::location::slot && at.taken && at.begin == p &&
           is_in_use(mark_at(p));
}

object_slots::mark object_slots::mark_at(const void* slot) const noexcept {
    block& b = *pool_.block_of(slot);
    return pool_.marks_of(b)[pool_.index_of(b, slot)];
}

bool object_slots::try_reserve(std::size_t objects) noexcept {
    [[maybe_unused]] const auto inside = enter();
    if (objects > pool_.capacity() || objects > pool_.capacity() - retired_)
        return false;
    return pool_.try_reserve(objects + retired_);
}

// ---- going through them -------------------------------------------------------------------------

object_slots::stretch object_slots::part(std::size_t i, std::size_t n) const noexcept {
    std::size_t words = 0;
    for (block* b = pool_.first_block(); b != nullptr; b = pool_.block_above(*b))
        words += b->note;
    // Without an overflow, and as even as can be.
    const auto bound = [&](std::size_t k) { return words / n * k + std::min(words % n, k); };
    const std::size_t from = bound(i);
    const std::size_t to = bound(i + 1);
    stretch found;
    if (from == to)
        return found;
    std::size_t below = 0; // words of the blocks below b
    for (block* b = pool_.first_block(); b != nullptr; b = pool_.block_above(*b)) {
        if (found.first == nullptr && from < below + b->note) {
            found.first = b;
            found.first_word = from - below;
        }
        if (to <= below + b->note) {
            found.last = b;
            found.last_word = to - below;
            break;
        }
        below += b->note;
    }
    return found;
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
