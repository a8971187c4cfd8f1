// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/report/detail/pprof.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace arenite;
using detail::pprof_profile;

namespace {

/// The fields of a message of protocol buffers, numbers and bytes apart.
struct message {
    std::multimap<unsigned, std::uint64_t> numbers;
    std::vector<std::pair<unsigned, std::string>> parts;
    bool whole = true;

    explicit message(std::string_view from) {
        const auto varint = [&]() -> std::uint64_t {
            std::uint64_t n = 0;
            for (unsigned shift = 0; shift < 64 && !from.empty(); shift += 7) {
                const auto byte = static_cast<unsigned char>(from.front());
                from.remove_prefix(1);
                n |= std::uint64_t{byte & 127u} << shift;
                if (byte < 128)
                    return n;
            }
            whole = false;
            return 0;
        };
        while (!from.empty()) {
            const std::uint64_t head = varint();
            const auto field = static_cast<unsigned>(head >> 3);
            if ((head & 7) == 0) {
                numbers.emplace(field, varint());
            } else if (const std::uint64_t n = varint(); (head & 7) == 2 && n <= from.size()) {
                parts.emplace_back(field, from.substr(0, n));
                from.remove_prefix(n);
            } else {
                whole = false;
                return;
            }
        }
    }
    [[nodiscard]] std::uint64_t number(unsigned field) const {
        return numbers.count(field) == 0 ? 0 : numbers.find(field)->second;
    }
    [[nodiscard]] std::vector<message> all(unsigned field) const {
        std::vector<message> found;
        for (const auto& [f, bytes] : parts)
            if (f == field)
                found.emplace_back(bytes);
        return found;
    }
    [[nodiscard]] std::vector<std::string> texts(unsigned field) const {
        std::vector<std::string> found;
        for (const auto& [f, bytes] : parts)
            if (f == field)
                found.push_back(bytes);
        return found;
    }
};

TEST(pprof, has_what_profile_proto_says) {
    constexpr pprof_profile::value_type types[] = {{"objects", "count"}, {"space", "bytes"}};
    pprof_profile profile{types, {"space", "bytes"}, 524'288};
    const std::uint64_t make = profile.location("make", "scene.cpp", 300);
    const std::uint64_t main = profile.location("main");
    EXPECT_NE(make, main);
    EXPECT_EQ(profile.location("make", "scene.cpp", 300), make);
    EXPECT_NE(profile.location("make", "scene.cpp", 301), make);
    const std::uint64_t stack[] = {make, main};
    const std::int64_t values[] = {7, -1000};
    profile.add(stack, values, "decals");

    const message m{profile.encoded()};
    ASSERT_TRUE(m.whole);
    const std::vector<std::string> strings = m.texts(6);
    ASSERT_FALSE(strings.empty());
    EXPECT_EQ(strings[0], "");
    const auto types_there = m.all(1);
    ASSERT_EQ(types_there.size(), 2u);
    EXPECT_EQ(strings.at(types_there[0].number(1)), "objects");
    EXPECT_EQ(strings.at(types_there[1].number(2)), "bytes");
    EXPECT_EQ(strings.at(m.all(11).at(0).number(1)), "space");
    EXPECT_EQ(m.number(12), 524'288u);
    EXPECT_EQ(strings.at(m.number(14)), "space");
    EXPECT_EQ(m.all(4).size(), 3u);
    const auto functions = m.all(5);
    ASSERT_EQ(functions.size(), 2u);
    EXPECT_EQ(strings.at(functions[0].number(2)), "make");
    EXPECT_EQ(strings.at(functions[0].number(4)), "scene.cpp");
    EXPECT_EQ(m.all(4)[0].all(4).at(0).number(2), 300u);
    const auto samples = m.all(2);
    ASSERT_EQ(samples.size(), 1u);
    std::vector<std::uint64_t> places;
    std::vector<std::int64_t> found;
    for (const auto& [field, n] : samples[0].numbers) {
        if (field == 1)
            places.push_back(n);
        else
            found.push_back(static_cast<std::int64_t>(n));
    }
    EXPECT_EQ(places, (std::vector<std::uint64_t>{make, main}));
    EXPECT_EQ(found, (std::vector<std::int64_t>{7, -1000}));
    const message label = samples[0].all(3).at(0);
    EXPECT_EQ(strings.at(label.number(1)), "tag");
    EXPECT_EQ(strings.at(label.number(2)), "decals");
}

} // namespace
