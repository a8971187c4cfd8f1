// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/detail/bits.hpp>
#include <arenite/ordered/detail/size_class.hpp>
#include <arenite/ordered/detail/slab_classes.hpp>
#include <arenite/ordered/detail/slab_source.hpp>

#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Objects over slots of a smaller class: which sparse slab each class takes them from.
///
/// A program that fills memory with one size, frees most of it in no order and goes on with another
/// size finds slabs of which little is alive, and none of which is empty. Where the heap holds much
/// more than is in use, an object of a larger class takes several neighbouring slots there, its
/// donor, rather than a new slab. See joined_slots for the bits.
///
/// A slab with such objects has another tag: the inlined frees then leave its objects to others,
/// which know of them. When the last such object is freed it is as before.
///
/// Threads:   one at a time, as its heap.
class slot_donors {
public:
    /// The parts of a heap that its joined objects concern.
    struct heap_parts {
        slab_classes& classes;
        slab_source& slabs;
    };

    /// Slots for an object of a class; nullptr where the heap holds little more than it needs, or
    /// no sparse slab of a smaller class serves. O(log slabs), and up to 16 slabs are searched.
    [[nodiscard]] void* try_take(const heap_parts& heap, unsigned slot_class, std::size_t bytes,
                                 std::size_t alignment) noexcept;

    /// Frees an object of several slots.
    static void free_object(const heap_parts& heap, slab& s, std::size_t first,
                            std::size_t slots) noexcept;
    /// Frees the objects whose first slots `freed` says, of a word of a slab with joined slots.
    static void free_word(const heap_parts& heap, slab& s, std::size_t word,
                          bits::word freed) noexcept;

    /// The slab gives no more: it is allocated from, or goes.
    void withdraw(slab_classes& classes, slab& s) noexcept;

    /// No class has a donor.
    void clear() noexcept { *this = {}; }

private:
    struct donor {
        slab* from = nullptr;
        std::size_t next = 0; ///< its slots below this one have been looked at
    };

    [[nodiscard]] static bool holds_much_more(const heap_parts& heap) noexcept;
    [[nodiscard]] bool find(const heap_parts& heap, unsigned slot_class, std::size_t bytes,
                            std::size_t alignment) noexcept;

    donor of_[size_class::count];
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
