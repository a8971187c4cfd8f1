// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <concepts>
#include <cstddef>
#include <iterator>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

// The concepts of ranges without <ranges>, which with its views costs a fifth of the time that
// <vector> and <memory_resource> take to compile. <iterator> has std::ranges::begin, end and size.

template <class R>
using range_iterator = decltype(std::ranges::begin(std::declval<R&>()));
template <class R>
using range_sentinel = decltype(std::ranges::end(std::declval<R&>()));
template <class R>
using range_reference = std::iter_reference_t<range_iterator<R>>;

/// std::ranges::input_range.
template <class R>
concept InputRange = requires(R& r) {
    std::ranges::begin(r);
    std::ranges::end(r);
} && std::input_iterator<range_iterator<R>>;

/// std::ranges::forward_range.
template <class R>
concept ForwardRange = InputRange<R> && std::forward_iterator<range_iterator<R>>;

/// std::ranges::sized_range.
template <class R>
concept SizedRange = InputRange<R> && requires(R& r) { std::ranges::size(r); };

/// std::ranges::subrange: what lies between two iterators.
template <std::input_iterator I, std::sentinel_for<I> S>
class iterator_range {
public:
    iterator_range(I first, S last) : first_{std::move(first)}, last_{std::move(last)} {}

    [[nodiscard]] I begin() {
        if constexpr (std::copyable<I>)
            return first_;
        else
            return std::move(first_);
    }
    [[nodiscard]] S end() const { return last_; }
    [[nodiscard]] std::size_t size() const // a difference may be of no integral type
        requires std::sized_sentinel_for<S, I>
    {
        return static_cast<std::size_t>(last_ - first_);
    }

private:
    I first_;
    S last_;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
