// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/compose/detail/resource_pair.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/literals.hpp>

#include <cstddef>
#include <type_traits>

namespace arenite {
inline namespace ARENITE_ABI {

/// Uses the first resource, and the second if the first fails.
///
///     fallback_resource fr{a, b};                                   // refers to both
///     fallback_resource<linear_resource, ordered_heap> fs{1_MiB, ordered_options{}};   // its own
///
/// Use when:  the fast or preferred resource is small: a buffer, a pool of fixed size, a budget; or
///            some memory is reserved for when the system has no more. To share the work by size:
///            compose/segregated_resource.hpp.
/// Cost:      allocate that of the first and a test, and if it fails that of the second; deallocate
///            that of owns() in addition.
/// Overhead:  0 bytes an allocation.
/// Limits:    those of the second, if the first fails. One of them must recognise its own memory
///            (owns; the first is asked if both do), and must not claim the other's, as
///            page_source() claims that of every heap on top of it. What was freed as a whole there
///            (reset, a scope) must not be freed again here.
/// Threads:   any if both are Concurrent, otherwise one at a time.
/// Failure:   out_of_memory / nullptr if both fail; nothing changes.
///
/// Frees and resizes in place go to the resource that owns the memory. If the one that is asked
/// does not own it, they go to the other, which reports misuse as it can.
template <class First, class Second>
    requires Owning<std::remove_reference_t<First>> || Owning<std::remove_reference_t<Second>>
class fallback_resource final
    : public detail::resource_pair<fallback_resource<First, Second>, First, Second> {
    using base = detail::resource_pair<fallback_resource<First, Second>, First, Second>;

public:
    using base::base;
    using base::first;
    using base::second;

    [[nodiscard]] ARENITE_INLINE void*
    try_allocate(std::size_t bytes, std::size_t alignment = default_alignment) noexcept {
        void* const p = first().try_allocate(bytes, alignment);
        return p != nullptr ? p : second().try_allocate(bytes, alignment);
    }

    using base::deallocate;
    ARENITE_INLINE void deallocate(void* p, std::size_t bytes,
                                   std::size_t alignment = default_alignment) noexcept {
        if (base::is_of_first(p))
            first().deallocate(p, bytes, alignment);
        else
            second().deallocate(p, bytes, alignment);
    }

    [[nodiscard]] bool try_resize(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                  std::size_t alignment = default_alignment)
        requires base::both_resize
    {
        return base::is_of_first(p)
                   ? detail::try_resize(first(), p, old_bytes, new_bytes, alignment)
                   : detail::try_resize(second(), p, old_bytes, new_bytes, alignment);
    }
};

template <class First, class Second>
fallback_resource(First&, Second&) -> fallback_resource<First&, Second&>;

} // namespace ARENITE_ABI
} // namespace arenite
