// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/passthrough.hpp>
#include <arenite/check/poison.hpp>
#include <arenite/core/config.hpp>
#include <arenite/stl/shared_slots.hpp>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"

#include <cstddef>
#include <thread>
#include <vector>

using namespace arenite;
using detail::shared_slots;
using detail::thread_slots;

namespace {

constinit thread_local thread_slots mine;

// What suballocator does.
void* take(shared_slots& from) {
    if (mine.count == 0)
        return from.refill(mine);
    mine.count.store(mine.count - 1);
    return mine.slots[mine.count];
}
void give(shared_slots& to, void* p) {
    if (mine.count == mine.room)
        return to.spill(mine, p);
    mine.slots[mine.count] = p;
    mine.count.store(mine.count + 1);
}

TEST(shared_slots_threads, a_thread_holds_up_to_64_back_and_gives_them_when_it_ends) {
    if (passthrough() || checks_enabled || poison::active)
        GTEST_SKIP() << "no thread holds anything back";
    // Not destroyed, as the pools of the process.
    static support::counting_resource& up = *new support::counting_resource;
    static shared_slots& slots = *new shared_slots{slot{.bytes = 24, .alignment = 8}, &up, 0};
    std::thread{[] {
        std::vector<void*> all;
        for (int i = 0; i < 200; ++i)
            all.push_back(take(slots));
        EXPECT_EQ(slots.usage().live_allocations, 200u) << "what a thread holds is not in use";
        EXPECT_TRUE(slots.owns(all.front()));
        for (void* const p : all)
            give(slots, p);
        EXPECT_GT(mine.count, 0u);
        EXPECT_LE(mine.count, thread_slots::most);
        EXPECT_EQ(slots.usage().live_allocations, 0u);
    }}.join();
    EXPECT_EQ(slots.usage().live_allocations, 0u);
    slots.trim(mine);
    EXPECT_EQ(up.live(), 0u) << "the ended thread holds nothing";
}

} // namespace
