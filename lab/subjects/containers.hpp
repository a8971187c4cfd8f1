// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "arenite.hpp"

#include <arenite/stl/container_pool.hpp>
#include <arenite/stl/pool_allocator.hpp>
#include <arenite/stl/suballocator.hpp>

#include <cstddef>
#include <memory>
#include <utility>
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
    static constexpr bool for_any_thread = true;

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

/// suballocator, of a Kind that names it for a T.
template <class Kind>
class suballocating {
public:
    static constexpr bool for_any_thread = requires { Kind::for_any_thread; };

    template <class T>
    [[nodiscard]] typename Kind::template allocator<T> allocator_of() {
        return {};
    }
    template <class C>
    void trim(C& c) {
        if constexpr (requires { c.trim(); })
            c.trim(); // an allocator
        else
            Kind::trim(c);
    }
    template <class A>
        requires requires(const A& a) { a.usage(); }
    [[nodiscard]] std::size_t reserved_bytes(const A& a) const {
        return a.usage().bytes_reserved;
    }
    template <class A>
    [[nodiscard]] bool owns(const A& a, const void* p) const {
        return a.owns(p);
    }

    static std::vector<subject_info> ways() { return Kind::ways(); }
};

/// A container's own pool: its allocator speaks for its nodes too.
struct suballocator_of_container {
    template <class C>
    static void trim(C& c) {
        c.get_allocator().trim();
    }
};

struct suballocator_own : suballocator_of_container {
    template <class T>
    using allocator = suballocator<T, page_allocator<T>, sharing::container>;
    static std::vector<subject_info> ways() {
        const subject_info info{.name = "arenite.suballocator",
                                .summary = "suballocator, sharing::container",
                                .pages = "huge"};
        return {info, without_huge_pages(info)};
    }
};

struct suballocator_over_std : suballocator_of_container {
    template <class T>
    using allocator = suballocator<T, std::allocator<T>, sharing::container>;
    static std::vector<subject_info> ways() {
        return {{.name = "arenite.suballocator-over-std",
                 .summary = "suballocator over std::allocator, sharing::container",
                 .pages = "4k"}};
    }
};

struct suballocator_shared {
    static constexpr bool for_any_thread = true;

    template <class T>
    using allocator = suballocator<T>;

    template <std::size_t Bytes>
    struct node {
        alignas(8) std::byte bytes[Bytes];
    };
    /// Each size has its pool: those of all nodes that the workloads have.
    template <class C>
    static void trim(C&) {
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (suballocator<node<8 * (I + 1)>>{}.trim(), ...);
        }(std::make_index_sequence<8>{});
    }
    static std::vector<subject_info> ways() {
        return {{.name = "arenite.suballocator-shared",
                 .summary = "suballocator, its pools shared by the process",
                 .pages = "huge"}};
    }
};

} // namespace arenite::lab
