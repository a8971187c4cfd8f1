// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/stl/inline_list.hpp>

#include <gtest/gtest.h>

#include "support/inline_container.hpp"

#include <algorithm>
#include <iterator>
#include <list>
#include <memory>
#include <numeric>
#include <type_traits>
#include <utility>

using namespace arenite;
using support::below;
using support::tied;

namespace {

using small_list = inline_list<tied, 20>;
using model = std::list<tied>;

static_assert(!std::is_convertible_v<small_list&, std::list<tied>&>);
static_assert(std::is_nothrow_move_constructible_v<inline_list<int, 3>>);

void refuses_one_more([[maybe_unused]] small_list& l) {
#if ARENITE_EXCEPTIONS
    EXPECT_THROW(l.push_back(1), out_of_memory);
    EXPECT_THROW(l.emplace(l.begin(), 1), out_of_memory);
    EXPECT_THROW(l.insert(l.begin(), 3, tied{1}), out_of_memory);
    EXPECT_THROW(l.resize(21, tied{1}), out_of_memory);
    EXPECT_THROW(l.splice(l.begin(), inline_list<tied, 1>{1}), out_of_memory);
    EXPECT_THROW(l.merge(inline_list<tied, 1>{1}), out_of_memory);
#endif
}

TEST(inline_list, an_element_that_is_spliced_to_where_it_is_stays) {
    inline_list<int, 8> l{0, 1, 2, 3};
    const inline_list<int, 8> same = l;
    const auto it = std::next(l.begin());
    l.splice(it, l, it);
    l.splice(std::next(it), l, it);
    EXPECT_EQ(l, same);
    l.splice(l.end(), l, it);
    EXPECT_EQ(l, (inline_list<int, 8>{0, 2, 3, 1}));
}

TEST(inline_list, behaves_as_std_list_whose_nodes_lie_inside) {
    support::random_source random{support::test_seed("inline_list"), 3000};
    {
        small_list c[2];
        model m[2];
        while (random.more()) {
            const auto i = below(random, 2);
            const auto j = 1 - i;
            const int v = static_cast<int>(below(random, 100));
            const auto at = static_cast<int>(below(random, c[i].size() + 1));
            switch (below(random, 12)) {
            default:
                if (c[i].full()) {
                    refuses_one_more(c[i]);
                    break;
                }
                c[i].insert(std::next(c[i].begin(), at), v);
                m[i].insert(std::next(m[i].begin(), at), v);
                break;
            case 0:
                if (static_cast<std::size_t>(at) == c[i].size())
                    break;
                c[i].erase(std::next(c[i].begin(), at));
                m[i].erase(std::next(m[i].begin(), at));
                break;
            case 1:
                c[i] = c[j];
                m[i] = m[j];
                break;
            case 2:
                c[i] = std::move(c[j]);
                m[i] = std::move(m[j]);
                m[j].clear();
                break;
            case 3:
                swap(c[i], c[j]);
                swap(m[i], m[j]);
                break;
            case 4:
                if (c[i].size() + c[j].size() > 20)
                    break;
                c[i].splice(std::next(c[i].begin(), at), c[j]);
                m[i].splice(std::next(m[i].begin(), at), m[j]);
                break;
            case 5:
                c[i].sort();
                m[i].sort();
                c[j].sort();
                m[j].sort();
                if (c[i].size() + c[j].size() > 20)
                    break;
                c[i].merge(c[j]);
                m[i].merge(m[j]);
                break;
            case 6: // within one list nothing moves
                if (at == 0)
                    break;
                c[i].splice(c[i].begin(), c[i], std::next(c[i].begin(), at), c[i].end());
                m[i].splice(m[i].begin(), m[i], std::next(m[i].begin(), at), m[i].end());
                break;
            case 7: {
                const small_list copy{c[i]};
                EXPECT_EQ(copy, c[i]);
                support::expect_all_inside(copy);
                break;
            }
            case 8: {
                const auto few = [](const tied& t) { return t.get() % 3 == 0; };
                EXPECT_EQ(erase_if(c[i], few), std::erase_if(m[i], few));
                c[i].reverse();
                m[i].reverse();
                break;
            }
            }
            for (int k = 0; k < 2; ++k) {
                ASSERT_EQ(c[k].size(), m[k].size());
                ASSERT_TRUE(std::equal(c[k].begin(), c[k].end(), m[k].begin()));
                support::expect_all_inside(c[k]);
            }
        }
    }
    EXPECT_EQ(tied::alive, 0);
}

#if ARENITE_EXCEPTIONS
TEST(inline_list, an_assignment_that_does_not_fit_changes_nothing) {
    const inline_list<int, 4> before{1, 2};
    inline_list<int, 4> l = before;
    const int more[] = {5, 6, 7, 8, 9};
    EXPECT_THROW(l.assign(std::begin(more), std::end(more)), out_of_memory);
    EXPECT_EQ(l, before);
    EXPECT_THROW(l.assign({5, 6, 7, 8, 9}), out_of_memory);
    EXPECT_EQ(l, before);
    EXPECT_THROW((l = {5, 6, 7, 8, 9}), out_of_memory);
    EXPECT_EQ(l, before);
    EXPECT_THROW(l.assign(5, 7), out_of_memory);
    EXPECT_EQ(l, before);
    l.assign(4, 7);
    EXPECT_TRUE(l.full());
}
#endif

TEST(inline_list, has_the_rest_of_the_interface) {
    inline_list<int, 8> l(3, 7);
    l.push_front(1);
    l.emplace_back(2);
    l.unique();
    EXPECT_EQ(l, (inline_list<int, 8>{1, 7, 2}));
    l.assign({5, 4});
    l.resize(3);
    EXPECT_EQ(l.back(), 0);
    l.remove(4);
    EXPECT_EQ(std::accumulate(l.rbegin(), l.rend(), 0), 5);
    EXPECT_TRUE((l < inline_list<int, 8>{6}));
    const int more[] = {1, 2, 3};
    l.insert(l.end(), std::begin(more), std::end(more));
    EXPECT_EQ(l.size(), 5U);
    l = {1};
    EXPECT_EQ(l.front(), 1);
    inline_list<std::unique_ptr<int>, 2> only_moved;
    only_moved.push_back(std::make_unique<int>(3));
    auto moved = std::move(only_moved);
    EXPECT_EQ(*moved.front(), 3);
    EXPECT_TRUE(only_moved.empty()); // NOLINT(bugprone-use-after-move): it may be used
}

} // namespace
