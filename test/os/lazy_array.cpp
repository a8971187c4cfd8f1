// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/os/detail/lazy_array.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace {

using numbers = arenite::detail::lazy_array<std::atomic<std::uint32_t>, 1024, 64>;

TEST(lazy_array, has_no_entry_before_one_of_its_leaf_is_made) {
    numbers a;
    EXPECT_EQ(a.find(0), nullptr);
    ASSERT_NE(a.make(1030), nullptr);
    EXPECT_EQ(a.find(1023), nullptr) << "the last of the leaf before";
    EXPECT_EQ(a.find(2048), nullptr) << "the first of the leaf behind";
    EXPECT_NE(a.find(1024), nullptr);
    EXPECT_EQ(a.leaf(0), nullptr);
    EXPECT_EQ(a.leaf(1), a.find(1024));
    a.end();
}

TEST(lazy_array, entries_are_zero_and_stay_where_they_are) {
    numbers a;
    auto* const entry = a.make(5);
    ASSERT_NE(entry, nullptr);
    EXPECT_EQ(entry->load(), 0u);
    entry->store(7);
    EXPECT_EQ(a.make(5), entry);
    EXPECT_EQ(a.find(5), entry);
    EXPECT_EQ(a.make(6), entry + 1);
    EXPECT_EQ(a.find(5)->load(), 7u);
    a.end();
}

TEST(lazy_array, ends_behind_its_last_leaf) {
    numbers a;
    EXPECT_EQ(a.find(numbers::size), nullptr);
    EXPECT_EQ(a.make(numbers::size), nullptr);
    EXPECT_EQ(a.make(~std::size_t{0}), nullptr);
    EXPECT_NE(a.make(numbers::size - 1), nullptr);
    a.end();
}

TEST(lazy_array, refuses_a_leaf_that_the_system_has_no_addresses_for) {
    constexpr std::size_t too_many = ~std::size_t{0} / 64;
    static arenite::detail::lazy_array<std::atomic<std::uint32_t>, too_many / 4, 1> a;
    EXPECT_EQ(a.make(0), nullptr);
    EXPECT_EQ(a.find(0), nullptr);
}

TEST(lazy_array, has_no_entries_after_its_end) {
    numbers a;
    ASSERT_NE(a.make(1), nullptr);
    a.end();
    EXPECT_EQ(a.find(1), nullptr);
    ASSERT_NE(a.make(1), nullptr);
    EXPECT_EQ(a.find(1)->load(), 0u);
    a.end();
}

TEST(lazy_array_threads, that_make_one_entry_get_the_same) {
    constexpr unsigned threads = 4;
    constexpr std::size_t entries = numbers::size / 512;
    numbers a;
    std::atomic<unsigned> waiting{threads};
    std::vector<std::thread> all;
    for (unsigned t = 0; t < threads; ++t)
        all.emplace_back([&] {
            waiting.fetch_sub(1);
            while (waiting.load() != 0)
                ;
            for (std::size_t i = 0; i < entries; ++i)
                if (auto* const entry = a.make(i * 512))
                    entry->fetch_add(1);
        });
    for (auto& thread : all)
        thread.join();
    for (std::size_t i = 0; i < entries; ++i) {
        ASSERT_NE(a.find(i * 512), nullptr);
        EXPECT_EQ(a.find(i * 512)->load(), threads);
    }
    a.end();
}

} // namespace
