// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/freelist/restorable_heap.hpp>

#include <arenite/core/create.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/linear/linear_resource.hpp>

#include <gtest/gtest.h>

#include "support/region_list.hpp"
#include "support/snapshot_address.hpp"
#include "support/sources.hpp"

#include <cstddef>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace arenite;

namespace {

/// An allocation with the bytes that it should hold, in a string: that is copied by one call, where
/// a vector takes one for each byte in an unoptimized build.
struct held {
    std::byte* p;
    std::string contents;
};

/// A heap beside a model of it.
class model {
public:
    explicit model(restorable_heap& heap, unsigned seed) : heap_{heap}, random_{seed} {}

    void step() {
        const unsigned what = random_() % 8;
        if (what < 4 || objects.empty()) {
            const std::size_t bytes = random_() % 50 == 0 ? random_() % 20'000 : random_() % 300;
            void* const p = heap_.try_allocate(bytes, std::size_t{1} << random_() % 8);
            if (p == nullptr)
                return;
            objects.push_back({static_cast<std::byte*>(p), std::string(bytes, '\0')});
            write(objects.back());
        } else {
            std::swap(objects[random_() % objects.size()], objects.back());
            if (what < 6) {
                heap_.deallocate(objects.back().p, objects.back().contents.size());
                objects.pop_back();
            } else {
                write(objects.back());
            }
        }
    }

    void check() const {
        for (const held& h : objects)
            ASSERT_TRUE(h.contents.empty() ||
                        std::memcmp(h.p, h.contents.data(), h.contents.size()) == 0);
        ASSERT_EQ(heap_.usage().live_allocations, objects.size());
    }

    std::vector<held> objects;

private:
    void write(held& h) {
        for (char& b : h.contents)
            b = static_cast<char>(random_());
        if (!h.contents.empty())
            std::memcpy(h.p, h.contents.data(), h.contents.size());
    }

    restorable_heap& heap_;
    std::mt19937 random_;
};

TEST(restorable_heap, what_is_restored_equals_a_copy_a_thousand_random_times) {
    const auto seed = static_cast<unsigned>(support::test_seed("restorable_heap"));
    std::mt19937 random{seed};
    restorable_heap heap{nullptr, 1_MiB};
    ASSERT_STREQ(heap.why_refused(), "");
    model now{heap, seed + 1};
    struct taken {
        heap_snapshot snapshot;
        std::vector<held> objects;
        usage figures;
    };
    std::vector<taken> all;
    for (int restored = 0; restored < 1000;) {
        for (auto n = random() % 60; n > 0; --n)
            now.step();
        if (all.size() < 8 || random() % 2 == 0) {
            taken t{heap.take(), now.objects, heap.usage()};
            ASSERT_TRUE(t.snapshot) << t.snapshot.why();
            if (all.size() < 8)
                all.push_back(std::move(t));
            else
                all[random() % 8] = std::move(t);
        } else {
            const taken& t = all[random() % all.size()];
            ASSERT_TRUE(heap.restore(t.snapshot)) << heap.why_refused();
            now.objects = t.objects;
            ASSERT_EQ(heap.usage(), t.figures);
            ++restored;
        }
        now.check();
    }
}

TEST(restorable_heap, a_resource_inside_it_comes_back_with_it) {
    restorable_heap heap{nullptr, 1_MiB};
    linear_resource& stack = *create<linear_resource>(heap, 64_KiB, upstream{&heap});
    auto* const first = create<int>(stack, 1);
    const heap_snapshot before = heap.take();
    auto* const second = create<int>(stack, 2);
    *first = 10;
    const std::size_t in_use = stack.in_use();
    ASSERT_TRUE(heap.restore(before));
    EXPECT_LT(stack.in_use(), in_use);
    EXPECT_EQ(*first, 1);
    EXPECT_EQ(create<int>(stack, 3), second) << "the place is free again";
    destroy(heap, &stack);
    EXPECT_EQ(heap.usage().live_allocations, 0u);
}

TEST(restorable_heap, says_why_it_has_no_memory_and_refuses_every_request) {
    restorable_heap heap{nullptr, 64_KiB};
    ASSERT_STREQ(heap.why_refused(), "");
    restorable_heap there{heap.address(), 64_KiB};
    EXPECT_STRNE(there.why_refused(), "");
    EXPECT_EQ(there.try_allocate(16), nullptr);
    EXPECT_EQ(there.capacity(), 0u);
    EXPECT_FALSE(there.owns(heap.address()));
    EXPECT_FALSE(there.take());
    EXPECT_FALSE(there.restore(heap.take()));
    EXPECT_EQ(there.root<int>(), nullptr);
    EXPECT_EQ(there.usage(), usage{});
    for (const std::size_t bytes :
         {std::numeric_limits<std::size_t>::max(), std::numeric_limits<std::size_t>::max() / 2}) {
        restorable_heap large{nullptr, bytes};
        EXPECT_STRNE(large.why_refused(), "");
        EXPECT_EQ(large.try_allocate(1), nullptr);
    }
    if constexpr (sizeof(std::size_t) == 8) {
        restorable_heap large{nullptr, (std::size_t{1} << 36) + 1};
        EXPECT_STREQ(large.why_refused(), "it is larger than 64 GiB");
        EXPECT_EQ(large.address(), nullptr);
    }
    restorable_heap odd{static_cast<std::byte*>(heap.address()) + 8, 64_KiB};
    EXPECT_STRNE(odd.why_refused(), "");
    restorable_heap small{nullptr, 0};
    EXPECT_NE(small.try_allocate(100), nullptr) << "some pages are the least";
}

TEST(restorable_heap, an_address_is_free_again_when_the_heap_has_ended) {
    if (support::snapshot_address() == nullptr)
        GTEST_SKIP() << "no address can be chosen here";
    for (int i = 0; i < 3; ++i) {
        restorable_heap heap{support::snapshot_address(), 64_KiB};
        ASSERT_STREQ(heap.why_refused(), "");
        EXPECT_EQ(heap.address(), support::snapshot_address());
        EXPECT_NE(heap.try_allocate(100), nullptr);
    }
}

TEST(restorable_heap, is_full_to_the_last_unit_and_comes_back) {
    restorable_heap heap{nullptr, 64_KiB};
    const heap_snapshot empty = heap.take();
    std::vector<void*> all;
    while (void* const p = heap.try_allocate(16)) {
        std::memset(p, 0x77, 16);
        all.push_back(p);
    }
    const heap_snapshot full = heap.take();
    EXPECT_GT(all.size(), 3800u);
    EXPECT_EQ(heap.usage().largest_hole_bytes, 0u);
    ASSERT_TRUE(heap.restore(empty));
    EXPECT_EQ(heap.usage().live_allocations, 0u);
    EXPECT_NE(heap.try_allocate(60'000), nullptr) << "one hole again";
    ASSERT_TRUE(heap.restore(full));
    for (void* const p : all) {
        EXPECT_EQ(static_cast<unsigned char*>(p)[15], 0x77);
        heap.deallocate(p, 16);
    }
    EXPECT_EQ(support::region_list{heap}.count(region_state::free), 1u);
}

#if defined(GTEST_HAS_DEATH_TEST)
TEST(restorable_heap_death, misuse_is_named_after_a_restore_too) {
    restorable_heap heap{nullptr, 64_KiB, restorable_options{.name = "level"}};
    void* const p = heap.allocate(100);
    const heap_snapshot s = heap.take();
    heap.deallocate(p, 100);
    EXPECT_DEATH(heap.deallocate(p, 100), "restorable_heap level");
    ASSERT_TRUE(heap.restore(s));
    heap.deallocate(p, 100);
    EXPECT_DEATH(heap.deallocate(p, 100), "restorable_heap level");
    int outside = 0;
    EXPECT_DEATH(heap.deallocate(&outside, 4), "restorable_heap level");
}
#endif

} // namespace
