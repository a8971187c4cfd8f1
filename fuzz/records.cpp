// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A random program on records beside a std::vector, while copies, moves and the upstream fail. The
// first byte chooses the layout, and whether moves may throw.

#include <arenite/core/resource_base.hpp>
#include <arenite/core/system_resource.hpp>
#include <arenite/soa/records.hpp>

#include "support/operations.hpp"
#include "support/records_operations.hpp"
#include "target.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

using namespace arenite;

namespace {

/// Fails the n-th call from now on.
class failing_resource final : public resource_base<failing_resource> {
public:
    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = default_alignment) noexcept {
        if (until_failure >= 0 && until_failure-- == 0)
            return nullptr;
        return system_resource().try_allocate(bytes, alignment);
    }
    void deallocate(void* p, std::size_t bytes,
                    std::size_t alignment = default_alignment) noexcept {
        system_resource().deallocate(p, bytes, alignment);
    }

    int until_failure = -1;
};

template <class Layout, bool MovesFreely>
std::string run_on(support::byte_source& source) {
    failing_resource up;
    records<support::fragile_row<MovesFreely>, Layout> rows{&up};
    return support::records_operations<Layout, MovesFreely>{rows,
                                                            [&up](int n) { up.until_failure = n; }}
        .run(source);
}

} // namespace

std::string run(support::byte_source& source) {
    switch (source.byte() % 6) {
    case 0:
        return run_on<layout::soa, true>(source);
    case 1:
        return run_on<layout::aos, true>(source);
    case 2:
        return run_on<layout::aosoa<4>, true>(source);
    case 3:
        return run_on<layout::soa, false>(source);
    case 4:
        return run_on<layout::aos, false>(source);
    default:
        return run_on<layout::aosoa<2>, false>(source);
    }
}
