// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "arenite.hpp"

#include <arenite/stl/container_pool.hpp>
#include <arenite/stl/pool_allocator.hpp>

#include <cstddef>
#include <vector>

// Our allocators for standard containers.

namespace arenite::lab {

/// A pool for each container.
class pool_allocating {
public:
    template <class T>
    [[nodiscard]] pool_allocator<T> allocator_of() {
        return {};
    }

    static std::vector<subject_info> ways() {
        const subject_info info{.name = "arenite.pool_allocator",
                                .summary = "pool_allocator, each container its own pool",
                                .pages = "huge"};
        return {info, without_huge_pages(info)};
    }
};

/// One pool for all containers, which can be trimmed and asked.
class container_pool_sharing {
public:
    template <class T>
    [[nodiscard]] pool_allocator<T> allocator_of() {
        return pool_;
    }
    template <class C>
    void trim(C&) {
        pool_.trim();
    }
    template <class C>
    [[nodiscard]] std::size_t reserved_bytes(const C&) const {
        return pool_.usage().bytes_reserved;
    }

    static std::vector<subject_info> ways() {
        return {{.name = "arenite.container_pool",
                 .summary = "pool_allocator of one container_pool, which any thread may use",
                 .pages = "huge"}};
    }

private:
    container_pool pool_;
};

} // namespace arenite::lab
