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

} // namespace
