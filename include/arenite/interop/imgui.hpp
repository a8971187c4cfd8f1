// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/affinity/affinity.hpp>
#include <arenite/core/config.hpp>
#include <arenite/interop/malloc_like.hpp>

#include <cstddef>
#include <string_view>

namespace arenite {
inline namespace ARENITE_ABI {

namespace affinities {
struct imgui final {
    static constexpr std::string_view name = "Dear ImGui";
};
} // namespace affinities

/// Dear ImGui's memory in an affinity of its own.
///
///     using memory = arenite::imgui_memory<>;
///     ImGui::SetAllocatorFunctions(&memory::allocate, &memory::deallocate);
///     ImGui::CreateContext();
///
/// Use when:  the memory of the user interface should be measured, and lie apart from the scene.
/// Cost:      malloc_like's.
/// Limits:    must be set before the first context, and in each plug-in that contains ImGui.
/// Threads:   any; ImGui itself is used by one at a time.
/// Failure:   nullptr: ImGui does not check it, and crashes.
template <AffinityTag A = affinities::imgui>
class imgui_memory {
public:
    using memory = malloc_like<A>;

    /// An ImGuiMemAllocFunc.
    [[nodiscard]] static void* allocate(std::size_t bytes, void*) noexcept {
        return memory::allocate(bytes);
    }
    /// An ImGuiMemFreeFunc.
    static void deallocate(void* p, void*) noexcept { memory::deallocate(p); }
};

} // namespace ARENITE_ABI
} // namespace arenite
