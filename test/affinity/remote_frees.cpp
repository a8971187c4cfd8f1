// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/affinity/detail/remote_frees.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/os/page_resource.hpp>

#include <gtest/gtest.h>

#include "support/failing_calls.hpp"
#include "support/thread_slabs.hpp"

#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

using namespace arenite;
using detail::queued_blocks;
using detail::remote_frees;

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

TEST(queued_blocks, takes_the_oldest_first_however_many_at_a_time) {
    constexpr std::size_t all = 1000;
    for (const std::size_t most : {1u, 7u, 32u, 1000u, 5000u}) {
        std::vector<remote_frees> blocks(all);
        queued_blocks queue;
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
                EXPECT_EQ(&r, &blocks[next++ % all]);
                EXPECT_FALSE(r.queued.load());
                ++seen;
                push(); // the same one, as who frees into it at once
                return !HasFailure();
            });
            ASSERT_FALSE(HasFailure());
            EXPECT_LE(seen, std::min(most, all));
            EXPECT_NE(seen, 0u);
        }
        queue.take(0, [](remote_frees&) {
            ADD_FAILURE();
            return true;
        });
        std::size_t left = 0;
        queue.clear([&](remote_frees&) { ++left; });
        EXPECT_EQ(left, all);
        EXPECT_TRUE(queue.is_empty());
    }
}

TEST(queued_blocks, are_taken_until_it_is_said_to_be_enough) {
    std::vector<remote_frees> blocks(10);
    queued_blocks queue;
    for (remote_frees& r : blocks)
        queue.push(r);
    std::size_t seen = 0;
    for (const std::size_t until : {3u, 4u, 10u}) {
        queue.take(100, [&](remote_frees& r) {
            EXPECT_EQ(&r, &blocks[seen]);
            return ++seen != until;
        });
        EXPECT_EQ(seen, until) << "those that were pushed, and those that were taken before";
    }
    EXPECT_TRUE(queue.is_empty());
}

#if CALLS_CAN_FAIL
TEST(remote_frees_threads, without_memory_for_bits_what_was_freed_is_not_counted_either) {
    if (!support::threads_have_slabs())
        GTEST_SKIP() << "no thread marks what another frees";
    affinity_heap& h = affinity_heap::named("no bits");
    std::vector<void*> all;
    for (int i = 0; i < 8 * 300; ++i) // in more blocks than one piece of memory has bits for
        all.push_back(h.allocate(30'000, 8));
    std::thread{[&] {
        const support::failing_calls none{0};
        std::vector<void*> held; // whatever pages may still be had without a call
        while (void* const p = page_source().try_allocate(64_KiB, 64_KiB))
            held.push_back(p);
        for (void* p : all)
            h.deallocate(p, 30'000, 8);
        for (void* p : held)
            page_source().deallocate(p, 64_KiB, 64_KiB);
    }}.join();
    EXPECT_EQ(remote_frees::find(remote_frees::head_of(all.back())), nullptr);
    EXPECT_EQ(h.usage().live_allocations, 0u);
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
    h.trim();
    EXPECT_EQ(h.usage().live_allocations, 0u);
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
    EXPECT_EQ(h.usage().bytes_reserved, 0u);
}
#endif

} // namespace
