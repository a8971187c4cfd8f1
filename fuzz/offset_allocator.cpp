// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A random program on an offset_allocator beside a map of what lies where. The first byte chooses
// the granularity, the page that kinds must not share, and whether user data is kept.

#include <arenite/offset/offset_allocator.hpp>

#include "support/offset_operations.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

using namespace arenite;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    support::byte_source source{data, size};
    const std::uint8_t shape = source.byte();
    const offset_options options{.granularity = std::uint64_t{1} << shape % 8,
                                 .conflict_page =
                                     shape / 8 % 4 != 0 ? std::uint64_t{32} << shape / 8 % 4 : 0,
                                 .user_data = shape >= 128};
    const std::uint64_t capacity = source.byte() * std::uint64_t{100};
    offset_allocator gpu{capacity, options};
    const std::string error =
        support::offset_allocator_operations{gpu, capacity, options}.run(source);
    if (!error.empty()) {
        std::fprintf(stderr, "offset_allocator: %s\n", error.c_str());
        std::abort();
    }
    return 0;
}
