// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A random program on a free_list_resource beside a map of its holes, which tells to which address
// each request must lead. The first byte chooses the fit and whether sizes are kept, the second the
// size of the buffer and how far it is off alignment.

#include <arenite/freelist/free_list_resource.hpp>

#include "support/free_list_model.hpp"
#include "support/operations.hpp"
#include "target.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

std::string run(support::byte_source& source) {
    const std::uint8_t shape = source.byte();
    const std::uint8_t second = source.byte();
    const arenite::free_list_options options{
        .fit = shape % 2 != 0 ? arenite::fit::best : arenite::fit::first,
        .sizes = shape / 2 % 2 != 0 ? arenite::sizes::kept : arenite::sizes::given};
    // Exactly as large as needed: the address sanitizer watches both ends.
    const std::size_t offset = second % 16;
    std::vector<std::byte> buffer(offset + (std::size_t{512} << second / 16));
    arenite::free_list_resource r{std::span{buffer}.subspan(offset), options};
    return support::free_list_operations(r, options).run(source);
}
