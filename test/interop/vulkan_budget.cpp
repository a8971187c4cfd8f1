// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The memory that a driver lends: by a device that is made up, and (argument "device") by a driver.
#include <arenite/core/literals.hpp>
#include <arenite/interop/vulkan_blocks.hpp>
#include <arenite/interop/vulkan_budget.hpp>
#include <arenite/offset/budgeted_blocks.hpp>
#include <arenite/offset/offset_heap.hpp>

#include "interop_test.hpp"

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string_view>

using namespace arenite;
using namespace arenite::literals;
using namespace interop_test;

namespace {

constexpr int no_device = 77;

// ---- a device that is made up -------------------------------------------------------------------

struct made_up {
    static inline bool has_extension = true;
    static inline std::uint64_t budget = 0, usage = 0;
    static void VKAPI_CALL get(VkPhysicalDevice, VkPhysicalDeviceMemoryProperties2* all) {
        all->memoryProperties.memoryHeapCount = 2;
        if (!has_extension)
            return;
        auto* const b = static_cast<VkPhysicalDeviceMemoryBudgetPropertiesEXT*>(all->pNext);
        EXPECT(b->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT);
        b->heapBudget[1] = budget;
        b->heapUsage[1] = usage;
    }
};

void a_group_follows_what_is_lent() {
    const vulkan_budget vram{nullptr, &made_up::get, 1};
    budget_group textures{1_GiB};
    EXPECT(textures.try_take(100));
    made_up::budget = 1000;
    made_up::usage = 300; // of which 200 are not of this group
    EXPECT(vram.read()->budget == 1000 && vram.read()->usage == 300);
    EXPECT(vram.update(textures));
    EXPECT(textures.budget_bytes() == 800);
    made_up::usage = 1050; // others came: 50 too many
    EXPECT(vram.update(textures));
    EXPECT(textures.budget_bytes() == 50 && textures.level() == budget_level::critical);
    EXPECT(!textures.try_take(1));
    made_up::usage = 2000;
    EXPECT(vram.update(textures));
    EXPECT(textures.budget_bytes() == 0);
    made_up::has_extension = false;
    EXPECT(!vram.read() && !vram.update(textures));
    EXPECT(textures.budget_bytes() == 0);
    textures.give(100);
}

// ---- a driver -----------------------------------------------------------------------------------

int on_a_driver() {
    VkApplicationInfo application{};
    application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
    application.apiVersion = VK_API_VERSION_1_1;
    VkInstanceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
    info.pApplicationInfo = &application;
    VkInstance instance = nullptr;
    if (vkCreateInstance(&info, nullptr, &instance) != VK_SUCCESS)
        return no_device;
    std::uint32_t count = 1;
    VkPhysicalDevice device = nullptr;
    vkEnumeratePhysicalDevices(instance, &count, &device);
    if (device == nullptr) {
        vkDestroyInstance(instance, nullptr);
        return no_device;
    }
    const vulkan_budget memory{device, &vkGetPhysicalDeviceMemoryProperties2, 0};
    budget_group vram{{.name = "device memory", .budget_bytes = 64_MiB}};
    if (const std::optional<vulkan_budget::figures> now = memory.read()) {
        std::printf("the driver lends %llu MiB, of which %llu are used\n",
                    static_cast<unsigned long long>(now->budget / 1_MiB),
                    static_cast<unsigned long long>(now->usage / 1_MiB));
        EXPECT(memory.update(vram));
    } else {
        std::puts("the device does not have VK_EXT_memory_budget");
        EXPECT(!memory.update(vram));
        EXPECT(vram.budget_bytes() == 64_MiB);
    }
    EXPECT(vram.budget_bytes() > 0);

    const float priority = 1;
    VkDeviceQueueCreateInfo queue{};
    queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    VkDeviceCreateInfo made{};
    made.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    made.queueCreateInfoCount = 1;
    made.pQueueCreateInfos = &queue;
    VkDevice logical = nullptr;
    EXPECT(vkCreateDevice(device, &made, nullptr, &logical) == VK_SUCCESS);
    if (logical == nullptr)
        return result();
    VkPhysicalDeviceMemoryProperties types{};
    vkGetPhysicalDeviceMemoryProperties(device, &types);
    {
        vulkan_blocks blocks{logical,
                             vulkan_blocks::functions::of(logical, &vkGetDeviceProcAddr),
                             types,
                             {.memory_type = 0}};
        budgeted_blocks counted{vram, blocks.source()};
        offset_heap heap{counted.source(), offset_heap_options{}};
        const auto a = heap.try_allocate(3_MiB, 256);
        EXPECT(a.has_value());
        EXPECT(vram.in_use() >= 3_MiB && vram.in_use() == counted.in_use());
        vram.set_budget(vram.in_use()); // as if others had come
        EXPECT(!heap.try_allocate(300_MiB, 256));
        if (a)
            heap.deallocate(*a);
    }
    EXPECT(vram.in_use() == 0);
    vkDestroyDevice(logical, nullptr);
    vkDestroyInstance(instance, nullptr);
    return result();
}

} // namespace

int main(int count, char** arguments) {
    if (count > 1 && arguments[1] == std::string_view{"device"})
        return on_a_driver();
    a_group_follows_what_is_lent();
    return result();
}
