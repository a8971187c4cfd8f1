// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// A number for each place, and the lowest place whose number is large enough: a tournament.
///
///     level 2                 9                          the largest of eight below
///     level 1     4       9       0 ...
///     level 0   0 4 ... 9 0 2 ... 0 0 ...                the places
///
/// Use when:  the first of many that is large enough is searched: the lowest hole.
/// Cost:      lowest_of_at_least, raise and lower O(log places) to the base of 8, with one
///            comparison for each of eight; raise and lower stop where nothing changes. top O(1).
/// Overhead:  4.6 bytes per place, at least 64.
/// Threads:   one at a time.
class place_maxima {
public:
    using number = std::uint32_t;

    place_maxima() = default;

    /// Bytes for so many places.
    [[nodiscard]] static constexpr std::size_t bytes_for(std::size_t places) noexcept {
        std::size_t numbers = 0;
        do {
            places = groups_for(places);
            numbers += places * group;
        } while (places > 1);
        return (numbers + group) * sizeof(number);
    }

    /// All 0, in bytes_for(places) of memory aligned to 8. O(places).
    place_maxima(void* memory, std::size_t places) noexcept {
        std::memset(memory, 0, bytes_for(places));
        auto* numbers = static_cast<number*>(memory);
        do {
            places = groups_for(places);
            levels_[count_++] = numbers;
            numbers += places * group;
        } while (places > 1);
        levels_[count_] = numbers;
    }

    /// The largest number.
    [[nodiscard]] ARENITE_INLINE number top() const noexcept { return top_; }

    [[nodiscard]] ARENITE_INLINE number at(std::size_t place) const noexcept {
        return levels_[0][place];
    }

    /// Raises the number to n, if it is smaller.
    ARENITE_INLINE void raise(std::size_t place, number n) noexcept {
        for (unsigned level = 0;; ++level, place /= group) {
            number& here = levels_[level][place];
            if (here >= n)
                return;
            here = n;
            if (level == count_)
                break;
        }
        top_ = n;
    }

    /// Lowers the number, which was at least n, to n.
    ARENITE_INLINE void lower(std::size_t place, number n) noexcept {
        const number before = at(place);
        if (n == before)
            return;
        levels_[0][place] = n;
        for (unsigned level = 0; level != count_; ++level) {
            place /= group;
            number& above = levels_[level + 1][place];
            if (above != before)
                return; // that is another one's
            above = largest_of(levels_[level] + place * group);
            if (above == before)
                return;
        }
        top_ = *levels_[count_];
    }

    /// The lowest place whose number is n or more. Requires n <= top() and n != 0.
    [[nodiscard]] std::size_t lowest_of_at_least(number n) const noexcept {
        std::size_t place = 0;
        for (unsigned level = count_; level-- > 0;) {
            place *= group;
            while (levels_[level][place] < n)
                ++place;
        }
        return place;
    }

private:
    static constexpr std::size_t group = 8;
    static constexpr std::size_t most_levels = 11; // 8^11 places

    [[nodiscard]] static constexpr std::size_t groups_for(std::size_t numbers) noexcept {
        return numbers / group + (numbers % group != 0 || numbers == 0);
    }
    [[nodiscard]] static number largest_of(const number* w) noexcept {
        return std::max({std::max(w[0], w[1]), std::max(w[2], w[3]), std::max(w[4], w[5]),
                         std::max(w[6], w[7])});
    }

    number top_ = 0; ///< as at the last level: to check quickly whether there is any
    unsigned count_ = 0;
    number* levels_[most_levels + 1] = {}; ///< from the places up; the last is one number
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
