// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Dear ImGui with its memory in an affinity: some frames without a screen.
#include <arenite/interop/imgui.hpp>

#include "interop_test.hpp"

#include <imgui.h>

using namespace interop_test;
using memory = arenite::imgui_memory<>;

int main() {
    ImGui::SetAllocatorFunctions(&memory::allocate, &memory::deallocate);
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = {800, 600};
    unsigned char* pixels = nullptr;
    int width = 0;
    int height = 0;
    io.Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);
    EXPECT(arenite::affinity_heap::heap_of(pixels) == &memory::memory::heap());
    for (int frame = 0; frame < 3; ++frame) {
        io.DeltaTime = 1.0F / 60;
        ImGui::NewFrame();
        ImGui::Begin("window");
        for (int i = 0; i < 500; ++i)
            ImGui::Text("line %d", i);
        ImGui::End();
        ImGui::Render();
        EXPECT(frame == 0 || ImGui::GetDrawData()->TotalVtxCount > 0);
    }
    EXPECT(in_use<arenite::affinities::imgui>() >= static_cast<std::size_t>(width) * 4);
    EXPECT(is_reported("Dear ImGui"));
    ImGui::DestroyContext();
    EXPECT(in_use<arenite::affinities::imgui>() == 0);

    EXPECT(memory::allocate(SIZE_MAX, nullptr) == nullptr);
    memory::deallocate(memory::allocate(0, nullptr), nullptr);
    memory::deallocate(nullptr, nullptr);
    return result();
}
