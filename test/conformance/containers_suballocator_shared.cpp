// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/stl/suballocator.hpp>

#include "support/container_suite.hpp"

namespace container_suite {

/// One pool of the process for each size, in pages.
struct suballocated {
    static constexpr const char* name = "shared";
    template <class T>
    using allocator = arenite::suballocator<T>;
    template <class T>
    allocator<T> make() {
        return {};
    }
    support::counting_resource* upstream() { return nullptr; }
};

using shared_families = testing::Types<suballocated>;
INSTANTIATE_TYPED_TEST_SUITE_P(suballocator_shared, containers, shared_families, family_names);

} // namespace container_suite
