// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#if ARENITE_IS_MALLOC
#include <cstddef>
#else
#include <memory_resource>
#endif

namespace arenite {
inline namespace ARENITE_ABI {

#if ARENITE_IS_MALLOC
namespace detail {

/// std::pmr::memory_resource where no C++ library may be needed: in libarenite-malloc, which serves
/// programs of C.
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

private:
    virtual void* do_allocate(std::size_t bytes, std::size_t alignment) = 0;
    virtual void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) = 0;
    virtual bool do_is_equal(const plain_resource& other) const noexcept = 0;
};

} // namespace detail

using resource = detail::plain_resource;
#else
/// The interface of every allocator here, and the one place that names it: a platform without
/// <memory_resource> is one edit.
using resource = std::pmr::memory_resource;
#endif

} // namespace ARENITE_ABI
} // namespace arenite
