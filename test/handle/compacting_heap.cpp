// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/handle/compacting_heap.hpp>

#include <arenite/core/literals.hpp>
#include <arenite/report/memory_map.hpp>

#include <gtest/gtest.h>

#include "support/build_mode.hpp"
#include "support/counting_pages.hpp"
#include "support/counting_resource.hpp"
#include "support/region_list.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <ranges>
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

/// Visits a list; what it holds between two visits is a handle.
struct list_visit {
    handle<node>* head;
    handle<node> at;

    handle<node>* operator()() {
        handle<node>* const h = head != nullptr ? std::exchange(head, nullptr) : &at->next;
        at = *h;
        return at ? h : nullptr;
    }
};

std::size_t rising(const std::vector<handle<node>>& all) {
    std::size_t n = 0;
    for (std::size_t i = 1; i < all.size(); ++i)
        n += all[i - 1].get() < all[i].get() ? 1u : 0u;
    return n;
}

TEST(compacting_heap, asks_for_nothing_before_the_first_object) {
    support::counting_resource up;
    compacting_heap heap{{}, &up};
    EXPECT_TRUE(heap.step().finished());
    heap.trim();
    EXPECT_EQ(heap.usage(), usage{});
    EXPECT_EQ(heap.fragmentation(), 0);
    EXPECT_EQ(up.calls(), 0u);
}

TEST(compacting_heap, ends_the_objects_that_live_when_it_ends) {
    struct counted {
        explicit counted(int& n) : alive{&n} { ++n; }
        counted(counted&& other) noexcept : alive{other.alive} { ++*alive; }
        ~counted() { --*alive; }
        int* alive;
    };
    struct alignas(8192) large : counted {
        using counted::counted;
    };
    int alive = 0;
    {
        compacting_heap heap;
        for (int i = 0; i < 100; ++i)
            static_cast<void>(heap.make<counted>(alive));
        static_cast<void>(heap.make<large>(alive));
        EXPECT_EQ(alive, 101);
    }
    EXPECT_EQ(alive, 0);
}

TEST(compacting_heap, step_empties_blocks_and_gives_them_back) {
    support::counting_pages pages;
    compacting_heap heap{{}, &pages};
    auto all = make_nodes(heap, 100'000);
    const std::size_t before = heap.usage().bytes_reserved;
    std::shuffle(all.begin(), all.end(), std::mt19937{1});
    for (std::size_t i = 0; i < 70'000; ++i)
        heap.destroy(all[i]);
    all.erase(all.begin(), all.begin() + 70'000);
    EXPECT_GT(heap.fragmentation(), 0.6);

    const compaction_step done = heap.step();
    EXPECT_TRUE(done.finished());
    EXPECT_LE(done.moves, all.size());
    EXPECT_EQ(done.bytes, done.moves * sizeof(node));
    EXPECT_LT(heap.usage().bytes_reserved, before);
    EXPECT_LT(heap.fragmentation(), 0.5); // one block is kept
    std::uint64_t sum = 0;
    for (const handle<node>& h : all) {
        ASSERT_TRUE(h);
        sum += h->value;
    }
    std::uint64_t listed = 0;
    heap.for_each<node>([&](node& n) { listed += n.value; });
    EXPECT_EQ(sum, listed);
    EXPECT_EQ(heap.step().moves, 0u); // it stays so
}

TEST(compacting_heap, a_step_ends_at_its_budget_and_goes_on_where_it_ended) {
    compacting_heap heap;
    auto all = make_nodes(heap, 50'000);
    for (std::size_t i = 0; i < all.size(); ++i)
        if (i % 4 != 0)
            heap.destroy(all[i]);
    EXPECT_EQ(heap.step(budget{.moves = 0}).moves, 0u);
    EXPECT_EQ(heap.step(budget{.bytes = 0}).bytes, 0u);
    EXPECT_EQ(heap.step(budget{.nanoseconds = 0}).moves, 0u);
    EXPECT_EQ(heap.step(budget{.moves = 10}).moves, 10u);
    const compaction_step by_bytes = heap.step(budget{.bytes = 1000});
    EXPECT_EQ(by_bytes.why, end::budget_spent);
    EXPECT_GE(by_bytes.bytes, 1000u);
    EXPECT_LT(by_bytes.bytes, 1000u + sizeof(node));
    std::size_t steps = 0;
    while (!heap.step(budget{.bytes = 1_KiB}).finished()) {
        ++steps;
        static_cast<void>(heap.make<node>()); // anything may happen between
        heap.destroy(all[all.size() - 4 * steps % all.size()]);
    }
    EXPECT_GT(steps, 50u);
}

TEST(compacting_heap, an_order_lays_objects_one_behind_the_other) {
    compacting_heap heap;
    auto all = make_nodes(heap, 30'000);
    link(all);
    EXPECT_LT(rising(all), 20'000u);
    handle<node> head = all[0];
    const compaction_step done = heap.step(list_visit{&head, {}});
    EXPECT_TRUE(done.finished());
    EXPECT_EQ(done.moves, all.size());
    EXPECT_GT(rising(all), all.size() - 10); // but from block to block
    // Every handle on the way knows it.
    handle<node>* h = &head;
    for (const void* seen = h->untyped().cached(); *h; seen = h->untyped().cached()) {
        ASSERT_EQ(seen, h->get()); // *h has asked by now
        h = &(*h)->next;
    }
    std::size_t n = 0;
    for (node* at = head.get(); at != nullptr; at = at->next.get())
        ++n;
    EXPECT_EQ(n, all.size());
}

TEST(compacting_heap, what_is_in_order_stays) {
    compacting_heap heap;
    auto all = make_nodes(heap, 30'000);
    link(all);
    EXPECT_EQ(heap.step(all).moves, all.size());
    EXPECT_LT(heap.step(all).moves, 100u);
    const void* const first = all[0].get();
    EXPECT_LT(heap.step(all).moves, 100u);
    EXPECT_EQ(all[0].get(), first);
}

TEST(compacting_heap, an_order_goes_on_across_steps_whatever_happens_between) {
    compacting_heap heap;
    auto all = make_nodes(heap, 20'000);
    link(all);
    handle<node> head = all[0];
    list_visit visit{&head, {}};
    std::size_t steps = 0;
    for (;;) {
        const compaction_step done = heap.step(visit, budget{.moves = 100});
        EXPECT_LE(done.moves, 100u);
        if (done.finished())
            break;
        ++steps;
        static_cast<void>(heap.make<node>());
        // The node after next of the one that was visited last goes.
        handle<node>& before = visit.at->next;
        if (before && before->next) {
            const handle<node> gone = before->next;
            before->next = gone->next;
            heap.destroy(gone);
        }
        static_cast<void>(heap.step(budget{.moves = 10}));
    }
    EXPECT_GT(steps, 150u);
    std::size_t n = 0;
    for (node* at = head.get(); at != nullptr; at = at->next.get())
        ++n;
    EXPECT_EQ(n, all.size() - steps);
}

TEST(compacting_heap, an_order_may_name_anything) {
    compacting_heap heap;
    auto all = make_nodes(heap, 3000);
    link(all);
    heap.destroy(all[5]);
    const pinned<node> pin = all[7].pin();
    std::vector<handle<node>> order(all.begin(), all.begin() + 1000); // ends early
    order.insert(order.begin() + 10, all[9]);                         // twice
    order.push_back({});
    order.insert(order.end(), all.begin(), all.begin() + 1000); // all of it twice
    const compaction_step done = heap.step(order);
    EXPECT_TRUE(done.finished());
    EXPECT_EQ(done.moves, 998u);
    EXPECT_EQ(pin.get(), all[7].get());
    for (std::size_t i = 0; i < all.size(); ++i)
        EXPECT_EQ(static_cast<bool>(all[i]), i != 5);
    EXPECT_TRUE(heap.step(std::vector<handle<node>>{}).finished());
}

TEST(compacting_heap, an_order_may_be_of_values) {
    compacting_heap heap;
    auto all = make_nodes(heap, 3000);
    link(all);
    const auto values =
        std::views::iota(std::size_t{0}, all.size()) |
        std::views::transform([&](std::size_t i) { return all[all.size() - 1 - i]; });
    EXPECT_EQ(heap.step(values).moves, all.size());
    EXPECT_LT(rising(all), 3u);
}

TEST(compacting_heap, the_same_range_again_goes_on_within_one_order) {
    compacting_heap heap;
    auto all = make_nodes(heap, 5000);
    link(all);
    std::size_t moves = 0;
    for (compaction_step s;
         s = heap.step(all, budget{.moves = 700}), moves += s.moves, !s.finished();) {
    }
    EXPECT_EQ(moves, all.size());
    EXPECT_GT(rising(all), all.size() - 3);
}

TEST(compacting_heap, room_bounds_what_is_held_while_ordering) {
    const auto peak = [](double room) {
        compacting_heap heap{{.room = room}};
        auto all = make_nodes(heap, 200'000);
        link(all);
        handle<node> head = all[0];
        list_visit visit{&head, {}};
        double most = 0;
        std::size_t moves = 0;
        for (bool done = false; !done;) {
            const compaction_step s = heap.step(visit, budget{.bytes = 64_KiB});
            done = s.finished();
            moves += s.moves;
            most = std::max(most, 1 / (1 - heap.fragmentation()));
        }
        EXPECT_LT(moves, all.size() * 13 / 10);
        return most;
    };
    EXPECT_LT(peak(1.5), 1.8);
    EXPECT_GT(peak(1e9), 1.9);
}

// The holes that what goes leaves among what stays in order are not to add up.
TEST(compacting_heap,
     an_order_that_is_repeated_while_objects_come_and_go_holds_no_more_than_twice) {
    const auto peak = [](const compaction_options& options) {
        constexpr std::size_t part = 100, parts = 1000, a_frame = 5;
        compacting_heap heap{options};
        auto all = make_nodes(heap, part * parts);
        std::mt19937 random{1};
        double most = 0;
        for (int frame = 0; frame < 150; ++frame) {
            const std::size_t first = random() % parts;
            const auto at = [&](std::size_t i) -> handle<node>& {
                return all[(first + i % a_frame * parts / a_frame) % parts * part + i / a_frame];
            };
            for (std::size_t i = 0; i < part * a_frame; ++i)
                heap.destroy(at(i));
            for (std::size_t i = 0; i < part * a_frame; ++i)
                at(i) = heap.make<node>();
            static_cast<void>(heap.step(all));
            most = std::max(most, 1 / (1 - heap.fragmentation()));
        }
        return most;
    };
    EXPECT_LT(peak({}), 2.6);
    EXPECT_GT(peak({.room = 1e9}), 3) << "so it is the bound that keeps it so";
}

TEST(compacting_heap, what_is_pinned_stays_and_so_does_its_block) {
    compacting_heap heap;
    auto all = make_nodes(heap, 40'000);
    const pinned<node> pin = all[20'000].pin();
    for (std::size_t i = 0; i < all.size(); ++i)
        if (i % 50 != 0)
            heap.destroy(all[i]);
    EXPECT_TRUE(heap.step().finished());
    EXPECT_EQ(pin->value, 20'000u);
    EXPECT_EQ(pin.get(), all[20'000].get());
    for (std::size_t i = 0; i < all.size(); i += 50)
        EXPECT_EQ(all[i]->value, i);
}

TEST(compacting_heap, large_objects_have_memory_of_their_own_and_stay) {
    struct image {
        std::byte pixels[300'000];
    };
    struct alignas(8192) page {
        int value;
    };
    support::counting_resource up;
    compacting_heap heap{{.policy = return_policy::return_all}, &up};
    const handle<image> a = heap.make<image>();
    const handle<page> b = heap.make<page>(7);
    EXPECT_TRUE(is_aligned(b.get(), 8192));
    const void* const place = a.get();
    const std::vector<handle<image>> order{a, a};
    EXPECT_EQ(heap.step(order).moves, 0u);
    EXPECT_EQ(heap.step().moves, 0u);
    EXPECT_EQ(a.get(), place);
    EXPECT_EQ(b->value, 7);
    std::size_t n = 0;
    heap.for_each<image>([&](image& i) { n += &i == place ? 1u : 0u; });
    EXPECT_EQ(n, 1u);
    EXPECT_TRUE(heap.owns(place));
    heap.destroy(a);
    heap.destroy(b);
    EXPECT_FALSE(a);
    EXPECT_FALSE(heap.owns(place));
    EXPECT_EQ(heap.usage().bytes_in_use, 0u);
}

TEST(compacting_heap, an_object_is_told_that_it_moved) {
    struct teller {
        teller() : self{this} {}
        teller(teller&& other) noexcept : self{other.self}, moves{other.moves} {}
        void relocated(const void* from) noexcept {
            if (self == from)
                ++moves;
            self = this;
            found = handle_of(*this).get() == this;
        }
        teller* self;
        int moves = 0;
        bool found = false;
    };
    compacting_heap heap;
    std::vector<handle<teller>> all;
    for (int i = 0; i < 2000; ++i)
        all.push_back(heap.make<teller>());
    std::reverse(all.begin(), all.end());
    EXPECT_EQ(heap.step(all).moves, all.size());
    for (const auto& h : all) {
        EXPECT_EQ(h->self, h.get());
        EXPECT_EQ(h->moves, 1);
        EXPECT_TRUE(h->found);
    }
}

TEST(compacting_heap, objects_may_make_and_destroy_others_when_they_begin_and_end) {
    struct branch {
        branch(compacting_heap& h, int depth) : heap{&h} {
            if (depth != 0)
                for (handle<branch>& c : child)
                    c = h.make<branch>(h, depth - 1);
        }
        branch(branch&& other) noexcept : heap{other.heap} { std::swap(child, other.child); }
        ~branch() {
            for (const handle<branch>& c : child)
                if (c)
                    heap->destroy(c);
        }
        compacting_heap* heap;
        handle<branch> child[2];
    };
    compacting_heap heap;
    const handle<branch> root = heap.make<branch>(heap, 9);
    EXPECT_EQ(heap.usage().live_allocations, 1023u);
    heap.destroy(root->child[0]);
    EXPECT_EQ(heap.usage().live_allocations, 512u);
    static_cast<void>(heap.step());
    EXPECT_TRUE(heap.destroy(root));
    EXPECT_FALSE(heap.destroy(root));
    EXPECT_EQ(heap.usage().live_allocations, 0u);
    static_cast<void>(heap.make<branch>(heap, 5)); // and the heap's end is one of them
}

TEST(compacting_heap, usage_and_the_memory_map_agree) {
    support::counting_resource up;
    compacting_heap heap{{}, &up};
    auto all = make_nodes(heap, 30'000);
    struct image {
        std::byte pixels[300'000];
    };
    static_cast<void>(heap.make<image>());
    for (std::size_t i = 0; i < all.size(); i += 2)
        heap.destroy(all[i]);
    static_cast<void>(heap.step());
    const usage u = heap.usage();
    EXPECT_EQ(u.live_allocations, 15'001u);
    EXPECT_EQ(u.bytes_reserved, up.live_bytes());
    EXPECT_GT(u.high_water_bytes, u.bytes_in_use);
    const support::region_list listed{heap};
    EXPECT_EQ(listed.bytes(), up.live_bytes());
    const memory_map map{heap};
    EXPECT_EQ(map.overlapping(), 0u);
    EXPECT_TRUE(heap.owns(all[1].get()));
    EXPECT_FALSE(heap.owns(&u));
}

TEST(compacting_heap, trim_gives_back_what_holds_nothing) {
    support::counting_pages pages;
    compacting_heap heap{{}, &pages};
    auto all = make_nodes(heap, 100'000);
    for (std::size_t i = 1; i < all.size(); ++i)
        heap.destroy(all[i]);
    heap.trim();
    EXPECT_LE(heap.usage().bytes_reserved, 3_MiB); // its block, and the table
    EXPECT_EQ(all[0]->value, 0u);
}

TEST(compacting_heap, for_each_may_destroy_what_it_meets) {
    compacting_heap heap;
    make_nodes(heap, 30'000);
    std::size_t n = 0;
    heap.for_each<node>([&](node& x) {
        if (++n % 2 == 0)
            heap.destroy(handle_of(x));
    });
    EXPECT_EQ(n, 30'000u);
    EXPECT_EQ(heap.usage().live_allocations, 15'000u);
}

TEST(compacting_heap, for_each_goes_on_whatever_f_destroys) {
    struct image {
        std::byte pixels[300'000];
    };
    compacting_heap heap{{.policy = return_policy::return_all}};
    auto all = make_nodes(heap, 60'000); // several blocks, which become empty around the visit
    std::vector<handle<image>> large;
    for (int i = 0; i < 20; ++i)
        large.push_back(heap.make<image>());
    std::mt19937 random{1};
    std::size_t visits = 0;
    std::size_t destroyed_before = 0;
    heap.for_each<node>([&](node& x) {
        ++visits;
        if (visits % 5000 == 1) { // 20,000 in a row, of which this may be one
            const std::size_t first = random() % all.size();
            for (std::size_t i = first; i < std::min(first + 20'000, all.size()); ++i)
                destroyed_before += all[i].get() > &x ? 1u : 0u, heap.destroy(all[i]);
            if (!large.empty())
                heap.destroy(large.back()), large.pop_back();
        }
    });
    EXPECT_EQ(visits + destroyed_before, all.size());
    std::size_t images = 0;
    heap.for_each<image>([&](image& i) { ++images, heap.destroy(handle_of(i)); });
    EXPECT_EQ(images, large.size());
}

TEST(compacting_heap, an_order_that_moves_nothing_ends_at_its_budget_and_goes_on_behind_it) {
    compacting_heap heap;
    const auto all = make_nodes(heap, 20'000); // in their order already
    for (const budget& limit : {budget{.bytes = 64_KiB}, budget{.moves = 16}}) {
        const std::size_t looks = 64 + (limit.moves == 16 ? 64 : 64_KiB / 256);
        std::size_t steps = 1;
        for (compaction_step s; s = heap.step(all, limit), !s.finished(); ++steps)
            ASSERT_EQ(s.moves, 0u);
        EXPECT_EQ(steps, all.size() / looks + 1);
    }
}

TEST(compacting_heap, checked_builds_overwrite_the_old_place) {
    if constexpr (!checks_enabled || detail::poison::active)
        GTEST_SKIP() << "only checked builds do, and a memory checker would report the look";
    compacting_heap heap;
    auto all = make_nodes(heap, 100);
    link(all);
    const node* const before = all[0].get();
    EXPECT_EQ(heap.step(all).moves, all.size());
    EXPECT_EQ(before->value, 0xDDDD'DDDD'DDDD'DDDDu);
}

} // namespace
