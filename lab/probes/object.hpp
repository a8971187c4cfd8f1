// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "request.hpp"

#include <cstddef>
#include <cstdint>

namespace arenite::lab {

/// An object of a workload that knows no types: so many bytes, of which the first hold a number.
struct object {
    std::uint64_t* value;
    std::size_t bytes;
};

/// Memory for an object of at least 8 bytes, aligned as `new` asks; nothing is written.
template <class S>
[[nodiscard]] object make_object(S& heap, std::size_t bytes) {
    return {static_cast<std::uint64_t*>(heap.allocate(bytes, alignment_of_new(bytes))), bytes};
}

template <class S>
void end_object(S& heap, const object& o) {
    heap.deallocate(o.value, o.bytes, alignment_of_new(o.bytes));
}

} // namespace arenite::lab
