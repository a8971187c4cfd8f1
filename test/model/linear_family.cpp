// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/passthrough.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/linear/double_buffered_resource.hpp>
#include <arenite/linear/double_ended_resource.hpp>
#include <arenite/linear/frame_resource.hpp>
#include <arenite/linear/growing_linear_resource.hpp>

#include <gtest/gtest.h>

#include "support/linear_family.hpp"
#include "support/operations.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

using namespace arenite;

namespace {

TEST(model, double_ended_resource) {
    if (passthrough())
        GTEST_SKIP() << "the model is that of a region";
    std::uint64_t seed = support::test_seed("model.double_ended_resource");
    for (int program = 0; program < 300; ++program, ++seed) {
        SCOPED_TRACE(testing::Message() << "ARENITE_TEST_SEED=" << seed);
        std::vector<std::byte> buffer(1 + seed % 5000);
        double_ended_resource d{std::span<std::byte>{buffer}};
        support::random_source source{seed, 500};
        ASSERT_EQ(support::double_ended_operations(d, buffer.data()).run(source), "");
    }
}

TEST(model, each_end_of_a_double_ended_resource_is_a_linear_resource) {
    if (passthrough())
        GTEST_SKIP() << "the model is that of a region";
    std::uint64_t seed =
        support::test_seed("model.each_end_of_a_double_ended_resource_is_a_linear_resource");
    for (int program = 0; program < 100; ++program, ++seed) {
        SCOPED_TRACE(testing::Message() << "ARENITE_TEST_SEED=" << seed);
        std::vector<std::byte> buffer(1 + seed % 5000);
        double_ended_resource d{std::span<std::byte>{buffer}};
        support::random_source source{seed, 500};
        ASSERT_EQ(support::linear_operations(d.low(), buffer.data()).run(source), "");
    }
}

TEST(model, growing_linear_resource) {
    if (passthrough())
        GTEST_SKIP() << "the model is that of a region";
    std::uint64_t seed = support::test_seed("model.growing_linear_resource");
    for (int program = 0; program < 100; ++program, ++seed) {
        SCOPED_TRACE(testing::Message() << "ARENITE_TEST_SEED=" << seed);
        growing_linear_resource g{1 + seed % 500'000};
        support::random_source source{seed, 500};
        ASSERT_EQ(support::linear_operations(g, nullptr).run(source), "");
    }
}

TEST(model, double_buffered_resource) {
    std::uint64_t seed = support::test_seed("model.double_buffered_resource");
    for (int program = 0; program < 100; ++program, ++seed) {
        SCOPED_TRACE(testing::Message() << "ARENITE_TEST_SEED=" << seed);
        double_buffered_resource f{1 + seed % 5000};
        const auto turn = [](double_buffered_resource& r) { r.swap(); };
        support::turn_operations<double_buffered_resource, 1, decltype(turn)> program_{f, turn};
        support::random_source source{seed, 500};
        ASSERT_EQ(program_.run(source), "");
    }
}

TEST(model, frame_resource) {
    std::uint64_t seed = support::test_seed("model.frame_resource");
    for (int program = 0; program < 100; ++program, ++seed) {
        SCOPED_TRACE(testing::Message() << "ARENITE_TEST_SEED=" << seed);
        frame_resource<4> frames{1 + seed % 5000};
        const auto turn = [](frame_resource<4>& r) { r.next(r.awaited()); };
        support::turn_operations<frame_resource<4>, 3, decltype(turn)> program_{frames, turn};
        support::random_source source{seed, 500};
        ASSERT_EQ(program_.run(source), "");
    }
}

} // namespace
