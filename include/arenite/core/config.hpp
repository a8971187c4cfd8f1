// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

// A header that C++17 may include says so before it includes this one.
#if defined(_MSVC_LANG)
#define ARENITE_LANGUAGE _MSVC_LANG
#else
#define ARENITE_LANGUAGE __cplusplus
#endif
#if ARENITE_LANGUAGE <= 201703L && !defined(ARENITE_HEADER_OF_CXX17)
#error Arenite needs C++20 (-std=c++20); for C++17: arenite/c.h, arenite/interop/class_memory.hpp
#define ARENITE_STOP <C++ 20> // an error that ends the compilation: no other ones follow
#include ARENITE_STOP
#endif

// Decided once by a build, for every header: the ABI name, inlining, and what is available.

// A keyword of 16-bit compilers that windows.h defines as nothing; heaps have near(p).
#if defined(_WIN32)
#undef near
#endif

#define ARENITE_VERSION_MAJOR 0
#define ARENITE_VERSION_MINOR 1
#define ARENITE_VERSION_PATCH 0

// 1 in a checked build (CMake option ARENITE_CHECKS): misuse that costs time to find is found.
#ifndef ARENITE_CHECKS
#define ARENITE_CHECKS 0
#endif

// 1 for a copy that the program or library which has it inside keeps to itself (CMake option
// ARENITE_PRIVATE): hidden, and by names that no other copy in the process has.
#ifndef ARENITE_PRIVATE
#define ARENITE_PRIVATE 0
#endif

// 1 for the private copy inside libarenite-malloc: this library is malloc then, and never calls it.
#ifndef ARENITE_IS_MALLOC
#define ARENITE_IS_MALLOC 0
#endif

// Checked and unchecked objects have different names, so that mixing them fails at link time. Until
// 1.0 the name has the minor version, too: two versions can be in one process.
#if ARENITE_IS_MALLOC
#define ARENITE_ABI_NAME v0_1_malloc
#elif ARENITE_PRIVATE && ARENITE_CHECKS
#define ARENITE_ABI_NAME v0_1_private_checked
#elif ARENITE_PRIVATE
#define ARENITE_ABI_NAME v0_1_private
#elif ARENITE_CHECKS
#define ARENITE_ABI_NAME v0_1_checked
#else
#define ARENITE_ABI_NAME v0_1
#endif

// Namespace arenite is the interface of a shared library; its objects exist once in a program
// and its plug-ins, also where they are compiled with -fvisibility=hidden.
#if !defined(__GNUC__) || defined(_WIN32)
#define ARENITE_VISIBLE
#elif ARENITE_PRIVATE || ARENITE_IS_MALLOC
#define ARENITE_VISIBLE __attribute__((visibility("hidden")))
#else
#define ARENITE_VISIBLE __attribute__((visibility("default")))
#endif
#define ARENITE_ABI ARENITE_ABI_NAME ARENITE_VISIBLE

#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
#define ARENITE_EXCEPTIONS 1
#else
#define ARENITE_EXCEPTIONS 0
#endif

// Visual C++ takes the standard's attribute and does nothing.
#if defined(_MSC_VER)
#define ARENITE_NO_UNIQUE_ADDRESS [[msvc::no_unique_address]]
#else
#define ARENITE_NO_UNIQUE_ADDRESS [[no_unique_address]]
#endif

// The fast path is the product: forced inline, also where the compiler's own estimate says no.
// ARENITE_COLD marks the paths behind it. Without optimisation both are plain functions.
#if defined(__GNUC__) || defined(__clang__)
#define ARENITE_INLINE [[gnu::always_inline]] inline
#define ARENITE_COLD [[gnu::noinline, gnu::cold]]
#define ARENITE_NOINLINE [[gnu::noinline]]
#elif defined(_MSC_VER)
#define ARENITE_INLINE __forceinline
#define ARENITE_COLD __declspec(noinline)
#define ARENITE_NOINLINE __declspec(noinline)
#else
#define ARENITE_INLINE inline
#define ARENITE_COLD
#define ARENITE_NOINLINE
#endif

// The sanitizer that this translation unit is built for: at most one of the three is 1.
#if defined(__SANITIZE_ADDRESS__)
#define ARENITE_HAS_ASAN 1
#elif defined(__SANITIZE_THREAD__)
#define ARENITE_HAS_TSAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENITE_HAS_ASAN 1
#endif
#if __has_feature(memory_sanitizer)
#define ARENITE_HAS_MSAN 1
#endif
#if __has_feature(thread_sanitizer)
#define ARENITE_HAS_TSAN 1
#endif
#endif
#ifndef ARENITE_HAS_ASAN
#define ARENITE_HAS_ASAN 0
#endif
#ifndef ARENITE_HAS_MSAN
#define ARENITE_HAS_MSAN 0
#endif
#ifndef ARENITE_HAS_TSAN
#define ARENITE_HAS_TSAN 0
#endif

// True where the compiler knows the value at this place once it has inlined; false is always right.
#if defined(__GNUC__) || defined(__clang__)
#define ARENITE_IS_CONSTANT(value) (__builtin_constant_p(value) != 0)
#else
#define ARENITE_IS_CONSTANT(value) false
#endif

// For data at a fixed place of each thread: read without a call, and without the loader's lock.
#if defined(__GNUC__)
#define ARENITE_THREAD_FAST __attribute__((tls_model("initial-exec")))
#else
#define ARENITE_THREAD_FAST
#endif

// A condition that the compiler may take for granted.
#if defined(__GNUC__) || defined(__clang__)
#define ARENITE_ASSUME(condition) ((condition) ? static_cast<void>(0) : __builtin_unreachable())
#elif defined(_MSC_VER)
#define ARENITE_ASSUME(condition) __assume(condition)
#else
#define ARENITE_ASSUME(condition) static_cast<void>(0)
#endif

namespace arenite {
inline namespace ARENITE_ABI {

/// True in a checked build.
inline constexpr bool checks_enabled = ARENITE_CHECKS != 0;

namespace detail {

/// The value itself, but another one to the compiler: an address that is computed from it is added
/// up by each instruction that reads or writes there, instead of before all of them. For one that
/// does: where two did, it took longer than the addition (doc/dead_ends.md).
template <class T>
[[nodiscard]] ARENITE_INLINE T apart(T value) noexcept {
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__aarch64__))
    __asm__("" : "+r"(value));
#endif
    return value;
}

} // namespace detail

} // namespace ARENITE_ABI
} // namespace arenite
