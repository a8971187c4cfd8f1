// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/detail/call_stack.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>

using namespace arenite;
using detail::call_stack;
using detail::code_place;

namespace {

#if defined(__GNUC__)
ARENITE_NOINLINE call_stack stack_at(int depth, unsigned frames, unsigned skip) {
    call_stack found =
        depth == 0 ? call_stack::here(frames, skip) : stack_at(depth - 1, frames, skip);
    asm volatile("" : : "r"(&found) : "memory"); // no tail call
    return found;
}

TEST(call_stack, has_the_callers_innermost_first) {
    const call_stack outer = stack_at(0, 4, 1);
    const call_stack inner = stack_at(3, 8, 4);
    ASSERT_GE(outer.count, 2u);
    ASSERT_GE(inner.count, 2u);
    EXPECT_NE(inner.frames[0], outer.frames[0]); // two calls of this test
    EXPECT_EQ(inner.frames[1], outer.frames[1]);
}

TEST(call_stack, has_as_many_frames_as_wanted_and_sixteen_at_most) {
    EXPECT_EQ(stack_at(30, 0, 0).count, 0u);
    EXPECT_EQ(stack_at(30, 5, 0).count, 5u);
    EXPECT_EQ(stack_at(30, 1000, 0).count, call_stack::most);
}

TEST(call_stack, ends_where_the_stack_ends) { EXPECT_LT(stack_at(0, 16, 10'000).count, 1u); }
#endif

TEST(code_place, names_a_function_of_a_shared_library) {
    const auto address = reinterpret_cast<std::uintptr_t>(&std::malloc) + 1;
    const code_place place = code_place::of(address);
    char text[1200];
    EXPECT_GT(place.write(text, sizeof text, address), 0);
    if (place.function[0] == '\0')
        GTEST_SKIP() << "no dynamic symbols here, but " << text;
    EXPECT_NE(std::string{text}.find("malloc+0x1 ("), std::string::npos) << text;
}

TEST(code_place, writes_an_address_that_lies_in_no_module) {
    char text[64];
    EXPECT_GT(code_place::of(16).write(text, sizeof text, 16), 0);
    EXPECT_STREQ(text, "0x10");
}

TEST(code_place, is_cut_where_the_text_has_no_place) {
    const auto address = reinterpret_cast<std::uintptr_t>(&std::malloc);
    char text[4] = "xyz";
    EXPECT_GT(code_place::of(address).write(text, sizeof text, address), 3);
    EXPECT_EQ(text[3], '\0');
}

} // namespace
