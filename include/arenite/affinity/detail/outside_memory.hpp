// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {

class upstream;

namespace detail {

/// Memory of an affinity outside the library's pages.
struct outside_count {
    std::atomic<std::size_t> bytes{0};
    std::atomic<std::size_t> high_water{0};
    std::atomic<std::size_t> allocations{0}; ///< raised by the caller of try_allocate, before it
};

/// Memory of an affinity that operator new, or a resource of the user's, gave: with a prefix that
/// leads every free back to it.
///
///     given |  padding  | magic 32, source 8, affinity 16, alignment 8 | size 64 | object ...
///                         ^ 16 bytes before the object
///
/// Cost:      that of the source, and an atomic operation for each of both calls; of: two loads,
///            and the prefix is read only in a page of 4 KiB that is known to have one.
/// Overhead:  16 bytes an object, or its alignment where that is larger; 1 MiB of addresses for
///            each 4 GiB of them in which such objects lie, resident in pages for 16 MiB each.
/// Threads:   any, as far as the source is.
/// Failure:   nullptr; nothing changes.
class outside_memory {
public:
    struct prefix {
        std::uint64_t marks;
        std::uint64_t size;

        [[nodiscard]] unsigned source() const noexcept { return (marks >> 24) & 0xff; }
        [[nodiscard]] unsigned affinity() const noexcept { return (marks >> 8) & 0xffff; }
        [[nodiscard]] std::size_t alignment() const noexcept {
            return std::size_t{1} << (marks & 0xff);
        }
    };
    static constexpr std::size_t prefix_bytes = sizeof(prefix);

    /// Number of the source that is operator new and delete.
    static constexpr unsigned standard = 0;

    /// Number of a resource of the user's; of 254 different ones at most.
    [[nodiscard]] static unsigned source_of(const upstream& own) noexcept;

    [[nodiscard]] static void* try_allocate(unsigned source, unsigned affinity,
                                            outside_count& count, std::size_t bytes,
                                            std::size_t alignment) noexcept;

    /// The prefix before p, any address; nullptr where p is not of this kind.
    [[nodiscard]] static prefix* of(void* p) noexcept;
    [[nodiscard]] static const prefix* of(const void* p) noexcept;

    /// Calls f(p, bytes, affinity) for each object there is: all pages that have one are searched.
    /// While others allocate or free, of a moment ago; for the end of the process.
    template <class F>
    static void for_each(F f) {
        each(
            [](void* context, void* p, const prefix& found) {
                (*static_cast<F*>(context))(p, static_cast<std::size_t>(found.size),
                                            found.affinity());
            },
            &f);
    }

    /// For a hook that was given an address that no heap owns: with operator new as the source of
    /// all memory, as in a process that passes all through, it goes to operator delete, where a
    /// memory checker sees that it was freed before, or whose it is; true then.
    static bool hand_to_checker(void* p) noexcept;

    /// Frees p, of which this is the prefix.
    static void deallocate(void* p, prefix& before, outside_count& count) noexcept;

private:
    static void each(void (*f)(void* context, void* p, const prefix& found), void* context);
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
