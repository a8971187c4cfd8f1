// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/resource_base.hpp>

#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {

/// The C library's malloc as a resource: one of the two roots of every chain of upstreams.
///
/// Use when:  memory must come from the program's own malloc. For pages see os/page_resource.hpp.
/// Cost:      that of malloc, aligned_alloc and free.
/// Threads:   any.
/// Failure:   out_of_memory / nullptr; nothing changes.
class malloc_resource final : public resource_base<malloc_resource> {
public:
    static constexpr bool is_concurrent = true;

    constexpr malloc_resource() noexcept = default;

    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = default_alignment) noexcept;
    void deallocate(void* p, std::size_t bytes, std::size_t alignment = default_alignment) noexcept;
};

/// The process's malloc; never destroyed, usable before main and after it.
[[nodiscard]] malloc_resource& system_resource() noexcept;

} // namespace ARENITE_ABI
} // namespace arenite
