// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <cstddef>

// A Valgrind build says so itself (CMake option or -DARENITE_VALGRIND=1) and has the header. To
// ThreadSanitizer nothing is passed on: code that looks where others may write asks for that.
#if defined(ARENITE_VALGRIND) && ARENITE_VALGRIND && __has_include(<valgrind/memcheck.h>)
#define ARENITE_HAS_VALGRIND 1
#include <valgrind/memcheck.h>
#else
#define ARENITE_HAS_VALGRIND 0
#endif

#if ARENITE_HAS_ASAN
#include <sanitizer/asan_interface.h>
#endif
#if ARENITE_HAS_MSAN
#include <sanitizer/msan_interface.h>
#endif

/// Tells memory checkers about the state of a resource's memory: AddressSanitizer, Valgrind's
/// memcheck or MemorySanitizer. Without one of them every function is empty and costs nothing, nor
/// do its arguments; layouts never depend on the tool.
///
///     free           no_access(p, n)    any access is reported
///     allocated      undefined(p, n)    write before reading; some tools report the contrary
///     bookkeeping    defined(p, n)      may be read and written
///
/// A resource calls undefined() before it hands memory out, no_access() when it takes it back, and
/// undefined() once more before memory goes to its upstream: the next owner starts afresh.
/// size_of() makes all the bytes that it tells accessible. AddressSanitizer works in units of 8
/// bytes: no_access() leaves the last bytes of an odd size as they are where accessible ones follow
/// in their unit.
/// Threads: any, on memory that belongs to the caller.
namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {
namespace poison {

/// True if a tool is compiled in: guards work that only a tool needs.
#if ARENITE_HAS_ASAN || ARENITE_HAS_MSAN || ARENITE_HAS_VALGRIND
inline constexpr bool active = true;
#else
inline constexpr bool active = false;
#endif

/// These bytes must not be touched until undefined() or defined() is called.
ARENITE_INLINE void no_access([[maybe_unused]] const void* p,
                              [[maybe_unused]] std::size_t n) noexcept {
#if ARENITE_HAS_ASAN
    __asan_poison_memory_region(p, n);
#endif
#if ARENITE_HAS_MSAN
    __msan_poison(p, n);
#endif
#if ARENITE_HAS_VALGRIND
    static_cast<void>(VALGRIND_MAKE_MEM_NOACCESS(p, n));
#endif
}

/// Addressable, contents unknown: memory as an allocation returns it.
ARENITE_INLINE void undefined([[maybe_unused]] const void* p,
                              [[maybe_unused]] std::size_t n) noexcept {
#if ARENITE_HAS_ASAN
    __asan_unpoison_memory_region(p, n);
#endif
#if ARENITE_HAS_MSAN
    __msan_allocated_memory(p, n);
#endif
#if ARENITE_HAS_VALGRIND
    static_cast<void>(VALGRIND_MAKE_MEM_UNDEFINED(p, n));
#endif
}

/// Addressable, contents known: our own bookkeeping.
ARENITE_INLINE void defined([[maybe_unused]] const void* p,
                            [[maybe_unused]] std::size_t n) noexcept {
#if ARENITE_HAS_ASAN
    __asan_unpoison_memory_region(p, n);
#endif
#if ARENITE_HAS_MSAN
    __msan_unpoison(p, n);
#endif
#if ARENITE_HAS_VALGRIND
    static_cast<void>(VALGRIND_MAKE_MEM_DEFINED(p, n));
#endif
}

/// While this object lives, n bytes of bookkeeping inside free memory may be touched.
class access {
public:
    ARENITE_INLINE access(const void* p, std::size_t n) noexcept : p_{p}, n_{n} { defined(p, n); }
    ARENITE_INLINE ~access() { no_access(p_, n_); }
    access(const access&) = delete;
    access& operator=(const access&) = delete;

private:
    const void* p_;
    std::size_t n_;
};

/// False only if the tool in use would report an access to some of the bytes.
[[nodiscard]] inline bool accessible([[maybe_unused]] const void* p,
                                     [[maybe_unused]] std::size_t n) noexcept {
#if ARENITE_HAS_ASAN
    if (__asan_region_is_poisoned(const_cast<void*>(p), n) != nullptr)
        return false;
#endif
#if ARENITE_HAS_VALGRIND
    for (std::size_t i = 0; i < n; ++i) {
        unsigned char bits = 0;
        if (VALGRIND_GET_VBITS(static_cast<const char*>(p) + i, &bits, 1) == 3)
            return false;
    }
#endif
    return true;
}

/// True where the tool at work reports accesses to no_access() memory; for tests. (A Valgrind build
/// runs outside of Valgrind too; MemorySanitizer reports only uses of the value.)
[[nodiscard]] inline bool reports_access() noexcept {
#if ARENITE_HAS_VALGRIND
    if (RUNNING_ON_VALGRIND != 0)
        return true;
#endif
    return ARENITE_HAS_ASAN != 0;
}

} // namespace poison

/// In these builds every call is a slow one: it informs a memory checker, or checks more.
inline constexpr bool slow_only = checks_enabled || poison::active;

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
