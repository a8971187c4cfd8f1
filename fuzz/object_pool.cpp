// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A random program on an object_pool beside a map of what is in use. The first byte chooses the
// rules and where the memory comes from, the second the capacity.

#include <arenite/core/system_resource.hpp>
#include <arenite/object/object_pool.hpp>

#include "support/object_pool_operations.hpp"
#include "target.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

using namespace arenite;

namespace {

struct small_blocks : object_rules {
    static constexpr std::size_t block_bytes = 4096;
};
struct each_time : small_blocks {
    static constexpr bool construct_each_time = true;
};

template <class Object, class Rules>
std::string run_on(support::byte_source& source, const object_pool_options& options, bool pages) {
    if (pages) {
        object_pool<Object, Rules> pool{options};
        return support::object_pool_operations(pool).run(source);
    }
    object_pool<Object, Rules> pool{options, &system_resource()};
    return support::object_pool_operations(pool).run(source);
}

} // namespace

std::string run(support::byte_source& source) {
    using small = support::followed<16, 8>;
    using large = support::followed<1024, 64>;
    const std::uint8_t shape = source.byte();
    object_pool_options options{.eager = shape / 8 % 2 != 0};
    if (shape / 16 % 2 != 0)
        options.capacity = std::size_t{source.byte()} * 8;
    const bool pages = shape / 4 % 2 != 0;
    switch (shape % 4) {
    case 0:
        return run_on<small, object_rules>(source, options, pages);
    case 1:
        return run_on<small, small_blocks>(source, options, pages);
    case 2:
        return run_on<large, small_blocks>(source, options, pages);
    default:
        return run_on<large, each_time>(source, options, pages);
    }
}
