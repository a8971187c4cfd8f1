// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/handle/pinned.hpp>

#include <arenite/handle/compacting_heap.hpp>

#include <gtest/gtest.h>

#include <cstddef>
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

TEST(pinned, assignment_lets_the_old_object_go_at_once) {
    compacting_heap heap;
    const handle<node> a = heap.make<node>(node{1});
    const handle<node> b = heap.make<node>(node{2});
    pinned<node> one = a.pin();
    pinned<node> two = b.pin();
    one = std::move(two);
    EXPECT_FALSE(two);
    EXPECT_EQ(one->value, 2);
    EXPECT_TRUE(heap.destroy(a)); // though `two` still lives
    pinned<node>& same = one;
    one = std::move(same);
    EXPECT_EQ(one->value, 2);
    one = {};
    EXPECT_TRUE(heap.destroy(b));
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

template <std::size_t Bytes>
struct owner {
    struct part {
        part(const handle<owner>& w, int& s) : whole{w}, seen{&s} {}
        handle<owner> whole;
        int* seen;
        ~part() {
            if (const pinned<owner> pin = whole.pin())
                *seen = pin->value;
        }
    };
    explicit owner(compacting_heap& h) : heap{&h} {}
    compacting_heap* heap;
    handle<part> its;
    int value = 7;
    std::byte more[Bytes] = {};
    ~owner() {
        const pinned<owner> one = handle_of(*this).pin();
        pinned<owner> two = handle_of(*this).pin();
        two = {};
        heap->destroy(its);
    }
};

template <std::size_t Bytes>
void end_one_that_is_pinned_while_it_ends() {
    using whole = owner<Bytes>;
    compacting_heap heap;
    std::vector<handle<node>> all;
    for (int i = 0; i < 100; ++i)
        all.push_back(heap.make<node>(node{i}));
    int seen = 0;
    const handle<whole> a = heap.make<whole>(heap);
    a->its = heap.make<typename whole::part>(a, seen);
    EXPECT_TRUE(heap.destroy(a));
    EXPECT_EQ(seen, 7); // it was there until its destructor had ended
    EXPECT_FALSE(a);
    EXPECT_FALSE(a.pin());
    EXPECT_EQ(heap.usage().live_allocations, all.size());
    EXPECT_EQ(heap.step(std::vector(all.rbegin(), all.rend())).moves, all.size());
    for (int i = 0; i < 100; ++i)
        EXPECT_EQ(all[static_cast<std::size_t>(i)]->value, i);
}

TEST(pinned, an_object_may_be_pinned_while_its_destructor_runs) {
    end_one_that_is_pinned_while_it_ends<1>();
    end_one_that_is_pinned_while_it_ends<(1 << 20)>(); // a large one
}

TEST(pinned_death, a_pin_does_not_outlive_the_destructor_in_which_it_was_made) {
    struct leaver {
        explicit leaver(std::optional<pinned<leaver>>& o) : out{&o} {}
        std::optional<pinned<leaver>>* out;
        ~leaver() { out->emplace(handle_of(*this).pin()); }
    };
    compacting_heap heap;
    std::optional<pinned<leaver>> pin;
    EXPECT_DEATH((heap.destroy(heap.make<leaver>(pin)), pin.reset()),
                 "what is to be unpinned is not pinned");
}

TEST(pinned_death, the_end_of_the_heap_is_noticed) {
    if constexpr (!checks_enabled)
        GTEST_SKIP() << "only checked builds look";
    std::optional<compacting_heap> heap{std::in_place};
    const pinned<node> pin = heap->make<node>().pin();
    EXPECT_DEATH(heap.reset(), "ends while an object of it is pinned");
}

} // namespace
