// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/detail/remote_frees.hpp>

#include <arenite/os/page_resource.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
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

} // namespace
