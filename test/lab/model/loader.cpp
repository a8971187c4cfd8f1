// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../../../lab/workloads/model/loader.hpp"

#include "../../../lab/scene/visit.hpp"
#include "../../../lab/workload.hpp"
#include "counting_heap.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace arenite::lab {
namespace {

const std::string testdata = ARENITE_LAB_TESTDATA;

struct model_load : testing::Test {
    counting_heap nodes, data;
    scene::store<counting_heap> store{nodes, data};

    scene::group* load(const model_source& source, const aiNode& from) {
        model_loader loader{store, source.scene()};
        auto* root = static_cast<scene::group*>(loader.load(from));
        root->references = 1;
        return root;
    }
    scene::group* load(const model_source& source) {
        return load(source, *source.scene().mRootNode);
    }
};

TEST_F(model_load, makes_of_each_node_one_and_of_each_mesh_one) {
    const model_source source{testdata + "/boxes.obj"};
    scene::group* root = load(source);
    const scene::statistics s = traverse(*root);
    EXPECT_EQ(s.groups + s.transforms, 3);
    EXPECT_EQ(s.geometries, 2);
    EXPECT_EQ(s.indices, 22 * 3) << "twelve triangles, and ten of the box without a lid";
    EXPECT_EQ(s.nodes(), source.size().nodes);
    ASSERT_EQ(root->count, 2);
    EXPECT_STREQ(root->children[0]->name, "first");
    EXPECT_STREQ(root->children[1]->name, "second");
    EXPECT_EQ(nodes.live_bytes(), source.size().node_bytes + 2 * sizeof(scene::material));
    store.release(root);
    EXPECT_EQ(nodes.live() + data.live(), 0);
}

TEST_F(model_load, takes_materials_normals_and_bounds_over) {
    const model_source source{testdata + "/boxes.obj"};
    scene::group* root = load(source);
    const auto* second = static_cast<const scene::group*>(root->children[1]);
    const auto* box = static_cast<const scene::geometry*>(second->children[0]);
    ASSERT_NE(box->surface, nullptr);
    EXPECT_STREQ(box->surface->name, "green");
    EXPECT_FLOAT_EQ(box->surface->diffuse[1], 0.8F);
    EXPECT_FLOAT_EQ(box->surface->opacity, 0.5F);
    ASSERT_NE(box->normals, nullptr);
    EXPECT_EQ(box->normals->count, box->positions->count);
    EXPECT_EQ(box->texcoords, nullptr);
    EXPECT_EQ(box->indices->element_bytes, 2);
    EXPECT_FLOAT_EQ(box->bound.center.x, 2.5F);
    EXPECT_NEAR(root->bound.radius, 1.5 + 0.5 * 1.7320508 - 0.5, 0.01);
    EXPECT_FLOAT_EQ(root->bound.radius, source.bound().radius);
    store.release(root);
}

TEST_F(model_load, keeps_transforms_and_names_of_a_building) {
    const model_source source{testdata + "/slab.ifc"};
    scene::group* root = load(source);
    const scene::statistics s = traverse(*root);
    EXPECT_EQ(s.geometries, 1);
    EXPECT_EQ(s.transforms, 2);
    EXPECT_TRUE(std::string{root->name}.starts_with("IfcSite"));
    store.release(root);
}

TEST_F(model_load, gives_its_temporary_memory_back) {
    const model_source source{testdata + "/boxes.obj"};
    scene::group* root = load(source);
    const double kept = payload(*root);
    EXPECT_DOUBLE_EQ(static_cast<double>(nodes.live_bytes() + data.live_bytes()), kept);
    EXPECT_GT(data.calls(), data.live()) << "a loader needs temporary memory";
    store.release(root);
}

TEST_F(model_load, makes_the_same_of_a_part_as_of_the_whole) {
    const model_source source{model_source::city};
    scene::group* root = load(source);
    const scene::statistics before = traverse(*root);
    const std::uint64_t contents_before = contents(*root);
    const aiNode& part = *source.scene().mRootNode->mChildren[4]; // a block
    scene::node*& place = root->children[4];
    store.release(place);
    scene::group* again = load(source, part);
    place = again;
    EXPECT_EQ(traverse(*root), before);
    EXPECT_EQ(contents(*root), contents_before);
    store.release(root);
}

TEST_F(model_load, shares_arrays_and_materials_within_one_load) {
    const model_source source{model_source::city};
    scene::group* root = load(source);
    const double once = payload(*root);
    scene::group* other = load(source);
    EXPECT_DOUBLE_EQ(payload(*other), once);
    EXPECT_DOUBLE_EQ(static_cast<double>(nodes.live_bytes() + data.live_bytes()), 2 * once)
        << "two loads share nothing";
    EXPECT_LT(source.scene().mNumMeshes, traverse(*root).geometries);
    store.release(root);
    store.release(other);
}

TEST(model_city, is_the_same_at_every_call) {
    const model_source a{model_source::city}, b{model_source::city};
    EXPECT_EQ(a.size().nodes, b.size().nodes);
    EXPECT_EQ(a.size().data_bytes, b.size().data_bytes);
    EXPECT_GT(a.size().nodes, 1000);
    EXPECT_GT(a.scene().mNumMaterials, 10U);
    EXPECT_GT(a.bound().radius, 50);
}

std::string reason(const std::string& file) {
    const auto why = why_unreadable(file, [&] { const model_source source{file}; });
    EXPECT_TRUE(!why || why->find(file) != std::string::npos) << *why;
    return why.value_or("readable");
}

TEST(model_file, is_refused_with_its_name_and_the_reason) {
    EXPECT_NE(reason(testdata + "/none.ifc").find("does not exist"), std::string::npos);
    EXPECT_NE(reason(testdata).find("is a directory"), std::string::npos);
    EXPECT_NE(reason(testdata + "/empty.ifc").find("is empty"), std::string::npos);
    EXPECT_NE(reason(testdata + "/truncated.ifc").find("is truncated"), std::string::npos);
    EXPECT_NE(reason(testdata + "/unknown.kind").find("No suitable reader"), std::string::npos);
    EXPECT_NE(reason(testdata + "/truncated.obj"), "readable");
    EXPECT_EQ(reason(testdata + "/slab.ifc"), "readable");
    EXPECT_EQ(reason(model_source::city), "readable");
}

TEST(model_file, may_crash_its_reader_without_harm) {
    EXPECT_NE(reason(testdata + "/faceless.off"), "readable");
    const auto why = why_unreadable("x", [] { std::abort(); });
    EXPECT_NE(why.value_or("readable").find("crashed"), std::string::npos);
}

} // namespace
} // namespace arenite::lab
