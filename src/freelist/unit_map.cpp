// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Reading the bits of a unit_map: the longest run in a word, the hole at or before a unit, the next
// begin of anything. Then its list of regions, and the messages for frees that match none. Two
// words of bits tell four states of a unit, as the class comment draws: `holes ^ starts` marks the
// first unit of anything, `holes & ~starts` the first of a hole, `holes & starts` its last; a hole
// of one unit is a first without a last. Most functions work on the 64 units of one word at once
// and look at memory only for a hole that crosses into the next.
#include <arenite/freelist/detail/unit_map.hpp>

#include <arenite/core/contract.hpp>

#include <algorithm>
#include <source_location>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

namespace {

constexpr std::size_t highest_bit(bits::word w) noexcept {
    return bits::word_bits - 1 - static_cast<std::size_t>(std::countl_zero(w));
}

// How many ones stand side by side at most.
unsigned longest_run_of_word(bits::word w) noexcept {
    if (w == ~bits::word{0})
        return bits::word_bits;
    // Runs are doubled, then put together from the longest: about a dozen steps instead of a count
    // bit by bit.
    bits::word runs[6] = {w}; // where 1, 2, 4 ... begin
    for (unsigned k = 1; k < 6; ++k)
        runs[k] = runs[k - 1] & runs[k - 1] >> (1u << (k - 1));
    unsigned longest = 0;
    bits::word begins = ~bits::word{0};
    for (unsigned k = 6; k-- > 0;) {
        if (const bits::word longer = begins & runs[k] >> longest; longer != 0) {
            begins = longer;
            longest += 1u << k;
        }
    }
    return longest;
}

} // namespace

// A hole that begins in a word ends in it, as the word shows, or beyond: then it is the last thing
// that the word shows, and its length is looked up.

unit_map::index unit_map::hole_of(std::size_t block, std::size_t n) const noexcept {
    const states s = states_[block];
    const bits::word firsts = s.holes & ~s.starts;
    const bits::word shown = s.holes | s.starts;
    bits::word found = firsts;
    if (n == 1) {
        found &= (s.holes ^ s.starts) >> 1; // another one begins in the next unit
    } else {
        found &= (s.holes & s.starts) >> (n - 1); // a last unit is where it must be
        if (n > 2 && found != 0)
            found &= bits::run_starts(~shown, n - 2) >> 1; // and nothing between
    }
    const index base = static_cast<index>(block * bits::word_bits);
    if (found != 0)
        return base + static_cast<index>(std::countr_zero(found));
    if (firsts != 0 && highest_bit(firsts) == highest_bit(shown)) {
        const index across = base + static_cast<index>(highest_bit(firsts));
        if (size_at(across) == n)
            return across;
    }
    return none;
}

unit_map::index unit_map::hole_from(std::size_t block, std::size_t n) const noexcept {
    const states s = states_[block];
    const bits::word firsts = s.holes & ~s.starts;
    const bits::word begins = s.holes ^ s.starts;
    bits::word found = firsts;
    if (n > 1)
        found &= bits::run_starts(~begins, n - 1) >> 1;
    const index base = static_cast<index>(block * bits::word_bits);
    if (found != 0)
        return base + static_cast<index>(std::countr_zero(found));
    if (firsts != 0 && highest_bit(firsts) == highest_bit(begins)) {
        const index across = base + static_cast<index>(highest_bit(firsts));
        if (size_at(across) >= n)
            return across;
    }
    return none;
}

unit_map::index unit_map::longest_hole(std::size_t block) const noexcept {
    const states s = states_[block];
    bits::word firsts = s.holes & ~s.starts;
    if (firsts == 0)
        return 0;
    index across = 0;
    if (const std::size_t last = highest_bit(firsts); last == highest_bit(s.holes | s.starts)) {
        across = size_at(static_cast<index>(block * bits::word_bits + last));
        firsts &= ~(bits::word{1} << last);
        if (firsts == 0 || across >= bits::word_bits)
            return across;
    }
    // All units of the others: a last one, less the first it belongs to, leaves ones between.
    const bits::word alone = firsts & (s.holes ^ s.starts) >> 1;
    const bits::word lasts =
        s.holes & s.starts & ~bits::low_mask(static_cast<std::size_t>(std::countr_zero(firsts)));
    const bits::word units = ((lasts | alone) << 1) - firsts;
    return std::max(across, static_cast<index>(longest_run_of_word(units)));
}

unit_map::index unit_map::next_begin(index i) const noexcept {
    std::size_t block = ++i / bits::word_bits;
    bits::word w = (states_[block].holes ^ states_[block].starts) & (~bits::word{0} << i % 64);
    // The start behind the last unit ends this; it is always set.
    while (w == 0) {
        ++block;
        w = states_[block].holes ^ states_[block].starts;
    }
    return static_cast<index>(block * bits::word_bits + static_cast<unsigned>(std::countr_zero(w)));
}

unit_map::index unit_map::begin_at_or_below(index i) const noexcept {
    std::size_t block = i / bits::word_bits;
    bits::word w = (states_[block].holes ^ states_[block].starts) & bits::low_mask(i % 64 + 1);
    // Unit 0 always begins something, so this ends there.
    while (w == 0) {
        --block;
        w = states_[block].holes ^ states_[block].starts;
    }
    return static_cast<index>(block * bits::word_bits + highest_bit(w));
}

void unit_map::touch() const noexcept {
    constexpr std::size_t smallest_page = 4096;
    const std::size_t bytes = std::size_t{count_} * unit_bytes;
    // Every smallest page is written once, whatever the system's page is: more writes than needed,
    // no page missed.
    poison::undefined(units_, bytes);
    for (std::size_t i = 0; i < bytes; i += smallest_page)
        *static_cast<volatile std::byte*>(units_ + i) = std::byte{0};
    *static_cast<volatile std::byte*>(units_ + bytes - 1) = std::byte{0};
    poison::no_access(units_, bytes);
}

void unit_map::list_regions(region_sink& sink, const std::byte* begin, std::size_t bytes,
                            index end) const {
    const std::byte* done = begin;
    const auto add = [&](const std::byte* until, region_state state, bool one_object = false) {
        if (until != done)
            sink.add({done, static_cast<std::size_t>(until - done), state, one_object});
        done = until;
    };
    add(units_, region_state::overhead);
    for (index i = 0; i != end;) {
        const bool is_hole = hole_begins(i);
        if (!is_hole)
            add(address(i), region_state::overhead); // its header
        i = next_begin(i);
        add(unit(i), is_hole ? region_state::free : region_state::used, !is_hole);
    }
    add(unit(count_), region_state::free);
    add(begin + bytes, region_state::overhead);
}

void unit_map::refuse_foreign(const resource_label& label, const void* p, std::size_t bytes) {
    refuse_if_null(p);
    contract_violation_f(std::source_location::current(),
                         "%s: %p (%zu bytes) is not of this resource", resource_text{label}.text, p,
                         bytes);
}

void unit_map::refuse(const void* p, std::size_t bytes, index end) const {
    const std::source_location here = std::source_location::current();
    if (!contains(p))
        refuse_foreign(*label_, p, bytes);
    const resource_text self{*label_};
    // Only on the way to a message: time does not matter here, and each cause gets its own
    // sentence.
    const auto below = static_cast<index>((address_of(p) - address_of(units_)) / unit_bytes);
    if (below >= end)
        contract_violation_f(here,
                             "%s: %p (%zu bytes) is free already: nothing is alive at or above %p",
                             self.text, p, bytes, static_cast<void*>(address(end)));
    const index i = begin_at_or_below(below);
    const std::size_t length = std::size_t{next_begin(i) - i} * unit_bytes - lead_;
    const auto* const begin = static_cast<const std::byte*>(address(i));
    const auto offset = static_cast<std::ptrdiff_t>(address_of(p) - address_of(begin));
    if (hole_begins(i))
        contract_violation_f(here,
                             "%s: %p (%zu bytes) is free already: it lies %td bytes into the hole "
                             "of %zu bytes at %p",
                             self.text, p, bytes, offset, length + lead_,
                             static_cast<const void*>(begin));
    if (offset != 0)
        contract_violation_f(
            here, "%s: %p (%zu bytes) points %td bytes into the allocation of %zu bytes at %p",
            self.text, p, bytes, offset, length, static_cast<const void*>(begin));
    if (keeps_sizes() && std::size_t{noted_size(i)} * unit_bytes - lead_ != length) {
        // Whoever wrote past an end is most likely the neighbour below: it is named.
        const neighbour beside = below_of(i);
        contract_violation_f(here,
                             "%s: the header of the allocation at %p was overwritten; its "
                             "neighbour below is the %s at %p",
                             self.text, p, beside.what, beside.begin);
    }
    contract_violation_f(here, "%s: the allocation at %p has %zu bytes, not %zu", self.text, p,
                         length, bytes);
}

void unit_map::overwritten(index hole) const {
    const neighbour beside = below_of(hole);
    contract_violation_f(std::source_location::current(),
                         "%s: the free memory of %zu bytes at %p was written to: what its first or "
                         "last 16 bytes note is broken. It was used after it was freed, or past an "
                         "end: its neighbour below is the %s at %p",
                         resource_text{*label_}.text,
                         std::size_t{next_begin(hole) - hole} * unit_bytes,
                         static_cast<void*>(address(hole)), beside.what, beside.begin);
}

unit_map::neighbour unit_map::below_of(index i) const noexcept {
    if (i == 0)
        return {"bookkeeping", units_};
    const index below = begin_at_or_below(i - 1);
    return {hole_begins(below) ? "hole" : "allocation", address(below)};
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
