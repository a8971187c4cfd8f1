// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/ordered/detail/slab.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Slabs that nothing lives in, whose units stay theirs for the next slab of about that length: by
/// length, the latest first.
///
///     lengths   ... | 9 | 10 | 11 | 12 | ...        a bit for each length that there is one of
///     first           |         |
///                    slab      slab -> slab
///
/// All bits of a kept slab say free, as they did when it was given up: so whoever frees into it
/// once more is found.
///
/// Cost:      O(1).
/// Threads:   one at a time, as their source.
class kept_runs {
public:
    static constexpr std::size_t longest = 63; ///< units

    [[nodiscard]] static bool may_keep(const slab& s) noexcept { return s.units <= longest; }
    void keep(slab& s) noexcept;
    /// It is kept no more.
    void forget(slab& s) noexcept;
    /// None is.
    void clear() noexcept { *this = {}; }

    /// The shortest of so many units or more, but no longer than `most`; nullptr where there is none.
    [[nodiscard]] slab* shortest(std::size_t least, std::size_t most = longest) const noexcept;
    /// The longest of so many units or fewer, but no shorter than `least`.
    [[nodiscard]] slab* longest_of(std::size_t least, std::size_t most) const noexcept;
    /// One of each length in turn; nullptr where none is kept.
    [[nodiscard]] slab* next() noexcept;

    /// Of all that are kept.
    [[nodiscard]] std::size_t units() const noexcept { return units_; }

private:
    /// The lengths from `least` to `most` of which one is kept.
    [[nodiscard]] std::uint64_t lengths(std::size_t least, std::size_t most) const noexcept {
        return lengths_ & ~std::uint64_t{0} << least & ~std::uint64_t{0} >> (longest - most);
    }

    slab* first_[longest + 1] = {};
    std::uint64_t lengths_ = 0;
    std::size_t units_ = 0;
    std::size_t turn_ = 0; ///< of next()
};

inline void kept_runs::keep(slab& s) noexcept {
    slab*& first = first_[s.units];
    s.left = nullptr;
    s.right = first;
    if (first != nullptr)
        first->left = &s;
    first = &s;
    lengths_ |= std::uint64_t{1} << s.units;
    units_ += s.units;
}

inline void kept_runs::forget(slab& s) noexcept {
    if (s.right != nullptr)
        s.right->left = s.left;
    if (s.left != nullptr)
        s.left->right = s.right;
    else if ((first_[s.units] = s.right) == nullptr)
        lengths_ &= ~(std::uint64_t{1} << s.units);
    units_ -= s.units;
}

inline slab* kept_runs::shortest(std::size_t least, std::size_t most) const noexcept {
    if (least > most)
        return nullptr;
    const std::uint64_t those = lengths(least, most);
    return those == 0 ? nullptr : first_[std::countr_zero(those)];
}

inline slab* kept_runs::longest_of(std::size_t least, std::size_t most) const noexcept {
    if (least > most)
        return nullptr;
    const std::uint64_t those = lengths(least, most);
    return those == 0 ? nullptr
                      : first_[longest - static_cast<std::size_t>(std::countl_zero(those))];
}

inline slab* kept_runs::next() noexcept {
    if (lengths_ == 0)
        return nullptr;
    const std::uint64_t rest = lengths(turn_, longest);
    const auto length = static_cast<std::size_t>(std::countr_zero(rest != 0 ? rest : lengths_));
    turn_ = (length + 1) & longest;
    return first_[length];
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
