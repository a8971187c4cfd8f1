// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/passthrough.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/freelist/free_list_resource.hpp>

#include <gtest/gtest.h>

#include "support/build_mode.hpp"
#include "support/counting_resource.hpp"
#include "support/free_list_model.hpp"

#include <cstddef>
#include <cstdint>

using namespace arenite;

namespace {

constexpr int programs = support::every_call_is_careful ? 3 : 12;

void run(const char* test, fit f, sizes kind, std::size_t bytes, std::size_t steps) {
    if (passthrough())
        GTEST_SKIP() << "malloc places as it likes";
    std::uint64_t seed = support::test_seed(test);
    for (int program = 0; program < programs; ++program, ++seed) {
        SCOPED_TRACE(testing::Message() << "ARENITE_TEST_SEED=" << seed);
        const free_list_options options{.fit = f, .sizes = kind};
        support::random_source source{seed, steps};
        support::counting_resource up;
        free_list_resource r{bytes, options, &up};
        ASSERT_EQ(support::free_list_operations(r, options).run(source), "");
    }
}

TEST(model, first_fit_takes_the_lowest_hole_that_fits) {
    run("model.first_fit", fit::first, sizes::given, 256_KiB, 4000);
    run("model.first_fit in little memory", fit::first, sizes::given, 16_KiB, 2000);
}

TEST(model, best_fit_takes_the_smallest_hole_that_fits) {
    run("model.best_fit", fit::best, sizes::given, 256_KiB, 4000);
    run("model.best_fit in little memory", fit::best, sizes::given, 16_KiB, 2000);
}

TEST(model, both_fits_with_kept_sizes) {
    run("model.first_fit, sizes kept", fit::first, sizes::kept, 128_KiB, 2000);
    run("model.best_fit, sizes kept", fit::best, sizes::kept, 128_KiB, 2000);
}

} // namespace
