// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Vulkan with the host's memory in an affinity: with a driver, and the callbacks by themselves.
#include <arenite/interop/vulkan.hpp>

#include "headless_vulkan.hpp"
#include "interop_test.hpp"

#include <vulkan/vulkan.h>

#include <cstdio>
#include <cstring>
#include <vector>

using namespace interop_test;

namespace {

const VkAllocationCallbacks callbacks =
    arenite::vulkan_memory<>::callbacks<VkAllocationCallbacks>();
constexpr VkSystemAllocationScope object = VK_SYSTEM_ALLOCATION_SCOPE_OBJECT;

/// A device, with objects in it, on whatever driver there is.
void with_a_driver() {
    {
        const headless_vulkan gpu{&callbacks};
        if (!gpu.ready()) {
            std::puts("no driver or no device: left out");
            return;
        }
        std::printf("on %s\n", gpu.properties().deviceName);
        EXPECT(is_reported("Vulkan"));
        const std::size_t before = in_use<arenite::affinities::vulkan>();
        EXPECT(before > 0);
        std::vector<VkBuffer> buffers(1000);
        for (VkBuffer& b : buffers) {
            VkBufferCreateInfo info{};
            info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
            info.size = 4096;
            info.usage = VK_BUFFER_USAGE_VERTEX_BUFFER_BIT;
            headless_vulkan::check(vkCreateBuffer(gpu.device(), &info, &callbacks, &b));
        }
        EXPECT(in_use<arenite::affinities::vulkan>() >= before + 1000 * sizeof(void*));
        for (VkBuffer b : buffers)
            vkDestroyBuffer(gpu.device(), b, &callbacks);
        EXPECT(in_use<arenite::affinities::vulkan>() == before);
        EXPECT(gpu.messages() == 0);
    }
    EXPECT(in_use<arenite::affinities::vulkan>() == 0);
}

void the_callbacks_by_themselves() {
    const auto& c = callbacks;
    EXPECT(c.pfnAllocation(nullptr, SIZE_MAX, 16, object) == nullptr);
    EXPECT(c.pfnAllocation(nullptr, 64, 24, object) == nullptr);
    EXPECT(c.pfnReallocation(nullptr, nullptr, SIZE_MAX, 16, object) == nullptr);
    c.pfnFree(nullptr, nullptr);
    void* p = c.pfnAllocation(nullptr, 0, 256, object);
    EXPECT(p != nullptr && arenite::is_aligned(p, 256));
    p = c.pfnReallocation(nullptr, p, 1000, 256, object);
    EXPECT(p != nullptr && arenite::is_aligned(p, 256));
    std::memset(p, 1, 1000);
    EXPECT(c.pfnReallocation(nullptr, p, SIZE_MAX, 256, object) == nullptr);
    EXPECT(c.pfnReallocation(nullptr, p, 100, 24, object) == nullptr);
    p = c.pfnReallocation(nullptr, p, 100'000, 256, object);
    EXPECT(p != nullptr && static_cast<char*>(p)[999] == 1);
    EXPECT(c.pfnReallocation(nullptr, p, 0, 256, object) == nullptr); // is a free
    p = c.pfnReallocation(nullptr, nullptr, 10, 16, object);
    c.pfnFree(nullptr, p);
    EXPECT(in_use<arenite::affinities::vulkan>() == 0);
}

} // namespace

int main() {
    the_callbacks_by_themselves();
    with_a_driver();
    return result();
}
