// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// One budget for a scene on the heap, a cache of thumbnails and textures in device memory: growth
// is reported, and before the budget ends the cache is emptied.
#include <arenite/compose/budget_group.hpp>
#include <arenite/compose/budgeted_resource.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/offset/budgeted_blocks.hpp>
#include <arenite/offset/offset_heap.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/report/usage_node.hpp>

#include <cstdint>
#include <cstdio>
#include <iostream>
#include <memory_resource>
#include <vector>

using namespace arenite::literals;

namespace {

// Stands for a device: vulkan_blocks in a program with one.
void* get_block(std::uint64_t, void* user) noexcept { return user; }
void give_block_back(void*, std::uint64_t, void*) noexcept {}

using thumbnails = std::pmr::vector<std::pmr::vector<std::byte>>;

void tell(arenite::budget_group& group, arenite::budget_group& grower, arenite::budget_level,
          void*) {
    std::cout << group.name() << ": " << group.in_use() / 1024 << " of "
              << group.budget_bytes() / 1024 << " KiB, and " << grower.name() << " grows\n";
}

bool empty_the_cache(arenite::budget_group&, std::uint64_t, void* user) {
    thumbnails& cache = **static_cast<thumbnails**>(user);
    const bool some = !cache.empty();
    cache.clear();
    return some;
}

} // namespace

int main() {
    thumbnails* cache_to_empty = nullptr;
    arenite::budget_group all{{.name = "all",
                               .budget_bytes = 64_MiB,
                               .on_level = &tell,
                               .evict = &empty_the_cache,
                               .user = &cache_to_empty}};
    arenite::budget_group scene{{.name = "scene", .budget_bytes = 16_MiB}, &all};
    arenite::budget_group cached{{.name = "cache", .budget_bytes = 32_MiB}, &all};
    arenite::budget_group textures{{.name = "textures", .budget_bytes = 48_MiB}, &all};

    arenite::budgeted_resource<arenite::ordered_heap> nodes{scene};
    arenite::budgeted_resource<arenite::ordered_heap> images{cached};
    int device = 0;
    arenite::budgeted_blocks counted{
        textures, {.get = &get_block, .give_back = &give_block_back, .user = &device}};
    arenite::offset_heap gpu{counted.source(), arenite::offset_heap_options{}};

    thumbnails cache{&images};
    cache_to_empty = &cache;
    for (int i = 0; i < 30; ++i)
        cache.emplace_back(1_MiB);
    static_cast<void>(nodes.allocate(1_MiB));
    int loaded = 0;
    while (gpu.try_allocate(4_MiB, 4096))
        ++loaded;

    arenite::usage_node tree{"all", all};
    arenite::usage_node parts[] = {
        {"scene", scene, &tree}, {"cache", cached, &tree}, {"textures", textures, &tree}};
    tree.write_text(std::cout);
    std::printf("%d textures of 4 MiB, %zu thumbnails\n", loaded, cache.size());
    cache_to_empty = &cache;
    return loaded > 8 && cache.empty() && all.in_use() <= 64_MiB ? 0 : 1;
}
