// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/detail/poison.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/linear/linear_resource.hpp>
#include <arenite/predecessor/intrusive_resource.hpp>
#include <arenite/predecessor/slots_resource.hpp>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"
#include "support/operations.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

using namespace arenite;
using support::heap_operations;
using support::heap_rules;

namespace {

// Fewer under a sanitizer, which takes ten times as long.
constexpr int programs = detail::poison::active ? 3 : 15;

template <class R>
struct strategy_of;
template <>
struct strategy_of<intrusive_resource> {
    using options = intrusive_options;
};
template <>
struct strategy_of<slots_resource> {
    using options = slots_options;
};

template <class R>
class affinity_model : public testing::Test {
protected:
    using options = typename strategy_of<R>::options;

    // Each program on a resource of its own; what differs is where its memory comes from.
    template <class Run>
    static void run_programs(Run run) {
        std::uint64_t seed = support::test_seed("affinity_model");
        for (int program = 0; program < programs; ++program, ++seed) {
            SCOPED_TRACE(testing::Message() << "ARENITE_TEST_SEED=" << seed);
            support::random_source source{seed, 2000};
            run(heap_rules{.keeps_sizes = true}, source);
            if (testing::Test::HasFatalFailure())
                return;
        }
    }
};

using strategies = testing::Types<intrusive_resource, slots_resource>;
TYPED_TEST_SUITE(affinity_model, strategies);

TYPED_TEST(affinity_model, on_pages) {
    this->run_programs([](heap_rules rules, auto& source) {
        TypeParam r{};
        ASSERT_EQ(heap_operations(r, rules).run(source), "");
    });
}

TYPED_TEST(affinity_model, on_malloc) {
    this->run_programs([](heap_rules rules, auto& source) {
        support::counting_resource up;
        {
            TypeParam r{&up};
            ASSERT_EQ(heap_operations(r, rules).run(source), "");
            r.trim();
            EXPECT_EQ(up.live(), 0u);
        }
    });
}

TYPED_TEST(affinity_model, of_small_blocks) {
    this->run_programs([](heap_rules rules, auto& source) {
        support::counting_resource up;
        TypeParam r{{.block_bytes = 4_KiB, .alignment = 8}, &up};
        ASSERT_EQ(heap_operations(r, rules).run(source), "");
    });
}

TYPED_TEST(affinity_model, that_keeps_all_memory) {
    this->run_programs([](heap_rules rules, auto& source) {
        TypeParam r{{.alignment = 16, .policy = return_policy::retain_all}};
        ASSERT_EQ(heap_operations(r, rules).run(source), "");
    });
}

TYPED_TEST(affinity_model, in_a_buffer_that_is_too_small) {
    std::vector<std::byte> buffer(2_MiB);
    this->run_programs([&](heap_rules rules, auto& source) {
        linear_resource memory{std::span<std::byte>{buffer}};
        TypeParam r{&memory};
        rules.may_fail = true;
        ASSERT_EQ(heap_operations(r, rules).run(source), "");
    });
}

} // namespace
