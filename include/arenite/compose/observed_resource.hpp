// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/compose/detail/resource_adaptor.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/usage.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

/// An Observer of requests: it is given the bytes and the alignment that were asked for, also where
/// R rounds them, and on_resize instead of a free and an allocation.
template <class O>
concept RequestObserver = requires(O& o, const void* p, std::size_t n) {
    { o.on_allocate(p, n, n) } noexcept;
    { o.on_resize(p, n) } noexcept;
    { o.on_free(p) } noexcept;
};

/// Is notified of allocations and frees, by functions that do not throw.
template <class O>
concept Observer = std::move_constructible<O> &&
                   (RequestObserver<O> || requires(O& o, const void* p, std::size_t bytes) {
                       { o.on_allocate(p, bytes) } noexcept;
                       { o.on_free(p, bytes) } noexcept;
                   });

/// An Observer that is compiled in but off: `static constexpr bool is_off = true`.
template <class O>
concept ObserverThatIsOff = Observer<O> && requires { requires O::is_off; };

namespace detail {

/// The common base of observed_resource and recording_resource: an R and an observer O, notified
/// of each call that succeeds.
template <class Derived, class R, class O>
class observing_adaptor : public resource_adaptor<Derived, R> {
    using base = resource_adaptor<Derived, R>;
    using base::inner_;
    static constexpr bool is_off = ObserverThatIsOff<O>;
    static constexpr bool sees_requests = RequestObserver<O>;

public:
    using typename base::inner_type;

    [[nodiscard]] ARENITE_INLINE void*
    try_allocate(std::size_t bytes, std::size_t alignment = default_alignment) noexcept {
        return notify_allocated(inner_.try_allocate(bytes, alignment), bytes, alignment);
    }

    /// R's; see also near().
    [[nodiscard]] void* try_allocate_near(const void* p, std::size_t bytes,
                                          std::size_t alignment = default_alignment) noexcept
        requires Placing<inner_type>
    {
        return notify_allocated(inner_.try_allocate_near(p, bytes, alignment), bytes, alignment);
    }

    ARENITE_INLINE void deallocate(void* p, std::size_t bytes,
                                   std::size_t alignment = default_alignment) noexcept {
        notify_free(p, bytes);
        inner_.deallocate(p, bytes, alignment);
    }

    /// Where R keeps sizes, or the observer needs none.
    void deallocate(void* p)
        requires UnsizedFreeing<inner_type> && (Sizing<inner_type> || sees_requests || is_off)
    {
        if constexpr (!is_off && sees_requests)
            observer_.on_free(p);
        else if constexpr (!is_off)
            observer_.on_free(p, inner_.size_of(p));
        inner_.deallocate(p);
    }

    [[nodiscard]] bool try_resize(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                  std::size_t alignment = default_alignment)
        requires Resizing<inner_type>
    {
        if constexpr (is_off || sees_requests) {
            if (!detail::try_resize(inner_, p, old_bytes, new_bytes, alignment))
                return false;
            if constexpr (!is_off)
                observer_.on_resize(p, new_bytes);
        } else {
            if constexpr (Owning<inner_type>)
                if (!inner_.owns(p))
                    return false;
            const std::size_t before = counted(p, old_bytes);
            if (!detail::try_resize(inner_, p, old_bytes, new_bytes, alignment))
                return false;
            observer_.on_free(p, before);
            observer_.on_allocate(p, counted(p, new_bytes));
        }
        return true;
    }

    void release(void* p, std::size_t bytes, std::size_t alignment = default_alignment) noexcept
        requires Purging<inner_type>
    {
        notify_free(p, bytes);
        detail::release(inner_, p, bytes, alignment);
    }

    /// Resets the R, after notifying the Observer.
    void reset()
        requires Resettable<inner_type> && (is_off || requires(O& o) { o.on_reset(); })
    {
        if constexpr (!is_off)
            observer_.on_reset();
        inner_.reset();
    }

    /// R's: for a heap of another's, of all that it holds.
    [[nodiscard]] arenite::usage usage() const
        requires Measurable<inner_type>
    {
        return inner_.usage();
    }

protected:
    /// Makes the R, then the observer.
    template <class From, class... Args>
    explicit observing_adaptor(std::in_place_t, From&& from, Args&&... args)
        : base{std::in_place, std::forward<Args>(args)...}, observer_(std::forward<From>(from)) {}
    ~observing_adaptor() override = default;

    [[nodiscard]] O& observer() noexcept { return observer_; }
    [[nodiscard]] const O& observer() const noexcept { return observer_; }

private:
    /// The bytes that an observer of sizes is given: the same for a free with a size and without.
    [[nodiscard]] ARENITE_INLINE std::size_t counted(const void* p,
                                                     std::size_t bytes) const noexcept {
        if constexpr (Sizing<inner_type>)
            if (detail::keeps_sizes(inner_))
                return inner_.size_of(p);
        return bytes;
    }

    ARENITE_INLINE void* notify_allocated(void* p, [[maybe_unused]] std::size_t bytes,
                                          [[maybe_unused]] std::size_t alignment) noexcept {
        if constexpr (!is_off)
            if (p != nullptr) [[likely]] {
                if constexpr (sees_requests)
                    observer_.on_allocate(p, bytes, alignment);
                else
                    observer_.on_allocate(p, counted(p, bytes));
            }
        return p;
    }

    ARENITE_INLINE void notify_free(const void* p, [[maybe_unused]] std::size_t bytes) noexcept {
        if constexpr (!is_off && sees_requests)
            observer_.on_free(p);
        else if constexpr (!is_off)
            observer_.on_free(p, counted(p, bytes));
    }

    ARENITE_NO_UNIQUE_ADDRESS O observer_;
};

} // namespace detail

/// An R that notifies an Observer of each allocation and each free: a profiler, a log, callbacks.
///
///     observed_resource<ordered_heap, my_observer> scene{my_observer{}};   // and arguments of R
///     observed_resource sounds{my_observer{}, heap};                      // over another's heap
///
/// on_allocate(p, bytes) is called after an allocation, on_free(p, bytes) before the memory is
/// freed. A resize in place is reported as a free and an allocation at the same address. A
/// RequestObserver has on_allocate(p, bytes, alignment), on_resize(p, new_bytes) and on_free(p).
///
/// Use when:  a tool should see single objects. Plain functions: compose/sampled_callbacks.hpp. The
///            Tracy profiler: interop/tracy.hpp. Totals alone: tracked_resource.
/// Cost:      that of R and of the Observer, whose calls are inlined if it allows that. An Observer
///            that is off (`is_off`) costs no instruction, and no byte if it is empty.
/// Overhead:  0 bytes an allocation; one Observer per resource.
/// Limits:    those of R. `bytes` is the requested size, or, if R keeps sizes, what R rounds it to
///            (size_of), so that frees with and without a size report the same. mark and rewind are
///            not offered; reset is if the Observer has on_reset(), or is off.
/// Misuse:    R's. An observer that allocates from this resource is notified of that too, in
///            endless recursion.
/// Threads:   as R. If R is Concurrent, several threads may call the Observer at once.
/// Failure:   that of R; the Observer is not notified.
template <class R, Observer O>
    requires Allocating<std::remove_reference_t<R>>
class observed_resource final : public detail::observing_adaptor<observed_resource<R, O>, R, O> {
    using base = detail::observing_adaptor<observed_resource<R, O>, R, O>;

public:
    /// Makes the R of the further arguments.
    template <class... Args>
        requires std::constructible_from<R, Args...>
    explicit observed_resource(O told, Args&&... args)
        : base{std::in_place, std::move(told), std::forward<Args>(args)...} {}

    using base::observer;
};

template <class O, class R>
observed_resource(O, R&) -> observed_resource<R&, O>;

} // namespace ARENITE_ABI
} // namespace arenite
