// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/soa/detail/row_iterator.hpp>
#include <arenite/soa/detail/row_origin.hpp>
#include <arenite/soa/record_reference.hpp>

#include <cstddef>
#include <iterator>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// A position in `records`, for loops and the algorithms of std::ranges, including sort;
/// stable_sort and others that need a buffer do not compile with libstdc++ 12.
///
/// It is a std::random_access_iterator whose reference is a record_reference, a proxy object. So
/// `for (auto row : records)` has no `&`, and there is no `operator->`. Algorithms of before C++20
/// require real references: some accept it all the same, std::reverse does not. If rows cannot be
/// copied, the concepts of std::ranges do not hold, since they require a T from a const reference.
///
/// Misuse:    using one after rows of its records were added or removed, which a checked build
///            finds.
template <class T, class Layout, bool Const = false>
class record_iterator : public row_iterator<record_iterator<T, Layout, Const>> {
public:
    using value_type = T;
    using reference = record_reference<T, Layout, Const>;
    using iterator_concept = std::random_access_iterator_tag;
    using iterator_category = std::input_iterator_tag;
    using pointer = void;
    using difference_type = std::ptrdiff_t;

    using row_iterator<record_iterator>::row_iterator;

    // NOLINTNEXTLINE(google-explicit-constructor): as iterators do
    operator record_iterator<T, Layout, true>() const noexcept
        requires(!Const)
    {
        return {this->origin(), this->row()};
    }

    [[nodiscard]] ARENITE_INLINE static reference dereference(const row_origin& origin,
                                                              std::size_t row) noexcept {
        return {origin, row};
    }

    /// The object that std::ranges moves out of a row.
    [[nodiscard]] friend T iter_move(const record_iterator& i) {
        if constexpr (Const)
            return *i;
        else
            return (*i).take();
    }
    friend void iter_swap(const record_iterator& a, const record_iterator& b)
        requires(!Const)
    {
        swap(*a, *b);
    }
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
