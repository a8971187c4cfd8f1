// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/freelist/free_list_resource.hpp>

#include "conformance/conformance.hpp"

namespace conformance_suite::freelist {

struct list_case : conformance_case {
    static constexpr std::size_t capacity = 16_MiB;
};

template <fit Fit>
struct on_upstream : list_case {
    static constexpr const char* name = Fit == fit::first ? "first_fit" : "best_fit";
    free_list_resource subject;
    explicit on_upstream(upstream up) : subject{capacity, Fit, up} {}
};

struct keeping_sizes : list_case {
    static constexpr const char* name = "keeping_sizes";
    static constexpr bool keeps_sizes = true;
    free_list_resource subject;
    explicit keeping_sizes(upstream up)
        : subject{capacity, free_list_options{.sizes = sizes::kept}, up} {}
};

struct in_a_buffer : list_case {
    static constexpr const char* name = "in_a_buffer";
    static constexpr bool has_upstream = false;
    std::vector<std::byte> buffer = std::vector<std::byte>(capacity);
    free_list_resource subject{std::span<std::byte>{buffer}, fit::best};
    explicit in_a_buffer(upstream) {}
};

INSTANTIATE_TEST_SUITE_P(
    free_list_resource, conformance,
    (cases<on_upstream<fit::first>, on_upstream<fit::best>, keeping_sizes, in_a_buffer>()),
    case_name);

} // namespace conformance_suite::freelist
