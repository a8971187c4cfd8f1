// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/resource.hpp>
#include <arenite/linear/double_ended_resource.hpp>

#include <concepts>
#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {

/// Lets an EASTL container take its memory from a resource.
///
///     using memory = eastl_allocator<double_ended_resource>;
///     double_ended_resource level{64_MiB};
///     eastl::vector<int, memory> parsed{memory{level}};
///     void* const mesh = memory{level}.allocate(1_MiB, eastl::MEM_PERM);
///
/// Use when:  a program uses EASTL containers. For a long-lived container use the high end
///            directly, `eastl_allocator<linear_resource>{level.high()}`: EASTL containers never
///            set flags, which are for the program's own calls.
/// Flags:     MEM_TEMP, 0, from the low end of a double-ended resource; MEM_PERM, 1, from the high
///            end. Other bits are ignored, as are all flags with other resources.
/// Cost:      that of the resource; direct calls, or virtual ones if R is `resource`.
/// Overhead:  one pointer per container. Each request has the same `Alignment`.
/// Limits:    EASTL does not pass the alignment when it frees, so all allocations have the same:
///            `Alignment`, which must be at least that of the container's elements. The resource
///            must outlive the container. There is no default: a container must be given its
///            resource. Names are not kept: tracked_resource has one.
/// Misuse:    an alignment above `Alignment` or not a power of two, or an offset that is not a
///            multiple of it, is a contract violation in every build.
/// Threads:   those of the resource.
/// Failure:   what the resource throws; EASTL does not look for a null pointer.
/// Source:    Kaltenbrunn, Modern Memory Management (2018), 6.1.2 and 8.1.2.
template <class R = resource, std::size_t Alignment = default_alignment>
class eastl_allocator {
    static_assert(is_alignment(Alignment), "an alignment is a power of two");

public:
    /// Memory from r, which must outlive all allocations.
    explicit eastl_allocator(R& r) noexcept : resource_{&r} {}
    explicit eastl_allocator(const R&&) = delete; // a temporary would be gone before the container

    /// Used by an EASTL container that is given no allocator.
    explicit eastl_allocator(const char* name) = delete; // tell the container its resource

    /// Copies it under another name, which is not kept.
    eastl_allocator(const eastl_allocator& other, const char*) noexcept
        : resource_{other.resource_} {}

    [[nodiscard]] ARENITE_INLINE void* allocate(std::size_t bytes, int flags = 0) {
        if constexpr (has_lifetimes)
            return resource_->allocate(bytes, Alignment,
                                       (flags & permanent) != 0 ? lifetime::permanent
                                                                : lifetime::temporary);
        else
            return resource_->allocate(bytes, Alignment);
    }

    /// Memory of which the byte at `offset` is aligned.
    [[nodiscard]] ARENITE_INLINE void* allocate(std::size_t bytes, std::size_t alignment,
                                                std::size_t offset, int flags = 0) {
        if (!is_alignment(alignment) || alignment > Alignment || (offset & (alignment - 1)) != 0)
            [[unlikely]]
            refuse(alignment, offset);
        return allocate(bytes, flags);
    }

    /// Frees an allocation of the same size; nullptr does nothing.
    ARENITE_INLINE void deallocate(void* p, std::size_t bytes) noexcept {
        if (p != nullptr)
            resource_->deallocate(p, bytes, Alignment);
    }

    [[nodiscard]] const char* get_name() const noexcept { return "arenite"; }
    void set_name(const char*) noexcept {}

    /// The resource; never nullptr.
    [[nodiscard]] R* resource() const noexcept { return resource_; }

    /// True if each can free what the other allocated.
    [[nodiscard]] friend bool operator==(const eastl_allocator& a,
                                         const eastl_allocator& b) noexcept {
        if constexpr (std::same_as<R, arenite::resource>)
            return *a.resource_ == *b.resource_;
        else
            return a.resource_ == b.resource_;
    }

private:
    static constexpr int permanent = 1; // eastl::MEM_PERM

    static constexpr bool has_lifetimes = requires(R& r, std::size_t n) {
        { r.allocate(n, n, lifetime::permanent) } -> std::same_as<void*>;
    };

    [[noreturn]] ARENITE_COLD static void refuse(std::size_t alignment, std::size_t offset) {
        contract_violation_f(std::source_location::current(),
                             "EASTL asks for alignment %zu at offset %zu of an eastl_allocator for "
                             "alignments up to %zu: raise its Alignment; offsets are multiples",
                             alignment, offset, Alignment);
    }

    R* resource_;
};

} // namespace ARENITE_ABI
} // namespace arenite
