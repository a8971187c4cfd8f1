// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#if defined(ARENITE_LAB_ASSIMP)

#include "source.hpp"

#include <assimp/material.h>
#include <assimp/mesh.h>
#include <assimp/scene.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace arenite::lab {
namespace {

/// Builds an aiScene as an importer does: meshes and materials in tables, nodes that refer to them.
class town {
public:
    [[nodiscard]] std::unique_ptr<aiScene> build() {
        glass_ = add_material("Glass, clear", {0.6F, 0.7F, 0.8F}, 0.3F);
        frame_ = add_material("Window frame, pine, painted white", {0.9F, 0.9F, 0.85F});
        asphalt_ = add_material("Asphalt", {0.2F, 0.2F, 0.2F});
        pavement_ = add_material("Pavement, granite slabs", {0.5F, 0.5F, 0.5F});
        concrete_ = add_material("Concrete C25/30", {0.7F, 0.7F, 0.7F});
        door_wood_ = add_material("Door, oak", {0.4F, 0.25F, 0.1F});
        for (const char* stone : {"Plaster, ochre", "Plaster, white", "Brick, red", "Sandstone"})
            walls_.push_back(add_material(stone, {0.8F, 0.7F, 0.5F}));
        for (const char* tile : {"Roof tile, clay", "Roof tile, slate", "Copper, patinated"})
            roofs_.push_back(add_material(tile, {0.6F, 0.2F, 0.1F}));
        pane_ = add_mesh("window pane", glass_, 1, 1, [](float u, float v) {
            return aiVector3D{u * 1.1F, 0, v * 1.3F};
        });
        casing_ = add_mesh("window casing", frame_, 8, 1, [](float u, float v) {
            return aiVector3D{u * 1.2F, v * 0.12F, (u < 0.5F ? u : 1 - u) * 2.8F};
        });
        sill_ = add_mesh("window sill", concrete_, 2, 1, [](float u, float v) {
            return aiVector3D{u * 1.3F, v * 0.25F, -0.05F};
        });
        leaf_ = add_mesh("door leaf", door_wood_, 3, 5, [](float u, float v) {
            return aiVector3D{u * 1.0F, 0, v * 2.1F};
        });

        auto scene = std::make_unique<aiScene>();
        scene->mRootNode = make_quarter();
        hand_over(meshes_, scene->mMeshes, scene->mNumMeshes);
        hand_over(materials_, scene->mMaterials, scene->mNumMaterials);
        return scene;
    }

private:
    static constexpr float storey_height = 3, window_step = 2.4F, block_side = 70,
                           street_width = 12;

    struct color {
        float r, g, b;
    };

    /// A small random sequence of its own: the same town everywhere.
    unsigned below(unsigned n) noexcept {
        state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
        return static_cast<unsigned>(state_ >> 33) % n;
    }

    template <class T>
    static void hand_over(const std::vector<T*>& from, T**& to, unsigned& count) {
        to = new T*[from.size()];
        std::copy(from.begin(), from.end(), to);
        count = static_cast<unsigned>(from.size());
    }

    unsigned add_material(const char* name, color c, float opacity = 1) {
        auto* m = new aiMaterial;
        const aiString title{name};
        const aiColor4D diffuse{c.r, c.g, c.b, 1}, ambient{c.r / 4, c.g / 4, c.b / 4, 1};
        m->AddProperty(&title, AI_MATKEY_NAME);
        m->AddProperty(&diffuse, 1, AI_MATKEY_COLOR_DIFFUSE);
        m->AddProperty(&ambient, 1, AI_MATKEY_COLOR_AMBIENT);
        m->AddProperty(&opacity, 1, AI_MATKEY_OPACITY);
        materials_.push_back(m);
        return static_cast<unsigned>(materials_.size() - 1);
    }

    /// A surface over columns x rows quads; `place` maps (0..1, 0..1) to space.
    unsigned add_mesh(const std::string& name, unsigned material, unsigned columns, unsigned rows,
                      const std::function<aiVector3D(float, float)>& place) {
        auto* m = new aiMesh;
        m->mName = aiString{name};
        m->mMaterialIndex = material;
        m->mPrimitiveTypes = aiPrimitiveType_TRIANGLE;
        m->mNumVertices = (columns + 1) * (rows + 1);
        m->mVertices = new aiVector3D[m->mNumVertices];
        m->mNormals = new aiVector3D[m->mNumVertices];
        m->mTextureCoords[0] = new aiVector3D[m->mNumVertices];
        m->mNumUVComponents[0] = 2;
        unsigned v = 0;
        for (unsigned row = 0; row <= rows; ++row) {
            for (unsigned column = 0; column <= columns; ++column, ++v) {
                const float s = static_cast<float>(column) / static_cast<float>(columns);
                const float t = static_cast<float>(row) / static_cast<float>(rows);
                m->mVertices[v] = place(s, t);
                m->mNormals[v] = {0, -1, 0};
                m->mTextureCoords[0][v] = {s, t, 0};
            }
        }
        m->mNumFaces = columns * rows * 2;
        m->mFaces = new aiFace[m->mNumFaces];
        for (unsigned f = 0; f < m->mNumFaces; ++f) {
            const unsigned corner = f / 2 / columns * (columns + 1) + f / 2 % columns;
            const unsigned above = corner + columns + 1;
            m->mFaces[f].mNumIndices = 3;
            m->mFaces[f].mIndices = f % 2 == 0 ? new unsigned[3]{corner, corner + 1, above}
                                               : new unsigned[3]{corner + 1, above + 1, above};
        }
        meshes_.push_back(m);
        return static_cast<unsigned>(meshes_.size() - 1);
    }

    static aiNode* make_node(const std::string& name, aiVector3D at, std::vector<unsigned> meshes,
                             const std::vector<aiNode*>& children = {}) {
        auto* n = new aiNode;
        n->mName = aiString{name};
        aiMatrix4x4::Translation(at, n->mTransformation);
        if (!meshes.empty()) {
            n->mNumMeshes = static_cast<unsigned>(meshes.size());
            n->mMeshes = new unsigned[meshes.size()];
            std::copy(meshes.begin(), meshes.end(), n->mMeshes);
        }
        if (!children.empty()) {
            hand_over(children, n->mChildren, n->mNumChildren);
            for (aiNode* child : children)
                child->mParent = n;
        }
        return n;
    }

    aiNode* make_facade(const std::string& name, aiVector3D at, unsigned windows, unsigned wall,
                        bool door) {
        const float width = static_cast<float>(windows) * window_step;
        const unsigned surface = add_mesh(name, wall, windows * 3, 4, [&](float u, float v) {
            return aiVector3D{u * width, 0, v * storey_height};
        });
        std::vector<aiNode*> parts;
        for (unsigned w = 0; w < windows; ++w) {
            const aiVector3D place{static_cast<float>(w) * window_step + 0.6F, 0.1F, 0.9F};
            if (door && w == windows / 2)
                parts.push_back(make_node("House door", {place.x, 0.1F, 0}, {leaf_, casing_}));
            else
                parts.push_back(make_node(
                    name + ", window " + std::to_string(w + 1), place, {},
                    {make_node("Window, casement, two panes", {}, {casing_, pane_, sill_})}));
        }
        return make_node(name, at, {surface}, parts);
    }

    aiNode* make_building(const std::string& name, aiVector3D at) {
        const unsigned storeys = 2 + below(4), front = 4 + below(3), side = 3 + below(3);
        const float width = static_cast<float>(front) * window_step;
        const float depth = static_cast<float>(side) * window_step;
        const unsigned wall = walls_[below(static_cast<unsigned>(walls_.size()))];
        const unsigned tiles = roofs_[below(static_cast<unsigned>(roofs_.size()))];
        const unsigned slab = add_mesh(name + ", slab", concrete_, 1, 1, [&](float u, float v) {
            return aiVector3D{u * width, v * depth, 0};
        });
        std::vector<aiNode*> parts;
        for (unsigned s = 0; s < storeys; ++s) {
            const std::string level = s == 0 ? "Ground floor" : "Floor " + std::to_string(s);
            const aiVector3D height{0, 0, static_cast<float>(s) * storey_height};
            parts.push_back(
                make_node(level, height, {slab},
                          {make_facade(level + " front", {}, front, wall, s == 0),
                           make_facade(level + " back", {0, depth, 0}, front, wall, false),
                           make_facade(level + " left", {0, 0.2F, 0}, side, wall, false),
                           make_facade(level + " right", {width, 0.2F, 0}, side, wall, false)}));
        }
        const unsigned rows = 12 + below(20);
        const unsigned roof =
            add_mesh(name + ", roof", tiles, front * 8, rows, [&](float u, float v) {
                const float up = v < 0.5F ? v : 1 - v;
                return aiVector3D{u * width, v * depth, up * 6};
            });
        parts.push_back(
            make_node("Roof", {0, 0, static_cast<float>(storeys) * storey_height}, {roof}, {}));
        return make_node(name, at, {}, parts);
    }

    aiNode* make_block(unsigned number, aiVector3D at) {
        const unsigned ground = add_mesh("pavement of block " + std::to_string(number), pavement_,
                                         16, 16, [](float u, float v) {
                                             return aiVector3D{u * block_side, v * block_side, 0};
                                         });
        std::vector<aiNode*> houses;
        for (unsigned h = 0; h < 6; ++h)
            houses.push_back(make_building(
                "Block " + std::to_string(number) + ", house " + std::to_string(h + 1),
                {static_cast<float>(h % 3) * 22 + 3, h < 3 ? 3.0F : 50.0F, 0}));
        return make_node("Block " + std::to_string(number), at, {ground}, houses);
    }

    aiNode* make_quarter() {
        constexpr float pitch = block_side + street_width;
        std::vector<aiNode*> parts;
        constexpr std::array streets{"North Street", "Mill Lane", "Station Road", "High Street"};
        for (unsigned s = 0; s < streets.size(); ++s) {
            const bool across = s % 2 == 0;
            const float length = 2 * pitch;
            const unsigned surface = add_mesh(streets[s], asphalt_, 40, 2, [&](float u, float v) {
                return across ? aiVector3D{u * length, v * street_width, 0}
                              : aiVector3D{v * street_width, u * length, 0};
            });
            const float offset = (s < 2 ? 1.0F : 2.0F) * pitch - street_width;
            parts.push_back(make_node(streets[s],
                                      across ? aiVector3D{0, offset, 0} : aiVector3D{offset, 0, 0},
                                      {surface}));
        }
        for (unsigned b = 0; b < 4; ++b)
            parts.push_back(make_block(
                b + 1, {static_cast<float>(b % 2) * pitch, static_cast<float>(b / 2) * pitch, 0}));
        return make_node("Quarter", {}, {}, parts);
    }

    std::uint64_t state_ = 20;
    std::vector<aiMesh*> meshes_;
    std::vector<aiMaterial*> materials_;
    std::vector<unsigned> walls_, roofs_;
    unsigned glass_ = 0, frame_ = 0, asphalt_ = 0, pavement_ = 0, concrete_ = 0, door_wood_ = 0;
    unsigned pane_ = 0, casing_ = 0, sill_ = 0, leaf_ = 0;
};

} // namespace

std::unique_ptr<aiScene> build_city() { return town{}.build(); }

} // namespace arenite::lab

#endif
