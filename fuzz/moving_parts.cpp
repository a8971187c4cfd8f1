// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A random program of allocations, frees and moves, which are really copied, on an offset_allocator
// or an offset_heap. The first byte chooses which, and its options.

#include <arenite/offset/offset_allocator.hpp>
#include <arenite/offset/offset_heap.hpp>

#include "support/moving_parts.hpp"
#include "target.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

using namespace arenite;

std::string run(support::byte_source& source) {
    const std::uint8_t shape = source.byte();
    const offset_options options{.granularity = std::uint64_t{1} << shape / 2 % 8,
                                 .conflict_page = shape / 16 % 2 != 0 ? 64u : 0u,
                                 .user_data = true,
                                 .optimal_may_move = shape < 128};
    if (shape % 2 != 0) {
        offset_allocator gpu{20'000, options};
        return support::moving_parts{gpu}.run(source);
    }
    std::uintptr_t names = 0;
    const offset_source device{.get = [](std::uint64_t, void* n) noexcept -> void* {
                                   return reinterpret_cast<void*>(
                                       ++*static_cast<std::uintptr_t*>(n));
                               },
                               .give_back = [](void*, std::uint64_t, void*) noexcept {},
                               .user = &names};
    offset_heap heap{device,
                     {.parts = options,
                      .first_block_bytes = 512,
                      .largest_block_bytes = 3000,
                      .budget_bytes = 40'000}};
    return support::moving_parts{heap}.run(source);
}
