// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/os/detail/process_lock.hpp>

#include <gtest/gtest.h>

#include <mutex>

using namespace arenite;

namespace {

struct one_part;
struct other_part;

TEST(process_lock, a_part_has_one_and_another_part_another) {
    auto& one = detail::process_lock<std::mutex, one_part>();
    auto& other = detail::process_lock<std::mutex, other_part>();
    EXPECT_EQ(&one, (&detail::process_lock<std::mutex, one_part>()));
    EXPECT_NE(&one, &other);
    const std::lock_guard lock{one};
    EXPECT_TRUE(other.try_lock());
    other.unlock();
}

} // namespace
