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
    slab_classes() noexcept { begin(); }

    /// Forgets all slabs and objects, but not the high water.
    void begin() noexcept;

    [[nodiscard]] ARENITE_INLINE slab_class& operator[](unsigned number) noexcept {
        return all_[number];
    }
    [[nodiscard]] const slab_class& operator[](unsigned number) const noexcept {
        return all_[number];
    }
    /// The class of a slab.
    [[nodiscard]] ARENITE_INLINE slab_class& of(const slab& s) noexcept;

    /// Enters a slab without slots in use in its class.
    void add(slab& s) noexcept;

    /// True where no object of any class lives.
    [[nodiscard]] bool none_live() const noexcept;

    /// Counts the bytes of a slot of its own.
    void add_single(std::size_t bytes) noexcept { single_bytes_ += bytes; }
    void remove_single(std::size_t bytes) noexcept { single_bytes_ -= bytes; }
    /// True if more single bytes are in use than ever before this was asked.
    [[nodiscard]] bool most_single() noexcept;

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
    [[nodiscard]] std::size_t high_water_approximate() const noexcept {
        return glance(high_water_);
    }
    [[nodiscard]] arenite::usage usage_approximate(const block_source& blocks) const noexcept;

private:
    static std::int64_t bytes_of(std::size_t bytes) noexcept {
        return static_cast<std::int64_t>(bytes);
    }
    void settle(std::int64_t objects, std::int64_t bytes) noexcept {
        settled_ += objects;
        settled_bytes_ += bytes;
    }

    slab_class all_[size_class::count + 1]; // first: see of()
    std::size_t single_bytes_ = 0;          ///< in use by slots of their own
    std::size_t most_single_bytes_ = 0;
    std::size_t high_water_ = 0;
    /// A bit for each class that has or had slabs: only they are summed.
    std::uint64_t have_slabs_ = 0;

    // Own objects whose frees by other threads were seen, less objects of other heaps freed here.
    // Summed over all heaps: minus the frees that are not seen yet.
    std::int64_t settled_ = 0;
    std::int64_t settled_bytes_ = 0;
    std::int64_t joined_ = 0; ///< slots that are not the first of their object
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
