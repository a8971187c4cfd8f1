// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/core/resource_base.hpp>

#include <cstddef>
#include <memory>
#include <type_traits>

namespace arenite {
inline namespace ARENITE_ABI {

/// A standard allocator as a resource.
///
///     std::pmr::memory_resource* theirs = std::pmr::new_delete_resource();
///     allocator_resource within{std::pmr::polymorphic_allocator<>{theirs}};
///
/// Use when:  the memory of a pool or a heap should come from an allocator of yours; or a
///            std::pmr::memory_resource that is none of Arenite's is to be one of those that a
///            resource is made of (fallback_resource, limited_resource ...), which want more than
///            that interface. An upstream may be one as it is.
/// Cost:      that of the allocator.
/// Overhead:  sizes are rounded up to multiples of Alignment; an empty allocator takes no space.
/// Limits:    no alignment above `Alignment`, a compile-time constant, and powers of two only.
/// Threads:   as the allocator.
/// Failure:   whatever the allocator throws becomes out_of_memory / nullptr.
template <class Allocator, std::size_t Alignment = default_alignment>
class allocator_resource final : public resource_base<allocator_resource<Allocator, Alignment>> {
    struct alignas(Alignment) unit {
        std::byte bytes[Alignment];
    };
    using allocator = typename std::allocator_traits<Allocator>::template rebind_alloc<unit>;
    using traits = std::allocator_traits<allocator>;
    using pointer = typename traits::pointer;

public:
    explicit allocator_resource(const Allocator& from) noexcept : allocator_(from) {}

    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = default_alignment) noexcept {
        if (alignment > Alignment || !is_alignment(alignment) ||
            bytes > detail::max_object_bytes - Alignment)
            return nullptr;
        return try_call([&]() -> void* {
            return std::to_address(traits::allocate(allocator_, units_for(bytes)));
        });
    }

    void deallocate(void* p, std::size_t bytes, std::size_t = default_alignment) noexcept {
        const std::size_t units = units_for(bytes);
        unit* const first = static_cast<unit*>(p);
        if constexpr (std::is_pointer_v<pointer>)
            traits::deallocate(allocator_, first, units);
        else
            traits::deallocate(allocator_, std::pointer_traits<pointer>::pointer_to(*first), units);
    }

private:
    [[nodiscard]] static constexpr std::size_t units_for(std::size_t bytes) noexcept {
        return (bytes + (bytes == 0) + Alignment - 1) / Alignment;
    }

    template <class F>
    static void* try_call(F f) noexcept {
#if ARENITE_EXCEPTIONS
        try {
            return f();
        } catch (...) {
            return nullptr;
        }
#else
        return f();
#endif
    }

    ARENITE_NO_UNIQUE_ADDRESS allocator allocator_;
};

template <class Allocator>
allocator_resource(const Allocator&) -> allocator_resource<Allocator>;

} // namespace ARENITE_ABI
} // namespace arenite
