// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/freelist/detail/place_maxima.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

using arenite::detail::place_maxima;

namespace {

TEST(place_maxima, the_lowest_place_that_is_large_enough) {
    for (const std::size_t places : {1u, 7u, 8u, 9u, 64u, 65u, 5000u}) {
        std::vector<std::uint32_t> memory(place_maxima::bytes_for(places) / 4, 77);
        place_maxima all{memory.data(), places};
        EXPECT_EQ(all.top(), 0u);
        std::vector<std::uint32_t> model(places);
        std::mt19937 random{1};
        for (int step = 0; step < 3000; ++step) {
            const std::size_t place = random() % places;
            const auto n =
                static_cast<std::uint32_t>(random() % 4 == 0 ? ~random() : random() % 100);
            if (random() % 3 == 0) {
                all.raise(place, n);
                model[place] = std::max(model[place], n);
            } else {
                model[place] = std::min(model[place], n % 100);
                all.lower(place, model[place]);
            }
            const std::uint32_t most = *std::max_element(model.begin(), model.end());
            ASSERT_EQ(all.top(), most);
            ASSERT_EQ(all.at(place), model[place]);
            for (const std::uint32_t least : {1u, 50u, 100u, most}) {
                const auto found = std::find_if(model.begin(), model.end(),
                                                [&](std::uint32_t m) { return m >= least; });
                if (least != 0 && found != model.end()) {
                    ASSERT_EQ(all.lowest_of_at_least(least),
                              static_cast<std::size_t>(found - model.begin()));
                }
            }
        }
    }
}

} // namespace
