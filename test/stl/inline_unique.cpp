// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/config.hpp>
#include <arenite/stl/inline_map.hpp>
#include <arenite/stl/inline_set.hpp>
#include <arenite/stl/inline_unordered_map.hpp>

#include <gtest/gtest.h>

#include "support/inline_container.hpp"

#include <map>
#include <set>
#include <stdexcept>
#include <type_traits>
#include <unordered_map>

using namespace arenite;
using support::by_modulus;
using support::tied;

namespace {

TEST(inline_unique, behaves_as_the_container_of_std_with_its_nodes_inside) {
    support::behaves_as<inline_map<tied, tied, 20>, std::map<tied, tied>>("inline_map");
    support::behaves_as<inline_set<tied, 20>, std::set<tied>>("inline_set");
    support::behaves_as<inline_unordered_map<tied, tied, 20, by_modulus>,
                        std::unordered_map<tied, tied, by_modulus>>("inline_unordered_map");
}

// No way leads to the container inside: its own swap and moves would exchange memory.
static_assert(!std::is_convertible_v<inline_map<int, int, 2>&, std::map<int, int>&>);
static_assert(!std::is_copy_constructible_v<detail::inline_slots<16, 8, 1, 0>>);

#if ARENITE_EXCEPTIONS
struct failing {
    explicit failing(int v) : value{v} {}
    failing(const failing& o) : value{o.value} {
        if (--moves_left == 0)
            throw std::runtime_error{"no more moves"};
    }
    failing& operator=(const failing&) = default;
    tied value;
    static inline int moves_left = 0;
};

// Whichever move fails: both containers can be used afterwards, and nothing is destroyed twice.
TEST(inline_unique, stays_valid_where_a_move_throws) {
    using map = inline_map<int, failing, 6>;
    const auto fill = [](map& m, int first) {
        failing::moves_left = 0;
        for (int i = 0; i < 5; ++i)
            m.try_emplace(first + i, i);
    };
    bool thrown = true;
    for (int n = 1; thrown; ++n) {
        map a;
        map b;
        fill(a, 0);
        fill(b, 10);
        failing::moves_left = n;
        thrown = false;
        try {
            a.swap(b);
            const map c{a};
            b = std::move(a);
        } catch (const std::runtime_error&) {
            thrown = true;
        }
        a.clear();
        fill(a, 30);
        b.clear();
        b = a;
        EXPECT_EQ(b.size(), 5U);
        ASSERT_LT(n, 1000);
    }
    EXPECT_EQ(tied::alive, 0);
}
#endif

} // namespace
