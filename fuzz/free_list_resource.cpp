// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A random program on a free_list_resource beside a map of its holes, which tells to which address
// each request must lead. The first byte chooses the fit and whether sizes are kept, the second the
// size of the buffer and how far it is off alignment.

#include <arenite/freelist/free_list_resource.hpp>

#include "support/free_list_model.hpp"
#include "support/operations.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    support::byte_source source{data, size};
    const std::uint8_t shape = source.byte();
    const std::uint8_t second = source.byte();
    const arenite::free_list_options options{
        .fit = shape % 2 != 0 ? arenite::fit::best : arenite::fit::first,
        .sizes = shape / 2 % 2 != 0 ? arenite::sizes::kept : arenite::sizes::given};
    // Exactly as large as needed: the address sanitizer watches both ends.
    const std::size_t offset = second % 16;
    std::vector<std::byte> buffer(offset + (std::size_t{512} << second / 16));
    arenite::free_list_resource r{std::span{buffer}.subspan(offset), options};
    const std::string error = support::free_list_operations(r, options).run(source);
    if (!error.empty()) {
        std::fprintf(stderr, "free_list_resource: %s\n", error.c_str());
        std::abort();
    }
    return 0;
}
