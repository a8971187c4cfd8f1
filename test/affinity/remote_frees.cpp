// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/detail/remote_frees.hpp>

#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/affinity/affinity_strategy.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/os/page_resource.hpp>

#include "support/failing_calls.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

using namespace arenite;
using detail::remote_frees;
using detail::remote_queue;

namespace {

struct a_block {
    a_block()
        : p{page_source().allocate(remote_frees::mask_bytes, remote_frees::mask_bytes)},
          head{*::new(p) detail::block{}} {}
    ~a_block() { page_source().deallocate(p, remote_frees::mask_bytes, remote_frees::mask_bytes); }
    a_block(const a_block&) = delete;
    a_block& operator=(const a_block&) = delete;

    void* p;
    detail::block& head;
};

TEST(remote_frees, one_block_has_one_of_them) {
    a_block one;
    a_block other;
    remote_frees* const r = remote_frees::of(one.head);
    ASSERT_NE(r, nullptr);
    EXPECT_EQ(r->where, &one.head);
    EXPECT_EQ(remote_frees::of(one.head), r);
    EXPECT_NE(remote_frees::of(other.head), r);
}

TEST(remote_frees, marking_twice_is_told) {
    a_block one;
    remote_frees& r = *remote_frees::of(one.head);
    EXPECT_TRUE(r.mark(0, 4));
    EXPECT_TRUE(r.mark(1, 4));
    EXPECT_TRUE(r.mark(0, 8));
    EXPECT_EQ(r.freed[0].load(), 12u);
    EXPECT_EQ(r.freed[1].load(), 4u);
    EXPECT_FALSE(r.mark(0, 8));
    r.freed[0] = r.freed[1] = 0;
}

TEST(remote_frees, the_head_of_a_pointer_is_found_by_masking) {
    a_block one;
    const auto* const begin = static_cast<const std::byte*>(one.p);
    EXPECT_EQ(&remote_frees::head_of(begin + 64), &one.head);
    EXPECT_EQ(&remote_frees::head_of(begin + remote_frees::mask_bytes - 1), &one.head);
    // A large object may begin where a mask does; then its head is one before it.
    EXPECT_EQ(&remote_frees::head_of(begin + remote_frees::mask_bytes), &one.head);
}

TEST(remote_queue, takes_the_oldest_first_however_many_at_a_time) {
    constexpr std::size_t all = 1000;
    for (const std::size_t most : {1u, 7u, 32u, 1000u, 5000u}) {
        std::vector<remote_frees> blocks(all);
        remote_queue queue;
        EXPECT_TRUE(queue.is_empty());
        std::size_t next = 0, pushed = 0;
        const auto push = [&] {
            blocks[pushed % all].queued = true;
            queue.push(blocks[pushed++ % all]);
        };
        while (pushed < all)
            push();
        for (int call = 0; call < 3000; ++call) {
            EXPECT_FALSE(queue.is_empty());
            std::size_t seen = 0;
            queue.take(most, [&](remote_frees& r) {
                ASSERT_EQ(&r, &blocks[next++ % all]);
                EXPECT_FALSE(r.queued.load());
                ++seen;
                push(); // the same one, as who frees into it at once
            });
            EXPECT_LE(seen, std::min(most, all));
            EXPECT_NE(seen, 0u);
        }
        queue.take(0, [](remote_frees&) { FAIL(); });
        std::size_t left = 0;
        queue.clear([&](remote_frees&) { ++left; });
        EXPECT_EQ(left, all);
        EXPECT_TRUE(queue.is_empty());
    }
}

#if CALLS_CAN_FAIL
// All addresses of the page source are taken, and the system has no more, when another thread
// frees: what it frees is no longer in use, and it is its own thread's again later.
TEST(remote_frees_threads, what_is_freed_without_memory_for_bits_is_counted_at_once) {
    if (passthrough() || affinity_strategy_name() != "ordered")
        GTEST_SKIP() << "there are no bits";
    constexpr std::size_t count = 80'000; // in more blocks than bits are made for at once
    constexpr std::size_t bytes = 1000;
    affinity_heap& h = affinity_heap::named("without bits");
    std::vector<void*> objects;
    for (std::size_t i = 0; i < count; ++i)
        objects.push_back(h.allocate(bytes, 8));
    std::atomic<int> step{0};
    std::thread other{[&] {
        while (step.load() < 1)
            std::this_thread::yield();
        for (std::size_t i = 0; i < count; i += 2)
            h.deallocate(objects[i], bytes, 8);
        step.store(2);
    }};
    struct memory {
        void* p;
        std::size_t bytes;
    };
    static std::array<memory, 10'000> taken;
    std::size_t n = 0;
    usage then;
    {
        const support::failing_calls all{0};
        for (const std::size_t size : {std::size_t{1} << 20, page_resource::unit_bytes})
            while (n < taken.size() && (taken[n].p = page_source().try_allocate(size)) != nullptr)
                taken[n++].bytes = size;
        step.store(1);
        while (step.load() < 2)
            std::this_thread::yield();
        then = h.usage();
    }
    ASSERT_LT(n, taken.size());
    EXPECT_EQ(then.live_allocations, count / 2);
    EXPECT_LE(then.bytes_in_use, count / 2 * 1024);
    other.join();
    for (std::size_t i = 0; i < n; ++i)
        page_source().deallocate(taken[i].p, taken[i].bytes);
    for (std::size_t i = 0; i < count; i += 2)
        objects[i] = h.allocate(bytes, 8);
    EXPECT_EQ(h.usage().live_allocations, count);
    for (void* const p : objects)
        h.deallocate(p, bytes, 8);
    h.trim();
    EXPECT_EQ(h.usage().live_allocations, 0u);
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
    EXPECT_EQ(h.usage().bytes_reserved, 0u);
}
#endif

} // namespace
