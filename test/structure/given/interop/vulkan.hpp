// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// What vulkan_core.h declares.
enum VkSystemAllocationScope {};
struct VkAllocationCallbacks {
    void* pUserData;
    void* (*pfnAllocation)(void*, std::size_t, std::size_t, VkSystemAllocationScope);
    void* (*pfnReallocation)(void*, void*, std::size_t, std::size_t, VkSystemAllocationScope);
    void (*pfnFree)(void*, void*);
};
struct VkInstanceCreateInfo {
} info;
struct VkInstance_T* instance;
int vkCreateInstance(const VkInstanceCreateInfo*, const VkAllocationCallbacks*, VkInstance_T**);
