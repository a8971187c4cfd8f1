// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Which of the runs that wait serves a request of page_resource.
#include <arenite/core/literals.hpp>
#include <arenite/os/page_resource.hpp>

#include "os/page_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

using namespace arenite;
using namespace page_test;

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

TEST(page_resource, an_eighth_of_the_peak_more_waits_of_a_program_that_has_come_back_twice) {
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
    // 16 MiB are in use, 48 wait, and none of those holds 4 or 8 MiB.
    std::byte* const four = bytes_at(pages.allocate(4_MiB));
    EXPECT_EQ(platform::resident_bytes(p, 64_MiB), 64_MiB) << "20 + 48 MiB, and 72 may be";
    std::byte* const eight = bytes_at(pages.allocate(8_MiB));
    EXPECT_EQ(platform::resident_bytes(p, 64_MiB), 60_MiB) << "28 + 44 MiB";
    pages.deallocate(eight, 8_MiB);
    pages.deallocate(four, 4_MiB);
    for (std::byte* const each : kept)
        pages.deallocate(each, 1_MiB);
}

} // namespace
