// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// One size of slots: from word to word, from slab to slab, and the books of slabs that are not
// allocated from. slab_heap.hpp draws the order in which a request tries them. Read enter(),
// next_word() and leave_current() first: a slab's used() is not kept while its class allocates from
// it, so that an inlined allocation writes only a bit and live_; leave_current() counts the bits.
// set_alarm() then decides when a free has to look at the slab again: frees count down to the
// alarm, and only the one that reaches it takes a slow path.
#include <arenite/ordered/detail/slab_class.hpp>

#include <arenite/ordered/detail/slab.hpp>
#include <arenite/ordered/detail/slab_source.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

static_assert(sizeof(slab_class) == size_class::state_bytes);

/// A class without a slab allocates from this word, so that the fast path needs no test for null:
/// it finds no bit and goes the slow way. Never written.
constinit bits::word slab_class::no_slots = 0;

// ---- slots --------------------------------------------------------------------------------------

void slab_class::take_slots(slab& s, std::size_t first, std::size_t n) noexcept {
    bits::clear_run(s.bitmap(), first, n);
    live_ += static_cast<std::int64_t>(n);
    // The current slab's count is made when it is left.
    if (&s != current_)
        s.add_used(static_cast<std::int32_t>(n));
}

void slab_class::free_slots(slab& s, std::size_t first, std::size_t n) noexcept {
    bits::set_run(s.bitmap(), first, n);
    live_ -= static_cast<std::int64_t>(n);
    s.add_used(-static_cast<std::int32_t>(n));
}

std::size_t slab_class::free_word(slab& s, std::size_t word, bits::word freed) noexcept {
    s.bitmap()[word] |= freed;
    const std::size_t n = bits::count_ones(freed);
    live_ -= static_cast<std::int64_t>(n);
    s.add_used(-static_cast<std::int32_t>(n));
    return n;
}

// ---- slabs --------------------------------------------------------------------------------------

void slab_class::add(slab& s) noexcept {
    s.its_class = this;
    units_ += s.units;
    all_.insert(s);
    if (s.is_page())
        count_pages(pages_ + 1);
}

void slab_class::remove(slab& s) noexcept {
    units_ -= s.units;
    all_.erase(s);
    if (s.is_page())
        count_pages(pages_ - 1);
}

/// A class that has pages does not go on in units, whose frees take longer: those come free.
void slab_class::count_pages(std::uint32_t now) noexcept {
    const bool other = (pages_ == 0) != (now == 0);
    pages_ = now;
    if (!other)
        return;
    for (slab* s = all_.first(); s != nullptr; s = all_.above(*s))
        // The current one gets its alarm when it is left.
        if (!s->is_page() && s != current_)
            set_alarm(*s);
}

void slab_class::enter(slab& s, const slab_source& in, std::int32_t frees) noexcept {
    // To those who look for a slab with room, the current one has none.
    all_.set_state(s, slab_state::full);
    current_ = &s;
    watch_current(frees);
    open_words_ = 0;
    static_cast<void>(open_more(s));
    static_cast<void>(enter_word(s, 0, in));
}

/// Until a quarter of what is open is free: true; or all is open.
bool slab_class::open_more(const slab& s) noexcept {
    constexpr std::size_t least_bytes = 4096;
    constexpr std::size_t least_share = 4;
    const bits::word* const words = s.bitmap();
    const std::size_t all = s.words();
    std::size_t open = open_words_;
    if (all == 1) { // most slabs of large slots: nothing is to be counted
        open_words_ = 1;
        return false;
    }
    if (open == 0)
        open = std::clamp<std::size_t>(least_bytes / (bits::word_bits * s.slot_bytes), 1, all);
    std::size_t free = 0;
    for (std::size_t i = 0;; open = std::min(2 * open, all)) {
        for (; i < open; ++i)
            free += words[i] == 0 ? 0 : bits::count_ones(words[i]);
        open_words_ = static_cast<std::uint16_t>(open);
        if (free * least_share >= std::min<std::size_t>(open * bits::word_bits, s.slots))
            return true;
        if (open == all)
            return false;
    }
}

bool slab_class::next_word(const slab_source& in) noexcept {
    if (current_ == nullptr)
        return false;
    const slab& s = *current_;
    // From the current one on: its next slot may not have been free where another one is.
    const auto from = static_cast<std::size_t>(free_ - s.bitmap());
    if (enter_word(s, from, in))
        return true;
    const std::size_t open = open_words_;
    const bool has_room = open_more(s);
    if (open_words_ != open)
        return enter_word(s, open, in);
    // If another slab has room, the lowest one is next.
    return has_room && !all_.has(slab_state::refillable) && enter_word(s, 0, in);
}

/// Allocates from the first open word at or after this one that has a free slot.
bool slab_class::enter_word(const slab& s, std::size_t from, const slab_source& in) noexcept {
    bits::word* const words = slab_source::words_of(s);
    const std::size_t end = open_words_;
    for (std::size_t i = from; i < end; ++i) {
        if (words[i] == 0)
            continue;
        free_ = words + i;
        aim(words[i]);
        first_ = in.begin_of(s) + i * bits::word_bits * slot_bytes_;
        return true;
    }
    return false;
}

void slab_class::watch_current(std::int32_t frees) noexcept {
    slab& s = *current_;
    // Allocations from it are not counted: frees bring its count ever lower. It is made anew long
    // before it wraps, and seldom: that takes as long as some frees.
    constexpr std::int32_t least = -1024;
    const std::int32_t used = s.used() < least ? count_used(s) : s.used();
    s.alarm_at(used, used - frees);
}

void slab_class::go_on_in(slab& fresh, const slab_source& in, std::int32_t frees) noexcept {
    leave_current();
    add(fresh);
    enter(fresh, in, frees);
}

void slab_class::leave_current() noexcept {
    if (current_ == nullptr)
        return;
    slab& s = *std::exchange(current_, nullptr);
    // From here on an inlined allocation of this class finds nothing, until enter().
    free_ = &no_slots;
    s.alarm_at(count_used(s), 0);
    set_alarm(s);
}

std::int32_t slab_class::count_used(const slab& s) noexcept {
    const bits::word* const words = s.bitmap();
    std::size_t free = 0;
    for (std::size_t i = 0; i < s.words(); ++i)
        free += words[i] == 0 ? 0 : bits::count_ones(words[i]);
    return static_cast<std::int32_t>(s.slots - free);
}

void slab_class::set_alarm(slab& s) noexcept {
    auto state = static_cast<std::uint16_t>(s.state & slab_state::donating);
    const std::int32_t used = s.used();
    // Due only when empty, and never refilled: the class goes on in pages.
    if (!s.is_page() && pages_ != 0) {
        s.alarm_at(used, 0);
    } else if (used > s.refill_alarm()) {
        s.alarm_at(used, s.refill_alarm());
    } else if (used > s.sparse_alarm()) {
        state |= slab_state::refillable;
        s.alarm_at(used, s.sparse_alarm());
    } else {
        state |= slab_state::refillable | (used == 0 ? slab_state::full : slab_state::sparse);
        s.alarm_at(used, 0);
    }
    all_.set_state(s, state);
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
