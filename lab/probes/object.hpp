// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "opaque.hpp"
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

/// Writes a byte in each step of an object, a line or a page, and its number of bytes at its begin.
inline void touch(const object& o, std::size_t step) {
    auto* const bytes = reinterpret_cast<std::byte*>(o.value);
    for (std::size_t at = 0; at < o.bytes; at += step)
        bytes[at] = std::byte(at);
    *o.value = o.bytes;
    opaque(o.value);
}
constexpr std::size_t line_bytes = 64, page_bytes = 4096; ///< steps

} // namespace arenite::lab
