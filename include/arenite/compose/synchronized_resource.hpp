// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/compose/detail/resource_adaptor.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/resource_base.hpp>
#include <arenite/core/usage.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string_view>
#include <type_traits>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

/// Lets any number of threads use an R: a mutex around each call.
///
///     synchronized_resource<ordered_heap> s{};               // arguments of the R
///     synchronized_resource shared{heap};                    // around an existing heap
///
/// Use when:  several threads share one R and seldom collide. If they collide often, a resource for
///            each thread costs less than any lock.
/// Cost:      that of R, plus lock and unlock of an uncontended mutex (about 20 ns).
/// Overhead:  a mutex per resource; 0 bytes an allocation.
/// Limits:    those of R. mark and rewind are not offered: one thread would free what another has
///            just allocated. Objects of two threads may lie on one line of the cache, unlike those
///            of a shared_heap (doc/threads.md). with_lock gives access to the R for several calls
///            under one lock.
/// Threads:   any, except for construction and destruction; an existing R (`heap&`) must be used
///            only through this meanwhile.
/// Failure:   that of R; nothing changes.
template <class R>
    requires Allocating<std::remove_reference_t<R>>
class synchronized_resource final : public resource_base<synchronized_resource<R>> {
public:
    using inner_type = std::remove_reference_t<R>;

    static constexpr bool is_concurrent = true;

    /// Makes the R from these arguments; an R& is referred to.
    template <class... Args>
        requires std::constructible_from<R, Args...>
    explicit synchronized_resource(Args&&... args) : inner_(std::forward<Args>(args)...) {}

    /// For messages: R's, where that has one. The address beside it there is that of this object.
    [[nodiscard]] std::string_view name() const noexcept
        requires detail::Named<inner_type>
    {
        return inner_.name();
    }

    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = default_alignment) noexcept {
        const std::lock_guard lock{mutex_};
        return inner_.try_allocate(bytes, alignment);
    }

    void deallocate(void* p, std::size_t bytes,
                    std::size_t alignment = default_alignment) noexcept {
        const std::lock_guard lock{mutex_};
        inner_.deallocate(p, bytes, alignment);
    }

    /// Only if the R keeps sizes.
    void deallocate(void* p)
        requires UnsizedFreeing<inner_type>
    {
        const std::lock_guard lock{mutex_};
        inner_.deallocate(p);
    }

    /// Several calls under one lock: `s.with_lock([&](ordered_heap& h) { ... })`. Calling the
    /// synchronized resource itself from inside deadlocks.
    template <std::invocable<inner_type&> Function>
    decltype(auto) with_lock(Function&& function) {
        const std::lock_guard lock{mutex_};
        return std::invoke(std::forward<Function>(function), inner_);
    }

    // Further operations of the R.

    /// Bytes that the R's budget leaves.
    [[nodiscard]] std::size_t left_bytes() const noexcept
        requires detail::Budgeted<inner_type>
    {
        const std::lock_guard lock{mutex_};
        return inner_.left_bytes();
    }

    /// Forwards to the R; see also near().
    [[nodiscard]] void* try_allocate_near(const void* p, std::size_t bytes,
                                          std::size_t alignment = default_alignment) noexcept
        requires Placing<inner_type>
    {
        const std::lock_guard lock{mutex_};
        return inner_.try_allocate_near(p, bytes, alignment);
    }
    /// Allocates through try_allocate_near.
    [[nodiscard]] auto near(const void* p) noexcept
        requires Placing<inner_type>
    {
        return detail::neighbourhood<synchronized_resource>{*this, p};
    }

    [[nodiscard]] bool owns(const void* p) const
        requires Owning<inner_type>
    {
        const std::lock_guard lock{mutex_};
        return inner_.owns(p);
    }

    [[nodiscard]] std::size_t size_of(const void* p) const
        requires Sizing<inner_type>
    {
        const std::lock_guard lock{mutex_};
        return inner_.size_of(p);
    }

    /// True if size_of and deallocate(p) are available; see concept UnsizedFreeing.
    [[nodiscard]] bool keeps_sizes() const
        requires Sizing<inner_type>
    {
        return detail::keeps_sizes(inner_);
    }

    [[nodiscard]] bool try_resize(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                  std::size_t alignment = default_alignment)
        requires Resizing<inner_type>
    {
        const std::lock_guard lock{mutex_};
        return detail::try_resize(inner_, p, old_bytes, new_bytes, alignment);
    }

    /// The sink must not call this resource.
    void list_regions(region_sink& sink) const
        requires Mappable<inner_type>
    {
        const std::lock_guard lock{mutex_};
        inner_.list_regions(sink);
    }

    [[nodiscard]] arenite::usage usage() const
        requires Measurable<inner_type>
    {
        const std::lock_guard lock{mutex_};
        return inner_.usage();
    }

    void reset()
        requires Resettable<inner_type>
    {
        const std::lock_guard lock{mutex_};
        inner_.reset();
    }

    auto trim()
        requires Trimmable<inner_type>
    {
        const std::lock_guard lock{mutex_};
        return inner_.trim();
    }

    void purge(void* p, std::size_t bytes) noexcept
        requires Purging<inner_type>
    {
        const std::lock_guard lock{mutex_};
        inner_.purge(p, bytes);
    }

    bool give_back_due() noexcept
        requires detail::GivingBackDue<inner_type>
    {
        const std::lock_guard lock{mutex_};
        return inner_.give_back_due();
    }

    void release(void* p, std::size_t bytes, std::size_t alignment = default_alignment) noexcept
        requires Purging<inner_type>
    {
        const std::lock_guard lock{mutex_};
        detail::release(inner_, p, bytes, alignment);
    }

private:
    mutable std::mutex mutex_;
    // NOLINTNEXTLINE(cppcoreguidelines-avoid-const-or-ref-data-members): R may be a reference
    R inner_;
};

template <Allocating R>
synchronized_resource(R&) -> synchronized_resource<R&>;

} // namespace ARENITE_ABI
} // namespace arenite
