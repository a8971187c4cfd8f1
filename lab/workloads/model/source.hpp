// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../scene/math.hpp"

#include <assimp/Importer.hpp>
#include <assimp/scene.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace arenite::lab {

/// The parts of a model, as one load of it creates them.
struct model_size {
    std::uint64_t nodes = 0;      ///< groups, transforms and geometries
    std::uint64_t node_bytes = 0; ///< of those and their child arrays
    std::uint64_t data_bytes = 0; ///< of the elements of all arrays
};

/// A model as assimp holds it: read from a file of any kind assimp knows, or built here.
///
/// Use when:  a workload wants a real scene to load from. The aiScene lives as long as this object.
/// Threads:   one at a time.
/// Failure:   cannot_run; its text names the file and assimp's reason.
class model_source {
public:
    /// The name that selects the built-in city in place of a file.
    static constexpr const char* city = "city";

    explicit model_source(const std::string& file);

    [[nodiscard]] const aiScene& scene() const noexcept { return *scene_; }
    [[nodiscard]] const model_size& size() const noexcept { return size_; }
    [[nodiscard]] const scene::sphere& bound() const noexcept { return bound_; }

private:
    void measure(const std::string& file);

    Assimp::Importer importer_;
    std::unique_ptr<aiScene> built_;
    const aiScene* scene_ = nullptr;
    model_size size_;
    scene::sphere bound_;
};

/// The building AC14-FZK-Haus where Debian's assimp-testmodels or assimp's own sources have put it,
/// otherwise `city`.
[[nodiscard]] std::string default_model();

/// Runs `attempt`, which reads `file`, in a process of its own where the system has that, so that
/// the caller lives whatever a broken file does to assimp. Why it failed, in a sentence; nothing if
/// it did not.
[[nodiscard]] std::optional<std::string> why_unreadable(const std::string& file,
                                                        const std::function<void()>& attempt);

/// Nodes below and including n as a loader makes them: one each, and one for each mesh it shows.
[[nodiscard]] std::uint64_t count_nodes(const aiNode& n) noexcept;

[[nodiscard]] scene::matrix to_matrix(const aiMatrix4x4& m) noexcept;

/// A part of a town: streets, blocks, buildings of storeys, windows, doors and roofs, with names
/// and materials; the same at every call.
[[nodiscard]] std::unique_ptr<aiScene> build_city();

} // namespace arenite::lab
