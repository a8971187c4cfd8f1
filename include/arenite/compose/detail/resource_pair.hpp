// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/compose/detail/held_resource.hpp>
#include <arenite/compose/detail/resource_adaptor.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/extremes.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/resource_base.hpp>
#include <arenite/core/usage.hpp>

#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// True if a held_resource<R> can be made from these.
template <class R, class... Args>
concept can_hold = std::constructible_from<held_resource<R>, std::in_place_t, Args...>;

/// A resource made of two others, which it makes, or refers to if they are passed as they are. It
/// can do what both can, including operations that must find out, by owns() of one, which of the
/// two a pointer belongs to. The Derived decides which of them serves a request, and which gets it
/// back with its size.
template <class Derived, class First, class Second>
    requires Allocating<std::remove_reference_t<First>> &&
             Allocating<std::remove_reference_t<Second>>
class resource_pair : public resource_base<Derived> {
public:
    using first_type = std::remove_reference_t<First>;
    using second_type = std::remove_reference_t<Second>;

    static constexpr bool is_concurrent = Concurrent<first_type> && Concurrent<second_type>;

    resource_pair()
        requires std::default_initializable<First> && std::default_initializable<Second>
    = default;

    /// Makes each from one argument; an argument that is already a First or Second is referred to,
    /// and must outlive this.
    template <class A, class B>
        requires can_hold<First, A> && can_hold<Second, B>
    resource_pair(A&& first, B&& second)
        : first_{std::in_place, std::forward<A>(first)},
          second_{std::in_place, std::forward<B>(second)} {}

    /// Makes each from a tuple of arguments.
    template <class... As, class... Bs>
        requires can_hold<First, As...> && can_hold<Second, Bs...>
    resource_pair(std::piecewise_construct_t, std::tuple<As...> first, std::tuple<Bs...> second)
        : resource_pair{first, second, std::index_sequence_for<As...>{},
                        std::index_sequence_for<Bs...>{}} {}

    /// The two resources.
    [[nodiscard]] first_type& first() noexcept { return first_.get(); }
    [[nodiscard]] const first_type& first() const noexcept { return first_.get(); }
    [[nodiscard]] second_type& second() noexcept { return second_.get(); }
    [[nodiscard]] const second_type& second() const noexcept { return second_.get(); }

    /// Only if both free without a size.
    void deallocate(void* p)
        requires(UnsizedFreeing<first_type> && UnsizedFreeing<second_type> &&
                 (Owning<first_type> || Owning<second_type>))
    {
        if (is_of_first(p))
            first().deallocate(p);
        else
            second().deallocate(p);
    }

    [[nodiscard]] bool owns(const void* p) const
        requires Owning<first_type> && Owning<second_type>
    {
        return first().owns(p) || second().owns(p);
    }

    [[nodiscard]] std::size_t size_of(const void* p) const
        requires(Sizing<first_type> && Sizing<second_type> &&
                 (Owning<first_type> || Owning<second_type>))
    {
        return is_of_first(p) ? first().size_of(p) : second().size_of(p);
    }

    /// True if size_of and deallocate(p) are available; see concept UnsizedFreeing.
    [[nodiscard]] bool keeps_sizes() const
        requires Sizing<first_type> && Sizing<second_type>
    {
        return detail::keeps_sizes(first()) && detail::keeps_sizes(second());
    }

    /// Resets both.
    void reset()
        requires Resettable<first_type> && Resettable<second_type>
    {
        first().reset();
        second().reset();
    }

    /// Trims those that can be trimmed.
    void trim()
        requires Trimmable<first_type> || Trimmable<second_type>
    {
        if constexpr (Trimmable<first_type>)
            first().trim();
        if constexpr (Trimmable<second_type>)
            second().trim();
    }

    /// The sum of both, including their high-water marks, which need not have been reached at the
    /// same time.
    [[nodiscard]] arenite::usage usage() const
        requires Measurable<first_type> && Measurable<second_type>
    {
        const arenite::usage a = first().usage(), b = second().usage();
        const bool counted = counts<first_type>(a) && counts<second_type>(b);
        return {.bytes_in_use = a.bytes_in_use + b.bytes_in_use,
                .bytes_reserved = a.bytes_reserved + b.bytes_reserved,
                .high_water_bytes = a.high_water_bytes + b.high_water_bytes,
                .live_allocations = counted ? a.live_allocations + b.live_allocations : 0,
                .largest_hole_bytes = larger(a.largest_hole_bytes, b.largest_hole_bytes)};
    }

    /// Lists the first, then the second.
    void list_regions(region_sink& sink) const
        requires Mappable<first_type> && Mappable<second_type>
    {
        first().list_regions(sink);
        second().list_regions(sink);
    }

    void purge(void* p, std::size_t bytes) noexcept
        requires(Purging<first_type> && Purging<second_type> &&
                 (Owning<first_type> || Owning<second_type>))
    {
        if (is_of_first(p))
            first().purge(p, bytes);
        else
            second().purge(p, bytes);
    }

    /// Asks both: true if either says so.
    bool give_back_due() noexcept
        requires GivingBackDue<first_type> && GivingBackDue<second_type>
    {
        const bool more = first().give_back_due();
        return second().give_back_due() || more;
    }

    void release(void* p, std::size_t bytes, std::size_t alignment = default_alignment) noexcept
        requires(Purging<first_type> && Purging<second_type> &&
                 (Owning<first_type> || Owning<second_type>))
    {
        if (is_of_first(p))
            detail::release(first(), p, bytes, alignment);
        else
            detail::release(second(), p, bytes, alignment);
    }

protected:
    ~resource_pair() override = default;

    static constexpr bool both_resize = Resizing<first_type> && Resizing<second_type>;

    [[nodiscard]] ARENITE_INLINE bool is_of_first(const void* p) const noexcept {
        if constexpr (Owning<first_type>)
            return first().owns(p);
        else
            return !second().owns(p);
    }

private:
    /// True if live_allocations is what lives, and not 0 since nobody counted: objects of 0 bytes
    /// may live where no byte is in use.
    template <class R>
    [[nodiscard]] static bool counts(const arenite::usage& u) noexcept {
        if constexpr (requires { R::counts_allocations; }) {
            if (!R::counts_allocations)
                return false;
        }
        return u.bytes_in_use == 0 || u.live_allocations != 0;
    }

    template <class... As, class... Bs, std::size_t... I, std::size_t... J>
    resource_pair(std::tuple<As...>& first, std::tuple<Bs...>& second, std::index_sequence<I...>,
                  std::index_sequence<J...>)
        : first_{std::in_place, std::forward<As>(std::get<I>(first))...},
          second_{std::in_place, std::forward<Bs>(std::get<J>(second))...} {}

    held_resource<First> first_;
    held_resource<Second> second_;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
