// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/literals.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/stl/detail/vector_memory.hpp>

#include <gtest/gtest.h>

#include <utility>

using namespace arenite;

namespace {

using own_memory = detail::vector_memory<growing_linear_resource>;

TEST(vector_memory, addresses_of_its_own_go_along_and_are_not_shared) {
    own_memory m{1_MiB};
    EXPECT_EQ(m.get(), nullptr); // nothing before it is wanted
    EXPECT_EQ(m.most_bytes(), 1_MiB);
    growing_linear_resource* const first = &m.ready();
    EXPECT_EQ(m.get(), first);
    own_memory copy{m};
    EXPECT_NE(&copy.ready(), first);
    own_memory moved{std::move(m)};
    EXPECT_EQ(moved.get(), first);
    EXPECT_EQ(m.get(), nullptr); // NOLINT(bugprone-use-after-move): it may begin anew
    EXPECT_EQ(m.most_bytes(), 1_MiB);
    copy = std::move(moved);
    EXPECT_EQ(copy.get(), first);
}

TEST(vector_memory, the_resource_of_others_is_shared) {
    growing_linear_resource r{1_MiB};
    own_memory m{r};
    own_memory copy{m};
    const own_memory moved{std::move(m)};
    EXPECT_EQ(&copy.ready(), &r);
    EXPECT_EQ(moved.get(), &r);
    EXPECT_TRUE(moved.may_move());
    ordered_heap heap;
    detail::vector_memory<ordered_heap> n{heap};
    EXPECT_EQ(&n.ready(), &heap);
}

} // namespace
