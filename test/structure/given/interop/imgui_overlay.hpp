// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/report/usage_node.hpp>
// The header is empty without imgui.h; test/interop/ compiles it with the real one.
namespace arenite {
struct imgui_overlay {
    bool show(const usage_node& root);
    bool show_map(const char* title, const ordered_heap& heap);
};
} // namespace arenite
inline arenite::ordered_heap heap;
inline arenite::usage_node all{"all"};
