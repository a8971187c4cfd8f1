// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Failures around a compacting_heap: memory that is refused, code of the user that throws,
// misuse.

#include <arenite/handle/compacting_heap.hpp>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <vector>

namespace {

using namespace arenite;
using end = compaction_step::end;

struct node {
    handle<node> next;
    std::uint64_t value = 0;
    std::uint64_t more[4] = {};
};

std::vector<handle<node>> make_nodes(compacting_heap& heap, std::size_t count) {
    std::vector<handle<node>> all;
    for (std::size_t i = 0; i < count; ++i) {
        all.push_back(heap.make<node>());
        all.back()->value = i;
    }
    return all;
}

/// One list of all of them, in an order that has nothing to do with their places.
void link(std::vector<handle<node>>& all) {
    std::shuffle(all.begin(), all.end(), std::mt19937{1});
    for (std::size_t i = 0; i + 1 < all.size(); ++i)
        all[i]->next = all[i + 1];
    all.back()->next = {};
}

std::size_t rising(const std::vector<handle<node>>& all) {
    std::size_t n = 0;
    for (std::size_t i = 1; i < all.size(); ++i)
        n += all[i - 1].get() < all[i].get() ? 1u : 0u;
    return n;
}

#if ARENITE_EXCEPTIONS
TEST(compacting_heap, a_constructor_that_throws_leaves_nothing) {
    struct thrower {
        explicit thrower(bool now) {
            if (now)
                throw std::runtime_error{"no"};
        }
        std::byte bytes[400] = {};
    };
    compacting_heap heap;
    const handle<thrower> a = heap.make<thrower>(false);
    const usage before = heap.usage();
    EXPECT_THROW(static_cast<void>(heap.make<thrower>(true)), std::runtime_error);
    EXPECT_THROW(static_cast<void>(heap.try_make<thrower>(true)), std::runtime_error);
    EXPECT_EQ(heap.usage().bytes_in_use, before.bytes_in_use);
    EXPECT_EQ(heap.usage().live_allocations, 1u);
    EXPECT_TRUE(heap.step().finished()); // it is not taken to be within a constructor
    EXPECT_TRUE(a);
}

TEST(compacting_heap, an_order_that_throws_ends_the_step_and_no_more) {
    compacting_heap heap;
    auto all = make_nodes(heap, 100);
    link(all);
    std::size_t i = 0;
    const auto next = [&]() -> handle<node>* {
        if (i == 50)
            throw std::runtime_error{"no"};
        return &all[i++];
    };
    EXPECT_THROW(static_cast<void>(heap.step(next)), std::runtime_error);
    for (const handle<node>& h : all)
        EXPECT_TRUE(h);
    EXPECT_TRUE(heap.step(all).finished());
}

TEST(compacting_heap, make_throws_where_there_is_no_memory_and_try_make_does_not) {
    support::counting_resource up;
    up.fail_after(0);
    compacting_heap heap{{}, &up};
    EXPECT_THROW(static_cast<void>(heap.make<node>()), out_of_memory);
    EXPECT_FALSE(heap.try_make<node>());
    EXPECT_EQ(heap.usage(), usage{});
    up.never_fail();
    EXPECT_TRUE(heap.try_make<node>());
}
#endif

TEST(compacting_heap, a_refusal_at_any_call_loses_and_changes_nothing) {
    for (std::size_t n = 0; n < 24; ++n) {
        SCOPED_TRACE(n);
        support::counting_resource up;
        up.fail_once_after(n);
        compacting_heap heap{{.policy = return_policy::return_all}, &up};
        std::vector<handle<node>> all;
        while (all.size() < 40'000) {
            if (const handle<node> h = heap.try_make<node>()) {
                h->value = all.size();
                all.push_back(h);
            }
        }
        for (std::size_t i = all.size(); i-- > 0;)
            if (i % 3 != 0)
                heap.destroy(all[i]);
        std::vector<handle<node>> order;
        for (std::size_t i = all.size() / 3; i-- > 0;)
            order.push_back(all[3 * i]);
        const compaction_step done = heap.step(order);
        EXPECT_NE(done.why, end::budget_spent);
        static_cast<void>(heap.step());
        for (std::size_t i = 0; i < all.size(); ++i) {
            ASSERT_EQ(static_cast<bool>(all[i]), i % 3 == 0);
            if (i % 3 == 0) {
                ASSERT_EQ(all[i]->value, i);
            }
        }
    }
}

TEST(compacting_heap, a_step_says_that_an_order_has_no_memory) {
    support::counting_resource up;
    compacting_heap heap{{}, &up};
    auto all = make_nodes(heap, 30'000);
    link(all);
    up.fail_after(0);
    const compaction_step done = heap.step(all);
    EXPECT_EQ(done.why, end::no_memory);
    for (const handle<node>& h : all)
        ASSERT_TRUE(h);
    up.never_fail();
    EXPECT_TRUE(heap.step(all).finished());
    EXPECT_GT(rising(all), all.size() - 10);
}

// ---- misuse -------------------------------------------------------------------------------------

struct stepper {
    explicit stepper(compacting_heap& h, int where) : heap{&h}, steps_when{where} {
        if (steps_when == 0)
            static_cast<void>(h.step());
    }
    stepper(stepper&& other) noexcept : heap{other.heap}, steps_when{other.steps_when} {
        if (steps_when == 2)
            static_cast<void>(heap->make<int>(1));
    }
    ~stepper() {
        if (steps_when == 1)
            static_cast<void>(heap->step());
    }
    void relocated(const void*) noexcept {
        if (steps_when == 3)
            static_cast<void>(heap->step());
        if (steps_when == 4)
            heap->trim();
        if (steps_when == 5)
            heap->end_order();
    }
    compacting_heap* heap;
    int steps_when;
};

TEST(compacting_heap_death, a_step_is_not_called_from_within) {
    compacting_heap heap;
    EXPECT_DEATH(static_cast<void>(heap.make<stepper>(heap, 0)), "a step is called within a con");
    EXPECT_DEATH(heap.destroy(heap.make<stepper>(heap, 1)), "a step is called within a con");
    const auto move = [&](int when) {
        const std::vector<handle<stepper>> order{heap.make<stepper>(heap, when)};
        static_cast<void>(heap.step(order));
    };
    EXPECT_DEATH(move(2), "make is called within a step");
    EXPECT_DEATH(move(3), "a step is called within a con");
    EXPECT_DEATH(move(4), "trim is called within a step of the heap");
    EXPECT_DEATH(move(5), "end_order is called within a step of the heap");
}

TEST(compacting_heap_death, an_order_of_visits_does_not_change_the_heap) {
    compacting_heap heap;
    const handle<node> a = heap.make<node>();
    const auto step = [&](auto within) {
        static_cast<void>(heap.step([&]() -> const handle<node>* {
            within();
            return nullptr;
        }));
    };
    EXPECT_DEATH(step([&] { static_cast<void>(heap.make<node>()); }),
                 "make is called within a step of the heap");
    EXPECT_DEATH(step([&] { heap.destroy(a); }), "destroy is called within a step of the heap");
    EXPECT_DEATH(step([&] { heap.trim(); }), "trim is called within a step of the heap");
    EXPECT_DEATH(step([&] { heap.end_order(); }), "end_order is called within a step of the heap");
}

TEST(compacting_heap_death, for_each_makes_nothing_and_moves_nothing) {
    compacting_heap heap;
    const auto all = make_nodes(heap, 10);
    const auto visit = [&](auto within) { heap.for_each<node>([&](node&) { within(); }); };
    EXPECT_DEATH(visit([&] { static_cast<void>(heap.make<node>()); }),
                 "make is called within for_each");
    EXPECT_DEATH(visit([&] { static_cast<void>(heap.step()); }),
                 "a step is called within for_each");
    EXPECT_DEATH(visit([&] { static_cast<void>(heap.step(all)); }),
                 "a step is called within for_each");
    EXPECT_DEATH(visit([&] { heap.trim(); }), "trim is called within for_each");
    visit([&] { visit([] {}); });
    EXPECT_TRUE(heap.make<node>()) << "and when it is over they may be called";
#if ARENITE_EXCEPTIONS
    EXPECT_THROW(visit([] { throw 1; }), int);
    EXPECT_TRUE(heap.step().finished());
#endif
}

TEST(compacting_heap_death, what_is_pinned_is_not_destroyed) {
    compacting_heap heap;
    const handle<node> a = heap.make<node>();
    const pinned<node> pin = a.pin();
    EXPECT_DEATH(heap.destroy(a), "a pinned object is to be destroyed");
}

TEST(compacting_heap_death, handles_of_another_heap_are_found) {
    compacting_heap mine;
    compacting_heap other;
    const handle<node> a = other.make<node>();
    const std::vector<handle<node>> order{a};
    EXPECT_DEATH(mine.destroy(a), "a handle of another heap is to be destroyed");
    EXPECT_DEATH(static_cast<void>(mine.step(order)), "has a handle of another heap");
}

} // namespace
