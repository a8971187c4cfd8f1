// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/handle/detail/visit_window.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>

namespace {

using namespace arenite;
using detail::basic_handle;
using detail::object_id;
using detail::visit_source;
using detail::visit_window;

alignas(16) std::byte memory[4096];

basic_handle at(std::size_t offset) {
    return {object_id{static_cast<std::uint32_t>(offset), 1}, memory + offset};
}

TEST(visit_window, visits_leave_in_their_order) {
    visit_window w;
    for (std::size_t i = 0; i < visit_window::depth; ++i)
        w.push(visit_source::of(at(16 * i)), 64);
    EXPECT_TRUE(w.full());
    for (std::size_t i = 0; i < visit_window::depth; ++i) {
        EXPECT_EQ(w.oldest().value.cached(), memory + 16 * i);
        w.pop_oldest();
    }
    EXPECT_TRUE(w.empty());
}

TEST(visit_window, a_run_is_upward_and_close) {
    visit_window w;
    for (std::size_t i = 0; i < visit_window::depth; ++i)
        w.push(visit_source::of(at(64 * i)), 64);
    EXPECT_TRUE(w.begins_run());
    w.pop_oldest();
    w.push(visit_source::of(at(0)), 64); // downward
    EXPECT_FALSE(w.begins_run());
    visit_window apart;
    for (std::size_t i = 0; i < visit_window::depth; ++i)
        apart.push(visit_source::of(at(80 * i)), 64);
    EXPECT_FALSE(apart.begins_run());
}

TEST(visit_window, a_handle_within_an_object_that_moves_is_followed) {
    visit_window w;
    const basic_handle* const inside = ::new (memory + 32) basic_handle{at(0)};
    w.push(visit_source::at(*inside), 64);
    w.moved(memory + 48, 64, memory + 1024); // another object
    EXPECT_EQ(w.oldest().handle, inside);
    w.moved(memory + 16, 64, memory + 1024);
    EXPECT_EQ(reinterpret_cast<const std::byte*>(w.oldest().handle), memory + 1024 + 16);
    w.keep_values();
    EXPECT_EQ(w.oldest().handle, nullptr);
    EXPECT_EQ(w.oldest().value.cached(), memory);
}

} // namespace
