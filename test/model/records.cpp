// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/detail/poison.hpp>
#include <arenite/soa/records.hpp>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"
#include "support/operations.hpp"
#include "support/records_operations.hpp"

#include <cstddef>
#include <cstdint>

using namespace arenite;

namespace {

constexpr std::size_t steps = detail::poison::active ? 1000 : 5000;

template <class Layout, bool MovesFreely>
void run(const char* name) {
    const std::uint64_t seed = support::test_seed(name);
    support::random_source source{seed, steps};
    support::counting_resource up;
    records<support::fragile_row<MovesFreely>, Layout> rows{&up};
    const auto fail = [&up](int n) {
        if (n < 0)
            up.never_fail();
        else
            up.fail_once_after(static_cast<std::size_t>(n));
    };
    support::records_operations<Layout, MovesFreely> program{rows, fail};
    EXPECT_EQ(program.run(source), "") << "ARENITE_TEST_SEED=" << seed;
}

TEST(model, records_in_columns) { run<layout::soa, true>("model.records_in_columns"); }
TEST(model, records_in_columns_whose_moves_throw) {
    run<layout::soa, false>("model.records_in_columns_whose_moves_throw");
}
TEST(model, records_of_whole_objects_whose_moves_throw) {
    run<layout::aos, false>("model.records_of_whole_objects_whose_moves_throw");
}
TEST(model, records_in_blocks) { run<layout::aosoa<4>, true>("model.records_in_blocks"); }

} // namespace
