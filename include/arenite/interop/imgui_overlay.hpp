// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

// Include <imgui.h> before: without it there is nothing here.
#if defined(IMGUI_VERSION)

#include <arenite/core/concepts.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/region.hpp>
#include <arenite/report/memory_map.hpp>
#include <arenite/report/usage_node.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <unordered_map>
#include <vector>

namespace arenite {
inline namespace ARENITE_ABI {

/// Usage in a window of Dear ImGui: the tree of usage_nodes as a table, a plot of each node that is
/// opened, and the map of a heap.
///
///     imgui_overlay overlay;                          // kept from frame to frame
///     ...
///     overlay.show(all);                              // a usage_node, in each frame
///     overlay.show_map("level 1", heap);              // while its window is open
///
/// Use when:  you want to watch memory while the program runs.
/// Cost:      show: usage() of each node per frame, O(nodes), and ImGui's drawing. show_map: lists
///            the heap's memory, once every `frames_a_map` frames.
/// Overhead:  1 KiB per node for the plot; for a map that of memory_map.
/// Limits:    Dear ImGui 1.80 or newer, for tables.
/// Threads:   ImGui's thread, if it may also call usage() of the resources.
class imgui_overlay {
public:
    static constexpr std::size_t samples = 256; ///< frames in a plot
    static constexpr unsigned frames_a_map = 30;

    /// A window with the tree below a node. False while it is collapsed or closed.
    bool show(const usage_node& root, const char* title = "Memory", bool* open = nullptr) {
        const bool visible = ImGui::Begin(title, open);
        if (visible) {
            constexpr ImGuiTableFlags flags =
                ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_RowBg | ImGuiTableFlags_Resizable;
            if (ImGui::BeginTable("usage", 4, flags)) {
                ImGui::TableSetupColumn("name");
                ImGui::TableSetupColumn("in use");
                ImGui::TableSetupColumn("reserved");
                ImGui::TableSetupColumn("high water");
                ImGui::TableHeadersRow();
                show_rows(root);
                ImGui::EndTable();
            }
        }
        ImGui::End();
        return visible;
    }

    /// A window with the map of a resource's memory: the more of a cell is used, the brighter it
    /// is; red is the resource's own bookkeeping.
    template <Mappable R>
    bool show_map(const char* title, const R& mapped, bool* open = nullptr) {
        const bool visible = ImGui::Begin(title, open);
        if (visible) {
            map& m = maps_[&mapped];
            if (m.age++ % frames_a_map == 0) {
                const memory_map all{mapped};
                m.cell_bytes = all.cell_bytes(most_cells);
                m.cells = all.cells(m.cell_bytes);
            }
            draw(m);
        }
        ImGui::End();
        return visible;
    }

private:
    static constexpr std::size_t most_cells = 4096;

    struct history {
        float bytes[samples] = {};
        std::size_t next = 0;
    };
    struct map {
        std::vector<memory_map::cell> cells;
        std::size_t cell_bytes = 0;
        unsigned age = 0;
    };

    static void show_bytes(std::size_t bytes) {
        ImGui::TableNextColumn();
        if (bytes < 10'240)
            ImGui::Text("%zu B", bytes);
        else if (bytes < 10'240 * 1024)
            ImGui::Text("%.1f KiB", static_cast<double>(bytes) / 1024);
        else
            ImGui::Text("%.1f MiB", static_cast<double>(bytes) / (1024 * 1024));
    }

    void show_rows(const usage_node& node) {
        const arenite::usage now = node.usage();
        history& past = histories_[&node];
        past.bytes[past.next] = static_cast<float>(now.bytes_in_use);
        past.next = (past.next + 1) % samples;

        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        const bool opened =
            ImGui::TreeNodeEx(&node, ImGuiTreeNodeFlags_DefaultOpen, "%s", node.name().c_str());
        show_bytes(now.bytes_in_use);
        show_bytes(now.bytes_reserved);
        show_bytes(now.high_water_bytes);
        if (!opened)
            return;
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        ImGui::PushID(&node);
        ImGui::PlotLines("##bytes", past.bytes, static_cast<int>(samples),
                         static_cast<int>(past.next), nullptr, 0,
                         static_cast<float>(std::max<std::size_t>(now.high_water_bytes, 1)));
        ImGui::PopID();
        for (const usage_node* n = node.first_child(); n != nullptr; n = n->next_sibling())
            show_rows(*n);
        ImGui::TreePop();
    }

    static void draw(const map& m) {
        constexpr float side = 8;
        const ImVec2 origin = ImGui::GetCursorScreenPos();
        const float width = std::max(ImGui::GetContentRegionAvail().x, side);
        const auto columns = std::max<std::size_t>(static_cast<std::size_t>(width / side), 1);
        ImDrawList& list = *ImGui::GetWindowDrawList();
        const ImVec2 mouse = ImGui::GetIO().MousePos;
        for (std::size_t i = 0; i < m.cells.size(); ++i) {
            const memory_map::cell& c = m.cells[i];
            const ImVec2 low{origin.x + static_cast<float>(i % columns) * side,
                             origin.y + static_cast<float>(i / columns) * side};
            const ImVec2 high{low.x + side - 1, low.y + side - 1};
            const std::size_t used = c[region_state::used];
            const auto share = [&](std::size_t bytes) {
                return static_cast<int>(200 * bytes / m.cell_bytes);
            };
            list.AddRectFilled(
                low, high,
                IM_COL32(40 + share(c[region_state::overhead]), 40 + share(used), 70, 255));
            if (mouse.x >= low.x && mouse.x < low.x + side && mouse.y >= low.y &&
                mouse.y < low.y + side)
                ImGui::SetTooltip("%p: %zu of %zu bytes used",
                                  reinterpret_cast<const void*>(c.address), used, m.cell_bytes);
        }
        const std::size_t rows = (m.cells.size() + columns - 1) / columns;
        ImGui::Dummy({width, static_cast<float>(rows) * side});
    }

    std::unordered_map<const usage_node*, history> histories_;
    std::unordered_map<const void*, map> maps_;
};

} // namespace ARENITE_ABI
} // namespace arenite

#endif
