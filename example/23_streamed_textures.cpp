// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Textures come and go within a budget of device memory. When most of a level is gone its blocks
// are nearly empty, and none can go back. A little each frame is moved: an image is made at the new
// place, the device copies, and once that frame's fence is passed the old one ends. Blocks that
// became empty go back. Runs without a window; left out where there is no Vulkan.

#include <arenite/core/literals.hpp>
#include <arenite/interop/vulkan_blocks.hpp>
#include <arenite/offset/offset_heap.hpp>

#include "headless_vulkan.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <random>
#include <vector>

using namespace arenite::literals;
using arenite::vulkan_blocks;

namespace {

constexpr std::uint64_t budget_bytes = 32_MiB;

/// Images stay in the general layout, for brevity.
struct texture {
    VkImage image;
    arenite::offset_allocation place;
    std::uint32_t side;
    bool leaving = false;
};

void wait(VkCommandBuffer commands, VkImage image, VkImageLayout from) {
    VkImageMemoryBarrier b{};
    b.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
    b.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    b.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
    b.oldLayout = from;
    b.newLayout = VK_IMAGE_LAYOUT_GENERAL;
    b.srcQueueFamilyIndex = b.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    b.image = image;
    b.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
                         0, 0, nullptr, 0, nullptr, 1, &b);
}

VkImage make_image(VkDevice device, std::uint32_t side) {
    VkImageCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = VK_FORMAT_R8G8B8A8_UNORM;
    info.extent = {side, side, 1};
    info.mipLevels = info.arrayLayers = 1;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.tiling = VK_IMAGE_TILING_OPTIMAL;
    info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                 VK_IMAGE_USAGE_SAMPLED_BIT;
    VkImage made = VK_NULL_HANDLE;
    headless_vulkan::check(vkCreateImage(device, &info, nullptr, &made));
    return made;
}

VkMemoryRequirements needs_of(VkDevice device, VkImage image) {
    VkMemoryRequirements needs{};
    vkGetImageMemoryRequirements(device, image, &needs);
    return needs;
}

/// The memory type for such images: where the device reads best.
std::uint32_t type_of_images(const headless_vulkan& vulkan) {
    const VkImage any = make_image(vulkan.device(), 64);
    const VkMemoryRequirements needs = needs_of(vulkan.device(), any);
    vkDestroyImage(vulkan.device(), any, nullptr);
    return vulkan_blocks::find_type(vulkan.memory(), needs.memoryTypeBits, 0,
                                    VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
}

arenite::offset_heap_options within_budget(arenite::offset_options parts) {
    parts.user_data = true; // which texture lies there
    return {.parts = parts,
            .largest_block_bytes = 4_MiB,
            .keep_empty_blocks = 0,
            .budget_bytes = budget_bytes};
}

class texture_streamer {
public:
    explicit texture_streamer(const headless_vulkan& vulkan)
        : vulkan_{vulkan}, device_{vulkan.device()},
          blocks_{device_,
                  vulkan_blocks::functions::of(device_, vkGetDeviceProcAddr),
                  vulkan.memory(),
                  {.memory_type = type_of_images(vulkan)}},
          heap_{blocks_.source(), within_budget(blocks_.parts(vulkan.properties().limits))} {
        for (frame& f : frames_)
            f = {.commands = vulkan.make_commands(), .fence = vulkan.make_fence()};
    }
    texture_streamer(const texture_streamer&) = delete;
    texture_streamer& operator=(const texture_streamer&) = delete;
    ~texture_streamer() {
        settle_all();
        for (const frame& f : frames_)
            vkDestroyFence(device_, f.fence, nullptr);
        for (std::size_t i = 0; i < textures_.size(); ++i)
            end(i);
    }

    // ---- a frame: begin(), any of the next three, submit()
    void begin() {
        now_ = &frames_[count_++ % frames_.size()];
        settle(*now_);
        headless_vulkan::begin(now_->commands);
    }

    /// False: the budget has no room for it.
    bool load(std::uint32_t side) {
        const VkImage image = make_image(device_, side);
        const VkMemoryRequirements needs = needs_of(device_, image);
        const auto place = heap_.try_allocate(
            needs.size, needs.alignment,
            {.kind = arenite::offset_kind::optimal, .user_data = textures_.size()});
        if (!place) {
            vkDestroyImage(device_, image, nullptr);
            return false;
        }
        bind(image, heap_.block_of(*place), *place);
        const VkClearColorValue contents = color_of(textures_.size());
        constexpr VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
        wait(now_->commands, image, VK_IMAGE_LAYOUT_UNDEFINED);
        vkCmdClearColorImage(now_->commands, image, VK_IMAGE_LAYOUT_GENERAL, &contents, 1, &all);
        textures_.push_back(texture{image, *place, side});
        return true;
    }

    /// Ends when the device is done with this frame.
    void drop(std::size_t i) {
        if (!textures_[i] || textures_[i]->leaving)
            return;
        textures_[i]->leaving = true;
        now_->leaving.push_back(i);
    }

    /// False: there is nothing more to gain.
    bool defragment() {
        arenite::offset_moves todo = heap_.step(arenite::budget{.bytes = 2_MiB, .moves = 8});
        for (const arenite::offset_move& m : todo) {
            const texture& t = *textures_[static_cast<std::size_t>(m.user_data)];
            if (t.leaving) {
                heap_.cancel({&m, 1});
                continue;
            }
            const VkImage there = make_image(device_, t.side);
            bind(there, m.to_block, m.to);
            copy(t.image, there, t.side);
            now_->moved.push_back({m, there});
            moved_bytes_ += m.bytes();
        }
        return !todo.done();
    }

    void submit() {
        vulkan_.submit(now_->commands, now_->fence);
        now_->under_way = true;
    }

    // ---- figures
    [[nodiscard]] std::size_t size() const { return textures_.size(); }
    [[nodiscard]] double held() const { return mebibytes(heap_.usage().bytes_reserved); }
    [[nodiscard]] double used() const { return mebibytes(heap_.usage().bytes_in_use); }
    [[nodiscard]] double moved() const { return mebibytes(moved_bytes_); }

    /// A pixel of each texture is what it was, wherever it lies by now.
    [[nodiscard]] bool all_are_right() {
        settle_all();
        const auto type = vulkan_blocks::find_type(vulkan_.memory(), ~0U,
                                                   VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                                       VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
        vulkan_blocks mapped{device_,
                             vulkan_blocks::functions::of(device_, vkGetDeviceProcAddr),
                             vulkan_.memory(),
                             {.memory_type = type,
                              .mapped = true,
                              .buffer_usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT}};
        arenite::offset_heap pixels{mapped.source()};
        const auto place = pixels.try_allocate(textures_.size() * 4, 4);
        if (!place)
            return false;
        const vulkan_blocks::block& block = vulkan_blocks::at(pixels.block_of(*place));
        vulkan_.run([&](VkCommandBuffer commands) {
            for (std::size_t i = 0; i < textures_.size(); ++i) {
                if (!textures_[i])
                    continue;
                VkBufferImageCopy part{};
                part.bufferOffset = place->offset + i * 4;
                part.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
                part.imageExtent = {1, 1, 1};
                wait(commands, textures_[i]->image, VK_IMAGE_LAYOUT_GENERAL);
                vkCmdCopyImageToBuffer(commands, textures_[i]->image, VK_IMAGE_LAYOUT_GENERAL,
                                       block.buffer, 1, &part);
            }
        });
        for (std::size_t i = 0; i < textures_.size(); ++i) {
            const std::byte* const pixel = block.mapped + place->offset + i * 4;
            if (textures_[i] && (static_cast<std::size_t>(pixel[0]) != i % 256 ||
                                 static_cast<std::size_t>(pixel[1]) != i / 256))
                return false;
        }
        return true;
    }

private:
    struct moved_texture {
        arenite::offset_move move;
        VkImage image; ///< at the new place
    };
    struct frame {
        VkCommandBuffer commands = nullptr;
        VkFence fence = VK_NULL_HANDLE;
        bool under_way = false;
        std::vector<moved_texture> moved = {};
        std::vector<std::size_t> leaving = {};
    };

    static double mebibytes(std::uint64_t bytes) {
        return static_cast<double>(bytes) / static_cast<double>(1_MiB);
    }
    static VkClearColorValue color_of(std::size_t i) {
        return {{static_cast<float>(i % 256) / 255, static_cast<float>(i / 256) / 255, 0, 1}};
    }

    void bind(VkImage image, const void* block, const arenite::offset_allocation& place) const {
        headless_vulkan::check(
            vkBindImageMemory(device_, image, vulkan_blocks::at(block).memory, place.offset));
    }
    void copy(VkImage from, VkImage to, std::uint32_t side) const {
        VkImageCopy all{};
        all.srcSubresource = all.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
        all.extent = {side, side, 1};
        wait(now_->commands, from, VK_IMAGE_LAYOUT_GENERAL);
        wait(now_->commands, to, VK_IMAGE_LAYOUT_UNDEFINED);
        vkCmdCopyImage(now_->commands, from, VK_IMAGE_LAYOUT_GENERAL, to, VK_IMAGE_LAYOUT_GENERAL,
                       1, &all);
    }
    void end(std::size_t i) {
        if (!textures_[i])
            return;
        vkDestroyImage(device_, textures_[i]->image, nullptr);
        heap_.deallocate(textures_[i]->place);
        textures_[i].reset();
    }

    /// After the fence of a frame: moves are committed, and textures that left are freed.
    void settle(frame& f) {
        if (!f.under_way)
            return;
        vulkan_.wait_for(f.fence);
        f.under_way = false;
        for (const moved_texture& m : f.moved) {
            texture& t = *textures_[static_cast<std::size_t>(m.move.user_data)];
            vkDestroyImage(device_, t.image, nullptr);
            t.image = m.image;
            t.place = m.move.to;
            heap_.commit({&m.move, 1}); // a block that is empty now goes back
        }
        for (const std::size_t i : f.leaving)
            end(i);
        f.moved.clear();
        f.leaving.clear();
    }

    void settle_all() { // in the order of the frames: what was moved first may have left since
        for (std::size_t i = 0; i < frames_.size(); ++i)
            settle(frames_[(count_ + i) % frames_.size()]);
    }

    const headless_vulkan& vulkan_;
    VkDevice device_;
    vulkan_blocks blocks_;
    arenite::offset_heap heap_;
    std::vector<std::optional<texture>> textures_;
    std::array<frame, 2> frames_; ///< in flight
    frame* now_ = nullptr;
    std::size_t count_ = 0;
    std::uint64_t moved_bytes_ = 0;
};

/// Loads a level until the budget is full, and leaves it, while a little of the next one comes.
/// Returns what is held in the end.
double play(const headless_vulkan& vulkan, bool with_moves, bool& right) {
    texture_streamer textures{vulkan};
    std::mt19937 random{1};
    const auto side = [&] { return std::uint32_t{64} << random() % 4; };
    for (bool room = true; room;) {
        textures.begin();
        for (int i = 0; i < 10 && room; ++i)
            room = textures.load(side());
        textures.submit();
    }
    const double full = textures.held();
    const std::size_t level = textures.size();
    int frames = 0;
    for (bool more = true; more || frames < 60; ++frames) {
        textures.begin();
        if (frames < 60) {
            for (std::size_t i = 0; i < level / 40; ++i)
                textures.drop(random() % level);
            if (frames % 4 == 0)
                static_cast<void>(textures.load(side()));
        }
        more = with_moves && textures.defragment();
        textures.submit();
    }
    right = textures.all_are_right() && right;
    std::printf("%s: %.1f MiB held; %d frames later %.1f MiB, for textures of %.1f MiB",
                with_moves ? "with moves" : "without moves", full, frames, textures.held(),
                textures.used());
    std::printf(with_moves ? "; %.1f MiB were copied\n" : "\n", textures.moved());
    return textures.held();
}

} // namespace

int main() {
    const headless_vulkan vulkan;
    if (!vulkan.ready()) {
        std::puts("skipped: no Vulkan driver, or no device");
        return 77;
    }
    std::printf("on %s\n", vulkan.properties().deviceName);
    bool right = true;
    const double without = play(vulkan, false, right);
    const double with = play(vulkan, true, right);
    return right && with < without && vulkan.messages() == 0 ? 0 : 1;
}
