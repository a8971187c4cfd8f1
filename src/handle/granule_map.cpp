// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Making the bits of a new block: all that lies behind its head can't be read until it is taken.
// Read the header's picture: bits count granules from the block's own first byte, so those of the
// head are set for good and no object is ever found there.
#include <arenite/handle/detail/granule_map.hpp>

#include <arenite/check/detail/poison.hpp>

#include <new>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

void granule_map::make(block& b, std::size_t mask_bytes) noexcept {
    ::new (static_cast<void*>(&b + 1)) bits::word[words_of(b)]{};
    const std::size_t head = head_granules(b, mask_bytes);
    bits::set_run(b.occupancy(), 0, head);
    poison::no_access(b.at(head), b.bytes() - head * granule_bytes);
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
