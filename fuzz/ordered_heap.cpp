// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A random program on an ordered_heap beside a map of what is alive: sized frees and, where sizes
// are kept, others, sizes that change in place, trims. The first byte chooses whether sizes are
// kept, the return policy and where the memory comes from, the second the size of blocks.

#include <arenite/linear/linear_resource.hpp>
#include <arenite/ordered/ordered_heap.hpp>

#include "support/operations.hpp"
#include "target.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

using namespace arenite;

namespace {

// Fails now and then, as the bytes say.
class unreliable_resource final : public resource_base<unreliable_resource> {
public:
    explicit unreliable_resource(std::uint8_t period) noexcept : period_{period} {}

    void* try_allocate(std::size_t bytes, std::size_t alignment = default_alignment) noexcept {
        if (period_ > 1 && ++calls_ % period_ == 0)
            return nullptr;
        return system_resource().try_allocate(bytes, alignment);
    }
    void deallocate(void* p, std::size_t bytes,
                    std::size_t alignment = default_alignment) noexcept {
        system_resource().deallocate(p, bytes, alignment);
    }

private:
    std::uint8_t period_;
    std::uint8_t calls_ = 0;
};

} // namespace

std::string run(support::byte_source& source) {
    const std::uint8_t shape = source.byte();
    const std::uint8_t second = source.byte();
    ordered_options options;
    options.sizes = shape % 2 != 0 ? sizes::kept : sizes::given;
    if (shape / 2 % 2 != 0)
        options.policy = return_policy::retain_all;
    else if (shape / 12 % 2 != 0)
        options.policy = return_policy::return_all;
    options.eager = shape / 24 % 4 == 3;
    if (second % 2 != 0)
        options.block_bytes = std::size_t{1} << (12 + second / 2 % 10);
    support::heap_rules rules{.keeps_sizes = options.sizes == sizes::kept,
                              .most_bytes = std::size_t{4} << 20,
                              .most_pieces = 1000};
    switch (shape / 4 % 3) {
    case 0: {
        ordered_heap heap{options};
        return support::heap_operations(heap, rules).run(source);
    }
    case 1: {
        unreliable_resource memory{static_cast<std::uint8_t>(second / 16)};
        rules.may_fail = true;
        ordered_heap heap{options, &memory};
        return support::heap_operations(heap, rules).run(source);
    }
    default: {
        std::vector<std::byte> buffer(std::size_t{1} << 20);
        linear_resource memory{std::span<std::byte>{buffer}};
        rules.may_fail = true;
        ordered_heap heap{options, &memory};
        return support::heap_operations(heap, rules).run(source);
    }
    }
}
