// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/object/destruction_queue.hpp>
#include <arenite/object/intrusive_ptr.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <random>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

using namespace arenite;

namespace {

int alive = 0;
unsigned depth = 0, deepest = 0;

/// Tells how deep destructors are within each other: the probe's is the last to run of an object's,
/// after those of the references that it holds.
struct probe {
    probe() { ++alive; }
    probe(const probe&) = delete;
    probe& operator=(const probe&) = delete;
    ~probe() {
        --alive;
        --depth;
    }
};
void enter() { deepest = std::max(deepest, ++depth); }

template <class Policy>
struct tree : ref_counted<Policy> {
    ~tree() { enter(); }
    probe ends_last;
    std::vector<intrusive_ptr<tree>> children;
};

class destruction : public testing::Test {
protected:
    destruction() { alive = 0, depth = deepest = 0; }
    ~destruction() override {
        EXPECT_EQ(alive, 0);
        EXPECT_EQ(depth, 0u);
    }
    // An object that ends at the bound ends others from its queue, one below it.
    static constexpr unsigned bound = destruction_queue::max_depth + 1;
};

template <class Tree>
intrusive_ptr<Tree> chain(std::size_t length) {
    intrusive_ptr<Tree> head;
    for (std::size_t i = 0; i < length; ++i) {
        auto next = make_intrusive<Tree>();
        if (head)
            next->children.push_back(std::move(head));
        head = std::move(next);
    }
    return head;
}

TEST_F(destruction, of_a_shallow_tree_is_that_of_any_program) {
    auto root = make_intrusive<tree<counting::shared32>>();
    for (int i = 0; i < 3; ++i)
        root->children.push_back(chain<tree<counting::shared32>>(9));
    root.reset();
    EXPECT_EQ(deepest, 10u);
}

TEST_F(destruction, of_a_chain_of_a_million_goes_as_deep_as_the_bound) {
    chain<tree<counting::shared32>>(1'000'000).reset();
    EXPECT_EQ(deepest, bound);
}

TEST_F(destruction, of_a_long_chain_is_bounded_with_any_count) {
    chain<tree<counting::single32>>(100'000).reset();
    chain<tree<counting::single64>>(100'000).reset();
    chain<tree<counting::shared64>>(100'000).reset();
    chain<tree<counting::single16>>(100'000).reset();
    chain<tree<counting::shared16>>(100'000).reset();
    EXPECT_EQ(deepest, bound);
}

// Each node of the chain has leaves beside its next one: all that waits is of one list, or with 16
// bits, of many.
template <class Policy>
void end_a_comb() {
    using node = tree<Policy>;
    std::vector<intrusive_ptr<node>> scattered; // so that neighbours are far from each other
    for (int i = 0; i < 60'000; ++i)
        scattered.push_back(make_intrusive<node>());
    std::mt19937 random{1};
    std::shuffle(scattered.begin(), scattered.end(), random);
    intrusive_ptr<node> head;
    while (!scattered.empty()) {
        auto next = std::move(scattered.back());
        scattered.pop_back();
        if (head)
            next->children.push_back(std::move(head));
        for (int leaf = 0; leaf < 2 && !scattered.empty(); ++leaf) {
            next->children.push_back(std::move(scattered.back()));
            scattered.pop_back();
        }
        head = std::move(next);
    }
    head.reset();
}

TEST_F(destruction, of_a_comb_is_bounded) {
    end_a_comb<counting::shared32>();
    EXPECT_EQ(deepest, bound);
}

TEST_F(destruction, of_a_comb_is_bounded_where_links_reach_nothing) {
    end_a_comb<counting::shared16>();
    EXPECT_EQ(deepest, bound);
}

TEST_F(destruction, of_random_trees_is_bounded) {
    using node = tree<counting::shared32>;
    for (unsigned seed = 0; seed < 20; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937 random{seed};
        std::vector<intrusive_ptr<node>> all{make_intrusive<node>()};
        const std::size_t back = 1 + random() % 50; // small: deep, large: bushy
        for (std::size_t i = 1; i < 20'000; ++i) {
            all.push_back(make_intrusive<node>());
            const std::size_t from = i > back ? i - back : 0;
            for (unsigned parents = 1 + random() % 2; parents > 0; --parents)
                all[from + random() % (i - from)]->children.push_back(all[i]);
        }
        auto root = all.front();
        all.clear();
        EXPECT_EQ(alive, 20'000);
        root.reset();
        EXPECT_EQ(alive, 0);
        EXPECT_LE(deepest, bound);
    }
}

// ---- several kinds of objects ------------------------------------------------------------

struct shape : ref_counted<> {
    virtual ~shape() = default;
    probe ends_last;
};
struct before_it {
    virtual ~before_it() = default;
    std::array<char, 24> room{};
};
struct inner : shape {
    ~inner() override { enter(); }
    intrusive_ptr<shape> next;
};
struct displaced : before_it, inner {};

TEST_F(destruction, finds_each_object_whatever_its_class) {
    intrusive_ptr<shape> head;
    std::mt19937 random{3};
    for (int i = 0; i < 50'000; ++i) {
        intrusive_ptr<inner> next;
        if (random() % 2 == 0)
            next = make_intrusive<inner>();
        else
            next = make_intrusive<displaced>();
        next->next = std::move(head);
        head = std::move(next);
    }
    head.reset();
    EXPECT_EQ(deepest, bound);
}

template <int Kind>
struct numbered : ref_counted<> {
    ~numbered() { enter(); }
    probe ends_last;
    std::vector<intrusive_ptr<numbered<(Kind + 1) % 50>>> next;
    std::vector<intrusive_ptr<numbered<(Kind + 7) % 50>>> other;
};

template <int... Kind>
intrusive_ptr<numbered<0>> braid(int rounds, std::integer_sequence<int, Kind...>) {
    std::tuple<intrusive_ptr<numbered<Kind>>...> last;
    const auto one = [&]<int K>(std::integral_constant<int, K>) {
        constexpr int kind = 49 - K;
        auto made = make_intrusive<numbered<kind>>();
        if (std::get<(kind + 1) % 50>(last)) {
            made->other.push_back(make_intrusive<numbered<(kind + 7) % 50>>());
            made->next.push_back(std::move(std::get<(kind + 1) % 50>(last)));
        }
        std::get<kind>(last) = std::move(made);
    };
    for (int i = 0; i < rounds; ++i)
        (one(std::integral_constant<int, Kind>{}), ...);
    return std::get<0>(last);
}

// More lists than the queue has place for in itself.
TEST_F(destruction, of_fifty_kinds_is_bounded) {
    braid(400, std::make_integer_sequence<int, 50>{}).reset();
    EXPECT_EQ(deepest, bound);
}

// ---- the queue itself --------------------------------------------------------------------

std::vector<int> order;
struct place_of {
    std::int64_t link = 0;
};
void end_place(destruction_queue& queue, void* place) noexcept {
    auto& p = *static_cast<place_of*>(place);
    queue.step(p.link * static_cast<std::int64_t>(sizeof(place_of)));
    order.push_back(static_cast<int>(p.link));
}

TEST(destruction_queue, links_what_is_within_reach) {
    static place_of places[100];
    destruction_queue::activity thread{0, nullptr};
    order.clear();
    {
        destruction_queue queue{thread};
        EXPECT_EQ(thread.known().queue, &queue);
        const auto add = [&](int i) {
            return places[i].link = queue.add(&end_place, &places[i], sizeof(place_of), 10);
        };
        EXPECT_EQ(add(50), 0);
        EXPECT_EQ(add(40), 10);
        EXPECT_EQ(add(45), -5);
        EXPECT_EQ(add(56), 0) << "11 places: out of reach of 45's, a list of its own";
        EXPECT_EQ(add(46), 10);
        queue.drain();
        EXPECT_EQ(order, (std::vector<int>{10, 0, -5, 10, 0}));
    }
    EXPECT_EQ(thread.known().queue, nullptr);
}

TEST(destruction_queue_threads, each_thread_has_its_own) {
    static std::atomic<int> left{0};
    struct counted : ref_counted<> {
        counted() { ++left; }
        ~counted() { --left; }
        intrusive_ptr<counted> next;
    };
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([] {
            intrusive_ptr<counted> head;
            for (int i = 0; i < 50'000; ++i) {
                auto next = make_intrusive<counted>();
                next->next = std::move(head);
                head = std::move(next);
            }
        });
    }
    for (std::thread& t : threads)
        t.join();
    EXPECT_EQ(left, 0);
}

} // namespace
