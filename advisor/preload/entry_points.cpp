// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "observer.hpp"
#include "real_functions.hpp"
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
using namespace arenite::preload;
using arenite::record::op;

namespace {

inline void born(op what, void* p, std::size_t bytes, unsigned log2_alignment,
                 caller from) noexcept {
    if (p != nullptr)
        the_recorder.note(what, p, bytes, log2_alignment, &from);
    the_observer.call_ends();
}

inline void* make(op what, std::size_t bytes, caller from) noexcept {
    if (!ready()) [[unlikely]]
        return first_malloc(bytes);
    the_observer.call_begins();
    void* const p = real.malloc(bytes);
    born(what, p, bytes, 0, from);
    return p;
}

inline void* make_aligned(op what, std::size_t alignment, std::size_t bytes, caller from) noexcept {
    if (!ready()) [[unlikely]]
        return nullptr;
    the_observer.call_begins();
    void* const p = real.memalign(alignment, bytes);
    born(what, p, bytes, log2_of(alignment), from);
    return p;
}

inline void end(op what, void* p, std::size_t bytes) noexcept {
    if (p == nullptr || is_first(p) || !ready())
        return;
    the_recorder.note(what, p, bytes, 0, nullptr);
    the_observer.call_begins();
    real.free(p);
    the_observer.call_ends();
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
        the_observer.call_begins();
        void* const q = real.realloc(p, bytes);
        born(op::op_malloc, q, bytes, 0, from);
        return q;
    }
    the_recorder.note(op::op_resize_begins, p, 0, 0, nullptr);
    the_observer.call_begins();
    void* const q = real.realloc(p, bytes);
    if (q == nullptr && bytes == 0)
        the_recorder.note(op::op_free, p, 0, 0, nullptr); // so ends it in glibc
    else if (q == nullptr)
        the_recorder.note(op::op_realloc, p, arenite::record::most_bytes, 0, nullptr); // as it was
    else
        the_recorder.note(op::op_realloc, q, bytes, 0, &from);
    the_observer.call_ends();
    return q;
}

} // namespace

// ---- C ------------------------------------------------------------------
ARENITE_ENTRY void* malloc(std::size_t bytes) { return make(op::op_malloc, bytes, ARENITE_CALLER); }
ARENITE_ENTRY void free(void* p) { end(op::op_free, p, 0); }
ARENITE_ENTRY void* calloc(std::size_t count, std::size_t bytes) {
    if (!ready()) // fresh memory is zero
        return first_malloc(count * bytes);
    the_observer.call_begins();
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
// For programs that mark the ends of frames: ARENITE_FRAME() finds it, or they do, by its name.
ARENITE_ENTRY void arenite_mark_frame() {
    the_recorder.note(op::op_mark, nullptr, 0, 0, nullptr);
    the_observer.was_told();
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
