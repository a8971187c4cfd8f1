// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/detail/affinity_shares.hpp>

#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/affinity/detail/affinity_share.hpp>
#include <arenite/check/passthrough.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

using namespace arenite;
using detail::affinity_share;
using detail::affinity_shares;
using detail::share_kind;

namespace {

/// Stand for threads.
int one = 0;
int other = 0;

affinity_share& made(affinity_shares& home, const void* thread,
                     share_kind kind = share_kind::ordered) {
    affinity_share* const s = affinity_share::make(home, {nullptr, "shares apart"}, 63, {}, kind);
    EXPECT_TRUE(s->adopt(thread));
    home.add(*s);
    return *s;
}

TEST(affinity_shares, what_a_thread_left_the_next_one_of_its_kind_has) {
    affinity_shares shares;
    EXPECT_EQ(shares.adopt(share_kind::ordered, &one), nullptr);
    affinity_share& s = made(shares, &one);
    EXPECT_FALSE(shares.has_orphans());
    EXPECT_EQ(shares.adopt(share_kind::ordered, &other), nullptr);
    shares.abandon(s);
    EXPECT_TRUE(shares.has_orphans());
    EXPECT_EQ(shares.adopt(share_kind::slots, &other), nullptr);
    EXPECT_EQ(shares.adopt(share_kind::ordered, &other), &s);
    EXPECT_TRUE(s.is_mine(&other));
    EXPECT_FALSE(shares.has_orphans());
    shares.abandon(s);
}

TEST(affinity_shares, two_empty_ones_wait_and_further_ones_serve_other_affinities_and_kinds) {
    affinity_shares shares;
    std::vector<affinity_share*> all;
    for (int i = 0; i < 5; ++i)
        all.push_back(&made(shares, &one));
    for (affinity_share* s : all)
        shares.abandon(*s);
    EXPECT_EQ(shares.count(), 2u);
    affinity_shares others;
    for (const share_kind kind : {share_kind::slots, share_kind::intrusive, share_kind::ordered}) {
        affinity_share& s = made(others, &other, kind);
        EXPECT_NE(std::find(all.begin(), all.end(), &s), all.end());
        EXPECT_EQ(s.kind(), kind);
        EXPECT_EQ(&s.home(), &others);
    }
}

TEST(affinity_shares, one_that_holds_something_waits) {
    affinity_shares shares;
    std::vector<affinity_share*> all;
    std::vector<void*> objects;
    for (int i = 0; i < 5; ++i) {
        all.push_back(&made(shares, &one));
        objects.push_back(all.back()->try_allocate(40, 8));
    }
    for (affinity_share* s : all)
        shares.abandon(*s);
    EXPECT_EQ(shares.count(), 5u);
    for (std::size_t i = 0; i < 5; ++i) { // borrowed
        ASSERT_TRUE(all[i]->adopt(&other));
        all[i]->deallocate(objects[i], 40, 8);
        shares.end_borrowing(*all[i], true);
    }
    EXPECT_EQ(shares.count(), 2u);
    shares.retire_empty();
    EXPECT_LE(shares.count(), 2u);
}

TEST(affinity_shares, the_high_water_of_those_retired_is_that_of_their_kind_of_heap) {
    for (const share_kind kind : {share_kind::slots, share_kind::intrusive, share_kind::ordered}) {
        affinity_shares shares;
        std::vector<affinity_share*> all;
        std::size_t most = 0;
        for (int i = 0; i < 5; ++i) {
            affinity_share& s = *all.emplace_back(&made(shares, &one, kind));
            void* const p = s.try_allocate(1000, 8);
            most += s.usage().high_water_bytes;
            s.deallocate(p, 1000, 8);
        }
        EXPECT_GE(most, 5000u);
        for (affinity_share* s : all)
            shares.abandon(*s);
        EXPECT_EQ(shares.count(), 2u);
        EXPECT_EQ(shares.note_high_water(0), most) << "kind " << static_cast<int>(kind);
    }
}

TEST(affinity_shares, none_is_retired_while_they_are_walked) {
    affinity_shares shares;
    std::vector<affinity_share*> all;
    for (int i = 0; i < 5; ++i)
        all.push_back(&made(shares, &one));
    std::size_t seen = 0;
    shares.for_each([&](affinity_share& s) {
        ++seen;
        shares.abandon(s);
    });
    EXPECT_EQ(seen, 5u);
    EXPECT_EQ(shares.count(), 5u);
    shares.retire_empty();
    EXPECT_EQ(shares.count(), 0u);
    EXPECT_FALSE(shares.has_orphans());
}

} // namespace
