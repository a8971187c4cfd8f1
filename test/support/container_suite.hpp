// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>

#include <gtest/gtest.h>

#include "support/copies_may_throw.hpp"
#include "support/counting_resource.hpp"
#include "support/limits.hpp"
#include "support/proxy_list.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <forward_list>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <new>
#include <numeric>
#include <optional>
#include <scoped_allocator>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

/// The promises of every allocator for standard containers: one suite that runs a family of
/// allocators through every operation of every standard container. A family says
///
///     struct pooled {
///         static constexpr const char* name = "pooled";
///         template <class T> using allocator = pool_allocator<T>;
///         template <class T> allocator<T> make();         // for a container of its own
///         support::counting_resource* upstream();         // that can be made to fail, or nullptr
///     };
///     using families = testing::Types<pooled>;
///     INSTANTIATE_TYPED_TEST_SUITE_P(pool_allocator, containers, families, family_names);
///
/// Each test has two families, `here` and `there`; the allocators of one are equal, those of both
/// where they are always equal. Nothing may be left in their upstreams when they end.
namespace container_suite {

/// An element that knows where it was constructed, how many there are, and throws when told to.
class tracked {
public:
    tracked(int value = 0) : self_{this}, value_{value} { begin(); }
    tracked(const tracked& other) : self_{this}, value_{other.get()} { begin(); }
    tracked(tracked&& other) noexcept : self_{this}, value_{other.get()} { ++live_; }
    tracked& operator=(const tracked& other) {
        may_throw();
        value_ = other.get();
        return *this;
    }
    tracked& operator=(tracked&& other) noexcept {
        value_ = other.get();
        return *this;
    }
    ~tracked() {
        EXPECT_EQ(self_, this) << "destroyed where it was not constructed, or twice";
        self_ = nullptr;
        --live_;
    }

    [[nodiscard]] int get() const {
        EXPECT_EQ(self_, this) << "used where it was not constructed, or after its end";
        return value_;
    }

    friend bool operator==(const tracked& a, const tracked& b) { return a.get() == b.get(); }
    friend auto operator<=>(const tracked& a, const tracked& b) { return a.get() <=> b.get(); }

    [[nodiscard]] static int live() { return live_; }
    static void throw_after(int constructions) { until_throw_ = constructions; }
    static void never_throw() { until_throw_ = -1; }

private:
    void begin() {
        may_throw(); // before it counts
        ++live_;
    }
    static void may_throw() {
#if ARENITE_EXCEPTIONS
        if (until_throw_ >= 0 && until_throw_-- == 0)
            throw std::runtime_error("told to");
#endif
    }

    static inline int live_ = 0;
    static inline int until_throw_ = -1;

    const tracked* self_;
    int value_;
};

struct hash {
    std::size_t operator()(const tracked& t) const { return std::hash<int>{}(t.get()); }
};

/// Many of an element of a node, so that a pool of them asks its upstream more than once.
struct heavy {
    heavy(int n = 0) : value{n} {}
    tracked value;
    std::array<char, 200> bytes{};
    friend auto operator<=>(const heavy& a, const heavy& b) { return a.value <=> b.value; }
    friend bool operator==(const heavy& a, const heavy& b) { return a.value == b.value; }
};

template <class Container>
[[nodiscard]] std::vector<int> values(const Container& c) {
    std::vector<int> result;
    for (const auto& element : c) {
        if constexpr (requires { element.second; })
            result.push_back(element.first.get());
        else if constexpr (requires { element.value; })
            result.push_back(element.value.get());
        else
            result.push_back(element.get());
    }
    return result;
}

[[nodiscard]] inline std::vector<int> sorted(std::vector<int> v) {
    std::sort(v.begin(), v.end());
    return v;
}

[[nodiscard]] inline std::vector<int> numbers(int from, int to) {
    std::vector<int> v(static_cast<std::size_t>(to - from));
    std::iota(v.begin(), v.end(), from);
    return v;
}

struct family_names {
    template <class Family>
    static std::string GetName(int) {
        return Family::name;
    }
};

template <class Family>
class containers : public testing::Test {
protected:
    template <class T>
    using allocator = typename Family::template allocator<T>;
    using pair = std::pair<const tracked, tracked>;

    template <class T>
    using list_of = std::list<T, allocator<T>>;
    template <class T>
    using vector_of = std::vector<T, allocator<T>>;
    using list = list_of<tracked>;
    using forward_list = std::forward_list<tracked, allocator<tracked>>;
    using vector = vector_of<tracked>;
    using deque = std::deque<tracked, allocator<tracked>>;
    using set = std::set<tracked, std::less<>, allocator<tracked>>;
    using multiset = std::multiset<tracked, std::less<>, allocator<tracked>>;
    using map = std::map<tracked, tracked, std::less<>, allocator<pair>>;
    using multimap = std::multimap<tracked, tracked, std::less<>, allocator<pair>>;
    using unordered_set = std::unordered_set<tracked, hash, std::equal_to<>, allocator<tracked>>;
    using unordered_multiset =
        std::unordered_multiset<tracked, hash, std::equal_to<>, allocator<tracked>>;
    using unordered_map =
        std::unordered_map<tracked, tracked, hash, std::equal_to<>, allocator<pair>>;
    using unordered_multimap =
        std::unordered_multimap<tracked, tracked, hash, std::equal_to<>, allocator<pair>>;
    using string = std::basic_string<char, std::char_traits<char>, allocator<char>>;

    static constexpr bool always_equal =
        std::allocator_traits<allocator<tracked>>::is_always_equal::value;

    ~containers() override {
        tracked::never_throw();
        EXPECT_EQ(tracked::live(), 0) << "elements were not destroyed, or twice";
    }

    /// With whose containers those of `here` may exchange nodes.
    Family& partner() {
        if constexpr (always_equal)
            return there;
        else
            return here;
    }

    template <class Container>
    static Container make(Family& family) {
        return Container(family.template make<typename Container::value_type>());
    }

    /// A container with the elements [from, to), in order where it has one.
    template <class Container>
    static Container make(Family& family, int from, int to) {
        Container c = make<Container>(family);
        add(c, from, to);
        return c;
    }

    template <class Container>
    static void add(Container& c, int from, int to) {
        for (int i = from; i < to; ++i) {
            if constexpr (requires { typename Container::mapped_type; })
                c.emplace(i, 2 * i);
            else if constexpr (requires { typename Container::key_type; })
                c.emplace(i);
            else if constexpr (requires { c.emplace_back(i); })
                c.emplace_back(i);
            else
                c.emplace_front(from + to - 1 - i);
        }
    }

    template <class Container>
    static void expect(const Container& c, int from, int to) {
        EXPECT_EQ(sorted(values(c)), numbers(from, to));
    }

    /// f once for each kind of container, as f.template operator()<Container>().
    template <class F>
    static void for_each_kind(F f) {
        f.template operator()<list>();
        f.template operator()<forward_list>();
        f.template operator()<vector>();
        f.template operator()<deque>();
        f.template operator()<set>();
        f.template operator()<multiset>();
        f.template operator()<map>();
        f.template operator()<multimap>();
        f.template operator()<unordered_set>();
        f.template operator()<unordered_multiset>();
        f.template operator()<unordered_map>();
        f.template operator()<unordered_multimap>();
    }

    Family here;
    Family there;
};

TYPED_TEST_SUITE_P(containers);

// The standard's requirements of the allocator itself.

TYPED_TEST_P(containers, rebinds_copies_and_moved_from_allocators_are_equal) {
    using A = typename TestFixture::template allocator<int>;
    using B = typename std::allocator_traits<A>::template rebind_alloc<double>;
    static_assert(std::is_same_v<typename std::allocator_traits<B>::template rebind_alloc<int>, A>);
    static_assert(std::is_nothrow_copy_constructible_v<A>);
    static_assert(std::is_nothrow_move_constructible_v<A>);
    static_assert(std::is_constructible_v<B, const A&>);
    A a = this->here.template make<int>();
    A copy = a;
    B rebound{a};
    EXPECT_TRUE(a == copy);
    EXPECT_FALSE(a != copy);
    EXPECT_TRUE(A{rebound} == a);
    A moved = std::move(copy);
    EXPECT_TRUE(moved == a);
    EXPECT_TRUE(copy == a); // NOLINT(bugprone-use-after-move)
    // Each frees what the others allocated.
    int* const p = a.allocate(1);
    int* const q = moved.allocate(3);
    double* const r = rebound.allocate(1);
    double* const s = B{A{rebound}}.allocate(1);
    moved.deallocate(p, 1);
    copy.deallocate(q, 3);
    B{moved}.deallocate(r, 1);
    rebound.deallocate(s, 1);
    if (TestFixture::always_equal) {
        A other = this->there.template make<int>();
        EXPECT_TRUE(other == a);
        int* const t = a.allocate(1);
        other.deallocate(t, 1);
    }
}

TYPED_TEST_P(containers, assigned_allocators_keep_what_was_allocated) {
    using A = typename TestFixture::template allocator<std::int64_t>;
    A a = this->here.template make<std::int64_t>();
    A b = this->here.template make<std::int64_t>();
    std::vector<std::int64_t*> all;
    for (int i = 0; i < 3000; ++i) {
        all.push_back((i % 2 == 0 ? a : b).allocate(1));
        *all.back() = i;
    }
    A& same = a;
    a = same;
    b = a;
    a = std::move(b);
    for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(*all[i], static_cast<std::int64_t>(i));
        a.deallocate(all[i], 1);
    }
}

TYPED_TEST_P(containers, memory_of_any_count_is_distinct_and_aligned) {
    struct alignas(16) wide {
        std::byte bytes[48];
    };
    auto a = this->here.template make<wide>();
    std::vector<std::pair<wide*, std::size_t>> all;
    for (const std::size_t n :
         std::initializer_list<std::size_t>{0, 1, 2, 3, 7, 20, 21, 22, 100, 1, 0, 5000, 100000}) {
        wide* const p = a.allocate(n);
        ASSERT_NE(p, nullptr);
        EXPECT_TRUE(arenite::is_aligned(p, alignof(wide)));
        for (std::size_t i = 0; i < n; ++i)
            p[i].bytes[0] = p[i].bytes[47] = static_cast<std::byte>(all.size());
        all.emplace_back(p, n);
    }
    for (std::size_t k = 0; k < all.size(); ++k) {
        const auto [p, n] = all[k];
        for (std::size_t i = 0; i < n; ++i)
            ASSERT_EQ(p[i].bytes[0], static_cast<std::byte>(k));
        a.deallocate(p, n);
    }
}

#if ARENITE_EXCEPTIONS
TYPED_TEST_P(containers, a_count_whose_size_does_not_fit_is_bad_array_new_length) {
    auto a = this->here.template make<std::int64_t>();
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    for (const std::size_t n : {most, most / 8, most / 8 + 1, most / 16 + 1})
        EXPECT_THROW(static_cast<void>(a.allocate(n)), std::bad_array_new_length) << n;
#if LIMITS_CAN_BE_TESTED // sanitizers end the program where operator new would throw
    // Seen by somebody: what nobody uses a compiler need not allocate.
    EXPECT_THROW([[maybe_unused]] std::int64_t* volatile seen = a.allocate(most / 16),
                 std::bad_alloc);
#endif
    auto v = TestFixture::template make<typename TestFixture::vector>(this->here, 0, 3);
    EXPECT_THROW(v.reserve(most), std::length_error);
    TestFixture::expect(v, 0, 3);
}
#else
TYPED_TEST_P(containers, a_count_whose_size_does_not_fit_is_bad_array_new_length) {}
#endif

template <class T>
void expect_aligned(T* const p) {
    EXPECT_TRUE(arenite::is_aligned(p, alignof(T))) << alignof(T);
}

template <std::size_t Alignment>
struct alignas(Alignment) over_aligned {
    over_aligned(int n = 0) : value{n} { expect_aligned(this); }
    over_aligned(const over_aligned& other) : value{other.value} { expect_aligned(this); }
    over_aligned& operator=(const over_aligned&) = default;
    int value;
    auto operator<=>(const over_aligned&) const = default;
};

TYPED_TEST_P(containers, elements_may_be_over_aligned) {
    const auto run = [this]<std::size_t Alignment>() {
        using T = over_aligned<Alignment>;
        using A = typename TestFixture::template allocator<T>;
        std::list<T, A> l(this->here.template make<T>());
        std::vector<T, A> v(this->here.template make<T>());
        std::deque<T, A> d(this->here.template make<T>());
        std::set<T, std::less<>, A> s(this->here.template make<T>());
        for (int i = 0; i < 100; ++i) {
            l.emplace_back(i);
            v.emplace_back(i);
            d.emplace_back(i);
            s.emplace(i);
        }
        l.remove_if([](const T& t) { return t.value % 2 == 0; });
        l.emplace_back(5);
        EXPECT_EQ(std::allocate_shared<T>(this->here.template make<T>(), 3)->value, 3);
    };
    run.template operator()<16>();
    run.template operator()<32>();
    run.template operator()<64>();
    run.template operator()<256>();
    run.template operator()<4096>();
}

TYPED_TEST_P(containers, a_type_may_contain_containers_of_itself) {
    struct tree {
        explicit tree(TypeParam& family)
            : children(family.template make<tree>()), more(family.template make<tree>()),
              name(family.template make<char>()) {}
        std::list<tree, typename TypeParam::template allocator<tree>> children;
        std::vector<tree, typename TypeParam::template allocator<tree>> more;
        typename TestFixture::string name;
    };
    tree root{this->here};
    for (int i = 0; i < 10; ++i) {
        tree& child = root.children.emplace_back(this->here);
        child.name = "a name that is too long for the small string optimisation";
        for (int k = 0; k < 5; ++k)
            child.more.emplace_back(this->here).children.emplace_back(this->here);
    }
    root.children.erase(std::next(root.children.begin(), 3));
    tree moved = std::move(root);
    EXPECT_EQ(moved.children.size(), 9u);
    tree copy = moved;
    EXPECT_EQ(copy.children.back().more.back().children.size(), 1u);
    EXPECT_EQ(copy.children.front().name, moved.children.back().name);
}

// Whole containers.

TYPED_TEST_P(containers, copies_are_independent) {
    TestFixture::for_each_kind([this]<class C>() {
        C a = TestFixture::template make<C>(this->here, 0, 50);
        C b = a;
        a.clear();
        TestFixture::expect(b, 0, 50);
        C c(b, this->there.template make<typename C::value_type>());
        b.clear();
        TestFixture::expect(c, 0, 50);
        TestFixture::add(b, 0, 7);
        TestFixture::expect(b, 0, 7);
        EXPECT_FALSE(b == c);
        C d = c;
        EXPECT_TRUE(d == c);
    });
}

TYPED_TEST_P(containers, moves_take_all_along_and_leave_a_usable_container) {
    TestFixture::for_each_kind([this]<class C>() {
        for (const int n : {0, 3, 2000}) {
            C a = TestFixture::template make<C>(this->here, 0, n);
            C b = std::move(a);
            TestFixture::expect(b, 0, n);
            a.clear(); // NOLINT(bugprone-use-after-move)
            TestFixture::add(a, 5, 9);
            TestFixture::expect(a, 5, 9);
            C c(std::move(b), this->there.template make<typename C::value_type>());
            TestFixture::expect(c, 0, n);
            b.clear(); // NOLINT(bugprone-use-after-move)
            TestFixture::add(b, 0, 2);
            c.clear();
            TestFixture::add(c, 0, 2);
            EXPECT_TRUE(b == c);
        }
    });
}

TYPED_TEST_P(containers, assignments_replace_the_contents) {
    TestFixture::for_each_kind([this]<class C>() {
        for (TypeParam* const family : {&this->here, &this->there}) {
            C a = TestFixture::template make<C>(this->here, 0, 1500);
            C b = TestFixture::template make<C>(*family, 100, 140);
            a = b;
            TestFixture::expect(a, 100, 140);
            TestFixture::expect(b, 100, 140);
            C& same = a;
            a = same;
            TestFixture::expect(a, 100, 140);
            C c = TestFixture::template make<C>(*family, 0, 1500);
            a = std::move(c);
            TestFixture::expect(a, 0, 1500);
            c.clear(); // NOLINT(bugprone-use-after-move)
            TestFixture::add(c, 1, 4);
            TestFixture::expect(c, 1, 4);
            a = C(a.get_allocator());
            EXPECT_TRUE(a.empty());
            TestFixture::add(a, 0, 10);
        }
        if constexpr (requires(C c) { c.assign(3, tracked{1}); }) {
            C a = TestFixture::template make<C>(this->here, 0, 5);
            a.assign(700, tracked{1});
            a.assign({tracked{4}, tracked{5}});
            TestFixture::expect(a, 4, 6);
        }
    });
}

TYPED_TEST_P(containers, swap_exchanges_all) {
    TestFixture::for_each_kind([this]<class C>() {
        constexpr bool may_differ =
            TestFixture::always_equal ||
            std::allocator_traits<typename C::allocator_type>::propagate_on_container_swap::value;
        TypeParam& other = may_differ ? this->there : this->here;
        for (const int n : {0, 3, 1500}) {
            C a = TestFixture::template make<C>(this->here, 0, 40);
            C b = TestFixture::template make<C>(other, 50, 50 + n);
            using std::swap;
            swap(a, b);
            TestFixture::expect(a, 50, 50 + n);
            TestFixture::expect(b, 0, 40);
            a.swap(b);
            a.clear();
            TestFixture::add(a, 0, 3);
            TestFixture::expect(a, 0, 3);
            b.clear();
            b.swap(b);
            TestFixture::add(b, 0, 30);
        }
    });
}

TYPED_TEST_P(containers, compare_by_their_elements) {
    TestFixture::for_each_kind([this]<class C>() {
        const C a = TestFixture::template make<C>(this->here, 0, 20);
        const C b = TestFixture::template make<C>(this->there, 0, 20);
        const C c = TestFixture::template make<C>(this->here, 0, 21);
        EXPECT_TRUE(a == b);
        EXPECT_TRUE(a != c);
        if constexpr (requires { a < c; }) {
            EXPECT_TRUE(a < c);
            EXPECT_TRUE(c >= b);
        }
    });
}

TYPED_TEST_P(containers, fill_and_clear_again_and_again) {
    TestFixture::for_each_kind([this]<class C>() {
        C c = TestFixture::template make<C>(this->here);
        for (const int n : {5, 3000, 1, 700, 0, 2500}) {
            TestFixture::add(c, 0, n);
            TestFixture::expect(c, 0, n);
            c.clear();
            EXPECT_TRUE(c.empty());
        }
    });
}

// Sequences.

TYPED_TEST_P(containers, list_operations) {
    using tested = typename TestFixture::list;
    for (const int n : {4, 1500}) {
        tested a = TestFixture::template make<tested>(this->here, 0, n);
        {
            tested b = TestFixture::template make<tested>(this->partner(), n, 2 * n);
            a.splice(a.end(), b); // all
            EXPECT_TRUE(b.empty());
            TestFixture::add(b, 0, 3); // and goes on
        }
        TestFixture::expect(a, 0, 2 * n); // the other is gone
        tested c = TestFixture::template make<tested>(this->partner());
        c.splice(c.begin(), a, a.begin());                            // one
        c.splice(c.end(), a, a.begin(), std::next(a.begin(), n / 2)); // some
        TestFixture::expect(c, 0, n / 2 + 1);
        c.splice(c.begin(), c, std::prev(c.end())); // within itself
        c.sort();
        c.merge(a);
        TestFixture::expect(c, 0, 2 * n);
        EXPECT_TRUE(std::is_sorted(c.begin(), c.end()));
        c.reverse();
        EXPECT_EQ(c.front().get(), 2 * n - 1);
        EXPECT_EQ(c.remove_if([](const tracked& t) { return t.get() % 2 == 0; }),
                  static_cast<std::size_t>(n));
        c.insert(c.begin(), c.front());
        EXPECT_EQ(c.unique(), 1u);
        c.resize(static_cast<std::size_t>(3 * n), tracked{7});
        c.insert(std::next(c.begin()), {tracked{1}, tracked{2}});
        c.erase(c.begin(), std::next(c.begin(), 3));
        c.pop_back();
        c.pop_front();
        c.push_front(tracked{});
        a = std::move(c);
        EXPECT_EQ(a.size(), static_cast<std::size_t>(3 * n - 2));
    }
}

TYPED_TEST_P(containers, forward_list_operations) {
    using tested = typename TestFixture::forward_list;
    for (const int n : {4, 1500}) {
        tested a = TestFixture::template make<tested>(this->here, 0, n);
        {
            tested b = TestFixture::template make<tested>(this->partner(), n, 2 * n);
            a.splice_after(a.before_begin(), b);
            TestFixture::add(b, 0, 3);
        }
        TestFixture::expect(a, 0, 2 * n);
        tested c = TestFixture::template make<tested>(this->partner());
        c.splice_after(c.before_begin(), a, a.before_begin());
        c.splice_after(c.begin(), a, a.before_begin(), std::next(a.begin(), n));
        a.sort();
        c.sort();
        c.merge(a);
        TestFixture::expect(c, 0, 2 * n);
        c.remove_if([](const tracked& t) { return t.get() % 2 == 0; });
        c.resize(static_cast<std::size_t>(3 * n));
        c.insert_after(c.begin(), 5, tracked{1});
        c.erase_after(c.begin(), std::next(c.begin(), 4));
        c.reverse();
        c.unique();
        c.pop_front();
    }
}

TYPED_TEST_P(containers, vector_and_deque_operations) {
    const auto run = [this]<class C>() {
        C c = TestFixture::template make<C>(this->here);
        for (int i = 0; i < 1000; ++i) {
            c.push_back(tracked{i});
            if (i % 3 == 0)
                c.insert(c.begin() + i % static_cast<int>(c.size()), tracked{i});
            if (i % 5 == 0)
                c.erase(c.begin() + i / 2 % static_cast<int>(c.size()));
        }
        c.insert(c.begin() + 3, 300, tracked{9});
        c.resize(5000);
        c.resize(10);
        c.shrink_to_fit();
        EXPECT_EQ(c.size(), 10u);
        if constexpr (requires { c.push_front(tracked{}); }) {
            for (int i = 0; i < 5000; ++i) { // first in, first out, across many of its blocks
                c.push_front(tracked{i});
                c.pop_back();
            }
            EXPECT_EQ(c.front().get(), 4999);
        }
    };
    run.template operator()<typename TestFixture::vector>();
    run.template operator()<typename TestFixture::deque>();
    std::vector<bool, typename TestFixture::template allocator<bool>> bits(
        this->here.template make<bool>());
    bits.resize(10000, true);
    bits.push_back(false);
    EXPECT_EQ(std::count(bits.begin(), bits.end(), true), 10000);
}

TYPED_TEST_P(containers, strings) {
    using tested = typename TestFixture::string;
    tested s(this->here.template make<char>());
    for (int i = 0; i < 3000; ++i)
        s += static_cast<char>('a' + i % 26);
    tested copy = s;
    tested moved = std::move(s);
    EXPECT_EQ(copy, moved);
    moved.insert(5, "some more text that makes it longer");
    moved.resize(20);
    moved.shrink_to_fit();
    swap(copy, moved);
    EXPECT_EQ(copy.size(), 20u);
    EXPECT_EQ(copy + "x", copy.substr(0) + 'x');
    s = copy;
    EXPECT_EQ(s, copy);
}

// Sets and maps.

TYPED_TEST_P(containers, sets_and_maps_exchange_their_nodes) {
    const auto run = [this]<class C>() {
        for (const int n : {6, 1200}) {
            C a = TestFixture::template make<C>(this->here, 0, n);
            C b = TestFixture::template make<C>(this->partner(), n / 2, 2 * n);
            a.merge(b); // which leaves the equal ones of a set or map
            for (int i = 0; i < n; i += 3)
                b.insert(a.extract(tracked{i}));
            a.insert(b.extract(b.begin()));
            EXPECT_TRUE(a.extract(tracked{99999}).empty());
            const std::size_t sum = a.size() + b.size();
            {
                C c = TestFixture::template make<C>(this->partner());
                c.merge(b);
                c.merge(std::move(a));
                b.swap(c);
                EXPECT_LE(b.size() + c.size() + a.size(), sum);
            }
            a.clear();
            TestFixture::add(a, 0, 3);
            EXPECT_GE(b.size(), static_cast<std::size_t>(2 * n));
        }
    };
    run.template operator()<typename TestFixture::set>();
    run.template operator()<typename TestFixture::multiset>();
    run.template operator()<typename TestFixture::map>();
    run.template operator()<typename TestFixture::multimap>();
    run.template operator()<typename TestFixture::unordered_set>();
    run.template operator()<typename TestFixture::unordered_multiset>();
    run.template operator()<typename TestFixture::unordered_map>();
    run.template operator()<typename TestFixture::unordered_multimap>();
}

TYPED_TEST_P(containers, nodes_of_sets_and_multisets_fit_each_other) {
    auto a = TestFixture::template make<typename TestFixture::set>(this->here, 0, 900);
    auto b = TestFixture::template make<typename TestFixture::multiset>(this->partner(), 0, 900);
    b.merge(a);
    EXPECT_EQ(b.size(), 1800u);
    a.merge(b);
    EXPECT_EQ(a.size(), 900u);
    auto c = TestFixture::template make<typename TestFixture::unordered_map>(this->here, 0, 900);
    auto d = TestFixture::template make<typename TestFixture::unordered_multimap>(this->partner(),
                                                                                  0, 900);
    d.merge(c);
    c.merge(d);
    TestFixture::expect(c, 0, 900);
    TestFixture::expect(d, 0, 900);
}

TYPED_TEST_P(containers, a_node_handle_outlives_its_container) {
    const auto run = [this]<class C>() {
        typename C::node_type handle, second;
        for (const int n : {3, 1500}) {
            {
                C c = TestFixture::template make<C>(this->here, 0, n);
                handle = c.extract(tracked{1});
                second = c.extract(tracked{2});
            }
            C d = TestFixture::template make<C>(this->partner());
            d.insert(std::move(handle));
            d.insert(d.end(), std::move(second));
            TestFixture::expect(d, 1, 3);
            second = d.extract(d.begin());
        }
        handle = std::move(second);
        typename C::node_type other;
        swap(handle, other);
        EXPECT_TRUE(handle.empty());
    };
    run.template operator()<typename TestFixture::set>();
    run.template operator()<typename TestFixture::map>();
    run.template operator()<typename TestFixture::unordered_set>();
    run.template operator()<typename TestFixture::unordered_multimap>();
}

TYPED_TEST_P(containers, keys_of_nodes_change_in_place) {
    auto m = TestFixture::template make<typename TestFixture::map>(this->here, 0, 100);
    for (int i = 0; i < 100; ++i) {
        auto node = m.extract(tracked{i});
        const tracked* const at = &node.mapped();
        node.key() = tracked{1000 + i};
        EXPECT_EQ(&m.insert(std::move(node)).position->second, at);
    }
    TestFixture::expect(m, 1000, 1100);
}

TYPED_TEST_P(containers, hash_tables_grow_and_shrink) {
    const auto run = [this]<class C>() {
        C c = TestFixture::template make<C>(this->here);
        c.reserve(1000);
        TestFixture::add(c, 0, 3000);
        c.rehash(50000);
        TestFixture::expect(c, 0, 3000);
        for (int i = 0; i < 3000; i += 2)
            EXPECT_EQ(c.erase(tracked{i}), 1u);
        c.rehash(0);
        EXPECT_EQ(c.size(), 1500u);
        C d = c;
        swap(c, d);
        EXPECT_TRUE(c == d);
    };
    run.template operator()<typename TestFixture::unordered_set>();
    run.template operator()<typename TestFixture::unordered_multiset>();
    run.template operator()<typename TestFixture::unordered_map>();
    run.template operator()<typename TestFixture::unordered_multimap>();
}

/// Any operation in any order beside std's own containers.
TYPED_TEST_P(containers, agree_with_the_standard_ones_after_any_history) {
    using its_set = typename TestFixture::multiset;
    using its_list = typename TestFixture::list;
    std::multiset<int> model[3];
    its_set subject[3] = {TestFixture::template make<its_set>(this->here),
                          TestFixture::template make<its_set>(this->partner()),
                          TestFixture::template make<its_set>(this->here)};
    its_list trail = TestFixture::template make<its_list>(this->here);
    std::uint32_t random = 12345;
    for (int step = 0; step < 20000; ++step) {
        random = random * 1664525 + 1013904223;
        const int i = static_cast<int>(random >> 20) % 3;
        const int k = static_cast<int>(random >> 18) % 3;
        const int value = static_cast<int>(random >> 8) % 500;
        switch ((random >> 25) % 16) {
        case 0:
        case 1:
        case 2:
        case 3:
        case 4:
        case 5:
        case 6:
            model[i].insert(value);
            subject[i].emplace(value);
            trail.emplace_back(value);
            break;
        case 7:
        case 8:
        case 9:
            EXPECT_EQ(model[i].erase(value), subject[i].erase(tracked{value}));
            if (trail.size() > 100)
                trail.pop_front();
            break;
        case 10:
            if (!model[i].empty()) {
                subject[k].insert(subject[i].extract(subject[i].begin()));
                model[k].insert(model[i].extract(model[i].begin()));
            }
            break;
        case 11:
            std::swap(model[i], model[k]);
            std::swap(subject[i], subject[k]);
            break;
        case 12:
            if (i != k && value < 50) {
                model[k] = std::move(model[i]);
                subject[k] = std::move(subject[i]);
                model[i].clear();
                subject[i].clear();
            }
            break;
        case 13:
            if (i != k && value < 50) {
                model[k].merge(model[i]);
                subject[k].merge(subject[i]);
            }
            break;
        case 14:
            if (value < 20) {
                model[i] = model[k];
                subject[i] = subject[k];
            }
            break;
        default:
            if (value < 20) {
                model[i].clear();
                subject[i].clear();
            }
        }
    }
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(values(subject[i]), std::vector<int>(model[i].begin(), model[i].end()));
}

// Other uses of allocators.

TYPED_TEST_P(containers, allocate_shared_outlives_its_allocator) {
    std::vector<std::shared_ptr<tracked>> all;
    std::weak_ptr<tracked> weak;
    {
        auto a = this->here.template make<tracked>();
        for (int i = 0; i < 500; ++i)
            all.push_back(std::allocate_shared<tracked>(a, i));
        const std::shared_ptr<tracked> adopted(new tracked{7}, std::default_delete<tracked>{}, a);
        weak = all[3];
    }
    // libc++ 16 frees a shared array with its bytes as the count of units of 8.
#if !defined(_LIBCPP_VERSION) || _LIBCPP_VERSION >= 170000
    const auto array = std::allocate_shared<int[]>(this->here.template make<int>(), 1000);
    array[999] = 5;
#endif
    EXPECT_EQ(all[499]->get(), 499);
    all.clear();
    EXPECT_TRUE(weak.expired());
}

TYPED_TEST_P(containers, containers_in_containers) {
    using its_string = typename TestFixture::string;
    using inner = std::list<its_string, std::scoped_allocator_adaptor<
                                            typename TestFixture::template allocator<its_string>>>;
    using outer_allocator =
        std::scoped_allocator_adaptor<typename TestFixture::template allocator<inner>>;
    using outer = std::vector<inner, outer_allocator>;
    using map_allocator = std::scoped_allocator_adaptor<
        typename TestFixture::template allocator<std::pair<const its_string, outer>>>;
    std::map<its_string, outer, std::less<>, map_allocator> m{
        map_allocator(this->here.template make<std::pair<const its_string, outer>>())};
    const char* const text = "long enough that no small string optimisation holds it";
    for (int i = 0; i < 40; ++i) {
        outer& o = m[its_string(std::to_string(i).c_str(), this->here.template make<char>())];
        for (int k = 0; k < 6; ++k)
            o.emplace_back().emplace_back(text);
        o.resize(4);
        o.push_back(o.front());
    }
    auto copy = m;
    m.clear();
    const auto moved = std::move(copy);
    EXPECT_EQ(moved.size(), 40u);
    EXPECT_EQ(moved.begin()->second.back().front(), text);
    // and plain ones, each with its own allocator
    std::vector<typename TestFixture::list> lists;
    for (int i = 0; i < 20; ++i)
        lists.push_back(TestFixture::template make<typename TestFixture::list>(this->here, 0, i));
    lists.erase(lists.begin(), lists.begin() + 7);
    std::rotate(lists.begin(), lists.begin() + 3, lists.end());
    EXPECT_EQ(lists.front().size(), 10u);
}

TYPED_TEST_P(containers, serve_containers_that_use_temporary_allocators) {
    using proxied = support::proxy_list<tracked, typename TestFixture::template allocator<tracked>>;
    proxied a(this->here.template make<tracked>());
    for (const int n : {5, 2000}) {
        for (int i = 0; i < n; ++i)
            a.push_back(tracked{i});
        for (int i = 0; i < n / 2; ++i)
            a.pop_front();
        EXPECT_EQ(a.front().get(), n / 2);
        proxied b = std::move(a);
        b.push_back(tracked{});
        EXPECT_EQ(b.size(), static_cast<std::size_t>(n - n / 2 + 1));
        a.push_back(tracked{1}); // NOLINT(bugprone-use-after-move)
        a.clear();
    }
}

// Failure.

#if ARENITE_EXCEPTIONS
TYPED_TEST_P(containers, a_constructor_that_throws_leaves_nothing_behind) {
    TestFixture::for_each_kind([this]<class C>() {
        for (int n = 0; copies_may_throw<C> && n < 12; ++n) {
            const C source = TestFixture::template make<C>(this->here, 0, 8);
            const int before = tracked::live();
            tracked::throw_after(n);
            try {
                C copy(source);
                TestFixture::add(copy, 10, 30);
                copy = source;
            } catch (const std::runtime_error&) {
            }
            tracked::never_throw();
            EXPECT_EQ(tracked::live(), before);
            TestFixture::expect(source, 0, 8);
        }
        for (int n = 0; n < 3; ++n) { // one element: all or nothing
            C c = TestFixture::template make<C>(this->here, 0, 8);
            tracked::throw_after(n);
            try {
                TestFixture::add(c, 8, 9);
            } catch (const std::runtime_error&) {
                tracked::never_throw();
                TestFixture::expect(c, 0, 8);
            }
            tracked::never_throw();
        }
    });
    auto a = this->here.template make<tracked>();
    tracked::throw_after(0);
    EXPECT_THROW(static_cast<void>(std::allocate_shared<tracked>(a, 1)), std::runtime_error);
    tracked::never_throw();
}

/// The n-th request to the upstream fails, for each n until the operation succeeds.
template <class Fixture, class Family, class Container, class Operation>
void fail_at_each_call(Operation operation, bool strong) {
    for (std::size_t n = 0;; ++n) {
        ASSERT_LT(n, 5000u);
        Family family;
        support::counting_resource* const up = family.upstream();
        if (up == nullptr)
            return;
        Container c = Fixture::template make_for_failure<Container>(family);
        const auto before = values(c);
        up->fail_once_after(n);
        bool failed = false;
        try {
            operation(c);
        } catch (const std::bad_alloc&) {
            failed = true;
        }
        const bool reached = up->failures() != 0;
        up->never_fail();
        if (failed && strong) {
            EXPECT_EQ(values(c), before) << "call " << n;
        }
        c.clear();
        operation(c); // and all goes on
        if (!reached)
            return;
    }
}

template <class Family>
class failing_containers : public containers<Family> {
public:
    using base = containers<Family>;
    template <class Container>
    static Container make_for_failure(Family& family) {
        return base::template make<Container>(family, 0, 5);
    }

    void TestBody() override {}

    template <class Container>
    static void run() {
        using self = failing_containers;
        const auto add = [](Container& c) { base::add(c, 100, 101); };
        fail_at_each_call<self, Family, Container>(add, true);
        const auto fill = [](Container& c) { base::add(c, 100, 1500); };
        fail_at_each_call<self, Family, Container>(fill, false);
        const auto copy = [](Container& c) {
            base::add(c, 100, 400);
            Container other = c;
            base::add(other, 400, 800);
            c = other;
            other = std::move(c);
            c = std::move(other);
        };
        if (copies_may_throw<Container>)
            fail_at_each_call<self, Family, Container>(copy, false);
    }
};

TYPED_TEST_P(containers, an_upstream_that_fails_changes_nothing_and_leaks_nothing) {
    using A = typename TestFixture::template allocator<heavy>;
    using f = failing_containers<TypeParam>;
    f::template run<std::list<heavy, A>>();
    f::template run<std::forward_list<heavy, A>>();
    f::template run<std::vector<heavy, A>>();
    f::template run<std::deque<heavy, A>>();
    f::template run<std::set<heavy, std::less<>, A>>();
    f::template run<typename TestFixture::unordered_set>();
    f::template run<typename TestFixture::map>();
    f::template run<typename TestFixture::unordered_map>();
}
#else
TYPED_TEST_P(containers, a_constructor_that_throws_leaves_nothing_behind) {}
TYPED_TEST_P(containers, an_upstream_that_fails_changes_nothing_and_leaks_nothing) {}
#endif

REGISTER_TYPED_TEST_SUITE_P(
    containers, rebinds_copies_and_moved_from_allocators_are_equal,
    assigned_allocators_keep_what_was_allocated, memory_of_any_count_is_distinct_and_aligned,
    a_count_whose_size_does_not_fit_is_bad_array_new_length, elements_may_be_over_aligned,
    a_type_may_contain_containers_of_itself, copies_are_independent,
    moves_take_all_along_and_leave_a_usable_container, assignments_replace_the_contents,
    swap_exchanges_all, compare_by_their_elements, fill_and_clear_again_and_again, list_operations,
    forward_list_operations, vector_and_deque_operations, strings,
    sets_and_maps_exchange_their_nodes, nodes_of_sets_and_multisets_fit_each_other,
    a_node_handle_outlives_its_container, keys_of_nodes_change_in_place,
    hash_tables_grow_and_shrink, agree_with_the_standard_ones_after_any_history,
    allocate_shared_outlives_its_allocator, containers_in_containers,
    serve_containers_that_use_temporary_allocators, a_constructor_that_throws_leaves_nothing_behind,
    an_upstream_that_fails_changes_nothing_and_leaks_nothing);

} // namespace container_suite
