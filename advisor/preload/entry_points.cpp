// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "recorder.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <unistd.h>

// Every function through which a program of glibc gets or frees memory. Each calls the one that the
// program would have called, then or before tells the recorder. They are compiled with frame
// pointers, so that they find their caller.
namespace arenite::preload {
namespace {

using record::op;

using malloc_function = void* (*)(std::size_t);
using free_function = void (*)(void*);

/// What stands behind us, found by the first call.
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
void find(F& function, const char* name) noexcept {
    void* const p = ::dlsym(RTLD_NEXT, name);
    std::memcpy(&function, &p, sizeof p);
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

inline unsigned log2_of(std::size_t alignment) noexcept {
    return alignment == 0 ? 0u : static_cast<unsigned>(__builtin_ctzll(alignment));
}

/// libstdc++'s operator new: it calls the new handler and throws. Where the library was loaded for
/// itself alone, it is asked for by name.
[[gnu::noinline]] void* throwing_new(std::size_t bytes, malloc_function nearest) {
    if (nearest == nullptr)
        for (const char* name : {"libstdc++.so.6", "libc++.so.1"})
            if (void* library = ::dlopen(name, RTLD_NOLOAD | RTLD_LAZY)) {
                void* const p = ::dlsym(library, "_Znwm");
                std::memcpy(&nearest, &p, sizeof p);
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

using namespace arenite::preload;
using arenite::record::op;

#define ARENITE_ENTRY extern "C" [[gnu::visibility("default"), gnu::noinline]]
// The frame of the function that says it: rbp of its caller, and where that goes on.
#define ARENITE_CALLER                                                                             \
    caller {                                                                                       \
        reinterpret_cast<std::uint64_t>(__builtin_return_address(0)),                              \
            reinterpret_cast<std::uint64_t>(__builtin_frame_address(0)) + 16,                      \
            *static_cast<const std::uint64_t*>(__builtin_frame_address(0))                         \
    }

namespace {

inline void born(op what, void* p, std::size_t bytes, unsigned log2_alignment,
                 caller from) noexcept {
    if (p != nullptr)
        the_recorder.note(what, p, bytes, log2_alignment, &from);
}

inline void* make(op what, std::size_t bytes, caller from) noexcept {
    if (!ready()) [[unlikely]]
        return first_malloc(bytes);
    void* const p = real.malloc(bytes);
    born(what, p, bytes, 0, from);
    return p;
}

inline void* make_aligned(op what, std::size_t alignment, std::size_t bytes, caller from) noexcept {
    if (!ready()) [[unlikely]]
        return nullptr;
    void* const p = real.memalign(alignment, bytes);
    born(what, p, bytes, log2_of(alignment), from);
    return p;
}

inline void end(op what, void* p, std::size_t bytes) noexcept {
    if (p == nullptr || is_first(p) || !ready())
        return;
    the_recorder.note(what, p, bytes, 0, nullptr);
    real.free(p);
}

void* resize(void* p, std::size_t bytes, caller from) noexcept {
    if (!ready())
        return first_malloc(bytes);
    if (is_first(p)) {
        std::size_t old;
        std::memcpy(&old, static_cast<char*>(p) - 8, 8);
        void* const q = make(op::op_malloc, bytes, from);
        if (q != nullptr)
            std::memcpy(q, p, old < bytes ? old : bytes);
        return q;
    }
    if (p == nullptr) {
        void* const q = real.realloc(p, bytes);
        born(op::op_malloc, q, bytes, 0, from);
        return q;
    }
    the_recorder.note(op::op_resize_begins, p, 0, 0, nullptr);
    void* const q = real.realloc(p, bytes);
    if (q == nullptr && bytes == 0)
        the_recorder.note(op::op_free, p, 0, 0, nullptr); // so ends it in glibc
    else if (q == nullptr)
        the_recorder.note(op::op_realloc, p, arenite::record::most_bytes, 0, nullptr); // as it was
    else
        the_recorder.note(op::op_realloc, q, bytes, 0, &from);
    return q;
}

} // namespace

// ---- C ------------------------------------------------------------------
ARENITE_ENTRY void* malloc(std::size_t bytes) { return make(op::op_malloc, bytes, ARENITE_CALLER); }
ARENITE_ENTRY void free(void* p) { end(op::op_free, p, 0); }
ARENITE_ENTRY void* calloc(std::size_t count, std::size_t bytes) {
    if (!ready()) // fresh memory is zero
        return first_malloc(count * bytes);
    void* const p = real.calloc(count, bytes);
    born(op::op_calloc, p, count * bytes, 0, ARENITE_CALLER);
    return p;
}
ARENITE_ENTRY void* realloc(void* p, std::size_t bytes) { return resize(p, bytes, ARENITE_CALLER); }
ARENITE_ENTRY void* reallocarray(void* p, std::size_t count, std::size_t bytes) {
    std::size_t all;
    if (__builtin_mul_overflow(count, bytes, &all)) {
        errno = ENOMEM;
        return nullptr;
    }
    return resize(p, all, ARENITE_CALLER);
}
ARENITE_ENTRY void* memalign(std::size_t alignment, std::size_t bytes) {
    return make_aligned(op::op_memalign, alignment, bytes, ARENITE_CALLER);
}
ARENITE_ENTRY void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
    return make_aligned(op::op_memalign, alignment, bytes, ARENITE_CALLER);
}
ARENITE_ENTRY int posix_memalign(void** to, std::size_t alignment, std::size_t bytes) {
    if (alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0)
        return EINVAL;
    const int before = errno;
    void* const p = make_aligned(op::op_memalign, alignment, bytes, ARENITE_CALLER);
    errno = before;
    if (p == nullptr)
        return ENOMEM;
    *to = p;
    return 0;
}
ARENITE_ENTRY void* valloc(std::size_t bytes) {
    return make_aligned(op::op_memalign, static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)), bytes,
                        ARENITE_CALLER);
}
ARENITE_ENTRY void* pvalloc(std::size_t bytes) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    if (bytes > SIZE_MAX - page) {
        errno = ENOMEM;
        return nullptr;
    }
    const std::size_t pages = bytes == 0 ? page : (bytes + page - 1) / page * page;
    return make_aligned(op::op_memalign, page, pages, ARENITE_CALLER);
}
ARENITE_ENTRY std::size_t malloc_usable_size(void* p) {
    if (p == nullptr || is_first(p) || !ready())
        return 0;
    the_recorder.asked_for_a_usable_size();
    return real.usable_size(p);
}
ARENITE_ENTRY int dlclose(void* library) {
    if (!ready())
        return -1;
    const int result = real.dlclose(library);
    the_recorder.closed_a_library();
    return result;
}

// ---- C++: by their symbols, for nothing of a C++ library is linked --------
namespace {

inline void* make_or_throw(op what, std::size_t bytes, caller from) {
    if (ready() && real.new_is_another) [[unlikely]]
        return real.new_(bytes);
    void* const p = make(what, bytes == 0 ? 1 : bytes, from);
    return p != nullptr ? p : throwing_new(bytes, real.new_);
}

inline void* make_aligned_or_throw(op what, std::size_t bytes, std::size_t alignment, caller from) {
    void* const p = make_aligned(what, alignment, bytes == 0 ? 1 : bytes, from);
    // Out of memory: a request that cannot be met either, so that it throws.
    return p != nullptr ? p : throwing_new(bytes < SIZE_MAX / 2 ? SIZE_MAX / 2 : bytes, real.new_);
}

inline void end_object(op what, void* p, std::size_t bytes) noexcept {
    if (ready() && real.new_is_another) [[unlikely]] {
        free_function other;
        find(other, what == op::op_delete ? "_ZdlPv" : "_ZdaPv");
        if (other != nullptr)
            return other(p);
    }
    end(what, p, bytes);
}

} // namespace

// NOLINTBEGIN: names of the C++ ABI
ARENITE_ENTRY void* _Znwm(std::size_t bytes) {
    return make_or_throw(op::op_new, bytes, ARENITE_CALLER);
}
ARENITE_ENTRY void* _Znam(std::size_t bytes) {
    return make_or_throw(op::op_new_array, bytes, ARENITE_CALLER);
}
ARENITE_ENTRY void* _ZnwmRKSt9nothrow_t(std::size_t bytes, const void*) {
    return make(op::op_new, bytes == 0 ? 1 : bytes, ARENITE_CALLER);
}
ARENITE_ENTRY void* _ZnamRKSt9nothrow_t(std::size_t bytes, const void*) {
    return make(op::op_new_array, bytes == 0 ? 1 : bytes, ARENITE_CALLER);
}
ARENITE_ENTRY void* _ZnwmSt11align_val_t(std::size_t bytes, std::size_t alignment) {
    return make_aligned_or_throw(op::op_new, bytes, alignment, ARENITE_CALLER);
}
ARENITE_ENTRY void* _ZnamSt11align_val_t(std::size_t bytes, std::size_t alignment) {
    return make_aligned_or_throw(op::op_new_array, bytes, alignment, ARENITE_CALLER);
}
ARENITE_ENTRY void* _ZnwmSt11align_val_tRKSt9nothrow_t(std::size_t bytes, std::size_t alignment,
                                                       const void*) {
    return make_aligned(op::op_new, alignment, bytes == 0 ? 1 : bytes, ARENITE_CALLER);
}
ARENITE_ENTRY void* _ZnamSt11align_val_tRKSt9nothrow_t(std::size_t bytes, std::size_t alignment,
                                                       const void*) {
    return make_aligned(op::op_new_array, alignment, bytes == 0 ? 1 : bytes, ARENITE_CALLER);
}
ARENITE_ENTRY void _ZdlPv(void* p) { end_object(op::op_delete, p, 0); }
ARENITE_ENTRY void _ZdaPv(void* p) { end_object(op::op_delete_array, p, 0); }
ARENITE_ENTRY void _ZdlPvm(void* p, std::size_t bytes) { end_object(op::op_delete, p, bytes); }
ARENITE_ENTRY void _ZdaPvm(void* p, std::size_t bytes) {
    end_object(op::op_delete_array, p, bytes);
}
ARENITE_ENTRY void _ZdlPvRKSt9nothrow_t(void* p, const void*) { end_object(op::op_delete, p, 0); }
ARENITE_ENTRY void _ZdaPvRKSt9nothrow_t(void* p, const void*) {
    end_object(op::op_delete_array, p, 0);
}
ARENITE_ENTRY void _ZdlPvSt11align_val_t(void* p, std::size_t) { end(op::op_delete, p, 0); }
ARENITE_ENTRY void _ZdaPvSt11align_val_t(void* p, std::size_t) { end(op::op_delete_array, p, 0); }
ARENITE_ENTRY void _ZdlPvmSt11align_val_t(void* p, std::size_t bytes, std::size_t) {
    end(op::op_delete, p, bytes);
}
ARENITE_ENTRY void _ZdaPvmSt11align_val_t(void* p, std::size_t bytes, std::size_t) {
    end(op::op_delete_array, p, bytes);
}
ARENITE_ENTRY void _ZdlPvSt11align_val_tRKSt9nothrow_t(void* p, std::size_t, const void*) {
    end(op::op_delete, p, 0);
}
ARENITE_ENTRY void _ZdaPvSt11align_val_tRKSt9nothrow_t(void* p, std::size_t, const void*) {
    end(op::op_delete_array, p, 0);
}
// NOLINTEND
