// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/affinity/affinity.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/interop/malloc_like.hpp>

#include <cstddef>
#include <string_view>

namespace arenite {
inline namespace ARENITE_ABI {

namespace affinities {
struct vulkan final {
    static constexpr std::string_view name = "Vulkan";
};
} // namespace affinities

/// A Vulkan driver's host allocations, in an affinity of its own.
///
///     const auto callbacks = arenite::vulkan_memory<>::callbacks<VkAllocationCallbacks>();
///     vkCreateInstance(&info, &callbacks, &instance);
///
/// Use when:  the driver's memory for a program's objects should be measured. Rarely for speed: few
///            drivers allocate much through these callbacks.
/// Cost:      malloc_like's.
/// Limits:    an object must be destroyed with callbacks compatible with those it was created with,
///            as Vulkan requires. Memory that drivers allocate by themselves is not seen.
/// Threads:   any.
/// Failure:   nullptr: Vulkan returns VK_ERROR_OUT_OF_HOST_MEMORY.
template <AffinityTag A = affinities::vulkan>
class vulkan_memory {
public:
    using memory = malloc_like<A>;

    /// `Callbacks` is VkAllocationCallbacks.
    template <class Callbacks>
    [[nodiscard]] static Callbacks callbacks() noexcept {
        Callbacks c{};
        c.pfnAllocation = &allocate;
        c.pfnReallocation = &reallocate;
        c.pfnFree = &deallocate;
        return c;
    }

private:
    template <class Scope>
    static void* allocate(void*, std::size_t bytes, std::size_t alignment, Scope) noexcept {
        return memory::allocate_aligned(bytes, alignment);
    }
    /// 0 bytes free it, as Vulkan specifies. The alignment is that of the original.
    template <class Scope>
    static void* reallocate(void*, void* p, std::size_t bytes, std::size_t alignment,
                            Scope) noexcept {
        if (p == nullptr)
            return memory::allocate_aligned(bytes, alignment);
        if (bytes == 0) {
            memory::deallocate(p);
            return nullptr;
        }
        return is_alignment(alignment) ? detail::reallocate_any(p, bytes, alignment) : nullptr;
    }
    static void deallocate(void*, void* p) noexcept { memory::deallocate(p); }
};

} // namespace ARENITE_ABI
} // namespace arenite
