// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/report/layout.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

using namespace arenite;

namespace {

struct vector3 {
    float x, y, z;
};

/// The thesis's listing 5.1, of which its listing 5.2 shows what pahole says.
struct particle {
    float age, max_age;
    bool pending_kill;
    vector3 position, rotation, scale, linear_velocity, angular_velocity, linear_force, torque;
    int color, texture_handle;
    void *parent, *user_ptr;
    std::uint64_t flags;
};

std::string text_of(const type_layout& l) {
    std::ostringstream out;
    l.write_text(out);
    return out.str();
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

TEST(type_layout, says_what_pahole_says) {
    const type_layout l = layout_of<particle>();
    std::ostringstream out;
    out << l;
    EXPECT_EQ(out.str(), text_of(l));
    EXPECT_EQ(l.bytes, 128u);
    EXPECT_EQ(l.members.size(), 15u);
    EXPECT_EQ(l.member_bytes(), 125u);
    EXPECT_EQ(l.hole_count(), 1u);
    EXPECT_EQ(l.hole_bytes(), 3u);
    EXPECT_EQ(l.padding_bytes(), 0u);
    EXPECT_EQ(l.members[2].name, "pending_kill");
    EXPECT_EQ(l.members[2].offset, 8u);
    EXPECT_EQ(l.members[3].offset, 12u);
    EXPECT_EQ(l.members[7].name, "angular_velocity");
    EXPECT_EQ(l.members[7].offset, 60u);
    EXPECT_EQ(l.members[7].bytes, 12u);
    EXPECT_EQ(l.members[14].offset, 120u);
    EXPECT_EQ(l.members[0].type, "float");

    const std::string text = text_of(l);
    EXPECT_TRUE(has(text, "       9      3  -- a hole\n")) << text;
    EXPECT_TRUE(has(text, "15 members of 125 bytes, 1 hole of 3, padding of 0")) << text;
    EXPECT_TRUE(has(text, "across lines 0 and 1")) << text;
}

TEST(type_layout, counts_the_lines_of_the_members_used) {
    const type_layout two = layout_of<particle, &particle::angular_velocity>();
    ASSERT_EQ(two.lines().size(), 2u);
    EXPECT_EQ(two.lines()[0].used_bytes, 4u);
    EXPECT_EQ(two.lines()[1].used_bytes, 8u);
    EXPECT_NEAR(two.share_in_array(), 12.0 / 128, 1e-9) << "the thesis: 90.6 % are wasted";

    const type_layout three = layout_of<particle, &particle::position, &particle::linear_velocity,
                                        &particle::linear_force>();
    EXPECT_EQ(three.used_bytes(), 36u);
    EXPECT_EQ(three.lines_in_array(), 2);
    EXPECT_TRUE(has(text_of(three),
                    "used: 36 bytes of line 0 (38 %), line 1 (19 %), in an array an object touches "
                    "2.0 lines, of which 28 % is used\n"))
        << text_of(three);
}

TEST(type_layout, looks_at_every_place_in_an_array) {
    const type_layout l = layout_of<vector3>();
    // Two of 16 objects in three lines lie across a boundary.
    EXPECT_NEAR(l.lines_in_array(), 18.0 / 16, 1e-9);
    EXPECT_NEAR(l.share_in_array(), 12 / (64 * 18.0 / 16), 1e-9);
}

struct gaps {
    char first;
    std::uint16_t number;
    double wide;
    char last;
};

TEST(type_layout, finds_holes_and_padding) {
    const type_layout l = layout_of<gaps>();
    EXPECT_EQ(l.hole_count(), 2u);
    EXPECT_EQ(l.hole_bytes(), 1u + 4u);
    EXPECT_EQ(l.padding_bytes(), 7u);
    EXPECT_TRUE(has(text_of(l), "      17      7  -- padding\n")) << text_of(l);
}

TEST(type_layout, is_json_too) {
    std::ostringstream out;
    layout_of<gaps, &gaps::wide>().write_json(out);
    const std::string text = out.str();
    EXPECT_TRUE(has(text, "\"bytes\": 24, \"alignment\": 8")) << text;
    EXPECT_TRUE(has(text, "{\"name\": \"wide\", \"type\": \"double\", \"offset\": 8, \"bytes\": 8, "
                          "\"used\": true}"))
        << text;
    EXPECT_TRUE(has(text, "\"lines\": [{\"index\": 0, \"used_bytes\": 8}]")) << text;
    EXPECT_TRUE(has(text, "\"lines_in_array\": 1.000, \"share_in_array\": 0.1250}")) << text;
}

struct nothing {};
struct with_nothing {
    [[no_unique_address]] nothing first;
    std::array<char, 64> all;
};

TEST(type_layout, counts_what_lies_over_each_other_once) {
    const type_layout l = layout_of<with_nothing>();
    EXPECT_EQ(l.member_bytes(), 64u);
    EXPECT_EQ(l.used_bytes(), 64u);
    EXPECT_EQ(l.lines()[0].used_bytes, 64u);
    EXPECT_EQ(l.share_in_array(), 1.0);
    EXPECT_TRUE(has(text_of(l), "2 members of 64 bytes")) << text_of(l);
}

struct long_one {
    char first;
    std::array<char, 100> two;
    std::array<char, 200> more;
};

TEST(type_layout, names_the_lines_that_a_member_is_across) {
    const std::string text = text_of(layout_of<long_one>());
    EXPECT_TRUE(has(text, "across lines 0 and 1\n")) << text;
    EXPECT_TRUE(has(text, "across lines 1 to 4\n")) << text;
}

struct elusive {
    void operator&() const = delete; // NOLINT(google-runtime-operator)
    int value = 0;
};
struct of_elusive {
    int first;
    elusive second;
};

TEST(type_layout, takes_the_address_of_what_has_an_operator_for_it) {
    EXPECT_EQ(layout_of<of_elusive>().members[1].offset, 4u);
}

class described {
public:
    described() {} // NOLINT(modernize-use-equals-default): no plain struct
    int a = 1, b = 2, c = 3;
};

} // namespace

template <>
struct arenite::describe<described> {
    using members = member_list<&described::c, &described::a>;
};

namespace {

TEST(type_layout, puts_what_is_described_in_order) {
    const type_layout l = layout_of<described>();
    EXPECT_EQ(l.members[0].name, "a");
    EXPECT_EQ(l.members[1].offset, 8u);
    EXPECT_EQ(l.hole_bytes(), 4u) << "b is not described";
}

} // namespace
