// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#define ARENITE_HEADER_OF_CXX17
#include <arenite/c.h>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <string_view>

namespace arenite {
inline namespace ARENITE_ABI {

/// operator new and delete of an affinity for C++17, and for classes that already have their own.
///
///     struct bodies {
///         static constexpr const char* name = "bodies";
///     };
///     class Body : public arenite::class_memory<bodies> {};            // a class of your own
///
///     class Actor : public TheirObject, public arenite::class_memory<bodies> {
///     public:                                     // a base of it has operator new and delete
///         ARENITE_CLASS_MEMORY(bodies);
///     };
///
/// A class that keeps its own operator new forwards it: `return
/// arenite::class_memory<bodies>::operator new(bytes);`, and so its delete.
///
/// Use when:  the code is C++17, or a class or its bases declare operator new. C++20 takes
///            affine<Tag> (affinity/affine.hpp) otherwise, which inlines.
/// Cost:      that of arenite/c.h: one call each, and a check whether the affinity is known.
/// Overhead:  none per object; none in its size.
/// Limits:    the program links the library, by CMake's arenite::c; nothing of it is compiled in.
/// Threads:   any; before main, after it, and in a forked child.
/// Failure:   std::bad_alloc, or nullptr with std::nothrow. Without exceptions std::abort.
template <class Tag>
class class_memory {
public:
    [[nodiscard]] static void* operator new(std::size_t bytes) {
        void* const p = arenite_allocate_object(known_.load(std::memory_order_acquire), bytes);
        return p != nullptr ? p : expect(arenite_allocate_object(heap(), bytes));
    }
    [[nodiscard]] static void* operator new[](std::size_t bytes) {
        return expect(allocate(bytes, array_alignment(bytes)));
    }
    [[nodiscard]] static void* operator new(std::size_t bytes, std::align_val_t alignment) {
        return expect(allocate(bytes, static_cast<std::size_t>(alignment)));
    }
    [[nodiscard]] static void* operator new[](std::size_t bytes, std::align_val_t alignment) {
        return expect(allocate(bytes, static_cast<std::size_t>(alignment)));
    }
    [[nodiscard]] static void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
        return arenite_allocate_object(heap(), bytes);
    }
    [[nodiscard]] static void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
        return allocate(bytes, array_alignment(bytes));
    }
    [[nodiscard]] static void* operator new(std::size_t bytes, std::align_val_t alignment,
                                            const std::nothrow_t&) noexcept {
        return allocate(bytes, static_cast<std::size_t>(alignment));
    }
    [[nodiscard]] static void* operator new[](std::size_t bytes, std::align_val_t alignment,
                                              const std::nothrow_t&) noexcept {
        return allocate(bytes, static_cast<std::size_t>(alignment));
    }
    [[nodiscard]] static void* operator new(std::size_t, void* place) noexcept { return place; }
    [[nodiscard]] static void* operator new[](std::size_t, void* place) noexcept { return place; }

    static void operator delete(void* p) noexcept { arenite_deallocate(p); }
    static void operator delete[](void* p) noexcept { arenite_deallocate(p); }
    static void operator delete(void* p, std::align_val_t) noexcept { arenite_deallocate(p); }
    static void operator delete[](void* p, std::align_val_t) noexcept { arenite_deallocate(p); }
    // Called where a constructor throws.
    static void operator delete(void* p, const std::nothrow_t&) noexcept { arenite_deallocate(p); }
    static void operator delete[](void* p, const std::nothrow_t&) noexcept {
        arenite_deallocate(p);
    }
    static void operator delete(void* p, std::align_val_t, const std::nothrow_t&) noexcept {
        arenite_deallocate(p);
    }
    static void operator delete[](void* p, std::align_val_t, const std::nothrow_t&) noexcept {
        arenite_deallocate(p);
    }
    static void operator delete(void*, void*) noexcept {}
    static void operator delete[](void*, void*) noexcept {}

    /// The affinity of the objects; nullptr if none of that name can be created.
    [[nodiscard]] static arenite_heap* heap() noexcept {
        arenite_heap* const known = known_.load(std::memory_order_acquire);
        return known != nullptr ? known : find();
    }

protected:
    class_memory() = default;
    class_memory(const class_memory&) = default;
    class_memory& operator=(const class_memory&) = default;
    ~class_memory() = default;

private:
    [[nodiscard]] static arenite_heap* find() noexcept {
        char name[65] = {}; // one more than a name may have, so that a longer one is refused
        std::string_view{Tag::name}.copy(name, sizeof name - 1);
        arenite_heap* const found = arenite_affinity(name);
        known_.store(found, std::memory_order_release);
        return found;
    }
    [[nodiscard]] static void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
        return arenite_allocate_aligned(heap(), bytes, alignment);
    }
    /// An array may store the number of its objects before them.
    [[nodiscard]] static constexpr std::size_t array_alignment(std::size_t bytes) noexcept {
        const std::size_t natural = natural_alignment(bytes);
        return natural < alignof(std::size_t) ? alignof(std::size_t) : natural;
    }
    [[nodiscard]] static void* expect(void* p) {
        if (p != nullptr)
            return p;
#if ARENITE_EXCEPTIONS
        throw std::bad_alloc{};
#else
        std::abort();
#endif
    }

    // Not a variable of heap(): a child that is forked while another thread makes such a one would
    // wait for that thread for ever.
#if defined(__GNUC__)
    [[gnu::visibility("hidden")]] // each module has its own, and may be closed
#endif
    static inline std::atomic<arenite_heap*>
        known_{nullptr};
};

} // namespace ARENITE_ABI
} // namespace arenite

/// In a class with other bases that have operator new: this one allocates and frees its objects.
#define ARENITE_CLASS_MEMORY(Tag)                                                                  \
    using ::arenite::class_memory<Tag>::operator new;                                              \
    using ::arenite::class_memory<Tag>::operator new[];                                            \
    using ::arenite::class_memory<Tag>::operator delete;                                           \
    using ::arenite::class_memory<Tag>::operator delete[];                                         \
    using ::arenite::class_memory<Tag>::heap
