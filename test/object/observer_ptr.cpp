// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/detail/poison.hpp>
#include <arenite/object/intrusive_ptr.hpp>
#include <arenite/object/observer_ptr.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <random>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

using namespace arenite;

namespace {

struct node : ref_counted<> {
    explicit node(int v = 0) : value{v} { ++alive; }
    virtual ~node() { --alive; }
    int value;
    static inline std::atomic<int> alive{0};
};
struct before_it {
    virtual ~before_it() = default;
    long room = 0;
};
struct group : before_it, node {
    using node::node;
};

static_assert(sizeof(observer_ptr<node>) == 2 * sizeof(void*));

TEST(observer_ptr, sees_the_object_until_it_is_gone) {
    auto n = make_intrusive<node>(5);
    observer_ptr<node> o{n};
    EXPECT_EQ(n->use_count(), 1u);
    EXPECT_FALSE(o.expired());
    {
        auto locked = o.lock();
        ASSERT_TRUE(locked);
        EXPECT_EQ(locked->value, 5);
        EXPECT_EQ(n->use_count(), 2u);
        n.reset();
        EXPECT_EQ(node::alive, 1);
        EXPECT_FALSE(o.expired());
    }
    EXPECT_EQ(node::alive, 0);
    EXPECT_TRUE(o.expired());
    EXPECT_FALSE(o.lock());
}

TEST(observer_ptr, of_nothing_is_expired) {
    constinit static observer_ptr<node> none;
    EXPECT_TRUE(none.expired());
    EXPECT_FALSE(none.lock());
    observer_ptr<node> null{intrusive_ptr<node>{}};
    EXPECT_TRUE(null.expired());
    EXPECT_EQ(none, null);
}

TEST(observer_ptr, copies_moves_and_compares) {
    auto n = make_intrusive<group>(1);
    observer_ptr<node> a{n}, b{n.get()};
    EXPECT_EQ(a, b);
    observer_ptr<node> c = a;
    observer_ptr<node> d = std::move(a);
    EXPECT_TRUE(a.expired()); // NOLINT(bugprone-use-after-move): moved from, it observes nothing
    EXPECT_EQ(c, d);
    swap(a, d);
    EXPECT_TRUE(a.lock());
    b = c = a;
    c.reset();
    EXPECT_TRUE(c.expired());
    EXPECT_EQ(b.lock(), n);
    n.reset();
    EXPECT_TRUE(a.expired() && b.expired() && c.expired());
}

TEST(observer_ptr, keeps_its_hash_when_the_object_goes) {
    auto n = make_intrusive<group>(1);
    auto other = make_intrusive<group>(2);
    std::unordered_set<observer_ptr<node>> all{
        observer_ptr<node>{n}, observer_ptr<node>{other}, observer_ptr<node>{n}, {}};
    EXPECT_EQ(all.size(), 3u);
    const observer_ptr<node> a{n};
    n.reset();
    EXPECT_TRUE(all.contains(a));
}

TEST(observer_ptr, does_not_take_a_new_object_at_the_old_address_for_the_old_one) {
    alignas(node) static std::byte place[sizeof(node)];
    observer_ptr<node> old;
    {
        auto* first = ::new (place) node{1};
        old = observer_ptr<node>{first};
        EXPECT_FALSE(old.expired());
        std::destroy_at(first); // never referred to, so nobody but its destructor can tell
    }
    auto* second = ::new (place) node{2};
    EXPECT_TRUE(old.expired());
    EXPECT_FALSE(old.lock());
    observer_ptr<node> now{second};
    EXPECT_FALSE(now == old);
    std::destroy_at(second);
    EXPECT_TRUE(now.expired());
}

TEST(observer_ptr, finds_the_object_gone_in_its_destructor) {
    struct looking : ref_counted<> {
        ~looking() {
            EXPECT_TRUE(itself.expired());
            EXPECT_FALSE(itself.lock());
            itself = observer_ptr<looking>{this}; // in vain, and no harm
            EXPECT_EQ(use_count(), 1u);
        }
        observer_ptr<looking> itself;
    };
    auto p = make_intrusive<looking>();
    p->itself = observer_ptr<looking>{p};
    auto o = p->itself;
    p.reset();
    EXPECT_TRUE(o.expired());
}

TEST(observer_ptr, of_many_objects_finds_each) {
    std::vector<intrusive_ptr<node>> all;
    std::vector<observer_ptr<node>> watched;
    for (int i = 0; i < 20'000; ++i) {
        all.push_back(make_intrusive<node>(i));
        watched.emplace_back(all.back());
    }
    for (std::size_t i = 0; i < all.size(); i += 2)
        all[i].reset();
    for (std::size_t i = 0; i < all.size(); ++i)
        ASSERT_EQ(watched[i].lock(), all[i]);
    all.clear();
    for (const auto& o : watched)
        ASSERT_TRUE(o.expired());
}

#if defined(__GLIBC__)
#if __GLIBC_PREREQ(2, 33)
TEST(observer_ptr, of_objects_one_after_another_takes_no_more_memory) {
    if (detail::poison::active)
        GTEST_SKIP() << "memory is another allocator's";
    const auto observe = [](int count) {
        for (int i = 0; i < count; ++i) {
            const auto n = make_intrusive<node>(i);
            const observer_ptr<node> o{n};
            EXPECT_FALSE(o.expired());
        }
        const auto now = ::mallinfo2();
        return now.uordblks + now.hblkhd;
    };
    const std::size_t before = observe(1'000);
    EXPECT_LE(observe(200'000), before + 65'536);
}
#endif
#endif

TEST(observer_ptr, of_a_deep_chain_is_told_though_the_end_waits) {
    struct link : ref_counted<> {
        intrusive_ptr<link> next;
    };
    std::vector<observer_ptr<link>> watched;
    intrusive_ptr<link> head;
    for (int i = 0; i < 1000; ++i) {
        auto next = make_intrusive<link>();
        next->next = std::move(head);
        watched.emplace_back(next);
        head = std::move(next);
    }
    head.reset();
    for (const auto& o : watched)
        ASSERT_TRUE(o.expired());
}

TEST(observer_ptr, of_one_thread_works_with_every_count) {
    const auto with = []<class Policy>(Policy) {
        struct thing : ref_counted<Policy> {};
        auto p = make_intrusive<thing>();
        observer_ptr<thing> o{p};
        EXPECT_EQ(o.lock(), p);
        auto second = p;
        p.reset();
        EXPECT_EQ(o.lock(), second);
        second.reset();
        EXPECT_FALSE(o.lock());
    };
    with(counting::single16{});
    with(counting::single32{});
    with(counting::single64{});
    with(counting::shared16{});
    with(counting::shared64{});
}

// Threads lock, observe and let go while another one ends the objects and makes new ones.
TEST(observer_ptr_threads, lock_gives_a_living_object_or_none) {
    constexpr std::size_t places = 4;
    {
        std::vector<intrusive_ptr<node>> owned;
        std::vector<observer_ptr<node>> seen;
        for (std::size_t i = 0; i < places; ++i) {
            owned.push_back(make_intrusive<node>(7));
            seen.emplace_back(owned.back());
        }
        std::atomic<int> turns{0};
        std::vector<std::thread> threads;
        for (unsigned t = 0; t < 3; ++t) {
            threads.emplace_back([&, t] {
                std::mt19937 random{t};
                std::vector<observer_ptr<node>> mine = seen;
                intrusive_ptr<node> kept;
                for (int i = 0; i < 3000; ++i) {
                    auto& o = mine[random() % places];
                    if (auto n = o.lock()) {
                        ASSERT_EQ(n->value, 7);
                        o = observer_ptr<node>{n};
                        if (random() % 4 == 0)
                            kept = std::move(n);
                    }
                    ++turns;
                }
            });
        }
        for (auto& p : owned) {
            const int now = turns;
            while (turns < now + 500 && turns < 9000)
                std::this_thread::yield();
            p.reset();
        }
        for (std::thread& t : threads)
            t.join();
        for (const auto& o : seen)
            EXPECT_TRUE(o.expired());
    }
    EXPECT_EQ(node::alive, 0);
}

} // namespace
