// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Writes what tells memory that is new or gone, in a checked build.
void fill_lent(std::byte* p, std::size_t count, int value) noexcept;

/// The allocations of a linear_resource in a checked build: begin, end, and whether they
/// were freed, in the order in which they were made, which is that of their addresses.
///
/// Cost:      add amortised O(1); free O(log allocations).
/// Overhead:  24 bytes an allocation, of malloc.
/// Failure:   where malloc has no more, nothing is known from then on, and nothing found.
class allocation_log {
public:
    allocation_log() = default;
    allocation_log(const allocation_log&) = delete;
    allocation_log& operator=(const allocation_log&) = delete;
    ~allocation_log();

    /// The memory from `top`, where the resource was filled to before, to the end of what was
    /// allocated at p: what is known to lie there is gone.
    void add_above(const std::byte* top, const std::byte* p, std::size_t bytes) noexcept;

    /// In a resource that grows downward, and was filled down to `bottom`.
    void add_below(const std::byte* bottom, const std::byte* p, std::size_t bytes) noexcept;

    /// The latest allocation has another size.
    void resize_latest(const std::byte* p, std::size_t bytes) noexcept;

    /// Notes a free of memory that is in use, below `top`; nullptr, or why it is misuse. A rewind
    /// may have taken what the latest allocation grew by.
    [[nodiscard]] const char* free(const std::byte* p, std::size_t bytes,
                                   const std::byte* top) noexcept;

private:
    struct entry {
        const std::byte* first;
        const std::byte* last;
        bool freed;
    };

    void add(const std::byte* p, std::size_t bytes) noexcept;
    [[nodiscard]] entry* find(const std::byte* p) const noexcept;

    entry* entries_ = nullptr;
    std::size_t count_ = 0;
    std::size_t capacity_ = 0;
    bool downward_ = false;
    bool lost_ = false;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
