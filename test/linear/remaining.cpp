// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Bytes that are left for requests, and the message of a request that is refused.

#include <arenite/core/config.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/linear/double_buffered_resource.hpp>
#include <arenite/linear/double_ended_resource.hpp>
#include <arenite/linear/frame_resource.hpp>
#include <arenite/linear/growing_linear_resource.hpp>
#include <arenite/linear/inline_linear_resource.hpp>
#include <arenite/linear/linear_resource.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <string>

using namespace arenite;

namespace {

#if ARENITE_EXCEPTIONS
/// The text of the exception by which a request of 100 bytes is refused.
std::string text_of(resource& r) {
    try {
        static_cast<void>(r.allocate(100, 1));
    } catch (const out_of_memory& failure) {
        return failure.what();
    }
    return "served";
}
#endif

/// So much is left, then 40, which the refusal of 100 bytes says.
template <class R>
void expect_left(R&& r, std::size_t capacity) {
    EXPECT_EQ(r.remaining(), capacity);
    EXPECT_NE(r.try_allocate(capacity - 40, 1), nullptr);
    EXPECT_EQ(r.remaining(), 40u);
#if ARENITE_EXCEPTIONS
    EXPECT_TRUE(text_of(r).ends_with(", which has 40 bytes left")) << text_of(r);
#endif
    EXPECT_EQ(r.remaining(), 40u);
    r.reset();
    EXPECT_EQ(r.remaining(), capacity);
}

TEST(linear_remaining, stand_in_the_message_of_a_refusal) {
    expect_left(linear_resource{1_KiB}, 1_KiB);
    std::byte buffer[500];
    expect_left(linear_resource{std::span{buffer}}, 500);
    expect_left(inline_linear_resource<512>{}, 512);
    expect_left(growing_linear_resource{1_MiB}, 1_MiB);
    expect_left(frame_resource<2>{1_KiB}, 1_KiB);
    expect_left(double_buffered_resource{1_KiB}, 1_KiB);
    expect_left(double_ended_resource{1_KiB}, 1_KiB);
}

TEST(linear_remaining, of_two_ends_are_those_between_them) {
    double_ended_resource ends{1_KiB};
    EXPECT_EQ(ends.high().remaining(), 1_KiB);
    EXPECT_NE(ends.low().try_allocate(100, 1), nullptr);
    EXPECT_NE(ends.high().try_allocate(200, 1), nullptr);
    EXPECT_EQ(ends.remaining(), 1_KiB - 300);
    EXPECT_EQ(ends.low().remaining(), ends.remaining());
    EXPECT_EQ(ends.high().remaining(), ends.remaining());
#if ARENITE_EXCEPTIONS
    EXPECT_NE(ends.try_allocate(ends.remaining() - 10, 1), nullptr);
    EXPECT_TRUE(text_of(ends).ends_with(", which has 10 bytes left")) << text_of(ends);
    EXPECT_TRUE(text_of(ends.high()).ends_with(", which has 10 bytes left"));
#endif
}

TEST(linear_remaining, of_a_buffer_without_bytes_are_none) {
    EXPECT_EQ(linear_resource{std::span<std::byte>{}}.remaining(), 0u);
}

} // namespace
