// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/freelist/detail/page_copies.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

class restorable_heap;

/// All that a restorable_heap held at one moment: to be restored, or written to a file and read.
///
///     heap_snapshot before = heap.take();
///     play();
///     if (!heap.restore(before))                         // as it was, pointers and all
///         std::puts(heap.why_refused());
///     if (before.write("level.heap"))
///         before = heap_snapshot::read("level.heap");
///     if (!before)
///         std::puts(before.why());
///
/// Snapshots of a heap share the pages that did not change between them.
///
/// Use when:  an undo, a rollback, a hot reload that keeps the state, a bug to be replayed.
/// Cost:      that of the pages: write and read O(pages that are not all zeros).
/// Overhead:  of the pages of 4 KiB that changed since the snapshot before: 4112 bytes each, and
///            528 for each 64 neighbours of which one did; 8 bytes for all other 64.
/// Limits:    a file fits the same address and size, the same version and build of the library
///            (checked or not), and the same `layout` of the program's own types; byte order and
///            page size are those of the machine.
/// Threads:   one at a time.
/// Failure:   write: false, and no file of that name is changed. read: an empty snapshot, whose
///            why() says what was wrong with the file; each byte of a file is covered by a check
///            sum.
class heap_snapshot {
public:
    heap_snapshot() noexcept = default;
    heap_snapshot(heap_snapshot&& o) noexcept
        : pages_{std::move(o.pages_)}, address_{o.address_}, bytes_{o.bytes_}, layout_{o.layout_},
          why_{std::exchange(o.why_, "it was moved elsewhere")} {}
    heap_snapshot& operator=(heap_snapshot&& o) noexcept {
        if (this != &o) {
            pages_ = std::move(o.pages_);
            address_ = o.address_;
            bytes_ = o.bytes_;
            layout_ = o.layout_;
            why_ = std::exchange(o.why_, "it was moved elsewhere");
        }
        return *this;
    }

    /// False if it holds nothing: there was no memory for it, or its file was refused.
    [[nodiscard]] explicit operator bool() const noexcept { return pages_.count() != 0; }

    /// Why it holds nothing, as a sentence.
    [[nodiscard]] const char* why() const noexcept { return why_; }

    /// Where the heap lies that it is of, and its bytes; the program's number for the layout.
    [[nodiscard]] std::uintptr_t address() const noexcept { return address_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
    [[nodiscard]] std::uint64_t layout() const noexcept { return layout_; }

    /// Pages of which it has a copy, and those of them that no other snapshot has. O(pages).
    [[nodiscard]] std::size_t page_count() const noexcept { return pages_.copied(); }
    [[nodiscard]] std::size_t own_page_count() const noexcept { return pages_.own(); }

    /// Writes a file beside `path`, then gives it that name.
    [[nodiscard]] bool write(const char* path) const noexcept;

    [[nodiscard]] static heap_snapshot read(const char* path) noexcept;
    /// Reads a file that lies in memory.
    [[nodiscard]] static heap_snapshot read(std::span<const std::byte> file) noexcept;

private:
    friend class restorable_heap;
    struct header;

    explicit heap_snapshot(const char* why) noexcept : why_{why} {}
    [[nodiscard]] header describe() const noexcept;
    template <class Source>
    [[nodiscard]] static heap_snapshot read_from(Source&& next, std::uint64_t file_bytes) noexcept;

    detail::page_copies pages_; ///< the last page of the heap, then those from its begin on
    std::uintptr_t address_ = 0;
    std::size_t bytes_ = 0;
    std::uint64_t layout_ = 0;
    const char* why_ = "it was never taken";
};

} // namespace ARENITE_ABI
} // namespace arenite
