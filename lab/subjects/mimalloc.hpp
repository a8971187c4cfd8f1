// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../subject.hpp"
#include "allocators.hpp"

#include <cstddef>
#include <mimalloc.h>
#include <string>
#include <vector>

// Several versions have several runners: the newest is `mimalloc`.
#ifndef ARENITE_LAB_MIMALLOC_NAME
#define ARENITE_LAB_MIMALLOC_NAME "mimalloc"
#endif
#ifndef ARENITE_LAB_MIMALLOC_ON_REQUEST
#define ARENITE_LAB_MIMALLOC_ON_REQUEST 0
#endif

namespace arenite::lab {

/// Which heap of mimalloc's an object stands for.
enum class mimalloc_heap {
    of_thread, ///< the one that malloc's replacement uses; all objects share it
    separate   ///< one of its own, for workloads that keep kinds of data apart
};

/// mimalloc by the fastest calls its version has, as counted by callgrind and measured in turns:
/// calls for small sizes chosen at compile time where the size is known there, sized frees, in
/// version 2 a heap fetched once. (Of version 3: malloc and free by their plain names take 16 %
/// more instructions, link-time optimisation 10 %, a heap fetched once 2 %.)
template <mimalloc_heap Heap>
class mimalloc_with {
public:
    static constexpr bool one_of_several = Heap == mimalloc_heap::separate;
    // Version 2 is called with the heap of the thread that made this object.
    static constexpr bool for_any_thread = !one_of_several && MI_MALLOC_VERSION >= 30600;

    mimalloc_with() = default;
    ~mimalloc_with() {
        if constexpr (one_of_several)
            mi_heap_destroy(made_);
    }
    mimalloc_with(const mimalloc_with&) = delete;
    mimalloc_with& operator=(const mimalloc_with&) = delete;

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
        if (alignment > 16) [[unlikely]]
            return mi_malloc_aligned(bytes, alignment);
#if MI_MALLOC_VERSION >= 30600
        if constexpr (!one_of_several)
            return __builtin_constant_p(bytes) ? mi_malloc_csize(bytes) : mi_malloc(bytes);
        if (__builtin_constant_p(bytes))
            return mi_theap_malloc_csize(heap_, bytes);
        return mi_theap_malloc(heap_, bytes);
#else
        if (__builtin_constant_p(bytes) && bytes <= MI_SMALL_SIZE_MAX)
            return mi_heap_malloc_small(heap_, bytes);
        return mi_heap_malloc(heap_, bytes);
#endif
    }

    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
#if MI_MALLOC_VERSION >= 30600
        if (alignment <= 16 && __builtin_constant_p(bytes)) {
            mi_free_csize_nonnull(p, bytes);
            return;
        }
#endif
        if (alignment > 16) [[unlikely]]
            mi_free_size_aligned(p, bytes, alignment);
        else
            mi_free_size(p, bytes);
    }

    static void deallocate_any(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        if (alignment > 16) [[unlikely]]
            mi_free_size_aligned(p, bytes, alignment);
        else
            mi_free_size(p, bytes);
    }
    static void deallocate_any(void* p) noexcept { mi_free(p); }
    [[nodiscard]] static std::size_t usable_bytes(void* p) noexcept { return mi_usable_size(p); }

    [[nodiscard]] void* reallocate(void* p, std::size_t bytes) noexcept
        requires(!one_of_several)
    {
        return mi_realloc(p, bytes);
    }

    template <class T>
        requires(!one_of_several)
    [[nodiscard]] mi_stl_allocator<T> allocator_of() {
        return {};
    }
    template <class C>
    void trim(C&) {
        mi_collect(true);
    }

    static std::vector<subject_info> ways() {
        const std::string name =
            std::string{ARENITE_LAB_MIMALLOC_NAME} + (one_of_several ? ".heaps" : "");
        const std::string heaps = one_of_several ? ", a heap for each kind of data" : "";
        std::vector<subject_info> all{
            {.name = name,
             .summary = "mimalloc as it comes" + heaps,
             .pages = MI_MALLOC_VERSION >= 20400 ? "huge" : "4k",
             .on_request = on_request,
             .version = version()},
            {.name = name + other_twin(),
             .summary = (MI_MALLOC_VERSION >= 20400 ? "mimalloc told not to use huge pages"
                                                    : "mimalloc told to use huge pages") +
                        heaps,
             .pages = MI_MALLOC_VERSION >= 20400 ? "4k" : "huge",
             .environment = other_environment(),
             .on_request = on_request,
             .version = version()}};
        // Measured beside our subjects with retain_all.
        all.push_back(all.front());
        all.back().name += "-retain";
        all.back().summary = "mimalloc told to keep what is empty" + heaps;
        all.back().environment = {{"MIMALLOC_PURGE_DELAY", "-1"}};
        return all;
    }

private:
    static constexpr bool on_request = ARENITE_LAB_MIMALLOC_ON_REQUEST != 0;

    static const char* other_twin() { return MI_MALLOC_VERSION >= 20400 ? "-4k" : "-thp"; }

    static std::vector<std::pair<std::string, std::string>> other_environment() {
        if constexpr (MI_MALLOC_VERSION >= 20400)
            return {{"MIMALLOC_ALLOW_THP", "0"}};
        else
            return {{"MIMALLOC_ALLOW_LARGE_OS_PAGES", "1"}};
    }

    static std::string version() {
        const int v = mi_version();
        const bool three_parts = v >= 1000; // older ones count major and minor alone: 209
        return three_parts ? "mimalloc " + std::to_string(v / 10000) + "." +
                                 std::to_string(v / 100 % 100) + "." + std::to_string(v % 100)
                           : "mimalloc " + std::to_string(v / 100) + "." +
                                 std::to_string(v / 10 % 10) + "." + std::to_string(v % 10);
    }

    mi_heap_t* made_ = one_of_several ? mi_heap_new() : nullptr;
#if MI_MALLOC_VERSION >= 30600
    mi_theap_t* heap_ = one_of_several ? mi_heap_theap(made_) : mi_theap_get_default();
#else
    mi_heap_t* heap_ = one_of_several ? made_ : mi_heap_get_default();
#endif
};

using mimalloc = mimalloc_with<mimalloc_heap::of_thread>;
using mimalloc_heaps = mimalloc_with<mimalloc_heap::separate>;

#if MI_MALLOC_VERSION >= 30600
/// mimalloc freed by mi_free alone, for comparison with what frees without sizes.
class mimalloc_unsized {
public:
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
        return heap_.allocate(bytes, alignment);
    }
    void deallocate(void* p, std::size_t, std::size_t) noexcept { mi_free(p); }
    [[nodiscard]] void* reallocate(void* p, std::size_t bytes) noexcept {
        return mi_realloc(p, bytes);
    }

    static std::vector<subject_info> ways() {
        subject_info info = mimalloc::ways().front();
        info.name += ".unsized";
        info.summary += ", frees without sizes";
        info.on_request = true;
        return {info};
    }

private:
    mimalloc heap_;
};
#endif

/// In containers `mimalloc` is its own mi_stl_allocator, whose frees do not tell the size. This is
/// its calls as std::allocator makes them where mimalloc is the malloc of the whole program.
class mimalloc_as_malloc {
public:
    struct calls {
        [[nodiscard]] static void* allocate(std::size_t bytes, std::size_t alignment) {
            return alignment > 16 ? mi_new_aligned(bytes, alignment) : mi_new(bytes);
        }
        static void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
            if (alignment > 16)
                mi_free_size_aligned(p, bytes, alignment);
            else
                mi_free_size(p, bytes);
        }
    };

    template <class T>
    [[nodiscard]] heap_allocator<T, calls> allocator_of() {
        return {};
    }
    template <class C>
    void trim(C&) {
        mi_collect(true);
    }

    static std::vector<subject_info> ways() {
        subject_info info = mimalloc::ways().front();
        info.name += ".global";
        info.summary = "mimalloc as the malloc of the program, under std::allocator";
        return {info};
    }
};

#if MI_MALLOC_VERSION < 30600
/// For workloads of several threads: mimalloc by the calls that look up the thread's heap.
class mimalloc_of_any_thread {
public:
    static constexpr bool for_any_thread = true;
    static constexpr bool only_for_threads = true;

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
        if (alignment > 16) [[unlikely]]
            return mi_malloc_aligned(bytes, alignment);
        if (__builtin_constant_p(bytes) && bytes <= MI_SMALL_SIZE_MAX)
            return mi_malloc_small(bytes);
        return mi_malloc(bytes);
    }
    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        if (alignment > 16) [[unlikely]]
            mi_free_size_aligned(p, bytes, alignment);
        else
            mi_free_size(p, bytes);
    }

    static std::vector<subject_info> ways() {
        return mimalloc_with<mimalloc_heap::of_thread>::ways();
    }
};
#endif

using subjects = subject_list<
#if MI_MALLOC_VERSION < 30600
    mimalloc_of_any_thread,
#endif
#if MI_MALLOC_VERSION >= 30600
    mimalloc_unsized,
#endif
    mimalloc, mimalloc_heaps, mimalloc_as_malloc>;

} // namespace arenite::lab
