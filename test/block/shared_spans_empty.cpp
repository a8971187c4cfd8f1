// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The spans of shared_spans of which nothing is taken: how many stay, and for how long.
#include <arenite/block/detail/shared_spans.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/os/detail/platform.hpp>

#include <gtest/gtest.h>

#include "support/counting_pages.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

using namespace arenite;
using detail::shared_spans;

namespace {

class empty_shared_spans : public testing::Test {
protected:
    support::counting_pages pages;
    upstream up{&pages};
    shared_spans spans{up, 256_KiB};
};

TEST_F(empty_shared_spans, go_from_the_highest_on_where_they_are_too_many) {
    std::vector<std::byte*> all;
    for (int i = 0; i < 3; ++i)
        all.push_back(spans.try_take(1_MiB, 16, 2_MiB).p);
    std::sort(all.begin(), all.end());
    for (std::byte* p : {all[2], all[0], all[1]})
        spans.give(p, 1_MiB, 4_MiB, false);
    EXPECT_EQ(spans.bytes_reserved(), 4_MiB);
    EXPECT_EQ(spans.try_take(1_MiB, 16, 0).p, all[0]);
    EXPECT_EQ(spans.try_take(1_MiB, 16, 0).p, all[1]) << "what is lower has stayed";
    EXPECT_EQ(spans.try_take(1_MiB, 16, 0).p, nullptr);
    spans.give(all[0], 1_MiB, 4_MiB, false);
    spans.give(all[1], 1_MiB, 0, false);
    EXPECT_EQ(pages.live_bytes(), 0u);
}

TEST_F(empty_shared_spans, go_when_nobody_wants_one_for_a_second) {
    const auto become_empty = [&] {
        spans.give(spans.try_take(1_MiB, 16, 2_MiB).p, 1_MiB, 4_MiB, false);
    };
    become_empty();
    const std::uint64_t begin = detail::os::platform::now_ms();
    for (;;) {
        const bool has_gone = spans.give_idle_empty();
        const std::uint64_t passed = detail::os::platform::now_ms() - begin;
        if (!has_gone && passed < 30'000) {
            std::this_thread::sleep_for(std::chrono::milliseconds{20});
            continue;
        }
        EXPECT_TRUE(has_gone);
        EXPECT_GE(passed, 1000u);
        break;
    }
    EXPECT_EQ(pages.live_bytes(), 0u);
    become_empty();
    EXPECT_FALSE(spans.give_idle_empty()) << "its second begins with the first look";
}

} // namespace
