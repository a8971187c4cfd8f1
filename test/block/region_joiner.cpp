// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/block/detail/region_joiner.hpp>
#include <arenite/core/literals.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>

#include "support/counting_resource.hpp"
#include "support/region_list.hpp"

using namespace arenite;
using support::region_list;

namespace {

class region_joiner_of : public testing::Test {
protected:
    const std::byte* at(std::size_t i) const { return memory.data() + i; }

    std::array<std::byte, 100> memory{};
    region_list seen;
};

TEST_F(region_joiner_of, neighbours_of_one_state_are_one) {
    {
        detail::region_joiner to{seen};
        to.add(at(0), at(10), region_state::free);
        to.add(at(10), at(30), region_state::free);
        to.add(at(30), at(40), region_state::used);
        to.add(at(40), at(50), region_state::overhead);
        EXPECT_EQ(seen.all().size(), 2u) << "the last may grow";
        to.flush();
        to.add(at(60), at(70), region_state::free);
    }
    ASSERT_EQ(seen.all().size(), 3u) << "what was not flushed goes nowhere";
    const auto expect = [&](std::size_t i, std::size_t begin, std::size_t end, region_state state) {
        EXPECT_EQ(seen.all()[i].address, at(begin));
        EXPECT_EQ(seen.all()[i].bytes, end - begin);
        EXPECT_EQ(seen.all()[i].state, state);
        EXPECT_FALSE(seen.all()[i].one_object);
    };
    expect(0, 0, 30, region_state::free);
    expect(1, 30, 40, region_state::used);
    expect(2, 40, 50, region_state::overhead);
}

TEST_F(region_joiner_of, what_lies_apart_stays_apart) {
    detail::region_joiner to{seen};
    to.add(at(0), at(10), region_state::free);
    to.add(at(11), at(20), region_state::free);
    to.flush();
    ASSERT_EQ(seen.all().size(), 2u);
    EXPECT_EQ(seen.all()[0].bytes, 10u);
    EXPECT_EQ(seen.all()[1].bytes, 9u);
}

TEST_F(region_joiner_of, nothing_is_no_region) {
    detail::region_joiner to{seen};
    to.flush();
    to.add(at(10), at(10), region_state::used);
    to.add(at(0), at(10), region_state::free);
    to.add(at(10), at(10), region_state::used);
    to.add(at(10), at(20), region_state::free);
    to.flush();
    to.flush();
    ASSERT_EQ(seen.all().size(), 1u);
    EXPECT_EQ(seen.all()[0].bytes, 20u);
}

TEST_F(region_joiner_of, after_a_flush_a_neighbour_is_another_one) {
    detail::region_joiner to{seen};
    to.add(at(0), at(10), region_state::free);
    to.flush();
    to.add(at(10), at(20), region_state::free);
    to.flush();
    EXPECT_EQ(seen.all().size(), 2u);
}

TEST_F(region_joiner_of, an_object_is_joined_with_nothing_and_comes_in_order) {
    detail::region_joiner to{seen};
    to.add(at(0), at(10), region_state::used);
    to.add_object(at(10), at(20));
    to.add_object(at(20), at(30));
    to.add(at(30), at(40), region_state::used);
    to.flush();
    ASSERT_EQ(seen.all().size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(seen.all()[i].address, at(10 * i));
        EXPECT_EQ(seen.all()[i].bytes, 10u);
        EXPECT_EQ(seen.all()[i].state, region_state::used);
        EXPECT_EQ(seen.all()[i].one_object, i == 1 || i == 2);
    }
}

TEST_F(region_joiner_of, a_large_block_is_its_head_its_object_and_what_is_left) {
    support::counting_resource up;
    detail::block_source source{{}, &up, nullptr};
    for (const std::size_t alignment : {8_B, 64_KiB, 1_MiB}) {
        detail::block* const b = source.try_allocate_large(100'000, alignment);
        ASSERT_NE(b, nullptr);
        region_list l;
        {
            detail::region_joiner to{l};
            to.add(at(0), at(10), region_state::overhead); // not its neighbour
            to.add_large(*b);
        }
        EXPECT_EQ(l.count(region_state::used), 1u);
        EXPECT_EQ(l.at(detail::block_source::large_object(*b))->address,
                  detail::block_source::large_object(*b));
        EXPECT_EQ(l.bytes(region_state::used), detail::block_source::large_bytes(*b));
        EXPECT_TRUE(l.at(detail::block_source::large_object(*b))->one_object);
        EXPECT_EQ(l.bytes() - 10, b->span_bytes);
        source.deallocate_large(*b, 0);
    }
}

TEST_F(region_joiner_of, a_large_block_may_have_more_in_front_of_its_object) {
    support::counting_resource up;
    detail::block_source source{{.block_bytes = 256_KiB}, &up, nullptr};
    detail::block* const b = source.try_allocate_large(300'000, 16);
    ASSERT_NE(b, nullptr);
    const std::byte* const object = detail::large_objects::object(*b) + 48;
    {
        detail::region_joiner to{seen};
        to.add_large(*b, object);
    }
    ASSERT_NE(seen.at(object), nullptr);
    EXPECT_EQ(seen.at(object)->address, object);
    EXPECT_EQ(seen.at(object)->state, region_state::used);
    EXPECT_EQ(seen.at(object - 1)->state, region_state::overhead);
    EXPECT_EQ(seen.bytes(), b->span_bytes);
    source.deallocate_large(*b, 0);
}

TEST(list_blocks, all_that_a_source_holds_is_listed_once) {
    support::counting_resource up;
    detail::block_source source{
        {.block_bytes = 256_KiB, .policy = return_policy::retain_all}, &up, nullptr};
    detail::block* const small = source.take_empty_block();
    ASSERT_NE(small, nullptr);
    source.open(*small);
    detail::block* const large = source.try_allocate_large(100'000, 8);
    detail::block* const freed = source.try_allocate_large(200'000, 8);
    ASSERT_TRUE(large != nullptr && freed != nullptr);
    source.deallocate_large(*freed, 0); // and is kept
    ASSERT_FALSE(source.fresh().empty());

    region_list l;
    int calls = 0;
    detail::list_blocks(source, l, [&](detail::region_joiner& to, detail::block& b) {
        ++calls;
        EXPECT_EQ(&b, small) << "large blocks are listed without a call";
        const auto* const begin = reinterpret_cast<const std::byte*>(&b);
        to.add(begin, begin + 64, region_state::overhead);
        to.add(begin + 64, begin + b.bytes(), region_state::free);
    });
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(l.bytes(), source.bytes_reserved());
    EXPECT_EQ(l.bytes(region_state::untouched), source.fresh().size());
    EXPECT_EQ(l.count(region_state::used), 1u);
    EXPECT_EQ(l.at(detail::block_source::large_object(*large))->state, region_state::used);
}

} // namespace
