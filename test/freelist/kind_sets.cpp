// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/detail/bits.hpp>
#include <arenite/freelist/detail/kind_sets.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <set>
#include <utility>
#include <vector>

using namespace arenite;
using detail::kind_sets;

namespace {

struct sets_in_memory {
    explicit sets_in_memory(std::size_t places)
        : memory(kind_sets::bytes_for(places) / sizeof(detail::bits::word)),
          sets{memory.data(), places} {}
    std::vector<detail::bits::word> memory;
    kind_sets sets;
};

TEST(kind_sets, are_empty_at_first) {
    const sets_in_memory all{1000};
    EXPECT_EQ(all.sets.all(), 0u);
    EXPECT_FALSE(all.sets.has(999, 63));
}

TEST(kind_sets, the_lowest_place_of_a_kind) {
    for (const std::size_t places : {1u, 63u, 64u, 65u, 4096u, 4097u, 300'000u}) {
        sets_in_memory all{places};
        std::set<std::pair<std::size_t, unsigned>> model; // place, kind
        std::mt19937 random{1};
        for (int step = 0; step < 3000; ++step) {
            const std::size_t place = random() % places;
            const unsigned kind = random() % 64;
            if (random() % 2 == 0) {
                all.sets.insert(place, kind);
                model.insert({place, kind});
            } else if (!model.empty()) {
                auto gone = model.lower_bound({place, kind});
                gone = gone == model.end() ? model.begin() : gone;
                all.sets.erase(gone->first, gone->second);
                model.erase(gone);
            }
            std::size_t of = places;
            detail::bits::word kinds = 0;
            for (const auto& [p, k] : model) {
                kinds |= detail::bits::word{1} << k;
                of = k == kind && of == places ? p : of;
            }
            ASSERT_EQ(all.sets.all(), kinds);
            ASSERT_EQ(all.sets.has(place, kind), model.contains({place, kind}));
            if (of != places) {
                ASSERT_EQ(all.sets.lowest_of(kind), of);
            }
            if (model.size() > 200)
                for (int i = 0; i < 150; ++i) {
                    all.sets.erase(model.begin()->first, model.begin()->second);
                    model.erase(model.begin());
                }
        }
    }
}

} // namespace
