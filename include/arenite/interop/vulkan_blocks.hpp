// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/system_resource.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/offset/offset_allocation.hpp>
#include <arenite/offset/offset_move.hpp>
#include <arenite/offset/offset_moves.hpp>
#include <arenite/offset/offset_parts.hpp>
#include <arenite/offset/offset_source.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <span>

// Vulkan's header, or whatever includes it and came before, as a loader of functions does. Where
// there is none, this header declares nothing.
#if !defined(VK_VERSION_1_0) && __has_include(<vulkan/vulkan_core.h>)
#include <vulkan/vulkan_core.h>
#endif

#if defined(VK_VERSION_1_0)

namespace arenite {
inline namespace ARENITE_ABI {

/// Properties of the blocks of a vulkan_blocks.
struct vulkan_blocks_options {
    /// An index into the device's memory types: see vulkan_blocks::find_type().
    std::uint32_t memory_type = 0;

    bool mapped = false; ///< each block is mapped while it exists

    /// The usage of a buffer over each whole block; 0: there are no such buffers. Transfer source
    /// and destination are added.
    VkBufferUsageFlags buffer_usage = 0;

    /// A device limits its number of memory allocations, all heaps together:
    /// maxMemoryAllocationCount. This is the share of these blocks.
    std::uint32_t most_blocks = 4096;
    /// The most bytes of a block: maxMemoryAllocationSize.
    std::uint64_t most_bytes = std::numeric_limits<std::uint64_t>::max();

    const void* next = nullptr; ///< VkMemoryAllocateInfo::pNext
    const VkAllocationCallbacks* callbacks = nullptr;
};

/// Blocks of a Vulkan device's memory for an offset_heap: one vulkan_blocks per memory type.
///
///     vulkan_blocks blocks{device, vulkan_blocks::functions::of(device, vkGetDeviceProcAddr),
///                          memory_properties, {.memory_type = type}};
///     offset_heap textures{blocks.source(), {.parts = blocks.parts(device_limits)}};
///     ...
///     if (const auto a = textures.try_allocate(needs.size, needs.alignment,
///                                              {.kind = offset_kind::optimal}))
///         vkBindImageMemory(device, image, vulkan_blocks::at(textures.block_of(*a)).memory,
///                           a->offset);
///
/// Use when:  buffers and images are bound to parts of device memory, or meshes are parts of a few
///            large buffers (buffer_usage).
/// Cost:      a block is one vkAllocateMemory, mapped and with a buffer if requested.
/// Overhead:  24 bytes per block, from the upstream.
/// Limits:    no dedicated, imported or sparse memory. A block is no larger than the memory heap of
///            its type.
/// Misuse:    found in every build: a memory type that does not exist, one that should be mapped
///            and cannot be, a missing function, record() without buffers.
/// Threads:   one at a time, together with the heap that it serves, which it must outlive.
/// Failure:   no block, and nothing is leaked: Vulkan or the upstream refused, there are
///            most_blocks already, the block would be too large, or no buffer of that usage may lie
///            in such memory.
class vulkan_blocks {
public:
    /// The device functions that are called. No Vulkan function needs to be linked.
    struct functions {
        PFN_vkAllocateMemory allocate_memory = nullptr;
        PFN_vkFreeMemory free_memory = nullptr;
        PFN_vkMapMemory map_memory = nullptr;
        PFN_vkCreateBuffer create_buffer = nullptr;
        PFN_vkDestroyBuffer destroy_buffer = nullptr;
        PFN_vkGetBufferMemoryRequirements get_buffer_requirements = nullptr;
        PFN_vkBindBufferMemory bind_buffer_memory = nullptr;
        PFN_vkCmdCopyBuffer copy_buffer = nullptr;
        PFN_vkCmdPipelineBarrier pipeline_barrier = nullptr;

        [[nodiscard]] static functions of(VkDevice device, PFN_vkGetDeviceProcAddr get) noexcept;
        [[nodiscard]] bool complete() const noexcept;
    };

    /// A block, as block_of() of the heap names it.
    struct block {
        VkDeviceMemory memory = VK_NULL_HANDLE;
        VkBuffer buffer = VK_NULL_HANDLE; ///< over all of it, if options say so
        std::byte* mapped = nullptr;      ///< its start, if options say so
    };

    static constexpr std::uint32_t no_type = 0xFFFF'FFFF;

    vulkan_blocks(VkDevice device, const functions& calls,
                  const VkPhysicalDeviceMemoryProperties& memory,
                  const vulkan_blocks_options& options, upstream records = &system_resource());

    vulkan_blocks(const vulkan_blocks&) = delete;
    vulkan_blocks& operator=(const vulkan_blocks&) = delete;

    /// For an offset_heap.
    [[nodiscard]] offset_source source() noexcept;

    /// Options of such a heap for this memory: granularity is the device's alignment of uniform
    /// and storage buffers, and, if the CPU must flush its writes, at least nonCoherentAtomSize;
    /// conflict_page is bufferImageGranularity.
    [[nodiscard]] offset_options parts(const VkPhysicalDeviceLimits& limits) const noexcept;

    /// The first memory type out of `allowed`, a memoryTypeBits, with all required properties and
    /// the most preferred ones; no_type if there is none.
    [[nodiscard]] static std::uint32_t find_type(const VkPhysicalDeviceMemoryProperties& memory,
                                                 std::uint32_t allowed,
                                                 VkMemoryPropertyFlags required,
                                                 VkMemoryPropertyFlags preferred = 0) noexcept;

    /// Requires a value of block_of() or an offset_move, not nullptr.
    [[nodiscard]] static const block& at(const void* block_of) noexcept {
        return *static_cast<const block*>(block_of);
    }

    /// The range of this part for vkFlushMappedMemoryRanges and vkInvalidateMappedMemoryRanges, in
    /// a heap with the granularity of parts().
    [[nodiscard]] static VkMappedMemoryRange range(const void* block_of,
                                                   const offset_allocation& a) noexcept;

    /// Writes the copies of moves into a command buffer, from block buffer to block buffer: for
    /// parts that are buffers. Copy images yourself. Waits for all commands before, and all
    /// commands after wait for it, as do reads of the CPU. A sliding move takes a copy and a
    /// barrier for each gap() of its length.
    void record(VkCommandBuffer commands, std::span<const offset_move> list) const;
    void record(VkCommandBuffer commands, const offset_moves& list) const {
        record(commands, list.all());
    }

private:
    [[nodiscard]] block* get(std::uint64_t bytes) noexcept;
    [[nodiscard]] bool fill(block& b, std::uint64_t bytes) noexcept;
    void give_back(block* b) noexcept;
    void wait(VkCommandBuffer commands, VkPipelineStageFlags from, VkAccessFlags written,
              VkPipelineStageFlags to, VkAccessFlags used) const;

    VkDevice device_;
    functions calls_;
    vulkan_blocks_options options_;
    VkMemoryPropertyFlags properties_ = 0;
    std::uint32_t count_ = 0;
    upstream records_;
};

// ---- the device's functions ---------------------------------------------------------------------

inline vulkan_blocks::functions vulkan_blocks::functions::of(VkDevice device,
                                                             PFN_vkGetDeviceProcAddr get) noexcept {
    functions f;
    const auto find = [&]<class F>(F& function, const char* name) {
        function = reinterpret_cast<F>(get(device, name));
    };
    find(f.allocate_memory, "vkAllocateMemory");
    find(f.free_memory, "vkFreeMemory");
    find(f.map_memory, "vkMapMemory");
    find(f.create_buffer, "vkCreateBuffer");
    find(f.destroy_buffer, "vkDestroyBuffer");
    find(f.get_buffer_requirements, "vkGetBufferMemoryRequirements");
    find(f.bind_buffer_memory, "vkBindBufferMemory");
    find(f.copy_buffer, "vkCmdCopyBuffer");
    find(f.pipeline_barrier, "vkCmdPipelineBarrier");
    return f;
}

inline bool vulkan_blocks::functions::complete() const noexcept {
    return allocate_memory != nullptr && free_memory != nullptr && map_memory != nullptr &&
           create_buffer != nullptr && destroy_buffer != nullptr &&
           get_buffer_requirements != nullptr && bind_buffer_memory != nullptr &&
           copy_buffer != nullptr && pipeline_barrier != nullptr;
}

// ---- what the device says -----------------------------------------------------------------------

inline vulkan_blocks::vulkan_blocks(VkDevice device, const functions& calls,
                                    const VkPhysicalDeviceMemoryProperties& memory,
                                    const vulkan_blocks_options& options, upstream records)
    : device_{device}, calls_{calls}, options_{options}, records_{records} {
    if (!calls.complete())
        contract_violation("vulkan_blocks: the device lacks a function");
    if (options.memory_type >= memory.memoryTypeCount)
        contract_violation("vulkan_blocks: the device has no such memory type");
    const VkMemoryType& type = memory.memoryTypes[options.memory_type];
    properties_ = type.propertyFlags;
    if (options.mapped && (properties_ & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) == 0)
        contract_violation("vulkan_blocks: memory of this type cannot be mapped");
    options_.most_bytes =
        std::min<std::uint64_t>(options.most_bytes, memory.memoryHeaps[type.heapIndex].size);
}

inline offset_options vulkan_blocks::parts(const VkPhysicalDeviceLimits& limits) const noexcept {
    constexpr VkDeviceSize most = 64 * 1024; // of an offset_options' granularity
    VkDeviceSize granularity = std::max({VkDeviceSize{1}, limits.minUniformBufferOffsetAlignment,
                                         limits.minStorageBufferOffsetAlignment});
    const bool flushed = (properties_ & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0 &&
                         (properties_ & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) == 0;
    if (flushed)
        granularity = std::max(granularity, limits.nonCoherentAtomSize);
    return {.granularity = std::min(granularity, most),
            .conflict_page = limits.bufferImageGranularity};
}

inline std::uint32_t vulkan_blocks::find_type(const VkPhysicalDeviceMemoryProperties& memory,
                                              std::uint32_t allowed, VkMemoryPropertyFlags required,
                                              VkMemoryPropertyFlags preferred) noexcept {
    std::uint32_t best = no_type;
    int most = -1;
    for (std::uint32_t i = 0; i != memory.memoryTypeCount; ++i) {
        const VkMemoryPropertyFlags has = memory.memoryTypes[i].propertyFlags;
        if ((allowed >> i & 1) == 0 || (has & required) != required)
            continue;
        if (const int liked = std::popcount(has & preferred); liked > most) {
            most = liked;
            best = i;
        }
    }
    return best;
}

inline VkMappedMemoryRange vulkan_blocks::range(const void* block_of,
                                                const offset_allocation& a) noexcept {
    VkMappedMemoryRange r{};
    r.sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE;
    r.memory = at(block_of).memory;
    r.offset = a.offset;
    r.size = a.bytes;
    return r;
}

// ---- blocks -------------------------------------------------------------------------------------

inline offset_source vulkan_blocks::source() noexcept {
    return {.get = [](std::uint64_t bytes, void* self) noexcept -> void* {
                return static_cast<vulkan_blocks*>(self)->get(bytes);
            },
            .give_back =
                [](void* b, std::uint64_t, void* self) noexcept {
                    static_cast<vulkan_blocks*>(self)->give_back(static_cast<block*>(b));
                },
            .user = this};
}

inline vulkan_blocks::block* vulkan_blocks::get(std::uint64_t bytes) noexcept {
    if (count_ >= options_.most_blocks || bytes > options_.most_bytes)
        return nullptr;
    void* const place = records_.try_allocate(sizeof(block), alignof(block));
    if (place == nullptr)
        return nullptr;
    auto* const made = ::new (place) block{};
    ++count_;
    if (fill(*made, bytes))
        return made;
    give_back(made);
    return nullptr;
}

// Where it fails, the caller gives back the parts of the block that exist.
inline bool vulkan_blocks::fill(block& b, std::uint64_t bytes) noexcept {
    VkMemoryAllocateInfo memory{};
    memory.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    memory.pNext = options_.next;
    memory.allocationSize = bytes;
    memory.memoryTypeIndex = options_.memory_type;
    if (options_.buffer_usage != 0) {
        VkBufferCreateInfo buffer{};
        buffer.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
        buffer.size = bytes;
        buffer.usage = options_.buffer_usage | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                       VK_BUFFER_USAGE_TRANSFER_DST_BIT;
        if (calls_.create_buffer(device_, &buffer, options_.callbacks, &b.buffer) != VK_SUCCESS) {
            b.buffer = VK_NULL_HANDLE;
            return false;
        }
        VkMemoryRequirements needs{};
        calls_.get_buffer_requirements(device_, b.buffer, &needs);
        memory.allocationSize = std::max<VkDeviceSize>(bytes, needs.size);
        if ((needs.memoryTypeBits >> options_.memory_type & 1) == 0 ||
            memory.allocationSize > options_.most_bytes)
            return false;
    }
    if (calls_.allocate_memory(device_, &memory, options_.callbacks, &b.memory) != VK_SUCCESS) {
        b.memory = VK_NULL_HANDLE;
        return false;
    }
    if (b.buffer != VK_NULL_HANDLE &&
        calls_.bind_buffer_memory(device_, b.buffer, b.memory, 0) != VK_SUCCESS)
        return false;
    if (!options_.mapped)
        return true;
    void* mapped = nullptr;
    if (calls_.map_memory(device_, b.memory, 0, VK_WHOLE_SIZE, 0, &mapped) != VK_SUCCESS)
        return false;
    b.mapped = static_cast<std::byte*>(mapped);
    return true;
}

inline void vulkan_blocks::give_back(block* b) noexcept {
    // Both take VK_NULL_HANDLE; to free memory is to unmap it.
    calls_.destroy_buffer(device_, b->buffer, options_.callbacks);
    calls_.free_memory(device_, b->memory, options_.callbacks);
    b->~block();
    records_.deallocate(b, sizeof(block), alignof(block));
    --count_;
}

// ---- moves --------------------------------------------------------------------------------------

inline void vulkan_blocks::wait(VkCommandBuffer commands, VkPipelineStageFlags from,
                                VkAccessFlags written, VkPipelineStageFlags to,
                                VkAccessFlags used) const {
    VkMemoryBarrier barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    barrier.srcAccessMask = written;
    barrier.dstAccessMask = used;
    calls_.pipeline_barrier(commands, from, to, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

inline void vulkan_blocks::record(VkCommandBuffer commands,
                                  std::span<const offset_move> list) const {
    if (options_.buffer_usage == 0)
        contract_violation("vulkan_blocks: record() copies from buffer to buffer, and the blocks "
                           "have none: see vulkan_blocks_options::buffer_usage");
    constexpr VkAccessFlags copies = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
    constexpr VkPipelineStageFlags transfer = VK_PIPELINE_STAGE_TRANSFER_BIT;
    if (list.empty())
        return;
    wait(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_WRITE_BIT, transfer,
         copies);
    for (const offset_move& m : list) {
        const VkBuffer from = at(m.from_block).buffer;
        const VkBuffer to = at(m.to_block).buffer;
        const std::uint64_t piece = m.overlaps() ? m.gap() : m.bytes();
        for (std::uint64_t done = 0; done < m.bytes(); done += piece) {
            if (done != 0) // writes where the piece before has read
                wait(commands, transfer, VK_ACCESS_TRANSFER_WRITE_BIT, transfer, copies);
            const VkBufferCopy part{m.from.offset + done, m.to.offset + done,
                                    std::min(piece, m.bytes() - done)};
            calls_.copy_buffer(commands, from, to, 1, &part);
        }
    }
    wait(commands, transfer, VK_ACCESS_TRANSFER_WRITE_BIT,
         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT,
         VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_HOST_READ_BIT);
}

} // namespace ARENITE_ABI
} // namespace arenite

#endif // VK_VERSION_1_0
