// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/offset/offset_allocation.hpp>

#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {

/// One copy that a step asks for: the bytes at `from` are to be copied to `to`.
///
/// Until commit() or cancel() both are allocated, and `from` is the valid one: it may be freed, or
/// the move cancelled. After commit() `to` is the valid one.
struct offset_move {
    offset_allocation from;
    offset_allocation to;
    void* from_block = nullptr; ///< of an offset_heap: the source's name of it
    void* to_block = nullptr;
    std::uint64_t user_data = 0;

    /// Bytes to copy.
    [[nodiscard]] std::uint64_t bytes() const noexcept { return from.bytes; }

    /// True if both overlap, as offset_moves::may_overlap allows: then `to` is the lower one, and
    /// the copy goes upward in pieces of at most gap() bytes, each finished before the next begins.
    [[nodiscard]] bool overlaps() const noexcept {
        return from_block == to_block && to.offset < from.offset && gap() < from.bytes;
    }
    [[nodiscard]] std::uint64_t gap() const noexcept { return from.offset - to.offset; }

    friend bool operator==(const offset_move&, const offset_move&) = default;
};

} // namespace ARENITE_ABI
} // namespace arenite
