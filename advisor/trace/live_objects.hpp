// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "event.hpp"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace arenite::trace {

/// Which object lies at which address while events go by. Each object has a number, a slot, that
/// the next one gets after its death, and what the user keeps of it.
///
///     const auto change = live.apply(e, [](auto& object) { ... });
///
/// Cost:    O(1) an event.
/// Memory:  the objects that were live at once, times about two, and 16 bytes each.
/// Misuse:  what cannot be (a free of what was never seen, a birth where one lives) is counted.
template <class Kept>
class live_objects {
public:
    struct object {
        std::uint64_t address = 0; ///< 0: none
        std::uint64_t bytes = 0;
        Kept kept{};
    };
    /// The effect of an event. `slot` names the object; `before` is its size until then.
    struct change {
        enum kind { nothing, born, resized, died } what = nothing;
        std::uint32_t slot = 0;
        std::uint64_t before = 0;
        bool moved = false;
    };

    [[nodiscard]] std::uint64_t live_bytes() const noexcept { return live_bytes_; }
    [[nodiscard]] std::size_t live_count() const noexcept { return count_; }
    [[nodiscard]] std::size_t slots() const noexcept { return objects_.size(); }
    [[nodiscard]] object& at(std::uint32_t slot) noexcept { return objects_[slot]; }
    [[nodiscard]] std::uint64_t never_seen() const noexcept { return never_seen_; }
    [[nodiscard]] std::uint64_t never_freed() const noexcept { return never_freed_; }

    /// The slot of the object that an address lies in; no_object where none does. Small objects are
    /// looked for from the address downwards, in steps of 8 bytes.
    [[nodiscard]] std::uint32_t slot_holding(std::uint64_t address) const noexcept {
        if (const auto next = large_.upper_bound(address); next != large_.begin()) {
            const std::uint32_t slot = std::prev(next)->second;
            if (address - objects_[slot].address < objects_[slot].bytes)
                return slot;
        }
        for (std::uint64_t at = address & ~std::uint64_t{7}, n = 0; n <= largest_small; n += 8) {
            if (const std::uint32_t slot = at < n ? none : find(at - n); slot != none)
                return address - objects_[slot].address < objects_[slot].bytes ? slot : none;
        }
        return none;
    }
    static constexpr std::uint32_t no_object = UINT32_MAX;

    /// Calls `ends` with the slot of an object whose free is missing, before another takes its
    /// place.
    template <class Ends>
    change apply(const event& e, Ends ends) {
        if (is_allocation(e.what))
            return give_birth(e, ends);
        if (is_free(e.what))
            return end(e.address);
        if (e.what == op::resize_begins) {
            if (const std::uint32_t slot = take(e.address); slot != none)
                resizing_[e.thread] = slot;
            else
                ++never_seen_;
            return {};
        }
        return e.what == op::realloc ? resize(e, ends) : change{};
    }
    change apply(const event& e) {
        return apply(e, [](std::uint32_t) {});
    }

    template <class F>
    void each_live(F f) {
        for (std::uint32_t slot = 0; slot < objects_.size(); ++slot)
            if (objects_[slot].address != 0)
                f(slot, objects_[slot]);
    }

private:
    static constexpr std::uint32_t none = no_object;
    static constexpr std::uint64_t largest_small = 2048;

    [[nodiscard]] std::size_t place_of(std::uint64_t address) const noexcept {
        return static_cast<std::size_t>((address >> 3) * 0x9E3779B97F4A7C15u >> shift_);
    }

    /// Takes the address out of the table, and gives the slot that was there.
    std::uint32_t take(std::uint64_t address) noexcept {
        if (table_.empty())
            return none;
        const std::size_t mask = table_.size() - 1;
        std::size_t at = place_of(address);
        for (; table_[at] != 0; at = (at + 1) & mask)
            if (objects_[table_[at] - 1].address == address)
                break;
        if (table_[at] == 0)
            return none;
        const std::uint32_t slot = table_[at] - 1;
        for (std::size_t next = at;;) { // what followed closes the gap
            next = (next + 1) & mask;
            if (table_[next] == 0)
                break;
            const std::size_t home = place_of(objects_[table_[next] - 1].address);
            if (at <= next ? at < home && home <= next : at < home || home <= next)
                continue;
            table_[at] = table_[next];
            at = next;
        }
        table_[at] = 0;
        --in_table_;
        if (objects_[slot].bytes > largest_small)
            large_.erase(address);
        return slot;
    }

    [[nodiscard]] std::uint32_t find(std::uint64_t address) const noexcept {
        if (table_.empty())
            return none;
        const std::size_t mask = table_.size() - 1;
        for (std::size_t at = place_of(address); table_[at] != 0; at = (at + 1) & mask)
            if (objects_[table_[at] - 1].address == address)
                return table_[at] - 1;
        return none;
    }

    void enter(std::uint32_t slot) {
        if ((in_table_ + 1) * 2 > table_.size())
            grow();
        const std::size_t mask = table_.size() - 1;
        std::size_t at = place_of(objects_[slot].address);
        while (table_[at] != 0)
            at = (at + 1) & mask;
        table_[at] = slot + 1;
        ++in_table_;
        if (objects_[slot].bytes > largest_small)
            large_[objects_[slot].address] = slot;
    }

    void grow() {
        std::vector<std::uint32_t> old(table_.empty() ? 1024 : table_.size() * 2);
        old.swap(table_);
        shift_ = 64;
        for (std::size_t n = table_.size(); n > 1; n /= 2)
            --shift_;
        in_table_ = 0;
        for (const std::uint32_t entry : old)
            if (entry != 0)
                enter(entry - 1);
    }

    template <class Ends>
    void end_what_is_at(std::uint64_t address, Ends ends) {
        if (find(address) == none)
            return;
        ++never_freed_;
        ends(find(address));
        (void)end(address);
    }

    template <class Ends>
    change give_birth(const event& e, Ends ends) {
        end_what_is_at(e.address, ends);
        std::uint32_t slot;
        if (spare_.empty()) {
            slot = static_cast<std::uint32_t>(objects_.size());
            objects_.emplace_back();
        } else {
            slot = spare_.back();
            spare_.pop_back();
        }
        objects_[slot] = {e.address, e.bytes, {}};
        enter(slot);
        live_bytes_ += e.bytes;
        ++count_;
        return {change::born, slot, 0, false};
    }

    change end(std::uint64_t address) {
        const std::uint32_t slot = take(address);
        if (slot == none) {
            ++never_seen_;
            return {};
        }
        objects_[slot].address = 0;
        live_bytes_ -= objects_[slot].bytes;
        --count_;
        spare_.push_back(slot);
        return {change::died, slot, objects_[slot].bytes, false};
    }

    template <class Ends>
    change resize(const event& e, Ends ends) {
        std::uint32_t slot = none;
        if (e.old_address != 0) {
            slot = take(e.old_address);
        } else if (const auto begun = resizing_.find(e.thread); begun != resizing_.end()) {
            slot = begun->second;
            resizing_.erase(begun);
        }
        if (slot == none) {
            ++never_seen_;
            return e.bytes == bytes_as_before ? change{} : give_birth(e, ends);
        }
        object& o = objects_[slot];
        const change made{change::resized, slot, o.bytes, o.address != e.address};
        end_what_is_at(e.address, ends);
        object& moved = objects_[slot];
        moved.address = e.address;
        if (e.bytes != bytes_as_before) {
            live_bytes_ += e.bytes - moved.bytes;
            moved.bytes = e.bytes;
        }
        enter(slot);
        return made;
    }

    std::vector<object> objects_;
    std::vector<std::uint32_t> spare_, table_; ///< table: slot + 1 by address, 0: none
    std::unordered_map<std::uint32_t, std::uint32_t> resizing_; ///< by thread
    std::map<std::uint64_t, std::uint32_t> large_;              ///< slots by address
    std::size_t in_table_ = 0, count_ = 0;
    unsigned shift_ = 64;
    std::uint64_t live_bytes_ = 0, never_seen_ = 0, never_freed_ = 0;
};

} // namespace arenite::trace
