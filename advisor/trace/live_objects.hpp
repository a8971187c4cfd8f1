// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "event.hpp"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace arenite::trace {

/// Which object lies at which address while events go by. Each object has a number, a slot, that
/// the next one gets after its death, and what the user keeps of it.
///
///     const auto change = live.apply(e, [](auto& object) { ... });
///
/// Cost:    O(1) an event; with a million live objects, which no cache holds, two lines of memory:
///          one of the table, whose entries hold a part of the address, and the object. Who knows
///          what comes asks for both before: look_ahead.
/// Memory:  the objects that were live at once, and 16 to 32 bytes each.
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

    /// Asks the processor for what events that are about to come will look at: called with these,
    /// the next first, before each.
    void look_ahead(std::span<const event> coming) const noexcept {
        asm volatile(""); // g++ leaves out calls of functions that do no more than what follows
        if (table_.empty())
            return;
        if (coming.size() > far)
            __builtin_prefetch(&table_[home_of(hash_of(coming[far].address))]);
        if (coming.size() <= near || !is_free(coming[near].what))
            return; // a birth takes the slot that was freed last
        if (const std::uint64_t entry = table_[home_of(hash_of(coming[near].address))]; entry != 0)
            __builtin_prefetch(&objects_[slot_of(entry)]);
    }

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

    /// Where no event comes any more: gives the memory back, and keeps the counts.
    void forget() noexcept {
        std::vector<object>{}.swap(objects_);
        std::vector<std::uint64_t>{}.swap(table_);
        std::vector<std::uint32_t>{}.swap(spare_);
        large_.clear();
        resizing_.clear();
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
    static constexpr std::size_t far = 16, near = 8; ///< events

    // An entry of the table: 32 bits of the address's hash, which tell its home and nearly always
    // that it is another's, and 1 + the slot.
    [[nodiscard]] static std::uint64_t hash_of(std::uint64_t address) noexcept {
        return (address >> 3) * 0x9E3779B97F4A7C15u >> 32;
    }
    [[nodiscard]] static std::uint32_t slot_of(std::uint64_t entry) noexcept {
        return static_cast<std::uint32_t>(entry) - 1;
    }
    [[nodiscard]] std::size_t home_of(std::uint64_t hash) const noexcept {
        return static_cast<std::size_t>(hash >> shift_);
    }

    /// Where the address stands in the table, which is not empty; where 0 stands, it is not there.
    [[nodiscard]] std::size_t place_of(std::uint64_t address) const noexcept {
        const std::size_t mask = table_.size() - 1;
        const std::uint64_t hash = hash_of(address);
        std::size_t at = home_of(hash);
        while (table_[at] != 0 &&
               (table_[at] >> 32 != hash || objects_[slot_of(table_[at])].address != address))
            at = (at + 1) & mask;
        return at;
    }

    /// Takes the address out of the table, and gives the slot that was there.
    std::uint32_t take(std::uint64_t address) noexcept {
        if (table_.empty())
            return none;
        const std::size_t mask = table_.size() - 1;
        std::size_t at = place_of(address);
        if (table_[at] == 0)
            return none;
        const std::uint32_t slot = slot_of(table_[at]);
        for (std::size_t next = at;;) { // what followed closes the gap
            next = (next + 1) & mask;
            if (table_[next] == 0)
                break;
            const std::size_t home = home_of(table_[next] >> 32);
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
        const std::uint64_t entry = table_[place_of(address)];
        return entry == 0 ? none : slot_of(entry);
    }

    void enter(std::uint32_t slot) {
        if ((in_table_ + 1) * 2 > table_.size())
            grow();
        put(hash_of(objects_[slot].address) << 32 | (slot + std::uint64_t{1}));
        ++in_table_;
        if (objects_[slot].bytes > largest_small)
            large_[objects_[slot].address] = slot;
    }

    void put(std::uint64_t entry) {
        const std::size_t mask = table_.size() - 1;
        std::size_t at = home_of(entry >> 32);
        while (table_[at] != 0)
            at = (at + 1) & mask;
        table_[at] = entry;
    }

    void grow() {
        std::vector<std::uint64_t> old(table_.empty() ? 1024 : table_.size() * 2);
        old.swap(table_);
        shift_ = 32;
        for (std::size_t n = table_.size(); n > 1; n /= 2)
            --shift_;
        for (const std::uint64_t entry : old)
            if (entry != 0)
                put(entry);
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
    std::vector<std::uint64_t> table_; ///< by address; 0: none
    std::vector<std::uint32_t> spare_;
    std::unordered_map<std::uint32_t, std::uint32_t> resizing_; ///< by thread
    std::map<std::uint64_t, std::uint32_t> large_;              ///< slots by address
    std::size_t in_table_ = 0, count_ = 0;
    unsigned shift_ = 32;
    std::uint64_t live_bytes_ = 0, never_seen_ = 0, never_freed_ = 0;
};

} // namespace arenite::trace
