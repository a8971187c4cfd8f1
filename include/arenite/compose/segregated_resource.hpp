// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/compose/detail/resource_pair.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/config.hpp>

#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

/// One resource for small requests, another for all others.
///
///     segregated_resource sg{256, s, l};                            // refers to both
///     segregated_resource<pool_resource, ordered_heap> st{256, slot{256, 16}, ordered_options{}};
///
///     bytes and alignment <= 256 --> s          bytes or alignment > 256 --> l
///
/// Use when:  requests of two kinds arrive through one interface: nodes and their bulk data, small
///            ones that a pool serves best. For one that stands in for the other:
///            compose/fallback_resource.hpp.
/// Cost:      that of the chosen resource plus a comparison or two; none if size and alignment are
///            constants.
/// Overhead:  0 bytes an allocation.
/// Limits:    those of the chosen resource: if it fails, the other is not asked. An allocation
///            stays on its side: try_resize across the border returns false.
/// Threads:   any if both are Concurrent, otherwise one at a time.
/// Failure:   out_of_memory / nullptr; nothing changes.
///
/// Alignment counts like size: a small request aligned to more than the border goes to the large
/// resource, since small ones rarely support that. A free is directed by its size and alignment in
/// the same way; without them by owns() of either resource.
template <class Small, class Large>
class segregated_resource final
    : public detail::resource_pair<segregated_resource<Small, Large>, Small, Large> {
    using base = detail::resource_pair<segregated_resource<Small, Large>, Small, Large>;

public:
    using base::first;
    using base::second;
    explicit segregated_resource(std::size_t small_bytes)
        requires std::default_initializable<Small> && std::default_initializable<Large>
        : small_bytes_{small_bytes} {}

    /// Makes each from one argument; an argument that is already a Small or Large is referred to,
    /// and must outlive this.
    template <class S, class L>
        requires detail::can_hold<Small, S> && detail::can_hold<Large, L>
    segregated_resource(std::size_t small_bytes, S&& for_small, L&& for_large)
        : base(std::forward<S>(for_small), std::forward<L>(for_large)), small_bytes_{small_bytes} {}

    /// Makes each from a tuple of arguments.
    template <class... Ss, class... Ls>
        requires detail::can_hold<Small, Ss...> && detail::can_hold<Large, Ls...>
    segregated_resource(std::size_t small_bytes, std::piecewise_construct_t,
                        std::tuple<Ss...> for_small, std::tuple<Ls...> for_large)
        : base(std::piecewise_construct, std::move(for_small), std::move(for_large)),
          small_bytes_{small_bytes} {}

    /// The border: the largest size, and the largest alignment, that count as small.
    [[nodiscard]] std::size_t small_bytes() const noexcept { return small_bytes_; }

    [[nodiscard]] ARENITE_INLINE void*
    try_allocate(std::size_t bytes, std::size_t alignment = default_alignment) noexcept {
        return is_small(bytes, alignment) ? first().try_allocate(bytes, alignment)
                                          : second().try_allocate(bytes, alignment);
    }

    using base::deallocate;
    ARENITE_INLINE void deallocate(void* p, std::size_t bytes,
                                   std::size_t alignment = default_alignment) noexcept {
        if (is_small(bytes, alignment))
            first().deallocate(p, bytes, alignment);
        else
            second().deallocate(p, bytes, alignment);
    }

    [[nodiscard]] bool try_resize(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                  std::size_t alignment = default_alignment)
        requires base::both_resize
    {
        const bool was_small = is_small(old_bytes, alignment);
        if (was_small != is_small(new_bytes, alignment))
            return false;
        return was_small ? detail::try_resize(first(), p, old_bytes, new_bytes, alignment)
                         : detail::try_resize(second(), p, old_bytes, new_bytes, alignment);
    }

private:
    [[nodiscard]] ARENITE_INLINE bool is_small(std::size_t bytes,
                                               std::size_t alignment) const noexcept {
        return bytes <= small_bytes_ && alignment <= small_bytes_;
    }

    std::size_t small_bytes_;
};

template <class Small, class Large>
segregated_resource(std::size_t, Small&, Large&) -> segregated_resource<Small&, Large&>;

} // namespace ARENITE_ABI
} // namespace arenite
