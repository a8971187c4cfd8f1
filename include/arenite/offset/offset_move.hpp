// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/offset/offset_allocation.hpp>

#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {

/// One copy that a step asks for: what lies at `from` is to lie at `to`.
///
/// Until commit() or cancel() both are taken, and the user's is `from`: he may free it, or give the
/// move up. After commit() the user's is `to`.
struct offset_move {
    offset_allocation from;
    offset_allocation to;
    void* from_block = nullptr; ///< of an offset_heap: what the source calls it
    void* to_block = nullptr;
    std::uint64_t user_data = 0;

    /// Bytes to copy.
    [[nodiscard]] std::uint64_t bytes() const noexcept { return from.bytes; }

    /// True if both meet, as moves::may_overlap allows: then `to` is the lower one, and the copy
    /// goes upward in pieces of at most gap() bytes, each done before the next begins.
    [[nodiscard]] bool overlaps() const noexcept {
        return from_block == to_block && to.offset < from.offset && gap() < from.bytes;
    }
    [[nodiscard]] std::uint64_t gap() const noexcept { return from.offset - to.offset; }

    friend bool operator==(const offset_move&, const offset_move&) = default;
};

} // namespace ARENITE_ABI
} // namespace arenite
