// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/literals.hpp>
#include <arenite/freelist/tlsf_resource.hpp>

#include <gtest/gtest.h>

#include "support/build_mode.hpp"
#include "support/counting_resource.hpp"
#include "support/operations.hpp"

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <utility>
#include <vector>

using namespace arenite;
using support::heap_operations;
using support::heap_rules;

namespace {

constexpr int programs = support::every_call_is_careful ? 3 : 12;

template <class Run>
void run_programs(const char* test, Run run) {
    std::uint64_t seed = support::test_seed(test);
    for (int program = 0; program < programs; ++program, ++seed) {
        for (const sizes kind : {sizes::given, sizes::kept}) {
            SCOPED_TRACE(testing::Message()
                         << "ARENITE_TEST_SEED=" << seed
                         << (kind == sizes::kept ? ", sizes kept" : ", sizes known"));
            support::random_source source{seed, 2000};
            run(kind, heap_rules{.keeps_sizes = kind == sizes::kept}, source);
            if (testing::Test::HasFatalFailure())
                return;
        }
    }
}

TEST(model, tlsf_resource_of_one_region) {
    run_programs("model.tlsf_resource_of_one_region",
                 [](sizes kind, heap_rules rules, auto& source) {
                     support::counting_resource up;
                     tlsf_resource r{4_MiB, tlsf_options{.sizes = kind}, &up};
                     rules.may_fail = true;
                     ASSERT_EQ(heap_operations(r, rules).run(source), "");
                     r.trim();
                     EXPECT_EQ(up.live(), 0u);
                 });
}

TEST(model, tlsf_resource_that_grows) {
    run_programs("model.tlsf_resource_that_grows", [](sizes kind, heap_rules rules, auto& source) {
        support::counting_resource up;
        tlsf_resource r{64_KiB, tlsf_options{.sizes = kind, .grow = true}, &up};
        rules.most_bytes = 3_MiB; // in less than 64 regions
        ASSERT_EQ(heap_operations(r, rules).run(source), "");
        r.trim();
        EXPECT_EQ(up.live(), 0u);
    });
}

TEST(model, tlsf_resource_in_many_buffers) {
    run_programs("model.tlsf_resource_in_many_buffers",
                 [](sizes kind, heap_rules rules, auto& source) {
                     std::vector<std::byte> buffer(2_MiB);
                     tlsf_resource r{std::span{buffer}.first(4_KiB), tlsf_options{.sizes = kind}};
                     for (std::size_t i = 4_KiB; i + 64_KiB <= buffer.size(); i += 64_KiB)
                         EXPECT_TRUE(r.add_region(std::span{buffer}.subspan(i, 64_KiB)));
                     rules.may_fail = true;
                     ASSERT_EQ(heap_operations(r, rules).run(source), "");
                 });
}

// Requests within a load are served, however they are made: here frees leave every other
// allocation, so that holes are many and short, and then something larger is asked for.
TEST(model, a_tlsf_region_of_the_size_needed_serves_whatever_stays_within_the_load) {
    const std::uint64_t seed = support::test_seed("model.tlsf_bound");
    std::mt19937_64 random{seed};
    for (int program = 0; program < programs * 4; ++program) {
        const tlsf_load load{.bytes = 20'000 + random() % 20'000,
                             .allocations = 5 + random() % 100,
                             .largest_bytes = 1 + random() % 5000,
                             .largest_alignment = std::size_t{1} << random() % 8};
        const sizes kind = program % 2 == 0 ? sizes::given : sizes::kept;
        tlsf_resource r{tlsf_resource::bytes_needed(load, kind), tlsf_options{.sizes = kind}};
        std::vector<std::pair<void*, std::size_t>> live;
        std::size_t bytes = 0;
        for (int step = 0; step < 3000; ++step) {
            const std::size_t n = 1 + random() % (step % 3 == 0 ? load.largest_bytes : 64);
            if (live.size() < load.allocations && n <= load.largest_bytes &&
                bytes + n <= load.bytes) {
                void* const p = r.try_allocate(n, random() % 4 == 0 ? load.largest_alignment : 1);
                ASSERT_NE(p, nullptr) << n << " bytes at step " << step << ", seed " << seed;
                live.emplace_back(p, n);
                bytes += n;
                continue;
            }
            for (std::size_t i = 0; i < live.size(); i += 1 + random() % 2) {
                r.deallocate(live[i].first, live[i].second);
                bytes -= live[i].second;
                live[i] = live.back();
                live.pop_back();
            }
        }
        for (const auto& [p, n] : live)
            r.deallocate(p, n);
    }
}

} // namespace
