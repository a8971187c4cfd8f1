// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A random program on a linear_resource beside a model of it. The first two bytes choose the size
// of the buffer, the second also how far it is off alignment.

#include <arenite/linear/linear_resource.hpp>

#include "support/operations.hpp"
#include "target.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

std::string run(support::byte_source& source) {
    const std::size_t bytes = source.byte() * std::size_t{16};
    const std::size_t offset = source.byte() % 64;
    // Exactly as large as needed: the address sanitizer watches both ends.
    std::vector<std::byte> buffer(bytes + offset);
    const auto region = std::span<std::byte>{buffer}.subspan(offset);
    arenite::linear_resource r{region};
    return support::linear_operations(r, region.data()).run(source);
}
