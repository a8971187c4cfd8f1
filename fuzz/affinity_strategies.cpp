// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A random program on an intrusive_resource or a slots_resource beside a map of what is alive. The
// first byte chooses which, the return policy and where the memory comes from, the second the size
// of blocks and the least alignment.

#include <arenite/linear/linear_resource.hpp>
#include <arenite/predecessor/intrusive_resource.hpp>
#include <arenite/predecessor/slots_resource.hpp>

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

template <class R, class Options>
std::string run_on(std::uint8_t shape, support::byte_source& source) {
    const std::uint8_t second = source.byte();
    Options options;
    if (shape / 2 % 2 != 0)
        options.policy = return_policy::retain_all;
    if (second % 2 != 0)
        options.block_bytes = std::size_t{1} << (12 + second / 2 % 10);
    options.alignment = std::size_t{1} << second / 32;
    support::heap_rules rules{
        .keeps_sizes = true, .most_bytes = std::size_t{4} << 20, .most_pieces = 1000};
    switch (shape / 4 % 3) {
    case 0: {
        R r{options};
        return support::heap_operations(r, rules).run(source);
    }
    case 1: {
        unreliable_resource memory{static_cast<std::uint8_t>(second / 16)};
        rules.may_fail = true;
        R r{options, &memory};
        return support::heap_operations(r, rules).run(source);
    }
    default: {
        std::vector<std::byte> buffer(std::size_t{1} << 20);
        linear_resource memory{std::span<std::byte>{buffer}};
        rules.may_fail = true;
        R r{options, &memory};
        return support::heap_operations(r, rules).run(source);
    }
    }
}

} // namespace

std::string run(support::byte_source& source) {
    const std::uint8_t shape = source.byte();
    return shape % 2 == 0 ? run_on<intrusive_resource, intrusive_options>(shape, source)
                          : run_on<slots_resource, slots_options>(shape, source);
}
