// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../scene/store.hpp"
#include "source.hpp"

#include <assimp/scene.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace arenite::lab {

/// One load: turns a part of an aiScene into scene nodes, in the order in which assimp holds it.
///
///     node  name  child array | geometry  material  its name  positions  normals  indices | ...
///                               for each mesh the node shows    ^ when met first
///
/// A mesh or material that is met again within one load is shared. Temporary memory is what such a
/// loader needs: two tables of what was met already, and the 32-bit indices gathered from assimp's
/// faces before they are narrowed. It comes from the heap of the data and goes back there.
template <class Heap>
class model_loader {
public:
    model_loader(scene::store<Heap>& store, const aiScene& from)
        : store_{store}, from_{from},
          meshes_(0, scene::allocator_from<entry<loaded_mesh>, Heap>{store.data()}),
          materials_(0, scene::allocator_from<entry<scene::material*>, Heap>{store.data()}) {}

    [[nodiscard]] scene::node* load(const aiNode& n) {
        scene::group* g = nullptr;
        if (n.mTransformation.IsIdentity()) {
            g = store_.template make_group<scene::group>(scene::kind::group);
        } else {
            auto* t = store_.template make_group<scene::transform>(scene::kind::transform);
            t->local = to_matrix(n.mTransformation);
            g = t;
        }
        store_.set_name(*g, {n.mName.data, n.mName.length});
        store_.reserve_children(*g, n.mNumMeshes + n.mNumChildren);
        std::uint32_t place = 0;
        for (const unsigned mesh : std::span{n.mMeshes, n.mNumMeshes})
            adopt(*g, place++, load_mesh(mesh));
        for (const aiNode* child : std::span{n.mChildren, n.mNumChildren})
            adopt(*g, place++, load(*child));
        if (g->kind == scene::kind::transform)
            g->bound = static_cast<scene::transform*>(g)->local * g->bound;
        return g;
    }

    [[nodiscard]] scene::geometry* load_mesh(unsigned index) {
        const aiMesh& from = *from_.mMeshes[index];
        scene::geometry* g = store_.make_geometry();
        store_.set_name(*g, {from.mName.data, from.mName.length});
        g->surface = load_material(from.mMaterialIndex);
        const auto [known, added] = meshes_.try_emplace(index);
        loaded_mesh& mesh = known->second;
        if (added)
            mesh = load_arrays(from);
        g->positions = share(mesh.positions);
        g->normals = share(mesh.normals);
        g->texcoords = share(mesh.texcoords);
        g->indices = share(mesh.indices);
        g->index_count =
            mesh.indices != nullptr ? static_cast<std::uint32_t>(mesh.indices->count) : 0;
        g->topology = from.mPrimitiveTypes;
        g->bound = mesh.bound;
        return g;
    }

private:
    struct loaded_mesh {
        scene::array* positions = nullptr;
        scene::array* normals = nullptr;
        scene::array* texcoords = nullptr;
        scene::array* indices = nullptr;
        scene::sphere bound = {};
    };

    template <class Value>
    using entry = std::pair<const unsigned, Value>;
    template <class Value>
    using table = std::unordered_map<unsigned, Value, std::hash<unsigned>, std::equal_to<unsigned>,
                                     scene::allocator_from<entry<Value>, Heap>>;

    void adopt(scene::group& g, std::uint32_t place, scene::node* child) {
        store_.attach(g, place, child);
        g.bound = unite(g.bound, child->bound);
    }

    template <class Shared>
    static Shared* share(Shared* object) noexcept {
        if (object != nullptr)
            ++object->references;
        return object;
    }

    [[nodiscard]] scene::material* load_material(unsigned index) {
        if (index >= from_.mNumMaterials)
            return nullptr;
        const auto [known, added] = materials_.try_emplace(index, nullptr);
        if (added) {
            const aiMaterial& from = *from_.mMaterials[index];
            scene::material* m = known->second = store_.make_material();
            aiString name;
            from.Get(AI_MATKEY_NAME, name);
            store_.set_name(*m, {name.data, name.length});
            m->sort_key = static_cast<std::uint16_t>(index);
            read_color(from, m->ambient, AI_MATKEY_COLOR_AMBIENT);
            read_color(from, m->diffuse, AI_MATKEY_COLOR_DIFFUSE);
            read_color(from, m->specular, AI_MATKEY_COLOR_SPECULAR);
            read_color(from, m->emissive, AI_MATKEY_COLOR_EMISSIVE);
            from.Get(AI_MATKEY_SHININESS, m->shininess);
            from.Get(AI_MATKEY_OPACITY, m->opacity);
        }
        return share(known->second);
    }

    static void read_color(const aiMaterial& from, float (&to)[4], const char* key, unsigned type,
                           unsigned index) {
        aiColor4D color;
        if (from.Get(key, type, index, color) == aiReturn_SUCCESS) {
            to[0] = static_cast<float>(color.r);
            to[1] = static_cast<float>(color.g);
            to[2] = static_cast<float>(color.b);
            to[3] = static_cast<float>(color.a);
        }
    }

    [[nodiscard]] loaded_mesh load_arrays(const aiMesh& from) {
        loaded_mesh mesh;
        const std::size_t vertices = from.mNumVertices;
        if (from.HasPositions()) {
            mesh.positions = load_vectors<scene::vector3>(from.mVertices, vertices);
            mesh.bound = scene::bound_of(
                {reinterpret_cast<const scene::vector3*>(mesh.positions->elements), vertices});
        }
        if (from.HasNormals())
            mesh.normals = load_vectors<scene::vector3>(from.mNormals, vertices);
        if (from.HasTextureCoords(0))
            mesh.texcoords = load_vectors<scene::vector2>(from.mTextureCoords[0], vertices);
        mesh.indices = load_indices(from);
        return mesh;
    }

    template <class Vector>
    [[nodiscard]] scene::array* load_vectors(const aiVector3D* from, std::size_t count) {
        scene::array* a = store_.template make_array<Vector>(count);
        auto* to = reinterpret_cast<Vector*>(a->elements);
        for (std::size_t i = 0; i < count; ++i) {
            Vector v;
            v.x = static_cast<float>(from[i].x);
            v.y = static_cast<float>(from[i].y);
            if constexpr (requires { v.z; })
                v.z = static_cast<float>(from[i].z);
            ::new (static_cast<void*>(to + i)) Vector{v};
        }
        return a;
    }

    [[nodiscard]] scene::array* load_indices(const aiMesh& from) {
        using scratch = scene::allocator_from<std::uint32_t, Heap>;
        std::vector<std::uint32_t, scratch> gathered{scratch{store_.data()}};
        gathered.reserve(from.mNumFaces * std::size_t{3});
        for (const aiFace& face : std::span{from.mFaces, from.mNumFaces})
            gathered.insert(gathered.end(), face.mIndices, face.mIndices + face.mNumIndices);
        if (gathered.empty())
            return nullptr;
        if (from.mNumVertices > std::numeric_limits<std::uint16_t>::max())
            return narrow<std::uint32_t>(gathered);
        return narrow<std::uint16_t>(gathered);
    }

    template <class Index>
    [[nodiscard]] scene::array* narrow(std::span<const std::uint32_t> from) {
        scene::array* a = store_.template make_array<Index>(from.size());
        auto* to = reinterpret_cast<Index*>(a->elements);
        for (std::size_t i = 0; i < from.size(); ++i)
            ::new (static_cast<void*>(to + i)) Index{static_cast<Index>(from[i])};
        return a;
    }

    scene::store<Heap>& store_;
    const aiScene& from_;
    table<loaded_mesh> meshes_;
    table<scene::material*> materials_;
};

} // namespace arenite::lab
