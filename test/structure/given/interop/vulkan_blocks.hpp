// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// needs <vulkan/vulkan_core.h>
#include <arenite/offset/offset_heap.hpp>
VkDevice device;
VkImage image;
VkMemoryRequirements needs;
VkPhysicalDeviceMemoryProperties memory_properties;
VkPhysicalDeviceLimits device_limits;
std::uint32_t type;
