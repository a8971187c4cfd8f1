// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Rows of slots from any upstream, the lowest free slot first. In this order: layout of a row,
// making, getting a row, allocate and the packing of sparse rows, deallocate, giving rows back,
// reports. Two modes: as a rule slots are claimed and given many at a time; once use has fallen to
// a quarter (packing_) the cache is shut and each request takes strictly the lowest slot, so that
// the upper rows empty.
#include <arenite/pool/suballocator_resource.hpp>

#include "slot_pool_impl.hpp"

#include <arenite/block/detail/region_joiner.hpp>
#include <arenite/check/detail/poison.hpp>
#include <arenite/check/leak.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/os/detail/platform.hpp>
#include <arenite/os/page_resource.hpp>

#include <algorithm>
#include <bit>
#include <limits>
#include <new>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

namespace {

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
constexpr std::size_t smallest_row = 64_KiB;  // on pages: what they are handed out in
constexpr std::size_t lined_up_bytes = 4_KiB; // rows from here on begin at a line of cache
constexpr std::size_t purge_floor = 4_MiB;    // what uses less keeps its pages
constexpr std::size_t purge_least = 16_KiB;   // of free pages side by side, unless trimmed
constexpr std::size_t purge_divisor = 4;      // a fall to this share is a deep one

/// Begins to load what will be written.
ARENITE_INLINE void fetch_early([[maybe_unused]] const detail::bits::word* p) noexcept {
#if defined(__GNUC__) || defined(__clang__)
    __builtin_prefetch(p, 1);
#endif
}

} // namespace

// ---- how a row lies in memory -------------------------------------------------------------------

std::size_t suballocator_resource::slots_alignment(std::size_t slots) const noexcept {
    const std::size_t least =
        slots * slot_bytes() < lined_up_bytes ? alignof(detail::bits::word) : 64;
    return std::max(slot_alignment_, least);
}

/// A row: the tree of bits, padding up to the slots' alignment, then slots with their colours.
std::size_t suballocator_resource::row_bytes_for(std::size_t slots) const noexcept {
    return detail::bitmap_tree::bytes_for(slots) + slots_alignment(slots) -
           alignof(detail::bits::word) + layout_.bytes_for(slots);
}

/// The most slots that a row of so many bytes holds; 0 where not even one fits.
std::size_t suballocator_resource::slots_in(std::size_t bytes) const noexcept {
    std::size_t slots = std::min(bytes / slot_bytes(), detail::bitmap_tree::max_capacity);
    // A few rounds: each takes off what the last count was too long by, and at least one.
    while (slots != 0 && row_bytes_for(slots) > bytes) {
        const std::size_t less = (row_bytes_for(slots) - bytes) / (slot_bytes() + 1);
        slots -= std::clamp<std::size_t>(less, 1, slots);
    }
    return slots;
}

// ---- making -------------------------------------------------------------------------------------

suballocator_resource::suballocator_resource(slot s) noexcept
    : suballocator_resource{s, suballocator_options{}, upstream{&page_source()}} {}

suballocator_resource::suballocator_resource(slot s, const suballocator_options& options) noexcept
    : suballocator_resource{s, options, upstream{&page_source()}} {}

suballocator_resource::suballocator_resource(slot s, const suballocator_options& options,
                                             upstream up) noexcept
    : slot_pool{s}, layout_{slot_bytes(), slot_alignment_, 0}, rows_{up}, options_{options},
      impossible_{!is_possible(s)}, pages_{up.purges()}, upstream_{up},
      large_{{.policy = options.policy}, up, this} {
    std::size_t row_bytes = std::clamp(options.row_bytes, lined_up_bytes, largest_slot);
    if (pages_)
        row_bytes = align_up(row_bytes, smallest_row);
    const std::size_t slots = std::max<std::size_t>(1, slots_in(row_bytes));
    if (slots == 1)
        row_bytes = row_bytes_for(1);
    layout_ = {slot_bytes(), slot_alignment_, row_bytes};
    rows_.set_full_size(row_bytes, slots);
    set_packing(false);
}

suballocator_resource::~suballocator_resource() {
    if (checks_enabled || passes_through_) [[unlikely]]
        report_leaks();
    for (row& r : rows_.rows())
        return_row(r, false);
}

// ---- the rows -----------------------------------------------------------------------------------

/// One more row: the tower doubles, until a row is of full size.
bool suballocator_resource::add_row() noexcept {
    if (impossible_)
        return false;
    std::size_t slots = std::bit_floor(slot_count_ + 1);
    const std::size_t least = options_.first_row_bytes != 0 ? options_.first_row_bytes
                              : pages_                      ? smallest_row
                                                            : 0;
    slots = std::max({slots, std::min(slots_in(least), rows_.full_slots()), std::size_t{1}});
    // A row of more than half the full size would leave the rest of a huge page to nobody.
    if (slots >= rows_.full_slots() || row_bytes_for(slots) > rows_.full_bytes() / 2)
        slots = rows_.full_slots();
    std::size_t before = none;
    for (bool trimmed = false;;) {
        std::size_t bytes = slots == rows_.full_slots() ? rows_.full_bytes() : row_bytes_for(slots);
        if (pages_ && (bytes > smallest_row / 2 || options_.first_row_bytes == 0)) {
            bytes =
                align_up(bytes, before == none ? smallest_row : detail::os::platform::page_bytes());
            slots = std::min(slots_in(bytes), rows_.full_slots());
        }
        if (bytes < before && add_row(slots, bytes))
            return true;
        // The upstream refused. Ever smaller rows are tried, and once more after what is kept of
        // freed large allocations has gone back to it.
        if (slots > 1 && bytes < before) { // there may be memory for a few
            before = bytes;
            slots = std::max<std::size_t>(1, slots / 8);
        } else if (!trimmed && large_.bytes_reserved() > large_bytes_) {
            trimmed = true;
            large_.trim();
            before = none;
        } else {
            return false;
        }
    }
}

/// A row that the table has no room for goes back at once: nothing has changed then.
bool suballocator_resource::add_row(std::size_t slots, std::size_t bytes) noexcept {
    const std::size_t alignment = std::max(slot_alignment_, alignof(detail::bits::word));
    auto* const memory = static_cast<std::byte*>(upstream_.try_allocate(bytes, alignment));
    if (memory == nullptr)
        return false;
    const std::size_t words = detail::bitmap_tree::words_for(slots);
    auto* const first_word = ::new (static_cast<void*>(memory)) detail::bits::word[words];
    std::byte* begin = memory + words * sizeof(detail::bits::word);
    begin += padding_for(begin, slots_alignment(slots));
    const std::size_t span = layout_.bytes_for(slots);
    if (!rows_.insert({memory, bytes, begin, span, slots, {slots, {first_word, words}}})) {
        upstream_.deallocate(memory, bytes, alignment);
        return false;
    }
    detail::poison::no_access(begin, span);
    slot_count_ += slots;
    rows_bytes_ += bytes;
    empty_bytes_ += bytes;
    return true;
}

// ---- allocate -----------------------------------------------------------------------------------

/// The lowest free slots, many at a time; one where they are to be strictly the lowest.
bool suballocator_resource::refill() noexcept {
    if (cache_.held_back() != 0) {
        clear_held_back();
        freed();
    }
    if (std::exchange(purge_is_due_, false)) [[unlikely]]
        purge_free(purge_least);
    // Nothing is left to be packed: many slots at a time again.
    if (packing_ && !packs())
        set_packing(false);
    if (!cache_.has_room()) {
        std::byte* const p = take_one();
        if (p == nullptr)
            return false;
        cache_.open_window(p, 1);
        return true;
    }
    row* const r = open_row();
    if (r == nullptr)
        return false;
    claim(*r);
    return true;
}

/// True while there is something to be packed: most slots are free, and those to be taken next are
/// not all of them.
bool suballocator_resource::packs() const noexcept {
    if (taken_ > slot_count_ / 2)
        return false;
    const row* const r = rows_.lowest_open();
    return r != nullptr && !r->is_empty();
}

/// The row to take from, with a free slot; nullptr where there is no memory for another.
suballocator_resource::row* suballocator_resource::open_row() noexcept {
    row* r = rows_.lowest_open();
    if (r == nullptr && add_row())
        r = rows_.lowest_open();
    if (r != nullptr && r->is_empty())
        empty_bytes_ -= r->bytes; // which is about to change
    return r;
}

/// Strictly the lowest slot, while the cache is shut.
std::byte* suballocator_resource::take_one() noexcept {
    row* const r = open_row();
    if (r == nullptr)
        return nullptr;
    const std::size_t i = r->taken.take_lowest();
    if (r->taken.full())
        rows_.set_open(*r, false);
    note_taken(1);
    return slot_at(*r, i);
}

/// Takes the lowest free slots of a row: side by side into the window, else those of some words of
/// bits, so that they come out upward.
void suballocator_resource::claim(row& r) noexcept {
    const std::size_t before = r.taken.count_taken();
    const std::size_t i = r.taken.lowest_free();
    const auto words = r.taken.words();
    const detail::bits::word clear =
        ~words[i / detail::bits::word_bits] >> i % detail::bits::word_bits;
    auto count = static_cast<std::size_t>(std::countr_one(clear));
    const bool to_end = i % detail::bits::word_bits + count == detail::bits::word_bits;
    if (to_end || clear >> count == 0) {
        if (to_end) { // goes on in the next words of the group
            const std::size_t group = i / layout_.group_slots();
            const std::size_t end = std::min(words.size(), (group + 1) * layout_.group_words());
            for (std::size_t w = i / detail::bits::word_bits + 1; w < end; ++w) {
                const auto more = static_cast<std::size_t>(std::countr_zero(words[w]));
                count += more;
                if (more != detail::bits::word_bits)
                    break;
            }
        }
        r.taken.take_range(i, count);
        cache_.open_window(slot_at(r, i), count);
    } else {
        claim_words(r);
    }
    if (r.taken.full())
        rows_.set_open(r, false);
    note_taken(r.taken.count_taken() - before);
}

/// Free slots in the lowest words of a row become hot, so that they come out upward.
void suballocator_resource::claim_words(row& r) noexcept {
    constexpr std::size_t enough = detail::bits::word_bits / 2;
    detail::bitmap_tree::claim words[enough];
    std::size_t n = 0;
    for (std::size_t count = 0; count < enough && !r.taken.full(); ++n) {
        words[n] = r.taken.claim_word();
        count += static_cast<std::size_t>(std::popcount(words[n].mask));
    }
    while (n-- > 0)
        cache_.push_word(slot_at(r, words[n].first), words[n].mask);
}

void suballocator_resource::note_taken(std::size_t count) noexcept {
    taken_ += count;
    if (taken_ > peak_)
        set_peak(taken_);
}

void suballocator_resource::set_peak(std::size_t slots) noexcept {
    peak_ = slots;
    const bool falls = slots * slot_bytes() >= purge_floor && options_.policy.keep_bytes < none &&
                       options_.rule == row_return::by_policy;
    // 0 is never reached from above: a small pool, or one that keeps all, has no deep fall.
    purge_at_ = falls ? slots / purge_divisor : 0;
}

/// While rows are packed no freed slot waits in the cache: it would be handed out again next,
/// however high it lies.
void suballocator_resource::set_packing(bool on) noexcept {
    packing_ = on;
    cache_.set_room(!on && !every_call_is_slow_ && options_.order != slot_order::lowest);
}

// ---- deallocate ---------------------------------------------------------------------------------

/// All of the bits are asked for first: they are anywhere, and so the processor waits for many of
/// them at a time.
void suballocator_resource::clear_slots(std::span<std::byte* const> slots) noexcept {
    struct place {
        row* in;
        std::size_t slot;
    };
    place places[detail::slot_cache::depth];
    for (std::size_t k = 0; k < slots.size(); ++k) {
        row* const r = rows_.find(slots[k]);
        if (r == nullptr) [[unlikely]]
            return refuse_foreign(slots[k]);
        places[k] = {r, index_of(*r, slots[k])};
        fetch_early(r->taken.words().data() + places[k].slot / detail::bits::word_bits);
    }
    for (std::size_t k = 0; k < slots.size(); ++k) {
        const auto [r, i] = places[k];
        if (i >= r->count || !r->taken.test(i)) [[unlikely]]
            return refuse_free(slots[k], "it was freed twice");
        const std::size_t before = r->taken.count_taken();
        r->taken.give(i);
        // A row that was full has a free slot now, and one that had a single slot in use is empty:
        // nothing else about a row changes what others look for.
        if (before == r->count || before == 1) [[unlikely]]
            note_cleared(*r, before == r->count);
    }
    taken_ -= slots.size();
}

void suballocator_resource::clear_run(std::byte* p, std::size_t count) noexcept {
    row* const r = rows_.find(p);
    if (r == nullptr) [[unlikely]]
        return refuse_foreign(p);
    const std::size_t first = index_of(*r, p);
    if (first + count > r->count || !detail::bits::all_set(r->taken.words().data(), first, count))
        [[unlikely]]
        return refuse_free(p, "it, or a neighbour freed after it, was freed twice");
    const bool was_full = r->taken.full();
    r->taken.give_range(first, count);
    taken_ -= count;
    note_cleared(*r, was_full);
}

/// Slots of a row that was full or is empty became free.
void suballocator_resource::note_cleared(row& r, bool was_full) noexcept {
    if (was_full)
        rows_.set_open(r, true);
    if (r.is_empty())
        empty_bytes_ += r.bytes;
}

suballocator_resource::location suballocator_resource::locate(const std::byte* p) const noexcept {
    const row* const r = rows_.find(p);
    if (r == nullptr)
        return {.what = large_.find(p) != nullptr ? location::large : location::foreign};
    const std::size_t i = std::min(index_of(*r, p), r->count - 1);
    const std::byte* const begin = slot_at(*r, i);
    if (p < begin || p >= begin + slot_bytes())
        return {.what = location::bookkeeping};
    return {.what = location::slot, .begin = begin, .taken = r->taken.test(i)};
}

// ---- giving back --------------------------------------------------------------------------------

/// Slots were freed: rows may go, and after a deep fall pages.
void suballocator_resource::freed() noexcept {
    if (options_.rule == row_return::last_row) {
        if (empty_bytes_ != 0)
            return_last_row();
        return;
    }
    if (empty_bytes_ > options_.policy.keep_bytes)
        return_empty_rows(packing_ ? options_.policy.keep_bytes
                                   : options_.policy.allowance(bytes_in_use()),
                          false);
    if (taken_ < purge_at_)
        shrink(options_.policy.keep_bytes, false);
}

/// The seed's rule.
void suballocator_resource::return_last_row() noexcept {
    bool gone = true;
    while (gone && slots_in_use() <= slot_count_ / 4) {
        gone = false;
        rows_.for_each_from_last([&](row& last) {
            // Only the highest row: by this rule rows below it stay, empty or not.
            gone = last.is_empty();
            if (gone)
                return_row(last, false);
            return false;
        });
        rows_.erase_returned();
    }
}

/// Gives rows that are empty back, the last first, until no more than `allowance` bytes of them are
/// left.
void suballocator_resource::return_empty_rows(std::size_t allowance, bool at_once) noexcept {
    bool gone = false;
    rows_.for_each_from_last([&](row& r) {
        if (empty_bytes_ <= allowance)
            return false;
        if (r.memory != nullptr && r.is_empty()) {
            return_row(r, at_once);
            gone = true;
        }
        return true;
    });
    if (gone)
        rows_.erase_returned();
}

/// Gives the memory of a row back; rows_.erase_returned() must follow.
void suballocator_resource::return_row(row& r, bool at_once) noexcept {
    detail::poison::undefined(r.memory, r.bytes);
    empty_bytes_ -= r.is_empty() ? r.bytes : 0;
    rows_bytes_ -= r.bytes;
    slot_count_ -= r.count;
    upstream_.give_back(r.memory, r.bytes, std::max(slot_alignment_, alignof(detail::bits::word)),
                        at_once || options_.policy == return_policy::return_all);
    r.memory = nullptr;
}

/// After a fall: what is empty goes back, and what lives on is to move together. Free pages wait
/// for the next allocation: as long as a container is taken down, rows will empty whole.
void suballocator_resource::shrink(std::size_t allowance, bool at_once) noexcept {
    settle();
    return_empty_rows(allowance, at_once);
    set_packing(taken_ < slot_count_ / purge_divisor);
    set_peak(taken_);
    purge_is_due_ = pages_ && taken_ != 0;
}

void suballocator_resource::trim() noexcept {
    [[maybe_unused]] const auto inside = threads_.enter(kind_name, this);
    shrink(0, true);
    if (std::exchange(purge_is_due_, false))
        purge_free(detail::os::platform::page_bytes());
    rows_.erase_returned(true);
    large_.trim();
}

/// Gives the whole pages between slots in use back.
void suballocator_resource::purge_free(std::size_t least_bytes) noexcept {
    const std::size_t page_bytes = detail::os::platform::page_bytes();
    for (const row& r : rows_.rows()) {
        if (r.bytes < smallest_row && options_.first_row_bytes != 0)
            continue; // it need not lie in pages
        const detail::bits::word* const words = r.taken.words().data();
        for (std::size_t i = detail::bits::next_clear(words, 0, r.count); i < r.count;) {
            const std::size_t end = detail::bits::next_set(words, i, r.count);
            std::byte* const from = slot_at(r, i);
            std::byte* const to = end == r.count ? r.memory + r.bytes : slot_at(r, end);
            std::byte* const page = from + padding_for(from, page_bytes);
            if (to > page && static_cast<std::size_t>(to - page) >= least_bytes)
                upstream_.purge(page, align_down(static_cast<std::size_t>(to - page), page_bytes));
            i = detail::bits::next_clear(words, end, r.count);
        }
    }
}

// ---- what is where ------------------------------------------------------------------------------

bool suballocator_resource::owns(const void* p) const noexcept {
    if (passes_through_)
        return singles_.owns(p);
    return rows_.find(p) != nullptr || large_.find(p) != nullptr;
}

void suballocator_resource::list_regions(region_sink& sink) const {
    const detail::slot_cache::snapshot cached{cache_};
    for (const row& r : rows_.rows())
        list_slots(sink, cached, {r.memory, r.bytes}, r.slots, layout_, r.taken.words().data(),
                   r.count, region_state::overhead);
    for (detail::block* b = large_.blocks().first(); b != nullptr; b = large_.blocks().above(*b))
        detail::region_joiner{sink}.add_large(*b);
    list_others(sink);
}

/// Slots in the cache are among these, as their bits are set: settle() comes first.
template <class F>
void suballocator_resource::for_each_taken(F f) {
    for (const row& r : rows_.rows()) {
        const detail::bits::word* const words = r.taken.words().data();
        for (std::size_t i = detail::bits::next_set(words, 0, r.count); i < r.count;
             i = detail::bits::next_set(words, i + 1, r.count))
            f(static_cast<void*>(slot_at(r, i)));
    }
}

template class detail::slot_pool<suballocator_resource>;

} // namespace ARENITE_ABI
} // namespace arenite
