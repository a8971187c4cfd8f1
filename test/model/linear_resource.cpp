// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/passthrough.hpp>
#include <arenite/core/system_resource.hpp>
#include <arenite/linear/linear_resource.hpp>
#include <arenite/linear/scope.hpp>

#include <gtest/gtest.h>

#include "support/operations.hpp"

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

using namespace arenite;

namespace {

TEST(model, linear_resource_in_a_buffer) {
    if (passthrough())
        GTEST_SKIP() << "the model is that of a region";
    std::uint64_t seed = support::test_seed("model.linear_resource_in_a_buffer");
    for (int program = 0; program < 200; ++program, ++seed) {
        SCOPED_TRACE(testing::Message() << "ARENITE_TEST_SEED=" << seed);
        std::vector<std::byte> buffer(1 + seed % 5000);
        linear_resource r{std::span<std::byte>{buffer}};
        support::random_source source{seed, 500};
        ASSERT_EQ(support::linear_operations(r, buffer.data()).run(source), "");
    }
}

TEST(model, linear_resource_on_an_upstream) {
    if (passthrough())
        GTEST_SKIP() << "the model is that of a region";
    std::uint64_t seed = support::test_seed("model.linear_resource_on_an_upstream");
    for (int program = 0; program < 200; ++program, ++seed) {
        SCOPED_TRACE(testing::Message() << "ARENITE_TEST_SEED=" << seed);
        linear_resource r{1 + seed % 5000};
        support::random_source source{seed, 500};
        ASSERT_EQ(support::linear_operations(r, nullptr).run(source), "");
    }
}

// A tree of scopes, each with allocations and deeper scopes: what is older stays as it was.
void scopes(linear_resource& r, std::mt19937_64& random, int depth) {
    const std::size_t before = r.in_use();
    {
        const scope s{r};
        for (std::uint64_t i = random() % 5; i > 0; --i) {
            auto* p = static_cast<unsigned char*>(r.try_allocate(random() % 200));
            const auto value = static_cast<unsigned char>(random());
            if (p != nullptr)
                *p = value;
            if (depth < 6)
                scopes(r, random, depth + 1);
            if (p != nullptr) {
                ASSERT_EQ(*p, value);
            }
        }
    }
    ASSERT_EQ(r.in_use(), before);
}

TEST(model, scopes_over_a_linear_resource) {
    std::mt19937_64 random{support::test_seed("model.scopes_over_a_linear_resource")};
    linear_resource r{3000}; // too small for all, so that some allocations fail
    for (int i = 0; i < 100; ++i)
        scopes(r, random, 0);
    EXPECT_EQ(r.in_use(), 0u);
    EXPECT_GT(r.high_water(), 0u);
}

} // namespace
