// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/check/leak.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/region.hpp>

#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {

/// What a strategy does with ARENITE_PASSTHROUGH=1: each allocation is one of malloc's, and all of
/// them hang on a chain, so that they can be found, measured and given back at once as the strategy
/// promises.
///
/// Cost:      that of malloc, and a look into a table; owns O(n).
/// Overhead:  56 bytes before each allocation, out of the user's reach for the memory checkers, and
///            10 to 32 in the table.
/// Misuse:    what is not alive here is refused in every build: freed already, an address within an
///            allocation, memory of others; nothing is read there. AddressSanitizer, where it is in
///            the process, tells besides where that memory was allocated and freed.
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

    /// Gives back what try_allocate returned.
    void deallocate(void* p) noexcept;

    /// Gives back all that is younger than the allocation of this number; see latest().
    void rewind(std::size_t number) noexcept;

    /// True if p points into an allocation.
    [[nodiscard]] bool owns(const void* p) const noexcept;

    /// What was asked for the allocation at p.
    [[nodiscard]] std::size_t size_of(const void* p) const noexcept;

    /// Each allocation that is alive, the latest first. O(n).
    void list_regions(region_sink& sink) const;

    /// The newest allocation, and the next older one; nullptr after the oldest.
    [[nodiscard]] void* newest() const noexcept;
    [[nodiscard]] static void* older_than(const void* p) noexcept;

    /// Adds each allocation that is alive, the latest first. O(n).
    void add_to(leak_collector& leaks) const noexcept;

    /// Number of the latest allocation that is alive, rising from 1; 0 where there is none.
    [[nodiscard]] std::size_t latest() const noexcept;

    /// Bytes asked for all that is alive, and how many there are.
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

} // namespace ARENITE_ABI
} // namespace arenite
