// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../subject.hpp"
#include "allocators.hpp"

#include <cstddef>
#include <gperftools/malloc_extension_c.h>
#include <gperftools/tcmalloc.h>
#include <string>
#include <vector>

namespace arenite::lab {

/// gperftools' tcmalloc by malloc and its sized free. It has no switch for huge pages, so no twin.
/// It is the malloc of its runner.
class tcmalloc {
public:
    static constexpr bool for_any_thread = true;

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
        if (alignment > alignof(std::max_align_t)) [[unlikely]]
            return tc_memalign(alignment, bytes);
        return tc_malloc(bytes);
    }

    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        if (alignment > alignof(std::max_align_t)) [[unlikely]]
            tc_free(p);
        else
            tc_free_sized(p, bytes);
    }

    static void deallocate_any(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        tcmalloc{}.deallocate(p, bytes, alignment);
    }
    static void deallocate_any(void* p) noexcept { tc_free(p); }
    [[nodiscard]] static std::size_t usable_bytes(void* p) noexcept { return tc_malloc_size(p); }

    [[nodiscard]] void* reallocate(void* p, std::size_t bytes) noexcept {
        return tc_realloc(p, bytes);
    }

    template <class T>
    [[nodiscard]] heap_allocator<T, tcmalloc> allocator_of() {
        return {};
    }
    template <class C>
    void trim(C&) {
        MallocExtension_MarkThreadIdle();
        MallocExtension_ReleaseFreeMemory();
    }

    static std::vector<subject_info> ways() {
        return {{.name = "tcmalloc",
                 .summary = "gperftools' tcmalloc as it comes",
                 .pages = "4k",
                 .version = TC_VERSION_STRING}};
    }
};

using subjects = subject_list<tcmalloc>;

} // namespace arenite::lab
