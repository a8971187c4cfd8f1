// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/block/block_source.hpp>

#include <arenite/block/colouring.hpp>
#include <arenite/check/poison.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/core/size.hpp>
#include <arenite/os/platform.hpp>

#include <algorithm>
#include <bit>
#include <new>

namespace arenite {
inline namespace ARENITE_ABI {

namespace {

constexpr std::size_t page_block_bytes = 256_KiB;
constexpr std::size_t other_block_bytes = 64_KiB;

constexpr std::size_t first_span_divisor = 4;
constexpr std::size_t large_span_blocks = 8;

constexpr std::size_t most_kept = 16;   // pieces of memory of large objects
constexpr std::size_t kept_divisor = 4; // a request may leave this share of one unused

std::size_t mask_bytes_for(std::size_t asked, const upstream& up) noexcept {
    const std::size_t usual = block_source::usual_block_bytes(up);
    if (asked == 0 || asked >= usual)
        return usual;
    return std::bit_ceil(std::max(asked, block_source::smallest_block_bytes));
}

void touch_pages(std::byte* p, std::size_t bytes) noexcept {
    for (std::size_t at = 0; at < bytes; at += block_source::smallest_block_bytes)
        *static_cast<volatile std::byte*>(p + at) = std::byte{};
}

bool is_large(const block& b) noexcept { return (b.state & block_state::large) != 0; }

} // namespace

std::size_t block_source::usual_block_bytes(const upstream& up) noexcept {
    return up.purges() ? page_block_bytes : other_block_bytes;
}

block_source::block_source(const block_options& options, upstream up, void* owner) noexcept
    : mask_bytes_{options.mask_bytes != 0 ? options.mask_bytes
                                          : mask_bytes_for(options.block_bytes, up)},
      span_bytes_{0}, upstream_{up}, policy_{options.policy}, owner_{owner},
      prefault_{options.prefault}, ends_{options.ends}, bits_{options.bits} {
    least_bytes_ =
        options.least_bytes != 0 ? options.least_bytes : mask_bytes_ / first_span_divisor;
    set_block_bytes(options.block_bytes);
}

void block_source::set_block_bytes(std::size_t bytes) noexcept {
    // What cannot be rounded up is more than there is: smaller spans will be tried.
    span_bytes_ = bytes == 0 ? 0
                             : checked_align_up(bytes, mask_bytes_)
                                   .value_or(align_down(max_object_bytes, mask_bytes_));
}

block_source::~block_source() {
    return_all_kept();
    for (block* b = blocks_.take_all(); b != nullptr;) {
        block* const span = b->span;
        const bool large = is_large(*b);
        const std::size_t bytes = large ? b->span_bytes : span->span_bytes;
        const std::size_t alignment = large ? std::size_t{1} << b->note : mask_bytes_;
        do // the next is read before its span is gone
            b = b->right;
        while (b != nullptr && b->span == span);
        poison::undefined(span, bytes);
        upstream_.deallocate(span, bytes, alignment);
    }
}

std::size_t block_source::head_granules(const block& b) const noexcept {
    const std::size_t colour =
        mask_bytes_ >= other_block_bytes ? colour_offset(address_of(&b), mask_bytes_) : 0;
    return block::head_bytes(b.bytes(), ends_, colour) / granule_bytes;
}

// ---- blocks -------------------------------------------------------------------------------------

block* block_source::clean() noexcept {
    block* const kept = blocks_.lowest(block_state::empty);
    return kept != nullptr ? kept : cut();
}

void block_source::open(block& waiting) noexcept {
    if ((waiting.state & block_state::empty) != 0) {
        block& first = *waiting.span;
        if (first.span_busy++ == 0) {
            idle_ -= first.span_bytes;
            blocks_.set_state(first, static_cast<std::uint16_t>(first.state & ~block_state::idle));
        }
    }
    blocks_.set_state(waiting, block_state::open);
    waiting.alarm = block::open_alarm;
}

void block_source::close_empty(block& b, std::size_t bytes_in_use) noexcept {
    blocks_.set_state(b, block_state::empty);
    b.alarm = 0;
    block& first = *b.span;
    if (--first.span_busy != 0)
        return;
    idle_ += first.span_bytes;
    blocks_.set_state(first, static_cast<std::uint16_t>(first.state | block_state::idle));
    // Two at most for each that comes: what is kept shrinks with what is in use, and no call takes
    // long.
    const std::size_t allowance = policy_.allowance(bytes_in_use);
    for (int n = 0; n < 2 && idle_ + kept_bytes_ > allowance; ++n) {
        if (kept_ != nullptr)
            return_kept(oldest_kept());
        else
            return_span(*blocks_.highest(block_state::idle));
    }
}

/// The next block of the newest span, or of a new one.
block* block_source::cut() noexcept {
    if (fresh_ == fresh_end_ && !get_span())
        return nullptr;
    const std::size_t rest = static_cast<std::size_t>(fresh_end_ - fresh_);
    const std::size_t bytes = std::min(rest, mask_bytes_);
    block* const b = ::new (static_cast<void*>(fresh_)) block{};
    b->granules = static_cast<std::uint32_t>(bytes / granule_bytes);
    b->owner = owner_;
    b->span = fresh_span_;
    b->state = block_state::empty;
    if (bits_) {
        ::new (static_cast<void*>(b + 1)) bits::word[b->words() * (ends_ ? 2 : 1)]{};
        const std::size_t head = head_granules(*b);
        bits::set_run(b->occupancy(), 0, head);
        poison::no_access(b->at(head), bytes - head * granule_bytes);
    }
    if (b == fresh_span_) { // its head also stands for the span
        b->span_bytes = rest;
        idle_ += rest;
        b->state |= block_state::idle;
    }
    blocks_.insert(*b);
    fresh_ += bytes;
    return b;
}

// ---- spans --------------------------------------------------------------------------------------

bool block_source::get_span() noexcept {
    if (!may_grow_)
        return false;
    std::size_t bytes = span_bytes_;
    if (bytes == 0)
        bytes = reserved_ == 0                                ? least_bytes_
                : reserved_ < mask_bytes_ * large_span_blocks ? mask_bytes_
                                                              : mask_bytes_ * large_span_blocks;
    void* p = ask(bytes, mask_bytes_);
    while (p == nullptr && bytes > least_bytes_) {
        bytes = bytes > mask_bytes_ ? mask_bytes_ : std::max(bytes / 2, least_bytes_);
        p = ask(bytes, mask_bytes_);
    }
    if (p == nullptr)
        return false;
    ARENITE_ASSERT(is_aligned(p, mask_bytes_), "an upstream's memory is less aligned than asked");
    fresh_ = static_cast<std::byte*>(p);
    fresh_end_ = fresh_ + bytes;
    fresh_span_ = static_cast<block*>(p);
    if (prefault_)
        touch_pages(fresh_, bytes);
    reserved_ += bytes;
    return true;
}

/// Asks the upstream; where it refuses, once more without what is held empty.
void* block_source::ask(std::size_t bytes, std::size_t alignment) noexcept {
    if (!may_grow_)
        return nullptr;
    void* const p = upstream_.try_allocate(bytes, alignment);
    if (p != nullptr || (idle_ == 0 && kept_ == nullptr))
        return p;
    return_all_kept();
    while (block* const first = blocks_.highest(block_state::idle))
        return_span(*first);
    return upstream_.try_allocate(bytes, alignment);
}

void block_source::return_span(block& first) noexcept {
    std::byte* const begin = reinterpret_cast<std::byte*>(&first);
    const std::size_t bytes = first.span_bytes;
    std::byte* end = begin + bytes;
    if (fresh_span_ == &first) {
        end = fresh_;
        fresh_ = fresh_end_ = nullptr;
        fresh_span_ = nullptr;
    }
    for (std::byte* at = begin; at < end; at += mask_bytes_)
        blocks_.erase(*reinterpret_cast<block*>(at));
    idle_ -= bytes;
    reserved_ -= bytes;
    poison::undefined(begin, bytes);
    upstream_.deallocate(begin, bytes, mask_bytes_);
}

void block_source::trim() noexcept {
    return_all_kept();
    for (block* b = blocks_.first(); b != nullptr;) {
        block& first = *b; // of a span, which lie apart from each other
        block* last = b;
        while ((b = blocks_.above(*last)) != nullptr && b->span == first.span)
            last = b;
        if (!is_large(first) && first.span_busy == 0)
            return_span(first);
    }
    if (!upstream_.purges())
        return;
    for (block* b = blocks_.first(); bits_ && b != nullptr; b = blocks_.above(*b))
        if (!is_large(*b))
            purge_holes(*b);
    if (fresh_ != fresh_end_)
        purge(fresh_, static_cast<std::size_t>(fresh_end_ - fresh_));
}

/// Gives the whole pages of a block's holes back.
void block_source::purge_holes(block& b) noexcept {
    const std::size_t page = os::platform::page_bytes();
    for (std::size_t from = 0;;) {
        const hole found = b.find_hole(from, page / granule_bytes);
        if (found.empty())
            return;
        purge(b.at(found.first), found.granules() * granule_bytes);
        from = found.last;
    }
}

void block_source::purge(void* p, std::size_t bytes) const noexcept {
    const std::size_t page = os::platform::page_bytes();
    auto* const at = static_cast<std::byte*>(p);
    std::byte* const begin = at + padding_for(at, page);
    std::byte* const end = at + bytes - address_of(at + bytes) % page;
    if (begin < end)
        upstream_.purge(begin, static_cast<std::size_t>(end - begin));
}

// ---- large --------------------------------------------------------------------------------------

block* block_source::try_allocate_large(std::size_t bytes, std::size_t alignment) noexcept {
    const std::size_t asked = std::max(alignment, mask_bytes_);
    std::size_t before = alignment;      // bytes in front of the object
    std::size_t most_before = alignment; // there is room for every colour, since others come later
    if (alignment < mask_bytes_) {
        before = most_before = std::max(alignment, sizeof(block));
        if (alignment <= colour_bytes && mask_bytes_ >= other_block_bytes) {
            before += blocks_.size() % colour_count * colour_bytes;
            most_before += (colour_count - 1) * colour_bytes;
        }
    }
    const std::optional<std::size_t> needed = checked_add(most_before, bytes);
    if (!needed || before / granule_bytes > UINT32_MAX)
        return nullptr;
    std::size_t total = *needed;
    std::byte* base = take_kept(total, asked);
    if (base == nullptr) {
        base = static_cast<std::byte*>(ask(total, asked));
        if (base == nullptr)
            return nullptr;
        reserved_ += total;
        if (prefault_)
            touch_pages(base, total);
    }
    std::byte* const head = alignment < mask_bytes_ ? base : base + before - mask_bytes_;
    block* const b = ::new (static_cast<void*>(head)) block{};
    b->granules = static_cast<std::uint32_t>(before / granule_bytes);
    b->state = block_state::large;
    b->owner = owner_;
    b->span = reinterpret_cast<block*>(base);
    b->span_bytes = total;
    b->span_busy = static_cast<std::uint32_t>((total - before - bytes) / granule_bytes);
    b->note = static_cast<std::uint32_t>(std::countr_zero(asked));
    blocks_.insert(*b);
    return b;
}

void block_source::deallocate_large(block& large, std::size_t bytes_in_use) noexcept {
    blocks_.erase(large);
    const std::size_t bytes = large.span_bytes;
    const std::uint32_t alignment_log2 = large.note;
    void* const base = large.span;
    large.owner = nullptr; // whoever frees it once more is found
    large.state = 0;
    // Its head moves to the begin, where the next one that uses this memory is told of it.
    poison::undefined(base, bytes);
    block* const head = ::new (base) block{};
    head->span = head;
    head->span_bytes = bytes;
    head->note = alignment_log2;
    head->right = kept_;
    kept_ = head;
    kept_bytes_ += bytes;
    ++kept_count_;
    poison::no_access(head + 1, bytes - sizeof(block));
    // The oldest first, until the rest is allowed; empty spans are counted with them.
    const std::size_t allowance = policy_.allowance(bytes_in_use);
    while (kept_ != nullptr && (kept_count_ > most_kept || idle_ + kept_bytes_ > allowance))
        return_kept(oldest_kept());
}

block*& block_source::oldest_kept() noexcept {
    block** link = &kept_;
    while ((*link)->right != nullptr)
        link = &(*link)->right;
    return *link;
}

/// Memory kept of an earlier large object for a request of `bytes`, which becomes its size; the
/// smallest that fits, if that leaves little unused. nullptr: none.
std::byte* block_source::take_kept(std::size_t& bytes, std::size_t alignment) noexcept {
    block** best = nullptr;
    for (block** link = &kept_; *link != nullptr; link = &(*link)->right) {
        const block& b = **link;
        if (b.span_bytes >= bytes && b.span_bytes - bytes <= b.span_bytes / kept_divisor &&
            (b.span_bytes - bytes) / granule_bytes < UINT32_MAX / 2 &&
            std::size_t{1} << b.note == alignment &&
            (best == nullptr || b.span_bytes < (*best)->span_bytes))
            best = link;
    }
    if (best == nullptr)
        return nullptr;
    block& taken = **best;
    *best = taken.right;
    kept_bytes_ -= taken.span_bytes;
    --kept_count_;
    bytes = taken.span_bytes;
    poison::undefined(&taken, bytes);
    return reinterpret_cast<std::byte*>(&taken);
}

void block_source::return_kept(block*& link) noexcept {
    block& gone = *link;
    link = gone.right;
    const std::size_t bytes = gone.span_bytes;
    const std::size_t alignment = std::size_t{1} << gone.note;
    kept_bytes_ -= bytes;
    --kept_count_;
    reserved_ -= bytes;
    poison::undefined(&gone, bytes);
    upstream_.deallocate(&gone, bytes, alignment);
}

void block_source::return_all_kept() noexcept {
    while (kept_ != nullptr)
        return_kept(kept_);
}

// ---- what is where ------------------------------------------------------------------------------

block& block_source::head_of(const void* p) const noexcept {
    const std::uintptr_t at = address_of(p);
    const std::uintptr_t begin = align_down(at, mask_bytes_);
    return *reinterpret_cast<block*>(begin == at ? at - mask_bytes_ : begin);
}

block* block_source::find(const void* p) const noexcept {
    block* const b = blocks_.at_or_below(p);
    if (b == nullptr)
        return nullptr;
    const std::uintptr_t end =
        is_large(*b) ? address_of(large_object(*b)) + large_bytes(*b) : address_of(b) + b->bytes();
    return address_of(p) < end ? b : nullptr;
}

} // namespace ARENITE_ABI
} // namespace arenite
