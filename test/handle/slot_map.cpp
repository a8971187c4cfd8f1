// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/handle/slot_map.hpp>

#include <arenite/core/error.hpp>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"
#include "support/operations.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <ranges>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace arenite;
using map = slot_map<std::unique_ptr<int>>;

TEST(slot_map, a_key_finds_its_value_until_that_is_erased) {
    map m;
    const map::key a = m.emplace(std::make_unique<int>(1));
    const map::key b = m.emplace(std::make_unique<int>(2));
    EXPECT_EQ(**m.find(a), 1);
    EXPECT_EQ(*m[b], 2);
    EXPECT_TRUE(m.erase(a));
    EXPECT_FALSE(m.erase(a));
    EXPECT_EQ(m.find(a), nullptr);
    EXPECT_EQ(*m[b], 2);
    const map::key c = m.emplace(std::make_unique<int>(3)); // in the slot of a
    EXPECT_EQ(c.slot, a.slot);
    EXPECT_NE(c, a);
    EXPECT_FALSE(m.contains(a));
    EXPECT_FALSE(m.contains({}));
    EXPECT_FALSE(m.contains({100, 1}));
}

TEST(slot_map, takes_its_upstream_by_reference_or_pointer) {
    support::counting_resource up;
    {
        slot_map<int> by_reference{up}, by_pointer{&up};
        by_reference.emplace(1);
        const std::size_t calls = up.calls();
        EXPECT_GT(calls, 0u);
        by_pointer.emplace(1);
        EXPECT_GT(up.calls(), calls);
    }
    EXPECT_EQ(up.live_bytes(), 0u);
}

TEST(slot_map, random_operations_agree_with_a_list) {
    support::random_source source{support::test_seed("slot_map"), 20'000};
    support::counting_resource up;
    {
        map m{&up};
        std::vector<std::pair<map::key, int>> live;
        std::vector<map::key> dead;
        for (int i = 0; source.more(); ++i) {
            if (source.byte() % 16 < 9) {
                live.emplace_back(m.emplace(std::make_unique<int>(i)), i);
            } else if (!live.empty()) {
                auto& chosen = live[support::below(source, live.size())];
                ASSERT_TRUE(m.erase(chosen.first));
                dead.push_back(chosen.first);
                chosen = live.back();
                live.pop_back();
            }
        }
        ASSERT_EQ(m.size(), live.size());
        for (const auto& [key, value] : live)
            ASSERT_EQ(**m.find(key), value);
        for (const map::key k : dead)
            ASSERT_FALSE(m.contains(k));
        for (std::size_t i = 0; i < m.size(); ++i)
            ASSERT_EQ(m.find(m.key_at(i)), &m.values()[i]);
        m.clear();
        EXPECT_TRUE(m.empty());
        for (const auto& entry : live)
            EXPECT_FALSE(m.contains(entry.first));
    }
    EXPECT_EQ(up.live(), 0u);
}

TEST(slot_map, what_was_reserved_is_not_asked_for_again_and_pointers_stay_good) {
    support::counting_resource up;
    map m{&up};
    m.reserve(1000);
    const std::size_t calls = up.calls();
    const std::unique_ptr<int>* const first = m.find(m.emplace(std::make_unique<int>(0)));
    for (int i = 1; i < 1000; ++i)
        m.emplace(std::make_unique<int>(i));
    EXPECT_EQ(up.calls(), calls);
    EXPECT_EQ(m.begin(), first);
    m.reserve(10); // there is room
    EXPECT_EQ(up.calls(), calls);
}

TEST(slot_map, it_is_a_range_of_its_values) {
    static_assert(std::ranges::contiguous_range<map> && std::ranges::contiguous_range<const map>);
    map m;
    EXPECT_EQ(m.begin(), m.end());
    for (int i = 1; i <= 10; ++i)
        m.emplace(std::make_unique<int>(i));
    int sum = 0;
    for (const std::unique_ptr<int>& value : std::as_const(m))
        sum += *value;
    EXPECT_EQ(sum, 55);
    EXPECT_EQ(m.begin(), m.values().data());
}

TEST(slot_map, it_moves_within_an_upstream_and_to_another) {
    support::counting_resource up, other;
    {
        map a{&up};
        const map::key one = a.emplace(std::make_unique<int>(1));
        const map::key gone = a.emplace(std::make_unique<int>(2));
        a.erase(gone);
        const std::size_t calls = up.calls();
        map b{std::move(a)};
        EXPECT_EQ(up.calls(), calls) << "nothing is asked for";
        EXPECT_EQ(**b.find(one), 1);
        EXPECT_TRUE(a.empty());
        EXPECT_FALSE(a.contains(one));
        const map::key again = a.emplace(std::make_unique<int>(3)); // it can be used

        map same{&up};
        same.emplace(std::make_unique<int>(4));
        same = std::move(b);
        EXPECT_EQ(**same.find(one), 1);
        EXPECT_EQ(same.size(), 1u);

        map elsewhere{&other};
        elsewhere = std::move(same);
        EXPECT_EQ(**elsewhere.find(one), 1);
        EXPECT_FALSE(elsewhere.contains(gone));
        EXPECT_TRUE(same.empty());
        EXPECT_GT(other.live(), 0u);
        swap(elsewhere, a);
        EXPECT_EQ(**a.find(one), 1);
        EXPECT_EQ(**elsewhere.find(again), 3);
    }
    EXPECT_EQ(up.live(), 0u);
    EXPECT_EQ(other.live(), 0u);
}

TEST(slot_map, a_few_values_are_sorted_at_once_where_there_were_many) {
    const auto time_of_sorting = [](std::size_t values) {
        slot_map<int> m;
        while (m.size() < values)
            m.emplace(static_cast<int>(m.size()));
        while (m.size() > 10)
            m.erase(m.key_at(m.size() - 1));
        auto best = std::chrono::nanoseconds::max();
        for (int i = 0; i < 20; ++i) {
            const auto begin = std::chrono::steady_clock::now();
            m.sort(std::greater<>{});
            best =
                std::min<std::chrono::nanoseconds>(best, std::chrono::steady_clock::now() - begin);
        }
        return best.count();
    };
    // Through the slots it took a thousand times as long.
    EXPECT_LT(time_of_sorting(300'000), 50 * (time_of_sorting(10) + 100));
}

TEST(slot_map, sorted_values_keep_their_keys) {
    support::counting_resource up;
    map m{&up};
    std::vector<std::pair<map::key, int>> live;
    for (int i = 0; i < 1000; ++i)
        live.emplace_back(m.emplace(std::make_unique<int>(i * 7919 % 1009)), i * 7919 % 1009);
    for (std::size_t i = 0; i < live.size(); i += 3)
        m.erase(live[i].first);
    const std::size_t calls = up.calls();
    const auto by_value = [](const auto& a, const auto& b) { return *a < *b; };
    m.sort(by_value);
    EXPECT_EQ(up.calls(), calls);
    EXPECT_TRUE(std::is_sorted(m.begin(), m.end(), by_value));
    for (std::size_t i = 0; i < live.size(); ++i) {
        ASSERT_EQ(m.contains(live[i].first), i % 3 != 0);
        if (i % 3 != 0) {
            ASSERT_EQ(**m.find(live[i].first), live[i].second);
            ASSERT_TRUE(m.erase(live[i].first));
        }
    }
    m.sort(by_value); // of nothing
}

TEST(slot_map_threads, const_functions_are_for_many) {
    map m;
    std::vector<map::key> keys;
    for (int i = 0; i < 1000; ++i)
        keys.push_back(m.emplace(std::make_unique<int>(i)));
    for (std::size_t i = 0; i < keys.size(); i += 2)
        m.erase(keys[i]);
    std::vector<std::thread> threads;
    int sums[4] = {};
    for (int& sum : sums)
        threads.emplace_back([&sum, &keys, &m = std::as_const(m)] {
            for (const map::key k : keys)
                sum += m.contains(k) ? **m.find(k) : 0;
        });
    for (std::thread& t : threads)
        t.join();
    for (const int sum : sums)
        EXPECT_EQ(sum, 250'000);
}

#if ARENITE_EXCEPTIONS
TEST(slot_map, an_order_that_throws_or_an_upstream_that_refuses_changes_nothing) {
    support::counting_resource up, other;
    map m{&up};
    std::vector<map::key> keys;
    for (int i = 0; i < 100; ++i)
        keys.push_back(m.emplace(std::make_unique<int>(i * 37 % 101)));
    for (int comparisons = 0; comparisons < 500; comparisons += 7) {
        int left = comparisons;
        EXPECT_THROW(m.sort([&](const auto& a, const auto& b) {
            if (left-- == 0)
                throw 1;
            return *a < *b;
        }),
                     int);
        for (std::size_t i = 0; i < keys.size(); ++i)
            ASSERT_EQ(m.find(m.key_at(i)), &m.values()[i]);
    }
    for (std::size_t n = 0; n < 3; ++n) {
        map elsewhere{&other};
        const map::key kept = elsewhere.emplace(nullptr);
        other.fail_once_after(n);
        EXPECT_THROW(elsewhere = std::move(m), out_of_memory);
        EXPECT_TRUE(elsewhere.contains(kept));
        for (int i = 0; i < 100; ++i)
            ASSERT_EQ(**m.find(keys[static_cast<std::size_t>(i)]), i * 37 % 101);
        other.never_fail();
    }
}

TEST(slot_map, a_refusal_at_any_call_changes_nothing) {
    for (std::size_t n = 0; n < 12; ++n) {
        support::counting_resource up;
        map m{&up};
        up.fail_once_after(n);
        int made = 0;
        std::size_t failures = 0;
        while (made < 100) {
            try {
                const map::key k = m.emplace(std::make_unique<int>(made));
                ASSERT_EQ(*m[k], made);
                ++made;
            } catch (const out_of_memory&) {
                ++failures;
                ASSERT_EQ(m.size(), static_cast<std::size_t>(made));
            }
        }
        EXPECT_EQ(failures, 1u);
    }
}

TEST(slot_map, a_constructor_that_throws_leaves_nothing) {
    struct thrower {
        explicit thrower(bool now) {
            if (now)
                throw 1;
        }
    };
    slot_map<thrower> m;
    EXPECT_THROW(m.emplace(true), int);
    EXPECT_TRUE(m.empty());
    const auto k = m.emplace(false);
    EXPECT_TRUE(m.contains(k));
    EXPECT_EQ(k.slot, 0u);
}
#endif

TEST(slot_map_death, the_value_of_an_erased_key_is_not_used) {
    if constexpr (!checks_enabled)
        GTEST_SKIP() << "only checked builds look";
    map m;
    const map::key a = m.emplace(nullptr);
    m.erase(a);
    EXPECT_DEATH(static_cast<void>(m[a]), "the value of this key is gone");
}

} // namespace
