// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// needs <vulkan/vulkan.h>
#include <vulkan/vulkan.h>

extern VkPhysicalDevice physical_device;
extern std::uint32_t heap_index;
extern arenite::budget_group all;
