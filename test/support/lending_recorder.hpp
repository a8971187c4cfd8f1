// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/lent_memory.hpp>
#include <arenite/core/resource_base.hpp>
#include <arenite/os/page_resource.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace support {

/// Lends pages, and remembers how it was asked.
class lending_recorder final : public arenite::resource_base<lending_recorder> {
public:
    std::vector<std::pair<std::size_t, arenite::page_use>> requests;

    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = arenite::default_alignment) noexcept {
        return lend(bytes, alignment, arenite::page_use::sparse).p;
    }
    [[nodiscard]] arenite::lent_memory lend(std::size_t bytes, std::size_t alignment,
                                            arenite::page_use use) noexcept {
        requests.emplace_back(bytes, use);
        return pages_.lend(bytes, alignment, use);
    }
    void deallocate(void* p, std::size_t bytes,
                    std::size_t alignment = arenite::default_alignment) noexcept {
        pages_.deallocate(p, bytes, alignment);
    }
    void release(void* p, std::size_t bytes,
                 std::size_t alignment = arenite::default_alignment) noexcept {
        pages_.release(p, bytes, alignment);
    }
    void purge(void* p, std::size_t bytes) noexcept { pages_.purge(p, bytes); }

private:
    arenite::page_resource pages_{arenite::page_options{.reserve_bytes = std::size_t{1} << 30}};
};

} // namespace support
