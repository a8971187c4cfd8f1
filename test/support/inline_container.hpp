// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/error.hpp>

#include <gtest/gtest.h>

#include "support/operations.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace support {

/// A value that knows where it lies and how many there are, so that one whose memory was moved or
/// exchanged under it is found. A key as well; whatever was moved from is -1.
class tied {
public:
    // NOLINTNEXTLINE(google-explicit-constructor): it stands for a number
    tied(int value) : value_{value}, self_{this} { ++alive; }
    tied(const tied& o) : tied(o.get()) {}
    tied(tied&& o) noexcept : value_{std::exchange(o.value_, -1)}, self_{this} {
        o.check();
        ++alive;
    }
    tied& operator=(const tied& o) {
        check();
        value_ = o.get();
        return *this;
    }
    tied& operator=(tied&& o) noexcept {
        check();
        value_ = std::exchange(o.value_, -1);
        return *this;
    }
    ~tied() {
        check();
        self_ = nullptr;
        --alive;
    }
    [[nodiscard]] int get() const {
        check();
        return value_;
    }
    friend bool operator==(const tied& a, const tied& b) { return a.get() == b.get(); }
    friend bool operator<(const tied& a, const tied& b) { return a.get() < b.get(); }

    static inline int alive = 0;

private:
    void check() const noexcept { EXPECT_EQ(self_, this) << "this does not lie where it was made"; }

    int value_;
    tied* self_;
};

/// A function object with state: containers have to take it along.
struct by_modulus {
    int modulus = 1000;
    [[nodiscard]] std::size_t operator()(const tied& t) const {
        return static_cast<std::size_t>(t.get() % modulus);
    }
};
struct downwards_if {
    bool downwards = false;
    bool operator()(const tied& a, const tied& b) const { return downwards ? b < a : a < b; }
};

/// True if p lies in the object itself.
template <class Container>
[[nodiscard]] bool is_inside(const Container& c, const void* p) {
    const std::less<const void*> less;
    const auto* const begin = reinterpret_cast<const std::byte*>(std::addressof(c));
    return !less(p, begin) && less(p, begin + sizeof c);
}

template <class Container>
void expect_all_inside(const Container& c) {
    for (const auto& v : c)
        ASSERT_TRUE(is_inside(c, std::addressof(v)));
}

/// The common parts of containers of unique keys, a set's or a map's.
inline int key_of(const tied& t) { return t.get(); }
template <class P>
int key_of(const P& p) {
    return p.first.get();
}
template <class Container>
typename Container::value_type value_for(int key) {
    if constexpr (std::is_same_v<typename Container::value_type, tied>)
        return key;
    else
        return {key, 10 * key};
}

template <class Container>
std::vector<int> sorted_keys(const Container& c) {
    std::vector<int> keys;
    for (const auto& v : c)
        keys.push_back(key_of(v));
    std::sort(keys.begin(), keys.end());
    return keys;
}
template <class Container>
std::vector<int> sorted_values(const Container& c) {
    std::vector<int> values;
    for (const auto& v : c) {
        if constexpr (std::is_same_v<typename Container::value_type, tied>)
            values.push_back(v.get());
        else
            values.push_back(v.second.get());
    }
    std::sort(values.begin(), values.end());
    return values;
}

/// Adds elements to an inline container of unique keys.
template <class Container, class Model>
void add(Container& c, Model& m, int key, unsigned how) {
    const auto v = value_for<Container>(key);
    if (c.full() && m.count(key) == 0) {
#if ARENITE_EXCEPTIONS
        EXPECT_THROW(c.insert(v), arenite::out_of_memory);
        EXPECT_THROW(c.emplace(v), arenite::out_of_memory);
        EXPECT_THROW(c.emplace_hint(c.cbegin(), v), arenite::out_of_memory);
#endif
        return;
    }
    const bool is_new = m.insert(value_for<Model>(key)).second;
    const auto n = c.size();
    switch (how % 4) {
    case 0: {
        EXPECT_EQ(c.insert(v).second, is_new);
        break;
    }
    case 1: {
        const auto done = c.emplace(v);
        EXPECT_EQ(done.second, is_new);
        EXPECT_EQ(key_of(*done.first), key);
        break;
    }
    case 2: {
        EXPECT_EQ(key_of(*c.emplace_hint(c.cend(), v)), key);
        break;
    }
    default: {
        EXPECT_EQ(key_of(*c.insert(c.cbegin(), v)), key);
        break;
    }
    }
    EXPECT_EQ(c.size(), n + (is_new ? 1 : 0));
}

/// Two containers beside two of std, by random steps.
template <class Container, class Model>
void behaves_as(const char* test) {
    using std::swap;
    random_source random{test_seed(test), 3000};
    {
        Container c[2];
        Model m[2];
        while (random.more()) {
            const auto i = below(random, 2);
            const auto j = 1 - i;
            const int key = static_cast<int>(below(random, 2 * Container::capacity()));
            switch (below(random, 16)) {
            default: // mostly full
                add(c[i], m[i], key, static_cast<unsigned>(below(random, 4)));
                break;
            case 0:
            case 1: {
                EXPECT_EQ(c[i].erase(key), m[i].erase(key));
                break;
            }
            case 2:
                c[i] = c[j];
                m[i] = m[j];
                break;
            case 3:
                c[i] = std::move(c[j]);
                m[i] = std::move(m[j]);
                EXPECT_TRUE(c[j].empty());
                m[j].clear();
                break;
            case 4:
                swap(c[i], c[j]);
                swap(m[i], m[j]);
                break;
            case 5: {
                Container other{c[i]};
                EXPECT_EQ(other, c[i]);
                Container moved{std::move(other)};
                EXPECT_TRUE(other.empty());
                EXPECT_EQ(moved, c[i]);
                expect_all_inside(moved);
                break;
            }
            case 6: { // a node of the one goes to the other
                if (c[i].empty() || c[j].full())
                    break;
                const int first = key_of(*c[i].begin());
                auto done = c[j].insert(c[i].extract(c[i].cbegin()));
                EXPECT_EQ(done.inserted, m[j].count(first) == 0);
                EXPECT_EQ(done.node.empty(), done.inserted);
                EXPECT_EQ(key_of(*done.position), first);
                m[j].insert(m[i].extract(first));
                break;
            }
            case 7: {
                Model both = m[j];
                for (const auto& v : m[i])
                    both.insert(v);
                if (both.size() > Container::capacity())
                    break;
                c[j].merge(c[i]);
                m[j].merge(m[i]);
                break;
            }
            case 8: {
                if (below(random, 4) == 0) {
                    c[i].clear();
                    m[i].clear();
                }
                break;
            }
            }
            for (int k = 0; k < 2; ++k) {
                ASSERT_EQ(sorted_keys(c[k]), sorted_keys(m[k]));
                ASSERT_EQ(sorted_values(c[k]), sorted_values(m[k]));
                ASSERT_EQ(c[k].full(), m[k].size() == Container::capacity());
                expect_all_inside(c[k]);
            }
        }
    }
    EXPECT_EQ(tied::alive, 0);
}

/// Full containers can be exchanged and moved, and the functions go along.
template <class Container>
void fill(Container& c, int first) {
    for (int i = 0; !c.full(); ++i)
        c.insert(value_for<Container>(first + i));
}

} // namespace support
