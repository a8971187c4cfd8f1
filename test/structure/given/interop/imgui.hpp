// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// What imgui.h declares.
namespace ImGui {
void SetAllocatorFunctions(void* (*allocate)(std::size_t, void*), void (*free)(void*, void*),
                           void* user = nullptr);
void CreateContext();
} // namespace ImGui
