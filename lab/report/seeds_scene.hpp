// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "seeds.hpp"

namespace arenite::lab {

/// The figures of the two seed documents on VulkanSceneGraph's allocators.
void add_scene_graph(std::vector<seed_row>& rows, seed_scale scale);

} // namespace arenite::lab
