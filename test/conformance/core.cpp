// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/system_resource.hpp>
#include <arenite/os/page_resource.hpp>

#include "conformance/conformance.hpp"

#include "support/addresses.hpp"

namespace conformance_suite::roots {

struct on_malloc : conformance_case {
    static constexpr const char* name = "malloc_resource";
    static constexpr bool has_upstream = false;
    malloc_resource subject;
    explicit on_malloc(upstream) {}
};

struct on_pages : conformance_case {
    static constexpr const char* name = "page_resource";
    static constexpr bool has_upstream = false;
    static constexpr std::size_t many = 200; // each is a mapping of its own
    page_resource subject{page_options{.reserve_bytes = support::gib_or(4, 64_MiB)}};
    explicit on_pages(upstream) {}
};

INSTANTIATE_TEST_SUITE_P(roots, conformance, (cases<on_malloc, on_pages>()), case_name);

} // namespace conformance_suite::roots
