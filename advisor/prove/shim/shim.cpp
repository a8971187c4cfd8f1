// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../../preload/real_functions.hpp"
#include "heaps.hpp"
#include "routes.hpp"

#include <arenite/core/config.hpp>
#include <arenite/ordered/detail/slab_heap.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// The malloc of `arenite prove`: call sites of the plan are served by Arenite's heaps, all others
// by what the program would have called.
using namespace arenite::preload;

namespace arenite {
inline namespace ARENITE_ABI {

/// A proof gives nothing back by itself.
void detail::expect_idling(slab_heap&, std::uint64_t) noexcept {}

} // namespace ARENITE_ABI
} // namespace arenite

namespace arenite::prove {
namespace {

enum : std::uint32_t { unknown = 0, on = 1, off = 2 };
constinit std::atomic<std::uint32_t> state{unknown};
constinit slow_lock starting;
constinit plan* the_plan = nullptr;
alignas(heaps) constinit std::byte heap_memory[sizeof(heaps)]{};
alignas(routes) constinit std::byte route_memory[sizeof(routes)]{};

heaps& all_heaps() noexcept { return *reinterpret_cast<heaps*>(heap_memory); }
routes& all_routes() noexcept { return *reinterpret_cast<routes*>(route_memory); }

plan* map_plan() noexcept {
    const char* const path = std::getenv(plan_variable);
    const int file = path == nullptr ? -1 : ::open(path, O_RDWR | O_CLOEXEC);
    struct stat s {};
    if (file < 0 || ::fstat(file, &s) != 0)
        return nullptr;
    void* const p = ::mmap(nullptr, static_cast<std::size_t>(s.st_size), PROT_READ | PROT_WRITE,
                           MAP_SHARED, file, 0);
    ::close(file);
    auto* const made = static_cast<plan*>(p);
    return p != MAP_FAILED && made->magic == plan_magic && made->version == plan_version ? made
                                                                                         : nullptr;
}

void start() noexcept {
    starting.lock();
    if (state.load(std::memory_order_relaxed) == unknown) {
        const int kept = errno;
        ::new (heap_memory) heaps;
        ::new (route_memory) routes;
        the_plan = map_plan();
        const bool can =
            the_plan != nullptr && all_heaps().start(*the_plan) && all_routes().start(*the_plan);
        state.store(can ? on : off, std::memory_order_release);
        if (can)
            ::pthread_atfork([] { all_heaps().lock_all(); }, [] { all_heaps().unlock_all(); },
                             [] { all_heaps().unlock_all(); });
        errno = kept;
    }
    starting.unlock();
}

inline bool is_on() noexcept {
    std::uint32_t now = state.load(std::memory_order_acquire);
    if (now == unknown) [[unlikely]] {
        start();
        now = state.load(std::memory_order_acquire);
    }
    return now == on;
}

/// From the heap of the plan; null: malloc is to serve it.
inline void* routed(std::size_t bytes, std::size_t alignment, caller from) noexcept {
    if (!is_on())
        return nullptr;
    const std::uint32_t group = all_routes().group_of(from);
    if (group == 0) [[likely]]
        return nullptr;
    the_plan->looked_up.fetch_add(1, std::memory_order_relaxed);
    return the_plan->routes != 0 ? all_heaps().allocate(group, bytes, alignment) : nullptr;
}

inline bool is_ours(const void* p) noexcept {
    return state.load(std::memory_order_relaxed) == on && all_heaps().owns(p);
}

inline void* make(std::size_t bytes, caller from) noexcept {
    if (!ready()) [[unlikely]]
        return first_malloc(bytes);
    void* const p = routed(bytes, 16, from);
    return p != nullptr ? p : real.malloc(bytes);
}

inline void* make_aligned(std::size_t alignment, std::size_t bytes, caller from) noexcept {
    if (!ready()) [[unlikely]]
        return nullptr;
    const bool possible = alignment != 0 && (alignment & (alignment - 1)) == 0;
    void* const p = possible ? routed(bytes, alignment < 16 ? 16 : alignment, from) : nullptr;
    return p != nullptr ? p : real.memalign(alignment, bytes);
}

inline void end(void* p) noexcept {
    if (p == nullptr || is_first(p) || !ready())
        return;
    if (is_ours(p))
        all_heaps().deallocate(p);
    else
        real.free(p);
}

std::size_t size_of(void* p) noexcept {
    return is_ours(p) ? all_heaps().size_of(p) : real.usable_size(p);
}

void* resize(void* p, std::size_t bytes, caller from) noexcept {
    if (p == nullptr)
        return make(bytes, from);
    if (!ready())
        return first_malloc(bytes);
    void* larger = nullptr;
    std::size_t old;
    if (is_first(p)) {
        std::memcpy(&old, static_cast<char*>(p) - 8, 8);
        larger = make(bytes, from);
    } else {
        if (bytes == 0 && is_ours(p)) { // so ends it in glibc
            end(p);
            return nullptr;
        }
        larger = bytes == 0 ? nullptr : routed(bytes, 16, from);
        if (larger == nullptr && !is_ours(p))
            return real.realloc(p, bytes);
        old = size_of(p);
        if (larger == nullptr)
            larger = real.malloc(bytes);
    }
    if (larger == nullptr)
        return nullptr;
    std::memcpy(larger, p, old < bytes ? old : bytes);
    end(p);
    return larger;
}

} // namespace
} // namespace arenite::prove

using namespace arenite::prove;

ARENITE_ENTRY void* malloc(std::size_t bytes) { return make(bytes, ARENITE_CALLER); }
ARENITE_ENTRY void free(void* p) { end(p); }
ARENITE_ENTRY void* calloc(std::size_t count, std::size_t bytes) {
    if (!ready()) // fresh memory is zero
        return first_malloc(count * bytes);
    std::size_t all;
    if (!__builtin_mul_overflow(count, bytes, &all))
        if (void* const p = routed(all, 16, ARENITE_CALLER); p != nullptr)
            return std::memset(p, 0, all);
    return real.calloc(count, bytes);
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
    return make_aligned(alignment, bytes, ARENITE_CALLER);
}
ARENITE_ENTRY void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
    return make_aligned(alignment, bytes, ARENITE_CALLER);
}
ARENITE_ENTRY int posix_memalign(void** to, std::size_t alignment, std::size_t bytes) {
    if (alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0)
        return EINVAL;
    const int before = errno;
    void* const p = make_aligned(alignment, bytes, ARENITE_CALLER);
    errno = before;
    if (p == nullptr)
        return ENOMEM;
    *to = p;
    return 0;
}
ARENITE_ENTRY void* valloc(std::size_t bytes) {
    return make_aligned(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)), bytes, ARENITE_CALLER);
}
ARENITE_ENTRY std::size_t malloc_usable_size(void* p) {
    return p == nullptr || is_first(p) || !ready() ? 0 : size_of(p);
}
ARENITE_ENTRY int dlclose(void* library) {
    if (!ready())
        return -1;
    const int result = real.dlclose(library);
    if (is_on())
        all_routes().forget();
    return result;
}

namespace {

inline void* make_or_throw(std::size_t bytes, caller from) {
    if (ready() && real.new_is_another) [[unlikely]]
        return real.new_(bytes);
    void* const p = make(bytes == 0 ? 1 : bytes, from);
    return p != nullptr ? p : throwing_new(bytes, real.new_);
}
inline void* make_aligned_or_throw(std::size_t bytes, std::size_t alignment, caller from) {
    void* const p = make_aligned(alignment, bytes == 0 ? 1 : bytes, from);
    return p != nullptr ? p : throwing_new(bytes < SIZE_MAX / 2 ? SIZE_MAX / 2 : bytes, real.new_);
}
inline void end_object(void* p, const char* other_name) noexcept {
    if (ready() && real.new_is_another) [[unlikely]] {
        free_function other;
        find(other, other_name);
        if (other != nullptr)
            return other(p);
    }
    end(p);
}

} // namespace

// NOLINTBEGIN: names of the C++ ABI
using align_t = std::size_t;
ARENITE_ENTRY void* _Znwm(std::size_t n) { return make_or_throw(n, ARENITE_CALLER); }
ARENITE_ENTRY void* _Znam(std::size_t n) { return make_or_throw(n, ARENITE_CALLER); }
ARENITE_ENTRY void* _ZnwmRKSt9nothrow_t(std::size_t n, const void*) {
    return make(n == 0 ? 1 : n, ARENITE_CALLER);
}
ARENITE_ENTRY void* _ZnamRKSt9nothrow_t(std::size_t n, const void*) {
    return make(n == 0 ? 1 : n, ARENITE_CALLER);
}
ARENITE_ENTRY void* _ZnwmSt11align_val_t(std::size_t n, align_t a) {
    return make_aligned_or_throw(n, a, ARENITE_CALLER);
}
ARENITE_ENTRY void* _ZnamSt11align_val_t(std::size_t n, align_t a) {
    return make_aligned_or_throw(n, a, ARENITE_CALLER);
}
ARENITE_ENTRY void* _ZnwmSt11align_val_tRKSt9nothrow_t(std::size_t n, align_t a, const void*) {
    return make_aligned(a, n == 0 ? 1 : n, ARENITE_CALLER);
}
ARENITE_ENTRY void* _ZnamSt11align_val_tRKSt9nothrow_t(std::size_t n, align_t a, const void*) {
    return make_aligned(a, n == 0 ? 1 : n, ARENITE_CALLER);
}
ARENITE_ENTRY void _ZdlPv(void* p) { end_object(p, "_ZdlPv"); }
ARENITE_ENTRY void _ZdaPv(void* p) { end_object(p, "_ZdaPv"); }
ARENITE_ENTRY void _ZdlPvm(void* p, std::size_t) { end_object(p, "_ZdlPv"); }
ARENITE_ENTRY void _ZdaPvm(void* p, std::size_t) { end_object(p, "_ZdaPv"); }
ARENITE_ENTRY void _ZdlPvRKSt9nothrow_t(void* p, const void*) { end_object(p, "_ZdlPv"); }
ARENITE_ENTRY void _ZdaPvRKSt9nothrow_t(void* p, const void*) { end_object(p, "_ZdaPv"); }
ARENITE_ENTRY void _ZdlPvSt11align_val_t(void* p, align_t) { end(p); }
ARENITE_ENTRY void _ZdaPvSt11align_val_t(void* p, align_t) { end(p); }
ARENITE_ENTRY void _ZdlPvmSt11align_val_t(void* p, std::size_t, align_t) { end(p); }
ARENITE_ENTRY void _ZdaPvmSt11align_val_t(void* p, std::size_t, align_t) { end(p); }
ARENITE_ENTRY void _ZdlPvSt11align_val_tRKSt9nothrow_t(void* p, align_t, const void*) { end(p); }
ARENITE_ENTRY void _ZdaPvSt11align_val_tRKSt9nothrow_t(void* p, align_t, const void*) { end(p); }
// NOLINTEND
