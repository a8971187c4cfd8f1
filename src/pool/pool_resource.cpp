// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A pool of slots with one bit each, set where the slot is free. In this order: how a block is laid
// out; making a pool; refilling the cache from the lowest word with free slots; runs of slots that
// come back; whose an address is. pool_resource_memory.cpp gets and returns memory. A slot counts
// as taken in the bits while it waits in the cache: bits and counts change for many slots at once,
// and the inlined calls touch neither.
#include <arenite/pool/pool_resource.hpp>

#include "slot_pool_impl.hpp"

#include <arenite/check/detail/poison.hpp>
#include <arenite/check/leak.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/core/error.hpp>
#include <arenite/os/detail/fork_lock.hpp>
#include <arenite/os/detail/process_lock.hpp>
#include <arenite/os/page_resource.hpp>

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <new>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

namespace {

constexpr std::size_t least_slots = 16;   // of a block, so that its head is little beside them
constexpr std::uint16_t vacated = 64;     // became empty while for_each was at work
constexpr std::int32_t silent_alarm = -1; // of a block that is being swept

#if ARENITE_CHECKS
pool_resource* pools = nullptr;

struct of_pools;
detail::fork_lock<std::mutex>& pools_lock() noexcept { // static pools end late
    return detail::process_lock<std::mutex, of_pools>();
}
#endif

} // namespace

// ---- layout -------------------------------------------------------------------------------------

/// `usual`: bytes of a block on this upstream where nothing asks for another.
pool_resource::layout pool_resource::layout::of(slot s, const pool_options& options,
                                                std::size_t usual, bool with_marks) noexcept {
    const std::size_t alignment =
        is_alignment(s.alignment) ? std::min(s.alignment, largest_slot) : 1;
    const std::size_t slot_bytes = bytes_of(s);
    layout l{{slot_bytes, alignment, 0}, 0, 0};
    // The bits of a longer block begin the slots later, which may need a longer block.
    const std::size_t least =
        options.slots != 0 ? std::min(options.slots, least_slots) : least_slots;
    std::size_t bytes = options.mask_bytes != 0 ? options.mask_bytes : usual;
    if (options.block_bytes != 0 && options.mask_bytes == 0)
        bytes =
            std::min(usual, std::bit_ceil(std::max(options.block_bytes,
                                                   detail::block_source::smallest_block_bytes)));
    const auto set_first = [&](std::size_t length) {
        l.first = first_at(length, {slot_bytes, alignment}, with_marks);
    };
    if (options.slots != 0 && options.slots < bytes / slot_bytes && options.mask_bytes == 0) {
        set_first(bytes);
        bytes = std::min(bytes, std::max(detail::block_source::smallest_block_bytes,
                                         std::bit_ceil(l.bytes_for(options.slots))));
    }
    for (set_first(bytes); l.slots_in(bytes) < least; set_first(bytes))
        bytes *= 2;
    return {{slot_bytes, alignment, bytes}, l.first, bytes};
}

// ---- making -------------------------------------------------------------------------------------

pool_resource::pool_resource(slot s) noexcept
    : pool_resource{s, pool_options{}, upstream{&page_source()}} {}

pool_resource::pool_resource(slot s, std::size_t slots) noexcept
    : pool_resource{s, slots, upstream{&page_source()}} {}

pool_resource::pool_resource(slot s, std::size_t slots, upstream up) noexcept
    : pool_resource{s, pool_options{.slots = slots}, up} {
    if (slots == 0)
        capacity_ = 0;
}

pool_resource::pool_resource(slot s, const pool_options& options)
    : pool_resource{s, options, upstream{&page_source()}} {}

pool_resource::pool_resource(slot s, const pool_options& options, upstream up)
    : pool_resource{s, layout::of(s, options, detail::block_source::usual_block_bytes(up)), options,
                    up} {
    if ((options.eager || options.prefault) && capacity_ != 0 && !passes_through_ &&
        source_.take_empty_block() == nullptr)
        detail::refuse(*this, layout_.block_bytes, layout_.block_bytes);
}

pool_resource::pool_resource(slot s, const layout& l, const pool_options& options,
                             upstream up) noexcept
    : slot_pool{s}, layout_{l}, mask_{~(l.block_bytes - 1)},
      block_slots_{l.slots_in(l.block_bytes)},
      source_{{.block_bytes = span_bytes(l, options),
               .policy = options.slots != 0 ? return_policy::retain_all : options.policy,
               .prefault = options.prefault,
               .mask_bytes = l.block_bytes,
               .least_bytes = least_bytes(l, options)},
              up,
              this} {
    if (options.slots != 0)
        capacity_ = options.slots;
    if (!is_possible(s))
        capacity_ = 0;
#if ARENITE_CHECKS
    const std::lock_guard lock{pools_lock()};
    next_ = pools;
    if (pools != nullptr)
        pools->previous_ = this;
    pools = this;
#endif
}

/// Bytes to request from the upstream at once.
std::size_t pool_resource::span_bytes(const layout& l, const pool_options& options) noexcept {
    if (options.slots == 0)
        return options.block_bytes;
    const std::size_t per_block = l.slots_in(l.block_bytes);
    const std::size_t blocks = options.slots / per_block + (options.slots % per_block != 0);
    return detail::checked_multiply(blocks, l.block_bytes).value_or(detail::max_object_bytes);
}

/// The least to ask at once, and the first: what is expected, in whole pages.
std::size_t pool_resource::least_bytes(const layout& l, const pool_options& options) noexcept {
    if (options.expected == 0)
        return l.slots_in(l.block_bytes / 4) == 0 ? l.block_bytes : 0;
    const std::size_t per_block = l.slots_in(l.block_bytes);
    const std::size_t rest = options.expected % per_block;
    const std::size_t last =
        rest == 0 ? 0 : align_up(l.bytes_for(rest), detail::block_source::smallest_block_bytes);
    return detail::checked_multiply(options.expected / per_block, l.block_bytes)
               .value_or(detail::max_object_bytes - l.block_bytes + 1) +
           last;
}

pool_resource::pool_resource(slot s, std::span<std::byte> buffer) noexcept
    : pool_resource{s,
                    layout::of(s, {.slots = 1}, detail::block_source::smallest_block_bytes),
                    {.slots = 1},
                    upstream{static_cast<resource*>(nullptr)}} {
    mask_ = 0;
    capacity_ = capacity_ == 0 ? 0 : make_single(buffer);
}

/// Makes the block in the user's memory; returns its slots.
std::size_t pool_resource::make_single(std::span<std::byte> buffer) noexcept {
    const std::size_t gap = buffer.empty() ? 0 : padding_for(buffer.data(), alignof(detail::block));
    if (buffer.size() < gap + sizeof(detail::block))
        return 0;
    std::byte* const begin = buffer.data() + gap;
    // Counts of slots are of 31 bits, of granules of 32.
    const std::size_t most = std::min<std::size_t>(INT32_MAX, UINT32_MAX / slot_bytes() * 8);
    const std::size_t bytes =
        align_down(std::min(buffer.size() - gap, sizeof(detail::block) + most * slot_bytes()),
                   detail::granule_bytes);
    const std::size_t words = words_for((bytes - sizeof(detail::block)) / slot_bytes());
    std::byte* const first = begin + sizeof(detail::block) + words * sizeof(detail::bits::word);
    layout_.first = static_cast<std::size_t>(first - begin) + padding_for(first, slot_alignment_);
    layout_.block_bytes = bytes;
    layout_.slots = {slot_bytes(), slot_alignment_, bytes};
    block_slots_ = layout_.slots_in(bytes);
    if (block_slots_ == 0 || passes_through_)
        return block_slots_;
    single_ = ::new (static_cast<void*>(begin)) detail::block{};
    single_->granules = static_cast<std::uint32_t>(bytes / detail::granule_bytes);
    single_->owner = this;
    single_->alarm = silent_alarm;
    base_ = address_of(single_);
    return block_slots_;
}

pool_resource::~pool_resource() {
    if (checks_enabled || passes_through_) [[unlikely]]
        report_leaks();
#if ARENITE_CHECKS
    const std::lock_guard lock{pools_lock()};
    (previous_ != nullptr ? previous_->next_ : pools) = next_;
    if (next_ != nullptr)
        next_->previous_ = previous_;
#endif
    if (single_ != nullptr)
        detail::poison::undefined(single_, single_->bytes());
}

// ---- allocate -----------------------------------------------------------------------------------

/// The free slots of the next word of the sweep.
bool pool_resource::refill() noexcept {
    clear_held_back();
    cache_.set_room(true);
    if (next_word()) {
        claim();
        return true;
    }
    std::byte* const fresh = take_fresh();
    if (fresh != nullptr)
        cache_.open_window(fresh, 1);
    return fresh != nullptr;
}

/// Brings the sweep to a word with a slot that is free; false where there is none.
bool pool_resource::next_word() noexcept {
    if (taken_ >= capacity_ || (keeps_contents_ && taken_ == fresh_.opened))
        return false;
    for (;;) {
        if (swept_ != nullptr) {
            detail::block& b = *swept_;
            const detail::bits::word* const words = b.occupancy();
            std::size_t i = position_;
            // Words at or above `note` were never begun: nothing may be read there.
            while (i < b.note && words[i] == ~detail::bits::word{0})
                ++i;
            position_ = i;
            if (i < b.note)
                return true;
            if (keeps_contents_) {
                if (static_cast<std::size_t>(b.live) != known_slots(b)) {
                    position_ = 0;
                    continue;
                }
            } else if (i < words_for(slots_of(b))) {
                // A fresh page costs more than holes do, where there are enough of them.
                const std::size_t used = b.note * detail::bits::word_bits;
                if (used - static_cast<std::size_t>(b.live) >=
                    std::max(used / sweep_divisor, detail::bits::word_bits)) {
                    position_ = 0;
                    continue;
                }
                if (!has_holes_below(b)) {
                    begin_words(b);
                    return true;
                }
            }
            leave();
        }
        if (!enter_next())
            return false;
    }
}

/// True if a block below this one is worth a sweep.
bool pool_resource::has_holes_below(const detail::block& b) const noexcept {
    if (single_ != nullptr)
        return false;
    const detail::block* const lowest = source_.blocks().lowest(detail::block_state::sweepable);
    return lowest != nullptr && lowest < &b;
}

/// Takes what is free from the sweep's position on: side by side into the window, else the slots of
/// one word, so that they come out in address order.
void pool_resource::claim() noexcept {
    detail::block& b = *swept_;
    detail::bits::word* const words = b.occupancy();
    // A pool of fixed capacity may not take the whole word: what is in the cache counts as taken.
    const std::size_t room = capacity_ - taken_;
    detail::bits::word clear = ~words[position_];
    const auto low = static_cast<std::size_t>(std::countr_zero(clear));
    auto count = static_cast<std::size_t>(std::countr_one(clear >> low));
    std::byte* const begin = slot_at(b, position_ * detail::bits::word_bits);
    if (low + count == detail::bits::word_bits || clear >> (low + count) == 0) {
        if (low + count == detail::bits::word_bits) { // goes on in the next words of the group
            const std::size_t group = position_ / layout_.slots.group_words();
            const auto end =
                std::min<std::size_t>(b.note, (group + 1) * layout_.slots.group_words());
            for (std::size_t i = position_ + 1; i < end; ++i) {
                const auto more = static_cast<std::size_t>(std::countr_zero(words[i]));
                count += more;
                if (more != detail::bits::word_bits)
                    break;
            }
        }
        count = std::min(count, room);
        detail::bits::set_run(words, position_ * detail::bits::word_bits + low, count);
        cache_.open_window(begin + low * slot_bytes(), count);
        position_ += (low + count) / detail::bits::word_bits;
    } else {
        count = static_cast<std::size_t>(std::popcount(clear));
        for (; count > room; --count) // the highest stay
            clear ^= std::bit_floor(clear);
        words[position_] |= clear;
        cache_.push_word(begin, clear);
    }
    b.live += static_cast<std::int32_t>(count);
    taken_ += count;
}

/// Begins the bits of the next slots of a block that were never used: those of a group.
void pool_resource::begin_words(detail::block& b) noexcept {
    const std::size_t slots = slots_of(b);
    const std::size_t words = words_for(slots);
    const std::size_t end =
        std::min(words, (b.note / layout_.slots.group_words() + 1) * layout_.slots.group_words());
    detail::bits::word* const first = b.occupancy() + b.note;
    ::new (static_cast<void*>(first)) detail::bits::word[end - b.note]{};
    if (end == words && slots % detail::bits::word_bits != 0)
        b.occupancy()[words - 1] = ~detail::bits::low_mask(slots % detail::bits::word_bits);
    begin_marks(b, end - b.note);
    if (b.note == 0)
        detail::poison::no_access(slot_at(b, 0), b.bytes() - layout_.first);
    b.note = static_cast<std::uint32_t>(end);
}

/// Marks for the slots of the next so many words, and before the first of them the block's own.
void pool_resource::begin_marks(detail::block& b, std::size_t words) noexcept {
    if (holder_ == nullptr)
        return;
    if (b.note == 0)
        ::new (static_cast<void*>(marks_of(b) - 1)) mark{0};
    ::new (static_cast<void*>(marks_of(b) + b.note * detail::bits::word_bits))
        mark[words * detail::bits::word_bits]{};
}

/// The next block to sweep: the lowest of which enough is free, else a new one.
bool pool_resource::enter_next() noexcept {
    detail::block* b = single_;
    if (b == nullptr) {
        b = source_.blocks().lowest(detail::block_state::sweepable | detail::block_state::empty);
        if (b == nullptr && !keeps_contents_)
            b = source_.take_empty_block();
        if (b == nullptr)
            b = source_.blocks().lowest(partly_free);
        if (b == nullptr)
            return false;
        source_.open(*b);
        if (keeps_contents_ && known_slots(*b) == 0) { // all are fresh
            source_.blocks().set_state(*b, b == fresh_.from ? std::uint16_t{0} : cut_ahead);
            return enter_next();
        }
        b->alarm = silent_alarm;
    }
    swept_ = b;
    position_ = 0;
    return true;
}

/// Gives up the block being swept.
void pool_resource::leave() noexcept {
    detail::block& b = *std::exchange(swept_, nullptr);
    if (single_ == nullptr)
        reclassify(b);
}

/// Puts a block that is not allocated from into the state it has earned.
void pool_resource::reclassify(detail::block& b) noexcept {
    const auto slots = static_cast<std::int32_t>(keeps_contents_ ? known_slots(b) : slots_of(b));
    const auto share = std::max<std::int32_t>(1, slots / std::int32_t{sweep_divisor});
    std::uint16_t state = 0;
    b.alarm = slots - 1;
    if (b.live == 0) {
        // While for_each is at work an empty block stays: its walk stands in it, or comes to it.
        if (visits_ == 0)
            return source_.close_empty(b, bytes_in_use());
        state = vacated;
        b.alarm = silent_alarm;
    } else if (slots - b.live >= share) {
        state = detail::block_state::sweepable;
        b.alarm = 0;
    } else if (b.live != slots) {
        state = partly_free;
        b.alarm = slots - share;
    }
    source_.blocks().set_state(b, state);
}

/// Where every call is a slow one: a single slot, past the cache.
std::byte* pool_resource::take_one() noexcept {
    if (!next_word())
        return take_fresh();
    detail::bits::word& word = swept_->occupancy()[position_];
    const auto i = static_cast<std::size_t>(std::countr_one(word));
    word |= detail::bits::word{1} << i;
    ++swept_->live;
    ++taken_;
    return slot_at(*swept_, position_ * detail::bits::word_bits + i);
}

// ---- deallocate ---------------------------------------------------------------------------------

/// Slots of one block after the other are accounted for at once, so that the words of bits are all
/// that one slot waits for.
void pool_resource::clear_slots(std::span<std::byte* const> slots) noexcept {
    const layout l = layout_; // which the words of bits, as they are written, do not change
    detail::block* b = nullptr;
    std::size_t end = 0; // of the slots of b whose bits exist
    std::size_t cleared = 0;
    for (const std::byte* const p : slots) {
        if (detail::block* const mine = block_of(p); mine != b) [[unlikely]] {
            if (b != nullptr)
                account(*b, std::exchange(cleared, 0));
            b = mine;
            end = b->owner == this ? b->note * detail::bits::word_bits : 0;
        }
        const std::size_t i = l.slots.index_at(address_of(p) - address_of(b) - l.first);
        if (i >= end) [[unlikely]]
            return refuse_free(p, "it is not of this pool");
        detail::bits::word& word = b->occupancy()[i / detail::bits::word_bits];
        const detail::bits::word mask = detail::bits::word{1} << i % detail::bits::word_bits;
        // A clear bit is the proof of a second free; it is looked at when the slot leaves the
        // cache, which is why a message may come late.
        if ((word & mask) == 0) [[unlikely]]
            return refuse_free(p, "it was freed twice");
        word ^= mask;
        ++cleared;
    }
    if (b != nullptr)
        account(*b, cleared);
}

/// From now on each slot that is freed is seen to at once, and blocks as they empty.
void pool_resource::hold_nothing() noexcept {
    settle();
    cache_.set_room(false);
    if (swept_ != nullptr && single_ == nullptr)
        leave();
}

/// Slots of a block have become free.
void pool_resource::account(detail::block& b, std::size_t cleared) noexcept {
    taken_ -= cleared;
    b.live -= static_cast<std::int32_t>(cleared);
    if (b.live <= b.alarm)
        reclassify(b);
}

void pool_resource::clear_run(std::byte* p, std::size_t count) noexcept {
    detail::block& b = *block_of(p);
    const std::size_t first = index_of(b, p);
    if (b.owner != this || first + count > b.note * detail::bits::word_bits) [[unlikely]]
        return refuse_free(p, "it is not of this pool");
    detail::bits::word missing = 0;
    detail::bits::for_each_part(b.occupancy(), first, count,
                                [&](detail::bits::word& word, detail::bits::word mask) {
                                    missing |= ~word & mask;
                                    word &= ~mask;
                                });
    if (missing != 0) [[unlikely]]
        return refuse_free(p, "it, or a neighbour freed after it, was freed twice");
    account(b, count);
}

/// Says whose it is, if it can: checked builds have a list of all pools.
void pool_resource::refuse_foreign(const void* p) const noexcept {
#if ARENITE_CHECKS
    const std::lock_guard lock{pools_lock()};
    for (const pool_resource* other = pools; other != nullptr; other = other->next_) {
        if (other == this || !other->owns(p))
            continue;
        char why[160];
        std::snprintf(why, sizeof why, "it belongs to pool_resource %s%s%p, slots of %zu bytes",
                      other->name_ == nullptr ? "" : other->name_,
                      other->name_ == nullptr ? "" : " ", static_cast<const void*>(other),
                      other->slot_bytes());
        return refuse_free(p, why);
    }
#endif
    refuse_free(p, "it is not of this pool");
}

// ---- what is where ------------------------------------------------------------------------------

detail::block* pool_resource::first_block() const noexcept {
    return single_ != nullptr ? single_ : source_.blocks().first();
}

detail::block* pool_resource::block_above(const detail::block& b) const noexcept {
    return single_ != nullptr ? nullptr : source_.blocks().above(b);
}

void pool_resource::begin_visit() noexcept {
    ++visits_;
    settle();
    position_ = 0;
}

/// Closes what became empty on the way.
void pool_resource::end_visit() noexcept {
    if (--visits_ != 0 || single_ != nullptr)
        return;
    while (detail::block* const b = source_.blocks().lowest(vacated))
        reclassify(*b);
}

template class detail::slot_pool<pool_resource>;

} // namespace ARENITE_ABI
} // namespace arenite
