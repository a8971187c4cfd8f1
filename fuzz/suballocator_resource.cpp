// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A random program on a suballocator_resource beside a map of what is alive. The first byte chooses
// the alignment and where the memory comes from, the second the slot, the third the options.

#include <arenite/core/system_resource.hpp>
#include <arenite/os/page_resource.hpp>
#include <arenite/pool/suballocator_resource.hpp>

#include "support/pool_operations.hpp"
#include "target.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

using namespace arenite;

std::string run(support::byte_source& source) {
    const std::uint8_t shape = source.byte();
    const slot s{.bytes = 1 + std::size_t{source.byte()} * (shape % 2 != 0 ? 1 : 16),
                 .alignment = std::size_t{1} << shape / 16 % 8};
    const std::uint8_t rules = source.byte();
    const suballocator_options options{
        .row_bytes = std::size_t{1} << (12 + rules % 10),
        .first_row_bytes = rules / 16 % 2 != 0 ? std::size_t{1} : 0,
        .order = rules / 32 % 2 != 0 ? slot_order::lowest : slot_order::hot,
        .rule = rules / 64 % 2 != 0 ? row_return::last_row : row_return::by_policy,
        .policy = rules / 128 != 0 ? return_policy::return_all : return_policy{}};
    const bool pages = shape / 2 % 2 != 0 && options.first_row_bytes == 0;
    suballocator_resource r{s, options,
                            pages ? upstream{&page_source()} : upstream{&system_resource()}};
    return support::pool_operations(r).run(source);
}
