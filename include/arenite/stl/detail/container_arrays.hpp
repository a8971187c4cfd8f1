// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/os/detail/fork_lock.hpp>

#include <cstddef>
#include <mutex>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Arrays of containers, which need no slot. A prefix before each array names its owner.
///
/// Threads:   any.
/// Failure:   nullptr; nothing changes.
class container_arrays {
public:
    container_arrays(const ordered_options& options, upstream up) noexcept : heap_{options, up} {}

    [[nodiscard]] void* try_allocate(std::size_t bytes, std::size_t alignment) noexcept;

    /// Any array, whichever heap it is of.
    static void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept;

    void trim() noexcept;
    [[nodiscard]] arenite::usage usage() const noexcept;
    [[nodiscard]] bool owns(const void* p) const noexcept;
    void list_regions(region_sink& sink) const;

    /// The arrays of all containers without a container_pool. Never destroyed.
    [[nodiscard]] static container_arrays& of_process() noexcept;

private:
    struct prefix;

    mutable fork_lock<std::mutex> mutex_;
    ordered_heap heap_;
    std::size_t live_ = 0;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
