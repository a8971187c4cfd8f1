// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/compose/resource_adaptor.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/usage.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

/// What can be told of allocations and frees, and throws nothing.
template <class O>
concept Observer = std::move_constructible<O> && requires(O& o, const void* p, std::size_t bytes) {
    { o.on_allocate(p, bytes) } noexcept;
    { o.on_free(p, bytes) } noexcept;
};

/// An Observer that is compiled in but off: `static constexpr bool is_off = true`.
template <class O>
concept ObserverThatIsOff = Observer<O> && requires { requires O::is_off; };

/// An R that tells an Observer of each allocation and each free: a profiler, a log, callbacks.
///
///     observed_resource<ordered_heap, my_observer> scene{my_observer{}};   // and arguments of R
///     observed_resource sounds{my_observer{}, heap};                      // over another's heap
///
/// on_allocate(p, bytes) is called after an allocation, on_free(p, bytes) before the memory is
/// free. An object that is resized in place is freed and allocated anew, at its old address.
///
/// Use when:  a tool is to see single objects. Plain functions: compose/sampled_callbacks.hpp. The
///            Tracy profiler: interop/tracy.hpp. Totals alone: tracked_resource.
/// Cost:      that of R and of the Observer, whose calls are inlined where it allows. An Observer
///            that is off (`is_off`) costs no instruction, and is not stored.
/// Overhead:  0 bytes an allocation; the Observer itself an object.
/// Limits:    those of R. `bytes` are those of the request, and where R keeps sizes those that R
///            made of it (size_of), so that they are the same for a free without a size. mark and
///            rewind are not offered; reset is where the Observer has on_reset(), or is off.
/// Misuse:    R's. An observer that uses this resource is told of that too, without end.
/// Threads:   as R. Where R is Concurrent, the Observer is called by several threads at once.
/// Failure:   that of R; the Observer is not told.
template <class R, Observer O>
    requires Allocating<std::remove_reference_t<R>>
class observed_resource final : public detail::resource_adaptor<observed_resource<R, O>, R> {
    using base = detail::resource_adaptor<observed_resource<R, O>, R>;
    using base::inner_;
    static constexpr bool is_off = ObserverThatIsOff<O>;

public:
    using typename base::inner_type;

    /// Makes the R of the further arguments.
    template <class... Args>
        requires std::constructible_from<R, Args...>
    explicit observed_resource(O observer, Args&&... args)
        : base{std::in_place, std::forward<Args>(args)...}, observer_{std::move(observer)} {}

    [[nodiscard]] ARENITE_INLINE void*
    try_allocate(std::size_t bytes, std::size_t alignment = default_alignment) noexcept {
        return told_of(inner_.try_allocate(bytes, alignment), bytes);
    }

    /// R's; see also near().
    [[nodiscard]] void* try_allocate_near(const void* p, std::size_t bytes,
                                          std::size_t alignment = default_alignment) noexcept
        requires Placing<inner_type>
    {
        return told_of(inner_.try_allocate_near(p, bytes, alignment), bytes);
    }

    ARENITE_INLINE void deallocate(void* p, std::size_t bytes,
                                   std::size_t alignment = default_alignment) noexcept {
        if constexpr (!is_off)
            observer_.on_free(p, size_told(p, bytes));
        inner_.deallocate(p, bytes, alignment);
    }

    /// Where R keeps sizes.
    void deallocate(void* p)
        requires Sizing<inner_type> && UnsizedFreeing<inner_type>
    {
        if constexpr (!is_off)
            observer_.on_free(p, inner_.size_of(p));
        inner_.deallocate(p);
    }

    [[nodiscard]] bool try_resize(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                  std::size_t alignment = default_alignment)
        requires Resizing<inner_type>
    {
        if constexpr (is_off) {
            return detail::try_resize(inner_, p, old_bytes, new_bytes, alignment);
        } else {
            if constexpr (Owning<inner_type>)
                if (!inner_.owns(p))
                    return false;
            const std::size_t told = size_told(p, old_bytes);
            if (!detail::try_resize(inner_, p, old_bytes, new_bytes, alignment))
                return false;
            observer_.on_free(p, told);
            observer_.on_allocate(p, size_told(p, new_bytes));
            return true;
        }
    }

    void release(void* p, std::size_t bytes, std::size_t alignment = default_alignment) noexcept
        requires Purging<inner_type>
    {
        if constexpr (!is_off)
            observer_.on_free(p, size_told(p, bytes));
        detail::release(inner_, p, bytes, alignment);
    }

    /// Resets the R; the Observer is told before.
    void reset()
        requires Resettable<inner_type> && (is_off || requires(O& o) { o.on_reset(); })
    {
        if constexpr (!is_off)
            observer_.on_reset();
        inner_.reset();
    }

    [[nodiscard]] O& observer() noexcept { return observer_; }
    [[nodiscard]] const O& observer() const noexcept { return observer_; }

    [[nodiscard]] arenite::usage usage() const
        requires Measurable<inner_type>
    {
        return inner_.usage();
    }

    /// What a budget leaves, of an R that is held.
    [[nodiscard]] std::size_t left_bytes() const
        requires(!std::is_reference_v<R> && requires(const inner_type& r) { r.left_bytes(); })
    {
        return inner_.left_bytes();
    }

    void list_regions(region_sink& sink) const
        requires(!std::is_reference_v<R> && Mappable<inner_type>)
    {
        inner_.list_regions(sink);
    }

private:
    [[nodiscard]] ARENITE_INLINE std::size_t size_told(const void* p,
                                                       std::size_t bytes) const noexcept {
        if constexpr (Sizing<inner_type>)
            if (detail::keeps_sizes(inner_))
                return inner_.size_of(p);
        return bytes;
    }

    ARENITE_INLINE void* told_of(void* p, [[maybe_unused]] std::size_t bytes) noexcept {
        if constexpr (!is_off)
            if (p != nullptr) [[likely]]
                observer_.on_allocate(p, size_told(p, bytes));
        return p;
    }

    [[no_unique_address]] O observer_;
};

template <class O, class R>
observed_resource(O, R&) -> observed_resource<R&, O>;

} // namespace ARENITE_ABI
} // namespace arenite
