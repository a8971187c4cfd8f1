// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
struct body {
    body() {}
    float position = 0, mass = 0;
};
