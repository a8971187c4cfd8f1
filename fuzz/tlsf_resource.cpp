// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A random program on a tlsf_resource beside a map of what is alive. The first byte chooses whether
// sizes are kept and whether it grows, the second how many regions it has at first.

#include <arenite/core/system_resource.hpp>
#include <arenite/freelist/tlsf_resource.hpp>

#include "support/operations.hpp"
#include "target.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

using namespace arenite;

std::string run(support::byte_source& source) {
    const std::uint8_t shape = source.byte();
    const std::uint8_t second = source.byte();
    const tlsf_options options{.sizes = shape % 2 != 0 ? sizes::kept : sizes::given,
                               .grow = shape / 2 % 2 != 0};
    const support::heap_rules rules{.keeps_sizes = options.sizes == sizes::kept,
                                    .may_fail = true,
                                    .most_bytes = std::size_t{4} << 20,
                                    .most_pieces = 1000};
    std::vector<std::byte> buffer(std::size_t{256} << 10);
    tlsf_resource r{std::size_t{4096} << shape / 4 % 6, options, &system_resource()};
    const std::size_t regions = second % 8;
    for (std::size_t i = 0; i < regions; ++i) {
        const std::size_t bytes = buffer.size() / regions;
        if (!r.add_region(std::span{buffer}.subspan(i * bytes, bytes)))
            return "a region is refused";
    }
    return support::heap_operations(r, rules).run(source);
}
