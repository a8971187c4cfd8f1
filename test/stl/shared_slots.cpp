// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/detail/poison.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/config.hpp>
#include <arenite/stl/detail/shared_slots.hpp>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <random>
#include <thread>
#include <vector>

#if defined(__unix__)
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace arenite;
using detail::shared_slots;
using detail::thread_slots;

namespace {

constinit thread_local thread_slots mine;

// The calls of suballocator.
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
    if (passthrough() || checks_enabled || detail::poison::active)
        GTEST_SKIP() << "no thread holds anything back";
    // Not destroyed, as the pools of the process.
    static support::counting_resource& up = *new support::counting_resource;
    static shared_slots& slots =
        *new shared_slots{slot{.bytes = 24, .alignment = 8}, suballocator_options{}, &up};
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

/// Threads that use one pool, each until it is asked to end; the pool is not destroyed, as those of
/// the process are not.
class shared_slots_users_threads : public testing::Test {
protected:
    void SetUp() override {
        if (passthrough() || checks_enabled || detail::poison::active)
            GTEST_SKIP() << "no thread holds anything back";
    }

    /// Uses the pool until stop() and tells of its slots then.
    class user {
    public:
        explicit user(shared_slots& slots)
            : thread_{[this, &slots] {
                  give(slots, take(slots));
                  used_ = &mine;
                  while (!stopped_)
                      std::this_thread::yield();
              }} {
            while (used_ == nullptr)
                std::this_thread::yield();
        }
        ~user() { stop(); }
        user(const user&) = delete;
        user& operator=(const user&) = delete;

        void stop() {
            stopped_ = true;
            if (thread_.joinable())
                thread_.join();
        }
        [[nodiscard]] thread_slots& slots() const { return *used_; }

    private:
        std::atomic<bool> stopped_ = false;
        std::atomic<thread_slots*> used_ = nullptr;
        std::thread thread_;
    };

    support::counting_resource& up = *new support::counting_resource;
    shared_slots& slots =
        *new shared_slots{slot{.bytes = 24, .alignment = 8}, suballocator_options{}, &up};
};

TEST_F(shared_slots_users_threads, a_pool_forgets_who_has_ended_in_whatever_order) {
    user first{slots}, second{slots}, third{slots};
    EXPECT_EQ(third.slots().next, &second.slots());
    second.stop();
    EXPECT_EQ(third.slots().next, &first.slots());
    EXPECT_EQ(first.slots().previous, &third.slots());
    first.stop();
    EXPECT_EQ(third.slots().next, nullptr);
    third.stop();
    EXPECT_EQ(slots.usage().live_allocations, 0u);
    slots.trim(mine);
    EXPECT_EQ(up.live(), 0u);
}

TEST_F(shared_slots_users_threads, while_little_is_in_use_no_thread_holds_anything_back) {
    std::thread{[&] {
        const std::size_t row_bytes = std::size_t{2} << 20;
        for (const bool latest : {false, true}) { // in the smallest row, or in one of full size
            std::vector<void*> all;
            for (int i = 0; i < 1'000'000; ++i)
                all.push_back(take(slots));
            void* const lives = latest ? all.back() : all.front();
            all.erase(latest ? all.end() - 1 : all.begin());
            std::mt19937 random{3};
            std::shuffle(all.begin(), all.end(), random);
            for (void* const p : all)
                give(slots, p);
            EXPECT_EQ(mine.count, 0u);
            EXPECT_LE(up.live_bytes(), (latest ? 2 : 1) * row_bytes)
                << "its row, and as much in empty ones as the policy keeps";
            give(slots, lives);
        }
    }}.join();
}

#if defined(__unix__)
TEST_F(shared_slots_users_threads, a_forked_child_has_what_the_others_held_back) {
    user before{slots};
    void* const p = take(slots);
    user after{slots};
    ASSERT_EQ(mine.next, &before.slots());
    ASSERT_EQ(mine.previous, &after.slots());
    const pid_t child = ::fork();
    if (child == 0) {
        const bool alone = mine.next == nullptr && mine.previous == nullptr;
        give(slots, p);
        slots.trim(mine);
        ::_exit(!alone ? 1 : slots.usage().live_allocations != 0 ? 2 : up.live() != 0 ? 3 : 0);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
    give(slots, p);
    slots.trim(mine);
}
#endif

} // namespace
