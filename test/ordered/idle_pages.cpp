// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/ordered/detail/idle_pages.hpp>

#include <arenite/check/detail/poison.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/system_resource.hpp>
#include <arenite/ordered/detail/slab_heap.hpp>
#include <arenite/os/detail/platform.hpp>
#include <arenite/os/page_resource.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

using namespace arenite;
using detail::idle_pages;
using detail::slab_heap;

namespace {

constexpr std::size_t bytes = 200;
constexpr std::uint64_t frame_ms = 4;

/// A heap, of which nearly everything has been freed, and a clock that tests turn.
class idle_pages_of_a_heap : public testing::Test {
protected:
    page_resource pages{page_options{.huge = huge_pages::never}};
    slab_heap heap{detail::block_options{}, &pages, detail::heap_owner{.heap = this}};
    idle_pages idle;
    std::uint64_t now_ms = 1000;
    std::vector<void*> live;

    void fill(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            void* const p = heap.try_allocate(bytes, 8);
            ASSERT_NE(p, nullptr);
            std::memset(p, 0x5a, bytes);
            live.push_back(p);
        }
    }
    void keep_one_of(std::size_t n) {
        std::vector<void*> kept;
        for (std::size_t i = 0; i < live.size(); ++i) {
            if (i % n == 0)
                kept.push_back(live[i]);
            else
                heap.deallocate(live[i], bytes, 8);
        }
        live.swap(kept);
    }
    void look_for(std::uint64_t ms) {
        for (const std::uint64_t end = now_ms + ms; now_ms < end; now_ms += frame_ms)
            idle.look(heap, now_ms);
    }
    [[nodiscard]] std::size_t resident() const {
        std::size_t sum = 0;
        for (detail::block* b = heap_blocks().first(); b != nullptr; b = heap_blocks().above(*b))
            sum += detail::os::platform::resident_bytes(b, b->bytes());
        return sum;
    }
    void TearDown() override {
        for (void* p : live) {
            const auto* const begin = static_cast<const unsigned char*>(p);
            ASSERT_TRUE(begin[0] == 0x5a && begin[bytes - 1] == 0x5a)
                << "what lives stays as it is";
        }
    }

private:
    [[nodiscard]] detail::block_list& heap_blocks() const {
        return const_cast<slab_heap&>(heap).slabs().blocks().blocks();
    }
};

TEST_F(idle_pages_of_a_heap, what_kept_still_for_a_second_goes_back_in_small_steps) {
    fill(200'000);
    keep_one_of(500);
    const std::size_t before = resident();
    ASSERT_GT(before, 30u << 20);
    look_for(idle_pages::look_ms); // a first look sees a change
    EXPECT_EQ(resident(), before);
    while (!idle.look(heap, now_ms)) {
        now_ms += frame_ms;
        ASSERT_LT(now_ms, 10'000u);
    }
    EXPECT_GT(resident(), before - idle_pages::step_blocks * (256u << 10)) << "a step is small";
    look_for(2000);
    EXPECT_FALSE(idle.look(heap, now_ms));
    EXPECT_LT(resident(), before / 4);
    const std::size_t after = resident();
    fill(100); // a little comes and goes: not again
    look_for(5000);
    EXPECT_GE(resident(), after);
}

TEST_F(idle_pages_of_a_heap, what_is_left_may_be_next_to_nothing) {
    fill(200'000);
    keep_one_of(50'000); // 800 bytes
    const std::size_t before = resident();
    look_for(5000);
    EXPECT_LT(resident(), before / 4);
}

TEST_F(idle_pages_of_a_heap, the_next_step_may_follow_at_once_until_all_has_gone) {
    fill(200'000);
    keep_one_of(500);
    const std::size_t before = resident();
    while (!idle.look(heap, now_ms)) {
        now_ms += frame_ms;
        ASSERT_LT(now_ms, 10'000u);
    }
    int steps = 1;
    for (std::size_t last = resident(); idle.look(heap, now_ms); ++steps) { // time stands still
        ASSERT_LT(steps, 1000);
        EXPECT_LE(last - resident(), idle_pages::step_blocks * (256u << 10));
        last = resident();
    }
    EXPECT_GT(steps, 8);
    EXPECT_LT(resident(), before / 4);
}

TEST_F(idle_pages_of_a_heap, a_return_ends_where_the_program_comes_back) {
    fill(400'000);
    keep_one_of(500);
    while (!idle.look(heap, now_ms)) {
        now_ms += frame_ms;
        ASSERT_LT(now_ms, 10'000u);
    }
    fill(20'000);
    const std::size_t before = resident();
    EXPECT_FALSE(idle.look(heap, now_ms));
    look_for(20 * frame_ms);
    EXPECT_GE(resident(), before);
}

TEST_F(idle_pages_of_a_heap, nothing_goes_back_while_use_changes_or_most_is_used) {
    fill(200'000);
    const std::size_t before = resident();
    look_for(5000);
    EXPECT_EQ(resident(), before) << "all is in use";
    for (int round = 0; round < 8; ++round) {
        keep_one_of(10);
        look_for(idle_pages::look_ms);
        fill(200'000 - live.size());
        look_for(idle_pages::look_ms);
        EXPECT_FALSE(idle.look(heap, now_ms));
    }
    EXPECT_GE(resident(), before);
}

TEST_F(idle_pages_of_a_heap, little_is_not_worth_it) {
    fill(3'000); // less than a MiB is held
    keep_one_of(100);
    const std::size_t before = resident();
    look_for(5000);
    EXPECT_EQ(resident(), before);
}

TEST_F(idle_pages_of_a_heap, where_memory_is_wanted_again_it_waits_longer) {
    std::uint64_t waited[3] = {};
    for (std::uint64_t& ms : waited) {
        fill(200'000 - live.size());
        look_for(3 * idle_pages::look_ms);
        keep_one_of(500);
        const std::uint64_t begin = now_ms;
        while (!idle.look(heap, now_ms)) {
            now_ms += frame_ms;
            ASSERT_LT(now_ms - begin, 60'000u);
        }
        ms = now_ms - begin;
        look_for(2000);
    }
    EXPECT_GT(waited[1], waited[0] + idle_pages::look_ms);
    EXPECT_GT(waited[2], waited[1] + 2 * idle_pages::look_ms);
}

/// Rises by a third, far below a quarter of what is held: unasked that is taken for coming back.
TEST_F(idle_pages_of_a_heap, unasked_it_waits_longer_at_any_rise) {
    using detail::who_asks;
    fill(400'000);
    keep_one_of(20);
    std::uint64_t waited[3] = {};
    for (std::uint64_t& ms : waited) {
        const std::uint64_t begin = now_ms;
        while (!idle.look(heap, now_ms, who_asks::heap)) {
            now_ms += frame_ms;
            ASSERT_LT(now_ms - begin, 60'000u);
        }
        ms = now_ms - begin;
        for (const std::uint64_t end = now_ms + 2000; now_ms < end; now_ms += frame_ms)
            idle.look(heap, now_ms, who_asks::heap);
        fill(live.size() / 3);
    }
    EXPECT_GT(waited[1], waited[0] + idle_pages::look_ms);
    EXPECT_GT(waited[2], waited[1] + 2 * idle_pages::look_ms);
}

TEST(idle_pages_elsewhere, nothing_is_due_where_the_upstream_takes_no_pages_back) {
    malloc_resource upstream;
    slab_heap heap{detail::block_options{}, upstream, detail::heap_owner{}};
    idle_pages idle;
    std::vector<void*> all;
    for (int i = 0; i < 50'000; ++i)
        all.push_back(heap.try_allocate(bytes, 8));
    for (std::size_t i = 1; i < all.size(); ++i)
        heap.deallocate(all[i], bytes, 8);
    for (std::uint64_t now_ms = 1000; now_ms < 10'000; now_ms += frame_ms)
        ASSERT_FALSE(idle.look(heap, now_ms)) << now_ms;
    heap.deallocate(all[0], bytes, 8);
}

} // namespace
