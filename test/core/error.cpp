// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/affine.hpp>
#include <arenite/compose/budget_group.hpp>
#include <arenite/compose/budgeted_resource.hpp>
#include <arenite/compose/limited_resource.hpp>
#include <arenite/compose/synchronized_resource.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/error.hpp>
#include <arenite/freelist/free_list_resource.hpp>
#include <arenite/freelist/restorable_heap.hpp>
#include <arenite/freelist/tlsf_resource.hpp>
#include <arenite/linear/double_ended_resource.hpp>
#include <arenite/linear/linear_resource.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/pool/pool_resource.hpp>
#include <arenite/stl/affinity_allocator.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <memory_resource>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>

using namespace arenite;

namespace {

TEST(error, out_of_memory_knows_the_request) {
    const resource* source = std::pmr::null_memory_resource();
    const out_of_memory e{123, 32, source};
    EXPECT_EQ(e.bytes(), 123u);
    EXPECT_EQ(e.alignment(), 32u);
    EXPECT_EQ(e.source(), source);
    static_assert(std::is_base_of_v<std::bad_alloc, out_of_memory>);
    static_assert(std::is_nothrow_copy_constructible_v<out_of_memory>);
}

TEST(error, out_of_memory_tells_a_wrong_alignment_from_a_lack_of_memory) {
    const out_of_memory lack{4096, 64, std::pmr::null_memory_resource()};
    const out_of_memory wrong{1, 24, nullptr};
    EXPECT_TRUE(std::string_view{lack.what()}.starts_with(
        "out of memory: 4096 bytes of alignment 64 were asked of resource "))
        << lack.what();
    EXPECT_NE(std::string_view{wrong.what()}.find("power of two"), std::string_view::npos);
}

TEST(error, out_of_memory_names_a_resource_that_has_a_name) {
    const resource* source = std::pmr::null_memory_resource();
    const out_of_memory e{1, 8, source, "nodes"};
    EXPECT_NE(std::string_view{e.what()}.find("were asked of resource nodes ("),
              std::string_view::npos)
        << e.what();
    const std::string longer(1000, 'n');
    EXPECT_TRUE(std::string_view{out_of_memory(1, 8, source, longer).what()}.ends_with(")"));
}

TEST(error, out_of_memory_tells_the_class_of_a_resource_where_it_is_known) {
    const resource* source = std::pmr::null_memory_resource();
    const auto text = [&](std::string_view name, std::string_view kind, std::size_t left) {
        return std::string{out_of_memory{48, 8, source, name, left, kind}.what()};
    };
    const std::string asked = "out of memory: 48 bytes of alignment 8 were asked of ";
    EXPECT_TRUE(text("", "pool_resource", out_of_memory::no_budget)
                    .starts_with(asked + "pool_resource 0x"));
    EXPECT_TRUE(text("nodes", "pool_resource", 7).starts_with(asked + "pool_resource nodes ("));
    const std::string longer(1000, 'n');
    EXPECT_TRUE(text(longer, longer, 47).ends_with("), which has 47 bytes left"));
}

TEST(error, out_of_memory_tells_of_no_resource_where_none_was_asked) {
    EXPECT_STREQ(out_of_memory(48, 8, nullptr).what(),
                 "out of memory: 48 bytes of alignment 8 were asked for");
    EXPECT_STREQ(out_of_memory(48, 8, nullptr, "a pool_allocator").what(),
                 "out of memory: 48 bytes of alignment 8 were asked of a pool_allocator");
}

TEST(error, out_of_memory_tells_what_a_budget_leaves_that_was_too_small) {
    const resource* source = std::pmr::null_memory_resource();
    const auto ends_with = [&](std::size_t left_bytes, std::string_view name, const char* end) {
        return std::string_view{out_of_memory(101, 8, source, name, left_bytes).what()}.ends_with(
            end);
    };
    for (const char* name : {"", "nodes"}) {
        EXPECT_TRUE(ends_with(100, name, ", which has 100 bytes left"));
        EXPECT_TRUE(ends_with(0, name, ", which has 0 bytes left"));
        EXPECT_FALSE(ends_with(101, name, "left")) << "it would have done";
        EXPECT_FALSE(ends_with(out_of_memory::no_budget, name, "left"));
    }
    const std::string longer(1000, 'n');
    EXPECT_TRUE(ends_with(100, longer, ", which has 100 bytes left"));
}

#if ARENITE_EXCEPTIONS

TEST(error, throw_out_of_memory_throws_what_it_was_told) {
    const resource* source = std::pmr::null_memory_resource();
    try {
        throw_out_of_memory(7, 8, source);
    } catch (const std::bad_alloc& caught) {
        const auto* e = dynamic_cast<const out_of_memory*>(&caught);
        ASSERT_NE(e, nullptr);
        EXPECT_EQ(e->bytes(), 7u);
        EXPECT_EQ(e->alignment(), 8u);
        EXPECT_EQ(e->source(), source);
    }
}

TEST(error, throw_bad_array_length_throws_the_standard_error) {
    EXPECT_THROW(throw_bad_array_length(~std::size_t{0}, 2), std::bad_array_new_length);
}

#else

TEST(error_death, without_exceptions_a_lack_of_memory_goes_to_the_contract_handler) {
    EXPECT_DEATH(throw_out_of_memory(7, 8, nullptr),
                 "out of memory: 7 bytes of alignment 8 were asked for");
}

TEST(error_death, without_exceptions_a_count_too_large_goes_to_the_contract_handler) {
    EXPECT_DEATH(throw_bad_array_length(5, 2), "5 elements of 2 bytes do not fit");
}

#endif

#if ARENITE_EXCEPTIONS
struct tagged {
    static constexpr std::string_view name = "of an error";
};

/// The message of a request, as a rule for more than there can be.
std::string refusal_of(resource& r, std::size_t bytes = sizeof(std::size_t) > 4
                                                            ? ~std::size_t{0} / 4
                                                            : ~std::size_t{0} - 65'536) {
    try {
        static_cast<void>(r.allocate(bytes, 16));
    } catch (const out_of_memory& e) {
        return e.what();
    }
    return "nothing";
}

TEST(error, out_of_memory_has_the_names_that_heaps_and_pools_were_given) {
    ordered_heap ordered{ordered_options{.name = "level one"}};
    EXPECT_NE(refusal_of(ordered).find("of ordered_heap level one ("), std::string::npos);
    EXPECT_EQ(ordered.name(), "level one");
    limited_resource limited{limited_options{.budget_bytes = 4096}, ordered};
    EXPECT_NE(refusal_of(limited).find("of limited_resource level one ("), std::string::npos);
    budget_group none{0};
    budgeted_resource budgeted{none, ordered};
    EXPECT_NE(refusal_of(budgeted, 1).find("of budgeted_resource level one ("), std::string::npos);
    synchronized_resource<ordered_heap&> synchronized{ordered};
    EXPECT_NE(refusal_of(synchronized).find("of synchronized_resource level one ("),
              std::string::npos);
    ordered_heap unnamed;
    EXPECT_EQ(refusal_of(unnamed).find('('), std::string::npos) << refusal_of(unnamed);
    EXPECT_NE(refusal_of(unnamed).find("asked of ordered_heap 0x"), std::string::npos)
        << refusal_of(unnamed);
    EXPECT_EQ(unnamed.name(), "");
    pool_resource pool{slot{.bytes = 48, .alignment = 16, .name = "level two"},
                       upstream{std::pmr::null_memory_resource()}};
    EXPECT_NE(refusal_of(pool).find("of pool_resource level two ("), std::string::npos);
    tlsf_resource tlsf{4096, tlsf_options{.name = "level three"}};
    EXPECT_NE(refusal_of(tlsf).find("of tlsf_resource level three ("), std::string::npos);
    free_list_resource list{4096, free_list_options{.name = "level four"}};
    EXPECT_NE(refusal_of(list).find("of free_list_resource level four ("), std::string::npos);
    restorable_heap restorable{nullptr, 65'536, restorable_options{.name = "level five"}};
    EXPECT_NE(refusal_of(restorable).find("of restorable_heap level five ("), std::string::npos);
    linear_resource linear{4096, linear_options{.name = "level six"}};
    EXPECT_NE(refusal_of(linear).find("of linear_resource level six ("), std::string::npos);
    EXPECT_EQ(linear.name(), "level six");
    EXPECT_EQ(linear_resource(4096).name(), "");
    double_ended_resource ends{4096, linear_options{.name = "level seven"}};
    EXPECT_NE(refusal_of(ends).find("of double_ended_resource level seven ("), std::string::npos);
    EXPECT_NE(refusal_of(ends.high()).find("of linear_resource level seven ("), std::string::npos);
}

TEST(error, out_of_memory_has_the_name_of_the_affinity_of_an_object) {
    constexpr bool is_refused = sizeof(std::size_t) > 4;
    if (!is_refused)
        GTEST_SKIP() << "the largest object that there can be may find room";
    struct large : affine<tagged> {
        char bytes[std::size_t{1} << (is_refused ? 59 : 20)];
    };
    try {
        static_cast<void>(new large);
        FAIL() << "it did not throw";
    } catch (const out_of_memory& e) {
        EXPECT_NE(std::string_view{e.what()}.find("affinity_heap of an error ("), std::string::npos)
            << e.what();
    }
    EXPECT_THROW(static_cast<void>(affinity_allocator<large, tagged>{}.allocate(1)), out_of_memory);
}
#endif

} // namespace
