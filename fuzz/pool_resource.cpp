// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A random program on a pool_resource beside a map of what is alive. The first byte chooses where
// the memory comes from and the return policy, the second the slot, the third the capacity.

#include <arenite/pool/pool_resource.hpp>

#include "support/pool_operations.hpp"
#include "target.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

using namespace arenite;

std::string run(support::byte_source& source) {
    const std::uint8_t shape = source.byte();
    const std::size_t alignment = std::size_t{1} << shape / 16 % 8;
    const slot s{.bytes = 1 + std::size_t{source.byte()} * (shape % 2 != 0 ? 1 : 16),
                 .alignment = alignment};
    const std::size_t slots = source.byte();
    switch (shape / 2 % 4) {
    case 0: {
        pool_resource pool{s};
        return support::pool_operations(pool).run(source);
    }
    case 1: {
        pool_resource pool{s, slots * 8};
        return support::pool_operations(pool).run(source);
    }
    case 2: {
        pool_resource pool{
            s, pool_options{.block_bytes = slots * 512, .policy = return_policy::return_all}};
        return support::pool_operations(pool).run(source);
    }
    default: {
        std::vector<std::byte> buffer(slots * 400);
        pool_resource pool{s, std::span{buffer}};
        return support::pool_operations(pool).run(source);
    }
    }
}
