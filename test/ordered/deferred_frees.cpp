// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/ordered/deferred_frees.hpp>

#include <arenite/core/concepts.hpp>
#include <arenite/core/create.hpp>

#include "ordered/heap_test.hpp"

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

using namespace ordered_test;

namespace {

static_assert(Allocating<deferred_frees> && Owning<deferred_frees> && Measurable<deferred_frees>);

class deferred : public heap_test {
protected:
    counting_pages pages;
    ordered_heap heap{known, &pages};
};

TEST_F(deferred, frees_wait_until_there_are_64_or_the_scope_ends) {
    const auto all = take(heap, 200, 48);
    {
        deferred_frees scope{heap};
        for (std::size_t i = 0; i < all.size(); ++i) {
            scope.deallocate(all[i], 48, 8);
            const std::size_t waits = every_call_is_careful ? 0 : (i + 1) % deferred_frees::most;
            EXPECT_EQ(scope.waiting(), waits);
            EXPECT_EQ(heap.usage().live_allocations, all.size() - (i + 1) + scope.waiting());
        }
        EXPECT_EQ(scope.usage(), heap.usage());
    }
    EXPECT_EQ(heap.usage().live_allocations, 0u);
}

TEST_F(deferred, objects_of_every_size_come_back) {
    std::mt19937 random{5};
    for (int round = 0; round < 5; ++round) {
        struct object {
            void* p;
            std::size_t bytes;
            std::size_t alignment;
        };
        std::vector<object> all;
        deferred_frees scope{heap};
        for (int i = 0; i < 20'000; ++i) {
            const std::size_t bytes =
                random() % 100 == 0 ? random() % 100'000 : random() % (i % 2 == 0 ? 100 : 1100);
            const std::size_t alignment = std::size_t{1} << random() % 8;
            void* const p = scope.allocate(bytes, alignment);
            EXPECT_TRUE(scope.owns(p));
            all.push_back({p, bytes, alignment});
            pattern{address_of(p)}.write(p, bytes);
        }
        std::shuffle(all.begin(), all.end(), random);
        for (const object& x : all) {
            ASSERT_TRUE(pattern{address_of(x.p)}.holds(x.p, x.bytes));
            scope.deallocate(x.p, x.bytes, x.alignment);
        }
        scope.flush();
        EXPECT_EQ(scope.waiting(), 0u);
        EXPECT_EQ(heap.usage().live_allocations, 0u);
    }
    heap.trim();
    EXPECT_EQ(pages.live(), 0u);
}

TEST_F(deferred, the_heap_may_be_used_meanwhile) {
    deferred_frees scope{heap};
    const auto all = take(heap, 50, 48);
    for (void* p : all)
        scope.deallocate(p, 48, 8);
    const auto others = take(heap, 50, 48);
    for (void* p : others) {
        const bool waits = std::find(all.begin(), all.end(), p) == all.end();
        EXPECT_TRUE(waits || every_call_is_careful);
    }
    give(heap, others, 48);
    scope.flush();
    EXPECT_EQ(heap.usage().live_allocations, 0u);
}

TEST_F(deferred, destroys_what_a_destructor_reads) {
    struct leaf {
        explicit leaf(int* counter) noexcept : counter_{counter} { ++*counter_; }
        ~leaf() { --*counter_; }
        int* counter_;
    };
    int alive = 0;
    {
        deferred_frees scope{heap};
        std::vector<leaf*> leaves;
        for (int i = 0; i < 1000; ++i)
            leaves.push_back(create<leaf>(heap, &alive));
        EXPECT_EQ(alive, 1000);
        for (leaf* l : leaves)
            destroy(scope, l);
        EXPECT_EQ(alive, 0);
    }
    EXPECT_EQ(heap.usage().live_allocations, 0u);
}

TEST_F(deferred, passes_on_to_malloc_where_all_goes_there) {
    arenite::detail::set_passthrough_for_test(true);
    {
        ordered_heap through{known};
        deferred_frees scope{through};
        for (int i = 0; i < 100; ++i)
            scope.deallocate(through.allocate(48, 8), 48, 8);
        scope.flush();
        EXPECT_EQ(through.usage().live_allocations, 0u);
    }
    arenite::detail::set_passthrough_for_test(false);
}

using deferred_DeathTest = deferred;

TEST_F(deferred_DeathTest, what_is_freed_twice_is_found_at_the_end_of_the_scope) {
    for (const std::size_t count : {10, 20'000}) { // in units, and in pages
        const auto all = take(heap, count, 48);
        EXPECT_DEATH(
            {
                deferred_frees scope{heap};
                scope.deallocate(all.back(), 48, 8);
                scope.deallocate(all.back(), 48, 8);
            },
            "it is free already");
        EXPECT_DEATH(
            {
                deferred_frees scope{heap};
                heap.deallocate(all.back(), 48, 8);
                scope.deallocate(all.back(), 48, 8);
                scope.flush();
            },
            "it is free already");
        EXPECT_DEATH(
            {
                int here = 0;
                deferred_frees scope{heap};
                scope.deallocate(&here, 4, 4);
            },
            "not of this heap");
    }
}

// ---- all at once --------------------------------------------------------------------------------

class resetting : public deferred {};

TEST_F(resetting, nothing_lives_and_all_can_be_had_again) {
    std::mt19937 random{8};
    for (const std::size_t count : {0, 1, 100, 30'000}) {
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t bytes = random() % 200 == 0 ? random() % 600'000 : random() % 900;
            void* const p = heap.allocate(bytes, std::size_t{1} << random() % 7);
            pattern{address_of(p)}.write(p, bytes);
            if (random() % 4 == 0)
                heap.deallocate(heap.allocate(bytes, 8), bytes, 8);
        }
        heap.reset();
        const usage now = heap.usage();
        EXPECT_EQ(now.bytes_in_use, 0u);
        EXPECT_EQ(now.live_allocations, 0u);
        EXPECT_EQ(now.bytes_reserved, pages.live_bytes());
        EXPECT_LE(now.bytes_reserved, 2_MiB) << "what the policy keeps";
    }
    const auto all = take(heap, 50'000, 48);
    EXPECT_EQ(heap.usage().live_allocations, 50'000u);
    give(heap, all, 48);
    EXPECT_EQ(heap.usage().live_allocations, 0u);
    heap.trim();
    EXPECT_EQ(pages.live(), 0u);
}

TEST_F(resetting, remembers_the_most_that_was_in_use) {
    take(heap, 10'000, 48);
    heap.reset();
    EXPECT_EQ(heap.usage().high_water_bytes, 480'000u);
}

TEST_F(resetting, keeps_or_returns_by_the_policy) {
    for (const return_policy policy : {return_policy::return_all, return_policy::retain_all}) {
        ordered_heap other{{.policy = policy}, &pages};
        take(other, 200'000, 48);
        static_cast<void>(other.allocate(1_MiB, 8));
        const std::size_t before = pages.live_bytes();
        other.reset();
        EXPECT_EQ(pages.live_bytes(), policy == return_policy::retain_all ? before : 0u);
        take(other, 200'000, 48);
        EXPECT_LE(pages.live_bytes(), before);
        other.reset();
    }
}

TEST_F(resetting, works_on_any_upstream_and_with_joined_slots) {
    counting_resource up;
    for (const std::size_t block_bytes : {0_B, 4_KiB, 64_KiB}) {
        ordered_heap other{{.block_bytes = block_bytes}, &up};
        take(other, 5'000, 40);
        static_cast<void>(other.allocate(100'000, 8));
        other.reset();
        EXPECT_EQ(other.usage().bytes_in_use, 0u);
        other.trim();
        EXPECT_EQ(up.live(), 0u);
    }
    const auto all = take(heap, 12_MiB / 48, 48);
    for (std::size_t i = 0; i < all.size(); ++i)
        if (i % 10 != 0)
            heap.deallocate(all[i], 48, 8);
    take(heap, 20'000, 64);
    heap.reset();
    EXPECT_EQ(heap.usage().live_allocations, 0u);
    EXPECT_EQ(heap.usage().bytes_in_use, 0u);
    give(heap, take(heap, 12_MiB / 48, 48), 48);
    EXPECT_EQ(heap.usage().live_allocations, 0u);
}

using resetting_DeathTest = resetting;

TEST_F(resetting_DeathTest, what_it_freed_cannot_be_freed_again) {
    for (const std::size_t count : {10, 20'000}) {
        const auto all = take(heap, count, 48);
        EXPECT_DEATH(
            {
                heap.reset();
                heap.deallocate(all.back(), 48, 8);
            },
            "free");
        heap.reset();
    }
}

} // namespace
