// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/passthrough.hpp>
#include <arenite/compose/limited_resource.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/freelist/tlsf_resource.hpp>
#include <arenite/linear/linear_resource.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/stl/growing_vector.hpp>

#include <gtest/gtest.h>

#include "support/inline_container.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

using namespace arenite;
using support::below;
using support::tied;

namespace {

static_assert(std::is_nothrow_move_constructible_v<growing_vector<tied>>);
static_assert(!std::is_constructible_v<growing_vector<int, ordered_heap>, std::size_t>);
static_assert(std::is_same_v<decltype(growing_vector{std::declval<ordered_heap&>()}),
                             growing_vector<std::byte, ordered_heap>>);

/// Beside a vector of std, by random steps; `make` makes one of two vectors.
template <class Make>
void behaves_as_std_vector(const char* test, Make make) {
    support::random_source random{support::test_seed(test), 3000};
    {
        auto a = make();
        auto b = make();
        std::vector<tied> x;
        std::vector<tied> y;
        while (random.more()) {
            const auto at = static_cast<std::ptrdiff_t>(below(random, a.size() + 1));
            const int v = static_cast<int>(below(random, 1000));
            switch (below(random, 16)) {
            default:
                a.push_back(v);
                x.push_back(v);
                break;
            case 0:
                EXPECT_EQ((*a.insert(a.begin() + at, v)).get(), v);
                x.insert(x.begin() + at, v);
                break;
            case 1:
                if (a.empty())
                    break;
                a.push_back(a.front()); // one of its own
                x.push_back(tied{x.front()});
                break;
            case 2:
                a.insert(a.begin() + at, 3, v);
                x.insert(x.begin() + at, 3, v);
                break;
            case 3:
                a.insert(a.begin() + at, y.begin(), y.end());
                x.insert(x.begin() + at, y.begin(), y.end());
                break;
            case 4:
                a.erase(a.begin() + at, a.end());
                x.erase(x.begin() + at, x.end());
                break;
            case 5:
                if (static_cast<std::size_t>(at) == a.size())
                    break;
                a.erase(a.begin() + at);
                x.erase(x.begin() + at);
                break;
            case 6:
                a.swap(b);
                x.swap(y);
                break;
            case 7:
                b = a;
                y = x;
                break;
            case 8:
                a = std::move(b);
                EXPECT_TRUE(b.empty()); // NOLINT(bugprone-use-after-move): it may be used
                x = std::move(y);
                y.clear();
                break;
            case 9:
                a.resize(static_cast<std::size_t>(at), 7);
                x.resize(static_cast<std::size_t>(at), 7);
                a.shrink_to_fit();
                break;
            case 10: {
                const auto copy = a;
                EXPECT_EQ(copy, a);
                break;
            }
            }
            ASSERT_TRUE(std::equal(a.begin(), a.end(), x.begin(), x.end()));
            ASSERT_TRUE(std::equal(b.begin(), b.end(), y.begin(), y.end()));
            ASSERT_LE(a.size(), a.capacity());
            if (x.size() > 2000) {
                a.clear();
                x.clear();
            }
        }
    }
    EXPECT_EQ(tied::alive, 0);
}

TEST(growing_vector, behaves_as_std_vector) {
    behaves_as_std_vector("growing_vector", [] { return growing_vector<tied>{1_GiB}; });
    ordered_heap heap;
    behaves_as_std_vector("... of a heap",
                          [&] { return growing_vector<tied, ordered_heap>{heap}; });
    EXPECT_EQ(heap.usage().bytes_in_use, 0U);
    linear_resource arena{64_MiB};
    behaves_as_std_vector("... of an arena",
                          [&] { return growing_vector<tied, linear_resource>{arena}; });
    behaves_as_std_vector("... of any resource",
                          [&] { return growing_vector<tied, resource>{heap}; });
}

TEST(growing_vector, elements_never_move_while_it_has_addresses) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    growing_vector<std::size_t> v{256_MiB};
    v.push_back(0);
    const std::size_t* const first = v.data();
    for (std::size_t i = 1; i < 10'000'000; ++i)
        v.push_back(i);
    EXPECT_EQ(v.data(), first);
    EXPECT_EQ(v[9'999'999], 9'999'999U);
    EXPECT_LE(v.capacity() * sizeof(std::size_t), 80'000'000 + 32_MiB);
    v.resize(1000);
    v.shrink_to_fit();
    EXPECT_EQ(v.capacity(), 1000U);
    EXPECT_LE(v.resource()->committed(), 64_KiB);
    EXPECT_EQ(v.data(), first);
    const growing_vector<std::size_t> moved{std::move(v)};
    EXPECT_EQ(moved.data(), first);
    v.push_back(5); // NOLINT(bugprone-use-after-move): with new addresses of its own
    EXPECT_NE(v.data(), first);
    EXPECT_EQ(v.max_size(), 256_MiB / sizeof(std::size_t));
}

TEST(growing_vector, keeps_elements_that_cannot_be_moved) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    growing_vector<std::atomic<int>> v;
    for (int i = 0; i < 100'000; ++i)
        v.emplace_back(i);
    std::atomic<int>& first = v.front();
    v.resize(200'000);
    EXPECT_EQ(&first, &v.front());
    EXPECT_EQ(v[99'999].load(), 99'999);
}

TEST(growing_vector, grows_in_place_where_a_resource_can) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    tlsf_resource tlsf{16_MiB};
    growing_vector<int, tlsf_resource> v{tlsf};
    v.push_back(0);
    const int* const first = v.data();
    for (int i = 1; i < 1'000'000; ++i)
        v.push_back(i);
    EXPECT_EQ(v.data(), first);
    void* const behind = tlsf.allocate(100'000); // in the way
    v.reserve(2'000'000);
    EXPECT_NE(v.data(), first);
    EXPECT_EQ(v[999'999], 999'999);
    tlsf.deallocate(behind, 100'000);
}

#if ARENITE_EXCEPTIONS
TEST(growing_vector, refuses_what_there_are_no_addresses_for) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    growing_vector<int> v{64_KiB};
    for (int i = 0; i < 16 * 1024; ++i)
        v.push_back(i);
    const int* const first = v.data();
    EXPECT_THROW(v.push_back(1), out_of_memory);
    EXPECT_THROW(v.reserve(std::numeric_limits<std::size_t>::max()), out_of_memory);
    EXPECT_THROW(v.insert(v.end(), std::numeric_limits<std::size_t>::max(), 1), out_of_memory);
    EXPECT_THROW(v.resize(std::numeric_limits<std::size_t>::max() / 4), out_of_memory);
    EXPECT_THROW(static_cast<void>(v.at(16 * 1024)), std::out_of_range);
    EXPECT_EQ(v.size(), 16U * 1024);
    EXPECT_EQ(v.data(), first);
    EXPECT_EQ(v.back(), 16 * 1024 - 1);

    // The last of a budget, though less than twice as much.
    limited_resource<ordered_heap> limited{limited_options{.budget_bytes = 100'000}};
    growing_vector<int, limited_resource<ordered_heap>> w{limited};
    EXPECT_THROW(for (int i = 0; i < 100'000; ++i) w.push_back(i);, out_of_memory);
    EXPECT_GT(w.size(), 8'000U);
    EXPECT_EQ(w.back(), static_cast<int>(w.size()) - 1);
}

struct failing {
    explicit failing(int v) : value{v} {}
    failing(const failing& o) : value{o.value} {
        if (--copies_left == 0)
            throw std::runtime_error{"no more copies"};
    }
    tied value;
    static inline int copies_left = 0;
};

TEST(growing_vector, changes_nothing_where_a_copy_throws_while_elements_move) {
    ordered_heap heap;
    {
        growing_vector<failing, ordered_heap> v{heap};
        for (int i = 0; v.size() < 2 || v.size() != v.capacity(); ++i)
            v.emplace_back(i);
        void* const behind = heap.allocate(64);
        for (int n = 1; n <= 2; ++n) {
            failing::copies_left = n + 1;
            EXPECT_THROW(v.reserve(100'000), std::runtime_error);
            failing::copies_left = 2;
            EXPECT_THROW((growing_vector<failing, ordered_heap>{v}), std::runtime_error);
        }
        failing::copies_left = 0;
        for (std::size_t i = 0; i < v.size(); ++i)
            EXPECT_EQ(v[i].value.get(), static_cast<int>(i));
        heap.deallocate(behind, 64);
    }
    EXPECT_EQ(heap.usage().bytes_in_use, 0U);
    EXPECT_EQ(tied::alive, 0);
}
#endif

TEST(growing_vector, does_not_open_a_reserve_while_there_is_room_in_place) {
    if (passthrough())
        GTEST_SKIP() << "malloc cannot enlarge in place";
    limited_resource<ordered_heap> heap{
        limited_options{.budget_bytes = 4_MiB, .reserve_bytes = 256_KiB}};
    growing_vector<char, limited_resource<ordered_heap>> v{heap};
    v.resize(1_MiB);
    void* const others = heap.allocate(2_MiB + 658_KiB);
    for (int i = 0; i < 1000; ++i)
        v.push_back('x');
    EXPECT_FALSE(heap.reserve_is_open());
    EXPECT_LE(heap.in_use(), heap.limit_bytes());
    heap.deallocate(others, 2_MiB + 658_KiB);
}

TEST(growing_vector, grows_by_no_few_elements_where_it_can_move) {
    ordered_heap heap; // whose objects have some slack, which no doubling fits into
    growing_vector<int, ordered_heap> v{heap};
    std::size_t changes = 0, capacity = 0;
    for (int i = 0; i < 1'000'000; ++i) {
        v.push_back(i);
        changes += v.capacity() != capacity ? 1 : 0;
        capacity = v.capacity();
    }
    EXPECT_LE(changes, 100U);
    EXPECT_EQ(v[999'999], 999'999);
}

#if ARENITE_EXCEPTIONS
TEST(growing_vector, uses_the_slack_of_an_object_where_elements_cannot_move) {
    if (passthrough())
        GTEST_SKIP() << "malloc cannot enlarge in place";
    ordered_heap heap;
    growing_vector<std::atomic<int>, ordered_heap> v{heap};
    v.reserve(100'000);
    const auto fill = [&] {
        for (int i = 0; i < 200'000; ++i)
            v.emplace_back(i);
    };
    EXPECT_THROW(fill(), out_of_memory);
    EXPECT_GE(v.size(), 105'000U);
    EXPECT_EQ(v.size(), v.capacity());
    EXPECT_EQ(v.back().load(), static_cast<int>(v.size() - 1));
}
#endif

TEST(growing_vector, takes_what_fits_where_doubling_does_not) {
    if (passthrough())
        GTEST_SKIP() << "malloc has no region that ends";
    tlsf_resource region{64_KiB};
    growing_vector<int, tlsf_resource> v{region};
    v.resize(8000); // of about 16,000 that there is room for
    const int more[] = {1};
    v.resize(8001);
    v.shrink_to_fit();
    v.append(std::begin(more), std::end(more));
    v.shrink_to_fit();
    v.insert(v.begin(), 1, 2);
    v.shrink_to_fit();
    v.push_back(3);
    v.shrink_to_fit();
    v.assign(8005, 4);
    EXPECT_EQ(v.size(), 8005U);
    EXPECT_EQ(v.back(), 4);
}

#if ARENITE_EXCEPTIONS
/// A call that is refused, on a vector of 100.
template <class V, class Call>
void is_refused_and_changes_nothing(V& v, Call call) {
    EXPECT_THROW(call(), out_of_memory);
    EXPECT_EQ(v.size(), 100U);
    for (std::size_t i = 0; i < v.size(); ++i)
        EXPECT_EQ(v[i].get(), static_cast<int>(i));
}

template <class V>
void changes_nothing_without_memory(V& v) {
    for (int i = 0; i < 100; ++i)
        v.emplace_back(i);
    const std::vector<tied> many(10'000, tied{7});
    const auto begin = many.begin();
    is_refused_and_changes_nothing(v, [&] { v.assign(begin, many.end()); });
    is_refused_and_changes_nothing(v, [&] { v.assign(many.size(), many[0]); });
    is_refused_and_changes_nothing(v, [&] { v.resize(many.size(), many[0]); });
    is_refused_and_changes_nothing(v, [&] { v.append(begin, many.end()); });
    is_refused_and_changes_nothing(v, [&] { v.insert(v.begin(), begin, many.end()); });
    is_refused_and_changes_nothing(v, [&] { v.insert(v.begin(), many.size(), many[0]); });
}

TEST(growing_vector, changes_nothing_where_memory_ends) {
    if (passthrough())
        GTEST_SKIP() << "malloc has no region that ends";
    {
        growing_vector<tied> own{20'000};
        changes_nothing_without_memory(own);
        growing_vector<tied> large;
        large.resize(10'000, 7);
        is_refused_and_changes_nothing(own, [&] { own = large; });
        tlsf_resource region{20'000};
        growing_vector<tied, tlsf_resource> v{region};
        changes_nothing_without_memory(v);
    }
    EXPECT_EQ(tied::alive, 0);
}

TEST(growing_vector, changes_nothing_where_an_element_at_the_end_throws) {
    growing_vector<failing> v{1_MiB};
    const std::vector<failing> more(5, failing{9});
    for (int i = 0; i < 3; ++i)
        v.emplace_back(i);
    for (int n = 1; n <= 5; ++n) {
        failing::copies_left = n;
        EXPECT_THROW(v.append(more.begin(), more.end()), std::runtime_error);
        failing::copies_left = n;
        EXPECT_THROW(v.insert(v.begin(), more.begin(), more.end()), std::runtime_error);
        failing::copies_left = n + 1; // one is made first
        EXPECT_THROW(v.resize(8, more[0]), std::runtime_error);
        ASSERT_EQ(v.size(), 3U);
        for (int i = 0; i < 3; ++i)
            EXPECT_EQ(v[static_cast<std::size_t>(i)].value.get(), i);
    }
    failing::copies_left = 0;
}
#endif

TEST(growing_vector, has_the_rest_of_the_interface) {
    growing_vector<std::string> v;
    v = {"b", "a", "c"};
    std::sort(v.begin(), v.end());
    EXPECT_EQ(v.front(), "a");
    EXPECT_EQ(*v.rbegin(), "c");
    v.assign(2, v.back());
    EXPECT_EQ(v.size(), 2U);
    EXPECT_EQ(v.at(1), "c");
    v.pop_back();
    v.insert(v.begin(), {"x", "y"});
    EXPECT_EQ(erase_if(v, [](const std::string& s) { return s == "y"; }), 1U);
    growing_vector<std::string> w{1_MiB};
    w.append(v.begin(), v.end());
    EXPECT_EQ(v, w);
    w.clear();
    w.shrink_to_fit();
    EXPECT_EQ(w.capacity(), 0U);
    EXPECT_TRUE(w < v && w <= v && v > w && v >= w && v <= v);
    EXPECT_FALSE(w > v || w >= v || v <= w || v > v);
    EXPECT_EQ(*v.crbegin(), v.back());
    EXPECT_EQ(std::distance(v.crbegin(), v.crend()), std::distance(v.begin(), v.end()));
}

} // namespace
