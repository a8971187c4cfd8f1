// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The one file that compiles VulkanMemoryAllocator. No device is there: the functions that it calls
// hand out numbers.
#define VMA_IMPLEMENTATION
#define VMA_STATIC_VULKAN_FUNCTIONS 0
#define VMA_DYNAMIC_VULKAN_FUNCTIONS 0
#define VMA_VULKAN_VERSION 1000000
#define VK_NO_PROTOTYPES
#include <vk_mem_alloc.h>

#include "vma.hpp"

namespace arenite::lab {
namespace {

VmaVulkanFunctions stand_ins() {
    VmaVulkanFunctions f{};
    f.vkGetPhysicalDeviceProperties = [](VkPhysicalDevice, VkPhysicalDeviceProperties* p) {
        *p = {};
        p->apiVersion = VK_API_VERSION_1_0;
        p->limits.bufferImageGranularity = 1;
        p->limits.nonCoherentAtomSize = 1;
        p->limits.maxMemoryAllocationCount = ~0U;
    };
    f.vkGetPhysicalDeviceMemoryProperties = [](VkPhysicalDevice,
                                               VkPhysicalDeviceMemoryProperties* p) {
        *p = {};
        p->memoryTypeCount = p->memoryHeapCount = 1;
        p->memoryTypes[0] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0};
        p->memoryHeaps[0] = {std::uint64_t{1} << 50, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
    };
    f.vkAllocateMemory = [](VkDevice, const VkMemoryAllocateInfo*, const VkAllocationCallbacks*,
                            VkDeviceMemory* made) -> VkResult {
        static std::uintptr_t names = 0;
        *made = reinterpret_cast<VkDeviceMemory>(++names);
        return VK_SUCCESS;
    };
    f.vkFreeMemory = [](VkDevice, VkDeviceMemory, const VkAllocationCallbacks*) {};
    // Never called here, but required.
    f.vkMapMemory = [](VkDevice, VkDeviceMemory, VkDeviceSize, VkDeviceSize, VkMemoryMapFlags,
                       void**) -> VkResult { return VK_ERROR_MEMORY_MAP_FAILED; };
    f.vkUnmapMemory = [](VkDevice, VkDeviceMemory) {};
    f.vkFlushMappedMemoryRanges = f.vkInvalidateMappedMemoryRanges =
        [](VkDevice, std::uint32_t, const VkMappedMemoryRange*) -> VkResult { return VK_SUCCESS; };
    f.vkBindBufferMemory = [](VkDevice, VkBuffer, VkDeviceMemory, VkDeviceSize) -> VkResult {
        return VK_SUCCESS;
    };
    f.vkBindImageMemory = [](VkDevice, VkImage, VkDeviceMemory, VkDeviceSize) -> VkResult {
        return VK_SUCCESS;
    };
    f.vkGetBufferMemoryRequirements = [](VkDevice, VkBuffer, VkMemoryRequirements*) {};
    f.vkGetImageMemoryRequirements = [](VkDevice, VkImage, VkMemoryRequirements*) {};
    f.vkCreateBuffer = [](VkDevice, const VkBufferCreateInfo*, const VkAllocationCallbacks*,
                          VkBuffer*) -> VkResult { return VK_ERROR_OUT_OF_HOST_MEMORY; };
    f.vkDestroyBuffer = [](VkDevice, VkBuffer, const VkAllocationCallbacks*) {};
    f.vkCreateImage = [](VkDevice, const VkImageCreateInfo*, const VkAllocationCallbacks*,
                         VkImage*) -> VkResult { return VK_ERROR_OUT_OF_HOST_MEMORY; };
    f.vkDestroyImage = [](VkDevice, VkImage, const VkAllocationCallbacks*) {};
    f.vkCmdCopyBuffer = [](VkCommandBuffer, VkBuffer, VkBuffer, std::uint32_t,
                           const VkBufferCopy*) {};
    return f;
}

/// VMA looks whether there is one, and no more.
template <class Handle>
Handle some() {
    return reinterpret_cast<Handle>(std::uintptr_t{1});
}

void check(VkResult r, const char* what) {
    if (r < 0)
        throw cannot_run{std::string{"VMA refuses "} + what};
}

} // namespace

// ---- a virtual block ----------------------------------------------------------------------------

vma::offsets::offsets(std::uint64_t capacity, std::uint64_t granularity, bool min_memory)
    : granularity_{granularity}, min_memory_{min_memory} {
    const VmaVirtualBlockCreateInfo info{.size = capacity, .flags = 0, .pAllocationCallbacks = {}};
    VmaVirtualBlock made = nullptr;
    check(vmaCreateVirtualBlock(&info, &made), "a virtual block");
    block_ = made;
}

vma::offsets::~offsets() {
    vmaClearVirtualBlock(static_cast<VmaVirtualBlock>(block_));
    vmaDestroyVirtualBlock(static_cast<VmaVirtualBlock>(block_));
}

std::optional<vma::offsets::part>
vma::offsets::allocate(std::uint64_t bytes, std::uint64_t alignment, std::uint64_t owner) {
    bytes = (bytes + granularity_ - 1) / granularity_ * granularity_;
    VmaVirtualAllocationCreateInfo info{};
    info.size = bytes;
    info.alignment = alignment;
    info.flags = min_memory_ ? VMA_VIRTUAL_ALLOCATION_CREATE_STRATEGY_MIN_MEMORY_BIT : 0;
    info.pUserData = reinterpret_cast<void*>(owner);
    VmaVirtualAllocation made = VK_NULL_HANDLE;
    VkDeviceSize offset = 0;
    if (vmaVirtualAllocate(static_cast<VmaVirtualBlock>(block_), &info, &made, &offset) !=
        VK_SUCCESS)
        return std::nullopt;
    return part{made, offset, bytes};
}

void vma::offsets::deallocate(const part& p) {
    vmaVirtualFree(static_cast<VmaVirtualBlock>(block_), static_cast<VmaVirtualAllocation>(p.name));
}

// ---- blocks that are emptied --------------------------------------------------------------------

struct vma::block_heap::state {
    VmaAllocator allocator = nullptr;
    VmaPool pool = nullptr;
    VmaDefragmentationContext run = nullptr;
    VmaDefragmentationPassMoveInfo pass{};
    bool nothing_left = false;

    [[nodiscard]] VmaStatistics statistics() const {
        VmaStatistics s{};
        vmaGetPoolStatistics(allocator, pool, &s);
        return s;
    }
};

vma::block_heap::block_heap(std::uint64_t block_bytes) : state_{new state} {
    const VmaVulkanFunctions functions = stand_ins();
    VmaAllocatorCreateInfo info{};
    info.flags = VMA_ALLOCATOR_CREATE_EXTERNALLY_SYNCHRONIZED_BIT;
    info.physicalDevice = some<VkPhysicalDevice>();
    info.device = some<VkDevice>();
    info.instance = some<VkInstance>();
    info.pVulkanFunctions = &functions;
    info.vulkanApiVersion = VK_API_VERSION_1_0;
    check(vmaCreateAllocator(&info, &state_->allocator), "an allocator");
    VmaPoolCreateInfo pool{};
    pool.blockSize = block_bytes;
    check(vmaCreatePool(state_->allocator, &pool, &state_->pool), "a pool");
}

vma::block_heap::~block_heap() {
    if (state_->run != nullptr)
        vmaEndDefragmentation(state_->allocator, state_->run, nullptr);
    vmaDestroyPool(state_->allocator, state_->pool);
    vmaDestroyAllocator(state_->allocator);
    delete state_;
}

vma::block_heap::part vma::block_heap::allocate(std::uint64_t bytes, std::uint64_t owner) {
    const VkMemoryRequirements needs{bytes, 256, 1};
    VmaAllocationCreateInfo info{};
    info.pool = state_->pool;
    info.pUserData = reinterpret_cast<void*>(owner);
    VmaAllocation made = nullptr;
    check(vmaAllocateMemory(state_->allocator, &needs, &info, &made, nullptr), "memory");
    parts_.insert(made);
    return made;
}

vma::block_heap::place vma::block_heap::place_of(part p) const {
    VmaAllocationInfo info{};
    vmaGetAllocationInfo(state_->allocator, static_cast<VmaAllocation>(p), &info);
    return {reinterpret_cast<std::uint64_t>(info.pUserData), info.deviceMemory, info.offset,
            info.size};
}

void vma::block_heap::deallocate(part p) {
    parts_.erase(p);
    vmaFreeMemory(state_->allocator, static_cast<VmaAllocation>(p));
}

std::uint64_t vma::block_heap::plan(std::size_t moves) {
    if (state_->run == nullptr) {
        VmaDefragmentationInfo info{};
        info.pool = state_->pool;
        info.maxAllocationsPerPass = static_cast<std::uint32_t>(moves);
        check(vmaBeginDefragmentation(state_->allocator, &info, &state_->run), "defragmentation");
    }
    state_->nothing_left =
        vmaBeginDefragmentationPass(state_->allocator, state_->run, &state_->pass) == VK_SUCCESS;
    std::uint64_t bytes = 0;
    for (std::uint32_t i = 0; i < state_->pass.moveCount; ++i) {
        VmaAllocationInfo moved{};
        vmaGetAllocationInfo(state_->allocator, state_->pass.pMoves[i].srcAllocation, &moved);
        bytes += moved.size;
    }
    return bytes;
}

bool vma::block_heap::settle() {
    return state_->nothing_left ||
           vmaEndDefragmentationPass(state_->allocator, state_->run, &state_->pass) == VK_SUCCESS;
}

std::size_t vma::block_heap::block_count() const { return state_->statistics().blockCount; }
std::uint64_t vma::block_heap::bytes_in_use() const { return state_->statistics().allocationBytes; }

std::vector<subject_info> vma::ways() {
    return {{.name = "vma",
             .summary = "VulkanMemoryAllocator: virtual block, defragmentation",
             .pages = "4k",
             .version = ARENITE_LAB_VMA_VERSION}};
}
std::vector<subject_info> vma_min_memory::ways() {
    return {{.name = "vma.min_memory",
             .summary = "its virtual block, strategy min memory",
             .pages = "4k",
             .version = ARENITE_LAB_VMA_VERSION}};
}

} // namespace arenite::lab
