// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/pool/pool_resource.hpp>
#include <arenite/pool/suballocator_resource.hpp>

#include "conformance/conformance.hpp"

namespace conformance_suite::pool {

struct on_pages : conformance_case {
    static constexpr const char* name = "on_pages";
    static constexpr bool has_upstream = false;
    pool_resource subject{slot{64, 16}};
    explicit on_pages(upstream) {}
};

struct on_malloc : conformance_case {
    static constexpr const char* name = "on_malloc";
    pool_resource subject;
    explicit on_malloc(upstream up) : subject{slot{64, 16}, up} {}
};

struct of_large_slots : conformance_case {
    static constexpr const char* name = "of_large_slots";
    pool_resource subject;
    explicit of_large_slots(upstream up) : subject{slot{4096, 4096}, up} {}
};

struct returning_all : conformance_case {
    static constexpr const char* name = "returning_all";
    pool_resource subject;
    explicit returning_all(upstream up)
        : subject{slot{24, 8}, pool_options{.policy = return_policy::return_all}, up} {}
};

INSTANTIATE_TEST_SUITE_P(pool_resource, conformance,
                         (cases<on_pages, on_malloc, of_large_slots, returning_all>()), case_name);

struct rows_on_pages : conformance_case {
    static constexpr const char* name = "on_pages";
    static constexpr bool has_upstream = false;
    suballocator_resource subject{slot{64, 16}};
    explicit rows_on_pages(upstream) {}
};

struct rows_on_malloc : conformance_case {
    static constexpr const char* name = "on_malloc";
    suballocator_resource subject;
    explicit rows_on_malloc(upstream up) : subject{slot{64, 16}, up} {}
};

struct rows_by_the_seeds_rules : conformance_case {
    static constexpr const char* name = "by_the_seeds_rules";
    suballocator_resource subject;
    explicit rows_by_the_seeds_rules(upstream up)
        : subject{slot{24, 8},
                  suballocator_options{.order = slot_order::lowest, .rule = row_return::last_row},
                  up} {}
};

INSTANTIATE_TEST_SUITE_P(suballocator_resource, conformance,
                         (cases<rows_on_pages, rows_on_malloc, rows_by_the_seeds_rules>()),
                         case_name);

} // namespace conformance_suite::pool
