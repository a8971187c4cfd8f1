// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/ordered/detail/size_class.hpp>
#include <arenite/ordered/detail/slab_class.hpp>

#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

class block_source;

/// The size classes of a heap, and its books: what is in use, by class and in all. Large objects
/// are counted by its block_source, which is asked for them.
///
///     bytes in use == sum of live * slot_bytes + single bytes + large bytes
///
/// An object over joined slots counts as so many objects of the slots' class, and in `joined_` as
/// one less.
///
/// Threads:   one at a time, as its heap; what is approximate by any.
class slab_classes {
public:
    constexpr slab_classes() noexcept { begin(); }

    /// Forgets all slabs and objects, but not the high water.
    constexpr void begin() noexcept;

    [[nodiscard]] ARENITE_INLINE slab_class& operator[](unsigned number) noexcept {
        return all_[number];
    }
    [[nodiscard]] const slab_class& operator[](unsigned number) const noexcept {
        return all_[number];
    }
    /// A slot of the class at this offset, see size_class::offset_of_listed; nullptr where none
    /// lies ready.
    [[nodiscard]] ARENITE_INLINE void* try_take_at(std::size_t offset) noexcept {
        auto& its = *reinterpret_cast<slab_class*>(reinterpret_cast<std::byte*>(all_) + offset);
        return its.try_take(static_cast<unsigned>(offset / size_class::state_bytes));
    }
    /// The class of a slab that was entered.
    [[nodiscard]] ARENITE_INLINE static slab_class& of(const slab& s) noexcept;

    /// Enters a slab without slots in use in its class.
    void add(slab& s) noexcept;

    /// True where no object of any class lives.
    [[nodiscard]] bool none_live() noexcept;

    /// Enters a slot of its own, which is in use.
    ARENITE_INLINE void add_single(slab& s) noexcept;
    void remove_single(std::size_t bytes) noexcept { single_bytes_ -= bytes; }

    /// Counts objects over joined slots: what they have more slots than there are objects.
    void add_joined(std::int64_t slots) noexcept { joined_ += slots; }

    /// Counts an object of another heap that was freed here: for usage_approximate(), until that
    /// heap has seen it and took it off its own books.
    void count_foreign_free(std::size_t bytes) noexcept { settle(-1, -bytes_of(bytes)); }
    /// Counts objects of this heap whose free by another was seen.
    void count_drained(std::size_t objects, std::size_t bytes) noexcept {
        settle(static_cast<std::int64_t>(objects), bytes_of(bytes));
    }

    [[nodiscard]] std::size_t bytes_in_use(const block_source& blocks) const noexcept;
    /// Returns bytes_in_use().
    std::size_t note_high_water(const block_source& blocks) noexcept;
    /// Before a slab of so many bytes is allocated from: notes the high water, where the slabs
    /// since it was noted last had more than a quarter of what was in use then, or than 32 KiB. The
    /// sum over all classes takes as long as making a small slab does otherwise.
    void note_growth(std::size_t bytes, const block_source& blocks) noexcept;
    /// True where objects with memory of their own make a new high water, if slots have as much in
    /// use as when it was noted last. `large_bytes`: in use by large objects.
    [[nodiscard]] bool is_highest(std::size_t large_bytes) const noexcept {
        return single_bytes_ + large_bytes > most_own_bytes_;
    }
    [[nodiscard]] std::size_t high_water_approximate() const noexcept {
        return glance(high_water_);
    }
    [[nodiscard]] arenite::usage usage_approximate(const block_source& blocks) const noexcept;

private:
    static constexpr std::size_t most_not_noted = std::size_t{32} << 10;

    static std::int64_t bytes_of(std::size_t bytes) noexcept {
        return static_cast<std::int64_t>(bytes);
    }
    void settle(std::int64_t objects, std::int64_t bytes) noexcept {
        settled_ += objects;
        settled_bytes_ += bytes;
    }

    slab_class all_[size_class::count + 1];
    std::size_t single_bytes_ = 0; ///< in use by slots of their own
    std::size_t high_water_ = 0;
    std::size_t most_own_bytes_ = 0; ///< high_water_ less what slots had when it was noted last
    /// Slabs of so many bytes may still come before the high water is noted; below 0: it is due.
    std::int64_t not_noted_left_ = 0;
    /// A bit for each class that has or had slabs: only they are summed.
    std::uint64_t have_slabs_ = 0;
    unsigned lived_ = 0; ///< a class of which an object lived when that was asked

    // Own objects whose frees by other threads were seen, less objects of other heaps freed here.
    // Summed over all heaps: minus the frees that are not seen yet.
    std::int64_t settled_ = 0;
    std::int64_t settled_bytes_ = 0;
    std::int64_t joined_ = 0; ///< slots that are not the first of their object
};

constexpr void slab_classes::begin() noexcept {
    for (unsigned i = 0; i < size_class::count; ++i)
        all_[i].begin(static_cast<std::uint32_t>(size_class::slot_bytes(i)));
    all_[size_class::single].begin(0);
    single_bytes_ = 0;
    most_own_bytes_ = high_water_;
    not_noted_left_ = 0;
    have_slabs_ = 0;
    settled_ = settled_bytes_ = joined_ = 0;
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
