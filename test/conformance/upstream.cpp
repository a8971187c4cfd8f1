// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "conformance/conformance.hpp"

#include <arenite/check/passthrough.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>

#include "support/pattern.hpp"
#include "support/throwing_resource.hpp"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <random>
#include <utility>
#include <vector>

// The tests of conformance.hpp that look at the upstream: what is asked of it, what goes back, and
// what happens when it fails.
namespace conformance_suite {

using support::expect_intact;
using support::give;
using support::pattern;

using counts = std::initializer_list<std::size_t>;

void conformance::run_program(subject& r, counting_resource& up) const {
    std::mt19937 random{7};
    std::vector<piece> live;
    std::size_t total = 0;
    const auto step = [&](std::size_t bytes, std::size_t alignment) {
        if (total + bytes + alignment > promised.capacity / 2)
            return;
        const std::size_t before = bytes_in_use(r);
        const std::size_t failures = up.failures();
        void* p = r.try_allocate(bytes, alignment);
        if (p == nullptr) {
            ASSERT_GT(up.failures(), failures) << "failed without a failure of the upstream";
            ASSERT_EQ(bytes_in_use(r), before);
            for (const piece& x : live)
                expect_intact(x);
            return;
        }
        total += bytes + alignment;
        ASSERT_TRUE(is_aligned(p, alignment));
        pattern{address_of(p)}.write(p, bytes);
        live.push_back({p, bytes, alignment});
    };
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 60; ++i)
            step(1 + random() % 200, std::size_t{1} << random() % 5);
        for (const std::size_t bytes : counts{3000, 20'000, 70'000, 300'000, 1'200'000})
            step(bytes, 16);
        for (const std::size_t alignment : counts{64, 4096, 65'536})
            step(100, alignment);
        for (int i = 0; i < 40 && !live.empty(); ++i) {
            std::swap(live[random() % live.size()], live.back());
            give(r, live.back());
            live.pop_back();
        }
        if (promised.trimmable)
            r.trim();
    }
    give_all(r, live);
}

void conformance::fail_every_call(void (*fail)(counting_resource& up, std::size_t n),
                                  bool by_exception) const {
    bool failed = true;
    for (std::size_t n = 0; failed; ++n) {
        ASSERT_LT(n, 1000u) << "there is always one more call";
        SCOPED_TRACE(testing::Message() << "upstream call " << n);
        counting_resource up;
        support::throwing_resource throwing{up};
        fail(up, n);
        {
            const auto c = make(by_exception ? upstream{&throwing} : upstream{&up});
            run_program(*c, up);
            failed = up.failures() > 0;
            if (testing::Test::HasFatalFailure())
                return;
            up.never_fail();
            give(*c, take(*c, 10)); // it goes on working
        }
        ASSERT_EQ(up.live(), 0u);
    }
}

TEST_P(conformance, an_unused_resource_asks_for_nothing) {
    counting_resource up;
    {
        const auto c = make(&up);
        if (promised.trimmable)
            c->trim();
        if (promised.resettable)
            c->reset();
    }
    EXPECT_EQ(up.calls(), 0u);
}

TEST_P(conformance, everything_goes_back_to_the_upstream) {
    counting_resource up; // reports what comes back otherwise than it went
    {
        const auto c = make(&up);
        run_program(*c, up);
    }
    if (promised.has_upstream && !passthrough()) {
        EXPECT_GT(up.allocations(), 0u);
    }
    EXPECT_EQ(up.live(), 0u);
}

TEST_P(conformance, everything_goes_back_also_with_live_objects) {
    if (!promised.has_upstream)
        GTEST_SKIP() << "it has no upstream";
    counting_resource up;
    testing::internal::CaptureStderr(); // a checked build may tell of the leak
    {
        const auto c = make(&up);
        for (const std::size_t bytes : counts{10, 1000, 100'000})
            static_cast<void>(take(*c, bytes));
    }
    static_cast<void>(testing::internal::GetCapturedStderr());
    EXPECT_EQ(up.live(), 0u);
}

TEST_P(conformance, every_upstream_failure_by_nullptr_changes_nothing) {
    fail_every_call([](counting_resource& up, std::size_t n) { up.fail_after(n); }, false);
    fail_every_call([](counting_resource& up, std::size_t n) { up.fail_once_after(n); }, false);
}

TEST_P(conformance, every_upstream_failure_by_exception_changes_nothing) {
#if ARENITE_EXCEPTIONS
    fail_every_call([](counting_resource& up, std::size_t n) { up.fail_after(n); }, true);
    fail_every_call([](counting_resource& up, std::size_t n) { up.fail_once_after(n); }, true);
#endif
}

TEST_P(conformance, trim_gives_back_what_is_empty) {
    if (!promised.trimmable)
        GTEST_SKIP() << "it gives nothing back before its end";
    counting_resource up;
    const auto c = make(&up);
    for (int round = 0; round < 3; ++round) {
        std::vector<piece> live;
        for (const std::size_t bytes : counts{10, 100, 1000, 10'000, 100'000})
            live.push_back(take(*c, bytes));
        c->trim(); // with all alive
        give_all(*c, live);
        if (promised.resettable)
            c->reset();
        c->trim();
        if (promised.measurable) {
            EXPECT_EQ(c->usage().bytes_in_use, 0u);
        }
        if (promised.trims_to_nothing) {
            EXPECT_EQ(up.live(), 0u);
        }
    }
}

TEST_P(conformance, reset_frees_everything) {
    if (!promised.resettable)
        GTEST_SKIP() << "it frees singly";
    counting_resource up;
    const auto c = make(&up);
    for (int round = 0; round < 10; ++round) {
        const std::size_t bytes = std::min(promised.capacity / 2, 1_MiB);
        static_cast<void>(take(*c, bytes));
        c->reset();
        EXPECT_EQ(bytes_in_use(*c), 0u);
    }
}

} // namespace conformance_suite
