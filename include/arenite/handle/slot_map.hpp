// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/resource.hpp>
#include <arenite/core/system_resource.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/handle/slot_key.hpp>
#include <arenite/stl/resource_allocator.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace arenite {
inline namespace ARENITE_ABI {

/// Values in a dense array, found by keys that detect whether their value is gone.
///
///     key      | slot | generation |
///                  |
///     slots    | generation, place | ... |          8 bytes a value
///                              |
///     values   | a | b | c | d | ... |              dense: the last one fills the gap
///
///     slot_map<particle> particles;
///     const auto key = particles.emplace(args...);
///     if (particle* p = particles.find(key))
///         p->age = 0;
///     for (particle& p : particles)
///         ++p.age;
///
/// Use when:  values of one type are referred to from outside and iterated often, as entities and
///            their components, and may move whenever another is erased. For objects that refer to
///            each other, in an order of your own: handle/compacting_heap.hpp.
/// Cost:      find two loads; emplace O(1) amortised; erase O(1), one move.
/// Overhead:  12 bytes a value, plus the spare capacity of its vectors.
/// Limits:    2^32 - 1 values that can be moved without failing. A slot is retired after 2^31 uses,
///            so a key never recurs.
/// Misuse:    a key of another map may find any value, as an index would. A moved-from map is
///            empty and begins anew: its keys may equal those that it gave before, which belong to
///            the other map now. After `a = std::move(b)` the former keys of `a` are another map's.
/// Threads:   one at a time changes it; const functions from any number while none does.
/// Failure:   emplace throws what the allocator or the constructor throws; nothing changes.
///
/// Pointers are valid until the next erase or sort, or an emplace beyond what reserve() made room
/// for.
template <class T>
class slot_map final {
    static_assert(std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T>,
                  "the values of a slot_map have a move constructor and a move assignment that are "
                  "noexcept, since the last one takes the place of one that is erased");

public:
    using key = slot_key<T>;

    explicit slot_map(upstream source = &system_resource()) noexcept
        : values_{source.get()}, slot_of_{source.get()}, slots_{source.get()} {}

    slot_map(const slot_map&) = delete;
    slot_map& operator=(const slot_map&) = delete;

    slot_map(slot_map&& other) noexcept
        : values_{std::move(other.values_)}, slot_of_{std::move(other.slot_of_)},
          slots_{std::move(other.slots_)}, free_{std::exchange(other.free_, none)} {}

    /// Existing values are erased; the upstream stays. If the other's upstream differs, the values
    /// are moved one by one into newly requested memory; if there is none, nothing changes.
    slot_map& operator=(slot_map&& other) {
        if (this == &other)
            return *this;
        slot_map taken{values_.get_allocator().resource()};
        if (values_.get_allocator() == other.values_.get_allocator()) {
            taken.swap(other);
        } else {
            taken.reserve(other.size());
            taken.slots_ = other.slots_;
            taken.slot_of_ = other.slot_of_;
            for (T& value : other.values_)
                taken.values_.push_back(std::move(value));
            taken.free_ = other.free_;
            slot_map{std::move(other)}; // which is empty afterwards
        }
        swap(taken);
        return *this;
    }

    /// Exchanges the upstreams, too.
    void swap(slot_map& other) noexcept {
        values_.swap(other.values_);
        slot_of_.swap(other.slot_of_);
        slots_.swap(other.slots_);
        std::swap(free_, other.free_);
    }
    friend void swap(slot_map& a, slot_map& b) noexcept { a.swap(b); }

    /// Makes room for `values` values in total: until there are more, nothing is requested from the
    /// upstream. Throws what the allocator throws; nothing changes.
    void reserve(std::size_t values) {
        slots_.reserve(values);
        slot_of_.reserve(values);
        values_.reserve(values);
    }

    template <class... Args>
    key emplace(Args&&... args) {
        if (values_.size() ==
            slot_of_.capacity()) // all that may fail comes before anything changes
            slot_of_.reserve(values_.empty() ? 16 : 2 * values_.size());
        const std::uint32_t slot = free_ != none ? free_ : make_slot();
        values_.emplace_back(std::forward<Args>(args)...);
        entry& e = slots_[slot];
        free_ = e.place;
        e.place = static_cast<std::uint32_t>(values_.size() - 1);
        ++e.generation;
        slot_of_.push_back(slot);
        return {slot, e.generation};
    }

    /// Returns false, and does nothing, if the value is already gone.
    bool erase(key k) noexcept {
        if (!contains(k))
            return false;
        entry& e = slots_[k.slot];
        const std::uint32_t place = e.place;
        if (place != values_.size() - 1) {
            values_[place] = std::move(values_.back());
            slot_of_[place] = slot_of_.back();
            slots_[slot_of_[place]].place = place;
        }
        values_.pop_back();
        slot_of_.pop_back();
        if (++e.generation != 0) { // otherwise the slot is retired
            e.place = free_;
            free_ = k.slot;
        }
        return true;
    }

    [[nodiscard]] bool contains(key k) const noexcept {
        return k.generation % 2 != 0 && k.slot < slots_.size() &&
               slots_[k.slot].generation == k.generation;
    }

    /// The value, or nullptr if it is gone.
    [[nodiscard]] T* find(key k) noexcept {
        return contains(k) ? std::addressof(values_[slots_[k.slot].place]) : nullptr;
    }
    [[nodiscard]] const T* find(key k) const noexcept {
        return contains(k) ? std::addressof(values_[slots_[k.slot].place]) : nullptr;
    }

    /// The value, which must exist.
    [[nodiscard]] T& operator[](key k) noexcept {
        ARENITE_ASSERT(contains(k), "the value of this key is gone");
        return values_[slots_[k.slot].place];
    }
    [[nodiscard]] const T& operator[](key k) const noexcept {
        ARENITE_ASSERT(contains(k), "the value of this key is gone");
        return values_[slots_[k.slot].place];
    }

    /// All values, in unspecified order: the map is a range of them.
    [[nodiscard]] T* begin() noexcept { return values_.data(); }
    [[nodiscard]] T* end() noexcept { return values_.data() + values_.size(); }
    [[nodiscard]] const T* begin() const noexcept { return values_.data(); }
    [[nodiscard]] const T* end() const noexcept { return values_.data() + values_.size(); }
    [[nodiscard]] std::span<T> values() noexcept { return values_; }
    [[nodiscard]] std::span<const T> values() const noexcept { return values_; }

    /// The key of a value, given its index in values().
    [[nodiscard]] key key_at(std::size_t index) const noexcept {
        ARENITE_ASSERT(index < values_.size(), "there are not so many values");
        return {slot_of_[index], slots_[slot_of_[index]].generation};
    }

    [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }
    [[nodiscard]] bool empty() const noexcept { return values_.empty(); }

    /// Sorts the values by less(const T&, const T&), which may throw; then nothing has changed.
    /// Keys stay valid. Requests no memory. O(n log n), each value is moved once or twice; where
    /// less throws, O(slots) besides: as many as there ever were values at once.
    template <class Less>
    void sort(Less less) {
        struct guard { // restores the previous order if less() throws
            slot_map& map;
            bool sorted = false;
            ~guard() {
                if (!sorted)
                    map.find_slots();
            }
        };
        guard half_sorted{*this};
        const auto& value = std::as_const(values_);
        std::sort(slot_of_.begin(), slot_of_.end(), [&](std::uint32_t a, std::uint32_t b) {
            return less(value[slots_[a].place], value[slots_[b].place]);
        });
        half_sorted.sorted = true;
        for (std::uint32_t i = 0; i != values_.size(); ++i) {
            if (slots_[slot_of_[i]].place != i)
                rotate_from(i);
        }
    }

    /// Erases all values; their keys find nothing.
    void clear() noexcept {
        while (!values_.empty())
            erase(key_at(values_.size() - 1));
    }

private:
    struct entry {
        std::uint32_t generation; ///< even while the slot is free
        std::uint32_t place;      ///< of the value; or the next free slot
    };
    /// std::uint32_t, named by way of T: so its vectors are made with a map, not with this header.
    using slot_number = std::enable_if_t<(sizeof(T) != 0), std::uint32_t>;
    template <class U>
    using list = std::vector<U, resource_allocator<U, resource>>;

    static constexpr std::uint32_t none = ~std::uint32_t{0};

    /// Adds a free slot.
    std::uint32_t make_slot() {
        ARENITE_ASSERT(slots_.size() < none, "a slot_map has at most 2^32 - 1 values");
        slots_.push_back({0, none});
        return free_ = static_cast<std::uint32_t>(slots_.size() - 1);
    }

    /// Finds each value's slot, from the places that the slots hold.
    void find_slots() noexcept {
        for (std::uint32_t slot = 0; slot != slots_.size(); ++slot) {
            if (slots_[slot].generation % 2 != 0)
                slot_of_[slots_[slot].place] = slot;
        }
    }

    /// Moves the value that belongs to place i there, and goes on with the value that was there.
    void rotate_from(std::uint32_t i) noexcept {
        T first = std::move(values_[i]);
        for (std::uint32_t to = i;;) {
            const std::uint32_t from = std::exchange(slots_[slot_of_[to]].place, to);
            if (from == i) {
                values_[to] = std::move(first);
                return;
            }
            values_[to] = std::move(values_[from]);
            to = from;
        }
    }

    list<T> values_;
    list<slot_number> slot_of_; ///< slot of each value
    list<entry> slots_;
    std::uint32_t free_ = none;
};

} // namespace ARENITE_ABI
} // namespace arenite
