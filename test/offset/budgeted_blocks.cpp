// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/offset/budgeted_blocks.hpp>

#include <arenite/core/literals.hpp>
#include <arenite/offset/offset_heap.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

using namespace arenite;

namespace {

/// A device that has some blocks.
struct device {
    std::vector<std::uint64_t> blocks;
    bool refuses = false;
    static void* get(std::uint64_t bytes, void* user) noexcept {
        auto& self = *static_cast<device*>(user);
        if (self.refuses)
            return nullptr;
        self.blocks.reserve(100);
        return &self.blocks.emplace_back(bytes);
    }
    static void give_back(void* block, std::uint64_t bytes, void*) noexcept {
        EXPECT_EQ(*static_cast<std::uint64_t*>(block), bytes);
    }
    offset_source source() { return {.get = &get, .give_back = &give_back, .user = this}; }
};

TEST(budgeted_blocks, blocks_count_with_the_memory_of_others) {
    device gpu;
    budget_group all{64_MiB};
    budget_group textures{{.name = "textures", .budget_bytes = 48_MiB}, &all};
    budgeted_blocks counted{textures, gpu.source()};
    {
        offset_heap heap{counted.source(), offset_heap_options{}};
        std::vector<offset_allocation> parts;
        while (const std::optional<offset_allocation> a = heap.try_allocate(1_MiB, 256))
            parts.push_back(*a);
        EXPECT_EQ(parts.size(), 48U);
        EXPECT_EQ(textures.in_use(), 48_MiB);
        EXPECT_EQ(counted.in_use(), 48_MiB);
        EXPECT_EQ(all.left_bytes(), 16_MiB);
        EXPECT_FALSE(all.try_take(17_MiB));
        for (const offset_allocation& a : parts)
            heap.deallocate(a);
    }
    EXPECT_EQ(all.in_use(), 0U);
    gpu.refuses = true;
    EXPECT_EQ(counted.source().get(50_MiB, counted.source().user), nullptr);
    EXPECT_EQ(counted.source().get(47_MiB, counted.source().user), nullptr);
    EXPECT_EQ(all.in_use(), 0U);
    budget_group fresh{64_MiB};
    budgeted_blocks refused{fresh, gpu.source()};
    EXPECT_EQ(refused.source().get(47_MiB, refused.source().user), nullptr);
    EXPECT_EQ(fresh.high_water(), 0U) << "the device had none";
}

} // namespace
