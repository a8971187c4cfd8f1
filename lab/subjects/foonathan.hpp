// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../subject.hpp"
#include "allocators.hpp"

#include <cstddef>
#include <foonathan/memory/memory_pool.hpp>
#include <string>
#include <vector>

namespace arenite::lab {

/// foonathan/memory's pool of the kind it calls fastest, by its calls for one node. Its blocks
/// double from 64 KiB on.
class foonathan_node_pool {
public:
    template <std::size_t Bytes, std::size_t Alignment>
    class pool {
    public:
        static_assert(Bytes % Alignment == 0,
                      "a node is aligned to what its size is a multiple of");

        [[nodiscard]] void* allocate(std::size_t, std::size_t) { return nodes_.allocate_node(); }
        void deallocate(void* p, std::size_t, std::size_t) noexcept { nodes_.deallocate_node(p); }

    private:
        foonathan::memory::memory_pool<> nodes_{Bytes, std::size_t{64} << 10};
    };

    template <class T>
    [[nodiscard]] node_allocator<T, foonathan_node_pool> allocator_of() {
        return {};
    }

    static std::vector<subject_info> ways() {
        return {{.name = "foonathan.node_pool",
                 .summary = "foonathan/memory's memory_pool<node_pool>, the packaged library",
                 .pages = "4k",
                 .version = "memory " + std::to_string(FOONATHAN_MEMORY_VERSION_MAJOR) + "." +
                            std::to_string(FOONATHAN_MEMORY_VERSION_MINOR) + "." +
                            std::to_string(FOONATHAN_MEMORY_VERSION_PATCH)}};
    }
};

} // namespace arenite::lab
