// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/alignment.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/neighbourhood.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/resource_base.hpp>

#include <concepts>
#include <cstddef>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// True if r currently knows the size of each of its allocations, and frees them without a size.
template <class R>
[[nodiscard]] bool keeps_sizes([[maybe_unused]] const R& r) noexcept {
    if constexpr (!Sizing<R> || !UnsizedFreeing<R>)
        return false;
    else if constexpr (requires { r.keeps_sizes(); })
        return r.keeps_sizes();
    else
        return true;
}

/// r.try_resize, with or without the alignment, as it is declared.
template <Resizing R>
[[nodiscard]] bool try_resize(R& r, void* p, std::size_t old_bytes, std::size_t new_bytes,
                              std::size_t alignment) {
    if constexpr (requires { r.try_resize(p, old_bytes, new_bytes, alignment); })
        return r.try_resize(p, old_bytes, new_bytes, alignment);
    else
        return r.try_resize(p, old_bytes, new_bytes);
}

/// Returns by itself, at calls that it is given for it, memory that has waited long enough. True
/// where a later call may return more: of a heap at once, of a page_resource in its time.
template <class R>
concept GivingBackDue = requires(R& r) {
    { r.give_back_due() } noexcept -> std::same_as<bool>;
};

/// r.release if it has one, otherwise r.deallocate.
template <Purging R>
void release(R& r, void* p, std::size_t bytes, std::size_t alignment) noexcept {
    if constexpr (Releasing<R>)
        r.release(p, bytes, alignment);
    else
        r.deallocate(p, bytes, alignment);
}

/// The name of a tracked_resource; nullptr: it was a limited_resource.
[[noreturn]] ARENITE_COLD void refuse_free(const char* name);

/// In checked builds: no more was freed than was given, which makes `in_use` wrap.
ARENITE_INLINE void expect_given([[maybe_unused]] std::size_t in_use,
                                 [[maybe_unused]] const char* name = nullptr) {
    if constexpr (checks_enabled)
        if (in_use > std::numeric_limits<std::size_t>::max() / 2) [[unlikely]]
            refuse_free(name);
}

/// Wraps one other resource, R, which it owns, or refers to if R is `heap&`. Operations that
/// neither allocate nor free single objects are forwarded here; the rest is up to the Derived.
template <class Derived, class R>
    requires Allocating<std::remove_reference_t<R>>
class resource_adaptor : public resource_base<Derived> {
public:
    using inner_type = std::remove_reference_t<R>;

    static constexpr bool is_concurrent = Concurrent<inner_type>;

    /// The R itself. Allocations made there directly are not known here.
    [[nodiscard]] inner_type& inner() noexcept { return inner_; }
    [[nodiscard]] const inner_type& inner() const noexcept { return inner_; }

    /// For messages: R's, where that has one. The address beside it there is that of this object.
    [[nodiscard]] std::string_view name() const noexcept
        requires Named<inner_type>
    {
        return inner_.name();
    }

    /// Allocates through the Derived's try_allocate_near.
    [[nodiscard]] auto near(const void* p) noexcept
        requires Placing<inner_type>
    {
        return neighbourhood<Derived>{static_cast<Derived&>(*this), p};
    }

    [[nodiscard]] bool owns(const void* p) const noexcept(noexcept(inner_.owns(p)))
        requires Owning<inner_type>
    {
        return inner_.owns(p);
    }

    [[nodiscard]] std::size_t size_of(const void* p) const noexcept(noexcept(inner_.size_of(p)))
        requires Sizing<inner_type>
    {
        return inner_.size_of(p);
    }

    /// True if size_of and deallocate(p) are available; see concept UnsizedFreeing.
    [[nodiscard]] bool keeps_sizes() const noexcept
        requires Sizing<inner_type>
    {
        return detail::keeps_sizes(inner_);
    }

    /// The part of an R that its budget leaves.
    [[nodiscard]] std::size_t left_bytes() const noexcept(Budgeted<inner_type>)
        requires(!std::is_reference_v<R> && requires(const inner_type& r) { r.left_bytes(); })
    {
        return inner_.left_bytes();
    }

    /// For an R that it owns: one that it only refers to lists its regions itself.
    void list_regions(region_sink& sink) const
        requires(!std::is_reference_v<R> && Mappable<inner_type>)
    {
        inner_.list_regions(sink);
    }

    auto trim()
        requires Trimmable<inner_type>
    {
        return inner_.trim();
    }

    /// Its answer is that of the resource inside.
    bool give_back_due() noexcept
        requires GivingBackDue<inner_type>
    {
        return inner_.give_back_due();
    }

    void purge(void* p, std::size_t bytes) noexcept
        requires Purging<inner_type>
    {
        inner_.purge(p, bytes);
    }

protected:
    template <class... Args>
    explicit resource_adaptor(std::in_place_t, Args&&... args)
        : inner_(std::forward<Args>(args)...) {}
    ~resource_adaptor() override = default;

    // NOLINTNEXTLINE(cppcoreguidelines-avoid-const-or-ref-data-members): R may be a reference
    R inner_;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
