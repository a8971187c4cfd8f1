// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Objects that are larger than a block serves, with memory of their own from the upstream, or side
// by side in spans that they share (shared_spans). Pieces that come back are kept for a while, by
// the return policy.
#include <arenite/block/detail/large_objects.hpp>

#include <arenite/block/detail/colouring.hpp>
#include <arenite/check/detail/poison.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/os/detail/platform.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <new>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

namespace {

constexpr std::size_t most_kept_objects = 16;
constexpr std::size_t kept_divisor = 4; // a request may leave this share of a kept piece unused
constexpr std::size_t slack_divisor = 8;
constexpr std::size_t resident_divisor = 8; // free in shared spans, to what is in use there
constexpr std::size_t most_empty_bytes = (std::size_t{1} << 20) + (std::size_t{64} << 10);
constexpr std::uint32_t youth = 16; // in allocations of large objects

/// A huge page costs as much as so much in small ones.
constexpr std::size_t least_shared = std::size_t{256} << 10;
constexpr std::size_t most_shared = std::size_t{4} << 20; // larger ones are not shared

/// The most slack that the head of a large object can record.
constexpr std::size_t most_slack = std::size_t{UINT32_MAX} / 2 * granule_bytes;

} // namespace

large_objects::large_objects(block_list& blocks, const upstream& up, return_policy policy,
                             std::size_t mask_bytes, bool prefault, void* owner) noexcept
    : blocks_{blocks}, upstream_{up}, policy_{policy}, mask_bytes_{mask_bytes}, owner_{owner},
      shared_{up, mask_bytes}, prefault_{prefault} {}

/// Bytes to ask for an object of `bytes`: an eighth to a quarter more, in steps that are few to a
/// power of two; but no huge page for one that would do without, and none where all is touched.
std::size_t large_objects::with_slack(std::size_t bytes) const noexcept {
    if (!upstream_.purges() || prefault_ || bytes > most_slack)
        return bytes;
    const std::size_t page = os::platform::page_bytes();
    const std::size_t step = std::max(std::bit_floor(bytes) / slack_divisor, page);
    const std::size_t more = align_up(bytes + bytes / slack_divisor, step);
    const std::size_t huge = os::platform::huge_page_bytes();
    return align_up(bytes, page) < huge ? std::min(more, huge - page) : more;
}

/// How to ask for memory of `bytes`. Multiples of the mask size are occupied in any case.
large_objects::plan large_objects::plan_for(std::size_t bytes,
                                            std::size_t may_waste) const noexcept {
    plan usual{.total = with_slack(bytes), .wasted = 0, .use = page_use::sparse};
    const std::size_t huge = os::platform::huge_page_bytes();
    if (!upstream_.purges() || huge < mask_bytes_ || huge > most_shared || bytes > most_slack)
        return usual;
    const auto within = [&](std::size_t wasted) { return wasted_ + wasted <= may_waste; };
    if (bytes < huge) {
        const std::size_t occupied = align_up(bytes, mask_bytes_);
        if (bytes < least_shared || may_waste == 0)
            return usual;
        // No more, though it may be refused: its slack may lie in a huge page all the same.
        const std::size_t page = os::platform::page_bytes();
        if (!prefault_)
            usual.total = std::max(std::min({occupied, huge - page, usual.total}), bytes);
        if (!within(occupied - bytes))
            return usual;
        return {.total = usual.total, .wasted = occupied - bytes, .use = page_use::dense};
    }
    // Whole huge pages are its own; of the rest it may fill enough.
    const std::size_t whole = align_down(usual.total, huge);
    if (bytes < whole + least_shared || !within(whole + huge - bytes))
        return usual;
    usual.wasted = whole + huge - bytes;
    usual.use = page_use::dense;
    return usual;
}

block* large_objects::try_allocate(std::size_t bytes, std::size_t alignment,
                                   std::size_t may_waste) noexcept {
    upstream_.give_back_due();
    if (policy_ != return_policy::retain_all)
        shared_.give_idle_empty();
    const std::size_t asked = std::max(alignment, mask_bytes_);
    std::size_t before = alignment;      // bytes in front of the object
    std::size_t most_before = alignment; // there is room for every colour, since others come later
    if (alignment < mask_bytes_) {
        before = most_before = std::max(alignment, sizeof(block));
        const bool anywhere = mask_bytes_ == alignof(block); // heads are found by a search
        if (alignment <= colour_bytes && (anywhere ? bytes : mask_bytes_) >= least_coloured_bytes) {
            before += blocks_.size() % colour_count * colour_bytes;
            most_before += (colour_count - 1) * colour_bytes;
        }
    }
    const auto needed = checked_add(most_before, bytes);
    if (!needed || before / granule_bytes > UINT32_MAX)
        return nullptr;
    std::size_t total = *needed;
    std::size_t wasted = 0;
    bool is_zero = false;
    std::byte* base = take_kept(total, asked);
    if (base == nullptr) {
        if (!may_grow_)
            return nullptr;
        const plan p = plan_for(*needed, may_waste);
        total = p.total;
        lent_memory lent = upstream_.lend(total, asked, p.use);
        if (lent.p == nullptr && total != *needed) {
            total = *needed;
            lent = upstream_.lend(total, asked, p.use);
        }
        if (lent.p == nullptr)
            return nullptr;
        base = static_cast<std::byte*>(lent.p);
        is_zero = lent.is_zero;
        wasted = p.wasted;
        reserved_ += total;
        wasted_ += wasted;
        if (prefault_)
            os::platform::prefault(base, *needed);
    }
    std::byte* const head = alignment < mask_bytes_ ? base : base + before - mask_bytes_;
    block* const b =
        enter(base, total, before, bytes, head,
              static_cast<std::uint32_t>(std::countr_zero(asked)) | (is_zero ? zero_note : 0));
    b->alarm = static_cast<std::int32_t>(wasted / granule_bytes);
    return b;
}

/// An object of `bytes`, `before` bytes behind the begin of its memory, with its head.
block* large_objects::enter(std::byte* base, std::size_t total, std::size_t before,
                            std::size_t bytes, std::byte* head, std::uint32_t note) noexcept {
    block* const b = ::new (static_cast<void*>(head)) block{};
    b->granules = static_cast<std::uint32_t>(before / granule_bytes);
    b->state = block_state::large;
    b->owner = owner_;
    b->span = reinterpret_cast<block*>(base);
    b->span_bytes = total;
    b->span_busy = static_cast<std::uint32_t>((total - before - bytes) / granule_bytes);
    b->note = note;
    b->live = static_cast<std::int32_t>(ages_.allocated++);
    poison::no_access(base + before + bytes, total - before - bytes);
    blocks_.insert(*b);
    bytes_ += bytes;
    ++count_;
    return b;
}

// ---- shared spans -------------------------------------------------------------------------------

block* large_objects::try_allocate_shared(std::size_t bytes, std::size_t alignment,
                                          std::size_t most_bytes, page_use use) noexcept {
    constexpr std::size_t unit = shared_spans::unit_bytes;
    if (!upstream_.purges() || bytes > shared_spans::largest_run ||
        alignment > shared_spans::largest_alignment)
        return nullptr;
    // The head lies a unit before an object that is aligned to more than that.
    const std::size_t before = std::clamp(alignment, sizeof(block), unit);
    const std::size_t total = align_up(before + bytes, unit);
    if (total < shared_spans::least_run)
        return nullptr;
    upstream_.give_back_due();
    const std::size_t new_span =
        most_bytes != 0 && may_grow_ ? shared_spans::span_bytes_for(total, most_bytes) : 0;
    const shared_spans::run got = shared_.try_take(total, alignment, new_span, use);
    if (got.p == nullptr)
        return nullptr;
    if (prefault_)
        os::platform::prefault(got.p, total);
    return enter(got.p, total, before, bytes, got.p, shared_note | (got.is_zero ? zero_note : 0));
}

bool large_objects::try_resize_shared(block& large, std::size_t new_bytes) noexcept {
    auto* const begin = reinterpret_cast<std::byte*>(large.span);
    const std::size_t before = large.bytes();
    const std::size_t total = align_up(before + new_bytes, shared_spans::unit_bytes);
    if (!shared_.try_resize(begin, large.span_bytes, total))
        return false;
    const std::size_t old_bytes = size(large);
    large.span_bytes = total;
    large.span_busy = static_cast<std::uint32_t>((total - before - new_bytes) / granule_bytes);
    bytes_ += new_bytes - old_bytes;
    poison::undefined(begin + before, std::max(old_bytes, new_bytes));
    poison::no_access(begin + before + new_bytes, total - before - new_bytes);
    return true;
}

void large_objects::give_shared(const block& large, std::size_t allowance) noexcept {
    const std::size_t kept = policy_ == return_policy::retain_all ? shared_spans::keep_all
                             : come_and_go() ? std::min(allowance, most_empty_bytes)
                                             : 0;
    shared_.give(reinterpret_cast<std::byte*>(large.span), large.span_bytes, kept,
                 policy_ == return_policy::return_all);
    return_excess(allowance);
}

bool large_objects::return_excess(std::size_t allowance) noexcept {
    return shared_.return_excess(std::max(allowance, shared_.bytes_taken() / resident_divisor));
}

bool large_objects::give_back_idle(std::size_t allowance) noexcept {
    if (policy_ != return_policy::retain_all && shared_.give_idle_empty())
        return true;
    return return_excess(allowance);
}

bool large_objects::try_resize(block& large, std::size_t new_bytes) noexcept {
    if (is_shared(large))
        return new_bytes != 0 && new_bytes <= shared_spans::largest_bytes &&
               try_resize_shared(large, new_bytes);
    const std::size_t old_bytes = size(large);
    const std::size_t room = old_bytes + slack(large);
    if (new_bytes > room || new_bytes == 0 || room - new_bytes > most_slack ||
        (!upstream_.purges() && new_bytes < room / 2))
        return false;
    std::byte* const p = object(large);
    large.span_busy = static_cast<std::uint32_t>((room - new_bytes) / granule_bytes);
    bytes_ += new_bytes - old_bytes;
    if (new_bytes >= old_bytes) {
        poison::undefined(p + old_bytes, new_bytes - old_bytes);
        return true;
    }
    if (upstream_.purges()) {
        const std::size_t page = os::platform::page_bytes();
        std::byte* const from = p + new_bytes + padding_for(p + new_bytes, page);
        std::byte* const to = std::min(p + old_bytes + padding_for(p + old_bytes, page),
                                       reinterpret_cast<std::byte*>(large.span) + large.span_bytes);
        if (from + page <= to)
            upstream_.purge(from, align_down(static_cast<std::size_t>(to - from), page));
    }
    poison::no_access(p + new_bytes, old_bytes - new_bytes);
    return true;
}

void large_objects::note_age(const block& large) noexcept {
    if (ages_.allocated - static_cast<std::uint32_t>(large.live) <= youth) // it may wrap
        ages_.young = std::min(ages_.young + 1, enough_young);
    else if (ages_.young != 0)
        --ages_.young;
}

/// An object's part in the figures.
void large_objects::forget(const block& large) noexcept {
    bytes_ -= size(large);
    wasted_ -= static_cast<std::size_t>(large.alarm) * granule_bytes;
    --count_;
}

bool large_objects::may_keep_all(const block& large, std::size_t allowance) const noexcept {
    const std::size_t bytes = large.span_bytes;
    const bool keeps_pieces = !upstream_.purges() || policy_ == return_policy::retain_all;
    return allowance >= most_empty_bytes && (!keeps_pieces || kept_.bytes + bytes <= allowance) &&
           shared_.bytes_resident() + (is_shared(large) ? bytes : 0) <= allowance;
}

void large_objects::deallocate(block& large, std::size_t allowance) noexcept {
    forget(large);
    note_age(large);
    blocks_.erase(large);
    large.owner = nullptr; // whoever frees it once more is found
    large.state = 0;
    if (is_shared(large))
        return give_shared(large, allowance);
    if (upstream_.purges() && policy_ != return_policy::retain_all) {
        give(large.span, large.span_bytes, alignment_log2(large), false);
        return_excess(allowance);
        return;
    }
    // Its head moves to the begin, where the next one that uses this memory finds it.
    const std::size_t bytes = large.span_bytes;
    const auto note = static_cast<std::uint32_t>(alignment_log2(large));
    void* const base = large.span;
    poison::undefined(base, bytes);
    block* const head = ::new (base) block{};
    head->span = head;
    head->span_bytes = bytes;
    head->note = note;
    head->right = kept_.latest;
    kept_.latest = head;
    kept_.bytes += bytes;
    ++kept_.count;
    poison::no_access(head + 1, bytes - sizeof(block));
    while (kept_.latest != nullptr && (kept_.count > most_kept_objects || kept_.bytes > allowance))
        give_oldest_kept();
}

void large_objects::give_back(block& large) noexcept {
    forget(large);
    if (is_shared(large))
        return shared_.give(reinterpret_cast<std::byte*>(large.span), large.span_bytes, 0,
                            policy_ == return_policy::return_all);
    give(large.span, large.span_bytes, alignment_log2(large), false);
}

void large_objects::give(void* p, std::size_t bytes, std::size_t alignment_log2,
                         bool at_once) noexcept {
    reserved_ -= bytes;
    poison::undefined(p, bytes);
    upstream_.give_back(p, bytes, std::size_t{1} << alignment_log2,
                        at_once || policy_ == return_policy::return_all);
}

// ---- kept pieces --------------------------------------------------------------------------------

void large_objects::give_oldest_kept() noexcept {
    if (kept_.latest != nullptr)
        give_kept(oldest_kept(), false);
    else
        shared_.give_highest_empty(false);
}

block*& large_objects::oldest_kept() noexcept {
    block** link = &kept_.latest;
    while ((*link)->right != nullptr)
        link = &(*link)->right;
    return *link;
}

/// A kept piece for a request of `bytes`, which becomes its size; the smallest that fits, if that
/// leaves little unused. nullptr: none.
std::byte* large_objects::take_kept(std::size_t& bytes, std::size_t alignment) noexcept {
    block** best = nullptr;
    for (block** link = &kept_.latest; *link != nullptr; link = &(*link)->right) {
        const block& b = **link;
        if (b.span_bytes >= bytes && b.span_bytes - bytes <= b.span_bytes / kept_divisor &&
            b.span_bytes - bytes < most_slack && std::size_t{1} << b.note == alignment &&
            (best == nullptr || b.span_bytes < (*best)->span_bytes))
            best = link;
    }
    if (best == nullptr)
        return nullptr;
    block& taken = **best;
    *best = taken.right;
    kept_.bytes -= taken.span_bytes;
    --kept_.count;
    bytes = taken.span_bytes;
    poison::undefined(&taken, bytes);
    return reinterpret_cast<std::byte*>(&taken);
}

void large_objects::give_kept(block*& link, bool at_once) noexcept {
    block& gone = *link;
    link = gone.right;
    kept_.bytes -= gone.span_bytes;
    --kept_.count;
    give(&gone, gone.span_bytes, gone.note, at_once);
}

void large_objects::give_kept(bool at_once) noexcept {
    while (kept_.latest != nullptr)
        give_kept(kept_.latest, at_once);
    shared_.give_empty(at_once);
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
