// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/detail/bitmap_tree.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/pool/detail/row_table.hpp>

#include <gtest/gtest.h>

#include "support/addresses.hpp"
#include "support/counting_resource.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

using namespace arenite;
using detail::row_table;
using row = row_table::row;
using support::counting_resource;

namespace {

/// Rows at addresses that nothing is read from; their bits are elsewhere.
class rows_without_memory {
public:
    [[nodiscard]] static std::byte* address(std::uintptr_t mebibytes) {
        return reinterpret_cast<std::byte*>(support::gib_or(1024, 1_GiB) + mebibytes * 1_MiB);
    }

    row make(std::byte* begin, std::size_t bytes, std::size_t slots) {
        words_.push_back(
            std::make_unique<detail::bits::word[]>(detail::bitmap_tree::words_for(slots)));
        return {begin,
                bytes,
                begin + 64,
                bytes - 64,
                slots,
                detail::bitmap_tree{slots,
                                    {words_.back().get(), detail::bitmap_tree::words_for(slots)}}};
    }

private:
    std::vector<std::unique_ptr<detail::bits::word[]>> words_;
};

constexpr std::size_t full = 100; // slots

class row_table_of_2_mib : public ::testing::Test {
protected:
    row_table_of_2_mib() { table.set_full_size(2_MiB, full); }

    void insert(std::uintptr_t mebibytes, std::size_t slots = full, std::size_t bytes = 2_MiB) {
        EXPECT_TRUE(table.insert(from.make(from.address(mebibytes), bytes, slots)));
    }
    void erase(row& r) {
        r.memory = nullptr;
        table.erase_returned();
    }

    rows_without_memory from;
    counting_resource up;
    row_table table{&up};
};

TEST_F(row_table_of_2_mib, finds_the_row_of_every_address_however_they_came) {
    std::vector<std::uintptr_t> at;
    for (std::uintptr_t i = 0; i < 300; ++i)
        at.push_back(i * 4 + i % 2); // not all at multiples of 2 MiB
    std::shuffle(at.begin(), at.end(), std::mt19937{1});
    for (const std::uintptr_t mebibytes : at) {
        EXPECT_EQ(table.find(from.address(mebibytes) + 64), nullptr);
        insert(mebibytes);
        EXPECT_NE(table.find(from.address(mebibytes) + 64), nullptr);
    }
    for (const std::uintptr_t mebibytes : at) {
        const row* const r = table.find(from.address(mebibytes) + 64);
        ASSERT_NE(r, nullptr);
        EXPECT_EQ(r->memory, from.address(mebibytes));
        EXPECT_EQ(table.find(from.address(mebibytes) + 2_MiB - 1), r);
        EXPECT_EQ(table.find(from.address(mebibytes) + 63), nullptr) << "before its slots";
        EXPECT_EQ(table.find(from.address(mebibytes) + 2_MiB), nullptr);
    }
    for (std::size_t i = 1; i < table.count(); ++i)
        EXPECT_LT(table.rows()[i - 1].slots, table.rows()[i].slots);
}

TEST_F(row_table_of_2_mib, finds_rows_that_lie_far_apart) {
    for (std::uintptr_t i = 0; i < 20; ++i)
        insert(i * 1'000'000);
    for (std::uintptr_t i = 0; i < 20; ++i)
        EXPECT_EQ(table.find(from.address(i * 1'000'000) + 100)->memory,
                  from.address(i * 1'000'000));
}

/// The upstream sees writes behind the table, whose last cells are those of the highest rows.
TEST_F(row_table_of_2_mib, keeps_within_its_memory_however_wide_its_rows_are_spread) {
    for (std::uintptr_t stride = 2; stride < 40; ++stride) {
        row_table other{&up};
        other.set_full_size(2_MiB, full);
        for (std::uintptr_t i = 0; i < 70; ++i)
            EXPECT_TRUE(other.insert(from.make(from.address(i * stride), 2_MiB, full)));
        for (std::uintptr_t i = 0; i < 70; ++i)
            ASSERT_NE(other.find(from.address(i * stride) + 64), nullptr) << stride;
    }
}

TEST_F(row_table_of_2_mib, the_first_open_row_is_a_small_one_then_the_lowest) {
    EXPECT_EQ(table.lowest_open(), nullptr);
    insert(10);
    insert(20);
    insert(30, 50, 1_MiB);
    insert(40, 20, 1_MiB);
    std::vector<std::byte*> order;
    while (row* const r = table.lowest_open()) {
        order.push_back(r->memory);
        r->taken.take_range(0, r->count);
        table.set_open(*r, false);
    }
    EXPECT_EQ(order, (std::vector{from.address(40), from.address(30), from.address(10),
                                  from.address(20)}));
    row& r = *table.find(from.address(20) + 64);
    r.taken.give(7);
    table.set_open(r, true);
    EXPECT_EQ(table.lowest_open(), &r);
    insert(5, 10, 1_MiB);
    erase(*table.find(from.address(5) + 64));
    EXPECT_EQ(table.lowest_open()->memory, from.address(20)) << "moved, and open as it was";
}

TEST_F(row_table_of_2_mib, goes_through_the_tower_from_its_end) {
    insert(10);
    insert(30, 50, 1_MiB);
    insert(20);
    insert(40, 20, 1_MiB);
    std::vector<std::byte*> order;
    table.for_each_from_last([&](row& r) {
        order.push_back(r.memory);
        return true;
    });
    EXPECT_EQ(order, (std::vector{from.address(20), from.address(10), from.address(30),
                                  from.address(40)}));
    order.clear();
    table.for_each_from_last([&](row& r) {
        order.push_back(r.memory);
        return order.size() < 2;
    });
    EXPECT_EQ(order.size(), 2u);
}

TEST_F(row_table_of_2_mib, every_small_row_is_gone_through_however_many_there_are) {
    for (std::uintptr_t i = 0; i < 50; ++i)
        insert(i * 2, i + 1, 1_MiB);
    std::vector<bool> seen(50);
    table.for_each_from_last([&](row& r) {
        seen[r.count - 1] = true;
        return true;
    });
    EXPECT_EQ(std::count(seen.begin(), seen.end(), true), 50);
}

TEST_F(row_table_of_2_mib, four_rows_need_no_memory_and_it_goes_when_they_are_gone) {
    for (std::uintptr_t i = 0; i < 4; ++i)
        insert(i * 2);
    EXPECT_EQ(up.live(), 0u);
    insert(100);
    EXPECT_EQ(up.live(), 1u);
    EXPECT_EQ(up.live_bytes(), table.bytes_reserved());
    for (row& r : table.rows())
        r.memory = nullptr;
    table.erase_returned(true);
    EXPECT_EQ(up.live(), 0u);
    EXPECT_EQ(table.count(), 0u);
    insert(7);
    EXPECT_EQ(table.find(from.address(7) + 64), table.lowest_open());
}

TEST_F(row_table_of_2_mib, where_there_is_no_memory_nothing_changes) {
    for (std::uintptr_t i = 0; i < 4; ++i)
        insert(i * 2);
    up.fail_after(0);
    EXPECT_FALSE(table.insert(from.make(from.address(100), 2_MiB, full)));
    EXPECT_EQ(table.count(), 4u);
    EXPECT_EQ(table.find(from.address(100) + 64), nullptr);
    EXPECT_EQ(table.find(from.address(6) + 64)->memory, from.address(6));
}

} // namespace
