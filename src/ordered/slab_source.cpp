// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Slabs cut from blocks. First pages, of which a block has up to four; then runs of units; then
// giving back slabs, blocks, and the memory of whole pages that nothing lies in.
#include <arenite/ordered/detail/slab_source.hpp>

#include <arenite/check/detail/poison.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/ordered/detail/slot_notes.hpp>
#include <arenite/ordered/detail/unit_runs.hpp>
#include <arenite/os/detail/platform.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <new>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

template class address_list<slab>;

namespace {

// A block that has a run of at least 2^n units is in state first_run << n.
constexpr std::uint16_t first_run = 32;

/// A block that has a page which is no slab.
constexpr std::uint16_t has_page = 1 << 15;

std::uint16_t has_run(std::size_t units) noexcept {
    return static_cast<std::uint16_t>(first_run << std::bit_width(units - 1));
}

/// A slab may have this share of the units that are wanted, rather than lie higher up.
constexpr std::size_t short_divisor = 16;

/// So many of the slabs that are kept are taken back where a new block may be spared.
constexpr int most_taken_back = 4;

/// In a heap of many blocks so many of those that may have a run as long are looked into, before a
/// new one is asked for.
constexpr int most_looked_into = 8;
constexpr std::size_t many_blocks = 128;

/// The smallest span that holds a slab beside the bookkeeping.
constexpr std::size_t least_span_bytes = 4096;

block_options with_slabs(block_options options, const upstream& up) noexcept {
    options.mask_bytes = block_source::mask_bytes_for(options.block_bytes, up);
    options.least_bytes = std::max(options.mask_bytes / 4, least_span_bytes);
    if (up.purges())
        return options;
    // Frees find their block by a search: it may begin anywhere, and have the length of its span,
    // so that little is lost of a region of fixed size.
    options.alignment = unit_bytes;
    options.least_bytes = least_span_bytes;
    if (options.block_bytes == 0)
        options.mask_bytes = slab_block::most_units * unit_bytes;
    return options;
}

} // namespace

slab_source::slab_source(const block_options& options, upstream up, void* owner,
                         block_range& pages) noexcept
    : geometry_{block_source::mask_bytes_for(options.block_bytes, up)}, owner_{owner},
      pages_{pages}, blocks_{with_slabs(options, up), up, owner} {}

/// A block that is empty, opened.
block* slab_source::take_block() noexcept {
    if (may_be_idle_ && !blocks_.has_empty_block()) {
        slab* const idle = kept_.find(
            [this](const slab& s) { return geometry_.slabs_in(&block_of(s))->slab_count == 0; });
        may_be_idle_ = idle != nullptr;
        if (idle != nullptr)
            give_up(*idle);
    }
    block* const b = blocks_.take_empty_block();
    if (b == nullptr)
        return nullptr;
    blocks_.open(*b);
    ++open_blocks_;
    b->note = 0;
    poison::no_access(b + 1, b->bytes() - sizeof(block));
    if (blocks_.purges()) // what goes back to another upstream may be read no more
        opened_.add(b, b->bytes());
    return b;
}

/// One that is made ready for slabs.
block* slab_source::new_block() noexcept {
    block* const b = take_block();
    if (b == nullptr)
        return nullptr;
    slab_block* const head = geometry_.slabs_in(b);
    const std::size_t units = b->bytes() / unit_bytes;
    const std::uint32_t fresh_from = blocks_.took_zeros() ? 1 : slab_block::most_units;
    auto* const begin = reinterpret_cast<std::byte*>(b);
    auto* const here = reinterpret_cast<std::byte*>(head);
    const std::size_t bytes = slab_block::bytes_for(b->bytes());
    poison::undefined(here, bytes);
    ::new (static_cast<void*>(head)) slab_block;
    ::new (static_cast<void*>(head->words())) bits::word[units]{};
    for (slab& s : head->slabs) // what else a slab has is set when it is cut
        s.set_tag(0);
    std::fill(std::begin(head->taken_units), std::end(head->taken_units), bits::word{0});
    head->slab_count = 0;
    head->fresh_from = fresh_from;
    head->fresh_slabs = 0;
    head->slabs[0] = {};
    head->set_slab(0, slab_block::most_units, 0);
    head->free_slabs = (std::uint32_t{1} << slab_block::most_slabs) - 2;
    if (units < slab_block::most_units)
        bits::set_run(head->taken_units, units, slab_block::most_units - units);
    bits::set_run(head->taken_units, 0, 1);
    const auto first = static_cast<std::size_t>(here - begin) / unit_bytes;
    const auto last = (static_cast<std::size_t>(here - begin) + bytes - 1) / unit_bytes;
    bits::set_run(head->taken_units, first, last - first + 1);
    return b;
}

// ---- pages --------------------------------------------------------------------------------------

void slab_source::set_pages(block& b, std::uint32_t taken) noexcept {
    b.note = paged | taken;
    const std::uint32_t there = (1u << b.bytes() / slab_page::bytes) - 1;
    blocks_.blocks().set_state(
        b, static_cast<std::uint16_t>(block_state::open | (taken == there ? 0 : has_page)));
}

bool slab_source::has_free_page() const noexcept {
    return blocks_.blocks().lowest(has_page) != nullptr;
}

slab* slab_source::make_page(unsigned slot_class) noexcept {
    if (!geometry_.has_pages())
        return nullptr;
    block* b = blocks_.blocks().lowest(has_page);
    if (b == nullptr) {
        b = take_block();
        if (b == nullptr)
            return nullptr;
        pages_.add(b, b->bytes());
        set_pages(*b, 0);
    }
    const auto number = static_cast<std::size_t>(std::countr_one(b->note & all_pages));
    const std::size_t page = number * slab_page::bytes;
    slab& s = slab_page::of(reinterpret_cast<std::byte*>(b) + page);
    auto* const begin = reinterpret_cast<std::byte*>(b) + page;
    const auto description = static_cast<std::size_t>(reinterpret_cast<std::byte*>(&s) - begin);
    const std::size_t slot_bytes = size_class::slot_bytes(slot_class);
    const std::size_t first = slab_page::first_slot(description, slot_bytes);
    poison::undefined(&s, first - description);
    std::memset(static_cast<void*>(&s), 0, first - description);
    s.place(page + first, size_class::inverse[slot_class]);
    s.units = static_cast<std::uint8_t>(slab_page::bytes / unit_bytes);
    s.words_behind = slab::words_behind_page;
    fill(s, slot_class, slot_bytes, (slab_page::bytes - first) / (slot_bytes + slab::note_bytes));
    const std::size_t in_front = slab_page::first_index_in_front(first, slot_bytes);
    bits::set_run(s.bitmap(), in_front,
                  slab_page::words_for(slot_bytes) * bits::word_bits - in_front);
    set_pages(*b, (b->note & all_pages) | 1u << number);
    return &s;
}

// ---- units --------------------------------------------------------------------------------------

void slab_source::set_runs(block& b, slab_block& head) noexcept {
    // In the states, first_run stands for a run of one.
    static_assert((block_state::open & (first_run * 255u)) == 0);
    const unsigned powers =
        head.free_slabs == 0 ? 0 : free_run_powers(head.taken_units, b.bytes() / unit_bytes);
    const auto state = static_cast<std::uint16_t>(block_state::open | first_run * powers);
    blocks_.blocks().set_state(b, state);
}

void slab_source::close(block& b, std::size_t bytes_in_use) noexcept {
    --open_blocks_;
    blocks_.close_empty(b, bytes_in_use);
}

bool slab_source::has_units(std::size_t wanted, std::size_t least) const noexcept {
    return blocks_.blocks().has(has_run(std::max(least, wanted / short_divisor)));
}

slab* slab_source::make(unsigned slot_class, std::size_t wanted, std::size_t least,
                        std::size_t aligned) noexcept {
    if (slab* const s =
            take_kept(slot_class, wanted, std::max(least, wanted / short_divisor), aligned))
        return s;
    wanted += aligned - 1;
    least += aligned - 1;
    // A shorter run in a lower block before a new one, if it is not much too short.
    const std::size_t enough = std::max(least, wanted / short_divisor);
    block_list& all = blocks_.blocks();
    if (block* const b = all.lowest(has_run(enough)); b != nullptr)
        return try_cut(*b, slot_class, enough, wanted, aligned);
    if (slab* const longer = kept_.shortest(enough)) { // and its block has a run again
        block& b = block_of(*longer);
        kept_.forget(*longer);
        take_back(*longer);
        return try_cut(b, slot_class, enough, wanted, aligned);
    }
    for (int n = 0; n < most_taken_back; ++n) { // a run may be whole again beside one of these
        slab* const s = kept_.next();
        if (s == nullptr)
            break;
        give_up(*s);
        if (block* const b = all.lowest(has_run(enough)); b != nullptr)
            return try_cut(*b, slot_class, enough, wanted, aligned);
    }
    // Blocks are found by powers of two. Large objects would leave the rest of a block unused that
    // is just long enough: so the highest one, which was filled last, is looked into. Where there
    // are many blocks, so are some of the lowest: else a large heap whose objects come and go would
    // grow although many have room. (A small one would merge and cut runs more often instead.)
    const auto perhaps = static_cast<std::uint16_t>(first_run << (std::bit_width(least) - 1));
    if (block* const b = wanted == least ? all.highest(perhaps) : nullptr; b != nullptr)
        if (slab* const s = try_cut(*b, slot_class, least, wanted, aligned))
            return s;
    block* low = open_blocks_ < many_blocks ? nullptr : all.lowest(perhaps);
    for (int n = 0; low != nullptr && n < most_looked_into; ++n, low = all.lowest(perhaps, low + 1))
        if (slab* const s = try_cut(*low, slot_class, least, wanted, aligned))
            return s;
    const auto cut_fresh = [&](block* b) -> slab* {
        for (const std::size_t units : {enough, least})
            if (b != nullptr)
                if (slab* const s = try_cut(*b, slot_class, units, wanted, aligned))
                    return s;
        return nullptr;
    };
    block* const fresh = new_block();
    if (slab* const s = cut_fresh(fresh))
        return s;
    if (fresh != nullptr) { // a short one, as a heap's first is
        block* const next = new_block();
        slab* const s = cut_fresh(next);
        close(*fresh, 0);
        if (s != nullptr)
            return s;
        if (next != nullptr)
            close(*next, 0);
    }
    // Any run that is long enough, also by less than a power of two.
    for (block* b = all.lowest(perhaps); b != nullptr; b = all.lowest(perhaps, b + 1))
        if (slab* const s = try_cut(*b, slot_class, least, wanted, aligned))
            return s;
    return nullptr;
}

/// A slab in the first run of so many units or more; nullptr where there is none. Of those of a run
/// that is to be aligned, what comes before and behind stays free.
slab* slab_source::try_cut(block& b, unsigned slot_class, std::size_t least, std::size_t most,
                           std::size_t aligned) noexcept {
    slab_block& head = *geometry_.slabs_in(&b);
    const std::size_t end = b.bytes() / unit_bytes;
    const std::size_t first = bits::find_clear_run(head.taken_units, 0, end, least);
    if (first == end)
        return nullptr;
    const std::size_t begin = align_up(first, aligned);
    const std::size_t run_end = bits::next_set(head.taken_units, first, end);
    const std::size_t units = std::min(run_end - begin, most - (aligned - 1));
    slab& made = cut(b, slot_class, begin, units);
    // The state tells the power of two of the longest run, of a new block nothing yet. It stays
    // where a longer run than this one is left, or enough of this one.
    const unsigned longest = std::bit_floor(b.state / first_run & 255u);
    const bool stays = run_end - first < longest || run_end - begin - units >= longest;
    if (longest == 0 || head.free_slabs == 0 || !stays)
        set_runs(b, head);
    return &made;
}

/// Makes a slab of these units of a block, whose state is to be set then.
slab& slab_source::cut(block& b, unsigned slot_class, std::size_t first,
                       std::size_t units) noexcept {
    slab_block& head = *geometry_.slabs_in(&b);
    bits::set_run(head.taken_units, first, units);
    const auto number = static_cast<unsigned>(std::countr_zero(head.free_slabs));
    head.free_slabs &= head.free_slabs - 1;
    ++head.slab_count;
    head.set_slab(first, units, number);

    slab& s = head.slabs[number];
    s = {};
    s.begin = static_cast<std::uint32_t>(first * unit_bytes);
    s.units = static_cast<std::uint8_t>(units);
    s.words_behind =
        static_cast<std::uint16_t>(head.words() + first - reinterpret_cast<const bits::word*>(&s));
    const std::uint32_t bit = std::uint32_t{1} << number;
    head.fresh_slabs = first >= head.fresh_from ? head.fresh_slabs | bit : head.fresh_slabs & ~bit;
    head.fresh_from = std::max(head.fresh_from, static_cast<std::uint32_t>(first + units));
    fill_units(s, slot_class, units);
    return s;
}

/// Makes a slab's slots, all free, and it one of this source.
void slab_source::fill(slab& s, unsigned slot_class, std::size_t slot_bytes,
                       std::size_t slots) noexcept {
    s.slot_bytes = static_cast<std::uint16_t>(slot_bytes);
    // Up to 16 bytes, that a request aligned to 16 may leave over.
    const std::size_t below =
        slot_class == size_class::single ? slot_bytes - unit_bytes
        : slot_class == 0                ? 0
                          : std::min(size_class::slot_bytes(slot_class - 1), slot_bytes - 16);
    s.slack = static_cast<std::uint16_t>(slot_bytes - below);
    s.slots = static_cast<std::uint16_t>(slots);
    bits::word* const words = s.bitmap();
    for (std::size_t i = 0, rest = slots; rest != 0; ++i) {
        const std::size_t here = std::min(rest, bits::word_bits);
        words[i] = bits::low_mask(here);
        rest -= here;
    }
    if constexpr (checks_enabled)
        poison::undefined(&slot_notes::note_of(*this, s, slots - 1), slots * slab::note_bytes);
    s.set_tag(s.tag_of(owner_));
}

void slab_geometry::mark_large(block& b) const noexcept {
    slab_block* const head = slabs_in(&b);
    constexpr std::size_t bytes = offsetof(slab_block, slabs) + sizeof(slab);
    poison::undefined(head, bytes);
    std::memset(static_cast<void*>(head), 0, bytes);
    head->set_slab(0, slab_block::most_units, 0);
}

// ---- giving back --------------------------------------------------------------------------------

void disown_slabs(const slab_source& of, block& b) noexcept {
    if (slab_source::has_pages(b))
        return of.for_each_slab(b, [](slab& s) { s.set_tag(0); });
    for (slab& s : of.geometry().slabs_in(&b)->slabs)
        s.set_tag(0);
}

void slab_source::reset() noexcept {
    kept_.clear();
    may_be_idle_ = false;
    block_list& all = blocks_.blocks();
    // The next is looked for anew each time: a span that goes back takes other blocks with it.
    while (block* const b = all.lowest(block_state::open | block_state::large)) {
        if ((b->state & block_state::large) != 0) {
            blocks_.deallocate_large(*b, 0);
            continue;
        }
        disown_slabs(*this, *b);
        poison::no_access(b + 1, b->bytes() - sizeof(block));
        close(*b, 0);
    }
}

void slab_source::trim() noexcept {
    blocks_.trim();
    if (!blocks_.purges())
        return;
    block_list& all = blocks_.blocks();
    for (block* b = all.first(); b != nullptr; b = all.above(*b))
        if ((b->state & block_state::large) == 0)
            static_cast<void>(purge_free(*b));
}

/// Gives the system's pages of a block that hold no slot in use back. Tells what that takes, about
/// in microseconds: one for each run, and two for five pages.
unsigned slab_source::purge_free(block& b) noexcept {
    auto* const begin = reinterpret_cast<std::byte*>(&b);
    unsigned taken = 0;
    const auto purge = [&](std::size_t at, std::size_t bytes) {
        const auto pages = static_cast<unsigned>(bytes / os::platform::page_bytes());
        taken += pages == 0 ? 0 : 1 + pages * 2 / 5;
        blocks_.purge(begin + at, bytes);
    };
    if ((b.state & block_state::empty) != 0) { // its bookkeeping is made anew
        purge(sizeof(block), b.bytes() - sizeof(block));
        return taken;
    }
    if (has_pages(b)) {
        for (std::size_t at = 0; at < b.bytes(); at += slab_page::bytes)
            if ((b.note >> at / slab_page::bytes & 1) == 0)
                purge(at + (at == 0 ? sizeof(block) : 0),
                      slab_page::bytes - (at == 0 ? sizeof(block) : 0));
    } else {
        const slab_block& head = *geometry_.slabs_in(&b);
        const std::size_t end = b.bytes() / unit_bytes;
        for (std::size_t at = 0; at < end;) {
            const std::size_t first = bits::next_clear(head.taken_units, at, end);
            at = bits::next_set(head.taken_units, first, end);
            if (at - first >= 4)
                purge(first * unit_bytes, (at - first) * unit_bytes);
        }
    }
    for_each_slab(b, [&](const slab& s) {
        const bits::word* const words = s.bitmap();
        for (std::size_t i = 0; i < s.slots;) {
            const std::size_t first = bits::next_set(words, i, s.slots);
            i = bits::next_clear(words, first, s.slots);
            purge(s.begin + first * s.slot_bytes, (i - first) * s.slot_bytes);
        }
    });
    return taken;
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
