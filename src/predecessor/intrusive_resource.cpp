// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Free slots of any length, linked through themselves. In this order: making, allocate with its
// search block by block, the lists of a block, entering and leaving blocks, deallocate, which
// merges neighbours. Reports are in intrusive_resource_report.cpp. Two lanes of allocation run
// through the heap: main_ serves in address order, and beside_ takes requests that main_'s block
// has no room for, so that one long object does not make many short ones leave their place. Frees
// are noted as runs first (run_ and before_), and enter the lists when a run ends: neighbours that
// are freed one after the other are merged by moving one end.
#include "intrusive_slots.hpp"

#include <arenite/check/detail/poison.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/detail/bits.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/os/page_resource.hpp>

#include <algorithm>
#include <bit>
#include <limits>
#include <new>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

namespace {

constexpr std::size_t align_divisor = 4; // nor one for an alignment of more than this
constexpr std::int32_t no_alarm = -1;    // of a block that is allocated from
constexpr std::int32_t every_free = std::numeric_limits<std::int32_t>::max();
/// Bounds that make a request O(1): a slot that fits may be missed, and costs memory, not time.
constexpr int looks = 8;        // at slots of a list that may be too short
constexpr int looks_around = 4; // at blocks that may have none
constexpr int all_looks = std::numeric_limits<int>::max();

// A block waits with a state for each doubling of the lengths of its free slots: in elements
// 2 to 7, 8 to 15, ... and from 2^13 on.
constexpr int first_doubling = 2;
constexpr int last_doubling = 13;

constexpr std::uint16_t states_of(unsigned doublings) noexcept {
    const unsigned low = (doublings & 7u) != 0 ? 1u : 0u;
    const unsigned high = doublings >> last_doubling != 0 ? 1u << (last_doubling - 2) : 0u;
    const unsigned twelve = (doublings >> first_doubling & 0x7feu) | low | high;
    return static_cast<std::uint16_t>((twelve & 1u) << 1 | (twelve & ~1u) << 4);
}

/// The states of blocks that may have a slot of so many elements.
std::uint16_t states_for(std::size_t elements) noexcept {
    return states_of(~0u << (std::bit_width(elements) - 1) & 0xffffu);
}

/// The list for slots of so many elements, of four to a doubling: all slots in the next ones are
/// longer.
std::size_t list_for(std::size_t elements) noexcept {
    const auto log2 = static_cast<std::size_t>(std::bit_width(elements)) - 1;
    return log2 * 4 + (elements << 2 >> log2 & 3);
}

} // namespace

// ---- making -------------------------------------------------------------------------------------

intrusive_resource::intrusive_resource(const intrusive_options& options) noexcept
    : intrusive_resource{options, upstream{&page_source()}} {}

intrusive_resource::intrusive_resource(const intrusive_options& options, upstream up) noexcept
    : floor_{is_alignment(options.alignment) ? std::max(options.alignment, element_bytes)
                                             : element_bytes},
      most_quick_{0}, mask_{0}, passes_through_{passthrough()},
      source_{{.block_bytes = options.block_bytes, .policy = options.policy}, up, this} {
    ARENITE_ASSERT(is_alignment(options.alignment), "an alignment must be a power of two");
    mask_ = ~(source_.mask_bytes() - 1);
    if (!detail::slow_only && !passes_through_)
        most_quick_ = largest_quick;
}

intrusive_resource::~intrusive_resource() {
    if (checks_enabled || passes_through_) [[unlikely]]
        report_leaks();
}

// ---- allocate -----------------------------------------------------------------------------------

void* intrusive_resource::allocate_slow(std::size_t bytes, std::size_t alignment) noexcept {
    [[maybe_unused]] const auto inside = threads_.enter("intrusive_resource", this);
    ARENITE_ASSERT(is_alignment(alignment), "an alignment must be a power of two");
    if (!is_alignment(alignment) || bytes > detail::max_object_bytes)
        return nullptr;
    alignment = std::max(alignment, floor_);
    note_high_water();
    if (passes_through_)
        return singles_.try_allocate(bytes + (bytes == 0), alignment);
    // Slots of runs that were only noted are in no list, and would be missed.
    publish_all();
    void* p = nullptr;
    if (bytes <= largest_bytes && alignment <= source_.mask_bytes() / align_divisor) {
        const std::size_t length = slot_bytes(bytes, alignment);
        if (length <= largest_slot) {
            p = from_lane(main_, length, alignment);
            if (p == nullptr)
                p = search(length, alignment);
        }
    }
    if (p == nullptr)
        return allocate_large(bytes, alignment);
    ++live_;
    detail::poison::undefined(p, bytes);
    return p;
}

/// A block for one object alone.
void* intrusive_resource::allocate_large(std::size_t bytes, std::size_t alignment) noexcept {
    const std::size_t size = align_up(bytes + (bytes == 0), detail::granule_bytes);
    detail::block* const large = source_.try_allocate_large(size, alignment);
    if (large == nullptr)
        return nullptr;
    std::byte* const p = detail::block_source::large_object(*large);
    // Where an object of a slot has its header, the end of the head stands here or a word of none.
    static_assert(offsetof(detail::block, note) + sizeof(detail::block::note) ==
                  sizeof(detail::block));
    if (large->bytes() != sizeof(detail::block))
        poke(p - element_bytes, header::of(0, 0, status::free));
    large_bytes_ += size;
    ++large_count_;
    ++live_;
    detail::poison::no_access(p, size);
    detail::poison::undefined(p, bytes);
    return p;
}

/// Serves a request that the open slot has no room for.
void* intrusive_resource::search(std::size_t length, std::size_t alignment) noexcept {
    if (void* const p = from_lists(main_, length, alignment))
        return p;
    // It stays for others while it has much for them.
    const bool stays =
        main_.in != nullptr &&
        room_of(*main_.in) - main_.in->live + static_cast<std::int32_t>(main_.bytes()) >=
            share_of(*main_.in) &&
        deflected_ < main_.in->bytes();
    if (!stays) {
        leave(main_);
        std::swap(main_, beside_);
        deflected_ = 0;
    }
    lane& l = stays ? beside_ : main_;
    void* p = from_lane(l, length, alignment);
    if (p == nullptr)
        p = from_lists(l, length, alignment);
    if (p == nullptr)
        p = advance(l, length, alignment);
    if (stays && p != nullptr)
        deflected_ += length;
    return p;
}

/// The next `length` bytes of the open slot whose object is aligned. What is skipped is free.
void* intrusive_resource::from_lane(lane& from, std::size_t length,
                                    std::size_t alignment) noexcept {
    // The object is aligned, not its header before it.
    const std::size_t gap = (0 - address_of(from.cursor) - element_bytes) & (alignment - 1);
    if (from.bytes() < length || from.bytes() - length < gap)
        return nullptr;
    detail::block& b = *from.in;
    if (gap != 0) {
        const bool listed = gap > element_bytes;
        poke(from.cursor,
             header::of(peek(from.cursor).previous(), gap, listed ? status::free : status::loose));
        if (listed)
            link(b, from.cursor, gap);
        b.live -= static_cast<std::int32_t>(gap);
        taken_ -= gap;
        from.cursor += gap;
        poke(from.cursor, header::of(gap, 0, status::open));
    }
    std::byte* const h = from.cursor;
    poke(h, peek(h).with_next(length));
    from.cursor += length;
    if (from.cursor != from.limit) {
        poke(from.cursor, header::of(length, 0, status::open));
    } else {
        set_previous(from.limit, length);
        from.cursor = from.limit = nullptr;
    }
    return h + element_bytes;
}

/// Takes it from a free slot of the block, which becomes the open one.
void* intrusive_resource::from_lists(lane& from, std::size_t length,
                                     std::size_t alignment) noexcept {
    if (from.in == nullptr)
        return nullptr;
    std::byte* const slot = find(*from.in, length, alignment, looks);
    if (slot == nullptr)
        return nullptr;
    claim(from, slot);
    return from_lane(from, length, alignment);
}

/// Goes on to a block that has a slot, the lowest that is found in a few looks, or to a new one.
void* intrusive_resource::advance(lane& from, std::size_t length, std::size_t alignment) noexcept {
    const std::uint16_t states = states_for(length / element_bytes);
    detail::block_list& blocks = source_.blocks();
    detail::block* b = blocks.lowest(states);
    for (int look = 0; look < looks_around && b != nullptr; ++look) {
        if (find(*b, length, alignment, looks) != nullptr) {
            leave(from);
            enter(from, *b);
            return from_lists(from, length, alignment);
        }
        // Alarms update states in one direction only; a block that was looked at in vain gets the
        // states that its lists really have.
        blocks.set_state(*b, holes_of(*b)); // it may have told of more than there is
        b = blocks.lowest(states, lists::at(*b, 1));
    }
    if (length > source_.mask_bytes() / large_divisor)
        return nullptr;
    leave(from);
    b = source_.take_empty_block();
    if (b == nullptr)
        return from_anywhere(length, alignment);
    enter(from, *b);
    return from_lane(from, length, alignment);
}

/// The last resort where the upstream gives nothing: any slot of any block, lowest first.
void* intrusive_resource::from_anywhere(std::size_t length, std::size_t alignment) noexcept {
    leave(main_);
    leave(beside_);
    for (detail::block* b = source_.blocks().first(); b != nullptr;
         b = source_.blocks().above(*b)) {
        if ((b->state & (detail::block_state::large | detail::block_state::empty)) != 0 ||
            find(*b, length, alignment, all_looks) == nullptr)
            continue;
        enter(main_, *b);
        claim(main_, find(*b, length, alignment, all_looks));
        return from_lane(main_, length, alignment);
    }
    detail::block* const b = source_.blocks().lowest(detail::block_state::empty);
    if (b == nullptr)
        return nullptr;
    enter(main_, *b);
    return from_lane(main_, length, alignment);
}

// ---- free slots of a block ----------------------------------------------------------------------

/// A free slot with room for `length` bytes whose object is aligned, in so many looks at such as
/// may be too short; nullptr where none was seen. Short lists first, the latest slot of each.
std::byte* intrusive_resource::find(detail::block& b, std::size_t length, std::size_t alignment,
                                    int looks_left) const noexcept {
    const lists& l = lists::of(b);
    const std::size_t elements = length / element_bytes;
    // From the request's own list upward.
    std::uint64_t filled = l.filled & ~std::uint64_t{0} << list_for(elements);
    for (; filled != 0 && looks_left > 0; filled &= filled - 1) {
        std::size_t number = l.first[std::countr_zero(filled)];
        for (; number != 0 && looks_left > 0; --looks_left) {
            std::byte* const slot = lists::at(b, number);
            const std::size_t gap = padding_for(slot + element_bytes, alignment);
            if (peek(slot).next() >= length + gap)
                return slot;
            number = peek(slot + element_bytes).word >> 16;
        }
    }
    // Then one that is long enough wherever it begins.
    const std::size_t list = list_for(elements + alignment / element_bytes - 1) + 1;
    filled = list < 64 ? l.filled & ~std::uint64_t{0} << list : 0;
    return filled != 0 ? lists::at(b, l.first[std::countr_zero(filled)]) : nullptr;
}

/// Enters a free slot into its list; its header is written already.
void intrusive_resource::link(detail::block& b, std::byte* slot, std::size_t length) noexcept {
    lists& l = lists::of(b);
    const std::size_t list = list_for(length / element_bytes);
    const std::uint16_t number = lists::number(b, slot);
    const std::uint32_t next = l.first[list];
    // Numbers of 16 bits, in elements from the block's begin: both links are one word in the slot
    // itself.
    poke(slot + element_bytes, {next << 16});
    if (next != 0) {
        std::byte* const at = lists::at(b, next) + element_bytes;
        poke(at, {(peek(at).word & ~0xffffu) | number});
    }
    l.first[list] = number;
    l.filled |= std::uint64_t{1} << list;
}

/// The word of a slot's links has the next one above and the previous one below; 0 is no slot, as a
/// block begins with its head.
void intrusive_resource::unlink(detail::block& b, std::byte* slot, std::size_t length) noexcept {
    lists& l = lists::of(b);
    const std::uint32_t links = peek(slot + element_bytes).word;
    const std::uint32_t next = links >> 16, previous = links & 0xffffu;
    if (next != 0) {
        std::byte* const at = lists::at(b, next) + element_bytes;
        poke(at, {(peek(at).word & ~0xffffu) | previous});
    }
    if (previous != 0) {
        std::byte* const at = lists::at(b, previous) + element_bytes;
        poke(at, {(peek(at).word & 0xffffu) | next << 16});
        return;
    }
    const std::size_t list = list_for(length / element_bytes);
    l.first[list] = static_cast<std::uint16_t>(next);
    if (next == 0)
        l.filled &= ~(std::uint64_t{1} << list);
}

/// The states that a block's lists earn it.
std::uint16_t intrusive_resource::holes_of(const detail::block& b) const noexcept {
    std::uint64_t filled = lists::of(b).filled; // four bits to one each
    filled |= filled >> 1;
    filled |= filled >> 2;
    filled &= 0x1111'1111'1111'1111;
    filled = (filled | filled >> 3) & 0x0303'0303'0303'0303;
    filled = (filled | filled >> 6) & 0x000f'000f'000f'000f;
    filled = (filled | filled >> 12) & 0x0000'00ff'0000'00ff;
    filled = (filled | filled >> 24) & 0xffff;
    return states_of(static_cast<unsigned>(filled));
}

/// Opens a free slot of the lane's block and those that follow it; the one open before is free
/// again.
void intrusive_resource::claim(lane& l, std::byte* slot) noexcept {
    detail::block& b = *l.in;
    if (slot == l.limit) {
        // The open one goes on in it.
    } else {
        if (l.cursor != nullptr) {
            const lane closed = std::exchange(l, {nullptr, nullptr, &b});
            poke(closed.cursor, peek(closed.cursor).with_next(0));
            release(b, closed.cursor, closed.bytes());
        }
        l.cursor = l.limit = slot;
    }
    for (header at = peek(l.limit); at.state() == status::free; at = peek(l.limit)) {
        unlink(b, l.limit, at.next());
        b.live += static_cast<std::int32_t>(at.next());
        taken_ += at.next();
        l.limit += at.next();
    }
    poke(l.cursor, header::of(peek(l.cursor).previous(), 0, status::open));
    set_previous(l.limit, 0);
}

/// Makes [begin, begin + length) of a block free, one slot with its free neighbours. Headers stand
/// at both ends; the word of the first need only know its previous.
void intrusive_resource::release(detail::block& b, std::byte* begin, std::size_t length) noexcept {
    std::byte* const end = begin + length;
    const header after = peek(end);
    lane* const opened = after.state() != status::open ? nullptr
                         : main_.cursor == end         ? &main_
                                                       : &beside_;
    b.live -= static_cast<std::int32_t>(length);
    taken_ -= length;
    const auto can_join = [&](header h, std::size_t slot_length) {
        return (opened != nullptr || length + slot_length <= largest_slot) &&
               (h.state() == status::free ||
                (h.state() == status::loose && slot_length == element_bytes));
    };
    if (const std::size_t d = peek(begin).previous(); d != 0) {
        const header before = peek(begin - d);
        if (before.next() == d && can_join(before, d)) {
            if (before.state() == status::free)
                unlink(b, begin - d, d);
            begin -= d;
            length += d;
        }
    }
    const std::size_t previous = peek(begin).previous();
    if (opened != nullptr) { // the open slot begins here now
        poke(begin, header::of(previous, 0, status::open));
        opened->cursor = begin;
        b.live += static_cast<std::int32_t>(length);
        taken_ += length;
        return;
    }
    if (after.next() != 0 && can_join(after, after.next())) {
        if (after.state() == status::free)
            unlink(b, end, after.next());
        length += after.next();
    }
    for (std::size_t back = previous;;) {
        std::size_t piece = std::min(length, largest_slot);
        if (length - piece == element_bytes)
            piece -= element_bytes; // no gap where there need be none
        const bool listed = piece > element_bytes;
        poke(begin, header::of(back, piece, listed ? status::free : status::loose));
        if (listed)
            link(b, begin, piece);
        begin += piece;
        length -= piece;
        back = piece;
        if (length == 0) {
            set_previous(begin, piece);
            break;
        }
    }
    if (b.live <= b.alarm)
        freed(b);
}

/// Enough was freed in a block that nobody allocates from.
void intrusive_resource::freed(detail::block& b) noexcept {
    if (b.live == 0)
        return source_.close_empty(b, bytes_in_use());
    b.alarm = every_free;
    const auto state = static_cast<std::uint16_t>(b.state | holes_of(b));
    if (state != b.state)
        source_.blocks().set_state(b, state);
}

// ---- blocks in use ------------------------------------------------------------------------------

/// Makes a block one that is allocated from. An empty one is open as a whole.
void intrusive_resource::enter(lane& l, detail::block& b) noexcept {
    const bool empty = (b.state & detail::block_state::empty) != 0;
    source_.open(b);
    b.alarm = no_alarm;
    l = {nullptr, nullptr, &b};
    if (!empty)
        return;
    ::new (static_cast<void*>(&lists::of(b))) lists{};
    l.cursor = first_slot(b);
    l.limit = end_slot(b);
    detail::poison::no_access(l.cursor, l.bytes() + element_bytes);
    poke(l.cursor, header::of(0, 0, status::open));
    poke(l.limit, header::of(0, 0, status::loose));
    b.live = static_cast<std::int32_t>(l.bytes());
    taken_ += l.bytes();
}

/// Gives up the block of a lane, if it has one.
void intrusive_resource::leave(lane& l) noexcept {
    const lane left = std::exchange(l, {});
    if (left.in == nullptr)
        return;
    detail::block& b = *left.in;
    if (left.cursor != nullptr) {
        poke(left.cursor, peek(left.cursor).with_next(0));
        release(b, left.cursor, left.bytes());
    }
    const std::int32_t least = share_of(b);
    const std::int32_t free = room_of(b) - b.live;
    b.alarm = room_of(b) - least;
    if (b.live == 0)
        source_.close_empty(b, bytes_in_use());
    else if (free >= least) {
        source_.blocks().set_state(b, 0);
        freed(b);
    } else
        source_.blocks().set_state(b, 0);
}

// ---- deallocate ---------------------------------------------------------------------------------

/// An object that is no neighbour of those freed last.
void intrusive_resource::begin_run(run fresh) noexcept {
    detail::block& b = *block_of(fresh.begin);
    if (b.owner != this) [[unlikely]]
        return refuse_free(fresh.begin + element_bytes, "it is not of this resource");
    high_water_ = std::max(high_water_, bytes_in_use() - element_bytes);
    if (fresh.end == main_.cursor) // the latest that was allocated
        return release(b, fresh.begin, fresh.bytes());
    if (run_.begin == before_.end || run_.end == before_.begin) {
        run_ = {std::min(run_.begin, before_.begin), std::max(run_.end, before_.end)};
        before_ = {};
        if (fresh.begin == run_.end) {
            run_.end = fresh.end;
            return;
        }
        if (fresh.end == run_.begin) {
            run_.begin = fresh.begin;
            return;
        }
    }
    publish(std::exchange(before_, std::exchange(run_, fresh)));
}

/// Sees to what deallocate has only noted.
void intrusive_resource::publish(run noted) noexcept {
    if (noted.begin != noted.end)
        release(*block_of(noted.begin), noted.begin, noted.bytes());
}

void intrusive_resource::publish_all() noexcept {
    publish(std::exchange(run_, {}));
    publish(std::exchange(before_, {}));
}

} // namespace ARENITE_ABI
} // namespace arenite
