// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/detail/remote_frees.hpp>

#include <arenite/os/page_resource.hpp>

#include <gtest/gtest.h>

using namespace arenite;
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

} // namespace
