// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/members.hpp>
#include <arenite/soa/detail/row_iterator.hpp>
#include <arenite/soa/detail/row_origin.hpp>

#include <cstddef>
#include <iterator>
#include <memory>
#include <span> // which says of itself what is said at the end of this header
#include <type_traits>

namespace arenite {
inline namespace ARENITE_ABI {

/// One member of all rows of `records`, as a range of real references, in every layout.
///
///     for (float& mass : particles.column<&particle::mass>())
///         mass *= 2;
///
/// It has as many elements as there were rows when it was taken: adding or removing rows
/// invalidates it, which a checked build finds when an element is accessed.
///
/// Cost:      an element costs what it costs in an array in layout::soa, where the loop vectorises
///            as it does there; a stride in aos; a shift and a mask in aosoa.
template <class T, class Layout, auto Member, bool Const = false>
class column_view {
    using placement = typename Layout::template placement<T>;
    static constexpr std::size_t index = members_of<T>::template index<Member>;
    using member = typename members_of<T>::template type<index>;

public:
    using element_type = std::conditional_t<Const, const member, member>;

    class iterator : public detail::row_iterator<iterator> {
    public:
        using value_type = std::remove_cv_t<member>;
        using reference = element_type&;
        using difference_type = std::ptrdiff_t;
        using iterator_category = std::random_access_iterator_tag;
        using pointer = element_type*;

        using detail::row_iterator<iterator>::row_iterator;

        [[nodiscard]] ARENITE_INLINE pointer operator->() const { return std::addressof(**this); }
        [[nodiscard]] ARENITE_INLINE static reference dereference(const detail::row_origin& origin,
                                                                  std::size_t row) {
            return at(origin, row);
        }
    };

    column_view() = default;
    ARENITE_INLINE column_view(const detail::row_origin& origin, std::size_t size) noexcept
        : origin_{origin}, size_{size} {}

    /// A view that can change rows converts to one that cannot.
    // NOLINTNEXTLINE(google-explicit-constructor): as a span does
    [[nodiscard]] operator column_view<T, Layout, Member, true>() const noexcept
        requires(!Const)
    {
        return {origin_, size_};
    }

    [[nodiscard]] ARENITE_INLINE std::size_t size() const noexcept { return size_; }
    [[nodiscard]] ARENITE_INLINE bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] ARENITE_INLINE element_type& operator[](std::size_t row) const {
        return at(origin_, row);
    }
    [[nodiscard]] ARENITE_INLINE iterator begin() const noexcept { return {origin_, 0}; }
    [[nodiscard]] ARENITE_INLINE iterator end() const noexcept { return {origin_, size_}; }

private:
    [[nodiscard]] ARENITE_INLINE static element_type& at(const detail::row_origin& origin,
                                                         std::size_t row) {
        origin.check("column", row);
        if constexpr (placement::whole_objects)
            return placement::template at<0>(origin.memory(), origin.capacity(), row)->*Member;
        else
            return *placement::template at<index>(origin.memory(), origin.capacity(), row);
    }

    detail::row_origin origin_;
    std::size_t size_ = 0;
};

} // namespace ARENITE_ABI
} // namespace arenite

/// Its iterators may outlive it, as those of a span.
template <class T, class Layout, auto Member, bool Const>
inline constexpr bool
    std::ranges::enable_borrowed_range<arenite::column_view<T, Layout, Member, Const>> = true;
template <class T, class Layout, auto Member, bool Const>
inline constexpr bool std::ranges::enable_view<arenite::column_view<T, Layout, Member, Const>> =
    true;
