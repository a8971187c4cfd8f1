// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/pool/pool_resource.hpp>

#include <arenite/block/colouring.hpp>
#include <arenite/check/leak.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/check/poison.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/core/size.hpp>
#include <arenite/os/fork_lock.hpp>
#include <arenite/os/page_resource.hpp>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <new>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

namespace {

constexpr std::size_t least_slots = 16;     // of a block, so that its head is little beside them
constexpr std::size_t group_bytes = 16_KiB; // colours differ each so many bytes
constexpr std::size_t largest_slot = 1_GiB; // bytes
constexpr std::size_t sweep_divisor = 8;    // share of a block that must be free to be swept
constexpr std::size_t long_run = 64;        // slots freed in a row after which more may come
constexpr std::uint16_t partly_free = 32;   // state of a block with less free than that
constexpr std::uint16_t vacated = 64;       // became empty while for_each was at work
constexpr std::int32_t silent_alarm = -1;   // of a block that is being swept
constexpr bool always_careful = checks_enabled || poison::active;

// Division by a multiplication: exact for offsets below 2^20 and divisors up to 2^20.
constexpr unsigned inverse_shift = 40;
constexpr std::size_t inverse_limit = std::size_t{1} << 20;

std::uint64_t inverse_of(std::size_t divisor) noexcept {
    return ((std::uint64_t{1} << inverse_shift) + divisor - 1) / divisor;
}

#if ARENITE_CHECKS
pool_resource* pools = nullptr;

/// Never destroyed: static pools end late.
detail::fork_lock<std::mutex>& pools_lock() noexcept {
    using lock = detail::fork_lock<std::mutex>;
    alignas(lock) static std::byte place[sizeof(lock)];
    static lock& made = *::new (static_cast<void*>(place)) lock;
    return made;
}
#endif

} // namespace

// ---- layout -------------------------------------------------------------------------------------

std::size_t pool_resource::layout::bytes_for(std::size_t slots) const noexcept {
    const std::size_t group_slots = group_words * bits::word_bits;
    return first + slots * slot_bytes + (slots - 1) / group_slots * colour_bytes;
}

std::size_t pool_resource::layout::slots_in(std::size_t bytes) const noexcept {
    if (bytes < first + slot_bytes)
        return 0;
    const std::size_t group_slots = group_words * bits::word_bits;
    const std::size_t group = group_slots * slot_bytes + colour_bytes;
    const std::size_t rest = bytes - first;
    return rest / group * group_slots + std::min(rest % group / slot_bytes, group_slots);
}

/// `usual`: bytes of a block on this upstream where nothing asks for another.
pool_resource::layout pool_resource::layout::of(slot s, const pool_options& options,
                                                std::size_t usual) noexcept {
    layout l{};
    const std::size_t alignment = is_alignment(s.alignment) ? s.alignment : 1;
    l.slot_bytes = std::min(s.bytes + (s.bytes == 0), largest_slot);
    l.slot_bytes = align_up(l.slot_bytes, std::min(alignment, largest_slot));
    const std::size_t word_bytes = l.slot_bytes * bits::word_bits;
    l.group_words = std::max<std::size_t>(1, group_bytes / word_bytes);
    l.colour_bytes = alignment <= arenite::colour_bytes ? arenite::colour_bytes : 0;
    // The bits of a longer block begin the slots later, which may need a longer block.
    const std::size_t least =
        options.slots != 0 ? std::min(options.slots, least_slots) : least_slots;
    std::size_t bytes = options.mask_bytes != 0 ? options.mask_bytes : usual;
    if (options.block_bytes != 0 && options.mask_bytes == 0)
        bytes = std::min(usual, std::bit_ceil(std::max(options.block_bytes,
                                                       block_source::smallest_block_bytes)));
    const auto set_first = [&](std::size_t length) {
        const std::size_t words = words_for(length / l.slot_bytes);
        l.first = align_up(sizeof(block) + words * sizeof(bits::word),
                           std::max<std::size_t>(alignment, 64));
    };
    if (options.slots != 0 && options.slots < bytes / l.slot_bytes && options.mask_bytes == 0) {
        set_first(bytes);
        bytes = std::min(bytes, std::max(block_source::smallest_block_bytes,
                                         std::bit_ceil(l.bytes_for(options.slots))));
    }
    for (set_first(bytes); l.slots_in(bytes) < least; set_first(bytes))
        bytes *= 2;
    l.block_bytes = bytes;
    return l;
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

pool_resource::pool_resource(slot s, const pool_options& options) noexcept
    : pool_resource{s, options, upstream{&page_source()}} {}

pool_resource::pool_resource(slot s, const pool_options& options, upstream up) noexcept
    : pool_resource{s, layout::of(s, options, block_source::usual_block_bytes(up)), options, up} {
    if ((options.eager || options.prefault) && capacity_ != 0 && !passes_through_)
        static_cast<void>(source_.clean());
}

pool_resource::pool_resource(slot s, const layout& l, const pool_options& options,
                             upstream up) noexcept
    : slot_bytes_{l.slot_bytes}, slot_alignment_{s.alignment}, mask_{~(l.block_bytes - 1)},
      slot_inverse_{0}, group_inverse_{0}, layout_{l}, block_slots_{l.slots_in(l.block_bytes)},
      careful_{always_careful}, passes_through_{passthrough()},
      source_{{.block_bytes = span_bytes(l, options),
               .policy = options.slots != 0 ? return_policy::retain_all : options.policy,
               .prefault = options.prefault,
               .bits = false,
               .mask_bytes = l.block_bytes,
               .least_bytes = least_bytes(l, options)},
              up,
              this} {
    ARENITE_ASSERT(is_alignment(s.alignment), "a slot's alignment must be a power of two");
    if (options.slots != 0)
        capacity_ = options.slots;
    if (!is_alignment(s.alignment) || s.bytes > largest_slot || s.alignment > largest_slot)
        capacity_ = 0; // there is no such slot
    hot_depth_ = careful_ || passes_through_ ? 0 : hot_depth;
    if (l.block_bytes <= inverse_limit) {
        slot_inverse_ = inverse_of(slot_bytes_);
        group_inverse_ = inverse_of(l.group_words * bits::word_bits * slot_bytes_ + l.colour_bytes);
    }
#if ARENITE_CHECKS
    const std::lock_guard lock{pools_lock()};
    next_ = pools;
    if (pools != nullptr)
        pools->previous_ = this;
    pools = this;
#endif
}

/// What to ask from the upstream at once.
std::size_t pool_resource::span_bytes(const layout& l, const pool_options& options) noexcept {
    if (options.slots == 0)
        return options.block_bytes;
    const std::size_t per_block = l.slots_in(l.block_bytes);
    const std::size_t blocks = options.slots / per_block + (options.slots % per_block != 0);
    return checked_multiply(blocks, l.block_bytes).value_or(max_object_bytes);
}

/// The least to ask at once, and the first: what is expected, in whole pages.
std::size_t pool_resource::least_bytes(const layout& l, const pool_options& options) noexcept {
    if (options.expected == 0)
        return l.slots_in(l.block_bytes / 4) == 0 ? l.block_bytes : 0;
    const std::size_t per_block = l.slots_in(l.block_bytes);
    const std::size_t rest = options.expected % per_block;
    const std::size_t last =
        rest == 0 ? 0 : align_up(l.bytes_for(rest), block_source::smallest_block_bytes);
    return checked_multiply(options.expected / per_block, l.block_bytes)
               .value_or(max_object_bytes - l.block_bytes + 1) +
           last;
}

pool_resource::pool_resource(slot s, std::span<std::byte> buffer) noexcept
    : pool_resource{s,
                    layout::of(s, {.slots = 1}, block_source::smallest_block_bytes),
                    {.slots = 1},
                    upstream{static_cast<resource*>(nullptr)}} {
    mask_ = 0;
    slot_inverse_ = group_inverse_ = 0;
    capacity_ = capacity_ == 0 ? 0 : make_single(buffer);
}

/// Makes the block in the user's memory; returns its slots.
std::size_t pool_resource::make_single(std::span<std::byte> buffer) noexcept {
    const std::size_t gap = buffer.empty() ? 0 : padding_for(buffer.data(), alignof(block));
    if (buffer.size() < gap + sizeof(block))
        return 0;
    std::byte* const begin = buffer.data() + gap;
    // Counts of slots are of 31 bits, of granules of 32.
    const std::size_t most = std::min<std::size_t>(INT32_MAX, UINT32_MAX / slot_bytes_ * 8);
    const std::size_t bytes = align_down(
        std::min(buffer.size() - gap, sizeof(block) + most * slot_bytes_), granule_bytes);
    const std::size_t words = words_for((bytes - sizeof(block)) / slot_bytes_);
    std::byte* const first = begin + sizeof(block) + words * sizeof(bits::word);
    layout_.first = static_cast<std::size_t>(first - begin) + padding_for(first, slot_alignment_);
    layout_.block_bytes = bytes;
    block_slots_ = layout_.slots_in(bytes);
    if (block_slots_ == 0 || passes_through_)
        return block_slots_;
    single_ = ::new (static_cast<void*>(begin)) block{};
    single_->granules = static_cast<std::uint32_t>(bytes / granule_bytes);
    single_->owner = this;
    single_->alarm = silent_alarm;
    base_ = address_of(single_);
    return block_slots_;
}

pool_resource::~pool_resource() {
    if constexpr (checks_enabled)
        report_leaks();
#if ARENITE_CHECKS
    const std::lock_guard lock{pools_lock()};
    (previous_ != nullptr ? previous_->next_ : pools) = next_;
    if (next_ != nullptr)
        next_->previous_ = previous_;
#endif
    if (single_ != nullptr)
        poison::undefined(single_, single_->bytes());
}

// ---- allocate -----------------------------------------------------------------------------------

/// What the inlined part can't serve: nothing hot is left, and no window open.
void* pool_resource::allocate_slow() noexcept {
    note_high_water();
    if (careful_ || passes_through_) [[unlikely]]
        return allocate_careful();
    if (run_begin_ != run_end_) {
        cursor_ = std::exchange(run_begin_, nullptr);
        limit_ = std::exchange(run_end_, nullptr);
    } else {
        if (!next_word())
            return nullptr;
        claim();
    }
    if (hot_count_ != 0)
        return hot_[--hot_count_];
    return std::exchange(cursor_, cursor_ + slot_bytes_);
}

/// Brings the sweep to a word with a slot that is free; false where there is none.
bool pool_resource::next_word() noexcept {
    if (taken_ >= capacity_)
        return false;
    for (;;) {
        if (swept_ != nullptr) {
            block& b = *swept_;
            const bits::word* const words = b.occupancy();
            std::size_t i = position_;
            while (i < b.note && words[i] == ~bits::word{0})
                ++i;
            position_ = i;
            if (i < b.note)
                return true;
            if (i < words_for(slots_of(b))) {
                // A fresh page costs more than holes do, where there are enough of them.
                const std::size_t used = b.note * bits::word_bits;
                if (used - static_cast<std::size_t>(b.live) >=
                    std::max(used / sweep_divisor, bits::word_bits)) {
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
bool pool_resource::has_holes_below(const block& b) const noexcept {
    if (single_ != nullptr)
        return false;
    const block* const lowest = source_.blocks().lowest(block_state::sweepable);
    return lowest != nullptr && lowest < &b;
}

/// Takes what is free from the sweep's position on: side by side into the window, else the slots of
/// one word, so that they come out in address order.
void pool_resource::claim() noexcept {
    block& b = *swept_;
    bits::word* const words = b.occupancy();
    const std::size_t room = capacity_ - taken_;
    bits::word clear = ~words[position_];
    const auto low = static_cast<std::size_t>(std::countr_zero(clear));
    auto count = static_cast<std::size_t>(std::countr_one(clear >> low));
    std::byte* const begin = word_begin(b, position_);
    if (low + count == bits::word_bits || clear >> (low + count) == 0) {
        if (low + count == bits::word_bits) { // goes on in the next words of the group
            const std::size_t group = position_ / layout_.group_words;
            const auto end = std::min<std::size_t>(b.note, (group + 1) * layout_.group_words);
            for (std::size_t i = position_ + 1; i < end; ++i) {
                const auto more = static_cast<std::size_t>(std::countr_zero(words[i]));
                count += more;
                if (more != bits::word_bits)
                    break;
            }
        }
        count = std::min(count, room);
        bits::set_run(words, position_ * bits::word_bits + low, count);
        cursor_ = begin + low * slot_bytes_;
        limit_ = cursor_ + count * slot_bytes_;
        position_ += (low + count) / bits::word_bits;
    } else {
        count = static_cast<std::size_t>(std::popcount(clear));
        for (; count > room; --count) // the highest stay
            clear ^= std::bit_floor(clear);
        words[position_] |= clear;
        for (std::size_t i = count; clear != 0; clear &= clear - 1)
            hot_[--i] = begin + static_cast<std::size_t>(std::countr_zero(clear)) * slot_bytes_;
        hot_count_ = count;
    }
    b.live += static_cast<std::int32_t>(count);
    taken_ += count;
}

/// Begins the bits of the next slots of a block that were never used: those of a group.
void pool_resource::begin_words(block& b) noexcept {
    const std::size_t slots = slots_of(b);
    const std::size_t words = words_for(slots);
    const std::size_t end =
        std::min(words, (b.note / layout_.group_words + 1) * layout_.group_words);
    bits::word* const first = b.occupancy() + b.note;
    ::new (static_cast<void*>(first)) bits::word[end - b.note]{};
    if (end == words && slots % bits::word_bits != 0)
        b.occupancy()[words - 1] = ~bits::low_mask(slots % bits::word_bits);
    if (b.note == 0)
        poison::no_access(word_begin(b, 0), b.bytes() - layout_.first);
    b.note = static_cast<std::uint32_t>(end);
}

/// The next block to sweep: the lowest of which enough is free, else a new one.
bool pool_resource::enter_next() noexcept {
    block* b = single_;
    if (b == nullptr) {
        b = source_.blocks().lowest(block_state::sweepable | block_state::empty);
        if (b == nullptr)
            b = source_.clean();
        if (b == nullptr)
            b = source_.blocks().lowest(partly_free);
        if (b == nullptr)
            return false;
        source_.open(*b);
        b->alarm = silent_alarm;
    }
    swept_ = b;
    position_ = 0;
    return true;
}

/// Gives up the block being swept.
void pool_resource::leave() noexcept {
    block& b = *std::exchange(swept_, nullptr);
    if (single_ == nullptr)
        freed(b);
}

/// Puts a block that nobody allocates from into the state it has earned.
void pool_resource::freed(block& b) noexcept {
    const auto slots = static_cast<std::int32_t>(slots_of(b));
    const auto share = std::max<std::int32_t>(1, slots / std::int32_t{sweep_divisor});
    std::uint16_t state = 0;
    b.alarm = slots - 1;
    if (b.live == 0) {
        if (visits_ == 0)
            return source_.close_empty(b, bytes_in_use());
        state = vacated;
        b.alarm = silent_alarm;
    } else if (slots - b.live >= share) {
        state = block_state::sweepable;
        b.alarm = 0;
    } else if (b.live != slots) {
        state = partly_free;
        b.alarm = slots - share;
    }
    source_.blocks().set_state(b, state);
}

void* pool_resource::allocate_careful() noexcept {
    void* p = nullptr;
    if (passes_through_) {
        if (singles_.count() - large_count_ < capacity_)
            p = singles_.try_allocate(slot_bytes_, slot_alignment_);
        return p;
    }
    if (!next_word())
        return nullptr;
    bits::word& word = swept_->occupancy()[position_];
    const auto i = static_cast<std::size_t>(std::countr_one(word));
    word |= bits::word{1} << i;
    ++swept_->live;
    ++taken_;
    p = word_begin(*swept_, position_) + i * slot_bytes_;
    poison::undefined(p, slot_bytes_);
    if constexpr (checks_enabled) {
        std::memset(p, 0xCD, slot_bytes_); // never written by the user
        poison::undefined(p, slot_bytes_);
    }
    return p;
}

/// A block for a request that a slot does not serve.
void* pool_resource::allocate_large(std::size_t bytes, std::size_t alignment) noexcept {
    ARENITE_ASSERT(is_alignment(alignment), "an alignment must be a power of two");
    if (!is_alignment(alignment) || bytes > max_object_bytes - default_alignment ||
        capacity_ != std::numeric_limits<std::size_t>::max())
        return nullptr;
    const std::size_t size = align_up(bytes + (bytes == 0), granule_bytes);
    void* p = nullptr;
    if (passes_through_) {
        p = singles_.try_allocate(bytes + (bytes == 0), alignment);
    } else if (block* const large = source_.try_allocate_large(size, alignment)) {
        p = block_source::large_object(*large);
        poison::no_access(p, size);
        poison::undefined(p, bytes);
    }
    if (p == nullptr)
        return nullptr;
    large_bytes_ += passes_through_ ? 0 : size;
    ++large_count_;
    note_high_water();
    return p;
}

// ---- deallocate ---------------------------------------------------------------------------------

/// What there is no room for among the hot slots: the oldest half of them go into the bits.
void pool_resource::deallocate_slow(std::byte* p) noexcept {
    note_high_water();
    if (careful_ || passes_through_) [[unlikely]]
        return deallocate_careful(p);
    if (static_cast<std::size_t>(run_end_ - run_begin_) >= long_run * slot_bytes_) {
        // It has come to a colour or to the end of a block: as a rule it goes on behind.
        clear_run();
        run_begin_ = p;
        run_end_ = p + slot_bytes_;
        return;
    }
    constexpr std::size_t half = hot_depth / 2;
    hot_count_ = half; // so that what is in use is never less than nothing while bits are cleared
    clear_hot(half);
    std::memmove(hot_, hot_ + half, half * sizeof(hot_[0]));
    // Neighbours one after the other: more of them may come.
    const std::byte* const latest = hot_[half - 1];
    if (p == latest + slot_bytes_ || p + slot_bytes_ == latest) {
        clear_run();
        run_begin_ = p;
        run_end_ = p + slot_bytes_;
    } else {
        hot_[hot_count_++] = p;
    }
}

/// Clears the bits of the oldest hot slots. Those of one block after the other are accounted for at
/// once, so that the words of bits are all that one slot waits for.
void pool_resource::clear_hot(std::size_t count) noexcept {
    block* b = nullptr;
    std::size_t end = 0; // of the slots of b whose bits exist
    std::int32_t cleared = 0;
    for (std::size_t k = 0; k < count; ++k) {
        const std::byte* const p = hot_[k];
        if (block* const mine = block_of(p); mine != b) {
            if (b != nullptr)
                account(*b, std::exchange(cleared, 0));
            b = mine;
            end = b->owner == this ? b->note * bits::word_bits : 0;
        }
        const std::size_t i = index_of(*b, p);
        if (i >= end) [[unlikely]]
            return refuse_free(p, "it is not of this pool");
        bits::word& word = b->occupancy()[i / bits::word_bits];
        const bits::word mask = bits::word{1} << i % bits::word_bits;
        if ((word & mask) == 0) [[unlikely]]
            return refuse_free(p, "it was freed twice");
        word ^= mask;
        ++cleared;
    }
    if (b != nullptr)
        account(*b, cleared);
}

/// Slots of a block have become free.
void pool_resource::account(block& b, std::int32_t cleared) noexcept {
    taken_ -= static_cast<std::size_t>(cleared);
    b.live -= cleared;
    if (b.live <= b.alarm)
        freed(b);
}

void pool_resource::clear_run() noexcept {
    const std::byte* const p = std::exchange(run_begin_, nullptr);
    const std::byte* const end = std::exchange(run_end_, nullptr);
    if (p == end)
        return;
    block& b = *block_of(p);
    const std::size_t first = index_of(b, p);
    const std::size_t count = static_cast<std::size_t>(end - p) / slot_bytes_;
    if (b.owner != this || first + count > b.note * bits::word_bits) [[unlikely]]
        return refuse_free(p, "it is not of this pool");
    bits::word missing = 0;
    bits::for_each_part(b.occupancy(), first, count, [&](bits::word& word, bits::word mask) {
        missing |= ~word & mask;
        word &= ~mask;
    });
    if (missing != 0) [[unlikely]]
        return refuse_free(p, "it, or a neighbour freed after it, was freed twice");
    account(b, static_cast<std::int32_t>(count));
}

void pool_resource::deallocate_careful(std::byte* p) noexcept {
    if (passes_through_)
        return singles_.deallocate(p);
    if constexpr (checks_enabled)
        check_free(p);
    if constexpr (checks_enabled) {
        poison::undefined(p, slot_bytes_);
        std::memset(p, 0xDD, slot_bytes_); // no longer the user's
    }
    poison::no_access(p, slot_bytes_);
    hot_[0] = p; // its memory may go back to the upstream by this
    clear_hot(1);
}

void pool_resource::deallocate_large(void* p, std::size_t bytes, std::size_t) noexcept {
    note_high_water();
    --large_count_;
    if (passes_through_)
        return singles_.deallocate(p);
    block& b = source_.head_of(p);
    if (checks_enabled && source_.find(p) != &b)
        return refuse_free(p, "it is not of this pool");
    if (b.owner != this || (b.state & block_state::large) == 0 ||
        block_source::large_object(b) != p ||
        block_source::large_bytes(b) != align_up(bytes + (bytes == 0), granule_bytes))
        return refuse_free(p, "it was not allocated with this size");
    large_bytes_ -= block_source::large_bytes(b);
    source_.deallocate_large(b, bytes_in_use());
}

void pool_resource::refuse_free(const void* p, const char* why) const noexcept {
    contract_violation_f(std::source_location::current(),
                         "%p was freed into pool_resource %p, slots of %zu bytes: %s", p,
                         static_cast<const void*>(this), slot_bytes_, why);
}

/// In a checked build a slot is known to be one before it is freed.
void pool_resource::check_free(const std::byte* p) const noexcept {
    if (!owns(p)) {
#if ARENITE_CHECKS
        const std::lock_guard lock{pools_lock()};
        for (const pool_resource* other = pools; other != nullptr; other = other->next_)
            if (other != this && other->owns(p))
                contract_violation_f(
                    std::source_location::current(),
                    "%p was freed into pool_resource %p, slots of %zu bytes: it belongs to "
                    "pool_resource %p, slots of %zu bytes",
                    static_cast<const void*>(p), static_cast<const void*>(this), slot_bytes_,
                    static_cast<const void*>(other), other->slot_bytes_);
#endif
        return refuse_free(p, "it is not of this pool");
    }
    block* const b = single_ != nullptr ? single_ : source_.find(p);
    if ((b->state & block_state::large) != 0)
        return refuse_free(p, "it is larger than a slot, and is to be freed with its size");
    const std::byte* const first = word_begin(*b, 0);
    const std::size_t i = p < first ? 0 : index_of(*b, p);
    const std::byte* const begin =
        word_begin(*b, i / bits::word_bits) + i % bits::word_bits * slot_bytes_;
    if (p < first || i >= slots_of(*b) || p >= begin + slot_bytes_)
        return refuse_free(p, "it is no slot, but what the pool keeps for itself");
    if (p != begin)
        contract_violation_f(
            std::source_location::current(),
            "%p was freed into pool_resource %p, slots of %zu bytes: it points %zu "
            "bytes into the slot at %p",
            static_cast<const void*>(p), static_cast<const void*>(this), slot_bytes_,
            static_cast<std::size_t>(p - begin), static_cast<const void*>(begin));
    if (i / bits::word_bits >= b->note || !bits::all_set(b->occupancy(), i, 1))
        return refuse_free(p, "the slot is free already, or was never handed out");
}

// ---- what is where ------------------------------------------------------------------------------

std::size_t pool_resource::index_of(const block& b, const void* p) const noexcept {
    const std::size_t at = address_of(p) - address_of(&b) - layout_.first;
    if (slot_inverse_ != 0) [[likely]] {
        const std::size_t group = at * group_inverse_ >> inverse_shift;
        return (at - group * layout_.colour_bytes) * slot_inverse_ >> inverse_shift;
    }
    const std::size_t group =
        at / (layout_.group_words * bits::word_bits * slot_bytes_ + layout_.colour_bytes);
    return (at - group * layout_.colour_bytes) / slot_bytes_;
}

block* pool_resource::first_block() const noexcept {
    return single_ != nullptr ? single_ : source_.blocks().first();
}

block* pool_resource::block_above(const block& b) const noexcept {
    return single_ != nullptr ? nullptr : source_.blocks().above(b);
}

bool pool_resource::owns(const void* p) const noexcept {
    if (passes_through_)
        return singles_.owns(p);
    if (single_ != nullptr)
        return address_of(p) - base_ < single_->bytes();
    return source_.find(p) != nullptr;
}

std::size_t pool_resource::slots_in_use() const noexcept {
    const auto waiting = static_cast<std::size_t>((limit_ - cursor_) + (run_end_ - run_begin_));
    return taken_ - hot_count_ - waiting / slot_bytes_;
}

std::size_t pool_resource::bytes_in_use() const noexcept {
    return slots_in_use() * slot_bytes_ + large_bytes_ + singles_.bytes();
}

void pool_resource::note_high_water() const noexcept {
    high_water_ = std::max(high_water_, bytes_in_use());
}

arenite::usage pool_resource::usage() const noexcept {
    note_high_water();
    const std::size_t slots = slots_in_use();
    const block_list& blocks = source_.blocks();
    const bool has_slot =
        slots < capacity_ &&
        (slots < taken_ || single_ != nullptr || source_.has_clean() ||
         blocks.has(block_state::sweepable | partly_free) ||
         (swept_ != nullptr && static_cast<std::size_t>(swept_->live) < slots_of(*swept_)));
    return {.bytes_in_use = bytes_in_use(),
            .bytes_reserved = source_.bytes_reserved() + singles_.bytes() +
                              (single_ != nullptr ? single_->bytes() : 0),
            .high_water_bytes = high_water_,
            .live_allocations = passes_through_ ? singles_.count() : slots + large_count_,
            .largest_hole_bytes = has_slot ? slot_bytes_ : 0};
}

/// Leaves nothing free that the bits do not show.
void pool_resource::settle() noexcept {
    note_high_water();
    clear_run();
    run_begin_ = std::exchange(cursor_, nullptr);
    run_end_ = std::exchange(limit_, nullptr);
    clear_run();
    clear_hot(std::exchange(hot_count_, 0));
    position_ = 0;
}

void pool_resource::begin_visit() noexcept {
    ++visits_;
    settle();
}

/// Closes what became empty on the way.
void pool_resource::end_visit() noexcept {
    if (--visits_ != 0 || single_ != nullptr)
        return;
    while (block* const b = source_.blocks().lowest(vacated))
        freed(*b);
}

void pool_resource::list_regions(region_sink& sink) const {
    singles_.list_regions(sink);
    source_.for_each_kept([&](const std::byte* p, std::size_t bytes) {
        sink.add({p, bytes, region_state::free});
    });
    // The waiting slots, whose bits are set, in address order.
    const std::byte* waiting[hot_depth + 1];
    std::copy_n(hot_, hot_count_, waiting);
    std::sort(waiting, waiting + hot_count_);
    const auto is_free = [&](const std::byte* p) {
        return (p >= cursor_ && p < limit_) || (p >= run_begin_ && p < run_end_) ||
               std::binary_search(waiting, waiting + hot_count_, p);
    };
    for (block* b = first_block(); b != nullptr; b = block_above(*b)) {
        if ((b->state & block_state::large) != 0) {
            const auto* const begin = reinterpret_cast<const std::byte*>(b->span);
            const std::byte* const object = block_source::large_object(*b);
            sink.add({begin, static_cast<std::size_t>(object - begin), region_state::overhead});
            const std::size_t bytes = block_source::large_bytes(*b);
            sink.add({object, bytes, region_state::used, true});
            if (const std::size_t rest = b->span_bytes - b->bytes() - bytes; rest != 0)
                sink.add({object + bytes, rest, region_state::free});
            continue;
        }
        const auto* const begin = reinterpret_cast<const std::byte*>(b);
        const std::byte* from = begin; // of what was not yet told
        region_state state = region_state::overhead;
        const auto until = [&](const std::byte* to, region_state next) {
            if (next == state && next != region_state::used)
                return;
            if (to != from)
                sink.add({from, static_cast<std::size_t>(to - from), state,
                          state == region_state::used});
            from = to;
            state = next;
        };
        const std::size_t slots = slots_of(*b);
        const std::size_t known = std::min(slots, b->note * bits::word_bits);
        const std::size_t group = layout_.group_words * bits::word_bits;
        for (std::size_t i = 0; i < known; ++i) {
            const std::byte* const p =
                word_begin(*b, i / bits::word_bits) + i % bits::word_bits * slot_bytes_;
            if (i != 0 && i % group == 0 && layout_.colour_bytes != 0)
                until(p - layout_.colour_bytes, region_state::overhead);
            const bool used = bits::all_set(b->occupancy(), i, 1) && !is_free(p);
            until(p, used ? region_state::used : region_state::free);
        }
        const std::byte* const last =
            known == 0 ? begin + layout_.first : begin + layout_.bytes_for(known);
        until(last, region_state::untouched);
        until(begin + b->bytes(), region_state::overhead);
    }
}

// ---- giving back, end ---------------------------------------------------------------------------

void pool_resource::trim() noexcept {
    settle();
    if (single_ != nullptr || visits_ != 0)
        return;
    if (swept_ != nullptr)
        leave();
    source_.trim();
    if (!source_.purges())
        return;
    for (block* b = source_.blocks().first(); b != nullptr; b = source_.blocks().above(*b))
        if ((b->state & block_state::large) == 0)
            purge_holes(*b);
}

/// Gives the whole pages between slots in use back.
void pool_resource::purge_holes(block& b) noexcept {
    const std::size_t known = b.note * bits::word_bits;
    const auto begin_of = [&](std::size_t i) {
        return word_begin(b, i / bits::word_bits) + i % bits::word_bits * slot_bytes_;
    };
    for (std::size_t i = 0; i <= known;) {
        const std::size_t end = bits::next_set(b.occupancy(), i, known);
        std::byte* const from = begin_of(i);
        std::byte* const to =
            end == known ? reinterpret_cast<std::byte*>(&b) + b.bytes() : begin_of(end);
        if (from < to)
            source_.purge(from, static_cast<std::size_t>(to - from));
        if (end == known)
            return;
        i = bits::next_clear(b.occupancy(), end, known);
    }
}

void pool_resource::report_leaks() noexcept {
    leak_collector leaks{this};
    for_each([&](void* p) { leaks.add(p, slot_bytes_); });
    for (block* b = source_.blocks().first(); b != nullptr; b = source_.blocks().above(*b))
        if ((b->state & block_state::large) != 0)
            leaks.add(block_source::large_object(*b), block_source::large_bytes(*b));
    leaks.report();
}

} // namespace ARENITE_ABI
} // namespace arenite
