// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/soa/detail/row_origin.hpp>

#include <compare>
#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Position and arithmetic of an iterator over rows. `Iterator` derives from this; its
/// `dereference(origin, row)` returns what it refers to.
template <class Iterator>
class row_iterator {
public:
    using difference_type = std::ptrdiff_t;

    row_iterator() = default;
    ARENITE_INLINE row_iterator(const row_origin& origin, std::size_t row) noexcept
        : origin_{origin}, row_{row} {}

    /// The number of the row.
    [[nodiscard]] ARENITE_INLINE std::size_t row() const noexcept { return row_; }
    [[nodiscard]] ARENITE_INLINE const row_origin& origin() const noexcept { return origin_; }

    [[nodiscard]] ARENITE_INLINE decltype(auto) operator*() const {
        return Iterator::dereference(origin_, row_);
    }
    [[nodiscard]] ARENITE_INLINE decltype(auto) operator[](difference_type n) const {
        return Iterator::dereference(origin_, row_ + static_cast<std::size_t>(n));
    }

    ARENITE_INLINE Iterator& operator+=(difference_type n) noexcept {
        row_ += static_cast<std::size_t>(n);
        return static_cast<Iterator&>(*this);
    }
    ARENITE_INLINE Iterator& operator-=(difference_type n) noexcept {
        row_ -= static_cast<std::size_t>(n);
        return static_cast<Iterator&>(*this);
    }
    ARENITE_INLINE Iterator& operator++() noexcept { return *this += 1; }
    ARENITE_INLINE Iterator& operator--() noexcept { return *this -= 1; }
    ARENITE_INLINE Iterator operator++(int) noexcept { return ++*this - 1; }
    ARENITE_INLINE Iterator operator--(int) noexcept { return --*this + 1; }

    [[nodiscard]] ARENITE_INLINE friend Iterator operator+(Iterator i, difference_type n) noexcept {
        return i += n;
    }
    [[nodiscard]] ARENITE_INLINE friend Iterator operator+(difference_type n, Iterator i) noexcept {
        return i += n;
    }
    [[nodiscard]] ARENITE_INLINE friend Iterator operator-(Iterator i, difference_type n) noexcept {
        return i -= n;
    }
    [[nodiscard]] ARENITE_INLINE friend difference_type operator-(const Iterator& a,
                                                                  const Iterator& b) noexcept {
        return static_cast<difference_type>(a.row() - b.row());
    }
    [[nodiscard]] ARENITE_INLINE friend bool operator==(const Iterator& a,
                                                        const Iterator& b) noexcept {
        return a.row() == b.row();
    }
    [[nodiscard]] ARENITE_INLINE friend std::strong_ordering
    operator<=>(const Iterator& a, const Iterator& b) noexcept {
        return a.row() <=> b.row();
    }

private:
    row_origin origin_;
    std::size_t row_ = 0;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
