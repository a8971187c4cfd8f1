// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/linear/inline_linear_resource.hpp>
#include <arenite/linear/linear_resource.hpp>

#include "conformance/conformance.hpp"

namespace conformance_suite::linear {

struct linear_case : conformance_case {
    static constexpr bool frees = false;
    static constexpr std::size_t capacity = 4_MiB;
};

struct on_upstream : linear_case {
    static constexpr const char* name = "on_upstream";
    linear_resource subject;
    explicit on_upstream(upstream up) : subject{capacity, up} {}
};

struct in_a_buffer : linear_case {
    static constexpr const char* name = "in_a_buffer";
    static constexpr bool has_upstream = false;
    std::vector<std::byte> buffer = std::vector<std::byte>(capacity);
    linear_resource subject{std::span<std::byte>{buffer}};
    explicit in_a_buffer(upstream) {}
};

struct in_itself : linear_case {
    static constexpr const char* name = "in_itself";
    static constexpr bool has_upstream = false;
    inline_linear_resource<capacity> subject;
    explicit in_itself(upstream) {}
};

using linear_cases = testing::Types<on_upstream, in_a_buffer, in_itself>;
INSTANTIATE_TYPED_TEST_SUITE_P(linear, conformance, linear_cases, case_names);

} // namespace conformance_suite::linear
