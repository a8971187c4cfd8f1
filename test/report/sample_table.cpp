// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/report/detail/sample_table.hpp>

#include <arenite/report/sampled_site.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>

using namespace arenite;
using detail::sample_clock;
using detail::sample_table;

namespace {

const void* address(std::size_t i) {
    return reinterpret_cast<const void*>(std::uintptr_t{0x10000} + 16 * i);
}

bool may_have(const void* p) { return sample_table::filter.may_have(p); }

std::map<std::string, std::size_t> samples_by_tag() {
    std::map<std::string, std::size_t> all;
    for (const sampled_site& s : sampled_sites())
        all[s.tag] += s.samples;
    return all;
}

class sample_tables : public testing::Test {
protected:
    sample_tables() { start_sampling({.every_bytes = 1, .frames = 2, .seed = 1}); }
    ~sample_tables() override { stop_sampling(); }

    /// Makes its clock due; all are taken, as the interval is one byte.
    static void take(std::string_view tag, std::atomic<std::uint32_t>& owner, const void* p) {
        sample_clock = -1;
        sample_table::allocated(tag, owner, p, 1000);
    }
};

TEST_F(sample_tables, hold_what_a_model_holds) {
    const auto seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random{seed};
    std::atomic<std::uint32_t> owners[3] = {};
    const char* const tags[] = {"model a", "model b", "model c"};
    std::map<const void*, int> model;
    for (int i = 0; i < 30'000; ++i) {
        const void* const p = address(random() % 3000);
        const int who = static_cast<int>(random() % 3);
        switch (random() % 1000 == 0 ? 9u : random() % 2) {
        case 0:
            take(tags[who], owners[who], p);
            model[p] = who;
            break;
        case 1:
            if (may_have(p))
                sample_table::freed(p);
            model.erase(p);
            break;
        default:
            if (owners[who] != 0)
                sample_table::freed_all(owners[who]);
            std::erase_if(model, [&](const auto& m) { return m.second == who; });
        }
        if (i % 1000 == 0) {
            std::map<std::string, std::size_t> wanted{{tags[0], 0}, {tags[1], 0}, {tags[2], 0}};
            for (const auto& [at, of] : model) {
                ++wanted[tags[of]];
                ASSERT_TRUE(may_have(at));
            }
            const auto found = samples_by_tag();
            for (const auto& [tag, n] : wanted)
                ASSERT_EQ(found.contains(tag) ? found.at(tag) : 0, n) << tag;
        }
    }
    for (auto& owner : owners)
        sample_table::freed_all(owner);
}

TEST_F(sample_tables, have_few_bits_for_what_is_no_sample) {
    std::atomic<std::uint32_t> owner{0};
    for (std::size_t i = 0; i < 4000; ++i)
        take("filter", owner, address(i));
    std::size_t wrong = 0;
    for (std::size_t i = 4000; i < 104'000; ++i)
        wrong += may_have(address(i)) ? 1 : 0;
    EXPECT_LT(wrong, 15'000u); // of 100,000: 4,000 of 32,768 bits
    for (std::size_t i = 0; i < 4000; ++i)
        sample_table::freed(address(i));
    wrong = 0;
    for (std::size_t i = 0; i < 104'000; ++i)
        wrong += may_have(address(i)) ? 1 : 0;
    EXPECT_LT(wrong, 1000u); // stale ones are cleared
    EXPECT_EQ(samples_by_tag()["filter"], 0u);
}

TEST_F(sample_tables, cut_a_tag_that_is_too_long) {
    std::atomic<std::uint32_t> owner{0};
    const std::string name(100, 'n');
    take(name, owner, address(1));
    EXPECT_EQ(samples_by_tag()[name.substr(0, 63)], 1u);
    sample_table::freed_all(owner);
}

} // namespace
