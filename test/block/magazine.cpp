// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/block/magazine.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <random>
#include <utility>
#include <vector>

using namespace arenite;

namespace {

class magazine_of : public testing::Test {
protected:
    void* at(std::size_t i) { return &memory_[i % memory_.size()]; }

    std::vector<void*> taken_oldest(magazine& m, std::size_t granules, std::size_t n) {
        std::vector<void*> taken;
        m.take_oldest(granules, n, [&](void* p) { taken.push_back(p); });
        return taken;
    }

private:
    std::array<std::byte, 4096> memory_{};
};

TEST_F(magazine_of, holds_sizes_of_1_to_64_granules) {
    EXPECT_FALSE(magazine::holds(0));
    EXPECT_TRUE(magazine::holds(1));
    EXPECT_TRUE(magazine::holds(64));
    EXPECT_FALSE(magazine::holds(65));
    EXPECT_FALSE(magazine::holds(~std::size_t{0}));
}

TEST_F(magazine_of, gives_the_latest_first) {
    magazine m;
    EXPECT_EQ(m.take(3), nullptr);
    ASSERT_TRUE(m.put(at(1), 3));
    ASSERT_TRUE(m.put(at(2), 3));
    EXPECT_EQ(m.take(3), at(2));
    EXPECT_EQ(m.take(3), at(1));
    EXPECT_EQ(m.take(3), nullptr);
}

TEST_F(magazine_of, keeps_each_size_by_itself) {
    magazine m;
    for (std::size_t granules = 1; granules <= magazine::largest; ++granules)
        ASSERT_TRUE(m.put(at(granules), granules));
    for (std::size_t granules = 1; granules <= magazine::largest; ++granules) {
        EXPECT_EQ(m.take(granules), at(granules));
        EXPECT_EQ(m.take(granules), nullptr);
    }
}

TEST_F(magazine_of, takes_so_many_of_a_size_and_says_when_it_is_full) {
    magazine m;
    for (std::size_t i = 0; i < magazine::depth(5); ++i)
        ASSERT_TRUE(m.put(at(i), 5));
    EXPECT_FALSE(m.put(at(100), 5));
    EXPECT_EQ(m.granules(), magazine::depth(5) * 5);
    EXPECT_TRUE(m.put(at(100), 6)) << "another size has room";
    EXPECT_EQ(taken_oldest(m, 5, 16).size(), 16u);
    EXPECT_TRUE(m.put(at(101), 5));
    EXPECT_EQ(m.take(5), at(101));
    EXPECT_EQ(m.take(5), at(31));
}

TEST_F(magazine_of, gives_up_the_oldest_in_the_order_they_came) {
    magazine m;
    for (std::size_t i = 0; i < 10; ++i)
        ASSERT_TRUE(m.put(at(i), 2));
    EXPECT_EQ(taken_oldest(m, 2, 3), (std::vector<void*>{at(0), at(1), at(2)}));
    EXPECT_EQ(m.take(2), at(9));
    EXPECT_EQ(taken_oldest(m, 2, 1), (std::vector<void*>{at(3)}));
    EXPECT_EQ(taken_oldest(m, 2, 100).size(), 5u) << "no more than there are";
    EXPECT_EQ(taken_oldest(m, 2, 100).size(), 0u);
    EXPECT_EQ(m.granules(), 0u);
}

TEST_F(magazine_of, shows_each_object_once) {
    magazine m;
    static_cast<void>(m.put(at(1), 1));
    static_cast<void>(m.put(at(2), 16));
    static_cast<void>(m.put(at(3), 16));
    static_cast<void>(m.take(16));
    std::vector<std::pair<const void*, std::size_t>> seen;
    m.for_each([&](const void* p, std::size_t granules) { seen.emplace_back(p, granules); });
    EXPECT_EQ(seen, (std::vector<std::pair<const void*, std::size_t>>{{at(1), 1}, {at(2), 16}}));
}

TEST_F(magazine_of, counts_the_granules_of_all_that_is_in_it) {
    magazine m;
    std::mt19937 random{1};
    std::array<std::vector<void*>, magazine::largest + 1> model;
    std::size_t granules_in_all = 0;
    for (std::size_t i = 0; i < 20'000; ++i) {
        const std::size_t granules = 1 + random() % magazine::largest;
        auto& mine = model[granules];
        if (random() % 3 != 0) {
            const bool room = mine.size() < magazine::depth(granules);
            ASSERT_EQ(m.put(at(i), granules), room);
            if (room) {
                mine.push_back(at(i));
                granules_in_all += granules;
            }
        } else if (random() % 4 == 0) {
            const std::size_t n = std::min<std::size_t>(random() % 20, mine.size());
            const std::vector<void*> oldest(mine.begin(),
                                            mine.begin() + static_cast<std::ptrdiff_t>(n));
            ASSERT_EQ(taken_oldest(m, granules, n), oldest);
            mine.erase(mine.begin(), mine.begin() + static_cast<std::ptrdiff_t>(n));
            granules_in_all -= n * granules;
        } else {
            ASSERT_EQ(m.take(granules), mine.empty() ? nullptr : mine.back());
            if (!mine.empty()) {
                mine.pop_back();
                granules_in_all -= granules;
            }
        }
        ASSERT_EQ(m.granules(), granules_in_all);
    }
}

} // namespace
