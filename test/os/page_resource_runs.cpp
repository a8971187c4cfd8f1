// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Which of the runs that wait serves a request of page_resource; and any requests against a model.
#include <arenite/core/alignment.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/os/detail/platform.hpp>
#include <arenite/os/page_resource.hpp>

#include "os/page_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace arenite;
using namespace page_test;
using detail::os::platform;

namespace {

constexpr std::size_t wanted = 1_MiB / unit; // the least that is looked for among what waits

/// Runs of units that wait, of these lengths from the lowest address on, with a unit between them
/// that is in use; then a request for `wanted` units: the run that serves it, from 0 on.
std::size_t run_that_serves(const std::vector<std::size_t>& lengths) {
    page_options options = slowly();
    options.huge = huge_pages::never;
    options.reserve_bytes = 1_GiB;
    page_resource pages{options};
    std::vector<std::byte*> begins, in_use, to_wait;
    for (const std::size_t length : lengths) {
        for (std::size_t i = 0; i < length; ++i) {
            std::byte* const p = bytes_at(pages.allocate(unit));
            if (i == 0)
                begins.push_back(p);
            EXPECT_EQ(p, begins.back() + i * unit);
            to_wait.push_back(p);
        }
        in_use.push_back(bytes_at(pages.allocate(unit)));
    }
    void* const much = pages.allocate(768_MiB); // a quarter of what is in use may wait
    for (std::byte* const p : to_wait)
        pages.deallocate(p, unit);
    std::byte* const served = bytes_at(pages.allocate(wanted * unit));
    const auto found = std::find(begins.begin(), begins.end(), served);
    pages.deallocate(served, wanted * unit);
    pages.deallocate(much, 768_MiB);
    for (std::byte* const p : in_use)
        pages.deallocate(p, unit);
    return static_cast<std::size_t>(found - begins.begin());
}

TEST(page_resource, a_request_takes_the_shortest_run_of_the_first_64_that_are_long_enough) {
    std::vector<std::size_t> lengths(63, wanted + 2);
    lengths.push_back(wanted + 1);
    EXPECT_EQ(run_that_serves(lengths), 63u) << "the 64th is compared, too";
    lengths.push_back(wanted);
    EXPECT_EQ(run_that_serves(lengths), 63u) << "and no further one";
    lengths.insert(lengths.begin(), 100, wanted - 1);
    EXPECT_EQ(run_that_serves(lengths), 163u) << "those too short do not count";
    lengths[120] = wanted;
    EXPECT_EQ(run_that_serves(lengths), 120u) << "the first that fits exactly";
}

TEST(page_resource, a_request_looks_at_2048_of_the_runs_that_wait) {
    std::vector<std::size_t> lengths(2046, 1);
    lengths.insert(lengths.end(), {wanted + 1, wanted});
    EXPECT_EQ(run_that_serves(lengths), 2047u) << "the 2048th, which fits exactly";
    lengths.insert(lengths.begin(), 1);
    EXPECT_EQ(run_that_serves(lengths), 2047u) << "the lowest: the 2049th is not seen";
}

TEST(page_resource, a_third_of_the_peak_more_waits_of_a_program_that_has_come_back_twice) {
    page_options options = slowly();
    options.huge = huge_pages::never;
    options.reserve_bytes = 1_GiB;
    page_resource pages{options};
    std::byte* p = nullptr;
    const auto round = [&] {
        p = touched(pages, 64_MiB);
        pages.deallocate(p, 64_MiB);
        return platform::resident_bytes(p, 64_MiB);
    };
    EXPECT_EQ(round(), 32_MiB);
    EXPECT_EQ(round(), 32_MiB);
    EXPECT_EQ(round(), 64_MiB) << "expected from now on";
    std::vector<std::byte*> freed, kept;
    for (int i = 0; i < 16; ++i) {
        freed.push_back(bytes_at(pages.allocate(3_MiB)));
        kept.push_back(bytes_at(pages.allocate(1_MiB)));
    }
    ASSERT_EQ(kept.back(), p + 63_MiB);
    for (std::byte* const each : freed)
        pages.deallocate(each, 3_MiB);
    // 16 MiB are in use, 48 wait, and none of those holds 4 MiB or 24.
    EXPECT_EQ(platform::resident_bytes(p, 64_MiB), 64_MiB) << "16 + 48 MiB, and 85 may be";
    std::byte* const four = bytes_at(pages.allocate(4_MiB));
    EXPECT_EQ(platform::resident_bytes(p, 64_MiB), 60_MiB) << "as much goes as is fresh";
    std::byte* const more = bytes_at(pages.allocate(24_MiB));
    EXPECT_EQ(platform::resident_bytes(p, 64_MiB), 36_MiB);
    std::byte* const again = bytes_at(pages.allocate(24_MiB));
    EXPECT_EQ(platform::resident_bytes(p, 64_MiB), 32_MiB) << "16 MiB may wait beside that";
    pages.deallocate(again, 24_MiB);
    pages.deallocate(more, 24_MiB);
    pages.deallocate(four, 4_MiB);
    for (std::byte* const each : kept)
        pages.deallocate(each, 1_MiB);
}

// ---- against a model -------------------------------------------------------------------------

/// The taken units, one by one, and the lowest place for a request; nothing clever.
class unit_model {
public:
    explicit unit_model(std::size_t units) : taken_(units, false) {}

    [[nodiscard]] std::size_t lowest(std::size_t n, std::size_t alignment) const {
        for (std::size_t i = 0; i + n <= taken_.size(); i += alignment) {
            if (std::none_of(taken_.begin() + static_cast<std::ptrdiff_t>(i),
                             taken_.begin() + static_cast<std::ptrdiff_t>(i + n),
                             [](bool b) { return b; }))
                return i;
        }
        return taken_.size();
    }
    /// The lowest place in the shortest run that is not taken.
    [[nodiscard]] std::size_t in_shortest_run(std::size_t n, std::size_t alignment) const {
        std::size_t best = taken_.size();
        std::size_t shortest = taken_.size() + 1;
        for (std::size_t i = 0; i < taken_.size();) {
            std::size_t end = i;
            while (end < taken_.size() && !taken_[end])
                ++end;
            if (const std::size_t place = align_up(i, alignment);
                place + n <= end && end - i < shortest) {
                best = place;
                shortest = end - i;
            }
            i = end + 1;
        }
        return best;
    }
    void set(std::size_t i, std::size_t n, bool value) {
        std::fill_n(taken_.begin() + static_cast<std::ptrdiff_t>(i), n, value);
    }

private:
    std::vector<bool> taken_;
};

/// Touches all of it: while it is free, it waits exactly if it is resident.
void touch(std::byte* p, std::size_t bytes, std::byte mark) {
    for (std::size_t at = 0; at < bytes; at += platform::page_bytes())
        p[at] = mark;
    p[bytes - 1] = mark;
}

TEST(page_resource, random_requests_always_get_the_lowest_place_that_fits) {
    const std::uint64_t seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random{seed};
    const std::size_t huge = platform::huge_page_bytes();

    page_options options = slowly(7); // of its calls: all of what waits is in some state
    options.reserve_bytes = 128_MiB;
    options.most_waiting_bytes = 16_MiB;
    options.now_ms = []() noexcept { return the_time++; };
    page_resource pages{options};
    std::byte* const base = bytes_at(pages.allocate(1)); // the lowest unit of the range
    ASSERT_TRUE(is_aligned(base, 4_MiB));
    unit_model model{128_MiB / unit};
    model.set(0, 1, true);

    struct allocation {
        std::byte* p;
        std::size_t bytes;
        std::size_t alignment;
        std::byte mark;
    };
    std::vector<allocation> live;
    int from_waiting = 0;
    constexpr std::array<std::size_t, 8> usual{1,       64_KiB, 128_KiB, 192_KiB,
                                               512_KiB, 1_MiB,  2_MiB,   7_MiB};
    for (int step = 0; step < 4000; ++step) {
        if (live.empty() || random() % 100 < (step / 500 % 2 == 0 ? 60 : 40)) {
            std::size_t bytes = usual[random() % usual.size()];
            if (random() % 4 == 0)
                bytes = 1 + random() % 9_MiB;
            const std::size_t alignment =
                random() % 3 == 0 ? std::size_t{1} << (random() % 23) : default_alignment;
            std::size_t needed = std::max(alignment, unit);
            if (huge != 0 && in_pages(bytes) >= huge)
                needed = std::max(needed, huge);
            const std::size_t units = align_up(bytes, unit) / unit;
            std::size_t expected = model.lowest(units, needed / unit);
            if (bytes > 1_MiB - unit) { // of much memory the shortest run that waits
                unit_model waiting = model;
                for (std::size_t i = 0; i < 128_MiB / unit; ++i)
                    if (platform::resident_bytes(base + i * unit, unit) == 0)
                        waiting.set(i, 1, true);
                if (const std::size_t i = waiting.in_shortest_run(units, needed / unit);
                    i != 128_MiB / unit) {
                    from_waiting += i != expected;
                    expected = i;
                }
            }
            if (expected == 128_MiB / unit)
                continue; // would go to a further range
            std::byte* p = bytes_at(pages.try_allocate(bytes, alignment));
            ASSERT_EQ(p, base + expected * unit) << bytes << " aligned " << alignment;
            model.set(expected, units, true);
            const auto mark = static_cast<std::byte>(random() % 255 + 1);
            touch(p, bytes, mark);
            live.push_back({p, bytes, alignment, mark});
        } else {
            std::swap(live[random() % live.size()], live.back());
            const allocation a = live.back();
            live.pop_back();
            ASSERT_EQ(a.p[0], a.mark);
            ASSERT_EQ(a.p[a.bytes - 1], a.mark);
            pages.deallocate(a.p, a.bytes, a.alignment);
            model.set(static_cast<std::size_t>(a.p - base) / unit, align_up(a.bytes, unit) / unit,
                      false);
        }
    }
    EXPECT_GE(from_waiting, 20) << "requests that got another place for what waits there";
    std::size_t expected_in_use = platform::page_bytes();
    for (const allocation& a : live)
        expected_in_use += in_pages(a.bytes);
    EXPECT_EQ(pages.usage().bytes_in_use, expected_in_use);
    EXPECT_EQ(pages.usage().live_allocations, live.size() + 1);
}

} // namespace
