// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/handle/handle.hpp>

#include <arenite/handle/compacting_heap.hpp>
#include <arenite/handle/relocatable_ptr.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <optional>
#include <thread>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

namespace {

using namespace arenite;

struct node {
    explicit node(int v = 0) : value{v} {}
    int value;
    handle<node> next;
};

static_assert(std::is_trivially_copyable_v<handle<node>>);
static_assert(sizeof(handle<int>) <= 16 && std::is_trivially_copyable_v<handle<int>>);
static_assert(std::is_convertible_v<handle<node>, handle<const node>>);
static_assert(!std::is_convertible_v<handle<const node>, handle<node>>);
static_assert(!std::is_convertible_v<handle<node>, handle<int>>);

constinit handle<node> of_nothing;

TEST(handle, one_to_nothing_says_so) {
    EXPECT_EQ(of_nothing.get(), nullptr);
    EXPECT_FALSE(of_nothing);
    EXPECT_FALSE(of_nothing.pin());
    EXPECT_EQ(of_nothing, handle<node>{});
}

TEST(handle, copies_lead_to_the_same_object_and_are_equal_when_it_is_dead) {
    compacting_heap heap;
    const handle<node> a = heap.make<node>(5);
    const handle<node> b = a;
    const handle<const node> c = a;
    EXPECT_EQ(a, b);
    EXPECT_EQ(a->value, 5);
    EXPECT_EQ(&*c, a.get());
    EXPECT_NE(a, heap.make<node>());
    EXPECT_EQ((std::unordered_set<handle<node>>{a, b}.size()), 1u);
    EXPECT_TRUE(heap.destroy(b));
    EXPECT_EQ(a.get(), nullptr);
    EXPECT_EQ(c.get(), nullptr);
    EXPECT_EQ(a, b);
}

TEST(handle, one_to_a_dead_object_does_not_find_the_next_in_its_place) {
    compacting_heap heap;
    const handle<node> before = heap.make<node>(1);
    const void* const place = before.get();
    heap.destroy(before);
    handle<node> after;
    for (int i = 0; i < 100 && after.get() != place; ++i) // the cursor goes on before it comes back
        after = heap.make<node>(2);
    EXPECT_FALSE(before);
}

TEST(handle, an_object_may_have_its_own_address_of) {
    struct shy {
        int value = 7;
        shy* operator&() = delete;             // NOLINT(google-runtime-operator)
        const shy* operator&() const = delete; // NOLINT(google-runtime-operator)
    };
    compacting_heap heap;
    const handle<shy> a = heap.make<shy>();
    const relocatable_ptr<shy> b = a;
    EXPECT_EQ(a->value, 7);
    EXPECT_EQ(b->value, 7);
    EXPECT_EQ(a.pin()->value, 7);
    EXPECT_EQ(handle_of(*a), a);
    EXPECT_TRUE(heap.step(std::array{a}).finished());
    EXPECT_TRUE(heap.step().finished());
}

TEST(handle_threads, const_handles_are_read_by_many_at_once) {
    compacting_heap heap;
    std::vector<handle<node>> all;
    for (int i = 0; i < 20'000; ++i)
        all.push_back(heap.make<node>(i));
    for (std::size_t i = 0; i < all.size(); ++i)
        if (i % 10 != 0)
            heap.destroy(all[i]);
    std::vector<relocatable_ptr<node>> pointers;
    for (std::size_t i = 0; i < all.size(); i += 10)
        pointers.push_back(all[i]);
    EXPECT_TRUE(heap.step().finished()); // so that all must be looked up, and remembered
    const auto sum = [&] {
        long long of_handles = 0;
        long long of_pointers = 0;
        for (const handle<node>& h : all)
            of_handles += h ? h->value : 0;
        for (const relocatable_ptr<node>& p : pointers)
            of_pointers += p->value;
        return of_handles == of_pointers ? of_handles : -1;
    };
    long long sums[4] = {};
    std::vector<std::thread> threads;
    for (long long& s : sums)
        threads.emplace_back([&] { s = sum(); });
    for (std::thread& t : threads)
        t.join();
    for (const long long s : sums)
        EXPECT_EQ(s, 2000ll * 19'990 / 2);
}

TEST(handle, handle_of_an_object_leads_back_to_it) {
    compacting_heap heap;
    const handle<node> a = heap.make<node>(5);
    EXPECT_EQ(handle_of(*a), a);
    const node& constant = *a;
    EXPECT_EQ(handle_of(constant), handle<const node>{a});
    struct self_aware {
        self_aware() : self{handle_of(*this)} {}
        handle<self_aware> self;
    };
    const handle<self_aware> s = heap.make<self_aware>(); // already in its constructor
    EXPECT_EQ(s->self, s);
    struct alignas(64) page {
        std::byte bytes[1 << 19];
    };
    const handle<page> large = heap.make<page>();
    EXPECT_EQ(handle_of(*large), large);
}

TEST(handle, one_to_a_large_object_is_good_after_its_memory_went_back) {
    struct image {
        std::byte pixels[64 << 20];
    };
    compacting_heap heap;
    const handle<image> made = heap.make<image>();
    const handle<image> of_object = handle_of(*made);
    const handle<const image> of_const = handle_of(std::as_const(*made));
    const handle<image> of_pointer = relocatable_ptr<image>{made}.handle();
    const void* const place = made.get();
    EXPECT_EQ(of_object.get(), place);
    EXPECT_EQ(of_pointer.get(), place);
    EXPECT_TRUE(heap.destroy(made));
    heap.trim(); // where it lay nothing is mapped now
    EXPECT_FALSE(heap.owns(place));
    EXPECT_EQ(of_object.get(), nullptr);
    EXPECT_EQ(of_const.get(), nullptr);
    EXPECT_EQ(of_pointer.get(), nullptr);
    EXPECT_EQ(made.get(), nullptr);
}

TEST(handle_death, a_dead_object_is_not_used) {
    if constexpr (!checks_enabled)
        GTEST_SKIP() << "only checked builds look";
    compacting_heap heap;
    const handle<node> a = heap.make<node>(5);
    heap.destroy(a);
    EXPECT_DEATH(static_cast<void>(a->value), "the object of this handle is dead");
}

TEST(handle_death, one_is_not_used_after_the_end_of_its_heap) {
    if constexpr (!checks_enabled)
        GTEST_SKIP() << "only checked builds look";
    std::optional<compacting_heap> heap{std::in_place};
    const handle<node> a = heap->make<node>(5);
    heap.reset();
    EXPECT_DEATH(static_cast<void>(a.get()), "the compacting_heap of this handle is gone");
}

TEST(handle_death, handle_of_takes_objects_of_a_heap) {
    if constexpr (!checks_enabled)
        GTEST_SKIP() << "only checked builds look";
    std::array<node, 2> mine;
    EXPECT_DEATH(static_cast<void>(handle_of(mine[1])),
                 "handle_of takes an object of a compacting");
}

} // namespace
