// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/compose/synchronized_resource.hpp>
#include <arenite/linear/linear_resource.hpp>
#include <arenite/ordered/ordered_heap.hpp>

#include "conformance/conformance.hpp"

namespace conformance_suite::composed {

struct synchronized_linear : conformance_case {
    static constexpr const char* name = "synchronized_linear_resource";
    static constexpr bool frees = false;
    static constexpr std::size_t capacity = 4_MiB;
    synchronized_resource<linear_resource> subject;
    explicit synchronized_linear(upstream up) : subject{capacity, up} {}
};

struct synchronized_heap : conformance_case {
    static constexpr const char* name = "synchronized_ordered_heap";
    synchronized_resource<ordered_heap> subject;
    explicit synchronized_heap(upstream up) : subject{ordered_options{}, up} {}
};

INSTANTIATE_TEST_SUITE_P(composed, conformance, (cases<synchronized_linear, synchronized_heap>()),
                         case_name);

} // namespace conformance_suite::composed
