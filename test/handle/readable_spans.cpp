// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/handle/detail/readable_spans.hpp>

#include <arenite/core/literals.hpp>

#include <gtest/gtest.h>

#include "support/counting_pages.hpp"
#include "support/counting_resource.hpp"
#include "support/region_list.hpp"

#include <cstddef>
#include <cstring>
#include <vector>

namespace {

using namespace arenite;
using detail::readable_spans;

TEST(readable_spans, what_came_back_can_be_read_and_is_lent_again_lowest_first) {
    support::counting_pages pages;
    readable_spans spans{&pages};
    void* const a = spans.try_allocate(1_MiB, 1_MiB);
    void* const b = spans.try_allocate(1_MiB, 1_MiB);
    ASSERT_NE(a, nullptr);
    ASSERT_NE(b, nullptr);
    std::memset(a, 1, 1_MiB);
    spans.deallocate(b, 1_MiB, 1_MiB);
    spans.deallocate(a, 1_MiB, 1_MiB);
    EXPECT_EQ(*static_cast<const unsigned char*>(a), 0); // its memory is the system's
    EXPECT_EQ(spans.try_allocate(1_MiB, 1_MiB), a);
    EXPECT_EQ(spans.try_allocate(1_MiB, 1_MiB), b);
}

TEST(readable_spans, of_another_upstream_the_memory_is_kept_and_counted) {
    support::counting_resource up;
    readable_spans spans{&up};
    void* const a = spans.try_allocate(64_KiB, 64_KiB);
    const std::size_t list = spans.bytes_beside();
    spans.deallocate(a, 64_KiB, 64_KiB);
    EXPECT_EQ(up.live(), 2u);
    EXPECT_EQ(spans.bytes_beside(), list + 64_KiB);
    const support::region_list listed{spans};
    EXPECT_EQ(listed.bytes(region_state::free), 64_KiB);
    EXPECT_EQ(listed.bytes(), up.live_bytes());
    EXPECT_NE(spans.try_allocate(32_KiB, 32_KiB), a); // another size is another span
    EXPECT_EQ(spans.try_allocate(64_KiB, 64_KiB), a);
}

TEST(readable_spans, a_refusal_at_any_call_changes_nothing) {
    for (std::size_t n = 0; n < 6; ++n) {
        support::counting_resource up;
        readable_spans spans{&up};
        up.fail_once_after(n);
        std::vector<void*> all;
        for (int i = 0; i < 400; ++i) // the list grows twice
            if (void* const p = spans.try_allocate(4_KiB, 64))
                all.push_back(p);
        EXPECT_EQ(all.size(), 399u) << n;
        for (void* const p : all)
            spans.deallocate(p, 4_KiB, 64);
        EXPECT_EQ(spans.bytes_beside(), up.live_bytes());
    }
}

} // namespace
