// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../../../lab/scene/store.hpp"
#include "../../../lab/scene/visit.hpp"

#include "counting_heap.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

namespace arenite::lab::scene {
namespace {

struct scene_store : testing::Test {
    counting_heap nodes, data;
    store<counting_heap> objects{nodes, data};

    geometry* triangle(float x) {
        geometry* g = objects.make_geometry();
        g->positions = objects.make_array<vector3>(3);
        g->positions->references = 1;
        const std::array<vector3, 3> corners{{{x, 0, 0}, {x + 1, 0, 0}, {x, 1, 0}}};
        std::memcpy(g->positions->elements, corners.data(), sizeof corners);
        g->index_count = 3;
        g->bound = bound_of(corners);
        return g;
    }
};

TEST_F(scene_store, takes_what_is_traversed_from_one_heap_and_all_else_from_the_other) {
    auto* root = objects.make_group<transform>(kind::transform);
    root->references = 1;
    objects.reserve_children(*root, 2);
    EXPECT_EQ(nodes.live_bytes(), sizeof(transform) + 2 * sizeof(node*));
    EXPECT_EQ(data.live_bytes(), 0);
    objects.set_name(*root, "root");
    EXPECT_EQ(data.live_bytes(), 5);
    store<counting_heap>::attach(*root, 1, triangle(0));
    EXPECT_EQ(nodes.live_bytes(), sizeof(transform) + 2 * sizeof(node*) + sizeof(geometry));
    EXPECT_EQ(data.live_bytes(), 5 + sizeof(array) + 3 * sizeof(vector3));
    auto* shown = static_cast<geometry*>(root->children[1]);
    shown->surface = objects.make_material();
    shown->surface->references = 1;
    EXPECT_EQ(nodes.live(), 4) << "and the material";
    EXPECT_DOUBLE_EQ(payload(*root), static_cast<double>(nodes.live_bytes() + data.live_bytes()));
    objects.release(root);
    EXPECT_EQ(nodes.live_bytes(), 0);
    EXPECT_EQ(data.live_bytes(), 0);
}

TEST_F(scene_store, keeps_a_shared_array_until_its_last_user_goes) {
    geometry* first = triangle(0);
    geometry* second = objects.make_geometry();
    first->references = second->references = 1;
    second->positions = first->positions;
    ++second->positions->references;
    objects.release(first);
    EXPECT_EQ(data.live_bytes(), sizeof(array) + 3 * sizeof(vector3));
    objects.release(second);
    EXPECT_EQ(data.live_bytes(), 0);
}

TEST_F(scene_store, cuts_a_name_that_is_too_long) {
    material* m = objects.make_material();
    m->references = 1;
    objects.set_name(*m, std::string(100'000, 'x'));
    EXPECT_EQ(m->name_bytes, 65535);
    EXPECT_EQ(std::strlen(m->name), 65534);
    objects.release(m);
    EXPECT_EQ(data.live_bytes(), 0);
}

TEST_F(scene_store, is_counted_by_a_traversal_that_passes_empty_places) {
    auto* root = objects.make_group<group>(kind::group);
    root->references = 1;
    objects.reserve_children(*root, 3);
    store<counting_heap>::attach(*root, 0, triangle(0));
    auto* t = objects.make_group<transform>(kind::transform);
    t->local = matrix::translation(2, 3, 4);
    store<counting_heap>::attach(*root, 2, t);
    const statistics s = traverse(*root);
    EXPECT_EQ(s.groups, 1);
    EXPECT_EQ(s.transforms, 1);
    EXPECT_EQ(s.geometries, 1);
    EXPECT_EQ(s.nodes(), 3);
    EXPECT_EQ(s.children, 3);
    EXPECT_EQ(s.indices, 3);
    EXPECT_DOUBLE_EQ(s.shift, 5);
    objects.release(root);
}

TEST_F(scene_store, has_contents_that_differ_by_one_vertex) {
    geometry* g = triangle(0);
    g->references = 1;
    const std::uint64_t before = contents(*g);
    EXPECT_EQ(contents(*g), before);
    g->positions->elements[35] ^= std::byte{1};
    EXPECT_NE(contents(*g), before);
    objects.release(g);
}

TEST_F(scene_store, shows_a_camera_what_lies_before_it) {
    auto* root = objects.make_group<group>(kind::group);
    root->references = 1;
    objects.reserve_children(*root, 1);
    auto* t = objects.make_group<transform>(kind::transform);
    t->local = matrix::translation(10, 0, 0);
    objects.reserve_children(*t, 1);
    geometry* g = triangle(0);
    g->surface = objects.make_material();
    g->surface->references = 1;
    g->surface->sort_key = 7;
    store<counting_heap>::attach(*t, 0, g);
    t->bound = t->local * g->bound;
    store<counting_heap>::attach(*root, 0, t);
    root->bound = t->bound;

    const auto seen = [&](camera eye) { return cull(*root, eye); };
    EXPECT_EQ(seen({}).draws, 1);
    EXPECT_EQ(seen({}).tested, 3);
    EXPECT_EQ(seen({}).indices, 3);
    EXPECT_EQ(seen({}).sort_sum, 7);
    EXPECT_EQ(seen({.heading = std::numbers::pi}).draws, 0) << "it lies behind";
    EXPECT_EQ(seen({.heading = std::numbers::pi}).tested, 1) << "the root's sphere was enough";
    EXPECT_EQ(seen({.heading = 0.8}).draws, 0) << "beside the frustum";
    EXPECT_EQ(seen({.heading = 0.4}).draws, 1) << "within 30 degrees";
    EXPECT_EQ(seen({.far = 5}).draws, 0) << "too far away";
    EXPECT_EQ(seen({.x = 10, .y = -3, .heading = std::numbers::pi / 2}).draws, 1);
    objects.release(root);
}

TEST(scene_math, unites_spheres_to_one_around_both) {
    const sphere both = unite({{0, 0, 0}, 1}, {{4, 0, 0}, 1});
    EXPECT_FLOAT_EQ(both.center.x, 2);
    EXPECT_FLOAT_EQ(both.radius, 3);
    EXPECT_FLOAT_EQ(unite({}, {{4, 0, 0}, 1}).center.x, 4);
    EXPECT_FLOAT_EQ(unite({{0, 0, 0}, 9}, {{4, 0, 0}, 1}).radius, 9) << "one within the other";
}

TEST(scene_math, multiplies_matrices_in_order) {
    matrix turn; // a quarter about z, twice as large
    turn.m = {0, 2, 0, 0, -2, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1};
    const sphere s = matrix::translation(1, 2, 3) * turn * sphere{{1, 0, 0}, 1};
    EXPECT_FLOAT_EQ(s.center.x, 1);
    EXPECT_FLOAT_EQ(s.center.y, 4);
    EXPECT_FLOAT_EQ(s.center.z, 3);
    EXPECT_FLOAT_EQ(s.radius, 2);
}

} // namespace
} // namespace arenite::lab::scene
