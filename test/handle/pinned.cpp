// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/handle/pinned.hpp>

#include <arenite/handle/compacting_heap.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using namespace arenite;

struct node {
    int value = 0;
};

static_assert(std::is_nothrow_move_constructible_v<pinned<node>>);
static_assert(std::is_nothrow_move_assignable_v<pinned<node>>);
static_assert(!std::is_copy_constructible_v<pinned<node>>);

TEST(pinned, pins_are_counted) {
    compacting_heap heap;
    const handle<node> a = heap.make<node>(node{5});
    pinned<node> one = a.pin();
    {
        const pinned<node> two = a.pin();
        EXPECT_EQ(two.get(), one.get());
        pinned<node> three = std::move(one);
        one = std::move(three);
    }
    EXPECT_EQ(one->value, 5);
    one = {};
    EXPECT_TRUE(heap.destroy(a));
    EXPECT_FALSE(a.pin());
}

TEST(pinned, an_object_moves_again_when_the_last_pin_is_gone) {
    compacting_heap heap;
    std::vector<handle<node>> all;
    for (int i = 0; i < 1000; ++i)
        all.push_back(heap.make<node>(node{i}));
    std::swap(all.front(), all.back());
    std::optional<pinned<node>> one{all[0].pin()};
    std::optional<pinned<node>> two{all[0].pin()};
    const void* const place = one->get();
    const std::vector<handle<node>> order(all.rbegin(), all.rend());
    EXPECT_EQ(heap.step(order).moves, 999u);
    one.reset();
    EXPECT_EQ(heap.step(std::vector{all[0]}).moves, 0u);
    EXPECT_EQ(all[0].get(), place);
    two.reset();
    EXPECT_EQ(heap.step(std::vector{all[0]}).moves, 1u);
    EXPECT_NE(all[0].get(), place);
    EXPECT_EQ(all[0]->value, 999);
}

TEST(pinned_death, the_end_of_the_heap_is_noticed) {
    if constexpr (!checks_enabled)
        GTEST_SKIP() << "only checked builds look";
    std::optional<compacting_heap> heap{std::in_place};
    const pinned<node> pin = heap->make<node>().pin();
    EXPECT_DEATH(heap.reset(), "ends while an object of it is pinned");
}

} // namespace
