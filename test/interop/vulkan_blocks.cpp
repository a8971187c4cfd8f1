// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Blocks of device memory: on a device that is made up, whose limits and refusals are given by
// hand, and (argument "device") on a driver, under the validation layer.
#include <arenite/core/contract.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/interop/vulkan_blocks.hpp>
#include <arenite/offset/offset_heap.hpp>

#include "headless_vulkan.hpp"
#include "interop_test.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

using namespace arenite;
using namespace arenite::literals;
using namespace interop_test;

namespace {

// ---- a device that is made up -------------------------------------------------------------------

struct made_up_device {
    std::set<std::uint64_t> memory, buffers; ///< what is alive
    std::uint64_t names = 0;
    int calls_left = 1 << 30; ///< until all fail
    std::uint32_t types = ~0U;
    VkDeviceSize page = 1; ///< buffers need whole ones
    std::vector<VkBufferCopy> copies;
    int barriers = 0;

    bool refuses() { return calls_left-- <= 0; }
} it;

template <class Handle>
Handle name(std::set<std::uint64_t>& alive) {
    alive.insert(++it.names);
    return reinterpret_cast<Handle>(it.names);
}
template <class Handle>
void end(std::set<std::uint64_t>& alive, Handle h) {
    EXPECT(h == VK_NULL_HANDLE || alive.erase(reinterpret_cast<std::uint64_t>(h)) == 1);
}

VkDeviceSize asked_of_buffer = 0;

const vulkan_blocks::functions made_up{
    .allocate_memory = [](VkDevice, const VkMemoryAllocateInfo* info, const VkAllocationCallbacks*,
                          VkDeviceMemory* made) -> VkResult {
        if (it.refuses())
            return VK_ERROR_OUT_OF_DEVICE_MEMORY;
        EXPECT(info->allocationSize >= asked_of_buffer);
        *made = name<VkDeviceMemory>(it.memory);
        return VK_SUCCESS;
    },
    .free_memory = [](VkDevice, VkDeviceMemory m,
                      const VkAllocationCallbacks*) { end(it.memory, m); },
    .map_memory = [](VkDevice, VkDeviceMemory, VkDeviceSize, VkDeviceSize, VkMemoryMapFlags,
                     void** at) -> VkResult {
        if (it.refuses())
            return VK_ERROR_MEMORY_MAP_FAILED;
        *at = &it;
        return VK_SUCCESS;
    },
    .create_buffer = [](VkDevice, const VkBufferCreateInfo* info, const VkAllocationCallbacks*,
                        VkBuffer* made) -> VkResult {
        if (it.refuses())
            return VK_ERROR_OUT_OF_HOST_MEMORY;
        asked_of_buffer = info->size;
        *made = name<VkBuffer>(it.buffers);
        return VK_SUCCESS;
    },
    .destroy_buffer = [](VkDevice, VkBuffer b,
                         const VkAllocationCallbacks*) { end(it.buffers, b); },
    .get_buffer_requirements =
        [](VkDevice, VkBuffer, VkMemoryRequirements* needs) {
            asked_of_buffer = (asked_of_buffer + it.page - 1) / it.page * it.page;
            *needs = {asked_of_buffer, it.page, it.types};
        },
    .bind_buffer_memory = [](VkDevice, VkBuffer, VkDeviceMemory, VkDeviceSize) -> VkResult {
        return it.refuses() ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_SUCCESS;
    },
    .copy_buffer =
        [](VkCommandBuffer, VkBuffer from, VkBuffer to, std::uint32_t n, const VkBufferCopy* c) {
            EXPECT(from != VK_NULL_HANDLE && to != VK_NULL_HANDLE && n == 1);
            it.copies.push_back(*c);
        },
    .pipeline_barrier = [](VkCommandBuffer, VkPipelineStageFlags, VkPipelineStageFlags,
                           VkDependencyFlags, std::uint32_t, const VkMemoryBarrier*, std::uint32_t,
                           const VkBufferMemoryBarrier*, std::uint32_t,
                           const VkImageMemoryBarrier*) { ++it.barriers; }};

constexpr VkMemoryPropertyFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
constexpr VkMemoryPropertyFlags visible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
constexpr VkMemoryPropertyFlags coherent = VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

VkPhysicalDeviceMemoryProperties three_types() {
    VkPhysicalDeviceMemoryProperties m{};
    m.memoryHeapCount = 2;
    m.memoryHeaps[0].size = 1_GiB;
    m.memoryHeaps[1].size = 16_MiB;
    m.memoryTypeCount = 3;
    m.memoryTypes[0] = {local, 0};
    m.memoryTypes[1] = {visible, 1};
    m.memoryTypes[2] = {visible | coherent, 1};
    return m;
}

void types_are_found_by_what_they_have() {
    const auto m = three_types();
    EXPECT(vulkan_blocks::find_type(m, 0b111, 0) == 0);
    EXPECT(vulkan_blocks::find_type(m, 0b111, visible) == 1);
    EXPECT(vulkan_blocks::find_type(m, 0b111, visible, coherent) == 2);
    EXPECT(vulkan_blocks::find_type(m, 0b011, visible, coherent) == 1);
    EXPECT(vulkan_blocks::find_type(m, 0b111, local | visible) == vulkan_blocks::no_type);
    EXPECT(vulkan_blocks::find_type(m, 0, 0) == vulkan_blocks::no_type);
}

void parts_follow_the_limits_of_the_device() {
    VkPhysicalDeviceLimits limits{};
    limits.minUniformBufferOffsetAlignment = 64;
    limits.minStorageBufferOffsetAlignment = 16;
    limits.nonCoherentAtomSize = 256;
    limits.bufferImageGranularity = 64_KiB;
    const auto of = [&](std::uint32_t type) {
        return vulkan_blocks{nullptr, made_up, three_types(), {.memory_type = type}}.parts(limits);
    };
    EXPECT(of(0).granularity == 64 && of(0).conflict_page == 64_KiB);
    EXPECT(of(1).granularity == 256); // its ranges are flushed, and must not meet
    EXPECT(of(2).granularity == 64);
    limits.minStorageBufferOffsetAlignment = 1_MiB;
    EXPECT(of(0).granularity == 64_KiB); // the most that parts may have
    limits = {};
    EXPECT(of(0).granularity == 1);
}

void blocks_are_what_was_asked_for() {
    it = {};
    it.page = 4096;
    {
        vulkan_blocks blocks{nullptr, made_up, three_types(), {.memory_type = 2, .mapped = true}};
        offset_heap heap{blocks.source(), {.first_block_bytes = 64_KiB}};
        const auto a = *heap.try_allocate(1000, 256);
        const auto& block = vulkan_blocks::at(heap.block_of(a));
        EXPECT(block.mapped == reinterpret_cast<std::byte*>(&it));
        EXPECT(block.buffer == VK_NULL_HANDLE && it.buffers.empty());
        const auto range = vulkan_blocks::range(heap.block_of(a), a);
        EXPECT(range.memory == block.memory && range.offset == a.offset && range.size == a.bytes);

        vulkan_blocks with_buffers{nullptr, made_up, three_types(), {.buffer_usage = 1}};
        offset_heap meshes{with_buffers.source(), {.first_block_bytes = 1000}};
        const auto b = *meshes.try_allocate(36, 36); // the buffer needs a whole page of memory
        EXPECT(vulkan_blocks::at(meshes.block_of(b)).mapped == nullptr);
        EXPECT(it.buffers.size() == 1 && it.memory.size() == 2);
    }
    EXPECT(it.memory.empty() && it.buffers.empty());
}

void what_is_too_large_or_too_many_is_not_asked_for() {
    it = {};
    vulkan_blocks blocks{nullptr, made_up, three_types(), {.memory_type = 2, .most_blocks = 2}};
    offset_heap heap{blocks.source()};
    EXPECT(!heap.try_allocate(17_MiB)); // the heap of that type has 16
    EXPECT(heap.why_refused() == offset_heap::refusal::source && it.names == 0);
    EXPECT(heap.try_allocate(1_MiB) && heap.try_allocate(3_MiB));
    EXPECT(!heap.try_allocate(9_MiB) && it.memory.size() == 2);

    vulkan_blocks small{nullptr, made_up, three_types(), {.most_bytes = 2_MiB}};
    offset_heap parts{small.source()};
    EXPECT(parts.try_allocate(2_MiB) && !parts.try_allocate(2_MiB + 1));

    it.types = 0b110; // of buffers
    vulkan_blocks elsewhere{nullptr, made_up, three_types(), {.buffer_usage = 1}};
    offset_heap none{elsewhere.source()};
    EXPECT(!none.try_allocate(1) && it.buffers.empty());
}

void a_device_that_refuses_at_any_call_loses_nothing() {
    for (int n = 0; n <= 4; ++n) {
        it = {};
        vulkan_blocks blocks{
            nullptr, made_up, three_types(), {.memory_type = 2, .mapped = true, .buffer_usage = 1}};
        it.calls_left = n; // buffer, memory, bind, map
        {
            offset_heap heap{blocks.source(), {.first_block_bytes = 1, .largest_block_bytes = 1}};
            EXPECT(heap.try_allocate(1).has_value() == (n == 4));
            EXPECT(it.memory.size() == (n == 4 ? 1U : 0U) && it.buffers.size() == it.memory.size());
            it.calls_left = 1000;
            EXPECT(heap.try_allocate(1).has_value());
        }
        EXPECT(it.memory.empty() && it.buffers.empty());
    }
}

struct violated {};

template <class F>
bool is_refused(F f) {
    const auto before =
        set_contract_handler([](const contract_violation_info&) { throw violated{}; });
    bool refused = false;
    try {
        f();
    } catch (const violated&) {
        refused = true;
    }
    set_contract_handler(before);
    return refused;
}

void misuse_is_found() {
    it = {};
    const auto make = [](const vulkan_blocks::functions& f, const vulkan_blocks_options& options) {
        return [=] { const vulkan_blocks blocks{nullptr, f, three_types(), options}; };
    };
    EXPECT(is_refused(make(made_up, {.memory_type = 3})));
    EXPECT(is_refused(make(made_up, {.memory_type = vulkan_blocks::no_type})));
    EXPECT(is_refused(make(made_up, {.memory_type = 0, .mapped = true})));
    EXPECT(!is_refused(make(made_up, {.memory_type = 1, .mapped = true})));
    auto lacking = made_up;
    lacking.copy_buffer = nullptr;
    EXPECT(is_refused(make(lacking, {})));
    const vulkan_blocks without_buffers{nullptr, made_up, three_types(), {}};
    EXPECT(is_refused([&] { without_buffers.record(nullptr, moves{&system_resource()}); }));
}

void what_slides_is_copied_in_pieces() {
    it = {};
    vulkan_blocks blocks{nullptr, made_up, three_types(), {.buffer_usage = 1}};
    offset_heap heap{blocks.source(), {.first_block_bytes = 1000, .largest_block_bytes = 1000}};
    const auto hole = *heap.try_allocate(300);
    const auto slides = *heap.try_allocate(490);
    heap.deallocate(hole);
    EXPECT(!heap.try_allocate(400) || heap.block_count() == 2);
    offset_move m{.from = slides, .to = slides, .from_block = heap.block_of(slides)};
    m.to.offset = slides.offset - 200;
    m.to_block = m.from_block;
    blocks.record(nullptr, {&m, 1});
    EXPECT(it.copies.size() == 3 && it.barriers == 4);
    std::uint64_t done = 0;
    for (const VkBufferCopy& c : it.copies) {
        EXPECT(c.srcOffset == m.from.offset + done && c.dstOffset == m.to.offset + done);
        EXPECT(c.size <= 200);
        done += c.size;
    }
    EXPECT(done == 490);
    blocks.record(nullptr, moves{&system_resource()});
    EXPECT(it.barriers == 4); // nothing to do, nothing written
}

// ---- a driver -----------------------------------------------------------------------------------

VkBuffer buffer_of(const headless_vulkan& vulkan, VkDeviceSize bytes) {
    VkBufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = bytes;
    info.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT;
    VkBuffer made = VK_NULL_HANDLE;
    headless_vulkan::check(vkCreateBuffer(vulkan.device(), &info, nullptr, &made));
    return made;
}

/// Parts of blocks that are mapped, each with contents of its own.
class placed_parts {
public:
    explicit placed_parts(const headless_vulkan& vulkan)
        : vulkan_{vulkan},
          type_{vulkan_blocks::find_type(vulkan.memory(), ~0U, visible | coherent)},
          blocks_{vulkan.device(),
                  vulkan_blocks::functions::of(vulkan.device(), vkGetDeviceProcAddr),
                  vulkan.memory(),
                  {.memory_type = type_, .mapped = true, .buffer_usage = 1}},
          heap_{blocks_.source(),
                {.parts = blocks_.parts(vulkan.properties().limits),
                 .first_block_bytes = 256_KiB,
                 .largest_block_bytes = 256_KiB,
                 .keep_empty_blocks = 0}} {}

    offset_heap& heap() { return heap_; }
    [[nodiscard]] std::size_t size() const { return parts_.size(); }

    /// A buffer that is bound there; the device is to write 32 bits again and again.
    VkBuffer add_buffer(VkDeviceSize bytes, std::uint32_t& contents) {
        const VkBuffer b = buffer_of(vulkan_, bytes);
        VkMemoryRequirements needs{};
        vkGetBufferMemoryRequirements(vulkan_.device(), b, &needs);
        EXPECT((needs.memoryTypeBits >> type_ & 1) != 0);
        add(*heap_.try_allocate(needs.size, needs.alignment));
        headless_vulkan::check(vkBindBufferMemory(
            vulkan_.device(), b, vulkan_blocks::at(heap_.block_of(*parts_.back())).memory,
            parts_.back()->offset));
        contents = 0x01010101U * contents_of(parts_.size() - 1);
        return b;
    }
    /// Written by the processor; false: there is no room.
    bool add_written(std::uint64_t bytes) {
        const auto a = heap_.try_allocate(bytes);
        if (a) {
            add(*a);
            std::memset(begin_of(*a), contents_of(parts_.size() - 1), a->bytes);
        }
        return a.has_value();
    }
    void end(std::size_t i) {
        heap_.deallocate(*parts_[i]);
        parts_[i].reset();
    }

    [[nodiscard]] bool all_right() const {
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            for (std::uint64_t n = 0; parts_[i] && n < parts_[i]->bytes && n < 64; ++n)
                wrong += begin_of(*parts_[i])[n] != contents_of(i) ? 1 : 0;
        }
        return wrong == 0;
    }

    /// Copies on the device, waits for it and commits. Returns how many slid.
    std::size_t carry_out(const offset_moves& todo) {
        vulkan_.run([&](VkCommandBuffer commands) { blocks_.record(commands, todo); });
        std::size_t slid = 0;
        for (const offset_move& m : todo) {
            *std::find(parts_.begin(), parts_.end(), std::optional{m.from}) = m.to;
            slid += m.overlaps() ? 1 : 0;
        }
        heap_.commit(todo);
        EXPECT(all_right());
        return slid;
    }

private:
    static unsigned char contents_of(std::size_t i) {
        return static_cast<unsigned char>(i * 7 + i / 251 + 1);
    }
    [[nodiscard]] unsigned char* begin_of(const offset_allocation& a) const {
        return reinterpret_cast<unsigned char*>(vulkan_blocks::at(heap_.block_of(a)).mapped) +
               a.offset;
    }
    void add(const offset_allocation& a) { parts_.emplace_back(a); }

    const headless_vulkan& vulkan_;
    std::uint32_t type_;
    vulkan_blocks blocks_;
    offset_heap heap_;
    std::vector<std::optional<offset_allocation>> parts_;
};

void buffers_are_bound_written_and_moved(const headless_vulkan& vulkan) {
    placed_parts parts{vulkan};
    std::vector<VkBuffer> buffers(500);
    std::vector<std::uint32_t> contents(buffers.size());
    for (std::size_t i = 0; i < buffers.size(); ++i)
        buffers[i] = parts.add_buffer(64 + i * 37 % 9000 / 4 * 4, contents[i]);
    vulkan.run([&](VkCommandBuffer commands) {
        for (std::size_t i = 0; i < buffers.size(); ++i)
            vkCmdFillBuffer(commands, buffers[i], 0, VK_WHOLE_SIZE, contents[i]);
    });
    EXPECT(parts.all_right());
    for (const VkBuffer b : buffers) // what was written stays
        vkDestroyBuffer(vulkan.device(), b, nullptr);

    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (i % 3 != 0)
            parts.end(i);
    }
    const std::size_t before = parts.heap().block_count();
    std::size_t moved = 0;
    for (bool done = false; !done;) {
        const offset_moves todo = parts.heap().step({.moves = 16});
        done = todo.done();
        moved += todo.size();
        static_cast<void>(parts.carry_out(todo));
    }
    std::printf("%zu blocks of %zu are left after %zu moves\n", parts.heap().block_count(), before,
                moved);
    EXPECT(parts.heap().block_count() <= before / 2 && moved > 50);
}

void what_slides_keeps_what_it_holds(const headless_vulkan& vulkan) {
    placed_parts parts{vulkan};
    while (parts.heap().block_count() < 2)
        static_cast<void>(parts.add_written(parts.size() % 2 == 0 ? 256 : 3000));
    parts.end(parts.size() - 1); // the one in a second block
    for (std::size_t i = 0; i + 1 < parts.size(); i += 2)
        parts.end(i); // holes that fit none of those between
    parts.heap().set_budget(256_KiB);
    std::size_t slid = 0;
    int rounds = 0;
    while (!parts.add_written(16'000) && ++rounds < 100)
        slid += parts.carry_out(
            parts.heap().make_room(16'000, 1, {.moves = 20}, offset_moves::may_overlap));
    std::printf("%zu slid, in %d rounds\n", slid, rounds);
    EXPECT(slid > 10 && rounds < 100 && parts.all_right());
}

int on_a_driver() {
    headless_vulkan vulkan;
    if (!vulkan.ready()) {
        std::puts("skipped: no Vulkan driver, or no device");
        return 77;
    }
    std::printf("on %s, %s\n", vulkan.properties().deviceName,
                vulkan.is_validated() ? "validated" : "without the validation layer");
    buffers_are_bound_written_and_moved(vulkan);
    what_slides_keeps_what_it_holds(vulkan);
    EXPECT(vulkan.messages() == 0);
    return result();
}

} // namespace

int main(int count, char** arguments) {
    if (count > 1 && arguments[1] == std::string_view{"device"})
        return on_a_driver();
    types_are_found_by_what_they_have();
    parts_follow_the_limits_of_the_device();
    blocks_are_what_was_asked_for();
    what_is_too_large_or_too_many_is_not_asked_for();
    a_device_that_refuses_at_any_call_loses_nothing();
    misuse_is_found();
    what_slides_is_copied_in_pieces();
    return result();
}
