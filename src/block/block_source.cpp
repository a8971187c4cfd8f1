// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Blocks cut from spans. In this order: blocks, the lowest empty one first; spans, one request to
// the upstream each, and when they go back; large objects; which block an address lies in.
#include <arenite/block/detail/block_source.hpp>

#include <arenite/check/detail/poison.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/os/detail/platform.hpp>

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

namespace {

constexpr std::size_t other_block_bytes = 64_KiB;

constexpr std::size_t first_span_divisor = 4;
constexpr std::size_t large_span_blocks = 8;
constexpr std::size_t first_loose_divisor = 16; // where blocks are not aligned to their size
// A further span has so much of what is held, at most. It goes back whole, if nothing lives there.
constexpr std::size_t span_divisor = 16;
constexpr std::size_t loose_span_divisor = 4;
constexpr std::size_t large_span_divisor = 4; // of large objects that share it

/// Large objects that come and go, and have short spans: each of no more, in these together.
constexpr std::size_t most_coming_object = 256_KiB;
constexpr std::size_t most_coming_bytes = 16_MiB;

/// A source that holds so much is not small any more.
constexpr std::size_t much_bytes = 1_MiB;
/// It fills what it gets if so much is in use, and this share of what it holds.
constexpr std::size_t least_used_bytes = much_bytes / 2;
constexpr std::size_t least_used_divisor = 4;

/// Large objects may leave so much of what is held unused in huge pages.
constexpr std::size_t unused_divisor = 12;

} // namespace

std::size_t block_source::usual_block_bytes(const upstream& up) noexcept {
    return up.purges() ? page_block_bytes : other_block_bytes;
}

std::span<const std::byte> block_source::fresh() const noexcept { return {fresh_, fresh_end_}; }

std::size_t block_source::mask_bytes_for(std::size_t asked, const upstream& up) noexcept {
    const std::size_t usual = usual_block_bytes(up);
    if (asked == 0 || asked >= usual)
        return usual;
    return std::bit_ceil(std::max(asked, smallest_block_bytes));
}

block_source::block_source(const block_options& options, upstream up, void* owner) noexcept
    : mask_bytes_{options.mask_bytes != 0 ? options.mask_bytes
                                          : mask_bytes_for(options.block_bytes, up)},
      spans_{.bytes = 0,
             .least_bytes = options.least_bytes,
             .alignment = options.alignment != 0 ? options.alignment : mask_bytes_},
      upstream_{up}, policy_{options.policy}, owner_{owner}, figures_{options.figures},
      large_{blocks_,          upstream_,
             options.policy,   options.alignment != 0 ? alignof(block) : mask_bytes_,
             options.prefault, owner},
      prefault_{options.prefault} {
    if (spans_.least_bytes == 0)
        spans_.least_bytes = mask_bytes_ / first_span_divisor;
    set_block_bytes(options.block_bytes);
}

void block_source::set_block_bytes(std::size_t bytes) noexcept {
    // A size that cannot be rounded up is more than there is: smaller spans will be tried.
    spans_.bytes = bytes == 0 ? 0
                              : checked_align_up(bytes, mask_bytes_)
                                    .value_or(align_down(max_object_bytes, mask_bytes_));
}

block_source::~block_source() {
    for (block* b = blocks_.take_all(); b != nullptr;) {
        block* const span = b->span; // the next is read before its span is gone
        if (large_objects::is_large(*b)) {
            large_.give_back(*std::exchange(b, b->right));
            continue;
        }
        do
            b = b->right;
        while (b != nullptr && b->span == span);
        give_back(span, span->span_bytes, spans_.alignment, false);
    }
}

bool block_source::give_back_due() noexcept {
    upstream_.give_back_due();
    return give_back_idle();
}

bool block_source::give_back_idle() noexcept {
    return large_.give_back_idle(policy_.allowance(large_.bytes()));
}

// ---- blocks -------------------------------------------------------------------------------------

/// The lowest empty block, before a new one is cut: memory that was used is the likelier to be
/// resident. Only a block cut from a fresh span may be known to hold zeros.
block* block_source::take_empty_block() noexcept {
    give_back_due();
    block* const kept = blocks_.lowest(block_state::empty);
    block* const b = kept != nullptr ? kept : cut();
    zeros_.taken = kept == nullptr && b != nullptr && zeros_.fresh;
    return b;
}

/// The head of a span's first block stands for the span: span_busy counts its blocks in use. With
/// the first of them the span is idle no more. Where that is the first block itself, its new state
/// below takes `idle` away.
void block_source::open(block& waiting) noexcept {
    if ((waiting.state & block_state::empty) != 0) {
        block& first = *waiting.span;
        if (first.span_busy++ == 0) {
            held_.idle -= first.span_bytes;
            if (&first != &waiting)
                blocks_.set_state(first,
                                  static_cast<std::uint16_t>(first.state & ~block_state::idle));
        }
    }
    blocks_.set_state(waiting, block_state::open);
    waiting.alarm = INT32_MAX;
}

void block_source::close_empty(block& b, std::size_t bytes_in_use) noexcept {
    blocks_.set_state(b, block_state::empty);
    b.alarm = 0;
    block& first = *b.span;
    give_back_due();
    if (--first.span_busy != 0)
        return;
    const std::size_t bytes = first.span_bytes;
    held_.idle += bytes;
    blocks_.set_state(first, static_cast<std::uint16_t>(first.state | block_state::idle));
    // The allowance shrinks with what is in use: so two spans go at least, and more until twice as
    // much went as came. Sixteen at most, so that no call takes long.
    const std::size_t allowance = policy_.allowance(bytes_in_use);
    const std::size_t before = bytes_reserved();
    constexpr std::size_t most = 2 * large_span_blocks;
    for (std::size_t n = 0; n < most && (n < 2 || before - bytes_reserved() < 2 * bytes) &&
                            held_.idle + large_.bytes_kept() > allowance;
         ++n) {
        if (large_.bytes_kept() != 0)
            large_.give_oldest_kept();
        else
            return_span(*blocks_.highest(block_state::idle), false);
    }
}

/// The next block of the newest span, or of a new one. A span is cut from its begin on, block by
/// block: the head of a block is written when the block is needed, and not before.
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
    if (b == fresh_span_) { // its head also stands for the span
        b->span_bytes = rest;
        held_.idle += rest;
        b->state |= block_state::idle;
    }
    blocks_.insert(*b);
    fresh_ += bytes;
    return b;
}

// ---- spans --------------------------------------------------------------------------------------

std::size_t block_source::next_span_bytes() const noexcept {
    const std::size_t held = bytes_reserved();
    if (held == 0)
        return are_masked() ? spans_.least_bytes
                            : std::max(mask_bytes_ / first_loose_divisor, spans_.least_bytes);
    if (are_masked())
        return std::clamp(std::bit_floor(held / span_divisor + 1), mask_bytes_,
                          mask_bytes_ * large_span_blocks);
    const std::size_t wanted = std::bit_floor(held / loose_span_divisor + 1);
    return std::clamp(wanted, std::min(mask_bytes_, other_block_bytes),
                      std::min(mask_bytes_, other_block_bytes) * large_span_blocks);
}

/// A smaller span to ask for where `bytes` were refused: in small steps where blocks may have any
/// length, to find the rest of a region of fixed size.
std::size_t block_source::smaller_span(std::size_t bytes) const noexcept {
    if (are_masked())
        return bytes > mask_bytes_ ? mask_bytes_ : std::max(bytes / 2, spans_.least_bytes);
    const std::size_t less = align_down(bytes - bytes / 4, spans_.alignment);
    const std::size_t last = less > mask_bytes_ ? less % mask_bytes_ : 0; // block
    return std::max(less - (last < spans_.least_bytes ? last : 0), spans_.least_bytes);
}

/// Where the upstream refuses, ask() has given back all that is empty already: then less is asked
/// for, down to the least.
bool block_source::get_span() noexcept {
    if (!may_grow_)
        return false;
    std::size_t bytes = spans_.bytes != 0 ? spans_.bytes : next_span_bytes();
    lent_memory got = ask(bytes, spans_.alignment);
    while (got.p == nullptr && bytes > spans_.least_bytes) {
        bytes = smaller_span(bytes);
        got = ask(bytes, spans_.alignment);
    }
    if (got.p == nullptr)
        return false;
    begin_span(got, bytes);
    return true;
}

bool block_source::try_reserve(std::size_t bytes) noexcept {
    const auto whole = checked_align_up(bytes, mask_bytes_);
    if (fresh_ != fresh_end_ || !whole || *whole > max_object_bytes)
        return false;
    // Empty memory counts as there already, and stays.
    const lent_memory got =
        may_grow_ ? upstream_.lend(*whole, spans_.alignment, use_of_next()) : lent_memory{};
    if (got.p == nullptr)
        return false;
    begin_span(got, *whole);
    static_cast<void>(cut()); // whose head stands for the span
    return true;
}

void block_source::begin_span(const lent_memory& lent, std::size_t bytes) noexcept {
    void* const p = lent.p;
    ARENITE_ASSERT(is_aligned(p, spans_.alignment),
                   "an upstream's memory is less aligned than asked");
    fresh_ = static_cast<std::byte*>(p);
    fresh_end_ = fresh_ + bytes;
    fresh_span_ = static_cast<block*>(p);
    zeros_.fresh = lent.is_zero;
    if (prefault_)
        os::platform::prefault(p, bytes);
    held_.reserved += bytes;
}

/// Asks the upstream; where it refuses, once more without what is held empty.
lent_memory block_source::ask(std::size_t bytes, std::size_t alignment) noexcept {
    if (!may_grow_)
        return {};
    const lent_memory got = upstream_.lend(bytes, alignment, use_of_next());
    if (got.p != nullptr || !give_all_empty())
        return got;
    return upstream_.lend(bytes, alignment, use_of_next());
}

/// A source that holds much, and uses it, fills what it gets. A heap with a little of each of many
/// sizes holds much, too, and touches little of that.
page_use block_source::use_of_next() const noexcept {
    const std::size_t held = held_in_all();
    if (held < much_bytes)
        return page_use::sparse;
    if (prefault_ || figures_.in_use == nullptr)
        return page_use::dense;
    const std::size_t in_use = figures_.in_use(owner_) + bytes_elsewhere();
    return in_use >= least_used_bytes && in_use >= held / least_used_divisor ? page_use::dense
                                                                             : page_use::sparse;
}

/// False where there is nothing to give.
bool block_source::give_all_empty() noexcept {
    if (held_.idle == 0 && !large_.has_kept())
        return false;
    large_.give_kept(true);
    while (block* const first = blocks_.highest(block_state::idle))
        return_span(*first, true);
    return true;
}

/// Only blocks below fresh_ were cut from the newest span, and are in the tree; none is cut from it
/// after this.
void block_source::return_span(block& first, bool at_once) noexcept {
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
    held_.idle -= bytes;
    held_.reserved -= bytes;
    give_back(begin, bytes, spans_.alignment, at_once);
}

void block_source::give_back(void* p, std::size_t bytes, std::size_t alignment,
                             bool at_once) const {
    poison::undefined(p, bytes);
    upstream_.give_back(p, bytes, alignment, at_once || policy_ == return_policy::return_all);
}

void block_source::trim() noexcept {
    large_.give_kept(true);
    for (block* b = blocks_.first(); b != nullptr;) {
        block& first = *b; // of a span, which lie apart from each other
        block* last = b;
        while ((b = blocks_.above(*last)) != nullptr && b->span == first.span)
            last = b;
        if (!large_objects::is_large(first) && first.span_busy == 0)
            return_span(first, true);
    }
    if (!upstream_.purges())
        return;
    large_.trim_shared();
    if (fresh_ != fresh_end_)
        purge(fresh_, static_cast<std::size_t>(fresh_end_ - fresh_));
    upstream_.trim(); // also what came back there before, and waits
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
    const std::size_t may_waste = held_in_all() / unused_divisor;
    block* const b = large_.try_allocate(bytes, alignment, may_waste);
    if (b != nullptr || !may_grow_ || !give_all_empty())
        return b;
    return large_.try_allocate(bytes, alignment, may_waste);
}

/// The next span for large objects has a quarter of what is held at most; there is none where
/// little is held. But where they come and go, so do the spans: there is one from the first on, for
/// about four of them, and short ones are kept when they are empty, and fit again where they come
/// in another order.
std::size_t block_source::most_shared_span_bytes(std::size_t bytes) const noexcept {
    if (bytes <= most_coming_object && large_.come_and_go() &&
        large_.bytes_in_spans() < most_coming_bytes)
        return std::max(4 * std::bit_ceil(bytes), shared_spans::smallest_bytes);
    const std::size_t held = held_in_all();
    if (held < much_bytes)
        return 0;
    return std::clamp(held / large_span_divisor, shared_spans::smallest_bytes,
                      shared_spans::largest_bytes);
}

block* block_source::try_allocate_large_anywhere(std::size_t bytes,
                                                 std::size_t alignment) noexcept {
    // First without a new span: how long that is to be takes a while to find out.
    block* b = large_.try_allocate_shared(bytes, alignment, 0);
    if (b == nullptr)
        b = large_.try_allocate_shared(bytes, alignment, most_shared_span_bytes(bytes),
                                       use_of_next());
    return b != nullptr ? b : try_allocate_large(bytes, alignment);
}

/// For its owner that is a sum over many sizes. Often large objects alone allow all that is kept.
void block_source::deallocate_large(block& large, std::size_t bytes_in_use) noexcept {
    // Empty spans count as well.
    const auto allowance = [this](std::size_t in_use) {
        const std::size_t all = policy_.allowance(in_use);
        return all - std::min(held_.idle, all);
    };
    ARENITE_ASSERT(bytes_in_use != ask_owner || figures_.in_use != nullptr,
                   "an owner without figures is asked");
    if (bytes_in_use == ask_owner)
        bytes_in_use = large_.may_keep_all(large, allowance(large_.bytes()))
                           ? large_.bytes()
                           : figures_.in_use(owner_);
    large_.deallocate(large, allowance(bytes_in_use));
}

// ---- what is where ------------------------------------------------------------------------------

block* block_source::find(const void* p) const noexcept {
    block* const b = blocks_.at_or_below(p);
    if (b == nullptr)
        return nullptr;
    const std::uintptr_t end = large_objects::is_large(*b)
                                   ? address_of(large_object(*b)) + large_bytes(*b)
                                   : address_of(b) + b->bytes();
    return address_of(p) < end ? b : nullptr;
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
