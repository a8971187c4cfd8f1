// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#if defined(ARENITE_LAB_ASSIMP)

#include "source.hpp"

#include "../../workload.hpp"

#include <assimp/config.h>
#include <assimp/postprocess.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

#if defined(__unix__)
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace arenite::lab {
namespace {

constexpr unsigned deepest = 1000; ///< levels of nodes; the visitors are recursive

[[nodiscard]] std::string sentence(const std::string& file, const std::string& reason) {
    return "model file '" + file + "': " + reason;
}

[[noreturn]] void refuse(const std::string& file, const std::string& reason) {
    throw cannot_run{sentence(file, reason)};
}

/// A STEP file (IFC is one) ends with a fixed word. assimp takes one that was cut off for whole.
void check_step_is_whole(const std::string& file) {
    constexpr std::string_view head = "ISO-10303-21;", tail = "END-ISO-10303-21;";
    std::ifstream in{file, std::ios::binary};
    std::string begin(head.size(), '\0');
    in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
    if (begin != head)
        return;
    std::string end(256, '\0');
    in.clear();
    in.seekg(0, std::ios::end);
    const auto length = static_cast<std::streamoff>(in.tellg());
    const auto wanted = std::min<std::streamoff>(length, static_cast<std::streamoff>(end.size()));
    in.seekg(length - wanted);
    in.read(end.data(), wanted);
    if (end.find(tail) == std::string::npos)
        refuse(file, "is truncated: it does not end with " + std::string{tail});
}

void check_is_a_file(const std::string& file) {
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(file, error);
    if (!std::filesystem::exists(status))
        refuse(file, "does not exist");
    if (std::filesystem::is_directory(status))
        refuse(file, "is a directory");
    if (!std::ifstream{file, std::ios::binary})
        refuse(file, "cannot be opened");
    if (std::filesystem::is_regular_file(status) && std::filesystem::file_size(file, error) == 0)
        refuse(file, "is empty");
}

struct measuring {
    const aiScene& scene;
    model_size size = {};
    std::vector<bool> met = std::vector<bool>(scene.mNumMeshes);
    bool too_deep = false;
    bool anything = false;

    scene::sphere visit(const aiNode& n, unsigned depth) {
        if (depth > deepest) {
            too_deep = true;
            return {};
        }
        const std::size_t children = std::size_t{n.mNumMeshes} + n.mNumChildren;
        size.nodes += 1 + n.mNumMeshes;
        size.node_bytes += (n.mTransformation.IsIdentity() ? 48 : 176) + children * 8 +
                           n.mNumMeshes * std::size_t{80};
        scene::sphere bound;
        for (const unsigned index : std::span{n.mMeshes, n.mNumMeshes})
            bound = unite(bound, mesh(index));
        for (const aiNode* child : std::span{n.mChildren, n.mNumChildren})
            bound = unite(bound, visit(*child, depth + 1));
        return to_matrix(n.mTransformation) * bound;
    }

    scene::sphere mesh(unsigned index) {
        const aiMesh& m = *scene.mMeshes[index];
        anything = anything || m.mNumFaces != 0;
        if (!met[index]) {
            met[index] = true;
            size.data_bytes +=
                m.mNumVertices * ((m.HasPositions() ? 12ULL : 0) + (m.HasNormals() ? 12ULL : 0) +
                                  (m.HasTextureCoords(0) ? 8ULL : 0)) +
                m.mNumFaces * (m.mNumVertices > 65535 ? 12ULL : 6ULL);
        }
        std::vector<scene::vector3> points;
        if (m.HasPositions())
            for (const aiVector3D& v : std::span{m.mVertices, m.mNumVertices})
                points.push_back(
                    {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)});
        return scene::bound_of(points);
    }
};

} // namespace

model_source::model_source(const std::string& file) {
    if (file == city) {
        built_ = build_city();
        scene_ = built_.get();
    } else {
        check_is_a_file(file);
        check_step_is_whole(file);
        scene_ = importer_.ReadFile(file, aiProcess_Triangulate | aiProcess_SortByPType |
                                              aiProcess_JoinIdenticalVertices |
                                              aiProcess_GenSmoothNormals);
        if (scene_ == nullptr)
            refuse(file, std::string{"assimp cannot read it: "} + importer_.GetErrorString());
        if (scene_->mRootNode == nullptr || (scene_->mFlags & AI_SCENE_FLAGS_INCOMPLETE) != 0)
            refuse(file, "assimp found no complete scene in it");
    }
    measure(file);
}

void model_source::measure(const std::string& file) {
    measuring m{*scene_};
    bound_ = m.visit(*scene_->mRootNode, 0);
    size_ = m.size;
    if (!m.anything)
        refuse(file, "assimp found nothing in it that can be drawn");
    if (m.too_deep)
        refuse(file, "its nodes are nested deeper than " + std::to_string(deepest) + " levels");
}

std::string default_model() {
    constexpr std::string_view name = "IFC/AC14-FZK-Haus.ifc";
    const std::array<std::string, 4> folders {
#if defined(ARENITE_LAB_MODELS)
        ARENITE_LAB_MODELS, // where CMake found it
#else
        "",
#endif
            "/usr/share/assimp/models", "/usr/local/share/assimp/models",
            "/usr/share/doc/assimp-testmodels/models"
    };
    for (const std::string& folder : folders) {
        const std::filesystem::path path = std::filesystem::path{folder} / name;
        std::error_code error;
        if (!folder.empty() && std::filesystem::is_regular_file(path, error))
            return path.string();
    }
    return model_source::city;
}

std::uint64_t count_nodes(const aiNode& n) noexcept {
    std::uint64_t count = 1 + n.mNumMeshes;
    for (const aiNode* child : std::span{n.mChildren, n.mNumChildren})
        count += count_nodes(*child);
    return count;
}

scene::matrix to_matrix(const aiMatrix4x4& m) noexcept {
    scene::matrix r;
    r.m = {m.a1, m.b1, m.c1, 0, m.a2, m.b2, m.c2, 0, m.a3, m.b3, m.c3, 0, m.a4, m.b4, m.c4, 1};
    return r;
}

std::optional<std::string> why_unreadable(const std::string& file,
                                          const std::function<void()>& attempt) {
    const auto try_it = [&]() -> std::optional<std::string> {
        try {
            attempt();
            return std::nullopt;
        } catch (const std::exception& e) {
            return e.what();
        }
    };
#if defined(__unix__)
    int ends[2];
    if (::pipe(ends) != 0)
        return try_it();
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child < 0) {
        ::close(ends[0]);
        ::close(ends[1]);
        return try_it();
    }
    if (child == 0) {
        ::close(ends[0]);
        ::dup2(ends[1], STDOUT_FILENO); // what a library says before it gives up is its reason
        ::dup2(ends[1], STDERR_FILENO);
        const std::optional<std::string> reason = try_it();
        if (reason)
            static_cast<void>(!::write(ends[1], reason->data(), reason->size()));
        ::_exit(reason ? 1 : 0);
    }
    ::close(ends[1]);
    std::string said;
    char part[512];
    for (ssize_t n; (n = ::read(ends[0], part, sizeof part)) > 0;)
        said.append(part, static_cast<std::size_t>(n));
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return std::nullopt;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 1)
        return said;
    while (!said.empty() && said.back() == '\n')
        said.pop_back();
    return sentence(file, "assimp crashed while reading it" + (said.empty() ? said : ": " + said));
#else
    static_cast<void>(file);
    return try_it();
#endif
}

} // namespace arenite::lab

#endif
