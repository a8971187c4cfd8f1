// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/alignment.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/report/memory_map.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <sstream>
#include <string>
#include <vector>

using namespace arenite;

namespace {

/// An address that is never followed.
const void* at(std::uintptr_t address) {
    return reinterpret_cast<const void*>(address); // NOLINT(performance-no-int-to-ptr)
}

std::string text_of(const memory_map& m, const memory_map_options& o = {}) {
    std::ostringstream out;
    m.write_text(out, o);
    return out.str();
}
std::string svg_of(const memory_map& m, const memory_map_options& o = {}) {
    std::ostringstream out;
    m.write_svg(out, o);
    return out.str();
}
std::string json_of(const memory_map& m, const memory_map_options& o = {}) {
    std::ostringstream out;
    m.write_json(out, o);
    return out.str();
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t n = 0;
    for (std::size_t i = text.find(part); i != std::string::npos; i = text.find(part, i + 1))
        ++n;
    return n;
}

/// Tags close in the order in which they opened.
void expect_well_formed(const std::string& xml) {
    std::vector<std::string> open;
    for (std::size_t i = xml.find('<'); i != std::string::npos; i = xml.find('<', i + 1)) {
        const std::size_t end = xml.find('>', i);
        ASSERT_NE(end, std::string::npos);
        const std::string tag = xml.substr(i + 1, end - i - 1);
        const std::string name = tag.substr(0, tag.find_first_of(" /", 1));
        if (tag[0] == '/') {
            ASSERT_FALSE(open.empty());
            EXPECT_EQ(tag.substr(1), open.back());
            open.pop_back();
        } else if (tag.back() != '/') {
            open.push_back(name);
        }
    }
    EXPECT_TRUE(open.empty());
}

TEST(memory_map, of_nothing_says_so) {
    const memory_map none;
    EXPECT_TRUE(none.regions().empty());
    EXPECT_EQ(text_of(none), "no memory held\n");
    expect_well_formed(svg_of(none));
    EXPECT_NE(svg_of(none).find("no memory held"), std::string::npos);
    EXPECT_NE(json_of(none).find("\"cells\": []"), std::string::npos);
    EXPECT_TRUE(memory_map{ordered_heap{}}.regions().empty());
}

TEST(memory_map, puts_regions_in_order_and_drops_empty_ones) {
    memory_map m;
    m.add({at(0x3000), 16, region_state::used});
    m.add({at(0x2000), 0, region_state::used});
    m.add({at(0x1000), 16, region_state::free});
    ASSERT_EQ(m.regions().size(), 2u);
    EXPECT_EQ(m.regions()[0].address, at(0x1000));
    EXPECT_EQ(m.overlapping(), 0u);
    m.add({at(0x2000), 16, region_state::used});
    ASSERT_EQ(m.regions().size(), 3u);
    EXPECT_EQ(m.regions()[1].address, at(0x2000)) << "also after it was asked";
}

TEST(memory_map, counts_overlapping_memory_once_and_tells) {
    memory_map m;
    m.add({at(0x1000), 0x100, region_state::used});
    m.add({at(0x1080), 0x100, region_state::free}); // half of it
    m.add({at(0x1010), 0x10, region_state::free});  // all of it
    m.add({at(0x1000), 0x100, region_state::used}); // twice the same
    EXPECT_EQ(m.totals().bytes(), 0x180u);
    EXPECT_EQ(m.totals().bytes(region_state::used), 0x100u);
    EXPECT_EQ(m.overlapping(), 3u);
    EXPECT_EQ(m.regions().size(), 2u) << "nothing empty is left of those that were cut away";
    EXPECT_NE(text_of(m).find("3 regions overlapped"), std::string::npos);
    EXPECT_NE(svg_of(m).find("3 regions overlapped"), std::string::npos);
    EXPECT_NE(json_of(m).find("\"overlapping\": 3"), std::string::npos);
}

TEST(memory_map, survives_regions_that_end_at_the_last_address_or_past_it) {
    memory_map m;
    m.add({at(UINTPTR_MAX - 0xff), 0x100, region_state::used});
    m.add({at(UINTPTR_MAX - 0x1ff), SIZE_MAX, region_state::free});
    m.add({at(0), 0x10, region_state::free});
    expect_well_formed(svg_of(m, {.columns = 4, .rows = 4}));
    EXPECT_LE(m.cells(m.cell_bytes(16)).size(), 16u);
    EXPECT_FALSE(text_of(m).empty());
}

TEST(memory_map, cuts_memory_into_cells_that_add_up) {
    memory_map m;
    m.add({at(0x1000), 24, region_state::overhead});
    m.add({at(0x1018), 104, region_state::used, true});
    m.add({at(0x1080), 0x180, region_state::free});
    m.add({at(0x8000), 0x40, region_state::used, true});
    const auto cells = m.cells(64);
    ASSERT_EQ(cells.size(), 9u);
    EXPECT_EQ(cells[0].address, 0x1000u);
    EXPECT_EQ(cells[0][region_state::overhead], 24u);
    EXPECT_EQ(cells[0][region_state::used], 40u);
    EXPECT_EQ(cells[0].objects, 1u);
    EXPECT_EQ(cells[0].object_bytes, 104u);
    EXPECT_EQ(cells[1][region_state::used], 64u);
    EXPECT_EQ(cells[1].objects, 0u) << "it only goes on here";
    EXPECT_EQ(cells[2][region_state::free], 64u);
    EXPECT_FALSE(cells[2].after_gap);
    EXPECT_TRUE(cells[8].after_gap);
    std::size_t sum = 0;
    for (const auto& c : cells)
        for (const std::size_t bytes : c.bytes)
            sum += bytes;
    EXPECT_EQ(sum, m.totals().bytes());
}

TEST(memory_map, takes_the_smallest_cells_there_is_room_for) {
    memory_map m;
    m.add({at(0x10000), 0x1000, region_state::used});
    EXPECT_EQ(m.cell_bytes(512), 8u);
    EXPECT_EQ(m.cell_bytes(511), 16u);
    EXPECT_EQ(m.cell_bytes(1), 0x1000u);
    EXPECT_EQ(m.cell_bytes(0), 0x1000u);
    memory_map apart;
    for (const std::uintptr_t each : {0x10000u, 0x20000u, 0x40000u})
        apart.add({at(each), 0x100, region_state::used});
    EXPECT_EQ(apart.cell_bytes(0), apart.cell_bytes(1)) << "at least one cell, however little";
    m.add({at(0x7000'0000), 8, region_state::used});
    EXPECT_EQ(m.cell_bytes(2), 0x1000u) << "what lies between is not drawn";
}

TEST(memory_map, is_of_bounded_size_whatever_the_memory_is) {
    memory_map m;
    std::mt19937_64 random{3};
    for (int i = 0; i < 100'000; ++i)
        m.add({at((random() >> 20) & ~std::uintptr_t{15}), 16,
               static_cast<region_state>(random() % 4), random() % 2 == 0});
    const memory_map_options small{.columns = 20, .rows = 10};
    EXPECT_LE(m.cells(m.cell_bytes(200)).size(), 200u);
    EXPECT_LE(count(svg_of(m, small), "<title>"), 200u);
    EXPECT_LT(svg_of(m, small).size(), 80'000u);
    EXPECT_LT(svg_of(m).size(), 1'000'000u);
    EXPECT_LE(count(text_of(m, small), "\n"), 14u);
}

TEST(memory_map, draws_by_what_most_of_a_cell_is) {
    memory_map m; // sixteen cells of 64 bytes
    m.add({at(0x1000), 64, region_state::overhead});
    m.add({at(0x1040), 64, region_state::used});
    m.add({at(0x1080), 48, region_state::used});
    m.add({at(0x10b0), 16, region_state::free});
    m.add({at(0x10c0), 32, region_state::free});
    m.add({at(0x10e0), 32, region_state::used});
    m.add({at(0x1100), 56, region_state::free});
    m.add({at(0x1138), 8, region_state::used});
    m.add({at(0x1140), 64, region_state::free});
    m.add({at(0x1180), 640, region_state::untouched});
    const std::string text = text_of(m, {.columns = 16, .rows = 1});
    EXPECT_EQ(text.substr(0, text.find('\n')),
              "0x1000 |#\u2588\u2593\u2592\u2591\u00b7          |");
}

TEST(memory_map, has_a_title_of_any_kind) {
    memory_map m;
    m.add({at(0x1000), 64, region_state::used});
    const std::string svg = svg_of(m, {.title = "a <b> & \"c\" \xff\x01"});
    expect_well_formed(svg);
    EXPECT_NE(svg.find("a &lt;b&gt; &amp; &quot;c&quot; \xef\xbf\xbd\xef\xbf\xbd"),
              std::string::npos);
    EXPECT_EQ(text_of(m, {.title = "\x1b[2J"}).substr(0, 7), "\\x1b[2J");
    EXPECT_NE(json_of(m, {.title = "\""}).find(R"("title": "\"")"), std::string::npos);
}

TEST(memory_map, sends_colours_only_where_asked) {
    memory_map m;
    m.add({at(0x1000), 640, region_state::used});
    EXPECT_EQ(text_of(m).find('\x1b'), std::string::npos);
    const std::string coloured = text_of(m, {.colours = true});
    EXPECT_NE(coloured.find("\x1b[34m"), std::string::npos);
    EXPECT_EQ(count(coloured, "\x1b[0m"), 1u);
}

TEST(memory_map, colours_objects_by_size_where_they_are_listed) {
    ordered_heap heap{ordered_options{.sizes = sizes::kept}};
    std::vector<void*> all;
    for (int i = 0; i < 2000; ++i)
        all.push_back(heap.allocate(i < 1000 ? 16 : 300));
    const memory_map m{heap};
    EXPECT_EQ(m.totals().objects(), 2000u);
    const std::string svg = svg_of(m);
    expect_well_formed(svg);
    EXPECT_NE(svg.find("class=\"am-1\""), std::string::npos) << "to 16 bytes";
    EXPECT_NE(svg.find("class=\"am-5\""), std::string::npos) << "to 512 bytes";
    EXPECT_NE(svg.find("objects to 16 B"), std::string::npos);
    for (void* p : all)
        heap.deallocate(p);
}

TEST(memory_map, stands_alone_and_follows_light_and_dark) {
    memory_map m;
    m.add({at(0x1000), 64, region_state::used});
    const std::string svg = svg_of(m);
    EXPECT_EQ(svg.find("<svg xmlns=\"http://www.w3.org/2000/svg\""), 0u);
    EXPECT_EQ(count(svg, "http"), 1u) << "nothing is loaded";
    EXPECT_NE(svg.find("prefers-color-scheme:dark"), std::string::npos);
    EXPECT_EQ(svg.find("var("), std::string::npos) << "librsvg knows no variables";
}

TEST(memory_map, refuses_no_room) {
    memory_map m;
    m.add({at(0x1000), 0x1000, region_state::used});
    for (const memory_map_options& o :
         {memory_map_options{.columns = 0, .rows = 0},
          memory_map_options{.columns = SIZE_MAX, .rows = SIZE_MAX}}) {
        EXPECT_FALSE(text_of(m, o).empty());
        expect_well_formed(svg_of(m, o));
    }
}

} // namespace
