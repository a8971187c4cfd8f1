// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Standard containers whose memory comes from sources that refuse: each operation with its request
// number n refused, for every n. Beside bad_alloc the standard promises that nothing has changed,
// or that all is still valid; and nothing may be lost.
#include <arenite/check/passthrough.hpp>
#include <arenite/core/config.hpp>
#include <arenite/os/page_resource.hpp>
#include <arenite/stl/container_pool.hpp>
#include <arenite/stl/containers.hpp>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"
#include "support/failing_calls.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <functional>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <new>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

using namespace arenite;
#if ARENITE_EXCEPTIONS // else no request returns that is refused

namespace {

// ---- sources ----------------------------------------------------------------
/// Where the memory of two containers comes from.
class source {
public:
    source() = default;
    source(const source&) = delete;
    source& operator=(const source&) = delete;
    virtual ~source() = default;

    /// From its request number n on, that one or all.
    virtual void refuse(long n, bool once) = 0;
    /// Serves again; whether it has refused any.
    virtual bool serve() = 0;
    /// Bytes or objects in use: the same numbers for the same contents.
    [[nodiscard]] virtual std::size_t in_use() const { return 0; }
};

class refusing_upstream : public source {
public:
    void refuse(long n, bool once) override {
        const auto first = static_cast<std::size_t>(n);
        failures_ = up.failures();
        once ? up.fail_once_after(first) : up.fail_after(first);
    }
    bool serve() override {
        up.never_fail();
        return up.failures() != failures_;
    }

    support::counting_resource up; // at its end all has to have come back

private:
    std::size_t failures_ = 0;
};

/// A pool of several containers.
struct one_pool final : refusing_upstream {
    [[nodiscard]] std::size_t in_use() const override { return pool.usage().live_allocations; }
    template <class Container>
    [[nodiscard]] Container make() {
        return Container(typename Container::allocator_type(pool));
    }
    container_pool pool{&up};
};

/// A base of a suballocator, so that each container has its own pool.
template <class T>
struct base {
    using value_type = T;

    explicit base(support::counting_resource& up) : from{&up} {}
    template <class U>
    base(const base<U>& other) : from{other.from} {} // NOLINT(google-explicit-constructor)

    T* allocate(std::size_t n) {
        return static_cast<T*>(from->allocate(n * sizeof(T), alignof(T)));
    }
    void deallocate(T* p, std::size_t n) { from->deallocate(p, n * sizeof(T), alignof(T)); }
    template <class U>
    bool operator==(const base<U>& other) const {
        return from == other.from;
    }

    support::counting_resource* from;
};

struct own_pools final : refusing_upstream {
    template <class Container>
    [[nodiscard]] Container make() {
        return Container(first);
    }
    suballocator<std::byte, base<std::byte>> first{base<std::byte>{up}};
};

#if CALLS_CAN_FAIL
/// The pages of the process, and a system that refuses.
struct system_pages final : source {
    system_pages() { system_pages::serve(); }
    ~system_pages() override { system_pages::serve(); }
    void refuse(long n, bool once) override {
        first_ = n;
        { // all that is usable without asking the system
            const support::failing_calls none{0};
            while (void* const p = page_source().try_allocate(unit))
                ballast_.push_back(p);
        }
        refused_.emplace(n, once ? 1 : LONG_MAX);
    }
    bool serve() override {
        const bool reached = refused_ && refused_->calls() > first_;
        refused_.reset();
        for (void* const p : ballast_)
            page_source().deallocate(p, unit);
        ballast_.clear();
        page_source().trim();
        return reached;
    }
    template <class Container>
    [[nodiscard]] Container make() {
        return Container();
    }

private:
    static constexpr std::size_t unit = page_resource::unit_bytes;

    std::optional<support::failing_calls> refused_;
    std::vector<void*> ballast_;
    long first_ = 0;
};
#endif

// ---- containers -------------------------------------------------------------
template <std::size_t Bytes>
struct element {
    element(int n = 0) : value{n} {} // NOLINT(google-explicit-constructor)
    int value;
    std::array<char, Bytes> more{};
    friend bool operator<(const element& a, const element& b) { return a.value < b.value; }
    friend bool operator==(const element& a, const element& b) { return a.value == b.value; }
};
struct hash {
    template <class T>
    std::size_t operator()(const T& e) const {
        return static_cast<std::size_t>(e.value);
    }
};

enum class operation { emplace, insert, copy, assign, move, swap, erase, exchange, rehash };
constexpr const char* names[] = {"emplace", "insert", "copy",     "assign", "move",
                                 "swap",    "erase",  "exchange", "rehash"};

using numbers = std::vector<int>;

/// Two containers without their types.
class pair_of_containers {
public:
    pair_of_containers() = default;
    pair_of_containers(const pair_of_containers&) = delete;
    pair_of_containers& operator=(const pair_of_containers&) = delete;
    virtual ~pair_of_containers() = default;
    virtual void fill(int which, int from, int to) = 0;
    virtual void apply(operation what) = 0;
    [[nodiscard]] virtual numbers contents(int which) const = 0;
    bool keeps_one_of_each = false; ///< of equal elements
    bool is_table = false;
    int added = 0; ///< by emplace
};

/// Elements that are emplaced one by one, enough for several requests.
constexpr int first_added = 10'000, most_added = 1500;

template <class Container>
class two final : public pair_of_containers {
public:
    template <class Source>
    explicit two(Source& from)
        : a_{from.template make<Container>()}, b_{from.template make<Container>()} {
        is_table = requires { a_.rehash(1); };
        if constexpr (requires { typename Container::key_type; }) {
            add(a_, 1);
            add(a_, 1);
            keeps_one_of_each = a_.size() == 1;
            a_.clear();
        }
    }

    void fill(int which, int from, int to) override {
        for (int i = from; i < to; ++i)
            add(which == 0 ? a_ : b_, i);
    }

    void apply(operation what) override {
        switch (what) {
        case operation::emplace:
            for (added = 0; added < most_added; ++added)
                add(a_, first_added + added);
            return;
        case operation::insert:
            if constexpr (requires { a_.insert_after(a_.before_begin(), b_.begin(), b_.end()); })
                a_.insert_after(a_.before_begin(), b_.begin(), b_.end());
            else if constexpr (requires { typename Container::key_type; })
                a_.insert(b_.begin(), b_.end());
            else
                a_.insert(a_.begin(), b_.begin(), b_.end());
            return;
        case operation::copy: {
            const Container copy(a_);
            EXPECT_TRUE(copy == a_);
            return;
        }
        case operation::assign:
            a_ = b_;
            return;
        case operation::move:
            a_ = std::move(b_);
            b_.clear();
            return;
        case operation::swap:
            a_.swap(b_);
            return;
        case operation::erase:
            if constexpr (requires { a_.erase_after(a_.begin()); })
                a_.erase_after(a_.before_begin());
            else
                a_.erase(a_.begin());
            return;
        case operation::exchange:
            if constexpr (requires { a_.splice_after(a_.before_begin(), b_); })
                a_.splice_after(a_.before_begin(), b_);
            else if constexpr (requires { a_.splice(a_.begin(), b_); })
                a_.splice(a_.begin(), b_);
            else
                a_.merge(b_);
            return;
        case operation::rehash:
            if constexpr (requires { a_.rehash(1); })
                a_.rehash(9 * a_.size());
        }
    }

    [[nodiscard]] numbers contents(int which) const override {
        numbers all;
        for (const auto& e : which == 0 ? a_ : b_) {
            if constexpr (requires { e.second; })
                all.push_back(e.first.value);
            else
                all.push_back(e.value);
        }
        std::sort(all.begin(), all.end());
        return all;
    }

private:
    static void add(Container& c, int n) {
        if constexpr (requires { typename Container::mapped_type; })
            c.emplace(n, 1);
        else if constexpr (requires { typename Container::key_type; })
            c.emplace(n);
        else
            c.emplace_front(n);
    }

    Container a_, b_;
};

// ---- a model ------------------------------------------------------------------
struct state {
    numbers a, b;
    friend bool operator==(const state&, const state&) = default;
};
state state_of(const pair_of_containers& c) { return {c.contents(0), c.contents(1)}; }

numbers sum(const numbers& a, const numbers& b) {
    numbers all; // in order, as both are
    std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
    return all;
}

numbers emplaced(int count) {
    numbers all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), first_added);
    return all;
}

/// The contents after an operation that nothing disturbs; erase takes any element.
state expected(const state& before, operation what, const pair_of_containers& c) {
    state after = before;
    switch (what) {
    case operation::emplace:
    case operation::insert:
    case operation::exchange:
        after.a = sum(before.a, what == operation::emplace ? emplaced(most_added) : before.b);
        if (c.keeps_one_of_each)
            after.a.erase(std::unique(after.a.begin(), after.a.end()), after.a.end());
        if (what == operation::exchange) {
            after.b.clear();
            if (c.keeps_one_of_each)
                std::set_intersection(before.a.begin(), before.a.end(), before.b.begin(),
                                      before.b.end(), std::back_inserter(after.b));
        }
        break;
    case operation::assign:
        after.a = before.b;
        break;
    case operation::move:
        after.a = before.b;
        after.b.clear();
        break;
    case operation::swap:
        std::swap(after.a, after.b);
        break;
    default:
        break;
    }
    return after;
}

/// The standard's promises of an operation that throws.
void expect_promise(operation what, const state& before, const state& now, const state& whole,
                    int added) {
    switch (what) {
    case operation::emplace: // each that returned
        EXPECT_EQ(now.b, before.b);
        EXPECT_EQ(now.a, sum(before.a, emplaced(added)));
        break;
    case operation::insert: // some of the new ones may be there
        EXPECT_EQ(now.b, before.b);
        EXPECT_TRUE(std::includes(now.a.begin(), now.a.end(), before.a.begin(), before.a.end()));
        EXPECT_TRUE(std::includes(whole.a.begin(), whole.a.end(), now.a.begin(), now.a.end()));
        break;
    case operation::assign: // valid; its contents are not told, but never more
        EXPECT_EQ(now.b, before.b);
        EXPECT_LE(now.a.size(), before.a.size() + before.b.size());
        break;
    case operation::exchange: { // a hash table asks for room
        const numbers all = sum(now.a, now.b), all_before = sum(before.a, before.b);
        EXPECT_TRUE(std::includes(all_before.begin(), all_before.end(), all.begin(), all.end()));
        EXPECT_GE(all.size() + 1, all_before.size()) << "libstdc++ drops the one that it moves";
        break;
    }
    default:
        EXPECT_EQ(now, before);
    }
}

// ---- the tests ------------------------------------------------------------------
struct subject {
    std::string name;
    std::function<std::unique_ptr<source>()> make_source;
    std::function<std::unique_ptr<pair_of_containers>(source&)> make;
};

template <class Source, class... Containers>
std::vector<subject> subjects(const std::vector<std::string>& kinds) {
    std::vector<subject> all{subject{"", [] { return std::make_unique<Source>(); },
                                     [](source& from) {
                                         return std::make_unique<two<Containers>>(
                                             static_cast<Source&>(from));
                                     }}...};
    for (std::size_t i = 0; i < all.size(); ++i)
        all[i].name = kinds.at(i);
    return all;
}

/// One refusal and its consequences; false: none was met.
bool refuse_one(const subject& s, operation what, long n, bool once, int filled, int more,
                long& thrown) {
    const auto from = s.make_source();
    bool refused = false;
    {
        const auto c = s.make(*from);
        c->fill(0, 0, filled);
        c->fill(1, filled - 2, filled - 2 + more);
        const state before = state_of(*c);
        const state whole = expected(before, what, *c);
        const std::size_t in_use = from->in_use();
        bool threw = false;
        from->refuse(n, once);
        try {
            c->apply(what);
        } catch (const std::bad_alloc&) {
            threw = true;
            ++thrown;
        }
        refused = from->serve();
        const state now = state_of(*c);
        if (threw) {
            EXPECT_TRUE(refused) << "it threw though all was served";
            expect_promise(what, before, now, whole, c->added);
            if (now == before) {
                EXPECT_EQ(from->in_use(), in_use) << "something is kept for nothing";
            }
            const bool takes_none = what == operation::move || what == operation::swap ||
                                    what == operation::erase ||
                                    (what == operation::exchange && !c->is_table);
            EXPECT_FALSE(takes_none) << "it asks for nothing";
        } else if (what == operation::erase) {
            EXPECT_EQ(now.a.size() + 1, before.a.size());
        } else {
            EXPECT_EQ(now, whole);
        }
        // Usable afterwards: the same again, and more.
        const state again = state_of(*c);
        c->apply(what);
        if (what != operation::erase) {
            EXPECT_EQ(state_of(*c), expected(again, what, *c));
        }
        c->fill(0, 20'000, 20'100);
        const numbers at_last = c->contents(0);
        EXPECT_TRUE(std::binary_search(at_last.begin(), at_last.end(), 20'099));
    }
    EXPECT_EQ(from->in_use(), 0u) << "not all came back";
    return refused;
}

/// Refuses each request of each operation.
void refuse_each(const std::vector<subject>& all, int filled, int more) {
    long thrown = 0;
    for (const subject& s : all)
        for (std::size_t o = 0; o < std::size(names); ++o)
            for (const bool once : {true, false})
                for (long n = 0;; ++n) {
                    SCOPED_TRACE(s.name + ": " + names[o] + ", request " + std::to_string(n) +
                                 (once ? "" : " and later"));
                    ASSERT_LT(n, 2000) << "there is always one more request";
                    const bool refused = refuse_one(s, operation(o), n, once, filled, more, thrown);
                    if (::testing::Test::HasFailure())
                        return;
                    if (!refused)
                        break;
                }
    EXPECT_GT(thrown, static_cast<long>(4 * all.size()));
}

using little = element<200>;
using large = element<900>;

TEST(failing_sources, leave_containers_of_one_pool_as_the_standard_promises) {
    refuse_each(
        subjects<one_pool, pooled::list<little>, pooled::forward_list<little>, pooled::set<little>,
                 pooled::multimap<little, int>, pooled::unordered_set<little, hash>,
                 pooled::unordered_multimap<little, int, hash>>(
            {"list", "forward_list", "set", "multimap", "unordered_set", "unordered_multimap"}),
        1000, 3000);
}

TEST(failing_sources, leave_containers_with_pools_of_their_own_as_the_standard_promises) {
    using value = std::pair<const little, int>;
    refuse_each(subjects<own_pools, std::list<little, suballocator<little, base<little>>>,
                         std::map<little, int, std::less<>, suballocator<value, base<value>>>,
                         std::unordered_map<little, int, hash, std::equal_to<>,
                                            suballocator<value, base<value>>>>(
                    {"list", "map", "unordered_map"}),
                300, 400);
}

#if CALLS_CAN_FAIL
TEST(failing_sources, leave_containers_on_pages_as_the_standard_promises) {
    if (passthrough())
        GTEST_SKIP() << "memory is malloc's";
    const auto all = subjects<system_pages, pooled::list<large>, pooled::map<large, int>,
                              pooled::unordered_set<large, hash>>({"list", "map", "unordered_set"});
    std::size_t pages = 0;
    for (const bool first : {true, false}) { // what the thread and the process keep is there then
        refuse_each(all, 1000, 3000);
        const std::size_t now = page_source().usage().bytes_in_use;
        if (!first) {
            EXPECT_LE(now, pages) << "some were lost";
        }
        pages = now;
    }
}
#endif

} // namespace

#endif
