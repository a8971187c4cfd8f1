// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The usage overlay, drawn for some frames without a screen.
#include <imgui.h>

#include <arenite/interop/imgui_overlay.hpp>

#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/pool/pool_resource.hpp>

#include "interop_test.hpp"

using namespace interop_test;

int main() {
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = {1200, 900};
    unsigned char* pixels = nullptr;
    int width = 0;
    int height = 0;
    io.Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);

    arenite::ordered_heap heap;
    arenite::pool_resource pool{arenite::slot{.bytes = 64, .alignment = 16}};
    void* const object = heap.allocate(100'000);
    void* const slot = pool.allocate(64);
    {
        arenite::usage_node all{"game"};
        arenite::usage_node level{"level 1", heap, &all};
        arenite::usage_node sounds{"sounds", pool, &all};
        arenite::imgui_overlay overlay;
        int with_one = 0;
        for (int frame = 0; frame < 4; ++frame) {
            io.DeltaTime = 1.0F / 60;
            ImGui::NewFrame();
            EXPECT(overlay.show(frame < 2 ? level : all));
            if (frame == 1 || frame == 3) {
                ImGui::SetNextWindowSize({400, 400});
                EXPECT(overlay.show_map("the map", heap));
            }
            ImGui::Render();
            const int drawn = ImGui::GetDrawData()->TotalVtxCount;
            if (frame == 0)
                with_one = drawn;
            else
                EXPECT(drawn > 0);
            if (frame == 3) // three nodes and a map
                EXPECT(drawn > 2 * with_one && drawn > 1000);
        }
    }
    pool.deallocate(slot, 64);
    heap.deallocate(object, 100'000);
    ImGui::DestroyContext();
    return result();
}
