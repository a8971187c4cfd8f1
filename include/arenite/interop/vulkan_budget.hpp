// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/compose/budget_group.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/contract.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>

// Vulkan's header, or whatever includes it and came before, as a loader of functions does. Where
// there is none, or an old one, this header declares nothing.
#if !defined(VK_VERSION_1_0) && __has_include(<vulkan/vulkan_core.h>)
#include <vulkan/vulkan_core.h>
#endif

#if defined(VK_EXT_memory_budget) && defined(VK_VERSION_1_1)

namespace arenite {
inline namespace ARENITE_ABI {

/// Memory that a Vulkan driver lends this process of one heap of a device, by VK_EXT_memory_budget.
///
///     vulkan_budget vram{physical_device, vkGetPhysicalDeviceMemoryProperties2, heap_index};
///     budget_group textures{budget_group_options{.name = "textures"}, &all};
///     vram.update(textures);      // now and then, such as once a second
///
/// Use when:  the budget of device memory should follow what the driver can lend, as other programs
///            come and go. The blocks of a vulkan_blocks count in the group by budgeted_blocks.
/// Cost:      a query of the driver for each call.
/// Limits:    devices that have the extension, which need not be enabled, and Vulkan 1.1.
/// Misuse:    a missing function, or a heap that does not exist, is a contract violation.
/// Threads:   any.
/// Failure:   nullopt or false where the driver tells nothing; then nothing changes.
class vulkan_budget {
public:
    /// Bytes of this process.
    struct figures {
        std::uint64_t budget; ///< that it may use
        std::uint64_t usage;  ///< that it uses, whoever allocated them
    };

    vulkan_budget(VkPhysicalDevice device, PFN_vkGetPhysicalDeviceMemoryProperties2 get,
                  std::uint32_t heap) noexcept
        : device_{device}, get_{get}, heap_{heap} {
        if (get == nullptr)
            contract_violation("vulkan_budget: vkGetPhysicalDeviceMemoryProperties2 is missing");
    }

    /// nullopt: the device does not have the extension.
    [[nodiscard]] std::optional<figures> read() const noexcept {
        VkPhysicalDeviceMemoryBudgetPropertiesEXT budget{};
        budget.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT;
        VkPhysicalDeviceMemoryProperties2 all{};
        all.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2;
        all.pNext = &budget;
        get_(device_, &all);
        if (heap_ >= all.memoryProperties.memoryHeapCount)
            contract_violation("vulkan_budget: the device has no such memory heap");
        if (budget.heapBudget[heap_] == 0) // it left the structure as it was
            return std::nullopt;
        return figures{budget.heapBudget[heap_], budget.heapUsage[heap_]};
    }

    /// Sets the group's budget to what it has in use and what the driver lends beyond what the
    /// process uses; less than it has in use, if the process uses too much.
    bool update(budget_group& group) const noexcept {
        const std::optional<figures> now = read();
        if (!now)
            return false;
        const std::uint64_t ours = group.in_use();
        if (now->budget >= now->usage)
            group.set_budget(ours + (now->budget - now->usage));
        else
            group.set_budget(ours - std::min(ours, now->usage - now->budget));
        return true;
    }

private:
    VkPhysicalDevice device_;
    PFN_vkGetPhysicalDeviceMemoryProperties2 get_;
    std::uint32_t heap_;
};

} // namespace ARENITE_ABI
} // namespace arenite

#endif
