// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/report/usage_snapshot.hpp>

#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/affinity/shared_heap.hpp>
#include <arenite/compose/tracked_resource.hpp>
#include <arenite/ordered/ordered_heap.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <sstream>
#include <string>

using namespace arenite;

namespace {

struct of_snapshots {
    static constexpr std::string_view name = "of snapshots";
};

std::size_t bytes_of(const usage_snapshot& s, std::string_view name) {
    const usage_snapshot::part* const p = s.find(name);
    EXPECT_NE(p, nullptr) << name;
    return p != nullptr ? p->figures.bytes_in_use : 0;
}

TEST(usage_snapshot, has_all_trees_all_affinities_and_all_shared_heaps) {
    usage_node game{"a game of snapshots"};
    tracked_resource<ordered_heap> level{"level 1", &game};
    void* const p = level.allocate(1000, 8);
    affinity_heap& nodes = affinity_heap::of<of_snapshots>();
    void* const q = nodes.allocate(96, 8);
    shared_heap document{{.name = "a document"}};
    void* const r = document.allocate(128, 8);
    const usage_snapshot s = take_usage_snapshot();
    EXPECT_GE(bytes_of(s, "a game of snapshots/level 1"), 1000U);
    EXPECT_EQ(bytes_of(s, "a game of snapshots"), bytes_of(s, "a game of snapshots/level 1"));
    EXPECT_GE(bytes_of(s, "affinities/of snapshots"), 96U);
    EXPECT_GE(bytes_of(s, "affinities"), bytes_of(s, "affinities/of snapshots"));
    EXPECT_GE(bytes_of(s, "shared heaps/a document"), 128U);
    EXPECT_EQ(s.find("no such part"), nullptr);
    level.deallocate(p, 1000, 8);
    nodes.deallocate(q, 96, 8);
    document.deallocate(r, 128, 8);
    EXPECT_EQ(bytes_of(take_usage_snapshot(), "shared heaps/a document"), 0U);
    EXPECT_GE(bytes_of(s, "shared heaps/a document"), 128U); // of that moment
}

TEST(usage_snapshot, numbers_parts_of_one_path_and_is_taken_of_one_tree) {
    usage_node game{"game"};
    const usage_node first{"sounds", &game};
    const usage_node second{"sounds", &game};
    const usage_snapshot s = take_usage_snapshot(game);
    ASSERT_EQ(s.parts().size(), 3U);
    EXPECT_EQ(s.parts()[0].name, "game");
    EXPECT_EQ(s.parts()[1].name, "game/sounds");
    EXPECT_EQ(s.parts()[2].name, "game/sounds (2)");
}

TEST(usage_snapshot, gives_no_number_that_a_part_has_as_its_name) {
    usage_node game{"game"};
    const usage_node first{"sounds", &game};
    const usage_node second{"sounds", &game};
    const usage_node third{"sounds (2)", &game};
    const usage_snapshot s = take_usage_snapshot(game);
    ASSERT_EQ(s.parts().size(), 4U);
    EXPECT_EQ(s.parts()[1].name, "game/sounds");
    EXPECT_EQ(s.parts()[2].name, "game/sounds (3)");
    EXPECT_EQ(s.parts()[3].name, "game/sounds (2)");
}

TEST(usage_snapshot, finds_trees_whose_root_has_ended) {
    auto root = std::make_unique<usage_node>("a root of snapshots");
    const usage_node child{"a child of snapshots", root.get()};
    EXPECT_EQ(child.next_sibling(), nullptr);
    EXPECT_NE(take_usage_snapshot().find("a root of snapshots/a child of snapshots"), nullptr);
    EXPECT_EQ(take_usage_snapshot().find("a child of snapshots"), nullptr);
    root.reset();
    EXPECT_NE(take_usage_snapshot().find("a child of snapshots"), nullptr);
    EXPECT_EQ(child.next_sibling(), nullptr);
}

TEST(usage_snapshot, many_shared_heaps_are_all_there) {
    const auto heaps = std::make_unique<std::optional<shared_heap>[]>(100);
    for (int i = 0; i < 100; ++i)
        heaps[static_cast<std::size_t>(i)].emplace(
            shared_heap_options{.name = i == 0 ? "the first" : "one of many"});
    const usage_snapshot s = take_usage_snapshot();
    EXPECT_NE(s.find("shared heaps/the first"), nullptr);
    EXPECT_NE(s.find("shared heaps/one of many (99)"), nullptr);
    EXPECT_EQ(s.find("shared heaps/one of many (100)"), nullptr);
}

TEST(usage_snapshot, is_written_as_text_and_json) {
    usage_node game{"ga\"me"};
    const usage_snapshot s = take_usage_snapshot(game);
    std::ostringstream text;
    s.write_text(text);
    EXPECT_EQ(text.str(), "name   in use  reserved  objects\n"
                          "ga\"me     0 B       0 B        0\n");
    std::ostringstream json;
    s.write_json(json);
    EXPECT_EQ(json.str().find("{\"schema\": 1, \"parts\": [\n"
                              "  {\"name\": \"ga\\\"me\", \"bytes_in_use\": 0, "
                              "\"bytes_reserved\": 0, \"high_water_bytes\": 0, "
                              "\"live_allocations\": 0}], \"sampling_interval\": 0, \"sites\": ["),
              0u)
        << json.str();
}

} // namespace
