// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/detail/bits.hpp>

#include <bit>
#include <cstddef>
#include <cstring>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// For each of 64 kinds the set of places that have it, as a tree of bits; the 64 trees lie side by
/// side, so that one node shows for 64 places, or 64 nodes below it, which kinds each has.
///
///     node        kind 0   0100...   bit i: the i-th place (or node below) has one of this kind
///                 kind 1   0000...
///                 ...
///     all()       1011...            bit k: some place has kind k
///
/// Use when:  places are searched by what they hold: the sizes of the holes that begin there.
/// Cost:      insert, erase and lowest_of O(log places) to the base of 64; a few instructions per
///            level. all O(1).
/// Overhead:  8.1 bytes per place, at least 512.
/// Threads:   one at a time.
class kind_sets {
public:
    static constexpr unsigned kinds = 64;

    kind_sets() = default;

    /// Bytes for so many places.
    [[nodiscard]] static constexpr std::size_t bytes_for(std::size_t places) noexcept {
        std::size_t nodes = 0;
        do {
            places = nodes_for(places);
            nodes += places;
        } while (places > 1);
        return nodes * node_bytes;
    }

    /// All empty, in bytes_for(places) of memory aligned to 8. O(places).
    kind_sets(void* memory, std::size_t places) noexcept {
        std::memset(memory, 0, bytes_for(places));
        auto* words = static_cast<bits::word*>(memory);
        do {
            places = nodes_for(places);
            levels_[count_++] = words;
            words += places * node_words;
        } while (places > 1);
    }

    /// The kinds that any place has.
    [[nodiscard]] ARENITE_INLINE bits::word all() const noexcept { return all_; }

    /// Adds a kind to a place, which may have it already.
    ARENITE_INLINE void insert(std::size_t place, unsigned kind) noexcept {
        for (unsigned level = 0; level < count_; ++level) {
            bits::word* const node = node_of(level, place);
            const bits::word before = node[kind];
            const bits::word bit = bits::word{1} << place % bits::word_bits;
            node[kind] = before | bit;
            if (before != 0)
                return;
            place /= bits::word_bits;
        }
        all_ |= bits::word{1} << kind;
    }

    /// Removes it from the place.
    ARENITE_INLINE void erase(std::size_t place, unsigned kind) noexcept {
        for (unsigned level = 0; level < count_; ++level) {
            bits::word* const node = node_of(level, place);
            const bits::word left = node[kind] & ~(bits::word{1} << place % bits::word_bits);
            node[kind] = left;
            if (left != 0)
                return;
            place /= bits::word_bits;
        }
        all_ &= ~(bits::word{1} << kind);
    }

    [[nodiscard]] bool has(std::size_t place, unsigned kind) const noexcept {
        return (node_of(0, place)[kind] >> place % bits::word_bits & 1) != 0;
    }

    /// The lowest place that has this kind. Requires that some place has.
    [[nodiscard]] std::size_t lowest_of(unsigned kind) const noexcept {
        std::size_t place = 0;
        for (unsigned level = count_; level-- > 0;)
            place =
                place * bits::word_bits +
                static_cast<unsigned>(std::countr_zero(levels_[level][place * node_words + kind]));
        return place;
    }

private:
    static constexpr std::size_t node_words = kinds;
    static constexpr std::size_t node_bytes = node_words * sizeof(bits::word);
    static constexpr std::size_t most_levels = 6; // 64^6 places

    [[nodiscard]] static constexpr std::size_t nodes_for(std::size_t places) noexcept {
        return places / bits::word_bits + (places % bits::word_bits != 0 || places == 0);
    }
    [[nodiscard]] bits::word* node_of(unsigned level, std::size_t place) const noexcept {
        return levels_[level] + place / bits::word_bits * node_words;
    }

    bits::word all_ = 0;
    unsigned count_ = 0;
    bits::word* levels_[most_levels] = {}; ///< from the places up
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
