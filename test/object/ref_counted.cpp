// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/object/intrusive_ptr.hpp>
#include <arenite/object/ref_counted.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <random>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

using namespace arenite;

namespace {

template <class Policy>
struct thing : ref_counted<Policy> {
    explicit thing(int v = 0) : value{v} { ++alive; }
    thing(const thing& other) : ref_counted<Policy>{other}, value{other.value} { ++alive; }
    thing& operator=(const thing&) = default;
    ~thing() { --alive; }

    int value;
    static inline std::atomic<int> alive{0};
};

template <class Policy>
class ref_counted_by : public testing::Test {};
using policies = testing::Types<counting::shared16, counting::shared32, counting::shared64,
                                counting::single16, counting::single32, counting::single64>;
TYPED_TEST_SUITE(ref_counted_by, policies);

TYPED_TEST(ref_counted_by, takes_the_word_and_no_more) {
    EXPECT_EQ(sizeof(ref_counted<TypeParam>), sizeof(typename TypeParam::word));
    struct two : ref_counted<TypeParam> {
        typename TypeParam::word next;
    };
    EXPECT_EQ(sizeof(two), 2 * sizeof(typename TypeParam::word));
}

TYPED_TEST(ref_counted_by, begins_with_no_reference_and_ends_with_the_last) {
    using object = thing<TypeParam>;
    auto* raw = new object{3};
    EXPECT_EQ(raw->use_count(), 0u);
    {
        intrusive_ptr a{raw};
        EXPECT_EQ(raw->use_count(), 1u);
        intrusive_ptr b = a;
        EXPECT_EQ(raw->use_count(), 2u);
        a.reset();
        EXPECT_EQ(raw->use_count(), 1u);
        EXPECT_EQ(object::alive, 1);
    }
    EXPECT_EQ(object::alive, 0);
}

TYPED_TEST(ref_counted_by, copies_count_for_themselves) {
    using object = thing<TypeParam>;
    {
        auto a = make_intrusive<object>(1);
        auto second = a;
        auto b = make_intrusive<object>(*a);
        EXPECT_EQ(b->use_count(), 1u);
        *a = *b;
        EXPECT_EQ(a->use_count(), 2u);
        EXPECT_EQ(b->use_count(), 1u);
        object on_the_stack{*a};
        EXPECT_EQ(on_the_stack.use_count(), 0u);
    }
    EXPECT_EQ(object::alive, 0);
}

TYPED_TEST(ref_counted_by, holds_as_many_references_as_promised) {
    const std::size_t most = sizeof(typename TypeParam::word) == 2 ? 32767 : 100'000;
    using object = thing<TypeParam>;
    {
        auto first = make_intrusive<object>();
        std::vector<intrusive_ptr<object>> others(most - 1, first);
        EXPECT_EQ(first->use_count(), most);
    }
    EXPECT_EQ(object::alive, 0);
}

TYPED_TEST(ref_counted_by, object_may_refer_to_itself_while_it_is_made_and_while_it_ends) {
    struct selfish : ref_counted<TypeParam> {
        explicit selfish(int& e) : ended{e} {
            static_cast<void>(intrusive_ptr<selfish>{this}.release());
        }
        ~selfish() {
            {
                intrusive_ptr<selfish> myself{this};
                intrusive_ptr<selfish> again = myself;
            }
            ++ended;
        }
        int& ended;
    };
    int ended = 0;
    {
        auto p = make_intrusive<selfish>(ended);
        EXPECT_EQ(p->use_count(), 2u);
        intrusive_ptr<selfish> kept_by_the_constructor{p.get(), adopt_reference};
    }
    EXPECT_EQ(ended, 1);
}

#if ARENITE_CHECKS && GTEST_HAS_DEATH_TEST
struct tiny : ref_counted<counting::shared16> {};

TEST(ref_counted_DeathTest, references_beyond_the_count_are_found) {
    EXPECT_DEATH(
        {
            auto first = make_intrusive<tiny>();
            std::vector<intrusive_ptr<tiny>> others(32767, first);
        },
        "more references to an object than its count can hold");
}

TEST(ref_counted_DeathTest, object_that_ends_while_it_is_referred_to_is_found) {
    EXPECT_DEATH(
        {
            tiny on_the_stack;
            static_cast<void>(intrusive_ptr<tiny>{&on_the_stack}.release());
            static_cast<void>(intrusive_ptr<tiny>{&on_the_stack}.release());
        },
        "an object ends while references to it are left");
}
#endif

// ---- counts against a model, on several threads ------------------------------------------

// Each thread holds some references to each object, and only it knows how many: at every meeting
// the sum is the object's count.
TEST(ref_counted_threads, counts_are_those_of_a_model) {
    using object = thing<counting::shared32>;
    constexpr std::size_t objects = 8, threads = 4;
    constexpr int rounds = 5, steps = 2000;
    {
        std::vector<intrusive_ptr<object>> owned;
        for (std::size_t i = 0; i < objects; ++i)
            owned.push_back(make_intrusive<object>(static_cast<int>(i)));
        std::vector<std::vector<intrusive_ptr<object>>> held(threads);
        for (int round = 0; round < rounds; ++round) {
            std::vector<std::thread> running;
            for (std::size_t t = 0; t < threads; ++t) {
                running.emplace_back([&, t] {
                    std::mt19937 random{static_cast<unsigned>(round * 31 + static_cast<int>(t))};
                    auto& mine = held[t];
                    for (int s = 0; s < steps; ++s) {
                        const unsigned what = random() % 4;
                        if (what < 2 && mine.size() < 100)
                            mine.push_back(owned[random() % objects]);
                        else if (what == 2 && !mine.empty())
                            mine.push_back(mine[random() % mine.size()]);
                        else if (!mine.empty()) {
                            std::swap(mine[random() % mine.size()], mine.back());
                            mine.pop_back();
                        }
                    }
                });
            }
            for (std::thread& t : running)
                t.join();
            std::vector<std::size_t> expected(objects, 1);
            for (const auto& mine : held)
                for (const auto& p : mine)
                    ++expected[static_cast<std::size_t>(p->value)];
            for (std::size_t i = 0; i < objects; ++i)
                EXPECT_EQ(owned[i]->use_count(), expected[i]) << "object " << i;
        }
        EXPECT_EQ(object::alive, static_cast<int>(objects));
    }
    EXPECT_EQ(object::alive, 0);
}

// A thread's writes before it let go are seen by the destructor, whichever thread runs it.
TEST(ref_counted_threads, last_one_to_let_go_sees_what_the_others_wrote) {
    struct record : ref_counted<> {
        explicit record(std::atomic<int>& s) : sum{s} {}
        ~record() { sum = parts[0] + parts[1]; }
        std::atomic<int>& sum;
        int parts[2]{};
    };
    for (int i = 0; i < 500; ++i) {
        std::atomic<int> sum{0};
        auto a = make_intrusive<record>(sum);
        auto b = a;
        std::thread other{[p = std::move(b)]() mutable {
            p->parts[0] = 1;
            p.reset();
        }};
        a->parts[1] = 2;
        a.reset();
        other.join();
        ASSERT_EQ(sum, 3);
    }
}

} // namespace
