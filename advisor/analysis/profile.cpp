// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "profile.hpp"

#include <algorithm>
#include <bit>

namespace arenite::advisor {
namespace {

std::size_t bucket(std::uint64_t n) {
    return std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(n)), profile::buckets - 1);
}

} // namespace

profile::profile(trace::source& from) {
    trace::read_all(
        from, [&](const trace::event& e) { take(e); },
        [&](const trace::observation& o) { take(o); },
        [&](std::span<const trace::event> coming) { live_.look_ahead(coming); });
    live_.forget(); // what replays take comes on top
}

void profile::take(const trace::observation& seen) {
    touched_.take(seen, [&](std::uint64_t address) -> touched_object {
        const std::uint32_t slot = live_.slot_holding(address);
        if (slot == live_.no_object)
            return {};
        const auto& o = live_.at(slot);
        return {true, o.kept.stack, slot, o.kept.born};
    });
}

stack_profile& profile::stack(std::uint32_t number) {
    if (number >= stacks_.size())
        stacks_.resize(std::size_t{number} + 1);
    return stacks_[number];
}

void profile::take(const trace::event& e) {
    ++events_;
    ++by_op_[static_cast<std::size_t>(e.what) & 15];
    last_time_ = std::max(last_time_, e.time);
    threads_ = std::max<std::size_t>(threads_, std::size_t{e.thread} + 1);
    const auto change =
        live_.apply(e, [&](std::uint32_t slot) { note_death(slot, trace::event{}); });
    using kind = decltype(change);
    switch (change.what) {
    case kind::born:
        note_birth(change.slot, e);
        break;
    case kind::resized:
        note_resize(change.slot, change.before, change.moved, e);
        break;
    case kind::died:
        touched_.take_free(e.thread, change.slot, live_.at(change.slot).kept.born);
        note_death(change.slot, e);
        break;
    default:
        break;
    }
    if (e.what == trace::op::mark)
        touched_.take_mark();
    else if (change.what != kind::died)
        touched_.take_event(e.thread);
    if (live_.live_bytes() > peak_bytes_) {
        peak_bytes_ = live_.live_bytes();
        // Noting what each stack holds takes long: at each further 2 percent.
        if (peak_bytes_ > noted_peak_ + noted_peak_ / 50) {
            noted_peak_ = peak_bytes_;
            for (stack_profile& s : stacks_)
                s.bytes_at_peak = s.live_bytes;
        }
    }
}

void profile::note_birth(std::uint32_t slot, const trace::event& e) {
    stack_profile& s = stack(e.stack);
    live_.at(slot).kept = {events_,  events_, e.stack,
                           e.thread, 0,       static_cast<std::uint32_t>(marks())};
    ++s.allocations;
    s.bytes += e.bytes;
    s.smallest = std::min(s.smallest, e.bytes);
    s.largest = std::max(s.largest, e.bytes);
    s.live_bytes += e.bytes;
    s.peak_bytes = std::max(s.peak_bytes, s.live_bytes);
    ++sizes_[bucket(e.bytes)];
    latest_.note(slot, events_, e.bytes);
    freed_stack_ = UINT32_MAX;
}

void profile::note_link(stack_profile& of, kept& longer, std::uint32_t steps, std::uint64_t bytes) {
    longer.chain = steps + 1;
    ++of.links;
    of.copied += bytes;
    of.longest_chain = std::max<std::uint64_t>(of.longest_chain, longer.chain);
}

void profile::note_resize(std::uint32_t slot, std::uint64_t before, bool moved,
                          const trace::event& e) {
    kept& k = live_.at(slot).kept;
    k.sized = events_;
    const std::uint64_t now = live_.at(slot).bytes;
    stack_profile& old = stack(k.stack);
    old.live_bytes -= before;
    if (e.stack != 0)
        k.stack = e.stack; // who grew it last holds it
    stack_profile& s = stack(k.stack);
    if (e.stack != 0) {
        ++s.allocations;
        s.bytes += now > before ? now - before : 0;
        s.smallest = std::min(s.smallest, now);
        s.largest = std::max(s.largest, now);
    }
    s.live_bytes += now;
    s.peak_bytes = std::max(s.peak_bytes, s.live_bytes);
    if (trace::is_growth_step(before, now)) {
        note_link(s, k, k.chain, before);
        (moved ? s.moved : s.stayed) += before;
    }
    freed_stack_ = UINT32_MAX;
}

void profile::note_death(std::uint32_t slot, const trace::event& e) {
    const auto& o = live_.at(slot);
    const kept& k = o.kept;
    stack_profile& s = stack(k.stack);
    ++s.frees;
    s.live_bytes -= o.bytes;
    const std::uint64_t lived = events_ - k.born;
    ++lives_[bucket(lived)];
    s.short_lived += lived <= short_life;
    s.died_in_frame += k.frame == static_cast<std::uint32_t>(marks());
    s.freed_by_others += e.thread != k.thread;
    s.freed_in_runs += freed_stack_ == k.stack;
    freed_stack_ = k.stack;
    const auto is_longer_copy = [&](std::uint32_t newer, std::uint64_t born) {
        const auto& n = live_.at(newer);
        return newer != slot && n.address != 0 && n.kept.born == born && born > k.sized &&
               n.kept.chain == 0 && trace::is_growth_step(o.bytes, n.bytes);
    };
    const std::uint32_t longer =
        trace::is_large(o.bytes) ? latest_.find(events_, is_longer_copy) : UINT32_MAX;
    if (longer != UINT32_MAX) {
        kept& n = live_.at(longer).kept;
        note_link(stacks_[n.stack], n, k.chain, o.bytes);
    }
}

std::uint64_t profile::allocations() const noexcept {
    using o = trace::op;
    return count(o::malloc) + count(o::calloc) + count(o::memalign) + count(o::new_object) +
           count(o::new_array);
}
std::uint64_t profile::frees() const noexcept {
    using o = trace::op;
    return count(o::free) + count(o::delete_object) + count(o::delete_array);
}

} // namespace arenite::advisor
