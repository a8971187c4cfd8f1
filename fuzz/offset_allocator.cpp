// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A random program on an offset_allocator beside a map of what lies where. The first byte chooses
// the granularity, the page that kinds must not share, and whether user data is kept.

#include <arenite/offset/offset_allocator.hpp>

#include "support/offset_operations.hpp"
#include "target.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

using namespace arenite;

std::string run(support::byte_source& source) {
    const std::uint8_t shape = source.byte();
    const offset_options options{.granularity = std::uint64_t{1} << shape % 8,
                                 .conflict_page =
                                     shape / 8 % 4 != 0 ? std::uint64_t{32} << shape / 8 % 4 : 0,
                                 .user_data = shape >= 128};
    const std::uint64_t capacity = source.byte() * std::uint64_t{100};
    offset_allocator gpu{capacity, options};
    return support::offset_allocator_operations{gpu, capacity, options}.run(source);
}
