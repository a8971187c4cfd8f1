// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Spans that large objects share. In this order: taking a run of units at the lowest address,
// resizing and giving back, making and returning whole spans.
#include <arenite/block/detail/shared_spans.hpp>

#include <arenite/check/detail/poison.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/os/detail/platform.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <new>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

template class address_list<shared_span>;

namespace {

/// Lengths of runs, two to each power of two, from 64 units on: 64, 96, 128, 192, ... 4096. A span
/// is in the states of all that its longest free run has.
constexpr std::size_t step_count = 13;
constexpr int first_step_width = 7; // of 64

/// Free units of it may be resident: so many that it is worth a system call.
constexpr std::uint16_t is_resident = 1u << step_count;
constexpr std::size_t least_resident = 64;

/// Nothing of it is taken.
constexpr std::uint16_t is_empty = is_resident << 1;

/// So many of the steps are at most `units`.
constexpr std::size_t steps_up_to(std::size_t units) noexcept {
    const int above = static_cast<int>(std::bit_width(units)) - first_step_width;
    if (above < 0)
        return 0;
    const std::size_t half = units >> (above + first_step_width - 2) & 1;
    return std::min(2 * static_cast<std::size_t>(above) + 1 + half, step_count);
}
static_assert(steps_up_to(63) == 0 && steps_up_to(64) == 1 && steps_up_to(95) == 1 &&
              steps_up_to(96) == 2 && steps_up_to(127) == 2 && steps_up_to(128) == 3 &&
              steps_up_to(4095) == 12 && steps_up_to(4096) == 13 && steps_up_to(8255) == 13);

/// A span may be so much longer than a power of two, for objects of one.
constexpr std::size_t more_bytes = 64_KiB;
/// ... where they would lose this share of it.
constexpr std::size_t lost_divisor = 20;

/// So many spans that may have a run as long are looked at, before a new one is asked for.
constexpr int most_tried = 16;

/// So much in empty spans is kept in the whole process: whose owner makes no more calls keeps them.
constexpr std::size_t most_empty_of_all = 8_MiB;
constinit std::atomic<std::size_t> empty_of_all{0};

/// A span that is empty for the first time counts from now on to its end, so that what comes and
/// goes costs no atomic operation. False where there are too many.
bool try_count(shared_span& s) noexcept {
    if (s.is_counted)
        return true;
    const std::size_t bytes = s.units * shared_span::unit_bytes;
    if (empty_of_all.fetch_add(bytes, std::memory_order_relaxed) + bytes > most_empty_of_all) {
        empty_of_all.fetch_sub(bytes, std::memory_order_relaxed);
        return false;
    }
    s.is_counted = true;
    return true;
}

} // namespace

shared_spans::~shared_spans() {
    for (shared_span* s = spans_.take_all(); s != nullptr;) {
        shared_span* const above = s->right;
        end(*s, false);
        s = above;
    }
}

/// The largest power of two has priority, if two runs fit and what is left over is little, or one
/// run more would not fit into the longer span either. The longer span is next, if it has two runs.
/// Otherwise objects are so long that a span is made for two.
std::size_t shared_spans::span_bytes_for(std::size_t bytes, std::size_t most) noexcept {
    if (most < smallest_bytes)
        return 0;
    const std::size_t run = align_up(bytes, unit_bytes);
    const auto filled = [&](std::size_t runs) { return head_units * unit_bytes + runs * run; };
    const std::size_t usual = std::bit_floor(most);
    const std::size_t runs = (usual - filled(0)) / run;
    // The longer part costs page faults.
    const bool loses_little = usual - filled(runs) < usual / lost_divisor;
    if (runs >= 2 && (loses_little || filled(runs + 1) > usual + more_bytes))
        return usual;
    if (runs >= 1 && filled(runs + 1) <= usual + more_bytes)
        return usual + more_bytes;
    const std::size_t pair = align_up(filled(2), more_bytes); // the unit of a source of pages
    return pair <= most ? pair : 0;
}

// ---- taking -------------------------------------------------------------------------------------

shared_spans::run shared_spans::try_take(std::size_t bytes, std::size_t alignment,
                                         std::size_t span_bytes, page_use use) noexcept {
    // First a span whose state says that its longest run suffices. Then those of the state below,
    // whose longest run may suffice, as the state is rounded down. Then a new span.
    const std::size_t units = units_for(bytes);
    ARENITE_ASSERT(units >= bits::word_bits, "a run is shorter than those that are looked for");
    const std::size_t every = std::max(alignment / unit_bytes, std::size_t{1});
    const std::size_t least = units + every - 1; // with room to align it
    const std::size_t enough = steps_up_to(least - 1);
    if (enough < step_count)
        if (shared_span* const s = spans_.lowest(static_cast<std::uint16_t>(1u << enough)))
            return take_from(*s, units, every);
    if (enough != 0) {
        const auto perhaps = static_cast<std::uint16_t>(1u << (enough - 1));
        shared_span* s = spans_.lowest(perhaps);
        for (int n = 0; s != nullptr && n < most_tried; ++n, s = spans_.lowest(perhaps, s + 1))
            if (s->longest >= least)
                return take_from(*s, units, every);
    }
    shared_span* const s =
        span_bytes / unit_bytes < least + head_units ? nullptr : make(span_bytes, use);
    return s == nullptr ? run{} : take_from(*s, units, every);
}

/// The lowest such run of a span that has one.
shared_spans::run shared_spans::take_from(shared_span& s, std::size_t units,
                                          std::size_t every) noexcept {
    const free_run found = lowest_run(s, units + every - 1);
    const std::size_t place = align_up(found.begin + 1, every) - 1; // what is aligned is the next
    const bool is_zero = s.is_zero && place >= s.clean_from && bits::all_set(s.clean, place, units);
    take(s, found, place, units);
    poison::undefined(at(s, place), units * unit_bytes);
    return {at(s, place), is_zero};
}

/// The lowest free run of `least` units, a word or more, of a span that has one: being as long, it
/// is the last that begins in its word.
shared_spans::free_run shared_spans::lowest_run(const shared_span& s, std::size_t least) noexcept {
    std::size_t i = 0;
    while (s.longest_from[i] < least)
        ++i;
    const std::size_t begin =
        i * bits::word_bits + static_cast<std::size_t>(std::bit_width(s.taken[i]));
    return {begin, begin + s.longest_from[i]};
}

/// Where the free run ends that begins at `begin`. Returns `begin` if no free run begins there.
std::size_t shared_spans::end_of_run(const shared_span& s, std::size_t begin) noexcept {
    const std::size_t i = begin / bits::word_bits;
    if (s.longest_from[i] >= bits::word_bits && s.taken[i] >> begin % bits::word_bits == 0)
        return begin + s.longest_from[i]; // the last that begins in the word, and the longest
    return bits::next_set(s.taken, begin, s.units);
}

/// The longest free run that begins in a word, by the bits.
std::uint16_t shared_spans::longest_in(const shared_span& s, std::size_t i) noexcept {
    const bits::word free = ~s.taken[i];
    const bits::word below = i != 0 ? ~s.taken[i - 1] >> (bits::word_bits - 1) : 0;
    std::size_t longest = 0;
    for (bits::word begins = free & ~(free << 1 | below); begins != 0; begins &= begins - 1) {
        const std::size_t begin =
            i * bits::word_bits + static_cast<std::size_t>(std::countr_zero(begins));
        longest = std::max(longest, bits::next_set(s.taken, begin, s.units) - begin);
    }
    return static_cast<std::uint16_t>(longest);
}

/// The longest of all. Without an early end, so that several are looked at by an instruction.
std::uint16_t shared_spans::longest_of(const shared_span& s) noexcept {
    std::uint16_t longest = 0;
    for (std::size_t i = 0; i * bits::word_bits < s.units; ++i)
        longest = std::max(longest, s.longest_from[i]);
    return longest;
}

/// Takes units of a free run.
void shared_spans::take(shared_span& s, const free_run& from, std::size_t first,
                        std::size_t units) noexcept {
    const std::size_t end = first + units;
    if (s.occupied == 0) {
        empty_bytes_ -= s.units * unit_bytes;
        empty_since_ms_ = 0;
    }
    bits::set_run(s.taken, first, units);
    std::size_t were_resident = units;
    if (end > s.clean_from) {
        were_resident -= bits::count_set(s.clean, first, units);
        bits::clear_run(s.clean, first, units);
        s.clean_from = static_cast<std::uint32_t>(bits::next_set(s.clean, s.clean_from, s.units));
    }
    s.occupied += static_cast<std::uint32_t>(units);
    s.resident -= static_cast<std::uint32_t>(were_resident);
    taken_units_ += units;
    resident_units_ -= were_resident;
    idle_.note_request(bytes_resident(), bytes_taken());
    const std::size_t word = from.begin / bits::word_bits;
    s.longest_from[word] = longest_in(s, word);
    std::uint16_t& above = s.longest_from[end / bits::word_bits];
    above = std::max(above, static_cast<std::uint16_t>(from.end - end));
    if (from.end - from.begin == s.longest)
        s.longest = longest_of(s);
    set_state(s);
}

void shared_spans::set_state(shared_span& s) noexcept {
    const std::size_t steps = steps_up_to(s.longest);
    spans_.set_state(
        s, static_cast<std::uint16_t>(((1u << steps) - 1) | (s.occupied == 0 ? is_empty : 0) |
                                      (s.resident >= least_resident ? is_resident : 0)));
}

/// Grows into the units right above, or gives the last ones back: the object stays where it is.
bool shared_spans::try_resize(std::byte* p, std::size_t bytes, std::size_t new_bytes) noexcept {
    shared_span& s = *spans_.at_or_below(p);
    const std::size_t first = index_of(s, p);
    const std::size_t end = first + units_for(bytes);
    const std::size_t new_end = first + units_for(new_bytes);
    if (new_end > s.units)
        return false;
    if (new_end < end)
        free(s, new_end, end - new_end);
    if (new_end <= end)
        return true;
    if (!bits::none_set(s.taken, end, new_end - end))
        return false;
    take(s, {end, end_of_run(s, end)}, end, new_end - end);
    poison::undefined(at(s, end), (new_end - end) * unit_bytes);
    return true;
}

// ---- giving back --------------------------------------------------------------------------------

void shared_spans::free(shared_span& s, std::size_t first, std::size_t units) noexcept {
    poison::no_access(at(s, first), units * unit_bytes);
    const std::size_t from = first + units; // of what may be free above
    const std::size_t end = end_of_run(s, from);
    bits::clear_run(s.taken, first, units);
    s.occupied -= static_cast<std::uint32_t>(units);
    s.resident += static_cast<std::uint32_t>(units);
    taken_units_ -= units;
    resident_units_ += units;
    const std::size_t begin = bits::last_set(s.taken, 0, first) + 1;
    std::uint16_t& longest = s.longest_from[begin / bits::word_bits];
    longest = std::max(longest, static_cast<std::uint16_t>(end - begin));
    // The run above, if there was one, begins lower now: another may be the longest where it did.
    const std::size_t word = from / bits::word_bits;
    if (end != from && end - from == s.longest_from[word])
        s.longest_from[word] = longest_in(s, word);
    // The run in which these units lie now has grown, and no other.
    s.longest = std::max(s.longest, static_cast<std::uint32_t>(end - begin));
    set_state(s);
}

void shared_spans::give(std::byte* p, std::size_t bytes, std::size_t kept_bytes,
                        bool at_once) noexcept {
    shared_span& s = *spans_.at_or_below(p);
    free(s, index_of(s, p), units_for(bytes));
    if (s.occupied != 0)
        return;
    const std::size_t its = s.units * unit_bytes;
    empty_bytes_ += its;
    empty_since_ms_ = 0;
    if (its > kept_bytes || (kept_bytes != keep_all && !try_count(s))) {
        spans_.erase(s);
        end(s, at_once);
    }
    while (empty_bytes_ > kept_bytes)
        give_highest_empty(at_once);
}

void shared_spans::give_highest_empty(bool at_once) noexcept {
    shared_span& s = *spans_.highest(is_empty);
    spans_.erase(s);
    end(s, at_once);
}

void shared_spans::give_empty(bool at_once) noexcept {
    while (empty_bytes_ != 0)
        give_highest_empty(at_once);
}

bool shared_spans::give_idle_empty() noexcept {
    if (empty_bytes_ == 0)
        return false;
    const std::uint64_t now = os::platform::now_ms();
    if (empty_since_ms_ == 0)
        empty_since_ms_ = now;
    if (now - empty_since_ms_ < idle_memory::delay_ms)
        return false;
    give_highest_empty(false);
    return true;
}

bool shared_spans::return_excess(std::size_t allowed) noexcept {
    if (bytes_resident() <= allowed) {
        idle_.end_excess();
        return false;
    }
    const std::uint64_t now = os::platform::now_ms();
    if (!idle_.is_due(now, bytes_resident(), bytes_taken(), allowed))
        return false;
    shared_span* const s = spans_.highest(is_resident);
    if (s != nullptr)
        idle_.note_given(purge(*s), now, bytes_taken());
    else
        idle_.give_up(); // all is in pieces that are not worth a call
    return s != nullptr;
}

void shared_spans::trim() noexcept {
    while (shared_span* const s = spans_.highest(is_resident))
        static_cast<void>(purge(*s));
}

/// Gives the pages of all free runs of a span to the system. A page that is shared with what is
/// taken stays. Returns how many bytes were resident.
std::size_t shared_spans::purge(shared_span& s) noexcept {
    const std::size_t page = os::platform::page_bytes();
    bits::for_each_clear_run(s.taken, 0, s.units, [&](std::size_t first, std::size_t end) {
        if (bits::all_set(s.clean, first, end - first))
            return;
        std::byte* const from = at(s, first) + padding_for(at(s, first), page);
        std::byte* const to = at(s, end) - address_of(at(s, end)) % page;
        if (from < to)
            upstream_.purge(from, static_cast<std::size_t>(to - from));
        bits::set_run(s.clean, first, end - first);
    });
    s.clean_from = static_cast<std::uint32_t>(bits::next_set(s.clean, 0, s.units));
    s.is_zero = false;
    const std::size_t gone = s.resident;
    resident_units_ -= gone;
    s.resident = 0;
    set_state(s);
    return gone * unit_bytes;
}

// ---- spans --------------------------------------------------------------------------------------

shared_span* shared_spans::make(std::size_t bytes, page_use use) noexcept {
    // A span that is a little longer than huge pages has that in small ones.
    const std::size_t huge = os::platform::huge_page_bytes();
    if (huge != 0 && bytes >= huge && bytes % huge == more_bytes)
        use = page_use::sparse;
    const lent_memory lent = upstream_.lend(bytes, alignment_, use);
    if (lent.p == nullptr)
        return nullptr;
    poison::no_access(lent.p, bytes);
    poison::undefined(lent.p, head_units * unit_bytes);
    auto* const s = ::new (lent.p) shared_span{};
    s->units = static_cast<std::uint32_t>(bytes / unit_bytes);
    s->is_zero = lent.is_zero;
    bits::set_run(s->taken, 0, head_units);
    bits::set_run(s->clean, head_units, s->units - head_units);
    s->clean_from = head_units;
    s->longest = static_cast<std::uint32_t>(s->units - head_units);
    s->longest_from[0] = static_cast<std::uint16_t>(s->longest);
    s->state = is_empty;
    spans_.insert(*s);
    reserved_ += bytes;
    empty_bytes_ += bytes;
    return s;
}

/// A span that is in no list any more.
void shared_spans::end(shared_span& s, bool at_once) noexcept {
    const std::size_t bytes = s.units * unit_bytes;
    resident_units_ -= s.resident;
    taken_units_ -= s.occupied;
    reserved_ -= bytes;
    if (s.occupied == 0)
        empty_bytes_ -= bytes;
    if (s.is_counted)
        empty_of_all.fetch_sub(bytes, std::memory_order_relaxed);
    poison::undefined(&s, bytes);
    upstream_.give_back(&s, bytes, alignment_, at_once);
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
