// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../subject.hpp"
#include "allocators.hpp"

#include <algorithm>
#include <cstddef>
#include <jemalloc/jemalloc.h>
#include <string>
#include <vector>

namespace arenite::lab {

/// jemalloc by malloc and its sized free, which are its fastest calls. It is the malloc of its
/// runner.
class jemalloc {
public:
    static constexpr bool for_any_thread = true;

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
        if (alignment > alignof(std::max_align_t)) [[unlikely]]
            return mallocx(bytes, MALLOCX_ALIGN(alignment));
        return malloc(bytes);
    }

    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        if (alignment > alignof(std::max_align_t)) [[unlikely]]
            sdallocx(p, bytes, MALLOCX_ALIGN(alignment));
        else
            sdallocx(p, bytes, 0);
    }

    static void deallocate_any(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        jemalloc{}.deallocate(p, bytes, alignment);
    }
    static void deallocate_any(void* p) noexcept { free(p); }
    [[nodiscard]] static std::size_t usable_bytes(void* p) noexcept {
        return malloc_usable_size(p);
    }

    [[nodiscard]] void* reallocate(void* p, std::size_t bytes) noexcept {
        return realloc(p, bytes);
    }

    template <class T>
    [[nodiscard]] heap_allocator<T, jemalloc> allocator_of() {
        return {};
    }
    template <class C>
    void trim(C&) {
        ::mallctl("thread.tcache.flush", nullptr, nullptr, nullptr, 0);
        const std::string purge = "arena." + std::to_string(MALLCTL_ARENAS_ALL) + ".purge";
        ::mallctl(purge.c_str(), nullptr, nullptr, nullptr, 0);
    }

    static std::vector<subject_info> ways() {
        std::string version = "jemalloc " JEMALLOC_VERSION;
        version.resize(std::min(version.find('-'), version.size())); // without the commit
        return {{.name = "jemalloc",
                 .summary = "jemalloc as it comes",
                 .pages = "4k",
                 .version = version},
                {.name = "jemalloc-thp",
                 .summary = "jemalloc told to ask for huge pages",
                 .pages = "huge",
                 .environment = {{"MALLOC_CONF", "thp:always,metadata_thp:auto"}},
                 .version = version},
                {.name = "jemalloc-retain",
                 .summary = "jemalloc told to keep what is empty",
                 .pages = "4k",
                 .environment = {{"MALLOC_CONF", "dirty_decay_ms:-1,muzzy_decay_ms:-1"}},
                 .on_request = true,
                 .version = version}};
    }
};

using subjects = subject_list<jemalloc>;

} // namespace arenite::lab
