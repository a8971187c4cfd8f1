// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/region.hpp>

#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {

class leak_collector;

namespace detail {

/// Allocations of a resource with ARENITE_PASSTHROUGH=1: each one is a malloc, and all are linked
/// in a chain, so that they can be found, measured and freed at once as the resource promises.
///
/// Cost:      that of malloc, and a table lookup; owns O(n).
/// Overhead:  56 bytes before each allocation, out of the user's reach for memory checkers, and 10
///            to 32 in the table.
/// Misuse:    frees of anything that is not alive here are refused in every build: freed memory, an
///            address within an allocation, memory of others; nothing is read there.
///            AddressSanitizer, if it is in the process, also says where that memory was allocated
///            and freed.
/// Threads:   one at a time.
/// Failure:   nullptr; nothing changes.
class passthrough_chain {
public:
    passthrough_chain() = default;
    ~passthrough_chain();

    passthrough_chain(const passthrough_chain&) = delete;
    passthrough_chain& operator=(const passthrough_chain&) = delete;

    /// bytes is 1 or more, alignment a power of two.
    [[nodiscard]] void* try_allocate(std::size_t bytes, std::size_t alignment) noexcept;

    /// Frees what try_allocate returned.
    void deallocate(void* p) noexcept;

    /// Frees all allocations younger than the one with this number; see latest().
    void rewind(std::size_t number) noexcept;

    /// True if p points into an allocation.
    [[nodiscard]] bool owns(const void* p) const noexcept;

    /// The requested size of the allocation at p.
    [[nodiscard]] std::size_t size_of(const void* p) const noexcept;

    /// Lists each live allocation, the latest first. O(n).
    void list_regions(region_sink& sink) const;

    /// The newest allocation, and the next older one; nullptr after the oldest.
    [[nodiscard]] void* newest() const noexcept;
    [[nodiscard]] static void* older_than(const void* p) noexcept;

    /// Adds each live allocation, the latest first. O(n).
    void add_to(leak_collector& leaks) const noexcept;

    /// Number of the latest live allocation, counting from 1; 0 if there is none.
    [[nodiscard]] std::size_t latest() const noexcept;

    /// Requested bytes of all live allocations, and their number.
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
    [[nodiscard]] std::size_t count() const noexcept { return count_; }

private:
    struct link;
    class table;

    [[nodiscard]] bool make_room() noexcept;
    [[nodiscard]] link* link_of(const void* p, const char* what) const noexcept;
    [[noreturn]] ARENITE_COLD void refuse(const void* p, const char* what) const;

    link* latest_ = nullptr; // the newest first
    table* alive_ = nullptr;
    std::size_t bytes_ = 0;
    std::size_t count_ = 0;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
