// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// page_resource under a workload of all kinds of requests, whatever the system refuses.
#include <arenite/core/literals.hpp>
#include <arenite/os/detail/platform.hpp>
#include <arenite/os/page_resource.hpp>

#include "os/page_test.hpp"
#include "support/failing_calls.hpp"
#include "support/limits.hpp"
#include "support/mappings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#include <sys/prctl.h>
#endif

using namespace arenite;
using namespace page_test;
using detail::os::platform;

namespace {

bool is_zero(const std::byte* p, std::size_t bytes) {
    return bytes == 0 || (p[0] == std::byte{0} && std::memcmp(p, p + 1, bytes - 1) == 0);
}

/// Requests of all kinds, contents checked. What is said to be zero is.
class workload {
public:
    explicit workload(std::uint64_t seed) : random_{seed} {}

    void step(page_resource& pages) {
        if (random_() % 3 == 0)
            pass(40);
        if (random_() % 64 == 0)
            pages.trim();
        if (random_() % 32 == 0)
            static_cast<void>(pages.prepare(random_() % 3_MiB));
        if (live_.size() < 12 + random_() % 12) {
            const std::size_t sizes[] = {1,     unit,    256_KiB, 256_KiB,
                                         1_MiB, 700_KiB, 2_MiB,   2_MiB + 800_KiB};
            const std::size_t bytes = sizes[random_() % std::size(sizes)];
            const page_use use = random_() % 3 == 0 ? page_use::sparse : page_use::dense;
            const lent_memory m = pages.lend(bytes, random_() % 2 == 0 ? 16 : 256_KiB, use);
            if (m.p == nullptr) {
                ++refused_;
                return;
            }
            if (m.is_zero) {
                EXPECT_TRUE(is_zero(bytes_at(m.p), bytes));
            }
            const auto mark = static_cast<unsigned char>(1 + random_() % 255);
            std::memset(m.p, mark, bytes);
            live_.push_back({bytes_at(m.p), bytes, mark});
        } else {
            std::swap(live_[random_() % live_.size()], live_.back());
            give(pages);
        }
    }

    void end(page_resource& pages) {
        while (!live_.empty())
            give(pages);
    }
    [[nodiscard]] int refused() const { return refused_; }

    bool passes_time = true; ///< of the clock that all of the resources have

private:
    void pass(std::uint64_t ms) const {
        if (passes_time)
            the_time += ms;
    }

    struct piece {
        std::byte* p;
        std::size_t bytes;
        unsigned char mark;
    };

    void give(page_resource& pages) {
        const piece x = live_.back();
        live_.pop_back();
        EXPECT_EQ(*x.p, std::byte{x.mark});
        EXPECT_EQ(std::memcmp(x.p, x.p + 1, x.bytes - 1), 0);
        if (random_() % 4 == 0)
            pages.release(x.p, x.bytes);
        else
            pages.deallocate(x.p, x.bytes);
    }

    std::mt19937_64 random_;
    std::vector<piece> live_;
    int refused_ = 0;
};

void expect_empty(page_resource& pages) {
    pages.trim();
    EXPECT_EQ(pages.usage().bytes_in_use, 0u);
    EXPECT_EQ(pages.usage().live_allocations, 0u);
    EXPECT_LT(pages.usage().bytes_reserved, 16 * detail::os::platform::page_bytes()); // its tables
}

TEST(page_resource, requests_of_all_kinds_keep_their_contents) {
    const std::uint64_t seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    for (const huge_pages huge : {huge_pages::automatic, huge_pages::never, huge_pages::always}) {
        page_options options = slowly(100);
        options.huge = huge;
        page_resource pages{options};
        workload work{seed};
        for (int i = 0; i < 1000; ++i)
            work.step(pages);
        EXPECT_EQ(work.refused(), 0);
        work.end(pages);
        expect_empty(pages);
    }
}

TEST(page_resource, trim_gives_back_a_little_that_waits_in_each_of_many_huge_pages) {
    for (const huge_pages huge : {huge_pages::automatic, huge_pages::never, huge_pages::always}) {
        page_options options = slowly();
        options.huge = huge;
        page_resource pages{options};
        std::vector<std::byte*> all;
        for (int i = 0; i < 512; ++i)
            all.push_back(touched(pages, unit));
        for (std::size_t i = 0; i < all.size(); ++i)
            if (i % 4 != 0)
                pages.release(all[i], unit);
        for (std::size_t i = 0; i < all.size(); i += 4)
            pages.deallocate(all[i], unit);
        expect_empty(pages);
    }
}

#if CALLS_CAN_FAIL
TEST(page_resource, a_call_of_the_system_that_fails_loses_nothing) {
    const std::uint64_t seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    constexpr int steps = 120;
    long made = 0;
    for (long n = 0; n <= made; n += 1 + n / 12) {
        for (const long count : {1L, 3L, LONG_MAX}) {
            SCOPED_TRACE("call " + std::to_string(n) + ", " + std::to_string(count));
            page_resource pages{slowly(100)};
            workload work{seed};
            {
                const support::failing_calls refused{n, count};
                for (int i = 0; i < steps; ++i)
                    work.step(pages);
                made = std::max(made, std::min(refused.calls(), 400L));
            }
            for (int i = 0; i < 30; ++i)
                work.step(pages);
            work.end(pages);
            expect_empty(pages);
            if (HasFailure())
                return;
        }
    }
    EXPECT_GT(made, 40);
}

TEST(page_resource, a_large_request_that_is_refused_leaves_no_huge_pages_behind) {
    page_resource pages{slowly()};
    std::byte* const first = touched(pages, 4_MiB); // the next is not usable yet
    for (const std::size_t bytes : {2_MiB, 5_MiB, 200_MiB}) {
        const usage before = pages.usage();
        {
            const support::failing_calls refused{0};
            EXPECT_EQ(pages.try_allocate(bytes), nullptr);
        }
        EXPECT_EQ(pages.usage().bytes_in_use, before.bytes_in_use);
        EXPECT_LT(pages.usage().bytes_reserved, before.bytes_reserved + 1_MiB)
            << "but for the bookkeeping";
    }
    pages.deallocate(first, 4_MiB);
}

TEST(page_resource, a_request_that_is_refused_counts_no_longer_as_in_use) {
    page_resource pages{slowly()};
    for (int i = 0; i < 4; ++i)
        touched(pages, 11 * unit);
    pages.deallocate(touched(pages, 12 * unit), 12 * unit); // it waits
    {
        const support::failing_calls refused{0}; // 64 units are usable
        EXPECT_EQ(pages.try_allocate(30 * unit), nullptr);
    }
    EXPECT_EQ(pages.usage().bytes_in_use, 44 * unit);
    const std::size_t reserved = pages.usage().bytes_reserved;
    for (int i = 0; i < 8; ++i)
        touched(pages, unit);
    EXPECT_EQ(pages.usage().bytes_reserved, reserved) << "as much as before may wait";
}

TEST(page_resource, memory_that_the_system_could_not_drop_is_not_said_to_be_zero) {
    page_resource pages{small};
    std::byte* const p = touched(pages, unit);
    {
        const support::failing_calls refused{0};
        pages.release(p, unit);
    }
    const lent_memory again = pages.lend(unit, 16, page_use::sparse);
    EXPECT_EQ(again.p, p);
    EXPECT_FALSE(again.is_zero);
    EXPECT_TRUE(pages.lend(unit, 16, page_use::sparse).is_zero) << "nobody ever had it";
}
#endif

TEST(page_windows_threads, share_one_source_and_lose_nothing) {
    page_options options{.reserve_bytes = 256_MiB, .delay_ms = 3, .most_waiting_bytes = 8_MiB};
    options.now_ms = []() noexcept {
        static constinit std::atomic<std::uint64_t> ticks{0};
        return ticks.fetch_add(1, std::memory_order_relaxed);
    };
    page_resource pages{options};
    std::vector<std::thread> all;
    for (std::uint64_t t = 0; t < 4; ++t)
        all.emplace_back([&pages, t] {
            workload work{t};
            work.passes_time = false;
            for (int i = 0; i < 400; ++i)
                work.step(pages);
            work.end(pages);
        });
    for (std::thread& t : all)
        t.join();
    expect_empty(pages);
}

#if defined(__linux__) && LIMITS_CAN_BE_TESTED
TEST(page_resource_death, lives_without_huge_pages) {
    const auto in_child = [] {
        if (::prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) != 0)
            std::_Exit(0);
        page_resource pages{slowly(100)};
        workload work{1};
        for (int i = 0; i < 500; ++i)
            work.step(pages);
        work.end(pages);
        expect_empty(pages);
        EXPECT_TRUE(pages.prepare(1_MiB));
        EXPECT_GE(pages.usage().bytes_reserved, 1_MiB);
        std::_Exit(testing::Test::HasFailure() ? 1 : 0);
    };
    EXPECT_EXIT(in_child(), testing::ExitedWithCode(0), "");
}

TEST(page_resource, where_the_system_gives_huge_pages_unasked_small_users_get_none) {
    if (support::emulated() || platform::huge_page_bytes() != 2_MiB)
        GTEST_SKIP() << "huge pages of another size";
    page_resource pages{small};
    std::byte* const base = bytes_at(pages.allocate(1));
    // The effect of the setting `always`: unless advised otherwise, any page may be huge.
    ASSERT_EQ(::madvise(base + 4_MiB, 56_MiB, MADV_HUGEPAGE), 0);
    std::vector<std::byte*> all;
    for (int i = 0; i < 127; ++i)
        all.push_back(touched(pages, 4_KiB));
    EXPECT_GT(all.back(), base + 6_MiB);
    EXPECT_EQ(platform::resident_bytes(base, 32_MiB), 127 * 4_KiB);
}
#endif

} // namespace
