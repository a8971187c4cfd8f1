// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/passthrough.hpp>
#include <arenite/linear/linear_resource.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/report/usage_node.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <locale>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <type_traits>

using namespace arenite;

namespace {

std::byte memory[10'000];

/// Reports the figures and regions that it is set to.
struct told {
    arenite::usage figures;
    arenite::usage usage() const { return figures; }
};

struct told_and_listed : told {
    std::size_t holes[3] = {};
    mutable int lists = 0;
    void list_regions(region_sink& sink) const {
        ++lists;
        const std::byte* at = memory;
        for (const std::size_t hole : holes) {
            sink.add({at, 8, region_state::used});
            sink.add({at + 8, hole, region_state::free});
            at += 8 + hole;
        }
    }
};

std::string text_of(const usage_node& n, const usage_report_options& options = {}) {
    std::ostringstream out;
    n.write_text(out, options);
    return out.str();
}

std::string json_of(const usage_node& n, const usage_report_options& options = {}) {
    std::ostringstream out;
    n.write_json(out, options);
    return out.str();
}

static_assert(!std::is_copy_constructible_v<usage_node>);
static_assert(!std::is_move_constructible_v<usage_node>);
static_assert(std::is_constructible_v<usage_node, const char*, const told&>);
static_assert(!std::is_constructible_v<usage_node, const char*, told>, "it would dangle");

TEST(usage_node, tells_what_its_resource_tells) {
    const told r{{.bytes_in_use = 10,
                  .bytes_reserved = 100,
                  .high_water_bytes = 60,
                  .live_allocations = 3,
                  .largest_hole_bytes = 45}};
    const usage_node n{"r", r};
    EXPECT_EQ(n.usage(), r.figures);
    EXPECT_DOUBLE_EQ(n.fragmentation().value(), 0.5);
}

TEST(usage_node, without_a_resource_tells_the_sum_of_those_below) {
    const told a{{.bytes_in_use = 10, .bytes_reserved = 100, .largest_hole_bytes = 45}};
    const told b{{.bytes_in_use = 20, .bytes_reserved = 30, .live_allocations = 2}};
    usage_node root{"root"};
    usage_node inner{"inner", &root};
    const usage_node na{"a", a, &inner};
    const usage_node nb{"b", b, &root};
    EXPECT_EQ(root.usage(), (usage{.bytes_in_use = 30,
                                   .bytes_reserved = 130,
                                   .high_water_bytes = 30,
                                   .live_allocations = 2,
                                   .largest_hole_bytes = 45}));
    EXPECT_DOUBLE_EQ(root.fragmentation().value(), 1 - 45.0 / 100);
}

TEST(usage_node, with_a_resource_takes_those_below_as_its_parts) {
    linear_resource level{100'000};
    const usage_node nothing{"nothing"};
    usage_node whole{"level", level};
    ordered_heap inside{ordered_options{.block_bytes = 4096}, &level};
    const usage_node part{"inside", inside, &whole};
    void* const p = inside.allocate(100);
    EXPECT_EQ(whole.usage(), level.usage());
    EXPECT_EQ(part.usage(), inside.usage());
    EXPECT_EQ(nothing.usage(), usage{});
    inside.deallocate(p, 100);
}

TEST(usage_node, remembers_the_most_that_a_sum_was_when_it_was_asked) {
    told a{{.bytes_in_use = 10}}, b{{.bytes_in_use = 500}};
    usage_node root{"root"};
    const usage_node na{"a", a, &root}, nb{"b", b, &root};
    root.sample();
    b.figures.bytes_in_use = 0;
    a.figures.bytes_in_use = 400;
    EXPECT_EQ(root.usage().bytes_in_use, 400u);
    EXPECT_EQ(root.usage().high_water_bytes, 510u) << "not the sum of both high waters";
}

/// The bytes that remain above the top are no budget, which would cut the holes below it.
TEST(usage_node, shows_the_holes_of_a_linear_resource) {
    if (passthrough())
        GTEST_SKIP() << "malloc has the objects";
    linear_resource level{1000};
    void* const p = level.allocate(400, 1);
    static_cast<void>(level.allocate(500, 1));
    level.deallocate(p, 400, 1);
    EXPECT_EQ(level.remaining(), 100u);
    const usage_node node{"level", level};
    EXPECT_DOUBLE_EQ(node.fragmentation().value(), 1 - 400.0 / 500);
}

TEST(usage_node, looks_for_the_largest_hole_itself_unless_told_not_to) {
    told_and_listed r;
    r.figures = {.bytes_in_use = 24, .bytes_reserved = 124, .largest_hole_bytes = 10};
    r.holes[0] = 20;
    r.holes[1] = 50;
    r.holes[2] = 30;
    usage_node root{"root"};
    const usage_node n{"r", r, &root};
    EXPECT_DOUBLE_EQ(n.fragmentation().value(), 0.5);
    EXPECT_DOUBLE_EQ(root.fragmentation().value(), 0.5);
    EXPECT_EQ(r.lists, 2);
    EXPECT_DOUBLE_EQ(n.fragmentation(false).value(), 0.9);
    static_cast<void>(root.usage());
    EXPECT_EQ(r.lists, 2) << "usage() never walks";
    static_cast<void>(text_of(root));
    EXPECT_EQ(r.lists, 3) << "once a report, however deep";
}

TEST(usage_node, does_not_know_the_fragmentation_of_what_has_nothing_free) {
    const told full{{.bytes_in_use = 10, .bytes_reserved = 10, .largest_hole_bytes = 8}};
    EXPECT_EQ((usage_node{"full", full}.fragmentation()), std::nullopt);
    const told unknown{{.bytes_in_use = 10, .bytes_reserved = 100}};
    EXPECT_EQ((usage_node{"unknown", unknown}.fragmentation()), std::nullopt);
    EXPECT_EQ(usage_node{"none"}.fragmentation(), std::nullopt);
}

TEST(usage_node, keeps_the_order_in_which_nodes_were_made) {
    usage_node root{"root"};
    const usage_node a{"a", &root};
    auto b = std::make_unique<usage_node>("b", &root);
    const usage_node c{"c", &root};
    ASSERT_EQ(root.first_child(), &a);
    EXPECT_EQ(a.next_sibling(), b.get());
    EXPECT_EQ(b->next_sibling(), &c);
    b.reset();
    EXPECT_EQ(a.next_sibling(), &c);
    EXPECT_EQ(c.parent(), &root);
    auto d = std::make_unique<usage_node>("d", &root);
    EXPECT_EQ(c.next_sibling(), d.get());
    d.reset(); // the last one
    const usage_node e{"e", &root};
    EXPECT_EQ(root.first_child(), &a);
    EXPECT_EQ(c.next_sibling(), &e);
}

TEST(usage_node, may_end_before_those_below_it) {
    const told r{{.bytes_in_use = 5}};
    auto root = std::make_unique<usage_node>("root");
    usage_node inner{"inner", root.get()};
    const usage_node other{"other", root.get()};
    const usage_node n{"n", r, &inner};
    root.reset();
    EXPECT_EQ(inner.parent(), nullptr);
    EXPECT_EQ(inner.next_sibling(), nullptr);
    EXPECT_EQ(inner.usage().bytes_in_use, 5u) << "a root of its own";
}

TEST(usage_node, is_gone_from_the_tree_when_it_ends) {
    const told r{{.bytes_in_use = 5}};
    usage_node root{"root"};
    for (int i = 0; i < 3; ++i) {
        const usage_node first{"first", r, &root}, second{"second", r, &root};
        EXPECT_EQ(root.usage().bytes_in_use, 10u);
    }
    EXPECT_EQ(root.first_child(), nullptr);
    EXPECT_EQ(root.usage().bytes_in_use, 0u);
}

TEST(usage_node, writes_columns_that_are_aligned) {
    const told a{{.bytes_in_use = 1536,
                  .bytes_reserved = 3 << 20,
                  .high_water_bytes = 5000,
                  .live_allocations = 12,
                  .largest_hole_bytes = 1 << 20}};
    const told b{{.bytes_in_use = 7, .bytes_reserved = 7}};
    usage_node root{"game"};
    usage_node level{"level 1", &root};
    const usage_node na{"Häuser", a, &level}, nb{"b", b, &root};
    EXPECT_EQ(
        text_of(root),
        "               in use  reserved  high water  objects  largest hole  fragmentation\n"
        "game          1.5 KiB   3.0 MiB     4.9 KiB       12       1.0 MiB           67 %\n"
        "|- level 1    1.5 KiB   3.0 MiB     4.9 KiB       12       1.0 MiB           67 %\n"
        "|  `- Häuser  1.5 KiB   3.0 MiB     4.9 KiB       12       1.0 MiB           67 %\n"
        "`- b              7 B       7 B         0 B        -             -              -\n");
}

TEST(usage_node, writes_exact_bytes_on_request) {
    const told a{{.bytes_in_use = 1536, .bytes_reserved = 3 << 20}};
    const std::string text = text_of(usage_node{"a", a}, {.exact = true});
    EXPECT_NE(text.find(" 1536 "), std::string::npos) << text;
    EXPECT_NE(text.find(" 3145728 "), std::string::npos) << text;
}

TEST(usage_node, writes_json) {
    const told a{{.bytes_in_use = 10,
                  .bytes_reserved = 50,
                  .high_water_bytes = 20,
                  .live_allocations = 1,
                  .largest_hole_bytes = 30}};
    usage_node root{"root"};
    const usage_node na{"a", a, &root};
    EXPECT_EQ(json_of(root),
              R"({"name": "root", "bytes_in_use": 10, "bytes_reserved": 50, )"
              R"("high_water_bytes": 20, "live_allocations": 1, "largest_hole_bytes": 30, )"
              R"("fragmentation": 0.2500, "children": [
  {"name": "a", "bytes_in_use": 10, "bytes_reserved": 50, "high_water_bytes": 20, )"
              R"("live_allocations": 1, "largest_hole_bytes": 30, "fragmentation": 0.2500, )"
              R"("children": []}]}
)");
}

TEST(usage_node, may_have_any_name) {
    const auto json_name = [](std::string_view name) {
        const std::string text = json_of(usage_node{name});
        return text.substr(0, text.find(", \"bytes_in_use\""));
    };
    EXPECT_EQ(json_name("a \"b\" \\ c"), R"({"name": "a \"b\" \\ c")");
    EXPECT_EQ(json_name(std::string_view{"\n\x01\x00\x7f", 4}),
              R"({"name": "\u000a\u0001\u0000\u007f")");
    EXPECT_EQ(json_name("\xc3\xa4\xf0\x9f\x98\x80"), "{\"name\": \"\xc3\xa4\xf0\x9f\x98\x80\"");
    for (const char* broken : {"\xff", "\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80"})
        EXPECT_NE(json_name(broken).find("\xef\xbf\xbd"), std::string::npos) << broken;
    EXPECT_EQ(json_name(""), R"({"name": "")");
    const std::string text = text_of(usage_node{"\x1b[31mred\n\xff"});
    EXPECT_NE(text.find(R"(\x1b[31mred\x0a\xff)"), std::string::npos) << text;
}

TEST(usage_node, writes_the_same_whatever_the_stream_s_locale_and_flags) {
    const told a{{.bytes_in_use = 123'456'789,
                  .bytes_reserved = 223'456'789,
                  .largest_hole_bytes = 1'000'000}};
    const usage_node n{"a", a};
    std::ostringstream other;
#if defined(__cpp_rtti) // by which a locale knows a facet
    struct grouping : std::numpunct<char> {
        char do_decimal_point() const override { return ','; }
        char do_thousands_sep() const override { return '.'; }
        std::string do_grouping() const override { return "\3"; }
    };
    other.imbue(std::locale{std::locale::classic(), new grouping});
#endif
    other << std::hex << std::showbase;
    other.width(500);
    n.write_json(other);
    n.write_text(other);
    EXPECT_EQ(other.str(), json_of(n) + text_of(n));
}

} // namespace
