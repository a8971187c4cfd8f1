// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/literals.hpp>
#include <arenite/offset/memory_slots.hpp>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"

#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

using namespace arenite;

namespace {

constexpr std::size_t huge = std::numeric_limits<std::size_t>::max();

TEST(memory_slots, reserves_the_lowest_place_and_takes_it_back_by_offset_and_size) {
    memory_slots slots{1000};
    EXPECT_TRUE(slots.empty());
    EXPECT_FALSE(slots.full());
    EXPECT_EQ(slots.maximum_available_space(), 1000u);
    EXPECT_EQ(slots.reserve(100), 0u);
    EXPECT_EQ(slots.reserve(10, 64), 128u);
    EXPECT_EQ(slots.reserve(28), 100u) << "the gap before an alignment can be reserved";
    EXPECT_EQ(slots.total_reserved_size(), 138u);
    EXPECT_EQ(slots.total_available_size(), 862u);
    EXPECT_EQ(slots.total_memory_size(), 1000u);
    EXPECT_TRUE(slots.is_reserved(100, 28));
    EXPECT_FALSE(slots.is_reserved(100, 27));
    EXPECT_FALSE(slots.is_reserved(101, 27));
    slots.release(0, 100);
    EXPECT_FALSE(slots.is_reserved(0, 100));
    EXPECT_EQ(slots.reserve(100), 0u);
    slots.release(128, 10);
    slots.release(100, 28);
    slots.release(0, 100);
    EXPECT_TRUE(slots.empty());
    EXPECT_EQ(slots.maximum_available_space(), 1000u);
}

TEST(memory_slots, is_full_when_nothing_is_free) {
    memory_slots slots{64};
    const std::optional<std::size_t> at = slots.reserve(64);
    ASSERT_TRUE(at);
    EXPECT_TRUE(slots.full());
    EXPECT_EQ(slots.maximum_available_space(), 0u);
    EXPECT_FALSE(slots.reserve(1));
    slots.release(*at, 64);
    EXPECT_FALSE(slots.full());

    memory_slots none{0};
    EXPECT_TRUE(none.full());
    EXPECT_TRUE(none.empty());
    EXPECT_FALSE(none.reserve(1));
}

TEST(memory_slots, refuses_what_does_not_fit_and_changes_nothing) {
    memory_slots slots{1_MiB};
    ASSERT_TRUE(slots.reserve(100));
    for (const std::size_t bytes : {1_MiB, 2_MiB, huge, huge - 1})
        EXPECT_FALSE(slots.reserve(bytes));
    EXPECT_FALSE(slots.reserve(1, 0)) << "no alignment";
    EXPECT_FALSE(slots.reserve(1, 2_MiB)) << "its only multiple is taken";
    EXPECT_EQ(slots.reserve(0), 100u) << "0 bytes count as 1";
    EXPECT_EQ(slots.total_reserved_size(), 101u);
    slots.release(100, 0);
    EXPECT_EQ(slots.total_reserved_size(), 100u);
    EXPECT_TRUE(slots.check());
}

TEST(memory_slots, an_upstream_that_fails_at_any_call_costs_the_request_alone) {
    for (std::size_t failing = 0;; ++failing) {
        support::counting_resource up;
        memory_slots slots{1_MiB, &up};
        up.fail_after(failing);
        std::size_t served = 0;
        for (int i = 0; i < 2'000; ++i)
            served += slots.reserve(16) ? 1 : 0;
        ASSERT_EQ(slots.total_reserved_size(), served * 16);
        ASSERT_TRUE(slots.check());
        ASSERT_EQ(slots.bookkeeping_bytes(), up.live_bytes());
        if (served == 2'000)
            break;
        ASSERT_LT(failing, 200u);
    }
}

TEST(memory_slots, does_as_a_map_of_slots_does) {
    const auto seed = std::random_device{}();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random{seed};
    constexpr std::size_t total = 100'000;
    memory_slots slots{total};
    std::map<std::size_t, std::size_t> model; // offset -> bytes
    std::size_t reserved = 0;
    for (int step = 0; step < 30'000; ++step) {
        if (random() % 100 < 55) {
            const std::size_t bytes = 1 + random() % (random() % 8 == 0 ? 5000 : 100);
            const std::size_t alignment = 1 + random() % 300;
            const auto at = slots.reserve(bytes, alignment);
            if (!at)
                continue;
            ASSERT_EQ(*at % alignment, 0u);
            ASSERT_LE(*at + bytes, total);
            const auto above = model.lower_bound(*at);
            ASSERT_TRUE(above == model.end() || *at + bytes <= above->first);
            ASSERT_TRUE(above == model.begin() ||
                        std::prev(above)->first + std::prev(above)->second <= *at);
            model.emplace(*at, bytes);
            reserved += bytes;
        } else if (!model.empty()) {
            auto chosen = model.lower_bound(random() % total);
            if (chosen == model.end())
                chosen = model.begin();
            slots.release(chosen->first, chosen->second);
            reserved -= chosen->second;
            model.erase(chosen);
        }
        ASSERT_EQ(slots.total_reserved_size(), reserved);
        ASSERT_EQ(slots.empty(), model.empty());
        if (step % 1000 == 0) {
            ASSERT_TRUE(slots.check());
        }
    }
    for (const auto& [at, bytes] : model)
        slots.release(at, bytes);
    EXPECT_EQ(slots.maximum_available_space(), total);
}

TEST(memory_slots, the_largest_space_can_be_reserved) {
    memory_slots slots{10'000};
    std::vector<std::size_t> places;
    for (int i = 0; i < 100; ++i)
        places.push_back(*slots.reserve(100));
    for (const std::size_t n : {7u, 8u, 9u, 50u, 51u})
        slots.release(places[n], 100);
    EXPECT_EQ(slots.maximum_available_space(), 300u);
    EXPECT_EQ(slots.reserve(300), 700u);
    EXPECT_EQ(slots.maximum_available_space(), 200u);
    slots.clear();
    EXPECT_TRUE(slots.empty());
    EXPECT_TRUE(slots.check());
    EXPECT_EQ(slots.maximum_available_space(), 10'000u);
}

TEST(memory_slots, logs_each_action) {
    std::vector<memory_slots_options::action> log;
    const auto note = [](const memory_slots_options::action& a, void* user) noexcept {
        static_cast<std::vector<memory_slots_options::action>*>(user)->push_back(a);
    };
    memory_slots slots{100, {.on_action = note, .user = &log, .checks = true}};
    ASSERT_EQ(slots.reserve(60, 4), 0u);
    EXPECT_FALSE(slots.reserve(60));
    slots.release(0, 60);
    ASSERT_EQ(log.size(), 3u);
    EXPECT_EQ(log[0].what, memory_slots_options::action_kind::reserved);
    EXPECT_EQ(log[0].bytes, 60u);
    EXPECT_EQ(log[0].alignment, 4u);
    EXPECT_EQ(log[1].what, memory_slots_options::action_kind::refused);
    EXPECT_EQ(log[2].what, memory_slots_options::action_kind::released);
}

TEST(memory_slots, reports_totals_and_stretches) {
    memory_slots slots{100};
    ASSERT_TRUE(slots.reserve(60));
    std::ostringstream out;
    slots.report(out);
    EXPECT_EQ(out.str(),
              "memory_slots: 100 bytes, 60 reserved in 1 slots, 40 available, the longest "
              "stretch 40\n    reserved  0, 60 bytes\n    available 60, 40 bytes\n");
}

using memory_slots_death = testing::Test;

TEST(memory_slots_death, a_wrong_release_is_named_in_every_build) {
    memory_slots slots{1000};
    ASSERT_EQ(slots.reserve(100), 0u);
    ASSERT_EQ(slots.reserve(100), 100u);
    const char* const sentence =
        "of what is not reserved, was released already, or has another size";
    EXPECT_DEATH(slots.release(0, 99), sentence);
    EXPECT_DEATH(slots.release(0, 200), sentence);
    EXPECT_DEATH(slots.release(50, 50), sentence);
    EXPECT_DEATH(slots.release(huge, 1), sentence);
    slots.release(0, 100);
    EXPECT_DEATH(slots.release(0, 100), sentence);
    EXPECT_DEATH(memory_slots{100}.release(0, 1), sentence);
    EXPECT_TRUE(slots.check());
}

} // namespace
