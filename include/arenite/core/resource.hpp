// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <cstddef>
#include <version>

/// 1 where the interface is a class of this library instead of std::pmr::memory_resource: where the
/// standard library lacks that, which those of older macOS and iOS do; in libarenite-malloc, which
/// needs no C++ library; and where a program's build sets it.
#ifndef ARENITE_OWN_RESOURCE
#if ARENITE_IS_MALLOC || !defined(__cpp_lib_memory_resource)
#define ARENITE_OWN_RESOURCE 1
#else
#define ARENITE_OWN_RESOURCE 0
#endif
#endif

#if !ARENITE_OWN_RESOURCE
#include <memory_resource>
#endif

namespace arenite {
inline namespace ARENITE_ABI {

#if ARENITE_OWN_RESOURCE
namespace detail {

/// std::pmr::memory_resource by another name; containers take it through resource_allocator.
class plain_resource {
public:
    plain_resource() = default;
    plain_resource(const plain_resource&) = default;
    plain_resource& operator=(const plain_resource&) = default;
    virtual ~plain_resource() = default;

    [[nodiscard]] void* allocate(std::size_t bytes,
                                 std::size_t alignment = alignof(std::max_align_t)) {
        return do_allocate(bytes, alignment);
    }
    void deallocate(void* p, std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
        do_deallocate(p, bytes, alignment);
    }
    [[nodiscard]] bool is_equal(const plain_resource& other) const noexcept {
        return do_is_equal(other);
    }
    [[nodiscard]] friend bool operator==(const plain_resource& a,
                                         const plain_resource& b) noexcept {
        return &a == &b || a.is_equal(b);
    }

private:
    virtual void* do_allocate(std::size_t bytes, std::size_t alignment) = 0;
    virtual void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) = 0;
    virtual bool do_is_equal(const plain_resource& other) const noexcept = 0;
};

} // namespace detail

using resource = detail::plain_resource;
#else
/// The interface of every allocator here, and the one place that names it.
using resource = std::pmr::memory_resource;
#endif

} // namespace ARENITE_ABI
} // namespace arenite
