// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
struct particle {
    float at = 0, by = 0;
    void step() { at += by; }
};
inline constexpr float position = 1, speed = 2;
