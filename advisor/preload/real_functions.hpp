// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "next_function.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <initializer_list>
#include <unistd.h>

/// The functions behind a library that is loaded before the C library: those that a program would
/// have called. Included by the one file of such a library that defines malloc.
namespace arenite::preload {
namespace {

using malloc_function = void* (*)(std::size_t);
using free_function = void (*)(void*);

/// The functions behind us, found by the first call.
struct functions {
    malloc_function malloc;
    free_function free;
    void* (*calloc)(std::size_t, std::size_t);
    void* (*realloc)(void*, std::size_t);
    void* (*memalign)(std::size_t, std::size_t);
    std::size_t (*usable_size)(void*);
    int (*dlclose)(void*);
    malloc_function new_; ///< null where libstdc++ was not loaded at first
    bool new_is_another;  ///< the program brought its own, which knows memory of its own
};
constinit functions real{};
constinit bool finding = false;

// dlsym may allocate before we know with what.
alignas(16) constinit char first_memory[16384];
constinit std::size_t first_used = 0;

void* first_malloc(std::size_t bytes) noexcept {
    const std::size_t at = (first_used + 31) & ~std::size_t{15}; // with its size before it
    if (bytes > sizeof first_memory - at)
        return nullptr;
    first_used = at + bytes;
    std::memcpy(first_memory + at - 8, &bytes, 8);
    return first_memory + at;
}
bool is_first(const void* p) noexcept {
    return p >= first_memory && p < first_memory + sizeof first_memory;
}

template <class F>
void find(F& function, const char* name, void* library = RTLD_NEXT) noexcept {
    function = next_function<F>(name, library);
}

template <class F>
const void* module_of(F function) noexcept {
    void* p;
    std::memcpy(&p, &function, sizeof p);
    Dl_info info;
    return p != nullptr && ::dladdr(p, &info) != 0 ? info.dli_fbase : nullptr;
}

void find_all() noexcept {
    finding = true;
    functions f{};
    find(f.free, "free");
    find(f.calloc, "calloc");
    find(f.realloc, "realloc");
    find(f.memalign, "memalign");
    find(f.usable_size, "malloc_usable_size");
    find(f.dlclose, "dlclose");
    find(f.new_, "_Znwm");
    find(f.malloc, "malloc");
    Dl_info info;
    void* as_pointer;
    std::memcpy(&as_pointer, &f.new_, sizeof as_pointer);
    if (as_pointer != nullptr && ::dladdr(as_pointer, &info) != 0)
        f.new_is_another = std::strstr(info.dli_fname, "libstdc++") == nullptr &&
                           std::strstr(info.dli_fname, "libc++") == nullptr &&
                           info.dli_fbase != module_of(f.malloc);
    real = f;
    finding = false;
}

/// True where the functions are known; false while they are being found.
inline bool ready() noexcept {
    if (real.malloc != nullptr) [[likely]]
        return true;
    if (finding)
        return false;
    find_all();
    return real.malloc != nullptr;
}

[[maybe_unused]] inline unsigned log2_of(std::size_t alignment) noexcept {
    return alignment == 0 ? 0u : static_cast<unsigned>(__builtin_ctzll(alignment));
}

/// libstdc++'s operator new: it calls the new handler and throws. Where the library was loaded for
/// itself alone, it is asked for by name.
[[gnu::noinline]] void* throwing_new(std::size_t bytes, malloc_function nearest) {
    if (nearest == nullptr)
        for (const char* name : {"libstdc++.so.6", "libc++.so.1"})
            if (void* library = ::dlopen(name, RTLD_NOLOAD | RTLD_LAZY)) {
                find(nearest, "_Znwm", library);
                if (nearest != nullptr)
                    break;
            }
    if (nearest != nullptr)
        return nearest(bytes);
    constexpr char sentence[] = "arenite record: out of memory in operator new\n";
    (void)!::write(2, sentence, sizeof sentence - 1);
    __builtin_trap();
}

} // namespace
} // namespace arenite::preload

#define ARENITE_ENTRY extern "C" [[gnu::visibility("default"), gnu::noinline]]
// The frame of the function that says it: rbp of its caller, and where that goes on.
#define ARENITE_CALLER                                                                             \
    caller {                                                                                       \
        reinterpret_cast<std::uint64_t>(__builtin_return_address(0)),                              \
            reinterpret_cast<std::uint64_t>(__builtin_frame_address(0)) + 16,                      \
            *static_cast<const std::uint64_t*>(__builtin_frame_address(0))                         \
    }
