// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A small heap lies in small pages, whatever sizes its objects have.
#include <arenite/check/passthrough.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/core/region.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/os/detail/platform.hpp>
#include <arenite/os/page_resource.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

using namespace arenite;
using detail::os::platform;

TEST(ordered_heap_small_pages, a_little_of_many_sizes_stays_in_small_pages) {
    if (passthrough())
        GTEST_SKIP() << "malloc has the objects";
    page_resource own{page_options{.reserve_bytes = 1_GiB}}; // without windows that others share
    ordered_heap heap{&own};
    std::size_t live = 0;
    for (std::size_t i = 0; i < 2000; ++i) {
        const std::size_t bytes = 4 + i % 50 * 4;
        std::memset(heap.allocate(bytes, 4), 1, bytes);
        live += bytes;
    }
    EXPECT_GT(heap.usage().bytes_reserved, 1_MiB) << "addresses are taken for each size";
    struct : region_sink {
        void add(const region& r) override {
            auto* const p = static_cast<const std::byte*>(r.address);
            first = first == nullptr ? p : std::min(first, p);
            end = std::max(end, p + r.bytes);
        }
        const std::byte* first = nullptr;
        const std::byte* end = nullptr;
    } all;
    heap.list_regions(all);
    // To the end of a huge page in which the last of it may lie.
    const std::size_t more =
        padding_for(all.end, std::max(platform::huge_page_bytes(), platform::page_bytes()));
    const std::size_t resident =
        platform::resident_bytes(all.first, static_cast<std::size_t>(all.end - all.first) + more);
    EXPECT_LE(resident, 3 * live + 64 * platform::page_bytes());
}
