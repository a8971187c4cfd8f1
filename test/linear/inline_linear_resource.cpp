// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/passthrough.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/linear/inline_linear_resource.hpp>
#include <arenite/linear/scope.hpp>
#include <arenite/stl/resource_allocator.hpp>
#include <support/region_list.hpp>

#include <gtest/gtest.h>

#include <concepts>
#include <cstddef>
#include <vector>

using namespace arenite;

namespace {

using small = inline_linear_resource<256>;

static_assert(Allocating<small> && Owning<small> && Resettable<small> && Markable<small> &&
              Measurable<small>);
static_assert(std::convertible_to<small&, linear_resource&>);
static_assert(sizeof(small) <= sizeof(linear_resource) + 256 + 2 * sizeof(void*));

bool lies_in(const void* p, const small& c) {
    return static_cast<const std::byte*>(p) >= reinterpret_cast<const std::byte*>(&c) &&
           static_cast<const std::byte*>(p) < reinterpret_cast<const std::byte*>(&c + 1);
}

TEST(inline_linear_resource, allocates_in_itself) {
    if (passthrough())
        GTEST_SKIP();
    small c;
    EXPECT_EQ(c.capacity(), 256u);
    void* p = c.allocate(200);
    EXPECT_TRUE(lies_in(p, c));
    EXPECT_TRUE(c.owns(p));
    EXPECT_EQ(c.try_allocate(57, 1), nullptr);
    EXPECT_NE(c.try_allocate(56, 1), nullptr);
    EXPECT_EQ(c.usage().bytes_in_use, 256u);
    EXPECT_EQ(c.high_water(), 256u);
}

TEST(inline_linear_resource, the_first_allocation_of_default_alignment_is_without_padding) {
    if (passthrough())
        GTEST_SKIP();
    inline_linear_resource<1> one;
    EXPECT_NE(one.try_allocate(1), nullptr);
    small c;
    EXPECT_NE(c.try_allocate(256), nullptr);
}

std::size_t fill(linear_resource& r) {
    static_cast<void>(r.allocate(10, 1));
    return r.in_use();
}

TEST(inline_linear_resource, converts_to_a_linear_resource_that_shares_its_state) {
    small c;
    EXPECT_EQ(fill(c), 10u);
    EXPECT_EQ(c.in_use(), 10u);
    const auto m = c.mark();
    EXPECT_EQ(fill(c), 20u);
    linear_resource& r = c;
    r.rewind(m);
    EXPECT_EQ(c.in_use(), 10u);
    r.reset();
    EXPECT_EQ(c.in_use(), 0u);
}

TEST(inline_linear_resource, gives_back_and_resizes_the_latest) {
    if (passthrough())
        GTEST_SKIP();
    small c;
    void* p = c.allocate(8);
    EXPECT_TRUE(c.try_resize(p, 8, 100));
    c.deallocate(p, 100);
    EXPECT_EQ(c.in_use(), 0u);
}

TEST(inline_linear_resource, a_container_takes_it_as_itself_and_as_a_linear_resource) {
    small c;
    std::vector<int, resource_allocator<int, small>> as_itself{c};
    as_itself.push_back(1);
    std::vector<int, resource_allocator<int, linear_resource>> as_linear{c};
    as_linear.push_back(2);
    std::vector<int, resource_allocator<int>> as_any{c};
    as_any.push_back(3);
    EXPECT_TRUE(c.owns(as_itself.data()));
    EXPECT_TRUE(c.owns(as_linear.data()));
    EXPECT_TRUE(c.owns(as_any.data()));
}

TEST(inline_linear_resource, lists_its_memory_and_keeps_it_when_trimmed) {
    static_assert(Mappable<small> && Trimmable<small>);
    small c;
    const void* const p = c.allocate(100);
    c.trim();
    EXPECT_TRUE(c.owns(p));
    const support::region_list regions{c};
    EXPECT_FALSE(regions.all().empty());
}

TEST(inline_linear_resource, a_scope_takes_it) {
    small c;
    {
        const scope s{c};
        static_cast<void>(c.allocate(100));
    }
    EXPECT_EQ(c.in_use(), 0u);
}

#if ARENITE_EXCEPTIONS
TEST(inline_linear_resource, a_failure_names_the_object_that_was_asked) {
    small c;
    try {
        static_cast<void>(c.allocate(257));
        FAIL() << "it did not throw";
    } catch (const out_of_memory& error) {
        EXPECT_EQ(error.source(), &c);
    }
}
#endif

} // namespace
