// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/pool/suballocator_resource.hpp>

#include <arenite/block/colouring.hpp>
#include <arenite/check/leak.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/check/poison.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/size.hpp>
#include <arenite/os/page_resource.hpp>
#include <arenite/os/platform.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

namespace {

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
constexpr std::size_t group_bytes = 16_KiB; // colours differ each so many bytes
constexpr std::size_t largest_slot = 1_GiB;
constexpr std::size_t smallest_row = 64_KiB;  // on pages: what they are handed out in
constexpr std::size_t lined_up_bytes = 4_KiB; // rows from here on begin at a line of cache
constexpr std::size_t cell_bytes = 2_MiB;     // of addresses, for which one row is noted
constexpr std::size_t cells_per_row = 4;
constexpr std::size_t purge_floor = 4_MiB;  // what uses less keeps its pages
constexpr std::size_t purge_least = 16_KiB; // of free pages side by side, unless trimmed
constexpr std::size_t purge_divisor = 4;    // a fall to this share is a deep one
constexpr bool always_careful = checks_enabled || poison::active;

// Division by a multiplication: exact for offsets below 2^21 and divisors up to 2^21.
constexpr unsigned inverse_shift = 42;
constexpr std::size_t inverse_limit = std::size_t{1} << 21;

std::uint64_t inverse_of(std::size_t divisor) noexcept {
    return ((std::uint64_t{1} << inverse_shift) + divisor - 1) / divisor;
}

/// Begins to load what will be written.
ARENITE_INLINE void fetch_early([[maybe_unused]] const bits::word* p) noexcept {
#if defined(__GNUC__) || defined(__clang__)
    __builtin_prefetch(p, 1);
#endif
}

} // namespace

// ---- how a row lies in memory -------------------------------------------------------------------

/// Bytes from the first slot to the end of the last.
std::size_t suballocator_resource::span_of(std::size_t slots) const noexcept {
    return slots * slot_bytes_ + (slots - 1) / (group_words_ * bits::word_bits) * colour_bytes_;
}

std::size_t suballocator_resource::slots_alignment(std::size_t slots) const noexcept {
    const std::size_t least = slots * slot_bytes_ < lined_up_bytes ? alignof(bits::word) : 64;
    return std::max(slot_alignment_, least);
}

std::size_t suballocator_resource::row_bytes_for(std::size_t slots) const noexcept {
    return bitmap_tree::bytes_for(slots) + slots_alignment(slots) - alignof(bits::word) +
           span_of(slots);
}

/// The most slots that a row of so many bytes holds; 0 where not even one fits.
std::size_t suballocator_resource::slots_in(std::size_t bytes) const noexcept {
    std::size_t slots = std::min(bytes / slot_bytes_, bitmap_tree::max_capacity);
    while (slots != 0 && row_bytes_for(slots) > bytes) {
        const std::size_t less = (row_bytes_for(slots) - bytes) / (slot_bytes_ + 1);
        slots -= std::clamp<std::size_t>(less, 1, slots);
    }
    return slots;
}

std::byte* suballocator_resource::slot_at(const row& r, std::size_t i) const noexcept {
    return r.slots + i * slot_bytes_ + i / (group_words_ * bits::word_bits) * colour_bytes_;
}

/// The slot that p lies in; or, where p lies in the colour behind one, another.
ARENITE_INLINE std::size_t suballocator_resource::index_of(const row& r,
                                                           const void* p) const noexcept {
    const std::size_t at = address_of(p) - address_of(r.slots);
    if (slot_inverse_ != 0) [[likely]] {
        const std::size_t group = at * group_inverse_ >> inverse_shift;
        return (at - group * colour_bytes_) * slot_inverse_ >> inverse_shift;
    }
    const std::size_t group = at / (group_words_ * bits::word_bits * slot_bytes_ + colour_bytes_);
    return (at - group * colour_bytes_) / slot_bytes_;
}

// ---- making -------------------------------------------------------------------------------------

suballocator_resource::suballocator_resource(slot s) noexcept
    : suballocator_resource{s, suballocator_options{}, upstream{&page_source()}} {}

suballocator_resource::suballocator_resource(slot s, const suballocator_options& options) noexcept
    : suballocator_resource{s, options, upstream{&page_source()}} {}

suballocator_resource::suballocator_resource(slot s, const suballocator_options& options,
                                             upstream up) noexcept
    : slot_alignment_{is_alignment(s.alignment) ? std::min(s.alignment, largest_slot) : 1},
      options_{options}, pages_{up.purges()}, careful_{always_careful},
      passes_through_{passthrough()}, upstream_{up},
      large_{{.policy = options.policy, .bits = false}, up, this} {
    ARENITE_ASSERT(is_alignment(s.alignment), "a slot's alignment must be a power of two");
    impossible_ =
        !is_alignment(s.alignment) || s.bytes > largest_slot || s.alignment > largest_slot;
    slot_bytes_ = align_up(std::min(s.bytes + (s.bytes == 0), largest_slot), slot_alignment_);
    group_words_ = std::max<std::size_t>(1, group_bytes / (slot_bytes_ * bits::word_bits));
    colour_bytes_ = slot_alignment_ <= arenite::colour_bytes ? arenite::colour_bytes : 0;
    row_bytes_ = std::clamp(options.row_bytes, lined_up_bytes, largest_slot);
    if (pages_)
        row_bytes_ = align_up(row_bytes_, smallest_row);
    full_slots_ = std::max<std::size_t>(1, slots_in(row_bytes_));
    if (full_slots_ == 1)
        row_bytes_ = row_bytes_for(1);
    if (row_bytes_ <= inverse_limit) {
        slot_inverse_ = inverse_of(slot_bytes_);
        group_inverse_ = inverse_of(
            std::min(group_words_ * bits::word_bits * slot_bytes_ + colour_bytes_, inverse_limit));
    }
    table_ = {inline_keys_, inline_rows_, nullptr, inline_open_, inline_rows};
    set_packing(false);
}

suballocator_resource::~suballocator_resource() {
    if constexpr (checks_enabled)
        report_leaks();
    for (std::size_t i = 0; i < row_count_; ++i)
        return_row(table_.rows[i]);
    return_table();
}

// ---- the rows -----------------------------------------------------------------------------------

/// The last row that begins at or below the address; 0 where there is none.
std::size_t suballocator_resource::search(std::uintptr_t address) const noexcept {
    const std::uintptr_t* const keys = table_.keys;
    std::size_t first = 0;
    for (std::size_t n = row_count_; n > 1;) { // no branch depends on what is found
        const std::size_t half = n / 2;
        first += keys[first + half] <= address ? half : 0;
        n -= half;
    }
    return first;
}

/// The row that p lies in; row_count_ where there is none.
ARENITE_INLINE std::size_t suballocator_resource::find(const void* p) const noexcept {
    const std::uintptr_t address = address_of(p);
    std::size_t i = last_;
    if (i < row_count_ && lies_in(address, i))
        return i;
    if (const std::size_t cell = address / cell_bytes - first_cell_; cell < cell_count_)
        [[likely]] {
        i = table_.cells[cell];
        i += table_.keys[i + 1] <= address ? 1 : 0; // where rows do not begin with a cell
        if (lies_in(address, i)) [[likely]] {
            last_ = i;
            return i;
        }
    }
    i = search(address);
    if (i >= row_count_ || !lies_in(address, i))
        return row_count_;
    last_ = i;
    return i;
}

/// Which row is to be found where, by one look. Only rows of full size count: no two of them begin
/// in the same cell.
void suballocator_resource::index_cells() noexcept {
    cell_count_ = 0;
    table_.keys[row_count_] = std::numeric_limits<std::uintptr_t>::max();
    if (row_count_ <= inline_rows || row_bytes_ < cell_bytes)
        return;
    std::size_t first = 0, last = row_count_;
    while (first < row_count_ && table_.rows[first].count < full_slots_)
        ++first;
    while (last > first && table_.rows[last - 1].count < full_slots_)
        --last;
    if (first == last)
        return;
    first_cell_ = table_.keys[first] / cell_bytes;
    const std::size_t cells =
        (table_.keys[last - 1] + table_.rows[last - 1].span - 1) / cell_bytes - first_cell_ + 1;
    if (cells > table_.capacity * cells_per_row)
        return;
    std::size_t i = first;
    for (std::size_t c = 0; c < cells; ++c) {
        const std::uintptr_t begin = (first_cell_ + c) * cell_bytes;
        while (i + 1 < last && table_.keys[i + 1] <= begin)
            ++i;
        table_.cells[c] = static_cast<std::uint32_t>(i);
    }
    cell_count_ = cells;
}

std::size_t suballocator_resource::table_bytes(std::size_t capacity) noexcept {
    const std::size_t words = (capacity + bits::word_bits - 1) / bits::word_bits;
    return capacity * (sizeof(row) + cells_per_row * sizeof(std::uint32_t)) +
           (capacity + 1) * sizeof(std::uintptr_t) + words * sizeof(bits::word);
}

suballocator_resource::table suballocator_resource::make_table(void* memory,
                                                               std::size_t capacity) noexcept {
    auto* const rows = ::new (memory) row[capacity]{};
    auto* const keys = ::new (static_cast<void*>(rows + capacity)) std::uintptr_t[capacity + 1]{};
    const std::size_t words = (capacity + bits::word_bits - 1) / bits::word_bits;
    auto* const open = ::new (static_cast<void*>(keys + capacity + 1)) bits::word[words]{};
    auto* const cells =
        ::new (static_cast<void*>(open + words)) std::uint32_t[capacity * cells_per_row];
    return {keys, rows, cells, open, capacity};
}

bool suballocator_resource::grow_table() noexcept {
    const std::size_t capacity = table_.capacity * 4;
    void* const memory = upstream_.try_allocate(table_bytes(capacity), alignof(row));
    if (memory == nullptr)
        return false;
    const table larger = make_table(memory, capacity);
    std::move(table_.rows, table_.rows + row_count_, larger.rows);
    std::copy(table_.keys, table_.keys + row_count_, larger.keys);
    return_table();
    table_ = larger;
    return true;
}

void suballocator_resource::return_table() noexcept {
    if (table_.capacity != inline_rows)
        upstream_.deallocate(table_.rows, table_bytes(table_.capacity), alignof(row));
    table_ = {inline_keys_, inline_rows_, nullptr, inline_open_, inline_rows};
}

/// One more row: the tower doubles, until a row is of full size.
bool suballocator_resource::add_row() noexcept {
    if (impossible_)
        return false;
    std::size_t slots = std::bit_floor(slot_count_ + 1);
    const std::size_t least = options_.first_row_bytes != 0 ? options_.first_row_bytes
                              : pages_                      ? smallest_row
                                                            : 0;
    slots = std::max({slots, std::min(slots_in(least), full_slots_), std::size_t{1}});
    if (slots >= full_slots_ || row_bytes_for(slots) > row_bytes_ / 2)
        slots = full_slots_;
    std::size_t before = none;
    for (bool trimmed = false;;) {
        std::size_t bytes = slots == full_slots_ ? row_bytes_ : row_bytes_for(slots);
        if (pages_ && (bytes > smallest_row / 2 || options_.first_row_bytes == 0)) {
            bytes = align_up(bytes, before == none ? smallest_row : os::platform::page_bytes());
            slots = std::min(slots_in(bytes), full_slots_);
        }
        if (bytes < before && add_row(slots, bytes))
            return true;
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

bool suballocator_resource::add_row(std::size_t slots, std::size_t bytes) noexcept {
    const std::size_t alignment = std::max(slot_alignment_, alignof(bits::word));
    auto* const memory = static_cast<std::byte*>(upstream_.try_allocate(bytes, alignment));
    if (memory == nullptr)
        return false;
    if (row_count_ == table_.capacity && !grow_table()) {
        upstream_.deallocate(memory, bytes, alignment);
        return false;
    }
    const std::size_t words = bitmap_tree::words_for(slots);
    auto* const first_word = ::new (static_cast<void*>(memory)) bits::word[words];
    std::byte* begin = memory + words * sizeof(bits::word);
    begin += padding_for(begin, slots_alignment(slots));
    row* const rows = table_.rows;
    std::size_t at = row_count_;
    for (; at > 0 && table_.keys[at - 1] > address_of(begin); --at) {
        rows[at] = std::move(rows[at - 1]);
        table_.keys[at] = table_.keys[at - 1];
    }
    rows[at] = {memory, bytes, begin, span_of(slots), slots, {slots, {first_word, words}}};
    table_.keys[at] = address_of(begin);
    poison::no_access(begin, rows[at].span);
    ++row_count_;
    slot_count_ += slots;
    rows_bytes_ += bytes;
    empty_bytes_ += bytes;
    index_rows();
    return true;
}

/// After rows came or went: which are open, and which come first because they are small.
void suballocator_resource::index_rows() noexcept {
    last_ = 0;
    index_cells();
    small_count_ = small_open_ = 0;
    std::fill_n(table_.open, (row_count_ + bits::word_bits - 1) / bits::word_bits, bits::word{0});
    for (std::size_t i = 0; i < row_count_; ++i)
        if (table_.rows[i].count < full_slots_ && small_count_ < most_small)
            small_[small_count_++] = static_cast<std::uint32_t>(i);
    std::sort(small_, small_ + small_count_, [&](std::uint32_t a, std::uint32_t b) {
        const std::size_t x = table_.rows[a].count, y = table_.rows[b].count;
        return x != y ? x < y : a < b;
    });
    for (std::size_t i = 0; i < row_count_; ++i)
        set_open(i, !table_.rows[i].taken.full());
}

void suballocator_resource::set_open(std::size_t index, bool open) noexcept {
    const bits::word mask = bits::word{1} << index % bits::word_bits;
    bits::word& word = table_.open[index / bits::word_bits];
    word = open ? word | mask : word & ~mask;
    if (table_.rows[index].count == full_slots_) [[likely]]
        return;
    for (std::uint32_t k = 0; k < small_count_; ++k)
        if (small_[k] == index)
            small_open_ = open ? small_open_ | 1U << k : small_open_ & ~(1U << k);
}

/// The first row of the tower with a free slot; row_count_ where there is none. The small ones come
/// first, by their number of slots; those of full size by their address.
std::size_t suballocator_resource::lowest_open() noexcept {
    if (small_open_ != 0)
        return small_[std::countr_zero(small_open_)];
    return bits::next_set(table_.open, 0, row_count_);
}

// ---- allocate -----------------------------------------------------------------------------------

/// What the inlined part can't serve: nothing hot is left, and no window open.
void* suballocator_resource::allocate_slow() noexcept {
    note_high_water();
    if (careful_ || passes_through_) [[unlikely]]
        return allocate_careful();
    if (run_begin_ != run_end_) {
        cursor_ = std::exchange(run_begin_, nullptr);
        limit_ = std::exchange(run_end_, nullptr);
    } else {
        if (pending_ != 0) {
            clear_hot(std::exchange(pending_, 0));
            note_freed();
        }
        if (std::exchange(purge_is_due_, false)) [[unlikely]]
            purge_free(purge_least);
        if (packing_ && !packs())
            set_packing(false);
        if (strict())
            return take_lowest();
        if (!claim())
            return nullptr;
    }
    if (hot_count_ != 0)
        return hot_[--hot_count_];
    return std::exchange(cursor_, cursor_ + slot_bytes_);
}

/// True while there is something to be packed: most slots are free, and those to be taken next are
/// not all of them.
bool suballocator_resource::packs() noexcept {
    if (taken_ > slot_count_ / 2)
        return false;
    const std::size_t index = lowest_open();
    return index < row_count_ && table_.rows[index].taken.count_taken() != 0;
}

/// The lowest free slot, or nullptr.
std::byte* suballocator_resource::take_lowest() noexcept {
    std::size_t index = lowest_open();
    if (index == row_count_) {
        if (!add_row())
            return nullptr;
        index = lowest_open();
    }
    row& r = table_.rows[index];
    empty_bytes_ -= r.taken.count_taken() == 0 ? r.bytes : 0;
    const std::size_t i = r.taken.take_lowest();
    if (r.taken.full())
        set_open(index, false);
    note_taken(1);
    return slot_at(r, i);
}

/// Takes the lowest free slots: side by side into the window, else those of some words of bits, so
/// that they come out upward. False where there is none.
bool suballocator_resource::claim() noexcept {
    std::size_t index = lowest_open();
    if (index == row_count_) {
        if (!add_row())
            return false;
        index = lowest_open();
    }
    row& r = table_.rows[index];
    const std::size_t before = r.taken.count_taken();
    empty_bytes_ -= before == 0 ? r.bytes : 0;
    const std::size_t i = r.taken.lowest_free();
    const auto words = r.taken.words();
    const bits::word clear = ~words[i / bits::word_bits] >> i % bits::word_bits;
    auto count = static_cast<std::size_t>(std::countr_one(clear));
    const bool to_end = i % bits::word_bits + count == bits::word_bits;
    if (to_end || clear >> count == 0) {
        if (to_end) { // goes on in the next words of the group
            const std::size_t group = i / bits::word_bits / group_words_;
            const std::size_t end = std::min(words.size(), (group + 1) * group_words_);
            for (std::size_t w = i / bits::word_bits + 1; w < end; ++w) {
                const auto more = static_cast<std::size_t>(std::countr_zero(words[w]));
                count += more;
                if (more != bits::word_bits)
                    break;
            }
        }
        r.taken.take_range(i, count);
        cursor_ = slot_at(r, i);
        limit_ = cursor_ + count * slot_bytes_;
    } else {
        claim_words(r);
    }
    if (r.taken.full())
        set_open(index, false);
    note_taken(r.taken.count_taken() - before);
    return true;
}

/// What is free in the lowest words of a row becomes hot, so that it comes out upward.
void suballocator_resource::claim_words(row& r) noexcept {
    constexpr std::size_t enough = bits::word_bits / 2;
    while (hot_count_ < enough && !r.taken.full()) {
        const auto [first, mask] = r.taken.claim_word();
        std::byte* const begin = slot_at(r, first);
        for (bits::word left = mask; left != 0; left &= left - 1)
            hot_[hot_count_++] =
                begin + static_cast<std::size_t>(std::countr_zero(left)) * slot_bytes_;
    }
    std::reverse(hot_, hot_ + hot_count_);
}

void suballocator_resource::note_taken(std::size_t count) noexcept {
    taken_ += count;
    if (taken_ > peak_)
        set_peak(taken_);
}

void suballocator_resource::set_peak(std::size_t slots) noexcept {
    peak_ = slots;
    const bool falls = slots * slot_bytes_ >= purge_floor && options_.policy.keep_bytes < none &&
                       options_.rule == row_return::by_policy;
    purge_at_ = falls ? slots / purge_divisor : 0;
}

void suballocator_resource::set_packing(bool on) noexcept {
    packing_ = on;
    const bool every_call_is_slow =
        on || careful_ || passes_through_ || options_.order == slot_order::lowest;
    hot_depth_ = every_call_is_slow ? 0 : hot_depth;
}

void* suballocator_resource::allocate_careful() noexcept {
    if (passes_through_)
        return impossible_ ? nullptr : singles_.try_allocate(slot_bytes_, slot_alignment_);
    std::byte* const p = take_lowest();
    if (p == nullptr)
        return nullptr;
    poison::undefined(p, slot_bytes_);
    if constexpr (checks_enabled) {
        std::memset(p, 0xCD, slot_bytes_); // never written by the user
        poison::undefined(p, slot_bytes_);
    }
    return p;
}

/// Memory of its own for a request that a slot does not serve.
void* suballocator_resource::allocate_large(std::size_t bytes, std::size_t alignment) noexcept {
    ARENITE_ASSERT(is_alignment(alignment), "an alignment must be a power of two");
    if (!is_alignment(alignment) || bytes > max_object_bytes - default_alignment || impossible_)
        return nullptr;
    const std::size_t size = align_up(bytes + (bytes == 0), granule_bytes);
    void* p = nullptr;
    if (passes_through_) {
        p = singles_.try_allocate(bytes + (bytes == 0), alignment);
    } else if (block* const large = large_.try_allocate_large(size, alignment)) {
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
void suballocator_resource::deallocate_slow(std::byte* p) noexcept {
    note_high_water();
    if (careful_ || passes_through_) [[unlikely]]
        return deallocate_careful(p);
    if (strict()) { // many bits at a time here too, while nobody asks for a slot
        hot_[pending_++] = p;
        if (pending_ != hot_depth)
            return;
        clear_hot(std::exchange(pending_, 0));
        return note_freed();
    }
    constexpr std::size_t half = hot_depth / 2;
    clear_hot(half);
    std::memmove(hot_, hot_ + half, half * sizeof(hot_[0]));
    hot_count_ = half;
    // Neighbours one after the other: more of them may come.
    const std::byte* const latest = hot_[half - 1];
    if (p == latest + slot_bytes_ || p + slot_bytes_ == latest) {
        clear_run();
        run_begin_ = p;
        run_end_ = p + slot_bytes_;
    } else {
        hot_[hot_count_++] = p;
    }
    note_freed();
}

/// Clears the bits of the oldest hot slots. All of the bits are asked for first: they are anywhere,
/// and so the processor waits for many of them at a time.
void suballocator_resource::clear_hot(std::size_t count) noexcept {
    place places[hot_depth];
    for (std::size_t k = 0; k < count; ++k) {
        const std::size_t index = find(hot_[k]);
        if (index == row_count_) [[unlikely]]
            return refuse_free(hot_[k], "it is not of this resource");
        row& r = table_.rows[index];
        places[k] = {&r, index_of(r, hot_[k])};
        fetch_early(r.taken.words().data() + places[k].slot / bits::word_bits);
    }
    for (std::size_t k = 0; k < count; ++k)
        if (!clear_one(places[k])) [[unlikely]]
            return refuse_free(hot_[k], "it was freed twice");
    taken_ -= count;
}

/// Clears the bit of a slot; false where it is clear already.
ARENITE_INLINE bool suballocator_resource::clear_one(place at) noexcept {
    row& r = *at.in;
    if (at.slot >= r.count || !r.taken.test(at.slot)) [[unlikely]]
        return false;
    const std::size_t before = r.taken.count_taken();
    r.taken.give(at.slot);
    if (before == r.count || before == 1) [[unlikely]]
        cleared(static_cast<std::size_t>(at.in - table_.rows), before == r.count);
    return true;
}

/// Slots of a row that was full or is empty became free.
void suballocator_resource::cleared(std::size_t index, bool was_full) noexcept {
    const row& r = table_.rows[index];
    if (was_full)
        set_open(index, true);
    if (r.taken.count_taken() == 0)
        empty_bytes_ += r.bytes;
}

void suballocator_resource::clear_run() noexcept {
    const std::byte* const p = std::exchange(run_begin_, nullptr);
    const std::byte* const end = std::exchange(run_end_, nullptr);
    if (p == end)
        return;
    const std::size_t index = find(p);
    if (index == row_count_) [[unlikely]]
        return refuse_free(p, "it is not of this resource");
    row& r = table_.rows[index];
    const std::size_t first = index_of(r, p);
    const std::size_t count = static_cast<std::size_t>(end - p) / slot_bytes_;
    if (first + count > r.count || !bits::all_set(r.taken.words().data(), first, count))
        [[unlikely]]
        return refuse_free(p, "it, or a neighbour freed after it, was freed twice");
    const bool was_full = r.taken.full();
    r.taken.give_range(first, count);
    taken_ -= count;
    cleared(index, was_full);
}

void suballocator_resource::deallocate_careful(std::byte* p) noexcept {
    if (passes_through_)
        return singles_.deallocate(p);
    if constexpr (checks_enabled) {
        check_free(p);
        poison::undefined(p, slot_bytes_);
        std::memset(p, 0xDD, slot_bytes_); // no longer the user's
    }
    poison::no_access(p, slot_bytes_);
    hot_[0] = p;
    clear_hot(1);
    note_freed(); // by this its memory may go back to the upstream
}

void suballocator_resource::deallocate_large(void* p, std::size_t bytes, std::size_t) noexcept {
    note_high_water();
    if (passes_through_) {
        --large_count_;
        return singles_.deallocate(p);
    }
    if (checks_enabled && large_.find(p) == nullptr)
        return refuse_free(p, "it is not of this resource, or is a slot of it");
    block& b = large_.head_of(p);
    if (b.owner != this || (b.state & block_state::large) == 0 ||
        block_source::large_object(b) != p ||
        block_source::large_bytes(b) != align_up(bytes + (bytes == 0), granule_bytes))
        return refuse_free(p, "it was not allocated with this size");
    --large_count_;
    large_bytes_ -= block_source::large_bytes(b);
    large_.deallocate_large(b, bytes_in_use());
}

void suballocator_resource::refuse_free(const void* p, const char* why) const noexcept {
    contract_violation_f(std::source_location::current(),
                         "%p was freed into suballocator_resource %p, slots of %zu bytes: %s", p,
                         static_cast<const void*>(this), slot_bytes_, why);
}

/// In a checked build a slot is known to be one before it is freed.
void suballocator_resource::check_free(const std::byte* p) const noexcept {
    const std::size_t index = find(p);
    if (index == row_count_)
        return refuse_free(p, large_.find(p) != nullptr
                                  ? "it is larger than a slot, and is to be freed with its size"
                                  : "it is not of this resource");
    const row& r = table_.rows[index];
    const std::size_t i = std::min(index_of(r, p), r.count - 1);
    const std::byte* const begin = slot_at(r, i);
    if (p < begin || p >= begin + slot_bytes_)
        return refuse_free(p, "it is no slot, but what the resource keeps for itself");
    if (p != begin)
        contract_violation_f(
            std::source_location::current(),
            "%p was freed into suballocator_resource %p, slots of %zu bytes: it points %zu "
            "bytes into the slot at %p",
            static_cast<const void*>(p), static_cast<const void*>(this), slot_bytes_,
            static_cast<std::size_t>(p - begin), static_cast<const void*>(begin));
    if (!r.taken.test(i))
        return refuse_free(p, "the slot is free already, or was never handed out");
}

// ---- giving back --------------------------------------------------------------------------------

/// Slots were freed: rows may go, and after a deep fall pages.
void suballocator_resource::note_freed() noexcept {
    if (options_.rule == row_return::last_row) {
        if (empty_bytes_ != 0)
            return_last_row();
        return;
    }
    if (empty_bytes_ > options_.policy.keep_bytes)
        return_empty_rows(packing_ ? options_.policy.keep_bytes
                                   : options_.policy.allowance(bytes_in_use()));
    if (taken_ < purge_at_)
        shrink(options_.policy.keep_bytes);
}

/// The seed's rule.
void suballocator_resource::return_last_row() noexcept {
    while (row_count_ != 0 && slots_in_use() <= slot_count_ / 4) {
        std::size_t last = row_count_;
        while (last > 0 && table_.rows[last - 1].count < full_slots_)
            --last;
        last = last > 0 ? last - 1 : std::size_t{small_[small_count_ - 1]};
        if (table_.rows[last].taken.count_taken() != 0)
            return;
        return_row(table_.rows[last]);
        close_gaps();
    }
}

/// Gives rows that are empty back, the last first, until no more than `allowance` bytes of them are
/// left.
void suballocator_resource::return_empty_rows(std::size_t allowance) noexcept {
    bool gone = false;
    const auto consider = [&](row& r) {
        if (empty_bytes_ <= allowance || r.memory == nullptr || r.taken.count_taken() != 0)
            return;
        return_row(r);
        gone = true;
    };
    for (std::size_t i = row_count_; i > 0 && empty_bytes_ > allowance; --i)
        if (table_.rows[i - 1].count == full_slots_)
            consider(table_.rows[i - 1]);
    for (std::size_t k = small_count_; k > 0; --k)
        consider(table_.rows[small_[k - 1]]);
    for (std::size_t i = row_count_; i > 0 && empty_bytes_ > allowance; --i)
        consider(table_.rows[i - 1]); // small ones that have no place among the first
    if (gone)
        close_gaps();
}

/// Gives the memory of a row back; close_gaps() must follow.
void suballocator_resource::return_row(row& r) noexcept {
    poison::undefined(r.memory, r.bytes);
    empty_bytes_ -= r.taken.count_taken() == 0 ? r.bytes : 0;
    rows_bytes_ -= r.bytes;
    slot_count_ -= r.count;
    upstream_.deallocate(r.memory, r.bytes, std::max(slot_alignment_, alignof(bits::word)));
    r.memory = nullptr;
}

void suballocator_resource::close_gaps() noexcept {
    std::size_t n = 0;
    for (std::size_t i = 0; i < row_count_; ++i) {
        row& r = table_.rows[i];
        if (r.memory == nullptr)
            continue;
        if (n != i) {
            table_.rows[n] = std::move(r);
            table_.keys[n] = table_.keys[i];
        }
        ++n;
    }
    row_count_ = n;
    index_rows();
}

/// Leaves nothing free that the bits do not show.
void suballocator_resource::settle() noexcept {
    note_high_water();
    clear_run();
    run_begin_ = std::exchange(cursor_, nullptr);
    run_end_ = std::exchange(limit_, nullptr);
    clear_run();
    clear_hot(std::exchange(hot_count_, 0));
    clear_hot(std::exchange(pending_, 0));
}

/// After a fall: what is empty goes back, and what lives on is to move together. Free pages wait
/// for the next allocation: as long as a container is taken down, rows will empty whole.
void suballocator_resource::shrink(std::size_t allowance) noexcept {
    settle();
    return_empty_rows(allowance);
    set_packing(taken_ < slot_count_ / purge_divisor);
    set_peak(taken_);
    purge_is_due_ = pages_ && taken_ != 0;
}

void suballocator_resource::trim() noexcept {
    shrink(0);
    if (std::exchange(purge_is_due_, false))
        purge_free(os::platform::page_bytes());
    if (row_count_ == 0)
        return_table();
    large_.trim();
}

/// Gives the whole pages between slots in use back.
void suballocator_resource::purge_free(std::size_t least_bytes) noexcept {
    const std::size_t page_bytes = os::platform::page_bytes();
    for (std::size_t index = 0; index < row_count_; ++index) {
        const row& r = table_.rows[index];
        if (r.bytes < smallest_row && options_.first_row_bytes != 0)
            continue; // it need not lie in pages
        const bits::word* const words = r.taken.words().data();
        for (std::size_t i = bits::next_clear(words, 0, r.count); i < r.count;) {
            const std::size_t end = bits::next_set(words, i, r.count);
            std::byte* const from = slot_at(r, i);
            std::byte* const to = end == r.count ? r.memory + r.bytes : slot_at(r, end);
            std::byte* const page = from + padding_for(from, page_bytes);
            if (to > page && static_cast<std::size_t>(to - page) >= least_bytes)
                upstream_.purge(page, align_down(static_cast<std::size_t>(to - page), page_bytes));
            i = bits::next_clear(words, end, r.count);
        }
    }
}

// ---- what is where ------------------------------------------------------------------------------

bool suballocator_resource::owns(const void* p) const noexcept {
    if (passes_through_)
        return singles_.owns(p);
    return find(p) < row_count_ || large_.find(p) != nullptr;
}

std::size_t suballocator_resource::slots_in_use() const noexcept {
    const auto waiting = static_cast<std::size_t>((limit_ - cursor_) + (run_end_ - run_begin_));
    return taken_ - hot_count_ - pending_ - (waiting == 0 ? 0 : waiting / slot_bytes_);
}

std::size_t suballocator_resource::bytes_in_use() const noexcept {
    return slots_in_use() * slot_bytes_ + large_bytes_ + singles_.bytes();
}

void suballocator_resource::note_high_water() const noexcept {
    high_water_ = std::max(high_water_, bytes_in_use());
}

arenite::usage suballocator_resource::usage() const noexcept {
    note_high_water();
    const std::size_t slots = slots_in_use();
    const std::size_t own = table_.capacity == inline_rows ? 0 : table_bytes(table_.capacity);
    return {.bytes_in_use = bytes_in_use(),
            .bytes_reserved = rows_bytes_ + own + large_.bytes_reserved() + singles_.bytes(),
            .high_water_bytes = high_water_,
            .live_allocations = passes_through_ ? singles_.count() : slots + large_count_,
            .largest_hole_bytes = slots < slot_count_ ? slot_bytes_ : 0};
}

void suballocator_resource::list_regions(region_sink& sink) const {
    singles_.list_regions(sink);
    // The waiting slots, whose bits are set, in address order.
    const std::byte* waiting[hot_depth];
    const std::size_t waiting_count = hot_count_ + pending_; // one of them is 0
    std::copy_n(hot_, waiting_count, waiting);
    std::sort(waiting, waiting + waiting_count);
    const auto is_free = [&](const std::byte* p) {
        return (p >= cursor_ && p < limit_) || (p >= run_begin_ && p < run_end_) ||
               std::binary_search(waiting, waiting + waiting_count, p);
    };
    for (std::size_t index = 0; index < row_count_; ++index) {
        const row& r = table_.rows[index];
        const std::byte* from = r.memory; // of what was not yet told
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
        const std::byte* behind = r.slots; // the slot before
        for (std::size_t i = 0; i < r.count; ++i) {
            const std::byte* const p = slot_at(r, i);
            if (p != behind)
                until(behind, region_state::overhead);
            until(p, r.taken.test(i) && !is_free(p) ? region_state::used : region_state::free);
            behind = p + slot_bytes_;
        }
        until(behind, region_state::overhead);
        if (const std::byte* const end = r.memory + r.bytes; from != end)
            sink.add({from, static_cast<std::size_t>(end - from), state});
    }
    for (const block* b = large_.blocks().first(); b != nullptr; b = large_.blocks().above(*b)) {
        const auto* const begin = reinterpret_cast<const std::byte*>(b->span);
        const std::size_t bytes = block_source::large_bytes(*b);
        const std::byte* const object = begin + b->bytes();
        sink.add({begin, static_cast<std::size_t>(object - begin), region_state::overhead});
        sink.add({object, bytes, region_state::used, true});
        if (const std::size_t rest = b->span_bytes - b->bytes() - bytes; rest != 0)
            sink.add({object + bytes, rest, region_state::free});
    }
    large_.for_each_kept([&](const std::byte* p, std::size_t bytes) {
        sink.add({p, bytes, region_state::free});
    });
}

void suballocator_resource::report_leaks() noexcept {
    leak_collector leaks{this};
    settle();
    for (void* p = singles_.newest(); p != nullptr; p = passthrough_chain::older_than(p))
        leaks.add(p, passthrough_chain::size_of(p));
    for (std::size_t index = 0; index < row_count_; ++index) {
        const row& r = table_.rows[index];
        const bits::word* const words = r.taken.words().data();
        for (std::size_t i = bits::next_set(words, 0, r.count); i < r.count;
             i = bits::next_set(words, i + 1, r.count))
            leaks.add(slot_at(r, i), slot_bytes_);
    }
    for (block* b = large_.blocks().first(); b != nullptr; b = large_.blocks().above(*b))
        leaks.add(block_source::large_object(*b), block_source::large_bytes(*b));
    leaks.report();
}

} // namespace ARENITE_ABI
} // namespace arenite
