// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/core/resource_base.hpp>
#include <arenite/core/system_resource.hpp>
#include <arenite/os/page_resource.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace arenite {
inline namespace ARENITE_ABI {

/// Pages for large requests, malloc for others: the default source of rows for a suballocator.
///
/// Use when:  as the upstream of many pools that may stay small.
/// Cost:      that of page_source() from `least_bytes` on, else of malloc.
/// Threads:   any.
/// Failure:   out_of_memory / nullptr; nothing changes.
class rows_or_malloc final : public resource_base<rows_or_malloc> {
public:
    /// Smaller requests go to malloc.
    static constexpr std::size_t least_bytes = 64_KiB;

    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = default_alignment) noexcept {
        return bytes < least_bytes ? system_resource().try_allocate(bytes, alignment)
                                   : page_source().try_allocate(bytes, alignment);
    }

    void deallocate(void* p, std::size_t bytes,
                    std::size_t alignment = default_alignment) noexcept {
        if (bytes < least_bytes)
            system_resource().deallocate(p, bytes, alignment);
        else
            page_source().deallocate(p, bytes, alignment);
    }

    /// Returns the memory of whole pages that were requested as such.
    void purge(void* p, std::size_t bytes) noexcept { page_source().purge(p, bytes); }
    bool give_back_due() noexcept { return page_source().give_back_due(); }

    /// deallocate, but pages are returned without delay.
    void release(void* p, std::size_t bytes, std::size_t alignment = default_alignment) noexcept {
        if (bytes < least_bytes)
            system_resource().deallocate(p, bytes, alignment);
        else
            page_source().release(p, bytes, alignment);
    }

    /// The instance of the process; never destroyed.
    [[nodiscard]] static rows_or_malloc& instance() noexcept;
};

/// A std::allocator that takes large memory from pages: huge ones from 2 MiB on.
///
///     std::vector<float, page_allocator<float>> heights(4096 * 4096);
///
/// Use when:  arrays of many MiB are accessed at random, or should be returned to the system when
///            freed; as the base of a suballocator, whose rows are then pages. Not for arrays that
///            grow step by step.
/// Cost:      that of malloc below 1 MiB, of page_source() from there on.
/// Overhead:  less than a page from 1 MiB on.
/// Threads:   any.
/// Failure:   out_of_memory; std::bad_array_new_length if a count's size does not fit.
template <class T>
class page_allocator {
    static_assert(std::is_object_v<T> && std::same_as<T, std::remove_cv_t<T>>,
                  "an allocator is for a type of objects, without const or volatile");

public:
    using value_type = T;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using propagate_on_container_move_assignment = std::true_type;
    using is_always_equal = std::true_type;

    /// Smaller requests go to malloc.
    static constexpr std::size_t least_bytes = 1_MiB;

    constexpr page_allocator() noexcept = default;
    template <class U>
    // NOLINTNEXTLINE(google-explicit-constructor): as every allocator's
    constexpr page_allocator(const page_allocator<U>&) noexcept {}

    [[nodiscard]] T* allocate(std::size_t n) {
        if (n > detail::max_object_bytes / sizeof(T)) [[unlikely]]
            throw_bad_array_length(n, sizeof(T));
        return static_cast<T*>(n * sizeof(T) < least_bytes
                                   ? system_resource().allocate(n * sizeof(T), alignof(T))
                                   : page_source().allocate(n * sizeof(T), alignof(T)));
    }

    void deallocate(T* p, std::size_t n) noexcept {
        if (n * sizeof(T) < least_bytes)
            system_resource().deallocate(p, n * sizeof(T), alignof(T));
        else
            page_source().deallocate(p, n * sizeof(T), alignof(T));
    }

    /// Where a suballocator over this takes its rows from.
    [[nodiscard]] static rows_or_malloc& rows() noexcept { return rows_or_malloc::instance(); }

    template <class U>
    [[nodiscard]] constexpr bool operator==(const page_allocator<U>&) const noexcept {
        return true;
    }
};

namespace detail {

/// A base that names another source of rows than its own allocate().
template <class Base>
concept names_rows = requires {
    { Base::rows() } -> std::convertible_to<resource&>;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
