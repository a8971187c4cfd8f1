// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {
namespace os {

/// Which pages of a range were written to since it was last asked: the kernel keeps the record.
///
///     watch       a page is written: a short fault, once, and its mark
///     collect     marks -> bits, and all pages are unmarked
///
/// On Linux from 6.7 on, where a program may have a userfaultfd of its own mode (the default); no
/// signal, no handler, and writes by system calls count as any other. Elsewhere watch is false.
///
/// Cost:      watch and collect O(pages written + page tables / 512); a page's first write after a
///            collect is a fault, below a microsecond.
/// Overhead:  a bit a page; a file descriptor.
/// Threads:   one at a time; pages may be written by any, and by the kernel.
/// Failure:   false: any page may have been written.
class written_pages {
public:
    static constexpr std::size_t page_bytes = 4096; ///< what a bit is for

    written_pages() noexcept = default;
    ~written_pages() { end(); }
    written_pages(const written_pages&) = delete;
    written_pages& operator=(const written_pages&) = delete;

    /// From now on. At first all pages count as written. The range is one of whole system pages,
    /// which must not be unmapped before end().
    [[nodiscard]] bool watch(void* begin, std::size_t bytes) noexcept;
    [[nodiscard]] bool watches() const noexcept { return bits_ != nullptr; }
    void end() noexcept;

    /// Asks, and begins anew. In the child of a fork it is false.
    [[nodiscard]] bool collect() noexcept;

    /// True if page i was written to before the last collect() that was true.
    [[nodiscard]] bool written(std::size_t i) const noexcept {
        return (bits_[i / 64] >> i % 64 & 1) != 0;
    }

private:
    std::uint64_t* bits_ = nullptr;
    [[maybe_unused]] std::byte* begin_ = nullptr;
    std::size_t bytes_ = 0;
    [[maybe_unused]] int fault_file_ = -1;
};

} // namespace os
} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
